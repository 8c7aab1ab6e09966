"""What the tests of `percuss orbit` share: running it in a folder of its own, and reading its tables."""
import csv
import os
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class OrbitCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "results")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def percuss(self, *words, command="orbit"):
        return subprocess.run([PERCUSS, command, *words, "--out", self.out, "--overwrite"], capture_output=True, text=True, timeout=300, cwd=self.folder)

    def orbit(self, config, *words):
        done = self.percuss(config, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def read(self, name):
        return table(os.path.join(self.out, name))

    def found(self, kind):
        return [float(row["parameter"]) for row in self.read("bifurcations.csv") if row["kind"] == kind]

    def near(self, value, expected, relative):
        self.assertLess(abs(value - expected), relative * abs(expected), f"{value!r} instead of {expected!r}")

    def config(self, text):
        path = os.path.join(self.folder, "model.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path
