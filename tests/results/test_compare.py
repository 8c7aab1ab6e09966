#!/usr/bin/python3
"""percuss compare on real runs: what is the same, what halving the step gains, chaos, runs that failed. Usage: test_compare.py PERCUSS"""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS, ROOT

BALL = os.path.join(ROOT, "configs/bouncing_ball.yaml")
BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
OSCILLATOR = os.path.join(ROOT, "configs/oscillator.yaml")

# Smooth, order 2 by half_explicit: a beam that swings freely.
SWING = """bodies:
  bar:
    type: bar
    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 4}}
    material: {density: 7800, young: 210 GPa}
    section: {area: 1 cm^2}
    initial: {velocity: [1, 0, 0]}
supports:
  wall: {at: bar.left, fix: all}
scheme: {type: half_explicit, step: 8 us}
time: {end: 8 ms}
output: {frames: {every: 0}, history: {every: 1}, energy: {every: 1}}
"""

# A ball among walls and a round post: neighbours part exponentially.
BILLIARD = """bodies:
  ball: {type: rigid, mass: 1 kg, at: [0.3, 0.35, 0], inertia: [1, 1, 1], initial: {velocity: [1.1, 0.73, 0]}}
supports:
  flat: {at: ball.center, fix: [z, rx, ry, rz]}
contacts:
  left: {between: [ball.center, {plane: {point: [-1, 0, 0], normal: [1, 0, 0]}}], restitution: 1}
  right: {between: [ball.center, {plane: {point: [1, 0, 0], normal: [-1, 0, 0]}}], restitution: 1}
  below: {between: [ball.center, {plane: {point: [0, -1, 0], normal: [0, 1, 0]}}], restitution: 1}
  above: {between: [ball.center, {plane: {point: [0, 1, 0], normal: [0, -1, 0]}}], restitution: 1}
  post: {between: [ball.center, {sphere: {center: [0, 0, 0], radius: 0.25, side: outside}}], restitution: 1}
scheme: {type: half_explicit, step: 0.2 ms}
time: {end: 25 s}
output: {frames: {every: 0}, history: {every: 50}, contacts: {every: 0}, energy: {every: 0}}
"""


def percuss(*words, **options):
    return subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=200, **options)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_as(self, name, config, *words, code=0):
        done = percuss("run", config, "--quiet", "--out", os.path.join(self.folder, name), *words)
        self.assertEqual(done.returncode, code, done.stderr)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def compare(self, *words, code):
        done = percuss("compare", *words, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout


class Two(Case):
    def test_the_same(self):
        self.run_as("a", BALL, "--set", "output.frames.every=0")
        self.run_as("b", BALL, "--set", "output.frames.every=0")
        for words in (("a", "b"), ("a", "a"), ("a/run.json", "b/config.yaml"), ("a/", "b", "--tolerance=0")):
            said = self.compare(*words, code=0)
            self.assertIn("A and B are identical, to the last bit of every number", said)
            self.assertIn("history.csv: 2001 times that all have", said)
            self.assertNotIn("different environment", said)

    def test_alike_within_the_tolerance(self):
        self.run_as("a", BALL)
        self.run_as("b", BALL, "--set", "gravity=[0, -9.8100001, 0]", "--set", "time.end=300 ms")
        self.assertIn("ended differently", self.compare("a", "b", code=1))
        self.run_as("c", BALL, "--set", "time.end=300 ms")
        said = self.compare("b", "c", code=0)
        self.assertRegex(said, r"equal within the tolerance: no quantity differs by more than 1e-06 of its scale \(largest: \w+(\.\w+)?, \d")
        self.assertRegex(said, r"gravity +\[0, -9.8100001, 0\] +\[0, -9.81 m/s\^2, 0\]")
        self.assertIn("B and", self.compare("b", "c", "--tolerance", "1e-12", code=1).replace("A and B", "B and"))

    def test_time_of_the_first_difference(self):
        """The ball's first impact is at 0.4515 s: with other restitutions nothing differs before the step in which it is."""
        self.run_as("a", BALL)
        self.run_as("b", BALL, "--set", "bodies.ball.contact.restitution=0.6")
        table = os.path.join(self.folder, "d.csv")
        said = self.compare("a", "b", "--csv", table, code=1)
        self.assertIn("A and B differ by more than 1e-06 of their scale from 0.452 s on", said)
        self.assertRegex(said, r"bodies.ball.contact.restitution +0.5 +0.6")
        with open(table) as file:
            rows = {(row["table"], row["quantity"]): row for row in csv.DictReader(file)}
        self.assertEqual(float(rows["history.csv", "ball.vy"]["parts"]), 0.452)
        self.assertEqual(rows["history.csv", "ball.y"]["unit"], "m")
        # the table says what the files say
        tables = []
        for name in "ab":
            with open(os.path.join(self.folder, name, "history.csv")) as file:
                tables.append(list(csv.DictReader(file)))
        apart = [abs(float(x["ball.y"]) - float(y["ball.y"])) for x, y in zip(*tables)]
        self.assertEqual(float(rows["history.csv", "ball.y"]["largest"]), max(apart))
        self.assertEqual(float(rows["history.csv", "ball.y"]["time_of_largest"]), float(tables[0][apart.index(max(apart))]["time"]))
        self.assertAlmostEqual(float(rows["history.csv", "ball.y"]["rms"]), (sum(x * x for x in apart) / len(apart)) ** 0.5, delta=1e-12)
        self.assertEqual(percuss("compare", "a", "b", "--csv", table, cwd=self.folder).returncode, 2)  # it is there already

    def test_a_jump_at_an_impact(self):
        """Apart by rounding of gravity's 9th digit up to the first impact at 0.4515 s, and by another rebound from then on."""
        self.run_as("a", BALL)
        self.run_as("b", BALL, "--set", "gravity=[0, -9.81000001, 0]", "--set", "bodies.ball.contact.restitution=0.6")
        said = self.compare("a", "b", code=1)
        at = float(re.search(r"the difference jumps near (\S+) s, to \S+ of the magnitude: as if only one run has an impact there", said).group(1))
        self.assertAlmostEqual(at, math.sqrt(2 / 9.81), delta=0.02)

    def test_apart_in_events_alone(self):
        """Up to 0.46 s a ball from 1 m has hit and left the floor; one from 1.03 m has only hit it, or, up to 0.453 s, not even that."""
        for end, count in (("0.46", 1), ("0.453", 0)):
            self.run_as("a", BALL, "--set", "time.end=" + end)
            self.run_as("b", BALL, "--set", "time.end=" + end, "--set", "bodies.ball.initial.y=1.03 m")
            said = self.compare("a", "b", "--tolerance", "3", code=1)
            self.assertRegex(said, rf"(?m)^  floor +[12] +{count} +{count} ")
            self.assertIn("A and B differ in their events only: all quantities are equal within the tolerance", said)
            if not count:
                self.assertRegex(said, r"(?m)^  floor +\d +0 +0 +impact of A at 0.452 s$")
            for name in "ab":
                shutil.rmtree(os.path.join(self.folder, name))

    def test_impulses_whatever_the_interval(self):
        self.run_as("a", BALL, "--set", "output.contacts.every=1")
        self.run_as("b", BALL, "--set", "output.contacts.every=40")
        said = self.compare("a", "b", code=0)
        self.assertRegex(said, r"contacts.csv: 51 times that all have .*A 2001 B 51")
        self.assertRegex(said, r"floor.impulse, sum +N s +\d\S*e-15 ")  # the same sum, added up otherwise
        self.assertIn("... and 4 more, the same to the last bit", said)

    def test_times_that_do_not_match(self):
        """Event-driven against half-explicit: other times, so interpolated; free fall is a parabola, which cubics meet."""
        scheme = "scheme={type: event_driven_hem5, step: 50 ms}"
        self.run_as("a", BALL, "--set", "time.end=0.4 s", "--set", "scheme.step=1.3 ms")
        self.run_as("b", BALL, "--set", "time.end=0.4 s", "--set", scheme)
        table = os.path.join(self.folder, "d.csv")
        said = self.compare("a", "b", "--tolerance", "1e-5", "--csv", table, code=0)
        self.assertIn("times do not match: interpolated to the", said)
        self.assertIn("interp.", said)
        with open(table) as file:
            rows = {row["quantity"]: row for row in csv.DictReader(file)}
        self.assertLess(float(rows["ball.y"]["relative"]), 1e-13)
        self.assertLess(float(rows["ball.y"]["interpolation_error"]), 1e-13)
        kinetic = rows["kinetic"]  # has no rate, so by straight lines: what that costs is known
        self.assertGreater(float(kinetic["largest"]), 1e-6)
        self.assertLess(float(kinetic["largest"]), 1.5 * float(kinetic["interpolation_error"]))
        self.assertGreater(float(kinetic["largest"]), float(kinetic["interpolation_error"]) / 1.5)
        self.run_as("c", BALL, "--set", scheme)
        self.run_as("d", BALL)
        self.assertIn("differences below the column `interp.` are interpolation errors", self.compare("c", "d", code=1))

    def test_a_third_run_is_offered(self):
        config = self.write("swing.yaml", SWING)
        self.run_as("a", config)
        self.run_as("b", config, "--set", "scheme.step=4e-6")
        said = self.compare("a", "b", code=1)
        self.assertRegex(said, r"(?m)^summary \(run.json\) .*\n  steps +\d+ +\d+ +\d+$")  # what differs, and nothing else
        self.assertNotRegex(said, r"(?m)^  energy\.friction ")
        command = re.search(r"a third run shows the order of convergence: percuss (run .*)", said).group(1)
        done = percuss(*command.split(), "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("consistent with order 2", self.compare("a", "b", "b_finer", code=1))


class Three(Case):
    def halve(self, text, steps, *words, name="x"):
        config = self.write(name + ".yaml", text)
        for letter, step in zip("abc", steps):
            self.run_as(letter, config, "--set", "scheme.step=" + step, *words)

    def test_order(self):
        self.halve(SWING.replace("velocity: [1, 0, 0]", "velocity: [3, 0, 0]"), ("4 us", "2 us", "1 us"))
        for words in (("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")):
            said = self.compare(*words, code=1)
            self.assertRegex(said, r"(?m)^A: a: .*\nB: b: .*\nC: c: ")  # the coarsest first
            order = float(re.search(r"order (\S+) \(median of", said).group(1))
            self.assertAlmostEqual(order, 2, delta=0.1)
            self.assertIn("consistent with order 2", said)
            parts = [float(x) for x in re.search(r"in eighths of the time: (.*)", said).group(1).split()]
            self.assertEqual(len(parts), 8)
            for part in parts:
                self.assertAlmostEqual(part, 2, delta=0.3)
            self.assertNotIn("chaotic", said)
        # the error to be expected of C is what a much finer run finds
        expected, name = re.search(r"expected error of C: at most about (\S+) of a quantity's scale \((\S+)\)", said).groups()
        expected = float(expected)
        self.run_as("d", os.path.join(self.folder, "x.yaml"), "--set", "scheme.step=0.1 us")
        table = os.path.join(self.folder, "d.csv")
        self.compare("c", "d", "--csv", table, code=1)
        with open(table) as file:
            relative = {row["quantity"]: float(row["relative"]) for row in csv.DictReader(file) if row["table"] == "history.csv"}
        worst = max(relative.values())
        self.assertEqual(relative[name], worst)
        self.assertAlmostEqual(worst / expected, 1, delta=0.05)

    def test_order_one(self):
        self.halve(SWING.replace("half_explicit, step: 8 us", "moreau_jean, theta: 1, step: 8 us"), ("0.1 us", "50 ns", "25 ns"), "--set", "time.end=2 ms",
                   "--set", "output={frames: {every: 0}, history: {every: 20}, energy: {every: 20}}")
        said = self.compare("a", "b", "c", code=1)
        self.assertAlmostEqual(float(re.search(r"order (\S+) \(median of", said).group(1)), 1, delta=0.15)
        self.assertIn("consistent with order 1", said)

    def test_rounding_has_no_order(self):
        """Free fall is exact with any step."""
        for letter, step in zip("abc", ("4 ms", "2 ms", "1 ms")):
            self.run_as(letter, BALL, "--set", "scheme.step=" + step, "--set", "time.end=0.4 s")
        self.assertIn("order: not observable, the differences are rounding errors\n", self.compare("a", "b", "c", code=0))

    def test_order_from_some_time_on(self):
        """A load that comes after half the time: before it nothing differs."""
        late = SWING.replace("initial: {velocity: [1, 0, 0]}", "") + "loads: {pull: {at: bar.right, force: [1 kN, 0, 0], time: {table: [[0, 0], [4 ms, 0], [8 ms, 1]]}}}\n"
        self.halve(late, ("4 us", "2 us", "1 us"))
        said = self.compare("a", "b", "c", code=1)
        parts = re.search(r"in eighths of the time: (.*)", said).group(1).split()
        self.assertEqual(parts[:4], ["-"] * 4)
        for part in parts[4:]:
            self.assertAlmostEqual(float(part), 2, delta=0.3)

    def test_differences_that_grow(self):
        """A push moves what is half as heavy twice as far: from 4 to 2 to 1 kg the differences double, and that is order -1."""
        config = self.write("push.yaml", "bodies: {block: {type: rigid, mass: 4 kg, at: [0, 0, 0], inertia: [1, 1, 1]}}\nloads: {push: {at: block.center, force: [1, 0, 0]}}\n"
                            "scheme: {type: half_explicit, step: 1 ms}\ntime: {end: 1 s}\noutput: {frames: {every: 0}, history: {probes: [block.center], every: 1}}\n")
        for letter, mass in zip("abc", "421"):
            self.run_as(letter, config, "--set", f"bodies.block.mass={mass} kg")
        said = self.compare("a", "b", "c", code=1)
        self.assertRegex(said, r"order -1.00 .*: no convergence\n")
        self.assertIn("no convergence (order below 0.5) at any time\n", said)

    def test_a_run_without_its_config(self):
        config = self.write("swing.yaml", SWING)
        for letter in "abc":
            self.run_as(letter, config, "--set", "time.end=0.1 ms")
        os.remove(os.path.join(self.folder, "b", "config.yaml"))
        done = percuss("compare", "a", "b", "c", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "percuss compare: 'b' has no config.yaml, which is needed to determine the step\n"))
        self.assertIn("A and B are identical", self.compare("a", "b", code=0))  # two are compared without

    def test_other_ratios_and_numbers(self):
        config = self.write("x.yaml", SWING)
        for letter, step in zip("abcd", ("9 us", "3 us", "1 us", "2 us")):
            self.run_as(letter, config, "--set", "scheme.step=" + step)
        self.assertIn("changes by a factor of 3 from A to B", self.compare("a", "b", "c", code=1))
        done = percuss("compare", "a", "b", "d", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("three runs show an order of convergence only if one number of their configs", done.stderr)
        for letter, elements in zip("efg", ("4", "8", "16")):
            self.run_as(letter, config, "--set", "scheme.step=1 us", "--set", "bodies.bar.mesh.line.elements=" + elements, "--set", "time.end=2 ms")
        said = self.compare("g", "f", "e", code=1)
        self.assertIn("bodies.bar.mesh.line.elements changes by a factor of 2", said)
        self.assertRegex(said, r"(?m)^A: e: .*\nB: f: .*\nC: g: ")  # few elements are coarse

    def test_chaos(self):
        """Neighbours part as e^(t / 1.6 s), so after some ten seconds no step helps."""
        config = self.write("billiard.yaml", BILLIARD)
        for letter, step, every in zip("abc", ("0.2 ms", "0.1 ms", "0.05 ms"), ("50", "100", "200")):
            self.run_as(letter, config, "--set", "scheme.step=" + step, "--set", "output.history.every=" + every)
        for words in (("a", "b"), ("b", "c"), ("a", "b", "c")):
            said = self.compare(*words, code=1)
            match = re.search(r"grows exponentially, by a factor e in (\S+) s", said)
            self.assertIsNotNone(match, said)
            self.assertTrue(1 < float(match.group(1)) < 3, said)
            after = float(re.search(r"chaotic after (\S+) s", said).group(1))
            self.assertTrue(7 < after < 22, said)
            self.assertIn("events differ from", said)
        self.assertIn("no convergence", said)


class Ends(Case):
    def note_sizes(self, name):
        """Makes run.json say what sizes the tables have now."""
        path = os.path.join(self.folder, name, "run.json")
        with open(path) as file:
            manifest = json.load(file)
        manifest["sizes"] = {table: os.path.getsize(os.path.join(self.folder, name, table)) for table in manifest["sizes"]}
        with open(path, "w") as file:
            json.dump(manifest, file)

    def test_runs_that_failed_or_were_killed(self):
        self.run_as("good", BAR, "--set", "scheme.step=0.5 us", "--set", "time.end=1 ms")
        self.run_as("bad", BAR, "--force", "--set", "scheme.step=4 us", "--set", "time.end=4 ms", code=1)
        said = self.compare("good", "bad", code=1)
        self.assertRegex(said, r"B: bad: .*failed\n   .*the time step is above the critical time step")
        self.assertIn("differ by more than", said)
        shutil.copytree(os.path.join(self.folder, "good"), os.path.join(self.folder, "killed"))
        path = os.path.join(self.folder, "killed", "run.json")
        with open(path) as file:
            manifest = json.load(file)
        manifest.update(exit_status="running", ended=None, pid=2 ** 22 + 5)
        del manifest["summary"]
        with open(path, "w") as file:
            json.dump(manifest, file)
        path = os.path.join(self.folder, "killed", "history.csv")
        with open(path, "rb") as file:
            rows = file.read().splitlines(True)
        with open(path, "wb") as file:  # in the middle of a row
            file.write(b"".join(rows[:1001]) + rows[1001][:len(rows[1001]) // 2])
        for name in ("events.csv", "energy.csv"):  # nothing of these has reached the disk
            open(os.path.join(self.folder, "killed", name), "w").close()
        self.note_sizes("killed")
        said = self.compare("good", "killed", code=1)
        self.assertRegex(said, r"B: killed: .*, killed")
        self.assertRegex(said, r"history.csv: 1000 times that all have .*A 1000 B 1000\)")
        self.assertIn("A and B ended differently", said)

    def test_other_files_are_no_runs(self):
        self.run_as("a", BALL, "--set", "time.end=10 ms")
        for name in ("run.text", "config.text", "history.csv"):  # as long as run.json, config.yaml
            with open(os.path.join(self.folder, "a", name), "a"):
                pass
            done = percuss("compare", os.path.join("a", name), "a", cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"'a/{name}' is a file; results are a directory", done.stderr)

    def test_values_that_are_not_finite(self):
        self.run_as("a", BALL, "--set", "time.end=100 ms")
        shutil.copytree(os.path.join(self.folder, "a"), os.path.join(self.folder, "b"))
        path = os.path.join(self.folder, "b", "history.csv")
        with open(path) as file:
            rows = file.read().splitlines()
        rows[50] = rows[50].rsplit(",", 1)[0] + ",nan"
        with open(path, "w") as file:
            file.write("\n".join(rows) + "\n")
        self.note_sizes("b")
        said = self.compare("a", "b", code=1)
        self.assertIn("not finite in 1 rows of one run", said)
        self.assertIn("from 0.049 s on (history.csv, ball.vy)", said)


if __name__ == "__main__":
    unittest.main()
