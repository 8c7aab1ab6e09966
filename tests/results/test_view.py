#!/usr/bin/python3
"""The scene that each run leaves, view.py: draws what the run wrote, without ParaView. Usage: test_view.py PERCUSS"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

HAS_VTK = subprocess.run([sys.executable, "-c", "import vtkmodules.all"], capture_output=True).returncode == 0
os.environ["PERCUSS"] = PERCUSS  # of the Python package
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

    def run_of(self, name, *sets):
        """Results of a config, in the folder of all."""
        out = os.path.join(self.folder, name)
        options = [word for each in sets for word in ("--set", each)]
        subprocess.run([PERCUSS, "run", os.path.join(ROOT, f"configs/{name}.yaml"), *options, "--quiet", "--overwrite", "--out", out], check=True, timeout=120,
                       capture_output=True)  # fmt: skip
        return out

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
        middle = picture[330:390, 230:880]
        self.assertGreater(share(middle, lambda r, g, b: b > r + 0.15), 0.1)  # pressure is blue
        self.assertGreater(share(picture, lambda r, g, b: (g > r + 0.15) & (g > b + 0.05)), 3e-4)  # the wall's arrow is green
        again = os.path.join(self.folder, "first.png")
        self.view("--png", again, "--frame", "0")
        self.assertEqual(share(pixels(again), lambda r, g, b: (g > r + 0.15) & (g > b + 0.05)), 0)  # it has not hit yet

    def test_units_and_titles(self):
        sys.path.insert(0, os.path.join(ROOT, "postprocess"))
        import view
        scene = view.Scene("bar", None, [], None, [], scale=2.0)
        for limit, prefix in ((1.451e6, ("M", 1e6)), (999.0, ("", 1.0)), (0.06, ("m", 1e-3)), (4e-5, ("µ", 1e-6)), (2e14, ("G", 1e9)), (0.0, ("", 1.0))):
            scene.limit = limit
            self.assertEqual(scene.prefix()[0], prefix[0])
            self.assertAlmostEqual(scene.prefix()[1] / prefix[1], 1)
        self.assertEqual(scene.words(0.25), "bar\nt = 0.25 s, displacements x 2")
        scene.mode = True
        self.assertEqual(scene.words(0.25), "bar\ndisplacements x 2")

    @unittest.skipUnless(CAN_DRAW, "nothing to draw with: needs python3-vtk9, and a display or xvfb")
    def test_axes_and_opacity(self):
        """Axes in the lower left corner; bodies that are not opaque are paler."""
        solid, pale = (os.path.join(self.folder, name) for name in ("solid.png", "pale.png"))
        self.view("--png", solid)
        self.view("--png", pale, "--opacity", "0.3")
        self.assertGreater(share(pixels(solid)[600:, :140], lambda r, g, b: r < 0.5), 1e-3)
        blue = [share(pixels(file)[330:390, 230:880], lambda r, g, b: b > r + 0.35) for file in (solid, pale)]
        self.assertGreater(blue[0], 0.1)
        self.assertLess(blue[1], 0.1 * blue[0])

    @unittest.skipUnless(CAN_DRAW, "nothing to draw with: needs python3-vtk9, and a display or xvfb")
    def test_scale_and_frames(self):
        folder = os.path.join(self.folder, "pictures")
        done = self.view("--frames", folder, "--scale", "7", "--colour", "speed")
        self.assertIn("displacements x 7,", done.stdout)
        self.assertIn("coloured by speed", done.stdout)
        frames = [name for name in os.listdir(os.path.join(self.bar, "frames")) if name.startswith("elastic_bar_")]
        self.assertEqual(len(os.listdir(folder)), len(frames))

    @unittest.skipUnless(CAN_DRAW, "nothing to draw with: needs python3-vtk9, and a display or xvfb")
    def test_every_kind_of_model(self):
        kinds = {"ball_shower": ("speed", "time.end=5 ms"), "box_on_belt": ("speed", "time.end=20 ms"), "rotor_adaptive": ("stress", "time.end=20 ms"), "truss_on_stop": ("stress", "time.end=50 ms"), "slider_crank": ("speed", "time.end=20 ms"),
                 "ball_chain": ("speed", "time.end=0.1 s")}  # fmt: skip
        for name, (colour, end) in kinds.items():
            file = os.path.join(self.folder, name + ".png")
            said = self.view(self.run_of(name, end), "--png", file).stdout
            self.assertIn(f"coloured by {colour}", said, name)
            picture = pixels(file)
            model = picture[100:, :1080]
            self.assertGreater(share(model, lambda r, g, b: abs(r - b) > 0.08), 2e-3, name)  # coloured tubes, larger than a dot
            ink = (model.min(axis=2) < 0.9).any(axis=0).nonzero()[0]
            self.assertGreater(ink.max() - ink.min(), 300, name)  # the model fills the picture
            self.assertGreater(ink.min(), 20, name)
            self.assertEqual(share(picture[100:, 1080:1110], lambda r, g, b: (r < 0.9) | (g < 0.9) | (b < 0.9)), 0, name)  # and does not run into the legend

    def test_planes(self):
        """Each plane once, around what may touch it, where its motion has it, with the velocity of its surface."""
        sys.path.insert(0, os.path.join(ROOT, "python"))
        import numpy
        import percuss
        from percuss.results import read_frame

        plane = lambda run, number: read_frame(os.path.join(run, "frames", f"planes_{number:06d}.vtk"))
        belt = plane(self.run_of("box_on_belt", "time.end=20 ms"), 0)
        self.assertEqual((len(belt.cells), belt.kinds.tolist()), (1, [9]))
        numpy.testing.assert_allclose(belt.points[:, 2], 0, atol=1e-15)
        self.assertTrue((belt.points[:, :2].min(axis=0) < -0.1).all() and (belt.points[:, :2].max(axis=0) > 0.1).all())  # the box is 0.2 m wide
        numpy.testing.assert_allclose(belt.point["velocity"], 4 * [[3, 0, 0]], atol=1e-15)
        lattice = plane(self.run_of("lattice_drop", "time.end=0.1 ms"), 0)
        self.assertEqual(len(lattice.cells), 1)  # of 6561 candidates
        model = percuss.Model(bodies={"ball": {"type": "rigid", "at": [0, 0, "30 mm"], "mass": "1 kg", "inertia": [1e-4, 1e-4, 1e-4]}}, scheme={"type": "moreau_jean", "step": "1 ms"},
                              time={"end": "50 ms"}, output={"frames": {"every": 10}},
                              contacts={"table": {"between": [{"node": "ball.center", "radius": "10 mm"}, {"plane": {
                                  "point": [0, 0, "5 mm"], "normal": [0, 0, 1], "motion": [{"velocity": [0, 0, "0.1 m/s"]}]}}]}})  # fmt: skip
        for kind in ("vtk", "vtu"):
            run = percuss.run(model, out=os.path.join(self.folder, "table_" + kind), set={"output.frames.format": kind}, overwrite=True)
            frame = read_frame(os.path.join(run.directory, "frames", f"planes_000003.{kind}"))
            numpy.testing.assert_allclose(frame.point["displacement"], 4 * [[0, 0, 3e-3]], atol=1e-15)
            numpy.testing.assert_allclose(frame.point["velocity"], 4 * [[0, 0, 0.1]], atol=1e-15)
            numpy.testing.assert_allclose(frame.point["gap"], 4 * [[0, 0, 15e-3]], atol=1e-15)
        box = {"type": "body", "density": "600 kg/m^3", "at": [0, 0, "50 mm"], "shapes": {"hull": {"box": ["0.1 m", "0.1 m", "0.1 m"]}}}
        moving = {"point": [0, 0, 0], "normal": [0, 0, 1], "motion": [{"velocity": [0, 0, "0.1 m/s"]}]}
        walls = {"table": moving, "left": {"point": [-1, 0, 0], "normal": [1, 0, 0]}, "right": {"point": [1, 0, 0], "normal": [-1, 0, 0]}}
        model = percuss.Model(bodies={"box": box}, scheme={"type": "moreau_jean", "step": "1 ms"}, time={"end": "10 ms"}, output={"frames": {"every": 10}},
                              contacts={name: {"between": ["box.hull", {"plane": plane}]} for name, plane in walls.items()})  # fmt: skip
        run = percuss.run(model, out=os.path.join(self.folder, "walls"), overwrite=True)
        frame = read_frame(os.path.join(run.directory, "frames", "planes_000001.vtk"))
        numpy.testing.assert_allclose(frame.point["velocity"][:, 2], 4 * [0.1] + 8 * [0], atol=1e-15)  # of 8 corners against each plane one picture
        numpy.testing.assert_allclose(frame.points[4:, 0], 4 * [-1] + 4 * [1], atol=1e-15)

    @unittest.skipUnless(CAN_DRAW, "nothing to draw with: needs python3-vtk9, and a display or xvfb")
    @unittest.skipUnless(HAS_VTK, "needs python3-vtk9")
    def test_both_formats(self):
        """VTK reads the same from .vtu files as from .vtk files, and so does the Python package; a run that is resumed with the other format has frames of both."""
        sys.path.insert(0, os.path.join(ROOT, "python"))
        import numpy as np
        from percuss.results import Run, read_frame

        name = "truss_on_stop"
        legacy = shutil.move(self.run_of(name), os.path.join(self.folder, "legacy"))
        xml = self.run_of(name, "output.frames.format=vtu")
        both = os.path.join(self.folder, "both")
        os.mkdir(both)
        for folder in legacy, xml:
            for file in os.listdir(os.path.join(folder, "frames")):
                shutil.copy(os.path.join(folder, "frames", file), both)
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tests/tools/vtk_same.py"), both], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        frames = Run(legacy).frames(), Run(xml).frames()
        self.assertEqual([time for time, _ in frames[0]], [time for time, _ in frames[1]])
        for (_, a), (_, b) in zip(*frames):
            a, b = read_frame(a), read_frame(b)
            np.testing.assert_array_equal(a.points, b.points)
            self.assertEqual([list(cell) for cell in a.cells], [list(cell) for cell in b.cells])
            for one, other in (a.point, b.point), (a.cell, b.cell), (a.field, b.field):
                self.assertEqual(one.keys(), other.keys())
                for array in one:
                    np.testing.assert_array_equal(one[array], other[array])
        pictures = []
        for folder in (legacy, xml) if CAN_DRAW else ():
            pictures.append(os.path.join(folder, "picture.png"))
            subprocess.run([sys.executable, os.path.join(folder, "view.py"), "--png", pictures[-1], "--frame", "3"], check=True, capture_output=True, timeout=300)
        if pictures:
            np.testing.assert_array_equal(pixels(pictures[0]), pixels(pictures[1]))
        end = 1.5 * frames[0][-1][0]
        words = [PERCUSS, "run", os.path.join(ROOT, f"configs/{name}.yaml"), "--quiet", "--out", legacy, "--resume", "--set", f"time.end={end!r}", "--set", "output.frames.format=vtu"]
        subprocess.run(words, check=True, timeout=120, capture_output=True)
        resumed = Run(legacy).frames()
        self.assertEqual([path.suffix for _, path in resumed[: len(frames[0])]], [".vtk"] * len(frames[0]))
        self.assertEqual({path.suffix for _, path in resumed[len(frames[0]) :]}, {".vtu"})
        self.assertGreater(resumed[-1][0], 1.4 * frames[0][-1][0])

    def test_a_run_in_progress(self):
        out = os.path.join(self.folder, "unfinished")
        shutil.copytree(self.bar, out)
        series, contacts = (os.path.join(out, f"elastic_bar{end}.vtk.series") for end in ("", "_contacts"))
        with open(contacts) as file:
            listed = json.load(file)
        del listed["files"][-1]
        with open(contacts, "w") as file:
            json.dump(listed, file)
        os.remove(os.path.join(out, listed["files"][3]["name"].replace("contacts", "elastic_bar")))
        picture = os.path.join(out, "last.png")
        self.view(out, "--png", picture)  # the last frame has no contacts yet
        self.assertGreater(os.path.getsize(picture), 5000)
        with open(series, "w") as file:
            json.dump({"file-series-version": "1.0", "files": []}, file)
        self.assertIn("no frame is written yet", self.view(out, "--png", picture, code=2).stderr)
        with open(series, "w") as file:
            file.write('{"file-series')
        self.assertIn("elastic_bar.vtk.series: Unterminated", self.view(out, "--png", picture, code=2).stderr)

    @unittest.skipUnless(shutil.which("pvpython"), "no pvpython here: ParaView's way was not tried")
    def test_paraview(self):
        file = os.path.join(self.folder, "paraview.png")
        words = ["pvpython", "--force-offscreen-rendering", os.path.join(self.bar, "view.py"), "--png", file]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = pixels(file)
        self.assertGreater(share(picture[330:390, 230:880], lambda r, g, b: b > r + 0.15), 0.1)  # pressure is blue
        self.assertGreater(share(picture, lambda r, g, b: (g > r + 0.15) & (g > b + 0.05)), 3e-4)  # the wall's arrow is green

    def test_a_mechanism_without_frames(self):
        out = self.run_of("slider_crank", "time.end=10 ms", "output.frames.every=0")
        self.assertFalse(os.path.exists(os.path.join(out, "view.py")))
        done = subprocess.run([sys.executable, os.path.join(ROOT, "postprocess/view.py"), out, "--png", "x.png"], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^view\.py: .*: no frames; put `frames: \{every: 20\}` under output: and run again \(a plugin also needs its function `draw`\)\n$")

    @unittest.skipUnless(HAS_VTK, "needs python3-vtk9")
    def test_errors(self):
        self.assertIn("no frame 1000", self.view("--png", "x.png", "--frame", "1000", code=2).stderr)
        self.assertIn("no run.json", self.view(self.folder, "--png", "x.png", code=2).stderr)
        self.assertIn("no run.json", self.view(os.path.join(self.bar, "run.json"), "--png", "x.png", code=2).stderr)
        nowhere = os.path.join(self.folder, "nowhere", "x.png")
        self.assertEqual(self.view("--png", nowhere, code=2).stderr, f"view.py: {nowhere}: No such file or directory\n")
        bare = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
        bare["PATH"] = self.folder  # no Xvfb here
        self.assertIn("apt install xvfb", self.view("--png", "x.png", code=2, environment=bare).stderr)


if __name__ == "__main__":
    unittest.main()
