#!/usr/bin/python3
"""Rows, rings and grids of copies: the config that they make, runs of it, and --set. Usage: test_copies.py PERCUSS"""
import csv
import math
import os
import shutil
import subprocess
import tempfile
import unittest

import yaml

from tested import PERCUSS, ROOT

CRADLE = os.path.join(ROOT, "configs/newton_cradle.yaml")

# A beam in space with its spring, load, mass and stop; three copies around the axis (1, 1, 0) through (0, 0, 0.1).
RING = """
copies:
  wheel: {of: [bodies.bar, springs.tie, loads.pull, contacts.stop], ring: {count: 3, center: [0, 0, 0.1], axis: [1, 1, 0]}}
  pair: {of: masses.tip, row: 3}
bodies:
  bar:
    type: beam
    mesh: {line: {from: [0.1, 0, 0], to: [0.3, 0.1, 0.05], elements: 2}}
    orientation: [0, 0, 1]
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {rectangle: {width: 20 mm, height: 5 mm}}
    initial: {velocity: [1, 2, 3]}
springs:
  tie: {between: [bar_$i.left, ground], stiffness: 1 MN/m, direction: [0, 1, 0]}
masses:
  tip: {at: bar_$i.right, mass: "${i*0.1 kg}"}
loads:
  pull: {at: bar_$i.right, force: [0, 0, 10 N]}
contacts:
  stop: {between: [bar_$i.right, {plane: {point: [0.3, 0.1, -0.1], normal: [0, 0, 1]}}]}
scheme: {type: moreau_jean, step: 10 us}
time: {end: 2 ms}
output: {history: {probes: [bar_*.right], every: 10}, frames: {every: 0}}
"""


def number(text):
    return float(str(text).split(" ", maxsplit=1)[0])


def turned(x, angle, center=(0, 0, 0)):
    """x after the rotation about (1, 1, 0)."""
    e = [math.sqrt(0.5), math.sqrt(0.5), 0]
    d = [a - b for a, b in zip(x, center)]
    along = sum(a * b for a, b in zip(e, d))
    cross = [e[1] * d[2] - e[2] * d[1], e[2] * d[0] - e[0] * d[2], e[0] * d[1] - e[1] * d[0]]
    c, s = math.cos(angle), math.sin(angle)
    return [c * d[k] + s * cross[k] + (1 - c) * along * e[k] + center[k] for k in range(3)]


class Copies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "out")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_config(self, config, *sets, code=0):
        if "\n" in config:
            path = os.path.join(self.folder, "model.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(config)
            config = path
        words = [word for assignment in sets for word in ("--set", assignment)]
        done = subprocess.run([PERCUSS, "run", config, "--quiet", "--overwrite", "--out", self.out, *words], capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        if code:
            return done.stderr
        with open(os.path.join(self.out, "config.yaml"), encoding="utf-8") as file:
            return yaml.safe_load(file)

    def table(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def assert_near(self, text, x):
        for a, b in zip(text, x):
            self.assertAlmostEqual(number(a), b, delta=1e-14 * max(1, abs(b)))

    def test_rings_turn_positions_and_directions(self):
        made = self.run_config(RING)
        center = (0, 0, 0.1)
        self.assertNotIn("copies", made)
        self.assertEqual(list(made["bodies"]), ["bar_1", "bar_2", "bar_3"])
        for i in range(3):
            angle = 2 * math.pi * i / 3
            bar, line = made["bodies"][f"bar_{i + 1}"], made["bodies"][f"bar_{i + 1}"]["mesh"]["line"]
            self.assert_near(line["from"], turned((0.1, 0, 0), angle, center))
            self.assert_near(line["to"], turned((0.3, 0.1, 0.05), angle, center))
            self.assert_near(bar["orientation"], turned((0, 0, 1), angle))
            self.assert_near(bar["initial"]["velocity"], turned((1, 2, 3), angle))
            self.assert_near(made["springs"][f"tie_{i + 1}"]["direction"], turned((0, 1, 0), angle))
            self.assertEqual(made["springs"][f"tie_{i + 1}"]["between"], [f"bar_{i + 1}.left", "ground"])
            self.assert_near(made["loads"][f"pull_{i + 1}"]["force"], turned((0, 0, 10), angle))
            plane = made["contacts"][f"stop_{i + 1}"]["between"][1]["plane"]
            self.assert_near(plane["point"], turned((0.3, 0.1, -0.1), angle, center))
            self.assert_near(plane["normal"], turned((0, 0, 1), angle))
            self.assertAlmostEqual(number(made["masses"][f"tip_{i + 1}"]["mass"]), 0.1 * (i + 1), delta=1e-15)
        # With equal masses the copies move as the first does, turned.
        self.run_config(RING, "masses.tip.mass=0.1 kg")
        largest = error = 0
        for row in self.table("history.csv"):
            first = [row[f"bar_1.right.u{k}"] for k in "xyz"]
            for i in (1, 2):
                moved = [row[f"bar_{i + 1}.right.u{k}"] for k in "xyz"]
                largest = max(largest, *map(abs, first))
                error = max(error, *(abs(a - b) for a, b in zip(moved, turned(first, 2 * math.pi * i / 3))))
        self.assertGreater(largest, 1e-3)
        self.assertLess(error, 1e-9 * largest)

    def test_bodies_are_turned_with_their_own_rotation(self):
        body = "{type: body, density: 2000 kg/m^3, shapes: {hull: {box: [0.1, 0.2, 0.3]}}, at: [0.5, 0, 0]%s}"
        rest = "\nscheme: {type: half_explicit, step: 1 ms}\ntime: {end: 2 ms}\n"
        made = self.run_config("copies: {ring: {of: bodies.box, ring: {count: 8}}}\nbodies: {box: " + body % "" + "}" + rest)
        self.assertNotIn("rotation", made["bodies"]["box_1"])
        self.assert_near(made["bodies"]["box_3"]["at"], (0, 0.5, 0))
        self.assert_near(made["bodies"]["box_3"]["rotation"]["axis"], (0, 0, 1))
        self.assertAlmostEqual(number(made["bodies"]["box_3"]["rotation"]["angle"]), math.pi / 2, delta=1e-14)
        made = self.run_config("copies: {ring: {of: bodies.box, ring: {count: 8, step: 90 deg}}}\nbodies: {box: " + body % ", rotation: {axis: [1, 0, 0], angle: 90 deg}" + "}" + rest)
        turn = made["bodies"]["box_2"]["rotation"]  # a quarter about x, then about z: a third of a turn about (1, 1, 1)
        self.assert_near(turn["axis"], [1 / math.sqrt(3)] * 3)
        self.assertAlmostEqual(number(turn["angle"]), 2 * math.pi / 3, delta=1e-14)
        self.assert_near(made["bodies"]["box_5"]["at"], (0.5, 0, 0))

    def test_grids_alternate(self):
        made = self.run_config(
            "copies: {wall: {of: bodies.b, grid: {count: [2, 3, 2], shift: [[0.2, 0, 0], [0, 0.1, 0], [0, 0, 1]], alternate: [0.05, 0, 0]}}}\n"
            'bodies: {b: {type: body, mass: "${1 kg + 0.1 kg*i + 0.01 kg*j + 0.001 kg*k}", inertia: [1, 1, 1], at: [0, 0, 0]}}\n'
            "scheme: {type: half_explicit, step: 1 ms}\ntime: {end: 1 ms}\noutput: {history: {probes: [b_*]}}\n"
        )
        self.assertEqual(list(made["bodies"])[:4], ["b_1_1_1", "b_2_1_1", "b_1_2_1", "b_2_2_1"])
        self.assertEqual(len(made["bodies"]), 12)
        self.assert_near(made["bodies"]["b_2_3_2"]["at"], (0.25, 0.2, 1))
        self.assert_near(made["bodies"]["b_2_3_1"]["at"], (0.2, 0.2, 0))
        self.assertAlmostEqual(number(made["bodies"]["b_2_3_2"]["mass"]), 1.232)
        self.assertEqual(made["output"]["history"]["probes"], list(made["bodies"]))

    def test_cradle(self):
        self.run_config(CRADLE, "time.end=0.48 s", "output.frames.every=0")
        history = self.table("history.csv")
        early, last = next(row for row in history if row["time"] > 0.0015), history[-1]
        self.assertAlmostEqual(early["ball_20.vx"], 1, delta=1e-4)
        self.assertLess(max(abs(early[f"ball_{i}.vx"]) for i in (1, 2, 19)), 1e-4)
        self.assertAlmostEqual(max(row["ball_20.y"] for row in history), (1 + 0.4 * 0.02**2 / 0.2**2) / (2 * 9.81), delta=1e-5)  # with its rotation
        self.assertLess(last["ball_1.vx"], -0.98)

    def test_sets_reach_originals_copies_and_the_number_of_copies(self):
        made = self.run_config(
            CRADLE, "copies.cradle.row.count=4", "copies.touch.row=3", "bodies.ball.density=2000", "bodies.ball_3.density=3000", "parameters.pitch=50 mm",
            "contacts.touch_2={friction: 0.1}", "output.history.probes=[ball_*]", "time.end=1 ms",
        )
        self.assertEqual(len(made["bodies"]), 4)
        self.assertEqual([number(made["bodies"][f"ball_{i}"]["density"]) for i in (1, 2, 3, 4)], [2000, 2000, 3000, 2000])
        self.assert_near(made["bodies"]["ball_4"]["at"], (0.15, 0, 0))
        self.assertEqual([made["contacts"][f"touch_{i}"].get("friction") for i in (1, 2, 3)], [None, 0.1, None])
        self.assertEqual(made["contacts"]["touch_3"]["between"], ["ball_3.hull", "ball_4.hull"])
        self.assertIn("there is no 'bals'; did you mean 'ball'?", self.run_config(CRADLE, "bodies.bals.mass=1", code=2).replace(" in bodies", ""))

    def test_runs_repeat_from_their_config(self):
        short = ("time.end=2 ms",)
        self.run_config(CRADLE, *short)
        with open(os.path.join(self.out, "history.csv"), "rb") as file:
            first = file.read()
        copy = os.path.join(self.folder, "again.yaml")
        shutil.copy(os.path.join(self.out, "config.yaml"), copy)
        self.run_config(copy)
        with open(os.path.join(self.out, "history.csv"), "rb") as file:
            self.assertEqual(file.read(), first)

    def test_beams_of_a_ring_bend_alike(self):
        """Their sections are rotated with them: loads along the axis of the ring deflect all of them by F L^3/(3 E I)."""
        text = """
copies: {r: {of: [bodies.beam, supports.clamp, loads.pull], ring: {count: 4}}}
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0.1, 0, 0], to: [1.1, 0, 0], elements: 4}}
    orientation: [0, 0, 1]
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {rectangle: {width: 5 mm, height: 20 mm}}
supports: {clamp: {at: beam_$i.left, fix: all}}
loads: {pull: {at: beam_$i.right, force: [0, 0, 10 N]}}
start: static
scheme: {type: moreau_jean, step: 1 ms}
time: {end: 1 ms}
output: {history: {probes: ["beam_*.right"]}}
"""
        row = self.first_row(text)
        found = [float(row[f"beam_{i}.right.uz"]) for i in range(1, 5)]
        self.assertAlmostEqual(found[0] * 3 * 210e9 * 0.005 * 0.020**3 / 12 / 10, 1, delta=0.01)
        for uz in found[1:]:
            self.assertAlmostEqual(uz / found[0], 1, delta=1e-6)

    def test_stars_are_bodies_first(self):
        """A contact and a body may have copies of one name: ball_* are those of the body."""
        text = """
copies: {a: {of: contacts.ball, row: {count: 2}}, b: {of: bodies.ball, row: {count: 5, shift: [1 m, 0, 0]}}}
bodies: {ball: {type: rigid, mass: 1 kg, at: [0, 0, 1 m], inertia: [1, 1, 1]}}
contacts: {ball: {between: [ball_$i.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]}}
loads: {push: {at: ["ball_*.center"], force: [1 N, 0, 0]}}
scheme: {type: half_explicit, step: 1 ms}
time: {end: 100 ms}
output: {history: {probes: ["ball_*.center"]}}
"""
        last = self.last_row(text)
        for i in range(1, 6):
            self.assertAlmostEqual(float(last[f"ball_{i}.center.ux"]), 0.005, delta=1e-4)

    def test_stars_in_reactions(self):
        text = """
gravity: [0, 0, -9.81]
copies: {a: {of: [bodies.ball, supports.foot], row: {count: 3, shift: [1 m, 0, 0]}}}
bodies: {ball: {type: rigid, mass: "${i*1 kg}", at: [0, 0, 1 m], inertia: [1, 1, 1]}}
supports: {foot: {at: ball_$i.center, fix: [z]}}
scheme: {type: half_explicit, step: 1 ms}
time: {end: 2 ms}
output: {history: {probes: ["supports.foot_*"]}}
"""
        last = self.last_row(text)
        for i in range(1, 4):
            self.assertAlmostEqual(float(last[f"supports.foot_{i}.fz"]), 9.81 * i, places=12)

    def rows(self, text):
        config, out = os.path.join(self.folder, "model.yaml"), os.path.join(self.folder, "rows")
        with open(config, "w") as file:
            file.write(text)
        done = subprocess.run([PERCUSS, "run", config, "--out", out, "--quiet", "--overwrite"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "history.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def first_row(self, text):
        return self.rows(text)[0]

    def last_row(self, text):
        return self.rows(text)[-1]


if __name__ == "__main__":
    unittest.main()
