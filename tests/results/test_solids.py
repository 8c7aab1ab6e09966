#!/usr/bin/python3
"""Frames of solids and of their contacts, and the figure of the contact pressure. Usage: test_solids.py PERCUSS"""
import math
import os
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests/python")]

import numpy as np  # noqa: E402
from figure_rules import faults  # noqa: E402
from percuss.results import Run  # noqa: E402

# Uniform stress: sigma_ii = 2000, sigma_ij = 400 Pa, so that 2800 Pa along (1, 1, 1) and 1600 Pa across; e_xx = 1e-3, gamma_xy = 1e-3. Equal and distinct elements.
PATCH = """
bodies:
  patch: {type: solid, mesh: MESH, material: {density: 7800, young: 1e6, poisson: 0.25}}
supports:
  a: {at: patch.P0, fix: [x, y, z]}
  b: {at: patch.P1, fix: [y, z]}
  c: {at: patch.P3, fix: z}
loads:
  l: {on: patch.left, traction: [-2000, -400, -400]}
  r: {on: patch.right, traction: [2000, 400, 400]}
  b: {on: patch.bottom, traction: [-400, -2000, -400]}
  t: {on: patch.top, traction: [400, 2000, 400]}
  k: {on: patch.back, traction: [-400, -400, -2000]}
  f: {on: patch.front, traction: [400, 400, 2000]}
start: static
scheme: {type: moreau_jean, step: 1 us}
time: {end: 1 us}
output: {frames: {every: 1, format: FORMAT}}
"""
BOXES = [("{box: {from: [0, 0, 0], to: [1, 1, 1], cells: [3, 2, 2]%s}}" % more, ("left_bottom_back", "right_bottom_back", "left_top_back"))
         for more in ("", ", elements: tet4", ", elements: tet10")]
FILES = [("{file: %s/meshes/patch_%s.msh}" % (ROOT, name), ("p0", "p1", "p3")) for name in ("hex", "mixed")]

# A block on a rigid plane, pressed by 1 MPa and pushed: even pressure, friction below its limit; in the plane and in space.
PRESSED = """
bodies:
  block: {type: solid, STATE mesh: {box: {from: [0, 0, 0], to: [40 mm, 20 mm, DEPTH], cells: [8, 10, CELLS]}}, material: {density: 7800, young: 210 GPa, poisson: 0}, mass: redistributed}
supports: {side: {at: block.left, fix: x}BACK}
loads: {press: {on: block.top, pressure: 1 MPa}}
contacts: {floor: {between: [block.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}
start: static
scheme: {type: massless_contact, step: 0.2 us}
time: {end: 1 us}
output: {frames: {every: 1}}
"""

# A mass slides without friction along the inside of a quarter of a ring, whose faces are straight.
CHANNEL = """
bodies:
  channel: {type: solid, state: plane_strain, thickness: 10 mm, mesh: {file: ring.msh}, material: {density: 7800, young: 210 GPa, poisson: 0.3}, mass: lumped}
  ball: {type: rigid, at: [-31.85 mm, -37.957 mm, 0], mass: 10 g, inertia: [1e-6, 1e-6, 1e-6], initial: {velocity: [0.766 m/s, -0.6428 m/s, 0]}}
supports: {foot: {at: channel.outer}}
contacts: {slide: {between: [ball.center, {surface: channel.inner}], sliding: finite}}
scheme: {type: half_explicit, step: 0.2 us}
time: {end: 68 ms}
output: {frames: {every: 0}, contacts: {every: 0}, energy: {every: 0}, history: {every: 0}}
"""


def write_ring(path, faces):
    """Quadrangles between radii of 50 and 60 mm, from -135 to -45 degrees."""
    nodes = [(radius * math.cos(angle), radius * math.sin(angle)) for angle in (math.radians(-135 + 90 * k / faces) for k in range(faces + 1)) for radius in (0.05, 0.06)]
    elements = []
    for k in range(faces):
        a, b, c, d = 2 * k + 1, 2 * k + 2, 2 * k + 4, 2 * k + 3
        elements += [(3, 1, (a, b, c, d)), (1, 2, (a, d)), (1, 3, (b, c))]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "3", '2 1 "body"', '1 2 "inner"', '1 3 "outer"', "$EndPhysicalNames", "$Nodes", str(len(nodes))]
    lines += [f"{number} {x!r} {y!r} 0" for number, (x, y) in enumerate(nodes, 1)] + ["$EndNodes", "$Elements", str(len(elements))]
    lines += [f"{number} {kind} 2 {tag} {tag} {' '.join(map(str, at))}" for number, (kind, tag, at) in enumerate(elements, 1)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join([*lines, "$EndElements", ""]))


class Solids(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="percuss_solids_")
        self.addCleanup(self.folder.cleanup)

    def run_of(self, text, warns=False):
        path, out = os.path.join(self.folder.name, "case.yaml"), os.path.join(self.folder.name, "out")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([PERCUSS, "run", path, "--out", out, "--overwrite", "--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(warns, "nodes that slide over such edges" in done.stderr, done.stderr)
        return Run(out)

    def test_stress_and_strain(self):
        for number, (mesh, points) in enumerate(BOXES + FILES):
            text = PATCH.replace("MESH", mesh).replace("FORMAT", "vtu" if number % 2 else "vtk")
            for name, point in zip(("P0", "P1", "P3"), points):
                text = text.replace(name, point)
            cell = self.run_of(text).frame(0).cell
            ones = np.ones((3, 3))
            self.assertLess(abs(cell["stress_tensor"] - (400 * ones + 1600 * np.eye(3))).max(), 1e-5, mesh)
            self.assertLess(abs(cell["strain_tensor"] - (0.5e-3 * ones + 0.5e-3 * np.eye(3))).max(), 1e-11, mesh)
            self.assertLess(abs(cell["principal_stress"] - [2800, 1600, 1600]).max(), 1e-5, mesh)
            first, last = cell["principal_direction_1"], cell["principal_direction_3"]
            self.assertLess(abs(abs(first.sum(axis=1)) - 3**0.5).max(), 1e-9, mesh)
            self.assertLess(abs(last.sum(axis=1)).max(), 1e-6, mesh)
            self.assertLess(abs((last**2).sum(axis=1) - 1).max(), 1e-12, mesh)
            self.assertAlmostEqual(cell["energy"].sum(), 3.6, 9)

    def test_contact_pressure(self):
        for state, depth, cells, back in (("state: plane_strain,", "0", "0", ""), ("", "10 mm", "4", ", back: {at: block.back, fix: z}")):
            run = self.run_of(PRESSED.replace("STATE", state).replace("DEPTH", depth).replace("CELLS", cells).replace("BACK", back))
            frames = run.contact_frames()
            self.assertEqual(len(frames), 6)
            from percuss.results import read_frame

            for _, path in frames[1:]:
                frame = read_frame(path)
                self.assertEqual(len(frame.points), 9 if state else 45)
                self.assertLess(abs(frame.point["pressure"] / 1e6 - 1).max(), 1e-6)
            figure = run.plot.pressure()
            self.assertEqual(faults(figure), [])
            self.assertIn('id="pressure"', run.report().read_text(encoding="utf-8"))

    def test_fibres_off_the_axis(self):
        """Saint-Venant's bar with the modulus of off-axis tension in closed form (configs/fibres_off_axis.yaml)."""
        out = os.path.join(self.folder.name, "out")
        subprocess.run([PERCUSS, "run", os.path.join(ROOT, "configs/fibres_off_axis.yaml"), "--out", out, "--quiet", "--set", "output.frames.every=0"], check=True)
        run = Run(out)
        force, time = sum(run.contacts[f"{name}.force"] for name in run.contact_names()), run.contacts["time"]
        c2, s2 = 0.75, 0.25
        young = 1 / (c2**2 / 135e9 + s2**2 / 10e9 + (1 / 5e9 - 0.6 / 135e9) * s2 * c2)
        closed = time[force > 0]
        first, last = closed[0], closed[-1]
        middle = (time > first + 0.1 * (last - first)) & (time < last - 0.1 * (last - first))
        self.assertAlmostEqual(force[middle].mean() / ((young * 1600) ** 0.5 * 20e-6), 0.999, delta=0.01)
        self.assertAlmostEqual((last - first) / (0.4 / (young / 1600) ** 0.5), 1.031, delta=0.01)

    def test_edges_of_a_curved_surface(self):
        """What sliding over 80 degrees costs with faces of 15, 6 and 2 degrees; without edges it would be nothing."""
        lost = []
        for faces in (6, 15, 45):
            write_ring(os.path.join(self.folder.name, "ring.msh"), faces)
            energy = self.run_of(CHANNEL, warns=faces < 45).summary["energy"]
            lost.append(1 - energy["kinetic"] / energy["initial"])
            print(f"  faces of {90 / faces:g} degrees: the mass loses {100 * lost[-1]:.1f} % of its energy", file=sys.stderr)
        self.assertTrue(0.2 > lost[0] > 1.5 * lost[1] > 2 * lost[2] > 0, lost)
        self.assertLess(lost[2], 0.03)

    def test_nothing_pressed(self):
        run = self.run_of(PRESSED.replace("STATE", "").replace("DEPTH", "10 mm").replace("CELLS", "2").replace("BACK", ", back: {at: block.back, fix: z}, top: {at: block.bottom, fix: y}")
                          .replace("redistributed", "lumped").replace("massless_contact", "half_explicit").replace("contacts: {floor", "#"))  # fmt: skip
        self.assertEqual(run.contact_frames(), [])
        with self.assertRaisesRegex(Exception, "no contact pressure"):
            run.plot.pressure()
        self.assertNotIn('id="pressure"', run.report().read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
