#!/usr/bin/python3
"""The gallery has a picture, the command and the key figures of every config; the figures of a few fast configs are recomputed. Usage: test_gallery.py PERCUSS"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else os.path.join(ROOT, "build/release/percuss")
sys.path.insert(0, os.path.join(ROOT, "postprocess"))
import gallery
import gallery_panels

FOLDER = os.path.join(ROOT, "docs/gallery")
QUICK = ("ball_chain", "ball_in_box", "bouncing_ball", "edge", "elastic_bar", "elastic_bar_redistributed", "oscillator", "pendulum_in_ring", "stepped_bar", "two_bars")
LARGEST, ALL = 60e3, 1.5e6  # bytes of pictures
ROUNDING = 5e-3  # tolerance of figures with three or four digits, for different compilers and libraries


def page():
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        return file.read()


def sections():
    """{name of a config: its text}"""
    parts = re.split(r"^#+ `(\w+)`$", page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def rows(text):
    """{name: cells} of the table."""
    return {line.split("`")[1]: [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")}


class Gallery(unittest.TestCase):
    def test_every_config_is_there(self):
        told = sections()
        self.assertEqual(set(told), set(gallery.configs()))
        for name, path in gallery.configs().items():
            with self.subTest(name=name):
                self.assertIn(f"`percuss run {path.relative_to(ROOT)}`", told[name])
                self.assertIn(f"](pictures/{name}.png)", told[name])
                self.assertIn(f"]({os.path.relpath(path, FOLDER)})", told[name])
                self.assertIn(name, gallery_panels.PICTURES)
        self.assertEqual(set(gallery_panels.PICTURES), set(gallery.configs()))

    def test_pictures_are_small(self):
        folder = os.path.join(FOLDER, "pictures")
        sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}
        self.assertEqual(set(sizes), {f"{name}.png" for name in gallery.configs()})
        self.assertLess(max(sizes.values()), LARGEST, max(sizes, key=sizes.get))
        self.assertLess(sum(sizes.values()), ALL)

    def test_every_config_has_figures(self):
        self.assertEqual(set(rows(page())), set(gallery.configs()))

    def test_figures_are_what_is_printed(self):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([sys.executable, gallery.__file__, "--rows", *QUICK, "--out", out, "--percuss", PERCUSS], capture_output=True, text=True, timeout=500)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told, printed = rows(page()), rows(done.stdout)
        self.assertEqual(list(printed), list(QUICK))
        for name, cells in printed.items():
            for word, here, there in zip(gallery.HEAD[:-1], cells, told[name]):  # without the numerical energy error, which may be rounding
                with self.subTest(name=name, column=word):
                    self.assertTrue(here == there or (here and there and abs(float(here) - float(there)) <= ROUNDING * abs(float(there))), f"{here}, on the page {there}")


class Command(unittest.TestCase):
    def run_gallery(self, *words):
        return subprocess.run([sys.executable, gallery.__file__, *words], capture_output=True, text=True, timeout=60)

    def test_wrong_words(self):
        done = self.run_gallery("--rows", "elastik_bar")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no config 'elastik_bar'", done.stderr)
        done = self.run_gallery("--rows", "edge", "--percuss", "/nowhere/percuss")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program /nowhere/percuss", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
