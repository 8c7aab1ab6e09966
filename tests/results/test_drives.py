#!/usr/bin/python3
"""Motors, gears, shafts by stations and starts in the steady whirl, against closed forms. Usage: test_drives.py PERCUSS"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

sys.path.insert(0, os.path.join(ROOT, "python"))

from percuss import rotor_orbit, rotor_table
from percuss.results import Run

SHORT = """
title: test
bodies:
  one:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [10 mm, 0, 0], elements: 1}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 5 mm}}
    spin: {free: SPEED}
supports:
  hold: {at: one.all, fix: [y, z, ry, rz]}
"""
PAIR = """
title: gears
bodies:
  one:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [10 mm, 0, 0], elements: 1}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 5 mm}}
    spin: {free: 100 rad/s}
  two:
    type: rotor
    mesh: {line: {from: [0, 150 mm, 0], to: [10 mm, 150 mm, 0], elements: 1}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 5 mm}}
    spin: {free: SECOND}
supports:
  hold_one: {at: one.all, fix: [y, z, ry, rz]}
  hold_two: {at: two.all, fix: [y, z, ry, rz]}
discs:
  one: {at: one.left, mass: 1 kg, polar_inertia: 0.002 kg m^2, diametral_inertia: 0.002 kg m^2}
  two: {at: two.left, mass: 1 kg, polar_inertia: 0.02 kg m^2, diametral_inertia: 0.02 kg m^2}
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name

    def tearDown(self):
        self.folder.cleanup()

    def percuss(self, command, text, *words, code=0):
        config = os.path.join(self.path, "model.yaml")
        with open(config, "w") as file:
            file.write(text)
        done = subprocess.run([PERCUSS, command, config, *words], capture_output=True, text=True, cwd=self.path)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def rows(self, name, folder="out/model"):
        with open(os.path.join(self.path, folder, name)) as file:
            return [{key: float(value) for key, value in row.items() if value.replace("-", "").replace("+", "").replace(".", "").replace("e", "").isdigit()}
                    for row in csv.DictReader(line for line in file if not line.startswith("#"))]

    def energies(self):
        with open(os.path.join(self.path, "out/model/run.json")) as file:
            return json.load(file)["summary"]["energy"]


class Motors(Case):
    """A motor whose torque falls to zero at 200 rad/s: w = 200 (1 - exp(-t T0/(J 200)))."""
    INERTIA, TORQUE, IDLE, END = 0.01, 5.0, 200.0, 0.1
    CONFIG = SHORT.replace("SPEED", "0 rpm") + """
discs: {wheel: {at: one.left, mass: 1 kg, polar_inertia: 0.01 kg m^2, diametral_inertia: 0.01 kg m^2}}
motors: {drive: {between: [one.left, ground], torque: [[0 rad/s, 5 N m], [200 rad/s, 0 N m], [300 rad/s, -2.5 N m]]}}
time: {end: 0.1 s}
output: {history: {probes: [one.left, motors.drive], every: 100}, energy: {every: 100}}
"""

    def speed(self, t):
        return self.IDLE * (1 - math.exp(-t * self.TORQUE / (self.INERTIA * self.IDLE)))

    def test_run_up(self):
        for scheme in ("{type: half_explicit, step: 1 us}", "{type: moreau_jean, step: 20 us}", "{type: event_driven_hem5, step: 20 us}"):
            self.percuss("run", self.CONFIG + f"scheme: {scheme}\n", "--quiet", "--overwrite")
            last = self.rows("history.csv")[-1]
            energy = self.energies()
            self.assertAlmostEqual(last["one.left.wx"], self.speed(self.END), delta=2e-4 * self.IDLE, msg=scheme)
            self.assertAlmostEqual(energy["load"], self.INERTIA * self.speed(self.END) ** 2 / 2, delta=5e-4 * energy["load"], msg=scheme)
            self.assertLess(abs(energy["numerical"]), 1e-3 * energy["load"], scheme)
            self.assertAlmostEqual(last["motors.drive.mx"], self.TORQUE * (1 - self.speed(self.END) / self.IDLE), delta=2e-3, msg=scheme)

    def test_torsional_damping_at_speed(self):
        """modes: the fall of the torque at the speed of rotation damps the twist, here against a spring: -(T0/200)/(2 J)."""
        config = self.CONFIG.replace("free: 0 rpm", "free: 100 rad/s") + """scheme: {type: half_explicit, step: 1 us}
bearings: {spring: {between: [one.left, ground], rotational_stiffness: [100 N m/rad, 1 N m/rad, 1 N m/rad]}}
"""
        self.percuss("modes", config, "--overwrite")
        values = [row["re"] for row in self.rows("modes.csv", "out/model_modes")]
        self.assertTrue(any(abs(value + self.TORQUE / self.IDLE / self.INERTIA / 2) < 1e-3 for value in values), values)

    def test_static_torque_is_that_of_the_speed(self):
        self.percuss("static", self.CONFIG.replace("free: 0 rpm", "free: 100 rad/s") + "scheme: {type: half_explicit, step: 1 us}\n", "--overwrite")
        self.assertEqual([row["mx"] for row in self.rows("static_reactions.csv", "out/model_static") if row["mx"] != 0], [self.TORQUE / 2])

    def test_beyond_the_table(self):
        """Runs warn, unless the table ends level."""
        text = self.CONFIG.replace("free: 0 rpm", "free: 350 rad/s").replace("0.1 s", "10 us") + "scheme: {type: half_explicit, step: 1 us}\n"
        for last, warns in (("-2.5 N m]]", True), ("-2.5 N m], [310 rad/s, -2.5 N m]]", False)):
            said = self.percuss("run", text.replace("-2.5 N m]]", last), "--quiet", "--overwrite")
            self.assertEqual("motor 'drive' (its key `torque`) is 1.33 times the largest value" in said, warns, said)

    def test_refusals(self):
        for wrong, word in ((("free: 0 rpm", "constant: 0 rpm"), "prescribed"), (("[200 rad/s, 0 N m]", "[0 rad/s, 0 N m]"), "ascending")):
            self.assertIn(word, self.percuss("check", self.CONFIG.replace(*wrong) + "scheme: {type: half_explicit, step: 1 us}\n", code=2))


class Gears(Case):
    """20 teeth on 60, 150 mm apart: pitch radii 37.5 and 112.5 mm."""
    R, J, ALPHA = (0.0375, 0.1125), (0.002, 0.02), math.radians(20)
    STIFFNESS = 1e7

    def base(self):
        return [r * math.cos(self.ALPHA) for r in self.R]

    def test_mesh_frequency(self):
        config = PAIR.replace("SECOND", "-33.333333333333336 rad/s") + """
gears: {stage: {between: [one.left, two.left], teeth: [20, 60], stiffness: 10 MN/m}}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 ms}
"""
        text = self.percuss("modes", config, "--overwrite")
        self.assertNotIn("warning", text)
        omega = math.sqrt(self.STIFFNESS * sum(r * r / j for r, j in zip(self.base(), self.J)))
        found = [abs(row["im"]) for row in self.rows("modes.csv", "out/model_modes")]
        self.assertTrue(any(abs(value / omega - 1) < 1e-4 for value in found), (omega, found))
        self.percuss("static", config, "--overwrite")

    def test_elastic_impact_of_teeth(self):
        """The first gear meets the second at rest: they exchange momentum as masses J/r^2 do, and no energy is lost."""
        mass = [j / r ** 2 for j, r in zip(self.J, self.base())]
        config = PAIR.replace("SECOND", "0 rad/s") + """
gears: {stage: {between: [one.left, two.left], teeth: [20, 60], stiffness: 10 MN/m, backlash: 0.1 mm}}
time: {end: 0.94 ms}
output: {history: {probes: [one.left, two.left], every: 10}}
"""
        for scheme in ("{type: half_explicit, step: 0.5 us}", "{type: moreau_midpoint, step: 0.5 us}"):
            self.percuss("run", config + f"scheme: {scheme}\n", "--quiet", "--overwrite")
            last = self.rows("history.csv")[-1]
            one, two = last["one.left.wx"], last["two.left.wx"]
            before = 100 * self.base()[0]
            self.assertAlmostEqual(one * self.base()[0] / before, (mass[0] - mass[1]) / sum(mass), delta=2e-3, msg=scheme)
            self.assertAlmostEqual(-two * self.base()[1] / before, 2 * mass[0] / sum(mass), delta=2e-3, msg=scheme)
            self.assertLess(abs(self.energies()["numerical"]), 1e-3 * 10)

    def test_torque_through_the_mesh(self):
        """percuss static: a torque on the first shaft, balanced by one on the second, goes through the teeth: the force is torque over base radius."""
        config = PAIR.replace("SECOND", "-33.333333333333336 rad/s") + """
gears: {stage: {between: [one.left, two.left], teeth: [20, 60], stiffness: 10 MN/m}}
loads: {drive: {at: one.right, moment: [30, 0, 0]}, brake: {at: two.right, moment: [90, 0, 0]}}
output: {history: {probes: [gears.stage]}}
start: static
scheme: {type: half_explicit, step: 1 us}
time: {end: 10 us}
"""
        self.percuss("run", config, "--quiet", "--overwrite")
        first = self.rows("history.csv")[0]
        force = math.hypot(first["gears.stage.fy"], first["gears.stage.fz"])
        self.assertAlmostEqual(force, 30 / self.base()[0], delta=1e-6 * force)
        self.assertAlmostEqual(abs(first["gears.stage.fz"]) * self.R[0], 30, delta=1e-4)

    def test_refusals(self):
        good = PAIR.replace("SECOND", "-33.333333333333336 rad/s") + """
gears: {stage: {between: [one.left, two.left], teeth: [20, 60], stiffness: 10 MN/m}}
scheme: {type: half_explicit, step: 0.5 us}
time: {end: 1 ms}
"""
        self.percuss("check", good)
        for old, new, word, code in (("spin: {free: 100 rad/s}", "spin: 100 rad/s", "prescribed", 2), ("two.left]", "two.right]", "in one plane", 2),
                                     ("two.left]", "ground]", "gears are on two rotors", 2), ("[20, 60]", "[20, 60.5]", "whole number", 2),
                                     ("[20, 60]", "[20, 40]", "do not have the ratio of the teeth", 0)):
            self.assertIn(word, self.percuss("check", good.replace(old, new), code=code))


class Stations(Case):
    BY_STATIONS = """
bodies:
  shaft:
    type: rotor
    mesh:
      stations:
        longest: 50 mm
        list: [{length: 0.2 m, diameter: 40 mm}, {length: 0.1 m, diameter: [40 mm, 60 mm], bore: 10 mm}, {length: 0.25 m, diameter: 60 mm, bore: [10 mm, 20 mm]}]
    material: {density: 7850 kg/m^3, young: 210 GPa}
    spin: 3000 rpm
"""
    BY_PARTS = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.55 m, 0, 0], elements: 11, nodes_at: [0.2 m, 0.3 m]}}
    material: {density: 7850 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 20 mm}}
    parts:
      - {range: [0.2 m, 0.3 m], section: {tube: {outer_radius: 20 mm, inner_radius: 5 mm}}, section_end: {tube: {outer_radius: 30 mm, inner_radius: 5 mm}}}
      - {range: [0.3 m, 0.55 m], section: {tube: {outer_radius: 30 mm, inner_radius: 5 mm}}, section_end: {tube: {outer_radius: 30 mm, inner_radius: 10 mm}}}
    spin: 3000 rpm
"""
    REST = """
title: stations
bearings:
  left: {between: [shaft.left, ground], stiffness: 50 MN/m}
  right: {between: [shaft@0.3 m, ground], stiffness: 50 MN/m}
discs: {wheel: {at: shaft@X, mass: 5 kg, polar_inertia: 0.02 kg m^2, diametral_inertia: 0.01 kg m^2}}
scheme: {type: half_explicit, step: 0.1 us}
time: {end: 1 ms}
"""

    def frequencies(self, text):
        self.percuss("modes", text, "--overwrite")
        return [row["im"] for row in self.rows("modes.csv", "out/model_modes")]

    def test_the_same_as_parts(self):
        rest = self.REST.replace("X", "0.5 m")
        one, two = self.frequencies(self.BY_STATIONS + rest), self.frequencies(self.BY_PARTS + rest)
        self.assertEqual(len(one), len(two))
        for a, b in zip(one, two):
            self.assertAlmostEqual(a, b, delta=1e-9 * abs(b))

    def test_nodes_where_parts_are(self):
        """A disc between two stations gets a node; one that is near a node does not, nor does a point that is only recorded."""
        for place, more in (("0.432 m", 1), ("0.5 m", 0), ("0.302 m", 0)):
            text = self.BY_STATIONS + self.REST.replace("X", place) + "output: {history: {probes: [shaft@0.123 m]}}\n"
            words = self.percuss("check", text)
            self.assertIn(f"{11 + more} elements", words)

    def test_refusals(self):
        rest = self.REST.replace("X", "0.5 m")
        for old, new, word in (("spin:", "section: {circle: {radius: 20 mm}}\n    spin:", "remove this key"), ("bore: 10 mm", "bore: 60 mm", "smaller than"),
                               ("length: 0.2 m", "length: 0 m", "length"), ("longest: 50 mm", "direction: [0, 0, 0]", "must not be zero")):
            self.assertIn(word, self.percuss("check", self.BY_STATIONS.replace(old, new) + rest, code=2))
        self.percuss("check", self.BY_STATIONS.replace("stations:\n        longest: 50 mm\n        list: ", "stations: ") + rest)


class Synchronous(Case):
    CONFIG = """
title: start in the steady whirl
gravity: [0, 0, -9.81 m/s^2]
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [600 mm, 0, 0], elements: 6}}
    material: {density: 7850 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 8 mm}}
    spin: 1500 rpm
discs:
  wheel: {at: shaft@0.5, shape: {outer_radius: 100 mm, inner_radius: 8 mm, thickness: 20 mm, density: 7850 kg/m^3}}
unbalances:
  mark: {at: shaft@0.5, mass_eccentricity: 1e-3 kg m, phase: 30 deg}
bearings:
  left: {between: [shaft.left, ground], stiffness: 1 MN/m, damping: 200 N s/m}
  right: {between: [shaft.right, ground], stiffness: [1 MN/m, 0.2 MN/m, -0.2 MN/m, 0.8 MN/m], damping: [300 N s/m, 200 N s/m]}
contacts:
  stator:
    between: [{node: shaft@0.5, radius: 100 mm}, {cylinder: {center: [300 mm, 0, 0], axis: [1, 0, 0], radius: GAP, side: inside}}]
    friction: 0.1
start: synchronous
time: {end: 0.1 s}
"""

    def steady(self, t, probe="shaft@0.5"):
        """Displacements of the response at 1500 rpm, about the static ones."""
        row = next(row for row in self.rows("response.csv", "out/model_response") if abs(row["speed"] - 50 * math.pi) < 1e-9)
        return [row[f"{probe}.{u}.amplitude"] * math.cos(50 * math.pi * t + row[f"{probe}.{u}.phase"]) for u in ("uy", "uz")]

    def test_stays_in_the_response(self):
        text = self.CONFIG.replace("GAP", "110 mm")
        history = "output: {history: {probes: [shaft@0.5], every: EVERY}}\n"
        self.percuss("response", text + history.replace("EVERY", "1") + "scheme: {type: half_explicit, step: 1 us}\n", "--speeds", "1000 rpm:2000 rpm:3", "--overwrite")
        self.percuss("static", text + history.replace("EVERY", "1") + "scheme: {type: half_explicit, step: 1 us}\n", "--overwrite")
        for scheme, every, tolerance in (("{type: half_explicit, step: 4 us}", 1000, 1e-5), ("{type: moreau_midpoint, step: 10 us}", 400, 1e-4)):
            self.percuss("run", text + history.replace("EVERY", str(every)) + f"scheme: {scheme}\n", "--quiet", "--overwrite")
            rows = self.rows("history.csv")
            rest = [rows[0][f"shaft@0.5.{u}"] - steady for u, steady in zip(("uy", "uz"), self.steady(0))]
            size = max(abs(x) for row in rows for x in self.steady(row["time"]))
            for row in rows:
                for u, at_rest, steady in zip(("uy", "uz"), rest, self.steady(row["time"])):
                    self.assertAlmostEqual(row[f"shaft@0.5.{u}"] - at_rest, steady, delta=tolerance * size, msg=scheme)

    def test_power_of_the_drive(self):
        """In the steady whirl the drive gives what the dampers of the bearings take: c Omega^2 A^2/2 for each direction."""
        text = self.CONFIG.replace("GAP", "110 mm") + """
output: {history: {probes: [shaft.left, shaft.right], every: 1000}, energy: {every: 100}, orbits: {every: 100, stations: {wheel: {at: shaft@0.5}}}}
scheme: {type: half_explicit, step: 4 us}
"""
        text = text.replace("time: {end: 0.1 s}", "time: {end: 0.16 s}")  # the last quarter is one turn
        self.percuss("response", text, "--speeds", "1000 rpm:2000 rpm:3", "--overwrite")
        self.percuss("run", text, "--quiet", "--overwrite")
        row = next(row for row in self.rows("response.csv", "out/model_response") if abs(row["speed"] - 50 * math.pi) < 1e-9)
        power = sum(damping * (50 * math.pi * row[f"shaft.{probe}.amplitude"]) ** 2 / 2
                    for probe, damping in (("left.uy", 200), ("left.uz", 200), ("right.uy", 300), ("right.uz", 200)))
        run = Run(os.path.join(self.path, "out/model"))
        (_, found, unit, _), (_, torque, _, _) = rotor_table.drive_rows(run, rotor_orbit.stations(run)[0])
        self.assertEqual(unit, "W")
        self.assertAlmostEqual(float(found), power, delta=1e-3 * power)
        self.assertAlmostEqual(float(torque), power / (50 * math.pi), delta=1e-3 * power / (50 * math.pi))

    def test_refusals(self):
        scheme = "scheme: {type: half_explicit, step: 1 us}\n"
        good = self.CONFIG.replace("GAP", "110 mm") + scheme
        for old, new, word in (("110 mm", "101 mm", "is closed in it"), ("spin: 1500 rpm", "spin: {free: 1500 rpm}", "is free"),
                               ("spin: 1500 rpm", "spin: {table: [[0 s, 0 rpm], [1 s, 1500 rpm]]}", "changes over time"), ("spin: 1500 rpm", "spin: 0 rpm", "constant spin above zero"),
                               ("    spin: 1500 rpm", "    reduce: {method: rubin, modes: 4}\n    spin: 1500 rpm", "reduce")):
            self.assertIn(word, self.percuss("check", good.replace(old, new), code=2))
        said = self.percuss("check", good[:good.index("  right:")] + good[good.index("start:"):], code=2)
        self.assertIn("`start: synchronous` has no solution: supports", said)

    def test_mass_beside_the_rotor(self):
        """On a beam, at a spin of its own: constant, over time, and over time but later."""
        text = self.CONFIG.replace("GAP", "110 mm").replace("discs:", """  frame:
    type: beam
    mesh: {line: {from: [0, 1 m, 0], to: [600 mm, 1 m, 0], elements: 4}}
    material: {density: 7810 kg/m^3, young: 211 GPa, poisson: 0.3}
    section: {circle: {radius: 8 mm}}
supports: {clamp: {at: frame.left}}
discs:""", 1).replace("unbalances:", "unbalances:\n  mass: {at: frame.right, mass_eccentricity: 1e-3 kg m, axis: [1, 0, 0], SPIN}", 1) + "scheme: {type: half_explicit, step: 1 us}\n"
        table = "spin: {table: [[0 s, 600 rpm], [1 s, 700 rpm]]}"
        self.percuss("check", text.replace("SPIN", "spin: 600 rpm"))
        self.assertIn("that of unbalance 'mass' changes over time", self.percuss("check", text.replace("SPIN", table), code=2))
        self.percuss("check", text.replace("SPIN", table + ", from: 10 ms"))


if __name__ == "__main__":
    unittest.main()
