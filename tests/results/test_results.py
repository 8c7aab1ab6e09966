#!/usr/bin/python3
"""The program as a user meets it: a run's files, their columns and meaning, stopping, repeating. Usage: test_results.py PERCUSS"""
import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.environ.get("PERCUSS", os.path.join(ROOT, "build/release/percuss"))
BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")


def percuss(*words, env=None, **options):
    return subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})}, **options)


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "results")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_bar(self, *words, code=0, **options):
        done = percuss("run", BAR, "--out", self.out, *words, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def path(self, *names):
        return os.path.join(self.out, *names)

    def columns(self, name):
        return table(self.path(name))

    def manifest(self):
        with open(self.path("run.json")) as file:
            return json.load(file)

    def test_columns(self):
        self.run_bar("--quiet", "--set", "time.end=20 us")
        self.assertEqual(self.columns("history.csv")[0], ["time", "bar.left.ux", "bar.left.vx", "bar.right.ux", "bar.right.vx", "bar@0.5.ux", "bar@0.5.vx",
                                                          "bar@0.5.stress"])
        self.assertEqual(self.columns("contacts.csv")[0], ["time", "wall.gap", "wall.gap_rate", "wall.force", "wall.impulse", "wall.state"])
        self.assertEqual(self.columns("energy.csv")[0], ["time", "kinetic", "elastic", "potential", "damping", "impact", "friction", "load", "numerical"])
        self.assertEqual(self.columns("events.csv")[0], ["time", "contact", "event", "velocity_before", "velocity_after", "impulse", "energy_lost"])

    def test_first_and_last_state_whatever_the_interval(self):
        self.run_bar("--quiet", "--set", "time.end=10 us", "--set", "output={history: {probes: [bar.left], every: 7}, contacts: {every: 33}, energy: {every: 1000}, "
                     "frames: {every: 64}}")
        for name, expected in (("history.csv", [*range(0, 100, 7), 100]), ("contacts.csv", [0, 33, 66, 99, 100]), ("energy.csv", [0, 100])):
            steps = [round(float(row[0]) / 1e-7) for row in self.columns(name)[1]]
            self.assertEqual(steps, expected, name)
        with open(self.path("elastic_bar.vtk.series")) as file:
            series = json.load(file)
        self.assertEqual(series["file-series-version"], "1.0")
        self.assertEqual([round(entry["time"] / 1e-7) for entry in series["files"]], [0, 64, 100])

    def test_times_are_what_a_person_would_write(self):
        self.run_bar("--quiet", "--set", "time.end=200 us", "--set", "scheme.step=0.3 us", "--set", "output.frames.every=0")
        times = [row[0] for row in self.columns("history.csv")[1]]
        self.assertEqual([float(t) for t in times], [float(f"{3 * k}e-7") for k in range(len(times))])
        self.assertEqual(times[335], "0.0001005")

    def test_comparison_with_theory(self):
        self.run_bar("--quiet")
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "postprocess/bar.py"), self.out], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        for quantity, measured in (("mean reaction force, N", 1266.65), ("contact time, us", 381.8), ("reaction impulse, mN s", 1.414764), ("energy lost, % of E0", 0.57735),
                                   ("rebound velocity, mm/s", 97.93)):
            row = [line for line in done.stdout.splitlines() if line.strip().startswith(quantity)]
            self.assertEqual(len(row), 1, quantity)
            self.assertAlmostEqual(float(row[0].split(quantity)[1].split()[0]), measured, delta=2e-3 * measured)
        for figure in ("reaction.png", "energy.png", "wave.png"):
            with open(self.path("figures", figure), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_outputs_can_be_switched_off(self):
        self.run_bar("--quiet", "--set", "time.end=10 us", "--set", "output={history: {every: 0}, contacts: {every: 0}, energy: {every: 0}, frames: {every: 0}, events: false}")
        self.assertEqual(sorted(os.listdir(self.out)), ["config.yaml", "run.json", "status.json"])

    def test_summary(self):
        done = self.run_bar()
        summary = self.manifest()["summary"]
        self.assertEqual(self.manifest()["exit_status"], "done")
        for key in ("steps", "impulsive_steps", "max_penetration", "loop_seconds", "seconds_per_step", "energy_numerical_max"):
            self.assertIn(key, summary)
        self.assertEqual(summary["steps"], 10000)
        self.assertEqual(summary["impulsive_steps"], 1)
        self.assertAlmostEqual(summary["max_penetration"], 5e-9, delta=1e-12)
        self.assertEqual(self.manifest()["scheme"], "half_explicit")
        self.assertIn("1 impulsive steps", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_tables_agree_with_each_other(self):
        self.run_bar("--quiet")
        energy = [[float(x) for x in row] for row in self.columns("energy.csv")[1]]
        start = sum(energy[0][1:4])
        for row in energy[:: len(energy) // 50]:
            kinetic, elastic, potential, damping, impact, friction, load, numerical = row[1:]
            self.assertAlmostEqual(kinetic + elastic + potential - start - load + damping + impact + friction - numerical, 0, delta=1e-15)
        events = self.columns("events.csv")[1]
        self.assertEqual([row[2] for row in events], ["impact", "opening"])
        self.assertAlmostEqual(float(events[0][6]), energy[-1][5], delta=1e-15)
        contacts = self.columns("contacts.csv")[1]
        impulses = [row for row in contacts if float(row[4]) != 0]
        self.assertEqual(len(impulses), 1)
        self.assertEqual(impulses[0][0], events[0][0])
        # the wall's reaction is what turns the bar's momentum: m (v(end) - v(0)) = sum of force and impulse
        step = 1e-7
        pushed = float(impulses[0][4]) + sum(float(row[3]) for row in contacts) * step
        self.assertAlmostEqual(pushed, 7800 * math.pi * 1e-4 * 0.1 * (1 + 0.97932944), delta=2e-3 * pushed)

    def test_frames_are_read_back(self):
        self.run_bar("--quiet")
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "tests/tools/check_vtk.py"), self.out], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_frames_of_a_truss_with_friction(self):
        done = percuss("run", os.path.join(ROOT, "configs/truss_on_stop.yaml"), "--out", self.out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stop.friction_force_1", self.columns("contacts.csv")[0])
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "tests/tools/check_vtk.py"), self.out], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_config_among_the_results_repeats_the_run(self):
        self.run_bar("--quiet", "--set", "time.end=520 us", "--set", "bodies.bar.mesh.line.elements=20")
        again = os.path.join(self.folder, "again")
        done = percuss("run", self.path("config.yaml"), "--out", again, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("history.csv", "contacts.csv", "energy.csv", "events.csv"):
            with open(self.path(name), "rb") as first, open(os.path.join(again, name), "rb") as second:
                self.assertEqual(first.read(), second.read(), name)

    def test_mesh_files_are_found_from_the_results(self):
        done = percuss("run", os.path.join(ROOT, "configs/stepped_bar.yaml"), "--set", "time.end=10 us", "--out", self.out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = percuss("check", self.path("config.yaml"), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.manifest()["inputs"]), 1)

    def test_nothing_is_overwritten_silently(self):
        self.run_bar("--quiet", "--set", "time.end=1 us")
        before = os.stat(self.path("run.json")).st_mtime_ns
        done = self.run_bar(code=2)
        self.assertIn("exists already", done.stderr)
        self.assertIn("results_2", done.stderr)
        self.assertEqual(os.stat(self.path("run.json")).st_mtime_ns, before)
        self.run_bar("--quiet", "--overwrite", "--set", "time.end=10 us", "--set", "output={frames: {every: 1}}")
        self.assertTrue(os.path.exists(self.path("frames/elastic_bar_000100.vtk")))
        open(self.path("thesis.tex"), "w").close()
        self.run_bar("--quiet", "--overwrite", "--set", "time.end=1 us", "--set", "output={frames: {every: 0}}")
        self.assertFalse(os.path.exists(self.path("frames")))  # what a run wrote is gone,
        self.assertTrue(os.path.exists(self.path("thesis.tex")))  # what it did not is not
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        open(os.path.join(other, "thesis.tex"), "w").close()
        done = percuss("run", BAR, "--out", other, "--overwrite")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(os.path.exists(os.path.join(other, "thesis.tex")))

    def stop_with(self, number):
        run = subprocess.Popen([PERCUSS, "run", BAR, "--out", self.out, "--set", "time.end=100 s", "--set", "output={frames: {every: 100000}, history: {every: 1000}}"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if os.path.exists(self.path("history.csv")):
                break
            time.sleep(0.05)
        time.sleep(0.3)
        run.send_signal(number)
        _, errors = run.communicate(timeout=30)
        return run.returncode, errors

    def test_signals_end_a_run_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, errors = self.stop_with(number)
            self.assertEqual(code, 3, errors)
            self.assertIn("stopped by signal " + number.name, errors)
            self.assertEqual(self.manifest()["exit_status"], "stopped")
            steps = self.manifest()["summary"]["steps"]
            for name in ("history.csv", "energy.csv", "contacts.csv"):  # the last state is there, in whole rows
                header, rows = self.columns(name)
                self.assertEqual(len(rows[-1]), len(header))
                self.assertAlmostEqual(float(rows[-1][0]), steps * 1e-7, delta=1e-12)
            shutil.rmtree(self.out)

    def test_a_run_that_blows_up_says_so(self):
        done = self.run_bar("--quiet", "--force", "--set", "scheme.step=4 us", "--set", "time.end=4 ms", code=1)
        self.assertRegex(done.stderr, r"percuss run: .*(at|step) t = .*; the step is above the stability limit")
        self.assertEqual(self.manifest()["exit_status"], "failed")

    def test_a_step_that_fails_keeps_the_last_state(self):
        # one freedom against a slope, mu tan(45 deg) > 1 and e > 0: jammed, yet told to bounce; no reaction solves that
        config = os.path.join(self.folder, "jammed.yaml")
        with open(config, "w") as file:
            file.write("""bodies:
  bar:
    type: bar
    mesh: {line: {from: [1.0005 mm, 0, 0], to: [1.0010005, 0, 0], elements: 2}}
    material: {density: 1000, young: 1 GPa}
    section: {area: 1 cm^2}
    initial: {velocity: [-1, 0, 0]}
contacts:
  slope: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 1, 0]}}], friction: 2, restitution: 0.5}
scheme: {type: half_explicit, step: 1 us}
time: {end: 5 ms}
output: {frames: {every: 300}, history: {every: 70}, contacts: {every: 90}, energy: {every: 110}}
""")
        done = percuss("run", config, "--out", self.out, "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"step 1001 at t = 0.001 s: no solution found for the impulses of 1 contact \(slope\), best residual \d")
        self.assertEqual(self.manifest()["exit_status"], "failed")
        for name in ("history.csv", "contacts.csv", "energy.csv"):
            times = [float(row[0]) for row in self.columns(name)[1]]
            self.assertEqual(times[-1], 0.001, name)
            self.assertEqual(len(times), len(set(times)), name)
        self.assertAlmostEqual(float(self.columns("contacts.csv")[1][-1][2]), -math.sqrt(0.5), delta=1e-12)  # the report of the last good step

    def test_locale_changes_nothing(self):
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(self.folder, "de_DE.UTF-8")], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, "localedef needs Debian's package locales: " + made.stderr)
        env = {"LOCPATH": self.folder, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        number = subprocess.run(["printf", "%.1f", "0,5"], capture_output=True, text=True, env={**os.environ, **env})
        self.assertEqual(number.stdout, "0,5", "the locale does not use a decimal comma")
        self.run_bar("--set", "time.end=1 us", env=env)
        self.assertEqual(self.columns("history.csv")[1][1][0], "1e-07")

    def test_petsc_options(self):
        self.run_bar("--quiet", "--set", "time.end=510 us", "--", "-ksp_type", "cg", "-pc_type", "jacobi", "-ksp_rtol", "1e-13")
        cg = self.columns("contacts.csv")[1][-1]
        self.run_bar("--quiet", "--overwrite", "--set", "time.end=510 us")
        direct = self.columns("contacts.csv")[1][-1]
        self.assertAlmostEqual(float(cg[3]), float(direct[3]), delta=1e-6)
        done = self.run_bar("--quiet", "--overwrite", "--set", "time.end=1 us", "--", "-ksp_tipe", "cg")
        self.assertIn("-ksp_tipe was used by nothing", done.stderr)


class Shipped(unittest.TestCase):
    """Every config and starter that ships is right, and does what `check` says."""

    def test_configs(self):
        for name in sorted(os.listdir(os.path.join(ROOT, "configs"))):
            if not name.endswith(".yaml"):
                continue
            done = percuss("check", os.path.join(ROOT, "configs", name))
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_starters(self):
        kinds = [line.split()[0] for line in percuss("init").stdout.splitlines()[1:]]
        self.assertGreaterEqual(len(kinds), 3)
        with tempfile.TemporaryDirectory() as folder:
            for kind in kinds:
                path = os.path.join(folder, kind + ".yaml")
                with open(path, "w") as file:
                    file.write(percuss("init", kind).stdout)
                done = percuss("run", path, "--quiet", "--out", os.path.join(folder, kind))
                self.assertEqual((done.returncode, done.stderr), (0, ""), kind)

    def test_schema_is_json(self):
        schema = json.loads(percuss("schema").stdout)
        self.assertIn("bodies", schema["properties"])

    def test_help(self):
        self.assertEqual(percuss("--help").returncode, 0)
        self.assertIn("percuss 0.", percuss("--version").stdout)
        for command in ("run", "check", "explain", "schema", "init"):
            done = percuss(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("percuss " + command, done.stdout)
        self.assertEqual(percuss().returncode, 2)
        done = percuss("rum")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'run'?", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PERCUSS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
