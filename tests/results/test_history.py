#!/usr/bin/python3
"""Columns and rows of history.csv: accelerations, windows of rows, the first record of a run that starts from another one. Usage: test_history.py PERCUSS"""
import csv
import math
import os
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")

OSCILLATOR = """
gravity: [0, 0, -10 m/s^2]
bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 2, 3], initial: {velocity: [1 m/s, 0, 0]}}}
springs: {cord: {between: [mass.center, ground], stiffness: 200 N/m, direction: [1, 0, 0]}}
loads: {twist: {at: mass.center, moment: [0, 6 N m, 0]}}
scheme: {type: half_explicit, step: 0.1 ms}
time: {end: 0.1 s}
output: {frames: {every: 0}, history: {probes: [mass.center], accelerations: true, every: 10}}
"""
SHAKEN = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {rectangle: {width: 20 mm, height: 50 mm}}
    mass: lumped
supports: {clamp: {at: beam.left, motion: [{displacement: [0, 1 mm, 0], time: {harmonic: {frequency: 100 rad/s}}}]}}
scheme: {type: half_explicit, step: 2 us}
time: {end: 20 ms}
output: {frames: {every: 0}, history: {probes: [beam.left, beam.right], accelerations: true, every: 100}}
"""
BLOCK = """
gravity: [0, 0, -10 m/s^2]
bodies: {block: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1], initial: {velocity: [1 m/s, 0, 0]}}}
contacts: {floor: {between: [block.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], friction: 0.3}}
scheme: {type: half_explicit, step: 1 ms}
time: {end: 0.1 s}
output: {frames: {every: 0}, history: {probes: [block.center], accelerations: true}, contacts: {every: 1}}
"""
SURFACES = """
gravity: [0, -10 m/s^2, 0]
bodies:
  a:
    type: solid
    mesh: {box: {from: [0, 0, 0], to: [1 m, 1 m, 0], cells: [2, 2, 0]}}
    state: plane_strain
    material: {density: 7800 kg/m^3, young: 2 GPa, poisson: 0.3}
  b:
    type: solid
    mesh: {box: {from: [0, 1 m, 0], to: [1 m, 2 m, 0], cells: [3, 2, 0]}}
    state: plane_strain
    material: {density: 7800 kg/m^3, young: 2 GPa, poisson: 0.3}
supports: {foot: {at: a.bottom, fix: all}}
contacts:
  dry: {between: [{surface: b.bottom}, {surface: a.top}], until: 10 ms}
  wet: {between: [{surface: b.bottom}, {surface: a.top}], friction: 0.2, from: 10 ms}
scheme: {type: half_explicit, step: 50 us}
time: {end: 20 ms}
output: {contacts: {every: 50}, frames: {every: 0}}
"""


class History(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_history_")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_config(self, text, out, *sets, ranks=1):
        path = os.path.join(self.folder, "model.yaml")
        with open(path, "w") as file:
            file.write(text)
        command = [PERCUSS, "run", path, "--quiet", "--out", os.path.join(self.folder, out)]
        for word in sets:
            command += ["--set", word]
        if ranks > 1:
            command = [MPIEXEC, "-n", str(ranks), "--oversubscribe", *command]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def rows(self, out, table="history.csv"):
        with open(os.path.join(self.folder, out, table)) as file:
            return [{key: float(value) if value and value[-1] in "0123456789n" and not value.isalpha() else value for key, value in row.items()} for row in csv.DictReader(file)]

    def test_accelerations_change_no_other_column(self):
        """Also of nodes that a support moves, whose columns are functions of time."""
        self.run_config(SHAKEN, "with")
        self.run_config(SHAKEN, "without", "output.history.accelerations=false")
        rows = []
        for out in ("with", "without"):
            with open(os.path.join(self.folder, out, "history.csv")) as file:
                rows.append(list(csv.DictReader(file)))
        for a, b in zip(*rows):
            self.assertEqual({name: a[name] for name in b}, b)
        self.assertGreater(max(abs(float(row["beam.left.vy"])) for row in rows[1]), 0.09)

    def test_accelerations(self):
        for scheme in ("{type: half_explicit, step: 0.1 ms}", "{type: moreau_jean, step: 0.1 ms}", "{type: event_driven_hem5, step: 10 ms}"):
            self.run_config(OSCILLATOR, "a" + scheme[7:12], f"scheme={scheme}")
            rows = self.rows("a" + scheme[7:12])
            self.assertGreater(len(rows), 1)
            for row in rows:
                self.assertAlmostEqual(row["mass.center.ax"], -100 * row["mass.center.ux"], delta=1e-9)
                self.assertAlmostEqual(row["mass.center.az"], -10, delta=1e-9)
                self.assertAlmostEqual(row["mass.center.awy"], 3, delta=1e-9)

    def test_moving_support(self):
        self.run_config(SHAKEN, "one")
        rows = self.rows("one")
        for row in rows:
            self.assertAlmostEqual(row["beam.left.ay"], -1e-3 * 1e4 * math.sin(100 * row["time"]), delta=1e-9)
        tip = [row["beam.right.vy"] for row in rows]
        for k in range(1, len(rows) - 1):  # central difference of the velocity over 0.4 ms, of a beam whose second mode has 0.9 ms
            self.assertLess(abs((tip[k + 1] - tip[k - 1]) / 4e-4 - rows[k]["beam.right.ay"]), 0.35 * max(abs(row["beam.right.ay"]) for row in rows))
        if MPIEXEC:
            self.run_config(SHAKEN, "two", ranks=2)
            for a, b in zip(rows, self.rows("two")):
                for key, value in a.items():
                    self.assertAlmostEqual(value, b[key], delta=1e-9 * max(1, abs(value)), msg=key)

    def test_a_contact_that_stops_acting_opens(self):
        for scheme in ("half_explicit", "moreau_jean", "event_driven_hem5"):
            self.run_config(BLOCK.replace("friction: 0.3}", "friction: 0.3, until: 50 ms}"), scheme, f"scheme.type={scheme}", "supports={guide: {at: block.center, fix: [y]}}")
            openings = [(row["time"], row["contact"]) for row in self.rows(scheme, "events.csv") if row["event"] == "opening"]
            self.assertEqual(openings, [(0.05, "floor")])

    def test_surfaces_of_solids_in_contact_one_after_the_other(self):
        """The second contact takes over with the penetration that the scheme has left to the first one."""
        self.run_config(SURFACES, "one")
        force = {name: [sum(value for key, value in row.items() if key.startswith(name) and key.endswith(".force")) for row in self.rows("one", "contacts.csv")] for name in ("dry", "wet")}
        self.assertGreater(max(force["dry"][:5]), 1e5)
        self.assertGreater(max(force["wet"][5:]), 1e5)
        self.assertEqual(set(force["dry"][5:] + force["wet"][:5]), {0})

    def test_windows_of_rows(self):
        self.run_config(OSCILLATOR, "all")
        self.run_config(OSCILLATOR, "part", "output.history.from=20 ms", "output.history.until=40 ms", "output.energy={every: 10, from: 50 ms}")
        self.assertEqual([row for row in self.rows("all") if 0.02 <= row["time"] < 0.04], self.rows("part"))
        self.assertEqual([row["time"] for row in self.rows("part", "energy.csv")][0], 0.05)

    def test_start_from_has_forces(self):
        """A block that slides: its first record has the forces of the last one of the run before."""
        self.run_config(BLOCK, "a")
        self.run_config(BLOCK, "b", "start={from: a}")
        last, first = self.rows("a")[-1], self.rows("b")[0]
        for key in ("ax", "az", "vx"):
            self.assertAlmostEqual(last[f"block.center.{key}"], first[f"block.center.{key}"], delta=1e-9, msg=key)
        self.assertAlmostEqual(first["block.center.ax"], -3, delta=1e-9)
        row = self.rows("b", "contacts.csv")[0]
        self.assertAlmostEqual(row["floor.force"], 20, delta=1e-9)
        self.assertEqual(row["floor.state"], "slip")


if __name__ == "__main__":
    unittest.main()
