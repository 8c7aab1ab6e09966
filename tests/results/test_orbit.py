#!/usr/bin/python3
"""`percuss orbit`: orbits, multipliers and bifurcations against closed forms and independent computations. Usage: test_orbit.py PERCUSS"""
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from orbits import OrbitCase, table
from tested import PERCUSS, ROOT

IMPACT = os.path.join(ROOT, "configs/impact_oscillator.yaml")
DUFFING = os.path.join(ROOT, "configs/duffing_oscillator.yaml")
WHIRL = os.path.join(ROOT, "configs/whirl_on_wall.yaml")
FRICTION = os.path.join(ROOT, "configs/friction_oscillator.yaml")
FREQUENCY = "loads.shaker.time.harmonic.frequency"
TWO_MASSES = """
bodies:
  a: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
  b: {type: rigid, at: [1 m, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: [a.center, b.center], fix: [y, z, rotations]}
springs:
  one: {between: [ground, a.center], direction: [1, 0, 0], stiffness: 100 N/m, damping: 0.4 N s/m}
  two: {between: [a.center, b.center], direction: [1, 0, 0], stiffness: 100 N/m, damping: 0.4 N s/m}
loads:
  shaker: {at: a.center, force: [10 N, 0, 0], time: {harmonic: {frequency: 12 rad/s}}}
contacts:
  stop: {between: [b.center, {plane: {point: [0.95 m, 0, 0], normal: [1, 0, 0]}}], restitution: 0.7}
scheme: {type: event_driven_hem5, step: 0.1 s}
time: {end: 100 s}
"""
BEAM = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [0.3 m, 0, 0], elements: 24}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {rectangle: {width: 20 mm, height: 5 mm}}
    theory: euler_bernoulli
    damping: {rayleigh: {mass: 20 1/s, stiffness: 8e-5 s}}
supports:
  clamp: {at: beam.left, fix: [y, rz]}
  plane: {at: beam.all, fix: [x, z, rx, ry]}
loads:
  shaker: {at: beam.right, force: [0, 1 N, 0], time: {harmonic: {frequency: 40 Hz}}}
contacts:
  stop: {between: [beam.right, {plane: {point: [0.3 m, 0, 0], normal: [0, 1, 0]}}]}
scheme: {type: modal, step: 5 us, modes: 12}
time: {end: 1 s}
output: {history: {probes: [beam.right]}}
"""
BALL = """
gravity: [0, 0, -9.81 m/s^2]
bodies:
  ball: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2], initial: {velocity: [0, 0, 0.2 m/s]}}
supports:
  guide: {at: ball.center, fix: [x, y, rotations]}
loads:
  table: {at: ball.center, force: [0, 0, 13.096087473739152 N], time: {harmonic: {frequency: 125.66370614359172 rad/s}}}
contacts:
  stop: {between: [ball.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], restitution: 0.5}
scheme: {type: event_driven_hem5, step: 5 ms, tolerance: 1e-10}
time: {end: 1 s}
"""
COUPLED = """
bodies:
  a: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
  b: {type: rigid, at: [1 m, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: [a.center, b.center], fix: [y, z, rotations]}
springs:
  one: {between: [ground, a.center], direction: [1, 0, 0], stiffness: 100 N/m}
  two: {between: [ground, b.center], direction: [1, 0, 0], stiffness: 100 N/m}
  between: {between: [a.center, b.center], direction: [1, 0, 0], stiffness: 100 N/m, law: {cubic: {coefficient: 5000 N/m^3, travel: 0.5 m}}}
scheme: {type: event_driven_hem5, step: 10 ms, tolerance: 1e-10}
time: {end: 10 s}
"""
GAP = """
bodies:
  mass: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: mass.center, fix: [y, z, rotations]}
springs:
  spring: {between: [ground, mass.center], direction: [1, 0, 0], stiffness: 100 N/m}
  stop: {between: [ground, mass.center], direction: [1, 0, 0], law: {one_sided: {gap: 10 mm, stiffness: 900 N/m, side: tension}}}
scheme: {type: event_driven_hem5, step: 10 ms, tolerance: 1e-10}
time: {end: 10 s}
"""
TWO_STOPS = """
bodies:
  mass: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: mass.center, fix: [y, z, rotations]}
springs:
  spring: {between: [ground, mass.center], direction: [1, 0, 0], stiffness: 1 N/m, damping: 0.1 N s/m}
loads:
  shaker: {at: mass.center, force: [1 N, 0, 0], time: {harmonic: {frequency: 2.2 rad/s}}}
contacts:
  left: {between: [mass.center, {plane: {point: [-0.5 m, 0, 0], normal: [1, 0, 0]}}], restitution: 0.7}
  right: {between: [mass.center, {plane: {point: [0.5 m, 0, 0], normal: [-1, 0, 0]}}], restitution: 0.7}
scheme: {type: event_driven_hem5, step: 0.1 s, tolerance: 1e-10}
time: {end: 60 s}
orbit: {settle: 100}
"""
BELT = """
parameters: {belt: 0.1 m/s}
bodies:
  mass: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2], initial: {velocity: [$belt, 0, 0]}}
supports:
  guide: {at: mass.center, fix: [y, rotations]}
springs:
  spring: {between: [ground, mass.center], direction: [1, 0, 0], stiffness: 100 N/m, damping: 0.5 N s/m}
loads:
  weight: {at: mass.center, force: [0, 0, -10 N]}
contacts:
  belt: {between: [mass.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1], velocity: [$belt, 0, 0]}}], friction: {stribeck: {static: 0.4, kinetic: 0.25, velocity: 0.1 m/s}}}
scheme: {type: event_driven_hem5, step: 0.1 s, tolerance: 1e-10}
time: {end: 10 s}
"""
# The middle of a shaft of 20 elements touches a flat pad once a turn
PARTIAL_RUB = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.6 m, 0, 0], elements: 20}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {circle: {radius: 10 mm}}
    damping: {rayleigh: {mass: 60 1/s, stiffness: 1e-5 s}}
    spin: 3600 rpm
discs:
  wheel: {at: shaft@0.5, shape: {outer_radius: 60 mm, thickness: 20 mm, density: 7850 kg/m^3}}
unbalances:
  wheel: {at: shaft@0.5, mass_eccentricity: 1e-4 kg m}
bearings:
  left: {between: [shaft.left, ground], stiffness: 5 MN/m, damping: 50 N s/m}
  right: {between: [shaft.right, ground], stiffness: 5 MN/m, damping: 50 N s/m}
contacts:
  pad: {between: [{node: shaft@0.5, radius: 10 mm}, {plane: {point: [0.3 m, 0, -10.1 mm], normal: [0, 0, 1]}}]}
scheme: {type: modal, step: 20 us, modes: 12}
time: {end: 1 s}
orbit: {settle: 100}
output: {history: {probes: [shaft@0.5], every: 1}, frames: {every: 0}}
"""
# Den Hartog: no stop up to f = V/sqrt(U^2 + 1/beta^4), V = 1/(1 - beta^2), U = sin(pi/beta)/(beta (1 + cos(pi/beta))), at beta = 0.7
BETA = 0.7
LIMIT = 1 / (1 - BETA**2) / math.hypot(math.sin(math.pi / BETA) / (BETA * (1 + math.cos(math.pi / BETA))), 1 / BETA**2)
# The oscillator of configs/impact_oscillator.yaml, from its closed form: frequency, periods, a stable frequency to start from, phase and velocity of the impact, amplitude, multipliers
ONE_IMPACT = (
    (1.0, 1, 1.0, 4.6982003597183315, -1.7004646550504279, 1.075808923832037, (-0.6434799903877568, -0.5306029455439029)),
    (1.1, 1, 1.3, 4.7549701055806795, -1.5506505557572265, 0.9253353888014024, (-1.1108083090757885, -0.32544112033539485)),
    (1.3, 1, 1.3, 4.843454772541851, -1.4849632126992867, 0.8716014168458591, (-0.49397825022877884 + 0.38819258089812353j,)),
    (1.6, 1, 1.6, 5.026136098013216, -1.8642816456414646, 1.2901783489566463, (0.2292311676266181 + 0.6161180828771663j,)),
    (2.0, 1, 2.0, 0.2593985983200313, -3.696982319857731, 3.456070008898322, (0.6834117049553681 + 0.020153505926516043j,)),
    (2.2, 1, 2.2, 1.1953337445665764, -1.1257310878299072, 1.2736463465025998, (0.4608546897237534 + 0.5182795694448784j,)),
    (2.4, 1, 2.4, 1.3862505464291754, -0.4461377008075207, 0.6242042290268901, (-0.35833945975992487 + 0.6034721995043669j,)),
    (2.6, 1, 2.4, 1.4569201251789132, -0.21359688782993466, 0.3787491908632947, (-4.264239596009177, -0.11786540375410315)),
    (3.0, 2, 3.25, 4.966368659124134, -0.4309564737678552, 0.5712859919388058, (-1.6283989610580116, -0.2585248591482632)),
    (3.25, 2, 3.25, 5.060244573821226, -0.586850530907122, 0.6681258460715048, (-0.2055473882989038 + 0.6265121141995682j,)),
    (3.75, 2, 3.75, 5.8155363519609615, -1.4381350279996792, 1.3596822170396383, (0.6244980520538295 + 0.26032922720074214j,)),
    (5.0, 3, 5.0, 5.185142806945612, -0.4752318890062816, 0.4347822379118785, (-0.1869236989600308 + 0.6356490517297781j,)),
    (5.5, 3, 5.0, 5.801245846343964, -0.9102182376587805, 0.8205373320972569, (0.5633483557714412 + 0.370046800425927j,)),
)


def grouped(rows):
    """Multipliers of the last point, largest modulus first, of pairs the upper one."""
    last = rows[-1]["point"]
    return [complex(float(row["re"]), float(row["im"])) for row in rows if row["point"] == last and float(row["im"]) >= 0]


def cubic_oscillator(k, k3, energy):
    """Amplitude and period of x'' + k x + k3 x^3 = 0: T = 4 K(m)/sqrt(k + k3 a^2), m = k3 a^2/(2 (k + k3 a^2)), by the arithmetic-geometric mean."""
    amplitude = math.sqrt((math.sqrt(k * k + 4 * k3 * energy) - k) / k3)
    stiffest = k + k3 * amplitude**2
    a, b = 1.0, math.sqrt(1 - k3 * amplitude**2 / (2 * stiffest))
    for _ in range(8):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return amplitude, 2 * math.pi / a / math.sqrt(stiffest)


class Orbits(OrbitCase):
    def orbit(self, config, *words):
        done = super().orbit(config, *words)
        self.assertEqual(done.stderr, "")
        return done

    def all_near(self, values, expected, relative):
        self.assertEqual(len(values), len(expected), values)
        for value, want in zip(sorted(values), sorted(expected)):
            self.near(value, want, relative)

    def multipliers(self, expected, tolerance):
        got = grouped(self.read("multipliers.csv"))
        for want in expected:
            self.assertLess(min(abs(z - want) for z in got), tolerance, f"{want} is not among {got}")

    def test_orbits_with_one_impact(self):
        """Closed form: the state of an orbit to 1e-9, multipliers to 1e-8."""
        for frequency, times, start, phase, velocity, largest, multipliers in ONE_IMPACT:
            with self.subTest(frequency=frequency, times=times):
                words = ["--set", f"{FREQUENCY}={frequency} rad/s"] if start == frequency else ["--over", f"{FREQUENCY}={start} rad/s:{frequency} rad/s"]
                self.orbit(IMPACT, "--times", str(times), *words)
                event = self.read("orbit_events.csv")
                self.assertEqual([(row["event"], row["contact"]) for row in event], [("closes", "stop")])
                self.near(float(event[0]["phase"]), phase, 1e-9)
                self.near(float(event[0]["velocity_before"]), velocity, 1e-9)
                self.near(float(self.read("branch_probes.csv")[-1]["mass.center.ux.max"]), largest, 1e-6)
                self.multipliers(multipliers, 1e-8)
                point = self.read("branch.csv")[-1]
                self.assertEqual(point["confirmed"], "1")
                self.assertEqual(point["stable"], "1" if all(abs(z) < 1 for z in multipliers) else "0")
                product = math.prod(abs(z) ** (2 if isinstance(z, complex) else 1) for z in grouped_pairs(self.read("multipliers.csv")))
                self.near(product, 0.64 * math.exp(-0.1 * 2 * math.pi * times / frequency), 1e-9)

    def test_bifurcations_of_the_impact_oscillator(self):
        """Flips, fold and grazing to 1e-9, from both sides of 2 rad/s and around the fold of period 2."""
        self.orbit(IMPACT, "--over", f"{FREQUENCY}=2 rad/s:0.97 rad/s")
        self.all_near(self.found("flip"), [1.0482377006829466, 1.1816863883169837], 1e-9)
        self.orbit(IMPACT, "--over", f"{FREQUENCY}=2 rad/s:3.4 rad/s")
        self.all_near(self.found("flip"), [2.4567153560435946], 1e-9)
        self.all_near(self.found("grazing"), [3.315795717103483], 1e-9)
        done = self.orbit(IMPACT, "--times", "2", "--over", f"{FREQUENCY}=3.75 rad/s:5 rad/s")
        self.all_near(self.found("fold"), [3.872908118691948], 1e-9)
        self.assertIn("the end of the range", done.stdout)
        event = self.read("orbit_events.csv")  # the unstable orbit beyond the fold
        self.near(float(event[0]["phase"]), 1.37353252660535, 1e-9)
        self.multipliers((2.3929214772940064, 0.1913013560610537), 1e-8)
        self.orbit(IMPACT, "--times", "3", "--over", f"{FREQUENCY}=5 rad/s:6.5 rad/s")
        self.all_near(self.found("fold"), [5.621826326926437], 1e-9)

    def test_period_doublings(self):
        """The doubled orbits and their bifurcations, by switching at each flip."""
        self.orbit(IMPACT, "--over", f"{FREQUENCY}=2.3 rad/s:3 rad/s", "--switch", "flip_1,flip_2,flip_4")
        rows = self.read("bifurcations.csv")
        by_name = {row["name"]: float(row["parameter"]) for row in rows}
        for name, want in (("flip_1", 2.4567153560435946), ("flip_2", 2.490535863155378), ("flip_4", 2.497255612411083), ("fold_1", 2.747574822834935),
                           ("flip_3", 2.729851854036738), ("grazing_1", 2.64186753438508)):
            self.near(by_name[name], want, 1e-9)
        eight = [float(row["parameter"]) for row in rows if row["branch"] == "4" and row["kind"] == "flip"]
        self.near(eight[0], 2.49854896496116, 1e-7)
        self.assertEqual({row["branch"] for row in self.read("branch.csv")}, {"1", "2", "3", "4"})

    def test_broken_symmetry(self):
        """Between two stops: a symmetric orbit of two impacts loses its symmetry (closed form of its half map: the multiplier -1), and the branch of asymmetric orbits is followed."""
        config = self.config(TWO_STOPS)
        self.orbit(config, "--over", f"{FREQUENCY}=2.2 rad/s:1.2 rad/s", "--switch", "symmetry_1")
        self.all_near(self.found("symmetry"), [1.4742231209041616], 1e-7)
        branch, probes = self.read("branch.csv"), self.read("branch_probes.csv")
        for number, symmetric in (("1", True), ("2", False)):
            last = [float(values["mass.center.vx.max"]) / -float(values["mass.center.vx.min"]) for row, values in zip(branch, probes) if row["branch"] == number][-1]
            self.assertEqual(abs(last - 1) < 1e-6, symmetric, last)
        self.assertTrue(all(row["stable"] == "1" for row in branch if row["branch"] == "2"))

    def test_several_orbits(self):
        """Both attractors of the Duffing oscillator between its folds, from other initial states; each is a branch."""
        words = ("--set", f"{FREQUENCY}=1.6 rad/s", "--set", "scheme.tolerance=1e-9", "--settle", "15", "--starts", "6")
        self.orbit(DUFFING, *words)
        largest = [float(row["mass.center.ux.max"]) for row in self.read("branch_probes.csv")]
        self.all_near(largest, [0.327374632, 2.18149199], 1e-6)
        self.orbit(IMPACT, "--starts", "12", "--over", f"{FREQUENCY}=3.3 rad/s:3.2 rad/s")
        branches = {row["branch"] for row in self.read("branch.csv")}
        self.assertEqual(branches, {str(k + 1) for k in range(len(branches))})
        done = self.percuss(IMPACT, "--starts", "-1")
        self.assertEqual(done.returncode, 2)

    def test_backbone(self):
        """Free orbits over their energy: springs with a gap (closed form of the period at an amplitude), the elliptic integral of the cubic spring, and the mode in antiphase of two masses."""
        config, coarse = self.config(GAP), ("--set", "orbit.step=0.5")
        for sides, period, least in (("tension", 0.5010913372717121, -0.0212132034356), ("both", 0.37386414376754546, -0.015)):
            self.orbit(config, *coarse, "--set", f"springs.stop.law.one_sided.side={sides}", "--over", "energy=0.001 J:0.0225 J")
            self.near(float(self.read("branch.csv")[-1]["period"]), period, 1e-8)
            probes = self.read("branch_probes.csv")[-1]
            self.near(float(probes["mass.center.ux.max"]), 0.015, 1e-8)
            self.near(float(probes["mass.center.ux.min"]), least, 1e-8)
            self.multipliers((1,), 0.03)
            self.assertEqual({row["stable"] for row in self.read("branch.csv")}, {"1"})
        for mass, low, high, period in ((1, 1, 4, 4.71238898038469), (2, 800, 5000, 0.2199114857512855)):  # omega = 2 w1 w2/(w1 + w2), at every energy
            words = ("--set", f"bodies.mass.mass={mass} kg", "--set", f"springs.spring.stiffness={low} N/m", "--set", f"springs.stop.law.one_sided={{gap: 0 mm, stiffness: {high - low} N/m, side: tension}}")
            self.orbit(config, *words, "--set", "orbit.step=1", "--over", "energy=0.5 J:0.52 J")
            self.near(float(self.read("branch.csv")[-1]["period"]), period, 1e-8)
            probes = self.read("branch_probes.csv")[-1]
            self.near(-float(probes["mass.center.ux.max"]) / float(probes["mass.center.ux.min"]), math.sqrt(low / high), 1e-6)
        free = ("--set", "loads={}", "--set", "springs.spring.damping=0 N s/m", "--set", "scheme.tolerance=1e-10")
        self.orbit(DUFFING, *free, *coarse, "--over", "energy=0.01 J:1 J")
        amplitude, period = cubic_oscillator(1, 0.5, 1)
        self.near(float(self.read("branch_probes.csv")[-1]["mass.center.ux.max"]), amplitude, 1e-7)
        self.near(float(self.read("branch.csv")[-1]["period"]), period, 1e-8)
        self.orbit(self.config(COUPLED), *coarse, "--over", "energy.2=0.01 J:0.5 J")  # in antiphase each mass has 100 + 2 * 100 N/m and 8 times the cubic coefficient, and half of the energy
        amplitude, period = cubic_oscillator(300, 8 * 5000, 0.25)
        self.near(float(self.read("branch_probes.csv")[-1]["a.center.ux.max"]), amplitude, 1e-7)
        self.near(float(self.read("branch_probes.csv")[-1]["b.center.ux.max"]), amplitude, 1e-7)
        self.near(float(self.read("branch.csv")[-1]["period"]), period, 1e-7)
        for words, code, message in (
            ((DUFFING, "--over", "energy=0.01 J:1 J"), 2, "it has loads that change with time"),
            ((DUFFING, "--set", "loads={}", "--over", "energy=0.01 J:1 J"), 1, "in a period: backbone curves are those of the model without damping"),
            ((DUFFING, "--over", "energy=0.01 m:1 m"), 2, "two positive numbers in J"),
            ((DUFFING, "--over", "energy.x=0.01 J:1 J"), 2, "for mode 2, `energy.2`"),
            ((DUFFING, *free, "--over", "energy.2=0.01 J:1 J"), 1, "the model has no vibration mode 2 at rest"),
            ((DUFFING, *free, "--times", "2", "--over", "energy=0.01 J:1 J"), 2, "cannot be combined with `circular`"),
        ):
            with self.subTest(message=message):
                done = self.percuss(*words)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.returncode, code)

    def test_windows_of_shaw_and_holmes(self):
        """Without gap and damping: flips of orbits over 1, 2 and 3 periods, to 1e-9."""
        words = ("--set", "springs.spring.damping=0 N s/m", "--set", "contacts.stop.between.1.plane.point=[0, 0, 0]")
        for times, start, ends in ((1, 1.8, (1.2, 2.7)), (2, 4.1, (3.3, 4.7)), (3, 6.1, (5.3, 6.7))):
            flips = []
            for end in ends:
                self.orbit(IMPACT, *words, "--times", str(times), "--over", f"{FREQUENCY}={start} rad/s:{end} rad/s")
                flips += self.found("flip")
            self.all_near(flips, {1: (1.2606766415488824, 2.653347727855323), 2: (3.3531781877778366, 4.64183675436613), 3: (5.3594879531484105, 6.63914204643116)}[times], 1e-9)

    def test_two_masses(self):
        """Two degrees of freedom: orbits, flips and a Neimark-Sacker point."""
        config = self.config(TWO_MASSES)
        self.orbit(config, "--over", f"{FREQUENCY}=12 rad/s:8.6 rad/s")
        torus = [row for row in self.read("bifurcations.csv") if row["kind"] == "torus"]
        self.near(float(torus[0]["parameter"]), 9.095009861154841, 1e-9)
        self.near(float(torus[0]["angle"]) * 180 / math.pi, 77.26103850332524, 1e-7)
        self.orbit(config, "--over", f"{FREQUENCY}=12 rad/s:16 rad/s")
        self.all_near(self.found("flip"), [15.094124489700475], 1e-9)
        self.near(float(self.read("orbit_events.csv")[0]["phase"]), 1.849741195078297, 1e-9)
        self.multipliers((-1.769134953682524, 0.6807492082252903 + 0.4024527122203202j, -0.2764581192660308), 1e-7)
        self.orbit(config, "--over", f"{FREQUENCY}=7 rad/s:6 rad/s")
        self.all_near(self.found("flip"), [6.97061768617348], 1e-9)
        self.multipliers((0.21292194107310153 + 0.5873499324894639j, -0.5395116709644279 + 0.2573407901304895j), 1e-8)

    def test_beam_on_stop(self):
        """A cantilever that rests on a stop at its tip, at its superharmonic resonance: contact without mass, 12 modes. Independent computation with the modes of the continuous beam."""
        config = self.config(BEAM)
        for frequency, largest in ((36, 0.00030178), (40, 0.000342096)):
            self.orbit(config, "--set", f"{FREQUENCY}={frequency} Hz", "--settle", "10")
            self.near(float(self.read("branch_probes.csv")[0]["beam.right.uy.max"]), largest, 1e-3)
        self.assertLess(abs(float(self.read("branch.csv")[0]["modulus"]) - 0.601), 0.02)
        self.assertTrue(all(row["event"] in ("closes", "opens") for row in self.read("orbit_events.csv")))
        there = self.read("branch_probes.csv")[0]["beam.right.uy.max"]  # the branch comes to the same orbit, through changes of its sequence
        self.orbit(config, "--over", f"{FREQUENCY}=36 Hz:40 Hz", "--settle", "10")
        self.near(float(self.read("branch_probes.csv")[-1]["beam.right.uy.max"]), float(there), 1e-7)

    def test_partial_rub(self):
        """A rotor of 20 elements that touches a pad once a turn: the orbit is the motion on which a run settles; flips and tori along the branch."""
        config = self.config(PARTIAL_RUB)
        self.orbit(config)
        probes, point = self.read("branch_probes.csv")[0], self.read("branch.csv")[0]
        self.assertEqual((point["stable"], point["confirmed"]), ("1", "1"))
        self.assertEqual([row["event"] for row in self.read("orbit_events.csv")], ["closes", "opens"])
        self.assertTrue(0 < float(point["contact_share"]) < 0.5)
        run = os.path.join(self.folder, "run")
        done = subprocess.run([PERCUSS, "run", config, "--quiet", "--out", run], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = [float(row["shaft@0.5.uz"]) for row in table(os.path.join(run, "history.csv")) if float(row["time"]) > 1 - 60 / 3600]
        self.near(max(last), float(probes["shaft@0.5.uz.max"]), 1e-3)
        self.near(min(last), float(probes["shaft@0.5.uz.min"]), 1e-3)

    def test_ball_on_a_table(self):
        """In the frame of a vibrating table, closed form: orbit at the middle of its window, lower end (fold), first and second flip over the amplitude."""
        config, key = self.config(BALL), "loads.table.force.2"
        self.orbit(config)
        event = self.read("orbit_events.csv")[0]
        self.near(float(event["phase"]), 0.6690143420542608, 1e-7)
        self.near(float(event["velocity_before"]), -0.327, 1e-9)
        self.multipliers((-0.30646388679548664 + 0.3950694699545931j,), 1e-7)
        self.orbit(config, "--over", f"{key}=13.1 N:16.8 N", "--switch", "flip_1")
        self.all_near(self.found("flip"), [9.81 * 1.5268237005190608, 9.81 * 1.6671306607221665], 1e-9)
        self.orbit(config, "--over", f"{key}=13.1 N:10 N")
        self.all_near(self.found("fold"), [9.81 * 1.0471975511965976], 1e-9)

    def test_probes_where_supports_move(self):
        """A clamp that moves by 1 mm: it is recorded, and a point beside it moves with it (1.043 mm at 20 Hz, also by moreau_jean)."""
        self.orbit(self.config("bodies: {beam: {type: beam, dimension: 2, mesh: {line: {from: [0, 0, 0], to: [0.4 m, 0, 0], elements: 4}}, material: {density: 7800 kg/m^3, young: 210 GPa}, "
                               "section: {rectangle: {width: 20 mm, height: 5 mm}}, mass: lumped, damping: {rayleigh: {stiffness: 200 us}}}}\n"
                               "supports: {clamp: {at: beam.left, motion: [{displacement: [0, 1 mm, 0], time: {harmonic: {frequency: 20 Hz}}}]}}\n"
                               "scheme: {type: event_driven_hem5, step: 1 us}\ntime: {end: 0.5 s}\noutput: {history: {probes: [beam.left, beam@0.1]}}\n"), "--settle", "0")
        rows = self.read("orbit.csv")
        self.near(max(float(row["beam.left.uy.value"]) for row in rows), 1e-3, 1e-3)
        self.near(max(float(row["beam@0.1.uy.value"]) for row in rows), 1.0430408e-3, 1e-3)

    def test_dry_friction(self):
        """Den Hartog's closed form without stops; with stops, times of sticking and multipliers. What is held has the multiplier 0."""
        for beta, f, amplitude, stick, multiplier in ((0.7, 0.3, 1.8856998504142541, None, -0.4533657390291642 + 0.233145141070529j),
                                                      (0.8, 0.5, 2.332234987541365, None, 0.06296315889790668 + 0.49415568824970607j),
                                                      (1.3, 0.3, 1.315348196714902, None, 0.10771454776443395 + 0.7545323612660612j),
                                                      (0.45, 0.45, 1.2131028457346695, 1.6971151666572144, 0.2928513429896255),
                                                      (0.3, 0.3, 0.8763085941679227, 4.916254522295797, 0.557804302787254),
                                                      (0.3, 0.6, 0.7802545334038725, 5.454158952811634, 0.09042108686216703)):
            with self.subTest(beta=beta, f=f):
                self.orbit(FRICTION, "--set", f"{FREQUENCY}={beta} rad/s", "--set", f"contacts.floor.friction={f}")
                row = self.read("branch_probes.csv")[0]
                self.near(float(row["mass.center.ux.max"]), amplitude, 1e-6)
                self.near(float(row["mass.center.ux.min"]), -amplitude, 1e-6)
                self.multipliers((multiplier, 0), 1e-8)
                events = self.read("orbit_events.csv")
                if stick is None:
                    self.assertEqual([row["event"] for row in events], ["stops"] * 2)
                    continue
                self.assertEqual(sorted(row["event"] for row in events), ["slips"] * 2 + ["stops"] * 2)
                times = [float(row["time"]) for row in events]
                period = 2 * math.pi / beta
                for k, row in enumerate(events):
                    if row["event"] == "stops":
                        self.near((times[(k + 1) % 4] - times[k]) % period, stick, 1e-8)

    def test_stick_slip_on_a_belt(self):
        """Stribeck friction and a static coefficient above the kinetic one: period, extremes of the motion; sticking forgets its state. Unknown period."""
        config = self.config(BELT)
        for speed, period, most, least in ((0.1, 0.7815794159094052, 0.047523470863188574, 0.006587795456509018), (0.3, 0.6502086995402896, 0.06389157419414815, -0.0108327954914445),
                                           (0.5, 0.6333709042454307, 0.08137198590079131, -0.027105148929168307)):
            self.orbit(config, "--set", f"parameters.belt={speed} m/s")
            self.near(float(self.read("branch.csv")[0]["period"]), period, 1e-6)
            probes = self.read("branch_probes.csv")[0]
            self.assertLess(abs(float(probes["mass.center.ux.max"]) - most), 1e-6 * most)
            self.assertLess(abs(float(probes["mass.center.ux.min"]) - least), 1e-6 * most)
            self.assertEqual(self.read("branch.csv")[0]["stable"], "1")
            self.multipliers((1, 0), 1e-6)
        two_levels = ("--set", "contacts.belt.friction={static_kinetic: {static: 0.4, kinetic: 0.25}}", "--set", "springs.spring.damping=0 N s/m")
        self.orbit(config, *two_levels)
        self.near(float(self.read("branch.csv")[0]["period"]), 0.7317597860684928, 1e-6)
        self.near(float(self.read("branch_probes.csv")[0]["mass.center.ux.max"]), 0.04302775637731995, 1e-6)

    def test_end_of_stick_slip(self):
        """Over the speed of the belt, stick-slip ends where it meets the unstable cycle of pure slip."""
        self.orbit(self.config(BELT), "--over", "parameters.belt=0.795 m/s:0.81 m/s", "--set", "scheme.tolerance=1e-9")
        self.near(float(self.read("branch.csv")[-1]["parameter"]), 0.8020201684628625, 1e-5)

    def test_limit_of_sticking(self):
        """Over the friction the orbit begins to stick where Den Hartog's limit is: a sliding point, and the branch goes on with the new sequence."""
        self.orbit(FRICTION, "--set", f"{FREQUENCY}=0.7 rad/s", "--over", "contacts.floor.friction=0.6:0.8")
        self.assertLess(abs(self.found("sliding")[0] - LIMIT), 1e-9)
        self.assertEqual(float(self.read("branch.csv")[-1]["parameter"]), 0.8)
        self.orbit(FRICTION, "--set", f"{FREQUENCY}=0.7 rad/s", "--over", "contacts.floor.friction=0.8:0.6")
        self.assertLess(abs(self.found("sliding")[0] - LIMIT), 1e-9)
        self.assertEqual(float(self.read("branch.csv")[-1]["parameter"]), 0.6)

    def test_duffing(self):
        """A cubic spring: both folds of the frequency response and orbits between them, stable and unstable, against independent shooting and harmonic balance with 25 harmonics."""
        self.orbit(DUFFING, "--settle", "40", "--set", f"{FREQUENCY}=0.6 rad/s", "--set", "scheme.tolerance=1e-10")
        self.multipliers((0.4493459602253762 + 0.3860155634265529j,), 1e-6)
        self.near(float(self.read("branch_probes.csv")[0]["mass.center.ux.max"]), 0.6454194009352342, 1e-6)
        self.orbit(DUFFING, "--over", f"{FREQUENCY}=1.3 rad/s:2 rad/s")
        self.all_near(self.found("fold"), [1.9045837504642817, 1.3579379987224234], 1e-7)
        there = [row["mark"] for row in self.read("branch.csv")]
        for fold, largest in (("fold_1", 2.685134316978416), ("fold_2", 0.8839693170240134)):
            self.near(float(self.read("branch_probes.csv")[there.index(fold)]["mass.center.ux.max"]), largest, 1e-3)

    def test_simulated_motion_is_the_exact_one(self):
        """The impact oscillator with a spring that is hardly nonlinear: motion by simulation, multipliers with saltation by differences."""
        words = ("--set", "springs.spring.law={cubic: {coefficient: 1e-13 N/m^3, travel: 5 m}}", "--settle", "30")
        self.orbit(IMPACT, *words)
        self.multipliers((0.4608546897237534 + 0.5182795694448784j,), 1e-7)
        self.assertEqual(self.read("branch.csv")[0]["impacts"], "1")
        self.near(float(self.read("branch_probes.csv")[0]["mass.center.ux.min"]), -0.1, 1e-8)
        self.near(float(self.read("branch_probes.csv")[0]["mass.center.ux.max"]), 1.2736463465025998, 1e-6)
        self.orbit(IMPACT, *words, "--over", f"{FREQUENCY}=2.4 rad/s:2.47 rad/s", "--set", "orbit.step=0.5")
        self.near(self.found("flip")[0], 2.4567153560435946, 1e-7)

    def test_lasting_rub(self):
        """A disc that stays on a ring: multipliers by differences of simulations that begin in contact are those of the equilibrium in the turning frame."""
        config = self.config("""
bodies:
  disc: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: disc.center, fix: [x, rotations]}
bearings:
  seal: {between: [disc.center, ground], stiffness: [10 kN/m, 10 kN/m], damping: [20 N s/m, 20 N s/m]}
loads:
  a: {at: disc.center, force: [0, 10 N, 0], time: {harmonic: {frequency: 150 rad/s, phase: 90 deg}}}
  b: {at: disc.center, force: [0, 0, 10 N], time: {harmonic: {frequency: 150 rad/s}}}
contacts:
  ring: {between: [disc.center, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 1 mm, side: inside}}], restitution: 0.5}
scheme: {type: event_driven_hem5, step: 1 ms, tolerance: 1e-9}
time: {end: 2 s}
""")
        self.orbit(config, "--settle", "20", "--set", "orbit.circular=true", "--set", "loads.a.time.harmonic.frequency=120 rad/s", "--set", "loads.b.time.harmonic.frequency=120 rad/s")
        circle = grouped(self.read("multipliers.csv"))
        self.orbit(config, "--settle", "20", "--set", "loads.a.time.harmonic.frequency=120 rad/s", "--set", "loads.b.time.harmonic.frequency=120 rad/s")
        self.assertGreater(abs(circle[0]), 0.05)
        self.multipliers((circle[0], 0), 1e-5)
        self.near(float(self.read("branch_probes.csv")[0]["disc.center.uy.max"]), 1e-3, 1e-5)

    def test_unknown_period(self):
        """A disc that whirls because of cross-coupled stiffness and hits a wall: the period and the impact are those of a run, det M = e^2 exp(-2 c T/m), and one multiplier is 1."""
        config = WHIRL
        self.orbit(config)
        point, event = self.read("branch.csv")[0], self.read("orbit_events.csv")
        period = float(point["period"])
        self.assertEqual((point["stable"], point["confirmed"], len(event)), ("1", "1", 1))
        z = [complex(float(row["re"]), float(row["im"])) for row in self.read("multipliers.csv")]
        self.assertLess(min(abs(one - 1) for one in z), 1e-9)
        self.near(math.prod(z).real, 0.25 * math.exp(-40 * period), 1e-9)
        done = subprocess.run([PERCUSS, "run", config, "--quiet", "--overwrite", "--out", os.path.join(self.folder, "run")], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        hits = [row for row in table(os.path.join(self.folder, "run", "events.csv")) if row["event"] == "impact"][-2:]
        self.near(float(hits[1]["time"]) - float(hits[0]["time"]), period, 1e-8)
        self.orbit(config, "--over", "contacts.wall.restitution=0.5:0.9")
        last = self.read("branch.csv")[-1]
        self.assertEqual((float(last["parameter"]), last["stable"]), (0.9, "1"))
        z = [complex(float(row["re"]), float(row["im"])) for row in self.read("multipliers.csv")][-4:]
        self.near(math.prod(z).real, 0.81 * math.exp(-40 * float(last["period"])), 1e-9)
        done = self.percuss(config, "--times", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no periods of the forcing to count", done.stderr)

    def test_switching_of_self_excited_orbits(self):
        """Unknown period: at a flip the doubled orbit begins with twice the period; between two walls the symmetric whirl loses its symmetry where a second multiplier is 1."""
        self.orbit(WHIRL, "--over", "bearings.seal.stiffness.0=10 kN/m:10.9 kN/m", "--switch", "flip_1")
        rows = self.read("branch.csv")
        first, other = [float(row["period"]) for row in rows if row["mark"] == "flip_1"][0], [row for row in rows if row["branch"] == "2"]
        self.near(float(other[0]["period"]), 2 * first, 1e-3)
        self.assertEqual({(row["impacts"], row["confirmed"], row["stable"]) for row in other[:-1]}, {("2", "1", "0")})
        self.assertEqual(other[-1]["mark"], "grazing_1")  # the flip is subcritical: the doubled orbit is unstable, and ends where one of its impacts grazes
        with open(WHIRL, encoding="utf-8") as file:
            walls = file.read().replace("\nscheme:", "\n  other: {between: [disc.center, {plane: {point: [0, 1 mm, 0], normal: [0, -1, 0]}}], restitution: 0.5}\nscheme:")
        self.orbit(self.config(walls), "--over", "bearings.seal.damping=20 N s/m:21.85 N s/m", "--switch", "symmetry_1")
        rows, probes = self.read("branch.csv"), self.read("branch_probes.csv")
        z = [complex(float(row["re"]), float(row["im"])) for row in self.read("multipliers.csv") if row["point"] == [row["point"] for row in rows if row["mark"] == "symmetry_1"][0]]
        self.assertLess(sorted(abs(one - 1) for one in z)[1], 1e-5)
        for number, symmetric in (("1", True), ("2", False)):
            last = [float(values["disc.center.vy.max"]) / -float(values["disc.center.vy.min"]) for row, values in zip(rows, probes) if row["branch"] == number][-1]
            self.assertEqual(abs(last - 1) < 1e-6, symmetric, last)

    def test_refusals(self):
        """What cannot be computed is refused with its reason, before anything is written."""
        for words, message in (
            (("--set", "scheme={type: moreau_jean, step: 1 ms}"), "scheme 'moreau_jean' does not meet events"),
            (("--set", "springs.spring.law={cubic: {coefficient: 1 N/m^3, travel: 2 m}}", "--set", "scheme.tolerance=1e-5"), "give the scheme a tolerance of at most 1e-07"),
            (("--set", "loads.shaker.time={burst: {frequency: 1 Hz, cycles: 3}}"), "its loads"),
            (("--over", FREQUENCY), "--over: expected KEY=FROM:TO"),
            (("--over", FREQUENCY + "=1 Hz:2 rad/s"), "two units"),
            (("--over", FREQUENCY + "=a:b"), "needs two numbers"),
        ):
            with self.subTest(message=message):
                done = self.percuss(IMPACT, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertFalse(os.path.exists(self.out))

    def test_resume(self):
        """A computation that is stopped and continued has the tables of one that was not, byte for byte; twice, and with a switch."""
        words = (IMPACT, "--over", f"{FREQUENCY}=2.2 rad/s:2.75 rad/s", "--points", "3000", "--set", "orbit.step=0.001", "--switch", "flip_1")
        self.orbit(*words)
        tables = ("branch.csv", "branch_probes.csv", "multipliers.csv", "bifurcations.csv", "orbit.csv", "orbit_events.csv")
        want = {}
        for name in tables:
            with open(os.path.join(self.out, name), "rb") as file:
                want[name] = file.read()
        shutil.rmtree(self.out)
        stops = 0
        for wait in (0.15, 0.3, 0.6, None):
            process = subprocess.Popen([PERCUSS, "orbit", *words, "--out", self.out, "--resume"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(600):
                if wait is None or os.path.exists(os.path.join(self.out, "status.json")) or os.path.exists(os.path.join(self.out, "run.json")):
                    break
                time.sleep(0.02)
            if wait is not None:
                time.sleep(wait)
                process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=300)
            self.assertIn(process.returncode, (0, 3, -signal.SIGINT), errors)  # the last: before it listens
            if process.returncode == 3 and "--resume continues" in errors:
                stops += 1
                self.assertTrue(os.path.exists(os.path.join(self.out, "orbit.checkpoint")))
        self.assertGreater(stops, 0)
        for name in tables:
            with open(os.path.join(self.out, name), "rb") as file:
                self.assertEqual(file.read(), want[name], name)
        self.assertFalse(os.path.exists(os.path.join(self.out, "orbit.checkpoint")))
        done = subprocess.run([PERCUSS, "orbit", *words, "--out", self.out, "--resume"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing to continue", done.stdout)
        done = subprocess.run([PERCUSS, "orbit", *words, "--set", "springs.spring.damping=0.2 N s/m", "--out", self.out, "--resume"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn("belong to another config or other options", done.stderr)

    def stopped(self, number, *words, ends=""):
        """A computation that is stopped once its directory is there: what it says, and its run.json."""
        shutil.rmtree(self.out, ignore_errors=True)
        process = subprocess.Popen([PERCUSS, "orbit", IMPACT, "--out", self.out, "--overwrite", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if os.path.exists(os.path.join(self.out, "run.json")):
                break
            time.sleep(0.05)
        time.sleep(0.2)
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, errors), (3, f"percuss orbit: stopped by a signal; the results so far are written{ends}\n"))
        with open(os.path.join(self.out, "run.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["exit_status"], "stopped")

    def test_signals_stop_it(self):
        """While it simulates the first periods, and along a branch, whose points until then are kept."""
        self.stopped(signal.SIGINT, "--set", "orbit.settle=100000", "--set", f"{FREQUENCY}=2.1 rad/s")
        self.stopped(signal.SIGTERM, "--over", f"{FREQUENCY}=2.2 rad/s:3.3 rad/s", "--points", "100000", "--set", "orbit.step=1e-6", ends=", and --resume continues from there")
        self.assertGreater(len(self.read("branch.csv")), 0)

    def test_a_key_that_changes_nothing(self):
        done = self.percuss(IMPACT, "--over", "time.end=1 s:2 s", "--points", "3")
        self.assertEqual((done.returncode, done.stderr), (0, "percuss orbit: warning: the orbits are the same for all values of 'time.end': they do not depend on it\n"))

    def starts_on(self, config, within, *words):
        """A run that starts on the orbit repeats it: three periods, and the state after each."""
        self.orbit(config, "--quiet", *words)
        period = self.read("branch.csv")[-1]["period"]
        states = self.read("orbit_state.csv")
        run = os.path.join(self.folder, "run")
        done = subprocess.run([PERCUSS, "run", config, *words, "--out", run, "--overwrite", "--quiet", "--set", f"start={{from: {self.out}}}", "--set", f"time.end={3 * float(period)!r} s"],
                              capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [{name: float(value) for name, value in row.items()} for row in table(os.path.join(run, "history.csv"))]
        for name in rows[0]:
            largest = max(abs(row[name]) for row in rows)
            if name != "time":
                self.assertLessEqual(abs(rows[-1][name] - rows[0][name]), within * largest, name)
        with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
            self.assertIn("orbit_state.csv", file.read())
        return states, run

    def test_runs_start_on_orbits(self):
        """Impacts, stick-slip, nonlinear, of unknown period, modal coordinates (within the error of its step)."""
        states, run = self.starts_on(IMPACT, 1e-10)
        self.assertEqual([row["coordinate"] for row in states], ["mass at (0, 0, 0) m, displacement along (1, 0, 0)"])
        impacts = [row for row in table(os.path.join(run, "events.csv")) if row["event"] == "impact"]
        self.assertEqual(len(impacts), 3)
        self.starts_on(FRICTION, 1e-10)
        self.starts_on(DUFFING, 1e-8)
        self.starts_on(WHIRL, 1e-8)
        self.starts_on(self.config(BEAM), 3e-3)

    def test_start_on_an_orbit_is_refused(self):
        beam = self.config(BEAM)
        self.orbit(beam, "--quiet", "--over", f"{FREQUENCY}=40 Hz:41 Hz", "--points", "3")
        words = ["check", beam, "--set", f"start={{from: {self.out}}}"]
        done = subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=60)
        self.assertIn("that of scheme `modal` over a key is not kept", done.stderr)
        self.orbit(beam, "--quiet")
        for more, why in ((["--set", "start.at=1 s"], "an orbit gives the state at the beginning of its forcing: `at` is for runs"),
                          (["--set", "bodies.beam.mesh.line.elements=12"], "the degrees of freedom differ")):
            done = subprocess.run([PERCUSS, *words, *more], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        state = os.path.join(self.out, "orbit_state.csv")
        with open(state, encoding="utf-8") as file:
            text = file.read()
        for damage in (text.replace(",", ";"), text[: len(text) // 2].rsplit(",", 1)[0], re.sub(r",[^,]*\n$", ",nan\n", text)):
            with open(state, "w", encoding="utf-8") as file:
                file.write(damage)
            done = subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn("orbit_state.csv is damaged", done.stderr)

    def test_switch_needs_a_branch(self):
        done = self.percuss(IMPACT, "--switch", "flip_1")
        self.assertEqual((done.returncode, done.stderr), (2, "percuss orbit: --switch needs a branch: give a key and its range with --over\n"))
        done = self.percuss(IMPACT, "--set", "orbit.switch=[flip_1]")
        self.assertEqual((done.returncode, done.stderr), (2, "percuss orbit: orbit.switch needs a branch: give a key and its range with orbit.over\n"))

    def test_failures(self):
        """No orbit, no such bifurcation: an error, with what to do."""
        done = self.percuss(IMPACT, "--over", f"{FREQUENCY}=2 rad/s:2.1 rad/s", "--switch", "flip_1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--switch: flip_1: no bifurcation of this name", done.stderr)
        done = self.percuss(self.config(TWO_MASSES.replace(", time: {harmonic: {frequency: 12 rad/s}}", "")))
        self.assertEqual(done.returncode, 1)
        self.assertIn("it has no periodic load", done.stderr)

    def test_figure(self):
        self.orbit(IMPACT, "--over", f"{FREQUENCY}=2.3 rad/s:2.7 rad/s", "--switch", "flip_1", "--set", "output.frames.every=1")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "postprocess/orbit.py"), self.out], capture_output=True, text=True, timeout=300, env=dict(os.environ, MPLBACKEND="Agg"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(os.path.getsize(os.path.join(self.out, "figures", "branch.png")), 10000)
        frames = sorted(name for name in os.listdir(os.path.join(self.out, "frames")) if name.startswith("impact_oscillator"))
        self.assertEqual(len(frames), 41)
        done = subprocess.run([sys.executable, os.path.join(ROOT, "postprocess/report.py"), self.out], capture_output=True, text=True, timeout=300, env=dict(os.environ, MPLBACKEND="Agg"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            page = file.read()
        for text in ("Branches", "Bifurcations", "Last orbit", "flip_1", "2.4567", "Floquet multipliers", "closes"):
            self.assertIn(text, page)
        self.assertNotIn("This section failed", page)


def grouped_pairs(rows):
    """Each pair once, as complex; real ones as float."""
    return [z if z.imag > 0 else z.real for z in grouped(rows)]


if __name__ == "__main__":
    unittest.main()
