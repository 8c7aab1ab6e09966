#!/usr/bin/python3
"""Reactions of supports, springs and bearings as probes. Usage: test_reactions.py PERCUSS"""
import csv
import math
import os
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
WEIGHT = 7800 * 0.02 * 0.05 * 9.81  # N

CANTILEVER = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 2}}
    material: {density: 7800 kg/m^3, young: 210 GPa, shear_modulus: 80 GPa}
    section: {rectangle: {width: 20 mm, height: 50 mm}, shear_factor: 0.8}
    damping: {rayleigh: {mass: 30 1/s, stiffness: 1 us}}
supports: {clamp: {at: beam.left}}
gravity: [0, -9.81 m/s^2, 0]
start: static
scheme: {type: half_explicit, step: 1 us}
time: {end: 100 us}
output: {history: {probes: [supports.clamp, beam@0], every: 100}, frames: {every: 0}}
"""
LINKED = """
gravity: [0, -10 m/s^2, 0]
bodies:
  a: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1]}
  b: {type: rigid, at: [1 m, 0, 0], mass: 2 kg, inertia: [1, 1, 1]}
supports: {hook: {at: a.center}}
links: {joint: {between: [a.center, b.center]}}
loads: {pull: {at: b.center, force: [3 N, 0, 0]}}
scheme: {type: half_explicit, step: 0.1 ms}
time: {end: 2 ms}
output: {frames: {every: 0}, history: {probes: [supports.hook, links.joint]}}
"""
TIED = """
gravity: [0, -10 m/s^2, 0]
bodies:
  a: &block
    type: solid
    mesh: {box: {from: [0, 0, 0], to: [0.4 m, 0.2 m, 0.2 m], cells: [1, 2, 2]}}
    material: {density: 1000 kg/m^3, young: 1 MPa, poisson: 0.3}
    mass: lumped
    damping: {rayleigh: {mass: 60 1/s}}
  b: {<<: *block, mesh: {box: {from: [0.4 m, 0, 0], to: [0.8 m, 0.2 m, 0.2 m], cells: [1, 3, 3]}}}
supports: {hook: {at: a.all}}
ties: {seam: {between: [a.right, b.left]}}
scheme: {type: half_explicit, step: 0.5 ms}
time: {end: 0.9 s}
output: {frames: {every: 0}, contacts: {every: 0}, energy: {every: 0}, history: {probes: [supports.hook, ties.seam], every: 1800}}
"""
HALF = """
bodies:
  low: &half {type: solid, mesh: {box: {from: [0, 0, 0], to: [1 m, 1 m, 0], cells: [3, 3, 0]}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}, state: plane_stress, thickness: 0.1 m}
  high: {<<: *half, mesh: {box: {from: [0, 1 m, 0], to: [1 m, 2 m, 0], cells: [4, 3, 0]}}}
supports: {foot: {at: low.bottom, fix: [y]}, one: {at: low.left, fix: [x]}, two: {at: high.left, fix: [x]}}
ties: {seam: {between: [high.bottom, low.top]}}
loads: {press: {on: high.top, traction: [0, -1 MPa, 0]}}
start: static
scheme: {type: moreau_jean, step: 1 us}
time: {end: 2 us}
output: {frames: {every: 0}, contacts: {every: 0}, energy: {every: 0}, history: {probes: [ties.seam, supports.foot, supports.one, supports.two], every: 1}}
"""
SHAKEN = CANTILEVER.replace("{at: beam.left}", "{at: beam.left, motion: [{displacement: [1 mm, 2 mm, 3 mm], time: {harmonic: {frequency: 90 Hz}}}]}").replace("static", "as_given").replace(
    "100 us}", "4 ms}").replace("every: 100}", "every: 500}").replace("    damping: {rayleigh: {mass: 30 1/s, stiffness: 1 us}}\n", "") + """
base: [{acceleration: [3 m/s^2, -5 m/s^2, 2 m/s^2], time: {harmonic: {frequency: 40 Hz}}}]
loads:
  wind: {on: beam, force_per_length: [20 N/m, 30 N/m, 40 N/m], time: {harmonic: {frequency: 70 Hz}}}
  snow: {on: beam, force_per_length: [0, -30 N/m, 0]}
  pull: {at: beam.left, force: [0, 100 N, 0], time: {harmonic: {frequency: 50 Hz}}}
"""
# Everything that can act on what a support holds: gyroscopic moments, unbalance, film, table over speed, loads, base, with a spin that changes.
ROTOR = """
gravity: [0, 0, -9.81 m/s^2]
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [600 mm, 0, 0], elements: 6}}
    material: {density: 7850 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 20 mm}}
    damping: {rayleigh: {mass: 3 1/s, stiffness: 1 us}}
    spin: {table: [[0 s, 1000 rpm], [1 s, 30000 rpm]]}
discs:
  wheel: {at: shaft@0.1, shape: {outer_radius: 100 mm, inner_radius: 8 mm, thickness: 20 mm, density: 7850 kg/m^3}}
unbalances:
  mark: {at: shaft@0.08, mass_eccentricity: 1e-3 kg m, phase: 30 deg}
loads:
  push: {at: shaft@0.02, force: [0, 100 N, 0], time: {harmonic: {frequency: 50 Hz}}}
  line: {on: shaft, force_per_length: [0, 100 N/m, 0]}
base: [{acceleration: [0, 3 m/s^2, 1 m/s^2], time: {harmonic: {frequency: 20 Hz}}}]
bearings:
  film: {between: [shaft@0.45, ground], film: {diameter: 40 mm, length: 20 mm, clearance: 0.1 mm, viscosity: 0.02 Pa s}}
  near: {between: [shaft@0.02, ground], film: {diameter: 40 mm, length: 20 mm, clearance: 0.1 mm, viscosity: 0.02 Pa s}}
  table:
    between: [ground, shaft@0.95]
    over_speed: [[0 rpm, 1e6, 2e5, -2e5, 1e6, 300, 10, -10, 300], [30000 rpm, 3e6, 5e5, -5e5, 1e6, 100, 10, -10, 300]]
BEARINGS
SUPPORTS
start: static
scheme: {type: moreau_jean, theta: 1, step: 20 us}
time: {end: 30 ms}
output: {frames: {every: 0}, history: {probes: PROBES, every: 10}}
"""
RIGID = ROTOR.replace("BEARINGS", "").replace("SUPPORTS", """supports:
  left: {at: shaft.left, fix: [y, z]}
  right: {at: shaft.right, fix: [y, z, rz]}""").replace("PROBES", "[supports.left, supports.right, bearings.film, bearings.near, bearings.table]")
STIFF = ROTOR.replace("SUPPORTS", "").replace("BEARINGS", """  left: {between: [shaft.left, ground], stiffness: 1e11 N/m}
  right: {between: [shaft.right, ground], stiffness: 1e11 N/m, rotational_stiffness: [0, 0, 1e9 N m/rad]}""").replace(
    "PROBES", "[bearings.left, bearings.right, bearings.film, bearings.near, bearings.table]")
BLOCK = """
bodies:
  block:
    type: solid
    mesh: {box: {from: [0, 0, 0], to: [100 mm, 20 mm, 30 mm], cells: [4, 2, 2], elements: hex8}}
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
supports: {wall: {at: block.left}}
gravity: [3 m/s^2, -9.81 m/s^2, 0]
loads: {push: {on: block.right, traction: [2 MPa, 0, 1 MPa]}}
start: static
scheme: {type: half_explicit, step: 0.5 us}
time: {end: 5 us}
output: {history: {probes: [supports.wall, block.left], every: 5}, frames: {every: 0}}
"""


class Reactions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, text, *words, name="out", before=()):
        config = os.path.join(self.folder, "model.yaml")
        with open(config, "w") as file:
            file.write(text)
        self.out = os.path.join(self.folder, name)
        return subprocess.run([*before, PERCUSS, "run", config, "--out", self.out, "--overwrite", "--quiet", *words], capture_output=True, text=True, timeout=300)

    def run_it(self, text, *words, **more):
        done = self.call(text, *words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.out, "history.csv")) as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def near(self, value, expected, within, what=""):
        self.assertLessEqual(abs(value - expected), within, f"{what}: {value} is not {expected}")

    def test_weight(self):
        """A clamp carries the weight, and its moment."""
        for mass in ("consistent", "lumped"):
            for row in self.run_it(CANTILEVER, "--set", f"bodies.beam.mass={mass}"):
                self.near(row["supports.clamp.fy"], WEIGHT, 1e-6, mass)
                self.near(row["supports.clamp.mz"], WEIGHT / 2, 1e-6, mass)

    def test_links_and_ties(self):
        """Weight and load of what hangs on a support by a link or a tie, with its moment; in every kind of scheme."""
        for scheme in ("half_explicit", "moreau_jean", "generalised_alpha", "event_driven_hem5", "position_level"):
            row = self.run_it(LINKED, "--set", f"scheme.type={scheme}")[-1]
            for name, value in {"fx": -3, "fy": 30, "fz": 0, "mx": 0, "my": 0, "mz": 20}.items():
                self.near(row[f"supports.hook.{name}"], value, 1e-9, f"{scheme} support {name}")
            for name, value in {"fx": -3, "fy": 20, "fz": 0, "mx": 0, "my": 0, "mz": 0}.items():
                self.near(row[f"links.joint.{name}"], value, 1e-9, f"{scheme} link {name}")
        for between, sign in (("[a.right, b.left]", 1), ("[b.left, a.right]", -1)):
            row = self.run_it(TIED, "--set", f"ties.seam.between={between}")[-1]
            for name, value in {"fx": 0, "fy": 320, "fz": 0, "mx": 0, "my": 0, "mz": 64}.items():
                self.near(row[f"supports.hook.{name}"], value, 1e-3, f"support {name}")
            for name, value in {"fx": 0, "fy": 160, "fz": 0, "mx": 0, "my": 0, "mz": 32}.items():
                self.near(row[f"ties.seam.{name}"], sign * value, 1e-3, f"tie {name}")
        row = self.run_it(HALF)[-1]  # on a plane of symmetry both sides of the tie are held: it has no equation along x there
        for name, value in {"ties.seam.fx": 0, "ties.seam.fy": -1e5, "ties.seam.mz": 0, "supports.foot.fy": 1e5, "supports.one.fx": 0, "supports.two.fx": 0}.items():
            self.near(row[name], value, 1e-3, name)
        done = self.call(LINKED.replace("links.joint", "links.jont"))
        self.assertIn("there is no 'links.jont'; did you mean 'joint'?", done.stderr)

    def test_section(self):
        """In motion, with moving support, base and loads: the section forces at the clamp, and the force on its node."""
        for mass in ("consistent", "lumped"):
            rows = self.run_it(SHAKEN, "--set", f"bodies.beam.mass={mass}")
            largest = max(abs(row["beam@0.shear_2"]) for row in rows)
            for row in rows[1:]:
                held = {"fx": -row["beam@0.normal_force"], "fy": -row["beam@0.shear_2"], "fz": -row["beam@0.shear_3"], "mx": -row["beam@0.torque"], "my": -row["beam@0.moment_2"], "mz": -row["beam@0.moment_3"]}
                held["fy"] -= 100 * math.sin(2 * math.pi * 50 * row["time"])
                for name, value in held.items():
                    self.near(row[f"supports.clamp.{name}"], value, 1e-9 * largest, f"{mass} {name}")

    def test_stiff_bearings(self):
        """Supports and very stiff bearings have the same reactions, up to their flexibility; and so have the bearings between."""
        rigid, stiff = self.run_it(RIGID), self.run_it(STIFF, name="stiff")
        for name in rigid[0]:
            other = name.replace("supports.", "bearings.")
            largest = max(abs(row[other]) for row in stiff)
            for one, two in zip(rigid[1:], stiff[1:]):
                self.near(one[name], two[other], 1e-3 * largest + 2e-3, name)

    def test_balance(self):
        """Of a rotor in bearings at rest: forces add up to the weight, and are those of the second way of naming the points."""
        row = self.run_it(RIGID.replace("[0, 3 m/s^2, 1 m/s^2]", "[0, 0, 0]"), "--set", "unbalances.mark.mass_eccentricity=0 kg m", "--set", "time.end=20 us", "--set", "loads.push.force=[0, 0, 0]")[0]
        mass = 7850 * math.pi * (0.02**2 * 0.6 + (0.1**2 - 0.008**2) * 0.02)
        names = sorted({name.rsplit(".", 1)[0] for name in row if "." in name})
        self.assertEqual(len(names), 5)
        self.near(sum(row[f"{name}.fz"] for name in names), mass * 9.81, 1e-4, "weight")
        self.near(sum(row[f"{name}.fy"] for name in names), -60, 1e-4, "load")

    def test_solid(self):
        """At rest the clamp of a solid carries its weight and its loads, and the moment of both about its middle."""
        row = self.run_it(BLOCK)[0]
        mass = 7800 * 0.1 * 0.02 * 0.03
        expected = {"fx": -3 * mass - 1200, "fy": 9.81 * mass, "fz": -600, "mx": 0, "my": 600 * 0.1, "mz": 9.81 * mass * 0.05}
        for name, value in expected.items():
            self.near(row[f"supports.wall.{name}"], value, 1e-5, name)

    @unittest.skipUnless(MPIEXEC, "no mpiexec")
    def test_processes(self):
        one = self.run_it(BLOCK)
        two = self.run_it(BLOCK, name="two", before=(MPIEXEC, "--oversubscribe", "-n", "2"))
        for a, b in zip(one, two):
            for name in a:
                self.near(a[name], b[name], 1e-9 * max(1, abs(a[name])), name)

    def test_refusals(self):
        for probe, words in (("supports.clam", "there is no 'supports.clam'; did you mean 'clamp'?"), ("springs.mount", "there is no 'springs.mount'")):
            done = self.call(CANTILEVER.replace("supports.clamp,", probe + ","))
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = self.call(RIGID.replace("push: {at: shaft@0.02", "push: {rotating: true, at: shaft@0.02"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the reaction of 'supports.left' is not known: a rotating load acts on a node that it holds", done.stderr)
        done = self.call(RIGID.replace("spin: {table: [[0 s, 1000 rpm], [1 s, 30000 rpm]]}", "spin: {free: 1000 rpm}").replace("base:", "#"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the reaction of 'supports.left' is not known: an unbalance on a rotor of free spin acts on a node that it holds", done.stderr)


if __name__ == "__main__":
    unittest.main()
