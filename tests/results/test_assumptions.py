#!/usr/bin/python3
"""What a model assumes is watched: small rotations, small strains, contacts no deeper than the bodies; and bodies at rest raise no alarm. Usage: test_assumptions.py PERCUSS"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.environ.get("PERCUSS", os.path.join(ROOT, "build/release/percuss"))
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


class Assumptions(unittest.TestCase):
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

    def test_a_beam_that_swings_turns_too_far(self):
        """A rod that falls from the horizontal: phi = 3 g t^2/(4 l) while it is small, 0.15 rad at 0.1428 s."""
        said = self.run_(PENDULUM)
        self.assertRegex(said, r"^percuss run: warning: rotation of beam at \(\S+, \S+, \S+\) m is 0.1\d+ rad at t = \S+ s \(step \d+\), above 0.15 rad \(limits.rotation\): ")
        found = self.manifest["exceeded"][0]
        self.assertEqual((found["kind"], found["limit"]), ("rotation", 0.15))
        self.assertTrue(0.1428 < found["since"] < 0.1428 + 2048 * 5e-6 + 1e-4, found["since"])
        self.assertAlmostEqual(found["worst"], 3 * 9.81 * 0.3 ** 2 / 4, delta=0.002)
        self.assertIn("warning", said)
        self.assertEqual(self.run_(PENDULUM, "--set", "limits.rotation=1"), "")
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

    def test_penetration_goes_by_the_body(self):
        """2 m a step into the floor, of a lattice 0.4 m wide: a tenth of it, whatever the sum of its bars."""
        said = self.run_(LATTICE)
        self.assertRegex(said, r"penetration of contact 'floor.\d+' is 0.9 m at t = 0.02 s \(step 1\), above 0.04 m")

    def test_bodies_at_rest_raise_no_alarm(self):
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


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and os.path.exists(sys.argv[1]):
        PERCUSS = sys.argv.pop(1)
    unittest.main()
