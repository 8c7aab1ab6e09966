#!/usr/bin/python3
"""percuss static. Usage: test_static.py PERCUSS"""
import csv
import json
import math
import os
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS, ROOT

# A block that is pressed on another one, which is larger.
PRESSED = """
bodies:
  base: {type: solid, state: plane_strain, mesh: {box: {from: [-50 mm, -20 mm, 0], to: [60 mm, 0, 0], cells: [11, 4, 0]}}, material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}}
  block: {type: solid, state: plane_strain, mesh: {box: {from: [-25 mm, 0, 0], to: [25 mm, 30 mm, 0], cells: [3, 4, 0]}}, material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}}
supports: {foot: {at: base.bottom}}
loads: {press: {on: block.top, pressure: 1 MPa}}
contacts: {t: {between: [{surface: block.bottom}, {surface: base.top}], sliding: finite, friction: 0.2}}
start: static
scheme: {type: moreau_jean, step: 0.5 us}
time: {end: 5 us}
output: {contacts: {every: 1}, frames: {every: 0}}
"""

# The third rotor of ROSS's tests: two discs, two bearings.
ROSS = """
gravity: [0, -9.8065 m/s^2, 0]
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [1.5 m, 0, 0], elements: 6}}
    material: {density: 7810 kg/m^3, young: 211 GPa, shear_modulus: 81.2 GPa}
    section: {circle: {radius: 25 mm}}
discs:
  one: {at: shaft@0.5 m, shape: {outer_radius: 140 mm, inner_radius: 25 mm, thickness: 70 mm, density: 7810 kg/m^3}}
  two: {at: shaft@1 m, shape: {outer_radius: 175 mm, inner_radius: 25 mm, thickness: 70 mm, density: 7810 kg/m^3}}
unbalances: {mark: {at: shaft@0.5, mass_eccentricity: 1e-3 kg m}}
bearings:
  left: {between: [shaft.left, ground], stiffness: [1 MN/m, 0.8 MN/m], damping: 1 kN s/m}
  right: {between: [ground, shaft.right], stiffness: [1 MN/m, 0.8 MN/m]}
"""
# A cantilever whose end rests on a plane: 3/8 of a load along it.
PROPPED = """
gravity: [0, 0, 0]
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [2 m, 0, 0], elements: 4}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {rectangle: {width: 20 mm, height: 50 mm}}
    theory: euler_bernoulli
supports: {clamp: {at: beam.left}}
loads: {snow: {on: beam, force_per_length: [0, -100 N/m, 0]}}
contacts: {stop: {between: [beam.right, {plane: {point: [2 m, 0, 0], normal: [0, 1, 0]}}]}}
"""
# Friswell, Penny, Garvey, Lees, Dynamics of rotating machines, example 5.5.1, with twice the load on two bearings.
FILM = """
gravity: [0, 0, 0]
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 2}}
    material: {density: 0.001 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 50 mm}}
    spin: 1500 rpm
loads: {weight: {at: shaft@0.5, force: [0, -1050 N, 0]}}
bearings:
  left: {between: [shaft.left, ground], film: {diameter: 100 mm, length: 30 mm, clearance: 0.1 mm, viscosity: 0.1 Pa s}}
  right: {between: [shaft.right, ground], film: {diameter: 100 mm, length: 30 mm, clearance: 0.1 mm, viscosity: 0.1 Pa s}}
"""


# A heavy rigid shaft in two bores, which alone hold it across.
SHAFT_IN_FILMS = """
gravity: [0, 0, -9.81 m/s^2]
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.6 m, 0, 0], elements: 6}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {circle: {radius: 25 mm}}
    spin: 3600 rpm
bearings:
  left: &film {between: [shaft.left, ground], film: {diameter: 50 mm, length: 40 mm, clearance: 50 um, viscosity: 20 cP}}
  right: {<<: *film, between: [shaft.right, ground]}
scheme: {type: moreau_jean, step: 20 us}
time: {end: 1 ms}
"""
BORES = """
gravity: [0, 0, 0]
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.5 m, 0, 0], elements: 2}}
    material: {density: 0.001 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 20 mm}}
loads:
  weight: {at: shaft@0.5, force: [0, -100 N, 0]}
  side: {at: shaft@0.5, force: [0, 0, SIDE N]}
contacts:
  front: {between: [{node: shaft.left, radius: 20 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 20.25 mm, side: inside}}]}
  rear: {between: [{node: shaft.right, radius: 20 mm}, {cylinder: {center: [0.5 m, 0, 0], axis: [1, 0, 0], radius: 20.25 mm, side: inside}}]}
"""


class Static(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")

    def call(self, text, *words, command="static"):
        config = os.path.join(self.folder, "model.yaml")
        with open(config, "w") as file:
            file.write(text)
        return subprocess.run([PERCUSS, command, config, "--out", self.out, "--overwrite", *words], capture_output=True, text=True, timeout=300)

    def solve(self, text, *words):
        done = self.call(text, "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        found["reaction"] = {entry["name"]: entry for entry in found["reactions"]}
        return found

    def table(self, name):
        with open(os.path.join(self.out, name)) as file:
            return list(csv.DictReader(file))

    def near(self, value, expected, within, what=""):
        self.assertLessEqual(abs(value - expected), within, f"{what}: {value} is not {expected}")

    def test_ross(self):
        """Moments at the inner nodes and shear within the first element, as ROSS has them; the free-body sums; unbalances and dampers are left out."""
        found = self.solve(ROSS)
        moments = {round(entry["along"], 9): entry["moment_3"] for entry in found["sections"]}
        for along, value in zip((0.25, 0.5, 0.75, 1, 1.25), (118.8692, 228.3396, 248.5133, 259.2881, 134.3435)):
            self.near(abs(moments[along]), value, 6e-5, f"moment at {along} m")
        weight = 9.8065 * 7810 * math.pi * (0.025**2 * 1.5 + 0.07 * (0.14**2 + 0.175**2 - 2 * 0.025**2))
        left, right = (found["reaction"][name]["force"][1] for name in ("left", "right"))
        self.near(left + right, weight, 1e-8, "sum")
        first = [entry for entry in found["sections"] if entry["along"] <= 0.25][:5]
        line = weight - 9.8065 * 7810 * math.pi * 0.07 * (0.14**2 + 0.175**2 - 2 * 0.025**2)
        for entry in first:
            self.near(entry["shear_2"], line * entry["along"] / 1.5 - left, 1e-8, "shear")
        done = self.call(ROSS)
        self.assertIn("section forces of shaft, largest:  shear 556.172 N at 1.5 m  bending moment 259.288 N m at 1 m", done.stdout)
        rows = self.table("static_sections.csv")
        self.assertEqual(len(rows), 30)
        self.assertEqual(float(rows[4]["moment_3"]), found["sections"][4]["moment_3"])
        self.assertEqual([row["name"] for row in self.table("static_reactions.csv")], ["left", "right"])
        self.assertTrue(os.path.exists(os.path.join(self.out, "frames", "model_000000.vtk")))

    def test_contact(self):
        """The propped cantilever: 3/8 q L at the stop, 5/8 q L and q L^2/8 at the clamp."""
        found = self.solve(PROPPED)
        stop = found["contacts"][0]
        self.assertEqual(stop["state"], "closed")
        self.near(stop["force"][0], 75, 1e-6)
        self.near(stop["gap"], 0, 1e-12)
        self.near(found["reaction"]["clamp"]["force"][1], 125, 1e-6)
        self.near(found["reaction"]["clamp"]["moment"][2], 50, 1e-6)
        open_again = self.solve(PROPPED, "--set", "loads.snow.force_per_length=[0, 100 N/m, 0]")
        self.assertEqual(open_again["contacts"][0]["state"], "open")
        self.near(open_again["reaction"]["clamp"]["force"][1], -200, 1e-6)

    def test_start(self):
        """A run with `start: static` begins in this state, with the contact closed, and stays."""
        text = PROPPED + "start: static\nscheme: {type: half_explicit, step: 1 us}\ntime: {end: 1 ms}\noutput: {history: {probes: [beam@0.5, supports.clamp], every: 500}, frames: {every: 0}}\n"
        done = self.call(text, "--quiet", command="run")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.table("history.csv")
        for row in rows[1:]:
            self.near(float(row["supports.clamp.fy"]), 125, 1e-3)
            self.near(float(row["beam@0.5.uy"]), float(rows[0]["beam@0.5.uy"]), 1e-9)

    def test_start_with_springs_of_a_part_of_the_run(self):
        """They act as at t = 0: the one that breaks later helps to hold the beam, and that which begins later does not."""
        text = PROPPED + "start: static\nscheme: {type: half_explicit, step: 1 us}\ntime: {end: 0.1 ms}\noutput: {history: {probes: [supports.clamp], every: 10}, frames: {every: 0}}\n"
        spring = "springs: {s: {between: [beam@0.5, ground], direction: [0, 1, 0], stiffness: 1 kN/m%s}}\n"
        start = {}
        for name, more in (("always", spring % ""), ("breaks", spring % ", until: 1 s"), ("begins", spring % ", from: 50 us"), ("none", "")):
            done = self.call(text + more, "--quiet", command="run")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = [float(row["supports.clamp.fy"]) for row in self.table("history.csv")]
            start[name] = rows[1]
            for row in rows[1:4]:
                self.near(row, rows[1], 1e-6)
        self.near(start["breaks"], start["always"], 1e-6)
        self.near(start["begins"], start["none"], 1e-6)
        self.assertGreater(abs(start["always"] - start["none"]), 1e-3)

    def test_start_of_sliding_solids(self):
        """Contacts of `sliding: finite` begin closed, without an impact, and keep their forces."""
        done = self.call(PRESSED, "--quiet", command="run")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.table("contacts.csv")
        names = [column[:-6] for column in rows[0] if column.endswith(".state")]
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertEqual(rows[0][name + ".state"], "closed")
            for row in rows[2:]:
                self.near(float(row[name + ".impulse"]), float(rows[1][name + ".impulse"]), 1e-4)

    def test_film(self):
        """Short journal bearing: eccentricity 0.266298 and attitude 70.62 degrees from the load."""
        found = self.solve(FILM)
        for name in ("left", "right"):
            self.near(found["reaction"][name]["force"][1], 525, 1e-5)
            self.near(found["reaction"][name]["force"][2], 0, 1e-5)
        y, z = found["sections"][0]["displacement"][1:]
        self.near(math.hypot(y, z) / 1e-4, 0.266298, 2e-6)
        self.near(math.degrees(math.atan2(abs(z), -y)), 70.62, 5e-3)

    def test_shaft_in_films(self):
        """Its weight is small at each node, the forces of the films are not; the films carry the same on any mesh."""
        weight = 7850 * math.pi * 0.025 ** 2 * 0.6 * 9.81
        for elements in (2, 6, 12):
            found = self.solve(SHAFT_IN_FILMS.replace("elements: 6", f"elements: {elements}"))
            for reaction in found["reactions"]:
                self.near(reaction["force"][2], weight / 2, 1e-6 * weight, f"{elements} elements")

    def test_rests_in_bores(self):
        """The load pulls the journals along the bores until it is normal to them: the curvature of the surface holds them, with 0.25 mm of clearance, and with a lateral spring or a cross-coupled one."""
        for side in (0, 10, 60, 100, 250):
            found = self.solve(BORES.replace("SIDE", str(side)))
            size = math.hypot(100, side)
            y, z = found["sections"][0]["displacement"][1:]
            self.near(y, -0.25e-3 * 100 / size, 1e-10, "y")
            self.near(z, 0.25e-3 * side / size, 1e-10, "z")
        # K u + lambda u/c = f, |u| = c, along the bore
        for k, cross in ((20e3, 0), (20e3, 30e3), (150e3, 0)):
            springs = "bearings:\n" + "".join(f"  {name}: {{between: [shaft.{name}, ground], stiffness: [{k}, {cross}, {-cross}, {k}]}}\n" for name in ("left", "right"))
            y, z = self.solve(BORES.replace("SIDE", "40") + springs)["sections"][0]["displacement"][1:]
            self.near(math.hypot(y, z), 0.25e-3, 1e-10)
            self.near((-50 - k * y - cross * z) * z - (20 - k * z + cross * y) * y, 0, 1e-8, "the load along the bore")

    def test_refusals(self):
        text = PROPPED.replace("supports: {clamp: {at: beam.left}}", "")
        done = self.call(text)
        self.assertEqual(done.returncode, 2)
        self.assertIn("do not hold the whole model", done.stderr)
        done = self.call(FILM.replace("1050", "105000") + "contacts: {shell: {between: [{node: shaft.left, radius: 50 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 50.05 mm, side: inside}}]}}\n")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("starts with a penetration", done.stderr)
        done = self.call("bodies:\n  ball: {type: bouncing_ball, mass: 1 kg}\n")
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_free_along_a_surface(self):
        """A lattice of trusses that only slides on a plane has no unique equilibrium, even without a load along it; if it is held along the plane, its contacts carry its weight."""
        with open(os.path.join(ROOT, "configs/lattice_drop.yaml")) as file:
            text = file.read()
        done = self.call(text)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("hold the directions along their surfaces", done.stderr)
        found = self.solve(text + "supports: {sides: {at: lattice.bottom, fix: [x, z]}}\n")
        self.assertTrue(all(entry["state"] == "closed" for entry in found["contacts"]))


if __name__ == "__main__":
    unittest.main()
