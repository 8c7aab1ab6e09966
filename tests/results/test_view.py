#!/usr/bin/python3
"""The scene that each run leaves, view.py: draws what the run wrote, without ParaView. Usage: test_view.py PERCUSS"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/percuss")
HAS_VTK = subprocess.run([sys.executable, "-c", "import vtkmodules.all"], capture_output=True).returncode == 0
CAN_DRAW = HAS_VTK and bool(os.environ.get("DISPLAY") or shutil.which("Xvfb"))


def pixels(path):
    """The picture as [rows, columns, 3], 0 .. 1."""
    import matplotlib.image

    return matplotlib.image.imread(path)[:, :, :3]


def share(picture, chosen):
    """Part of the pixels where chosen(red, green, blue)."""
    return chosen(*(picture[:, :, k] for k in range(3))).mean()


class View(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="percuss_test_")
        cls.bar = os.path.join(cls.folder, "bar")
        words = ["run", os.path.join(ROOT, "configs/elastic_bar.yaml"), "--set", "time.end=600 us", "--set", "scheme.step=0.5 us", "--quiet"]
        subprocess.run([PERCUSS, *words, "--out", cls.bar], check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def view(self, *words, code=0, environment=None):
        words = [sys.executable, os.path.join(self.bar, "view.py"), *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_the_script_is_that_of_the_repository(self):
        with open(os.path.join(self.bar, "view.py")) as written, open(os.path.join(ROOT, "postprocess/view.py")) as kept:
            self.assertEqual(written.read(), kept.read())

    @unittest.skipUnless(CAN_DRAW, "nothing to draw with: needs python3-vtk9, and a display or xvfb")
    def test_a_bar_in_contact(self):
        file = os.path.join(self.folder, "bar.png")
        done = self.view("--png", file)  # finds its frames by its own place
        scale = float(re.search(r"displacements x (\S+),", done.stdout).group(1))
        self.assertGreaterEqual(scale, 100)  # 0.1 m/s for 0.6 ms, drawn as up to 5 % of 1 m
        self.assertIn("coloured by stress", done.stdout)
        self.assertIn("arrows: force", done.stdout)
        picture = pixels(file)
        self.assertEqual(picture.shape, (720, 1280, 3))
        middle = picture[330:390, 200:1050]
        self.assertGreater(share(middle, lambda r, g, b: b > r + 0.15), 0.1)  # pressure is blue
        self.assertGreater(share(picture, lambda r, g, b: (g > r + 0.15) & (g > b + 0.05)), 3e-4)  # the wall's arrow is green
        again = os.path.join(self.folder, "first.png")
        self.view("--png", again, "--frame", "0")
        self.assertEqual(share(pixels(again), lambda r, g, b: (g > r + 0.15) & (g > b + 0.05)), 0)  # it has not hit yet

    @unittest.skipUnless(CAN_DRAW, "nothing to draw with: needs python3-vtk9, and a display or xvfb")
    def test_scale_and_frames(self):
        folder = os.path.join(self.folder, "pictures")
        done = self.view("--frames", folder, "--scale", "7", "--colour", "speed")
        self.assertIn("displacements x 7,", done.stdout)
        self.assertIn("coloured by speed", done.stdout)
        frames = [name for name in os.listdir(os.path.join(self.bar, "frames")) if name.startswith("elastic_bar_")]
        self.assertEqual(len(os.listdir(folder)), len(frames))

    @unittest.skipUnless(HAS_VTK, "needs python3-vtk9")
    def test_mistakes(self):
        self.assertIn("no frame 1000", self.view("--png", "x.png", "--frame", "1000", code=2).stderr)
        self.assertIn("no run.json", self.view(self.folder, "--png", "x.png", code=2).stderr)
        bare = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
        bare["PATH"] = self.folder  # no Xvfb here
        self.assertIn("apt install xvfb", self.view("--png", "x.png", code=2, environment=bare).stderr)


if __name__ == "__main__":
    unittest.main()
