#!/usr/bin/python3
"""`percuss orbit` of circular whirl (orbit.circular): rub all around elastic and rigid rings, dry whip, self-excited whirl, against closed forms. Usage: test_orbit_circular.py PERCUSS"""
import cmath
import math
import os
import shutil
import subprocess
import unittest

from orbits import OrbitCase
from tested import PERCUSS, ROOT

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
ROTOR = os.path.join(ROOT, "configs/rotor_annular_rub.yaml")
SPIN = "bodies.shaft.spin"
# The first node of the shaft carries the disc; the beam is nothing, the stiffness is that of the bearing `shaft`
JEFFCOTT = """
title: Jeffcott rotor in an elastic ring
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.1 m, 0, 0], elements: 1}}
    material: {density: 1e-9 kg/m^3, young: 1 Pa, poisson: 0.3}
    section: {circle: {radius: 20 mm}}
    spin: 120 rad/s
supports:
  guide: {at: shaft.all, fix: [x, rotations]}
  end: {at: shaft.right, fix: all}
discs:
  disc: {at: shaft.left, mass: 1 kg, polar_inertia: 1e-3 kg m^2, diametral_inertia: 1e-3 kg m^2}
unbalances:
  disc: {at: shaft.left, mass_eccentricity: 5e-4 kg m}
bearings:
  shaft: {between: [shaft.left, ground], stiffness: 10 kN/m, damping: 20 N s/m}
  ring: {between: [shaft.left, ground], ring: {gap: 1 mm, stiffness: 20 kN/m, friction: 0.1, radius: 20 mm}}
scheme: {type: moreau_jean, step: 50 us}
time: {end: 1 s}
orbit: {circular: true}
"""
RIGID = """
parameters: {speed: 80 rad/s}
bodies:
  disc: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: disc.center, fix: [x, rotations]}
bearings:
  shaft: {between: [disc.center, ground], stiffness: 10 kN/m, damping: 40 N s/m}
loads:
  a: {at: disc.center, force: [0, "${5e-4 kg m/rad^2 * speed^2}", 0], time: {harmonic: {frequency: $speed, phase: 90 deg}}}
  b: {at: disc.center, force: [0, 0, "${5e-4 kg m/rad^2 * speed^2}"], time: {harmonic: {frequency: $speed}}}
contacts:
  ring: {between: [disc.center, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 1 mm, side: inside, spin: -10000 rad/s}}], friction: 0.1}
scheme: {type: half_explicit, step: 20 us}
time: {end: 0.5 s}
orbit: {circular: true}
"""
WHIRL = """
parameters: {cross: 3000 N/m}
bodies:
  disc: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2], initial: {velocity: [0, 0.1 m/s, 0]}}
supports:
  guide: {at: disc.center, fix: [x, rotations]}
bearings:
  seal: {between: [disc.center, ground], stiffness: [10 kN/m, $cross, "${-cross}", 10 kN/m], damping: 20 N s/m}
  stop: {between: [ground, disc.center], cubic: {coefficient: 1e10 N/m^3, travel: 2 mm}}
scheme: {type: moreau_jean, step: 0.1 ms}
time: {end: 2 s}
orbit: {circular: true}
"""
SHAFT = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.6 m, 0, 0], elements: 20}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {circle: {radius: 10 mm}}
    damping: {rayleigh: {mass: 30 1/s}}
    spin: 2000 rpm
discs:
  wheel: {at: shaft@0.5, shape: {outer_radius: 60 mm, thickness: 20 mm, density: 7850 kg/m^3}}
unbalances:
  wheel: {at: shaft@0.5, mass_eccentricity: 1e-4 kg m}
bearings:
  left: {between: [shaft.left, ground], stiffness: 5 MN/m, damping: 50 N s/m}
  right: {between: [shaft.right, ground], stiffness: 5 MN/m, damping: 50 N s/m}
contacts:
  ring: {between: [{node: shaft@0.5, radius: 10 mm}, {cylinder: {center: [0.3 m, 0, 0], axis: [1, 0, 0], radius: 10.2 mm, side: inside}}], friction: 0.1}
scheme: {type: half_explicit, step: 1 us}
time: {end: 0.1 s}
orbit: {circular: true}
output: {history: {probes: [shaft@0.5]}}
"""



class Circles(OrbitCase):
    def multipliers(self, expected, tolerance):
        """Of the last point."""
        rows = self.read("multipliers.csv")
        got = [complex(float(row["re"]), float(row["im"])) for row in rows if row["point"] == rows[-1]["point"]]
        for want in expected:
            self.assertLess(min(abs(z - want) for z in got), tolerance, f"{want} is not among {got}")

    def radius(self, column):
        return float(self.read("branch_probes.csv")[-1][column + ".max"])

    def test_rub_in_an_elastic_ring(self):
        """Closed form of full annular rub, its fold and the loss of contact; multipliers over one turn from eigenvalues in the rotating frame."""
        for stiffness, speed, radius, multipliers in (
                (20, 90, 0.0010720865319195643, (-0.42583215171991845 + 0.4711344275708914j, -0.2955749986568506 + 0.25406183873748733j)),
                (20, 120, 0.0016091156837642368, (-0.1900719215826535 + 0.7218143476891983j, 0.11923557410366688 + 0.454765517123599j)),
                (20, 150, 0.0026498587424068814, (0.7115786179550735 + 0.3892743841678462j, 0.6115916265348934, 0.4652916630204805)),
                (100, 100, 0.0010431948738497292, (0.04289461861280678 + 0.854900095756055j, -0.32581531335940533 + 0.06632365169817585j)),
                (100, 150, 0.0012497831581580515, (0.5364597021252829 + 0.8498396408034007j, -0.3450768221470697 + 0.25744306282226825j))):
            with self.subTest(stiffness=stiffness, speed=speed):
                self.orbit(self.config(JEFFCOTT), "--set", f"bearings.ring.ring.stiffness={stiffness} kN/m", "--over", f"{SPIN}=80 rad/s:{speed} rad/s")
                self.near(self.radius("shaft.left.uy"), radius, 1e-6)
                self.multipliers(multipliers, 1e-5)
                self.assertEqual(self.read("branch.csv")[-1]["stable"], "1" if all(abs(z) < 1 for z in multipliers) else "0")

    def test_branches_in_an_elastic_ring(self):
        """Folds, the Neimark-Sacker point with its angle, and the closed form at every point, stable or not."""
        c, k, gap, mu, u = 20, 1e4, 1e-3, 0.1, 5e-4
        for ks, fold, torus in ((2e4, 156.7370583400087, None), (1e5, 287.63580593243535, 147.24920646604198)):
            self.orbit(self.config(JEFFCOTT), "--set", f"bearings.ring.ring.stiffness={ks} N/m", "--over", f"{SPIN}=80 rad/s:300 rad/s", "--points", "1000")
            self.near(self.found("fold")[0], fold, 1e-6)
            if torus:
                row = next(row for row in self.read("bifurcations.csv") if row["kind"] == "torus")
                self.near(float(row["parameter"]), torus, 1e-6)
                turn = 422.8497910951266 / torus * 2 * math.pi  # angle of the multipliers, that between 0 and pi
                self.assertLess(abs(float(row["angle"]) - math.acos(math.cos(turn))), 1e-5)
            touching = 0
            for row, values in zip(self.read("branch.csv"), self.read("branch_probes.csv")):
                W, R = float(row["parameter"]), float(values["shaft.left.uy.max"])
                inner = complex(k - W**2 + ks, c * W + mu * ks) * R - complex(1, mu) * ks * gap if R > gap else complex(k - W**2, c * W) * R
                self.near(abs(inner), u * W**2, 1e-6)
                touching += R > gap
            self.assertGreater(touching, 30)

    def test_dry_whip(self):
        """Backward whirl kept up by friction alone, an unstable orbit of unknown period: Newton's method from initial values near it."""
        self.orbit(self.config(JEFFCOTT), "--set", "bearings.ring.ring.stiffness=100 kN/m", "--set", "unbalances={}", "--set", f"{SPIN}=2000 rad/s", "--set", "time.end=20 us", "--set", "scheme.step=10 us",
                   "--set", "bodies.shaft.initial={displacement: [0, 1.95 mm, 0], velocity: [0, 0, -0.48 m/s]}")
        self.near(float(self.read("branch.csv")[0]["period"]), 2 * math.pi / 241.4213562373095, 1e-6)
        self.near(self.radius("shaft.left.uy"), 0.0019336477008475338, 1e-6)
        self.multipliers((0.13418590308863768 + 0.5394480935738881j, 1.1426488063967508, 1), 1e-5)
        self.assertEqual(self.read("branch.csv")[0]["stable"], "0")

    def test_whirl_in_a_cubic_bearing(self):
        """Closed form: omega = k_c/c, R^2 = (m omega^2 - k)/k3, and the Hopf point k_c = c sqrt(k/m)."""
        for cross, radius, multipliers in ((2200, 0.000458257569495584, (1, 0.9133520908048771, 0.28801348924432507 + 0.16882025927788266j)),
                                           (3000, 0.001118033988749895, (1, 0.8338233592775779, -0.029937895212698552 + 0.4728906240128961j))):
            self.orbit(self.config(WHIRL), "--set", f"parameters.cross={cross} N/m", "--set", "time.end=4 s")
            self.near(float(self.read("branch.csv")[0]["period"]), 2 * math.pi * 20 / cross, 1e-6)
            self.near(self.radius("disc.center.uy"), radius, 1e-6)
            self.multipliers(multipliers, 1e-5)
            self.assertEqual(self.read("branch.csv")[0]["stable"], "1")
        done = self.orbit(self.config(WHIRL), "--over", "parameters.cross=3000 N/m:1900 N/m")
        self.near(self.found("hopf")[0], 2000, 1e-6)
        self.assertIn("the radius of its circle becomes zero at hopf_1", done.stdout)

    def test_rub_on_a_rigid_ring(self):
        """Closed form: touch, force and multipliers while the disc stays on the ring; the two of the held gap are 0."""
        self.orbit(self.config(RIGID), "--over", "parameters.speed=80 rad/s:120 rad/s")
        self.near(self.found("grazing")[0], 90.14924707208593, 1e-6)
        self.near(self.radius("ring.force"), 8.821851623552092, 1e-5)
        self.multipliers((-0.18494217944811175 + 0.029061146620536195j, 0), 1e-5)
        for speed, force, angle, multiplier in ((95, 1.2512234456948317, -60.43926281012838, -0.13218988223420244 + 0.052187067833516065j),
                                                (105, 4.054445028566668, -56.6632232616548, -0.1601515005247953 + 0.018346943601811203j)):
            self.orbit(self.config(RIGID), "--set", f"parameters.speed={speed} rad/s")
            self.near(self.radius("ring.force"), force, 1e-5)
            self.multipliers((multiplier,), 1e-5)
            start = self.read("orbit.csv")[0]
            z = complex(float(start["disc.center.uy.value"]), float(start["disc.center.uz.value"]))
            self.assertLess(abs(math.degrees(cmath.phase(z)) - angle), 1e-3)
            self.near(abs(z), 1e-3, 1e-5)
        self.orbit(self.config(RIGID), "--over", "parameters.speed=120 rad/s:200 rad/s")  # beyond the lower end of the window the disc stays on the ring
        self.near(self.radius("ring.force"), 45.56693449629775, 1e-5)
        self.multipliers((-0.2112271804562251 + 0.19075028281618994j,), 1e-5)

    def test_shaft_of_twenty_elements(self):
        """Without contact its circle is the response; then contact begins, and goes on."""
        config = self.config(SHAFT)
        self.orbit(config)
        radius = self.radius("shaft@0.5.uy")
        done = self.percuss(config, "--speeds", "2000 rpm:2001 rpm:2", command="response")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.near(radius, float(self.read("response.csv")[0]["shaft@0.5.uy.amplitude"]), 1e-7)
        done = self.orbit(config, "--over", f"{SPIN}=3000 rpm:4000 rpm")
        self.near(self.radius("shaft@0.5.uy"), 2e-4, 1e-5)
        self.assertEqual((len(self.found("grazing")), self.read("branch.csv")[-1]["contact_share"]), (1, "1"))
        self.assertIn("circular, in contact; stable", done.stdout)

    def test_refusals(self):
        weight = ("--set", "gravity=[0, 0, -9.81 m/s^2]")
        for config, words, code, message in (
                (SHAFT, weight, 2, "its loads do not turn about the axis"),
                (SHAFT, ("--set", "bearings.left.stiffness=[5 MN/m, 3 MN/m]"), 1, "its orbit is not circular"),
                (SHAFT, ("--set", "supports={pin: {at: shaft.right, fix: [y]}}"), 2, "supports hold some points in only one"),
                (SHAFT, ("--times", "2"), 1, "a circular orbit has the period of one turn"),
                (SHAFT, ("--set", f"{SPIN}={{free: 2000 rpm}}"), 2, "a rotor turns freely"),
                (WHIRL, ("--set", "parameters.cross=1900 N/m", "--set", "bodies.disc.initial={}"), 1, "there is no whirl at time.end"),
                (WHIRL, ("--set", "bearings.seal.until=1 s"), 2, "begins or stops acting at a given time")):
            with self.subTest(message=message):
                done = self.percuss(self.config(config), *words)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.returncode, code)

    @unittest.skipUnless(MPIEXEC, "needs mpiexec")
    def test_several_processes(self):
        done = subprocess.run([MPIEXEC, "--oversubscribe", "-n", "2", PERCUSS, "orbit", self.config(SHAFT), "--out", self.out], capture_output=True, text=True, timeout=300)
        self.assertIn("percuss orbit: runs on one process, not on 2", done.stderr)
        self.assertNotIn("invalid memory access", done.stderr)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
