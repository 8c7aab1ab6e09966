#!/usr/bin/python3
"""The scripts that redraw the papers' figures: they run, draw what they say, make nothing twice, and say what is wrong. Usage: test_figures.py PERCUSS"""
import os
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

sys.path.insert(0, os.path.join(ROOT, "postprocess"))


def draw(script, *words):
    environment = dict(os.environ, PERCUSS=PERCUSS, MPLBACKEND="Agg")
    return subprocess.run([sys.executable, os.path.join(ROOT, "postprocess", script), *words], capture_output=True, text=True, env=environment, timeout=500)


def manifests(folder):
    """{name of a run: when its run.json was written}"""
    runs = os.path.join(folder, "runs")
    return {name: os.stat(os.path.join(runs, name, "run.json")).st_mtime_ns for name in os.listdir(runs)}


class Figures(unittest.TestCase):
    def check(self, script, keys, tables=False):
        only = [] if tables else ["--only", *keys]  # tables go with all figures
        with tempfile.TemporaryDirectory() as folder:
            done = draw(script, *only, "--out", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pictures = [word for word in done.stdout.split() if word.endswith(".png")]
            self.assertEqual(len(pictures), len(keys))
            for picture in pictures:
                with open(os.path.join(ROOT, picture), "rb") as file:
                    self.assertEqual(file.read(4), b"\x89PNG", picture)
                self.assertGreater(os.path.getsize(os.path.join(ROOT, picture)), 10000, picture)
            made = manifests(folder)
            self.assertEqual(draw(script, *only, "--out", folder).returncode, 0)
            self.assertEqual(manifests(folder), made)  # a second call makes no run again
            return done.stdout

    def test_slider_crank(self):
        self.check("slider_crank.py", ["a05", "a10", "b06"])

    def test_ball_in_box(self):
        self.check("ball_in_box.py", ["a15", "a18"])

    def test_projection(self):
        self.check("projection.py", ["c1"])
        with tempfile.TemporaryDirectory() as folder:
            done = draw("projection.py", "--out", folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        approaching = {}  # of the ball: its table comes first
        for line in done.stdout.splitlines():
            name, _, rest = line.strip().partition("  ")
            if name in ("projection_naive", "projection_combined", "ggl_decoupled"):
                approaching.setdefault(name, int(rest.split()[0]))
        self.assertEqual(approaching, {"projection_naive": 968, "ggl_decoupled": 968, "projection_combined": 0})

    def test_spring_pendulum(self):
        said = self.check("spring_pendulum.py", ["d02", "dswing", "dstep"], tables=True)  # the 250 s of Fig. 2, too
        rows = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.split()[:1] in (["moreau_midpoint"], ["variational"])}
        self.assertEqual([rows[name][-1] for name in ("variational", "moreau_midpoint")], ["219", "226"])  # impacts
        self.assertAlmostEqual(float(rows["moreau_midpoint"][2]), -38.63, delta=0.02)  # % of the energy at 250 s
        for column, expected in zip((3, 4, 5, 6), (-0.3016, 0.0017, -0.3954, 0.1267)):
            self.assertAlmostEqual(float(rows["variational"][column]), expected, delta=1e-3)

    def test_dae(self):
        tables = {}  # {title: rows of words}
        for line in self.check("dae.py", ["e03b", "eorder"]).splitlines():
            if line[:5] in ("Block", "Slide"):
                rows = tables.setdefault(line, [])
            elif line[:1] == " " and tables and line.split()[0][:1].isdigit():
                rows.append(line.split())
        bounds = {"hem5": (4.8, 5.1), "rkf45": (3.85, 4.1), "alpha": (1.95, 2.05)}
        self.assertEqual(len(tables), 4 + 1 + 8)
        for title, rows in tables.items():
            solver = next((name for name in bounds if f"event_driven_{name}" in title), None)
            if "constant steps" in title:  # steps, h, error, order, known error, |g|, |dg/dt|
                least, most = bounds[solver]
                for row in rows[-2:]:
                    self.assertTrue(least <= float(row[3]) <= most, (title, row))
                for row in rows[:-1]:  # the known error of the last is rounding by a tenth
                    if row[4] != "-":
                        self.assertAlmostEqual(float(row[2]) / float(row[4]), 1, delta=0.02)
                self.check_drift(title, solver, [row[5:7] for row in rows])
            elif solver:  # tolerance ... 8: work over the published one ... 12: error, 13: |g|, 14: published, 15: |dg/dt|
                errors = [float(row[12]) for row in rows]
                self.assertEqual(errors, sorted(errors, reverse=True), title)
                if solver == "hem5":
                    self.assertTrue(all(0.5 <= float(row[8]) <= 1 for row in rows))
                self.check_drift(title, solver, [row[13:16:2] for row in rows])

    def test_choose(self):
        with tempfile.TemporaryDirectory() as folder:
            done = draw("choose.py", "--only", "crank", "--out", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(os.path.getsize(os.path.join(folder, "choose.png")) > 10000)
        errors, summary = {}, []  # {scheme: by step or tolerance, as listed}; the last table
        for line in done.stdout.splitlines():
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(cells) == 6 and cells[0].startswith("`"):
                errors.setdefault(cells[0].strip("`"), []).append(float(cells[3]))
            elif len(cells) == 2 and cells[0].startswith("`"):
                summary.append(cells[0].strip("`"))
        self.assertEqual(list(errors), summary)
        self.assertTrue({"half_explicit", "implicit_split", "event_driven_hem5", "half_explicit_adaptive"} <= set(errors))
        self.assertTrue(all(max(found) < 0.02 for found in errors.values()), errors)
        self.assertLess(errors["half_explicit"][0], errors["half_explicit"][1] / 5)  # steps of 10 and of 100 us
        self.assertLess(errors["event_driven_hem5"][2], errors["event_driven_hem5"][0] / 20)  # tolerances of 1e-4 to 1e-8

    def check_drift(self, title, solver, rows):
        """HEM5 holds velocities, alpha positions, with a projection both; what is not held drifts."""
        gap, rate = (max(map(float, column)) for column in zip(*rows))
        self.assertTrue(gap <= 1e-12 if solver == "alpha" else gap > 1e-9, (title, gap))
        self.assertTrue(rate <= 1e-14 if solver == "hem5" or "projected" in title else rate > 1e-9, (title, rate))

    def test_unknown_figure(self):
        done = draw("slider_crank.py", "--only", "a99")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a99", done.stderr)
        self.assertIn("a10", done.stderr)  # what there is

    def test_no_program(self):
        environment = dict(os.environ, PERCUSS="/nowhere/percuss")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "postprocess/ball_in_box.py")], capture_output=True, text=True, env=environment, timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/percuss", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
