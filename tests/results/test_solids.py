#!/usr/bin/python3
"""Frames of solids and of their contacts, and the figure of the contact pressure. Usage: test_solids.py PERCUSS"""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.environ.get("PERCUSS", os.path.join(ROOT, "build/release/percuss"))
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


class Solids(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="percuss_solids_")
        self.addCleanup(self.folder.cleanup)

    def run_of(self, text):
        path, out = os.path.join(self.folder.name, "case.yaml"), os.path.join(self.folder.name, "out")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([PERCUSS, "run", path, "--out", out, "--overwrite", "--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
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

    def test_nothing_pressed(self):
        run = self.run_of(PRESSED.replace("STATE", "").replace("DEPTH", "10 mm").replace("CELLS", "2").replace("BACK", ", back: {at: block.back, fix: z}, top: {at: block.bottom, fix: y}")
                          .replace("redistributed", "lumped").replace("massless_contact", "half_explicit").replace("contacts: {floor", "#"))  # fmt: skip
        self.assertEqual(run.contact_frames(), [])
        with self.assertRaisesRegex(Exception, "no contact pressure"):
            run.plot.pressure()
        self.assertNotIn('id="pressure"', run.report().read_text(encoding="utf-8"))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and os.path.exists(sys.argv[1]):
        PERCUSS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
