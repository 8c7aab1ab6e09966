#!/usr/bin/python3
"""What a model assumes is watched: small rotations, small strains, contacts no deeper than the bodies; and bodies at rest raise no alarm. Usage: test_assumptions.py PERCUSS"""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS, ROOT

STEEL = "material: {density: 7800, young: 210 GPa, poisson: 0.3}\n    section: {circle: {radius: 10 mm}}"

PENDULUM = f"""
gravity: [0, 0, -9.81]
bodies:
  beam:
    type: beam
    mesh: {{line: {{from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}}}
    {STEEL}
supports:
  pin: {{at: beam.left, fix: [x, y, z, rx, rz]}}
scheme: {{type: half_explicit, step: 5 us}}
time: {{end: 0.3 s}}
output: {{frames: {{every: 0}}}}
"""
# Two bars that stand on each other with nothing beside them: a mechanism that lies down. phi'' = 3 g sin(phi)/(2 l) of a rod, begun with a push.
TOWER = f"""
bodies:
  tower:
    type: truss
    mesh: {{line: {{from: [0, 0, 0], to: [0, 0, 1 m], elements: 1}}}}
    {STEEL}
    initial: {{velocity: [2 m/s, 0, 0]}}
supports:
  foot: {{at: tower.left, fix: [x, y, z]}}
scheme: {{type: half_explicit, step: 5 us}}
time: {{end: 0.5 s}}
output: {{frames: {{every: 0}}}}
"""
WHEEL = """
gravity: [0, -9.81, 0]
bodies:
  wheel:
    type: rigid
    at: [0, 20 mm, 0]
    mass: 1 kg
    inertia: [0.01, 0.01, INERTIA]
    initial: {velocity: [0.5 m/s, 0, 0], angular_velocity: [0, 0, -50 rad/s]}
supports:
  plane: {at: wheel.center, fix: [FIX]}
contacts:
  floor: {between: [{node: wheel.center, radius: 20 mm, offset: [OFFSET, 0, 0]}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.6}
scheme: {type: half_explicit, step: 100 us}
time: {end: 0.2 s}
output: {frames: {every: 0}}
"""
LATTICE = f"""
bodies:
  brick:
    type: truss
    mesh: {{lattice: {{from: [0, 0, 0], to: [0.4 m, 0.2 m, 0.4 m], cells: [4, 2, 4]}}}}
    {STEEL}
    initial: {{velocity: [0, -100 m/s, 0], displacement: [0, 1.1 m, 0]}}
contacts:
  floor: {{between: [brick.all, {{plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]}}
scheme: {{type: moreau_jean, gamma: 0, step: 20 ms}}
time: {{end: 40 ms}}
"""
LYING = f"""
gravity: [0, 0, -9.81]
bodies:
  beam:
    type: beam
    mesh: {{line: {{from: [0, 0, 0], to: [1 m, 0, 0], elements: 6}}}}
    {STEEL}
contacts:
  floor: {{between: [beam.all, {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}]}}
scheme: {{type: half_explicit, step: 5 us}}
time: {{end: 5 ms}}
output: {{frames: {{every: 0}}, energy: {{every: 10}}}}
"""
BRICK = """
gravity: [0, 0, -9.81]
bodies:
  brick: {type: rigid, at: [0, 0, 50 mm], mass: 1.3 kg, inertia: [0.001, 0.001, 0.001]}
contacts:
""" + "".join(f"  c{k}: {{between: [{{node: brick.center, offset: [{x}, {y}, -50 mm]}}, {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}]}}\n"
              for k, (x, y) in enumerate((x, y) for x in ("70 mm", "-70 mm") for y in ("30 mm", "-30 mm"))) + """
scheme: {type: half_explicit, step: 100 us}
time: {end: 0.1 s}
output: {frames: {every: 0}, energy: {every: 10}}
"""
SCHEMES = ("half_explicit", "half_explicit_two_step", "half_explicit_adaptive", "half_explicit_acceleration", "explicit_velocity", "moreau_midpoint", "moreau_jean", "projection_naive",
           "projection_combined", "implicit_split", "generalised_alpha", "generalised_alpha_velocity", "ggl_decoupled", "ggl_unified", "variational", "event_driven_hem5",
           "event_driven_rkf45", "event_driven_alpha", "schatzman_paoli")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "results")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_(self, text, *words, code=0):
        path = os.path.join(self.folder, "config.yaml")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([PERCUSS, "run", path, "--out", self.out, "--overwrite", "--quiet", *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        with open(os.path.join(self.out, "run.json")) as file:
            self.manifest = json.load(file)
        return done.stderr

class Assumptions(Case):
    def test_a_beam_that_swings_turns_too_far(self):
        """A rod that falls from the horizontal: phi = 3 g t^2/(4 l) while it is small, 0.15 rad at 0.1428 s."""
        said = self.run_(PENDULUM)
        self.assertRegex(said, r"^percuss run: warning: rotation of beam at \(\S+, \S+, \S+\) m is 0.1\d+ rad at t = \S+ s \(step \d+\), above 0.15 rad \(limits.rotation\): ")
        found = self.manifest["exceeded"][0]
        self.assertEqual((found["kind"], found["limit"]), ("rotation", 0.15))
        self.assertTrue(0.1428 < found["since"] < 0.1428 + 2048 * 5e-6 + 1e-4, found["since"])
        self.assertAlmostEqual(found["worst"], 3 * 9.81 * 0.3 ** 2 / 4, delta=0.002)
        self.assertIn("warning", said)
        self.assertEqual(self.run_(PENDULUM, "--set", "limits.rotation=1 rad"), "")
        self.run_(PENDULUM, "--set", "limits.on_exceed=stop", code=1)
        self.assertLess(self.manifest["summary"]["time"], 0.16)

    def test_a_bar_that_lies_down_grows(self):
        """The end of a bar moves sideways at 2 m/s for ever: rotation t v/l = 1 at 0.5 s, as long as one believes it."""
        said = self.run_(TOWER)
        self.assertRegex(said, r"rotation of tower at \(0, 0, 1\) m")
        self.assertAlmostEqual(self.manifest["exceeded"][0]["worst"], 1, delta=1e-6)

    def test_a_stretched_bar(self):
        pull = TOWER.replace("initial: {velocity: [2 m/s, 0, 0]}", "initial: {velocity: [0, 0, 800 m/s]}")
        said = self.run_(pull, "--set", "time.end=0.4 ms")
        self.assertRegex(said, r"stretch of tower at \(0, 0, 1\) m is 0.0\d+ of the length at t = .* above 0.05 \(limits.stretch\)")
        self.assertEqual([found["kind"] for found in self.manifest["exceeded"]], ["stretch"])

    def test_which_rotations_may_be_large(self):
        """One rotation of a supported body; all of a ball; but not levers, which do not turn, nor a body that is no ball."""
        def wheel(fix, inertia="0.01", offset="0"):
            return WHEEL.replace("FIX", fix).replace("INERTIA", inertia).replace("OFFSET", offset)
        self.assertEqual(self.run_(wheel("z, rx, ry")), "")
        self.assertEqual(self.run_(wheel("z, rx, ry", inertia="0.02")), "")
        self.assertEqual(self.run_(wheel("z")), "")
        self.assertIn("rotation of wheel", self.run_(wheel("z", inertia="0.015")))
        self.assertIn("rotation of wheel", self.run_(wheel("z, rx, ry", offset="5 mm")))

    def test_penetration_limit_follows_from_the_body(self):
        """2 m a step into the floor, of a lattice 0.4 m wide: a tenth of it, whatever the sum of its bars."""
        said = self.run_(LATTICE)
        self.assertRegex(said, r"penetration of contact 'floor.\d+' is 0.9 m at t = 0.02 s \(step 1\), above 0.04 m")

    def test_bodies_at_rest_cause_no_warning(self):
        """Their energy error is rounding, and there is no other energy: it is judged against what their weight would give them in a step."""
        for scheme in SCHEMES:
            for text, step in ((LYING, "5 us"), (BRICK, "100 us"), (BRICK.replace("1.3 kg", "0.7 kg"), "37 us")):
                said = self.run_(text, "--set", f"scheme={{type: {scheme}, step: {step}}}")
                self.assertEqual([found["kind"] for found in self.manifest["exceeded"] if found["kind"] != "penetration"], [], scheme + said)
        self.run_(LYING, "--set", "scheme={type: modal, step: 5 us}")
        self.assertEqual(self.manifest["exceeded"], [])

    def test_the_floor_hides_no_instability(self):
        """Above the critical time step a body at rest blows up, and is stopped."""
        said = self.run_(LYING, "--force", "--set", "scheme.step=60 us", code=1)
        self.assertRegex(said, "numerical energy error|NaN or Inf")


MASS = """
bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1]}}
loads: {push: {at: mass.center, force: [1 MN, 0, 0], time: {TIME}}}
scheme: {type: half_explicit, step: 100 us}
time: {end: 10 ms}
output: {frames: {every: 0}}
"""
CHAIN = """
bodies:
  tower: {type: truss, dimension: 2, mesh: {line: {from: [0, 0, 0], to: [1 m, 0.5 m, 0], elements: ELEMENTS}}, material: {density: 7800, young: 210 GPa}, section: {circle: {radius: 5 mm}}}
supports: {foot: {at: tower.left, fix: [x, y]}, head: {at: tower.right, fix: [x, y]}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 ms}
"""
PULLED = """
bodies:
  bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 10}}, material: {density: 8000, young: 200 GPa}, section: {area: 1 cm^2}}
supports: {clamp: {at: bar.left}}
loads: {pull: {at: bar.right, force: [1 kN, 0, 0], time: {harmonic: {frequency: FREQUENCY}}}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 ms}
"""
LOOSE = """
bodies:
  frame: {type: truss, dimension: 2, mesh: {lattice: {from: [0, 0, 0], to: [2 m, 1 m, 0], cells: [1, 1, 0], braces: BRACES}}, material: {density: 7800, young: 210 GPa}, section: {circle: {radius: 5 mm}}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 ms}
"""
PLANAR = """
bodies:
  beam: {type: beam, dimension: 2, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}, section: {circle: {radius: 5 mm}}}
supports: {clamp: {at: beam.left, fix: [x, y, rz]}}
loads: {push: {LOAD}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 ms}
"""
SPRING = """
bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1], initial: {velocity: [2 m/s, 0, 0]}}}
supports: {guide: {at: mass.center, fix: [y, z, rx, ry, rz]}}
springs: {spring: {between: [ground, mass.center], direction: [1, 0, 0], stiffness: 1, law: {LAW}}}
scheme: {type: half_explicit, step: 10 us}
time: {end: 20 ms}
output: {frames: {every: 0}}
"""


class Laws(Case):
    """Nonlinear springs are watched for motions beyond those that they are given for."""

    def test_springs_beyond_their_travel(self):
        for law, key, worst in (("cubic: {coefficient: 1 N/mm^3, travel: 5 mm}", "travel", (2 * 2 ** 2 / 1e9) ** 0.25 / 5e-3),  # k x^4/4 = m v^2/2
                                ("table: [[-1, -1 MN], [0, 0], [1 mm, 1 kN]]", "rows", 2e-3 / 1e-3), ("power_damping: {coefficient: 1e-9, rate: 1 m/s}", "rate", 2)):
            said = self.run_(SPRING.replace("LAW", law), "--set", "springs.spring.stiffness=0.001")
            self.assertRegex(said, rf"warning: the motion of spring 'spring' \(its key `{key}`\) is \S+ times the largest value given in its law, at t = ")
            found = self.manifest["exceeded"]
            self.assertEqual([each["kind"] for each in found], ["law"])
            self.assertAlmostEqual(found[0]["worst"], worst, delta=0.01 * worst)
            self.run_(SPRING.replace("LAW", law), "--set", "limits.on_exceed=stop", code=1)
        self.assertEqual(self.run_(SPRING.replace("LAW", "cubic: {coefficient: 1 N/mm^3, travel: 10 mm}")), "")
        self.assertEqual(self.run_(SPRING.replace("LAW", "table: [[-1, -1 MN], [0, 0], [3 mm, 3 kN]]")), "")

    def test_a_journal_beyond_the_clearance_of_its_seal(self):
        """The coefficients of a seal are linear: nothing else would say that the shaft passes through it. At constant speed, with schemes that know velocities in each step or not, and while it changes."""
        with open(os.path.join(ROOT, "configs", "pump_seals.yaml"), encoding="utf-8") as file:
            pump = file.read()
        words = ["--set", "time.end=5 ms", "--set", "output={frames: {every: 0}, history: {every: 1, probes: [shaft@0.4 m]}}", "--set", "bodies.shaft.initial={velocity: [0, 0.2 m/s, 0]}"]
        for spin, scheme in (("6000 rpm", "half_explicit"), ("6000 rpm", "modal"), ("{table: [[0 s, 6000 rpm], [4 s, 6100 rpm]]}", "half_explicit")):
            for clearance, beyond in (("0.2 mm", True), ("2 mm", False)):
                said = self.run_(pump, *words, "--set", f"bodies.shaft.spin={spin}", "--set", f"scheme.type={scheme}", "--set", f"bearings.seal_1.annular_seal.clearance={clearance}", "--set", "bearings.seal_2.annular_seal.clearance=2 mm")
                with open(os.path.join(self.out, "history.csv"), encoding="utf-8") as file:
                    largest = max(math.hypot(float(row["shaft@0.4 m.uy"]), float(row["shaft@0.4 m.uz"])) for row in csv.DictReader(file))
                self.assertTrue(0.3e-3 < largest < 1e-3, largest)
                self.assertEqual("warning: the motion of bearing 'seal_1' (its key `clearance`) is " in said, beyond, said)
                if beyond:
                    self.assertAlmostEqual(self.manifest["exceeded"][0]["worst"], largest / 0.2e-3, delta=0.1 * largest / 0.2e-3)

    def test_implicit_steps_have_no_critical_length(self):
        """There a formula holds as far as it goes, but not a table."""
        scheme = ("--set", "scheme={type: moreau_jean, step: 10 us}")
        self.assertEqual(self.run_(SPRING.replace("LAW", "cubic: {coefficient: 1 N/mm^3, travel: 1 mm}"), *scheme), "")
        self.assertIn("its key `rows`", self.run_(SPRING.replace("LAW", "table: [[-1, -1 MN], [0, 0], [1 mm, 1 kN]]"), *scheme))


class Loads(Case):
    """Loads are resolved, or their impulse is kept and that is said, or the step is refused."""

    def check(self, text, *words, code=0):
        path = os.path.join(self.folder, "config.yaml")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([PERCUSS, "check", path, *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def test_a_period_of_few_steps(self):
        harmonic = MASS.replace("TIME", "harmonic: {frequency: 1 kHz}")
        self.assertEqual(self.check(harmonic).stderr, "")  # ten steps
        self.assertIn("5 steps in the period of a load or an unbalance, 0.001 s: amplitudes are inaccurate", self.check(harmonic, "--set", "scheme.step=200 us").stderr)
        for scheme in ("half_explicit", "modal", "moreau_jean"):
            said = self.check(harmonic, "--set", f"scheme={{type: {scheme}, step: 1 ms}}", code=2)
            self.assertRegex(said.stderr, "the time step, 0.001 s, does not resolve a load or an unbalance with a period of 0.001 s: at least 4 steps a period")
        self.assertIn("step 5e-05 s: without contact the free motion is exact, and loads want 20 steps a period", self.check(PULLED.replace("FREQUENCY", "1 kHz"), "--set", "time.end=1").stdout)
        self.assertEqual(self.check(harmonic, "--set", "scheme={type: half_explicit_adaptive, step: 5 ms}").stderr, "")
        said = self.run_(harmonic, "--force", "--set", "scheme.step=1 ms")
        self.assertIn("1 steps in the period", said)

    def test_short_pulses_are_reported(self):
        said = self.check(MASS.replace("TIME", "pulse: {duration: 50 us}")).stderr
        self.assertIn("a pulse of 5e-05 s is shorter than 4 steps: its impulse is exact, its shape is not resolved", said)
        said = self.check(MASS.replace("TIME", "step: {start: 110 us, end: 190 us}")).stderr
        self.assertIn("loads jump or have kinks within a step, after 8e-05 s", said)
        self.assertEqual(self.check(MASS.replace("TIME", "step: {start: 0.1 ms, end: 0.3 ms}")).stderr, "")

    def test_frequencies_beyond_the_mesh(self):
        """c = 5000 m/s, elements of 0.1 m: sqrt(12) c/l alone is 27.6 kHz."""
        said = self.check(PULLED.replace("FREQUENCY", "10 kHz")).stderr
        self.assertRegex(said, r"the mesh does not resolve a load of 1e\+04 Hz: the element of 'bar' at \(0, 0, 0\) m alone has the frequency 2.757e\+04 Hz")
        self.assertEqual(self.check(PULLED.replace("FREQUENCY", "9 kHz")).stderr, "")

    def test_nodes_without_support(self):
        for command in (self.check(CHAIN.replace("ELEMENTS", "3")).stderr, self.run_(CHAIN.replace("ELEMENTS", "3"))):
            self.assertRegex(command, r"'tower' is kinematically indeterminate: 2 of its nodes can move perpendicular to the bars without any force, for example the one at \(0.333333, 0.166667, 0\) m")
        self.assertEqual(self.check(CHAIN.replace("ELEMENTS", "1"), code=2).stderr.count("mechanism"), 0)

    def test_trusses_that_can_change_their_shape(self):
        """A square of four bars shears; with a diagonal it does not, nor where supports hold it. A cube needs braced faces."""
        square = LOOSE.replace("BRACES", "none")
        for text, mechanism, free in ((square, True, True), (LOOSE.replace("BRACES", "faces"), False, True), (square + "supports: {all: {at: frame.all, fix: [x, y]}}\n", None, None),
                                      (square + "supports: {low: {at: frame.left, fix: [x, y]}}\n", True, True), (LOOSE.replace("BRACES", "faces") + "supports: {low: {at: frame.left, fix: [x, y]}}\n", False, False),
                                      (square.replace("dimension: 2,", "").replace("1 m, 0]", "1 m, 1 m]").replace("[1, 1, 0]", "[2, 2, 2]"), True, True),
                                      (LOOSE.replace("BRACES", "faces").replace("dimension: 2,", "").replace("1 m, 0]", "1 m, 1 m]").replace("[1, 1, 0]", "[2, 2, 2]"), False, True),
                                      (LOOSE.replace("BRACES", "faces").replace("[2 m,", "[400 m,").replace("[1, 1, 0]", "[300, 1, 0]"), False, True)):
            done = self.check(text, code=2 if mechanism is None else 0)
            self.assertEqual("'frame' is kinematically indeterminate: it can change its shape without any force, such as at frame at (" in done.stderr, bool(mechanism), text + done.stderr)
            self.assertEqual("  supports    the model can move without strain, for example frame at (" in done.stdout, bool(free), text + done.stdout)

    def test_models_that_move_as_a_whole(self):
        """A beam on one hinge turns about it; clamped, or of many elements and slow, it does not."""
        for fix, elements, free in (("y, z, rx", 4, True), ("x, y, z, rx, ry, rz", 4, False), ("x, y, z, rx, ry, rz", 1000, False)):
            text = PENDULUM.replace("x, y, z, rx, rz", fix).replace("elements: 4", f"elements: {elements}").replace("5 us", "1 ns").replace("0.3 s", "1 us")
            self.assertEqual("supports    the model can move without strain" in self.check(text).stdout, free, fix)

    def test_load_components_without_effect(self):
        planar = PLANAR.replace("LOAD", "at: beam.right, force: [0, 1 N, 5 N], moment: [1 N m, 0, 2 N m]")
        said = self.check(planar).stderr
        self.assertIn("the part (0, 0, 5) of this force has no effect", said)
        self.assertIn("the part (1, 0, 0) of this moment has no effect", said)
        self.assertNotIn("no effect", self.check(PLANAR.replace("[x, y, rz]", "[x, rz]").replace("LOAD", "at: beam.left, force: [3, 1, 0]")).stderr)  # held by a support
        self.assertIn("the part (0, 0, 3) of this force_per_length has no effect", self.check(PLANAR.replace("LOAD", "on: beam, force_per_length: [0, 1, 3]")).stderr)
        self.assertEqual(self.check(PLANAR.replace("LOAD", "at: beam.all, force: [1 N, 1 N, 0], moment: [0, 0, 1 N m]")).stderr, "")
        self.assertIn("the part (0.5, -0.5, 0) of this force", self.check(PULLED.replace("[1 m, 0, 0]", "[1 m, 1 m, 0]").replace("FREQUENCY", "9 kHz").replace("[1 kN, 0, 0]", "[1 N, 0, 0]")).stderr)
        self.assertEqual(self.check(PULLED.replace("[1 m, 0, 0]", "[1 m, 1 m, 0]").replace("FREQUENCY", "6 kHz").replace("[1 kN, 0, 0]", "[1 N, 1 N, 0]")).stderr, "")

    def test_check_of_a_large_model_uses_bounds(self):
        """An eigensolver takes minutes there, and is not needed if the step is far below."""
        large = PULLED.replace("FREQUENCY", "1 kHz").replace("elements: 10", "elements: 30000")
        said = self.check(large, "--set", "scheme.step=1 ns", "--set", "time.end=1 us")
        self.assertRegex(said.stdout, r"critical time step at least \S+ s; the step is at most \S+ % of it")
        self.assertNotIn("computing", said.stderr)
        self.assertIn("critical time step 1.", self.check(PULLED.replace("FREQUENCY", "1 kHz")).stdout)


class Plausible(unittest.TestCase):
    """Values that no solid has are warned of, and none of those that there are."""
    SAYS = r"solids have|in solids at|metals have|is a unit missing"

    def warnings(self, config, *sets):
        words = [word for item in sets for word in ("--set", item)]
        done = subprocess.run([PERCUSS, "check", config, "--quick", *words], capture_output=True, text=True, timeout=60, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stderr.splitlines() if re.search(self.SAYS, line)]

    def test_every_config(self):
        for folder, _, files in os.walk(os.path.join(ROOT, "configs")):
            for file in files:
                if file.endswith(".yaml") and "studies" not in folder and "plugin" not in folder:
                    self.assertEqual(self.warnings(os.path.join(folder, file)), [], file)

    def test_real_materials(self):
        """Rubber, foam, cork, wood, concrete, lead, osmium, diamond; and models without units."""
        for density, young in ((1100, 1e6), (30, 1e6), (200, 20e6), (500, 10e9), (2400, 30e9), (11340, 16e9), (22590, 560e9), (3510, 1100e9), (1, 1), (1, 100)):
            self.assertEqual(self.warnings("configs/elastic_bar.yaml", f"bodies.bar.material={{density: {density}, young: {young}}}", "scheme.step=1 ns", "time.end=1 us"), [])

    def test_missing_units(self):
        for value, says in (("{density: 7800, young: 210 MPa}", "a modulus of 2.1e+08 Pa"), ("{density: 7.8, young: 210 GPa}", "a density of 7.8 kg/m^3"),
                            ("{density: 7800, young: 210}", "travel at 0.1641 m/s"), ("{density: 7.85e-9, young: 210000}", "a density of 7.85e-09"),
                            ("{density: 2700, young: 70e12}", "travel at 1.61e+05 m/s"), ("{density: 7800 t/m^3, young: 210 GPa}", "a density of 7.8e+06")):
            found = self.warnings("configs/elastic_bar.yaml", "bodies.bar.material=" + value, "scheme.step=0.01 ns", "time.end=1 us")
            self.assertEqual(len(found), 1, value)
            self.assertIn(says, found[0])

    def test_lengths(self):
        line = "bodies.bar.mesh.line={{from: [1e-5, 0, 0], to: [300{}, 0, 0], elements: 10}}"
        self.assertEqual(len(self.warnings("configs/elastic_bar.yaml", line.format(""))), 1)
        self.assertEqual(self.warnings("configs/elastic_bar.yaml", line.format(" m")), [])


class Landing(Case):
    def test_nodes_that_land_at_once(self):
        """1681 nodes of a consistent mass, all coupled, meet a plane in one step: solved within tolerance, in some rounds of the contact solver, and later the plane holds them."""
        with open(os.path.join(ROOT, "configs/lattice_drop.yaml")) as file:
            text = file.read()
        self.run_(text, "--set", "bodies.lattice.mesh.lattice={from: [0, 1 um, 0], to: [2 m, 50.001 mm, 2 m], cells: [40, 1, 40], braces: faces}", "--set", "bodies.lattice.mass=consistent",
                  "--set", "time.end=10 us", "--set", "output={frames: {every: 0}}")
        summary = self.manifest["summary"]
        solver = summary["contact_solver"]
        self.assertEqual((summary["steps"], summary["impulsive_steps"], solver["most_contacts"], solver["failures"], solver["loose"]), (5, 1, 1681, 0, 0))
        self.assertLess(sum(solver["iterations_of"].values()), 100 * solver["calls"])
        self.assertLess(summary["max_penetration"], 2.1e-6)
        self.assertLess(abs(summary["energy"]["numerical"]), 0.01 * summary["energy"]["initial"])


class Rounding(Case):
    def test_from_rest_with_a_slow_ramp(self):
        """Forces at rest are the rounding of large ones: iterations stand still there, far above 1e-7 of the smallest velocities."""
        rotor = os.path.join(ROOT, "configs/rotor_in_two_bearings.yaml")
        with open(rotor) as file:
            text = file.read()
        for scheme in ("ggl_unified", "moreau_jean", "generalised_alpha", "implicit_split", "projection_combined"):
            for step in ("5 us", "20 us"):
                self.run_(text, "--set", f"scheme={{type: {scheme}, step: {step}}}", "--set", "bodies.shaft.spin={table: [[0, 0], [30 s, 6000 rpm]]}", "--set", "time.end=1 ms",
                          "--set", "output={frames: {every: 0}}")

    def test_lasting_contact_on_acceleration_level(self):
        """After an impact with e = 0 the rate of the contact is a rounding of either sign, which must not open it: the bar loses 1/(2 N) of its energy, and what else it loses is not the scheme's."""
        with open(os.path.join(ROOT, "configs/elastic_bar.yaml")) as file:
            text = file.read()
        energy = {}
        for scheme in ("half_explicit", "half_explicit_acceleration"):
            self.run_(text, "--set", f"scheme={{type: {scheme}, step: 0.1 us}}", "--set", "output.frames.every=0")
            energy[scheme] = self.manifest["summary"]["energy"]
            self.assertLess(self.manifest["summary"]["max_penetration"], 1.01e-8)
        other = energy["half_explicit_acceleration"]
        self.assertAlmostEqual(other["impact"] / other["initial"], energy["half_explicit"]["impact"] / other["initial"], delta=1e-6)
        self.assertLess(abs(other["numerical"]) / other["initial"], 1e-5)


if __name__ == "__main__":
    unittest.main()
