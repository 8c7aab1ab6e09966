#!/usr/bin/python3
"""The program as a user meets it: a run's files, their columns and meaning, stopping, repeating. Usage: test_results.py PERCUSS"""
import csv
import fcntl
import json
import math
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

from tested import PERCUSS, ROOT

BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
CRANK = os.path.join(ROOT, "configs/slider_crank.yaml")
BELT = os.path.join(ROOT, "configs/plugin/belt_block.yaml")
TABLES = ("history.csv", "contacts.csv", "energy.csv", "events.csv")


def library():
    """The plugin that was built beside the program."""
    return os.path.join(os.path.dirname(os.path.abspath(PERCUSS)), "plugin", "belt_block.so")


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
        for quantity, measured in (("mean contact force, N", 1266.65), ("contact time, us", 381.8), ("impact impulse, mN s", 1.414764), ("energy loss, % of E0", 0.57735),
                                   ("rebound velocity, mm/s", 97.93)):
            row = [line for line in done.stdout.splitlines() if line.strip().startswith(quantity)]
            self.assertEqual(len(row), 1, quantity)
            self.assertAlmostEqual(float(row[0].split(quantity)[1].split()[0]), measured, delta=2e-3 * measured)
        for figure in ("reaction.png", "energy.png", "wave.png"):
            with open(self.path("figures", figure), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_outputs_can_be_switched_off(self):
        self.run_bar("--quiet", "--set", "time.end=10 us", "--set", "output={history: {every: 0}, contacts: {every: 0}, energy: {every: 0}, frames: {every: 0}, events: false}")
        self.assertEqual(sorted(os.listdir(self.out)), ["checkpoint", "config.yaml", "percuss.files", "run.json", "status.json"])

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
        self.assertIn("1 impulsive step,", done.stdout)
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

    def start_long(self):
        return subprocess.Popen([PERCUSS, "run", BAR, "--out", self.out, "--set", "time.end=100 s", "--set", "output={frames: {every: 100000}, history: {every: 1000}}"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_status_follows_a_run(self):
        run, seen = self.start_long(), {"step": 0}
        for _ in range(600):
            if os.path.exists(self.path("status.json")):
                with open(self.path("status.json")) as file:
                    seen = json.load(file)
            if seen["step"] > 0:
                break
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertGreater(seen["step"], 0)
        self.assertEqual(seen["status"], "running")

    def lines_on_terminal(self, columns):
        """What a terminal of so many columns (0: unknown) shows up to the second line."""
        screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        run = subprocess.Popen([PERCUSS, "run", BAR, "--out", self.out, "--set", "time.end=100 s", "--set", "output={frames: {every: 0}}"],
                               stdout=subprocess.DEVNULL, stderr=terminal, env=dict(os.environ, TERM="xterm"))
        os.close(terminal)
        text = ""
        while text.count("\relastic_bar") < 2:  # the second line stands in the place of the first
            text += os.read(screen, 4096).decode()
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
        os.close(screen)
        shutil.rmtree(self.out, ignore_errors=True)
        return text

    def test_a_narrow_terminal_shows_whole_items(self):
        for columns, ends in ((100, r"of 1 contacts closed"), (60, "(left|steps/s)"), (30, "( us| ms| s|%)")):
            line = self.lines_on_terminal(columns).split("\relastic_bar")[1]
            self.assertLess(len(line) - 3 + len("elastic_bar"), columns)
            self.assertRegex(line, ends + "\x1b\\[K$")

    def test_a_terminal_shows_how_far_a_run_is(self):
        text = self.lines_on_terminal(0)
        self.assertRegex(text, r"\relastic_bar +[\d.e-]+ %  t = [\d.]+ (us|ms|s)  \S+ steps/s  .* left  \d of 1 contacts closed  numerical energy error")

    def test_output_that_nobody_takes(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PERCUSS, "explain", "schemes"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "percuss: cannot write to standard output: No space left on device\n")

    def test_set_in_one_word(self):
        self.run_bar("--quiet", "--set=time.end=1 us", "--set=scheme.step=0.1 us")
        self.assertEqual(self.manifest()["summary"]["steps"], 10)

    def stop_with(self, number):
        run = self.start_long()
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
            self.assertIn("--resume continues it", percuss("run", BAR, "--out", self.out).stderr)
            steps = self.manifest()["summary"]["steps"]
            for name in ("history.csv", "energy.csv", "contacts.csv"):  # the last state is there, in whole rows
                header, rows = self.columns(name)
                self.assertEqual(len(rows[-1]), len(header))
                self.assertAlmostEqual(float(rows[-1][0]), steps * 1e-7, delta=1e-12)
            shutil.rmtree(self.out)

    def test_a_run_that_blows_up_says_so(self):
        done = self.run_bar("--quiet", "--force", "--set", "scheme.step=4 us", "--set", "time.end=4 ms", code=1)
        self.assertRegex(done.stderr, r"percuss run: .*(at|step) t = .*; the time step is above the critical time step")
        self.assertEqual(self.manifest()["exit_status"], "failed")

    def test_a_step_that_fails_keeps_the_last_state(self):
        # one freedom against a slope, mu tan(45 deg) > 1 and e > 0: jammed, but with restitution; no reaction solves that
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
        self.assertIn("PETSc option -ksp_tipe was not used", done.stderr)


class Mechanisms(unittest.TestCase):
    """The slider-crank and the plugin, from outside."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "results")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_config(self, config, *words, out=None, code=0, **options):
        done = percuss("run", config, "--quiet", "--out", out or self.out, *words, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def path(self, *names):
        return os.path.join(self.out, *names)

    def columns(self, name):
        return table(self.path(name))

    def manifest(self, out=None):
        with open(os.path.join(out or self.out, "run.json")) as file:
            return json.load(file)

    def assert_same_tables(self, first, second):
        for name in TABLES:
            with open(os.path.join(first, name), "rb") as one, open(os.path.join(second, name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)

    def check_frames(self):
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "tests/tools/check_vtk.py"), self.out], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_columns(self):
        self.run_config(CRANK, "--set", "time.end=1 ms", "--set", "output.history.probes=[crank]")
        self.assertEqual(self.columns("history.csv")[0], ["time"] + ["crank." + name + str(i) for i in (1, 2, 3) for name in ("theta", "omega")])
        corner = ("gap", "gap_rate", "force", "impulse", "state", "friction_force_1", "friction_impulse_1", "slip_velocity_1")
        self.assertEqual(self.columns("contacts.csv")[0], ["time"] + [f"corner{i}.{word}" for i in (1, 2, 3, 4) for word in corner])
        self.assertEqual(self.columns("energy.csv")[0], ["time", "kinetic", "elastic", "potential", "damping", "impact", "friction", "load", "numerical"])
        self.assertEqual(self.columns("events.csv")[0], ["time", "contact", "event", "velocity_before", "velocity_after", "impulse", "energy_lost",
                                                         "tangential_velocity_before", "tangential_velocity_after", "tangential_impulse"])
        for row in self.columns("history.csv")[1] + self.columns("contacts.csv")[1] + self.columns("energy.csv")[1]:
            for word in row:
                if word not in ("open", "closed", "stick", "slip"):
                    self.assertTrue(math.isfinite(float(word)), row)

    def test_probes(self):
        self.run_config(CRANK, "--set", "time.end=1 ms", "--set", "output.history.probes=[crank.omega2, crank, crank.theta1]")
        header, rows = self.columns("history.csv")
        self.assertEqual((header[1], header[2], header[-1]), ("crank.omega2", "crank.theta1", "crank.theta1"))
        self.assertEqual(rows[0][:4], ["0", "-75", "0", "150"])
        for row in rows:
            self.assertEqual(row[1], row[5])  # the same number, asked for twice
            self.assertEqual(row[2], row[-1])

    def test_a_named_point_is_where_the_coordinates_put_it(self):
        self.run_config(CRANK, "--set", "time.end=5 ms", "--set", "output.history.probes=[crank, crank.slider, crank.pin]")
        header, rows = self.columns("history.csv")
        at = {name: header.index(name) for name in header}
        for row in rows:
            value = {name: float(row[i]) for name, i in at.items()}
            pin = [0.153 * f(value["crank.theta1"]) for f in (math.cos, math.sin)]
            slider = [p + 0.306 * f(value["crank.theta2"]) for p, f in zip(pin, (math.cos, math.sin))]
            for name, place in (("crank.pin", pin), ("crank.slider", slider)):
                self.assertAlmostEqual(value[name + ".x"], place[0], delta=1e-14)
                self.assertAlmostEqual(value[name + ".y"], place[1], delta=1e-14)
                self.assertEqual(value[name + ".z"], 0)

    def test_summary(self):
        self.run_config(CRANK)
        manifest = self.manifest()
        summary, solver = manifest["summary"], manifest["summary"]["contact_solver"]
        self.assertEqual(manifest["exit_status"], "done")
        self.assertEqual(manifest["model"], {"kind": "slider_crank", "unknowns": 3, "bodies": 1, "body_types": {"crank": "slider_crank"}, "contacts": 4})
        self.assertIsNone(manifest["step_limit"])
        self.assertEqual((summary["steps"], summary["time"]), (2000, 0.2))
        self.assertEqual(sorted(solver), ["calls", "failures", "iterations", "iterations_of", "kept_inverse", "loose", "most_contacts", "most_iterations", "solved_by", "tried"])
        self.assertEqual(solver["failures"], 0)
        self.assertGreater(solver["calls"], 500)
        stages = solver["solved_by"]
        self.assertLessEqual({"newton", "gauss_seidel", "lemke", "enumerate"}, set(stages))
        self.assertEqual(sum(count for stage, count in stages.items() if stage != "restarts"), solver["calls"])
        self.assertLessEqual(solver["most_iterations"], solver["iterations"])
        # the same figures in two places: tables and summary
        energy = dict(zip(self.columns("energy.csv")[0], map(float, self.columns("energy.csv")[1][-1])))
        for key in ("kinetic", "elastic", "potential", "damping", "impact", "friction", "load", "numerical"):
            self.assertEqual(summary["energy"][key], energy[key], key)
        impacts = {row[0] for row in self.columns("events.csv")[1] if row[2] == "impact"}
        self.assertEqual(summary["impulsive_steps"], len(impacts))
        self.assertAlmostEqual(float(min(impacts, key=float)), 2.7e-3, delta=1e-12)  # the end of the step in which two corners hit

    def test_tables_agree_with_each_other(self):
        self.run_config(CRANK, "--set", "time.end=20 ms")
        energy = [[float(x) for x in row] for row in self.columns("energy.csv")[1]]
        start = sum(energy[0][1:4])
        for row in energy:
            kinetic, elastic, potential, damping, impact, friction, load, numerical = row[1:]
            self.assertEqual((elastic, damping, load), (0, 0, 0))
            self.assertAlmostEqual(kinetic + potential - start + impact + friction - numerical, 0, delta=1e-13)
        lost = sum(float(row[6]) for row in self.columns("events.csv")[1])
        header, rows = self.columns("contacts.csv")
        for row in rows:
            line = dict(zip(header, row))
            for i in (1, 2, 3, 4):
                normal, tangent = (float(line[f"corner{i}.{word}"]) for word in ("force", "friction_force_1"))
                self.assertGreaterEqual(normal, 0)
                self.assertLessEqual(abs(tangent), 0.01 * normal * (1 + 1e-9) + 1e-12)
                if line[f"corner{i}.state"] == "open":
                    self.assertEqual((normal, tangent), (0, 0))
        self.assertGreater(lost, 0)
        self.assertLessEqual(lost, (energy[-1][5] + energy[-1][6]) * (1 + 1e-9))  # impacts alone

    def test_frames(self):
        self.run_config(CRANK, "--set", "time.end=20 ms")
        self.check_frames()
        with open(self.path("slider_crank.vtk.series")) as file:
            self.assertEqual(len(json.load(file)["files"]), 21)

    def test_frames_of_the_other_mechanisms(self):
        for body in ("slider_crank_bilateral", "ball_in_box, initial: {vx: 100, vy: 77}, contact: {friction: 0.1}"):
            config = os.path.join(self.folder, "mechanism.yaml")
            with open(config, "w") as file:
                file.write("gravity: [0, -9.81, 0]\nbodies: {it: {type: %s}}\nscheme: {type: half_explicit, step: 0.1 ms}\ntime: {end: 50 ms}\n"
                           "output: {frames: {every: 50}}\n" % body)
            self.run_config(config)
            self.check_frames()
            shutil.rmtree(self.out)

    def test_times_of_short_steps(self):
        self.run_config(CRANK, "--set", "scheme={type: half_explicit_two_step, step: 100 us, ratio: 10}", "--set", "time.end=30 ms", "--set", "output.frames.every=7")
        with open(self.path("slider_crank.vtk.series")) as file:
            series = [entry["time"] for entry in json.load(file)["files"]]
        times = {name: [float(row[0]) for row in self.columns(name)[1]] for name in ("history.csv", "contacts.csv", "energy.csv")}
        times["series"] = series
        for name, list_ in times.items():
            self.assertTrue(all(a < b for a, b in zip(list_, list_[1:])), name)
            self.assertEqual(list_[0], 0)
            self.assertTrue(0.03 - 1e-12 <= list_[-1] < 0.03 + 1e-4, name)
        self.assertEqual(times["history.csv"], times["contacts.csv"])
        self.assertEqual(times["history.csv"], times["energy.csv"])
        self.assertLessEqual(set(series), set(times["history.csv"]))
        lengths = {round((b - a) * 1e5) for a, b in zip(times["history.csv"], times["history.csv"][1:])}
        self.assertEqual(lengths, {1, 10})  # ten us at an impact, a hundred in flight
        events = [float(row[0]) for row in self.columns("events.csv")[1]]
        self.assertEqual(events, sorted(events))
        self.assertLessEqual(set(events), set(times["history.csv"]))
        self.assertEqual(self.manifest()["summary"]["steps"], len(times["history.csv"]) - 1)
        self.assertEqual(self.manifest()["summary"]["time"], times["history.csv"][-1])
        self.check_frames()

    def test_short_steps_end_at_times_a_person_would_write(self):
        self.run_config(CRANK, "--set", "scheme={type: half_explicit_two_step, step: 100 us, ratio: 10}", "--set", "time.end=30 ms", "--set", "output.frames.every=0")
        for row in self.columns("history.csv")[1]:
            self.assertEqual(float(row[0]), float("%de-5" % round(float(row[0]) * 1e5)))

    def test_config_among_the_results_repeats_the_run(self):
        again = os.path.join(self.folder, "again")
        for scheme in ("half_explicit", "half_explicit_two_step", "ggl_unified"):
            self.run_config(CRANK, "--set", "time.end=5 ms", "--set", "scheme={type: %s, step: 50 us}" % scheme)
            self.run_config(self.path("config.yaml"), out=again)
            self.assert_same_tables(self.out, again)
            shutil.rmtree(self.out)
            shutil.rmtree(again)

    def test_a_plugin_is_found_from_the_results(self):
        models = os.path.join(self.folder, "models")
        elsewhere = os.path.join(self.folder, "elsewhere")
        again = os.path.join(self.folder, "again")
        os.makedirs(elsewhere)
        os.makedirs(models)
        shutil.copy(library(), os.path.join(models, "block.so"))
        with open(BELT) as file, open(os.path.join(models, "belt.yaml"), "w") as copy:
            text = file.read()
            relative = [line for line in text.splitlines() if "library:" in line][0].split()[1]
            copy.write(text.replace(relative, "block.so").replace("time: {end: 1 s}", "time: {end: 0.4 s}"))
        self.run_config(os.path.join(models, "belt.yaml"), cwd=elsewhere)
        path = os.path.realpath(os.path.join(models, "block.so"))
        with open(self.path("config.yaml")) as file:
            self.assertIn("library: " + path, file.read())
        inputs = self.manifest()["inputs"]
        self.assertEqual([os.path.realpath(entry["path"]) for entry in inputs], [path])
        self.assertRegex(inputs[0]["sha256"], "^[0-9a-f]{64}$")
        self.run_config(os.path.join("..", "results", "config.yaml"), "--trust", out=again, cwd=elsewhere)
        self.assert_same_tables(self.out, again)
        self.check_frames()

    def test_block_on_a_belt(self):
        """Sticks until the spring pulls with mu m g, then swings about x1 and sticks again: as the config's header says."""
        self.run_config(BELT, "--set", "bodies.block.library=" + library(), "--set", "output.frames.every=0")
        rows = [[float(x) for x in row] for row in self.columns("history.csv")[1]]
        first, farthest = 0.2943, max(row[1] for row in rows)
        self.assertAlmostEqual(farthest, 39.43e-3, delta=1e-5)
        for row in rows:
            if row[0] < first - 1e-3:
                self.assertAlmostEqual(row[1], 0.1 * row[0], delta=1e-9)
            elif first + 1e-3 < row[0] < 0.6:
                self.assertAlmostEqual(row[1], 29.43e-3 + 0.01 * math.sin(10 * (row[0] - first)), delta=1e-5)
        events = [(row[2], float(row[0])) for row in self.columns("events.csv")[1]]
        slips = [time_ for word, time_ in events if word == "slip"]
        self.assertEqual(len(slips), 1)
        self.assertAlmostEqual(slips[0], first, delta=5e-4)
        energy = dict(zip(self.columns("energy.csv")[0], map(float, self.columns("energy.csv")[1][-1])))
        self.assertLess(abs(energy["numerical"]), 1e-6)
        self.assertGreater(energy["load"], energy["friction"])  # the belt drives; rubbing takes a part of that


ROTOR = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 16}}
    material: {density: 7850, young: 210 GPa}
    section: {circle: {radius: 30 mm}}
    initial: {velocity: [0, 1, 0.5]}
    spin: {table: [[0, 20000 rpm], [1, 60000 rpm]]}
bearings:
  left: {between: [shaft.left, ground], stiffness: 2 MN/m, damping: 300}
  right: {between: [shaft.right, ground], stiffness: 2 MN/m, damping: 300}
contacts:
  catch: {between: [{node: shaft.left, radius: 15 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 15.1 mm, side: inside}}], friction: 0.1}
scheme: {type: half_explicit, step: 1 us}
time: {end: 1 ms}
output: {frames: {every: 0}, history: {probes: [shaft.left, shaft@0.5, shaft.right], every: 50}}
"""


@unittest.skipUnless(shutil.which("mpiexec"), "mpiexec is missing")
class Processes(unittest.TestCase):
    """Several processes do what one does, and none waits for another that has ended."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        self.config = os.path.join(self.path, "rotor.yaml")
        with open(self.config, "w") as file:
            file.write(ROTOR)

    def history(self, ranks, *sets):
        out = os.path.join(self.path, str(ranks))
        words = [word for item in ("free_dynamics=petsc",) + sets for word in ("--set", item)]
        subprocess.run(["mpiexec", "--oversubscribe", "-n", str(ranks), PERCUSS, "run", self.config, "--quiet", "--overwrite", "--out", out, *words],
                       check=True, timeout=600, capture_output=True)
        names, rows = table(os.path.join(out, "history.csv"))
        return list(zip(names, *rows))

    def assert_agree(self, *sets):
        one = self.history(1, *sets)
        for ranks in (2, 3):
            other = self.history(ranks, *sets)
            self.assertEqual([name for name, *_ in one], [name for name, *_ in other])
            for (name, *values), (_, *others) in zip(one, other):
                self.assertEqual(len(values), len(others))
                size = max(abs(float(x)) for x in values)
                for a, b in zip(values, others):
                    self.assertAlmostEqual(float(a), float(b), delta=1e-7 * size, msg=f"{name} on {ranks}")

    def test_changing_spin(self):
        """Gyroscopic forces depend on the motion of nodes that other processes own."""
        self.assert_agree()

    def test_iterations_end_together(self):
        self.assert_agree("scheme={type: ggl_unified, step: 2 us}")
        self.assert_agree("scheme={type: ggl_decoupled, step: 0.1 us}", "time.end=0.2 ms")

    def test_disk_full_at_the_start(self):
        """The first frame does not fit: all processes end, not only the one that writes."""
        words = [PERCUSS, "run", self.config, "--quiet", "--out", os.path.join(self.path, "full"), "--force", "--set", "output.frames.every=1",
                 "--set", "bodies.shaft.mesh.line.elements=100"]
        limited = "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " \
                  "resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000)); os.execv(sys.argv[1], sys.argv[1:])"
        env = dict(os.environ, OMPI_MCA_btl="tcp,self", OMPI_MCA_pml="ob1")  # shared memory is a file, too
        done = subprocess.run(["mpiexec", "--oversubscribe", "-n", "1", sys.executable, "-c", limited, *words, ":", "-n", "1", *words],
                              env=env, timeout=100, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot write", done.stderr)


class Shipped(unittest.TestCase):
    """Every config and starter that ships is right, and does what `check` says."""

    def test_check_prints_gaps_of_distant_candidates(self):
        done = percuss("check", os.path.join(ROOT, "configs", "lattice_drop.yaml"))
        self.assertIn("81 candidates: ground.1 (gap 0.001 m)", done.stdout)

    def test_check_advises_schemes_that_damping_does_not_limit(self):
        """Stiff damping makes explicit steps tiny, and check refuses the config's; the implicit one that it advises instead is that of the model without. And how fast it will turn."""
        words = ("check", os.path.join(ROOT, "configs", "pump_shaft.yaml"), "--set", "bodies.shaft.damping.rayleigh.stiffness=10 ms")
        done = percuss(*words)
        self.assertEqual(done.returncode, 2)
        self.assertIn("shaft: over time, from 0 rpm, at most 9000 rpm;", done.stdout)
        limit = float(re.search(r"critical time step (\S+) s", done.stdout).group(1))
        advised = float(re.search(r"advice +generalised_alpha, step (\S+) s", done.stdout).group(1))
        self.assertLess(limit, 2e-8)
        self.assertGreater(advised, 1e-5)
        self.assertEqual(percuss(*words, "--set", f"scheme={{type: generalised_alpha, step: {advised}}}").returncode, 0)

    def test_configs(self):
        warned = dict.fromkeys(["rotor_in_safety_bearing.yaml", "rotor_adaptive.yaml"], "warning: these moments of inertia are impossible")  # those of the paper's table
        for name in sorted(os.listdir(os.path.join(ROOT, "configs"))):
            if not name.endswith(".yaml"):
                continue
            done = percuss("check", os.path.join(ROOT, "configs", name))
            self.assertEqual(done.returncode, 0, name)
            self.assertEqual(done.stderr.count("warning:"), 1 if name in warned else 0, name)
            self.assertIn(warned.get(name, ""), done.stderr, name)

    def test_plugin_configs(self):
        folder = os.path.join(ROOT, "configs/plugin")
        names = [name for name in sorted(os.listdir(folder)) if name.endswith(".yaml")]
        self.assertIn("belt_block.yaml", names)
        for name in names:
            built = os.path.join(os.path.dirname(library()), name[:-5] + ".so")
            done = percuss("check", os.path.join(folder, name), "--set", "bodies.block.library=" + built)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_starters(self):
        kinds = [line.split()[0] for line in percuss("init").stdout.splitlines()[1:]]
        self.assertGreaterEqual(len(kinds), 3)
        with tempfile.TemporaryDirectory() as folder:
            for kind in kinds:
                path = os.path.join(folder, kind + ".yaml")
                with open(path, "w") as file:
                    file.write(percuss("init", kind).stdout)
                words = ["--set", "bodies.mine.library=" + library()] if kind == "plugin" else []
                done = percuss("run", path, "--quiet", "--out", os.path.join(folder, kind), *words)
                self.assertEqual((done.returncode, done.stderr), (0, ""), kind)

    def test_selftest(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PERCUSS, "selftest"], capture_output=True, text=True, timeout=100, cwd=folder)
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        verdicts = [line for line in done.stdout.splitlines() if line.endswith("passed")]
        self.assertIn(f"all {len(verdicts)} checks passed", done.stdout.splitlines()[-1])
        self.assertGreater(len(verdicts), 20)
        by_name = {line[2:54].strip(): line[54:].split() for line in verdicts}
        self.assertAlmostEqual(float(by_name["tip, F L^3/(3 E I)"][0]), -10 / (3 * 210e9 * 0.02 * 1e-6 / 12), delta=1e-9)

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
        self.assertIn("percuss explain schemes", percuss("explain").stdout)
        self.assertIn("\nhalf_explicit ", percuss("explain", "schemes").stdout)
        self.assertEqual(percuss().returncode, 2)
        done = percuss("rum")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'run'?", done.stderr)


if __name__ == "__main__":
    unittest.main()
