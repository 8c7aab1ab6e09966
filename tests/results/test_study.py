#!/usr/bin/python3
"""Studies as a user meets them: tables, orders known in closed form, failed rows, stopping and going on, any number of processes. Usage: test_study.py PERCUSS"""
import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from tested import PERCUSS, ROOT

CONFIGS = os.path.join(ROOT, "configs")

QUIET = "set: {output: {frames: {every: 0}, history: {every: 1}, contacts: {every: 1}, energy: {every: 1}}}\n"
# A mass on a spring that never reaches its stop: x = 0.1 m cos(10 rad/s t).
OSCILLATOR = f"""config: {CONFIGS}/oscillator.yaml
set:
  bodies.mass.rest: 0 m
  bodies.mass.contact.restitution: 1
  time.end: 0.15 s
  output: {{frames: {{every: 0}}, history: {{every: 1}}, contacts: {{every: 1}}, energy: {{every: 1}}}}
"""
BALL = f"config: {CONFIGS}/bouncing_ball.yaml\n" + QUIET


class Studies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_study_test_")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, text, name="study.yaml"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def study(self, text, *words, out="out", code=0):
        command = [PERCUSS, "study", self.write(text), "--out", self.path(out), *(words or ("--quiet",))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def table(self, name="study.csv", out="out"):
        with open(self.path(out, name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def content(self, name, out="out"):
        with open(self.path(out, name), "rb") as file:
            return file.read()

    def runs(self, out="out"):
        """When each run was made."""
        folder = self.path(out, "runs")
        return {name: os.stat(os.path.join(folder, name, "run.json")).st_mtime_ns for name in os.listdir(folder) if not name.endswith(".log")}

    def test_grid(self):
        self.study(BALL + "vary: {scheme.step: [2 ms, 1 ms], scheme.type: [half_explicit, moreau_jean]}\nrecord: {first: {event: impact, value: first}}\n")
        rows = self.table()
        self.assertEqual([(row["row"], row["scheme.step"], row["scheme.type"]) for row in rows],
                         [("1", "0.002", "half_explicit"), ("2", "0.002", "moreau_jean"), ("3", "0.001", "half_explicit"), ("4", "0.001", "moreau_jean")])
        for row, values in zip(rows, ("step=2_ms__type=half_explicit", "step=2_ms__type=moreau_jean", "step=1_ms__type=half_explicit", "step=1_ms__type=moreau_jean")):
            self.assertRegex(row["run"], f"^{values}__[0-9a-f]{{12}}$")
            self.assertEqual(row["status"], "done")
            with open(self.path("out", "runs", row["run"], "run.json"), encoding="utf-8") as file:
                info = json.load(file)
            self.assertEqual((str(info["step"]), info["scheme"]), (row["scheme.step"], row["scheme.type"]))
            self.assertIn("scheme.type=" + row["scheme.type"], info["config"]["set"])

    def test_zip_cases_and_sections(self):
        self.study(BALL + """
cases: {low: {bodies.ball.initial.y: 0.5 m, time.end: 1 s}, high: {bodies.ball.initial.y: 2 m, time.end: 1.5 s}}
vary: {scheme: [{type: half_explicit, step: 1 ms}, {type: moreau_jean, theta: 0.5, step: 1 ms}]}
combine: zip
record: {start: {column: history.ball.y, value: initial}, end: {summary: time}}
""")
        rows = self.table()
        self.assertEqual([(row["case"], row["scheme"], row["start"], row["end"]) for row in rows], [("low", "half_explicit", "0.5", "1"), ("high", "moreau_jean", "2", "1.5")])

    def test_ranges(self):
        self.study(BALL + """
vary: {bodies.ball.initial.y: {from: 10 cm, to: 30 cm, count: 3}, scheme.step: {from: 1 ms, to: 4 ms, count: 3, spacing: logarithmic}}
record: {start: {column: history.ball.y, value: initial}}
""")
        rows = self.table()
        self.assertEqual([row["bodies.ball.initial.y"] for row in rows[::3]], ["0.1", "0.2", "0.3"])
        self.assertEqual([row["start"] for row in rows[::3]], ["0.1", "0.2", "0.3"])
        self.assertEqual([row["scheme.step"] for row in rows[:3]], ["0.001", "0.002", "0.004"])
        # Tables are in SI; figures in the unit in which all values are written.
        with open(self.path("out", "study.json"), encoding="utf-8") as file:
            axes = json.load(file)["axes"]
        self.assertEqual([axis.get("shown") for axis in axes], [{"unit": "cm", "size": 0.01}, {"unit": "ms", "size": 0.001}])
        sys.path.insert(0, os.path.join(ROOT, "python"))
        from percuss.study_figures import in_words, label_of, to_shown
        self.assertEqual((label_of(axes[0]), to_shown(axes[0], [0.2]), in_words(axes[1], "0.004")), ("ball initial y (cm)", [20], "4 ms"))

    def test_a_relative_path_is_the_studys(self):
        shutil.copy(os.path.join(CONFIGS, "bouncing_ball.yaml"), self.path("ball.yaml"))
        os.mkdir(self.path("studies"))
        with open(self.path("studies", "study.yaml"), "w", encoding="utf-8") as file:
            file.write("config: ../ball.yaml\nvary: {scheme.step: [1 ms]}\nrecord: {t: {summary: time}}\n")
        done = subprocess.run([PERCUSS, "study", self.path("studies", "study.yaml"), "--quiet"], cwd=self.folder, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.table(out="out/study")[0]["t"], "2")

    def test_quantities(self):
        """Each against the tables that they are taken from."""
        self.study(BALL + """
vary: {scheme.step: [1 ms]}
record:
  final: {column: history.ball.y}
  initial: {column: history.ball.y, value: initial}
  lowest: {column: history.ball.y, value: min, from: 0.6 s, to: 1.2 s}
  highest: {column: history.ball.y, value: max, from: 0.6 s, to: 1.2 s}
  speed: {column: history.ball.vy, value: largest}
  mean: {column: history.ball.y, value: mean, to: 0.4 s}
  rms: {column: history.ball.vy, value: rms, to: 0.4 s}
  deviation: {column: history.ball.vy, value: deviation, to: 0.4 s}
  way: {column: history.ball.vy, value: integral, to: 0.4 s}
  impulse: {column: contacts.floor.impulse, value: sum}
  closed: {column: contacts.floor.state, value: share}
  hits: {event: impact, contact: floor}
  early: {event: impact, contact: floor, to: 0.5 s}
  first: {event: impact, value: first}
  last: {event: impact, value: last}
  lost: {summary: energy.impact}
  scheme_step: {summary: step}
  off: {column: history.ball.y, value: final, against: 1 m}
  share: {column: history.ball.y, value: initial, against: 4, relative: true}
  norm: {column: [history.ball.y, history.ball.vy], value: spectral, every: 100 ms, to: 0.4 s}
""")
        row = {key: float(value) for key, value in self.table()[0].items() if key not in ("status", "run", "message", "row")}
        run = self.path("out", "runs", self.table()[0]["run"])

        def columns(name):
            with open(os.path.join(run, name), newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        history, contacts, events = columns("history.csv"), columns("contacts.csv"), columns("events.csv")
        y = [float(line["ball.y"]) for line in history]
        speed = [float(line["ball.vy"]) for line in history]
        impacts = [float(line["time"]) for line in events if line["event"] == "impact"]
        self.assertEqual((row["final"], row["initial"]), (y[-1], y[0]))
        self.assertEqual((row["lowest"], row["highest"]), (min(y[600:1201]), max(y[600:1201])))
        self.assertEqual(row["speed"], max(map(abs, speed)))
        self.assertEqual((row["first"], row["last"], row["hits"], row["early"]), (impacts[0], impacts[-1], len(impacts), 1))
        self.assertGreater(len(impacts), 3)
        # flight: y = 1 - g t^2/2, v = - g t; the trapezoidal rule is exact for v, and off by dt^2/12 g for y
        self.assertAlmostEqual(row["way"], -9.81 * 0.08, delta=1e-12)
        self.assertAlmostEqual(row["rms"], 9.81 * 0.4 / math.sqrt(3), delta=1e-5)
        self.assertAlmostEqual(row["deviation"], 9.81 * 0.4 / math.sqrt(12), delta=1e-5)
        self.assertAlmostEqual(row["mean"], 1 - 9.81 * 0.16 / 6, delta=1e-5)
        self.assertAlmostEqual(row["impulse"], sum(float(line["floor.impulse"]) for line in contacts), delta=1e-12)
        self.assertGreater(row["impulse"], 1)
        self.assertAlmostEqual(row["closed"], sum(line["floor.state"] != "open" for line in contacts) / 2000, delta=1e-9)
        self.assertGreater(row["closed"], 0.2)
        with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
            info = json.load(file)
        self.assertEqual((row["lost"], row["scheme_step"]), (info["summary"]["energy"]["impact"], 0.001))
        self.assertEqual((row["off"], row["share"]), (y[-1] - 1, -0.75))
        pairs = [(y[i], speed[i]) for i in range(0, 401, 100)]
        a, b, c = sum(p * p for p, _ in pairs), sum(p * q for p, q in pairs), sum(q * q for _, q in pairs)
        with open(self.path("out", "study.json"), encoding="utf-8") as file:
            units = {item["name"]: item["unit"] for item in json.load(file)["record"]}
        self.assertEqual(units, {"final": "m", "initial": "m", "lowest": "m", "highest": "m", "speed": "m/s", "mean": "m", "rms": "m/s", "deviation": "m/s", "way": "m/s s",
                                 "impulse": "N s", "closed": "", "hits": "", "early": "", "first": "s", "last": "s", "lost": "J", "scheme_step": "s", "off": "m", "share": "", "norm": ""})
        self.assertAlmostEqual(row["norm"], math.sqrt((a + c) / 2 + math.hypot((a - c) / 2, b)), delta=1e-9)

    def test_orders_in_closed_form(self):
        """Before the impact the midpoint rules are of order 2, and x = 0.1 cos(10 t) is known."""
        points = ", ".join(f"[{t / 1000}, {0.1 * math.cos(t / 100)!r}]" for t in range(0, 151))
        self.study(OSCILLATOR + f"""
vary: {{scheme.type: [half_explicit, moreau_midpoint], scheme.step: [10 ms, 5 ms, 2 ms, 1 ms]}}
reference: {{scheme.step: 10 us, output.history.every: 100}}
record:
  end: {{column: history.mass.x, value: final, against: {0.1 * math.cos(1.5)!r}}}
  curve: {{column: history.mass.x, value: rms, exact: [{points}]}}
  other: {{column: history.mass.x, value: rms, against: reference}}
convergence: {{over: scheme.step}}
""")
        rows = self.table("convergence.csv")
        self.assertEqual(len(rows), 24)
        for row in rows:
            self.assertAlmostEqual(float(row["fitted_order"]), 2, delta=0.05, msg=str(row))
            self.assertEqual(row["order"] == "", row["scheme.step"] == "0.01")
            if row["order"]:
                self.assertAlmostEqual(float(row["order"]), 2, delta=0.1, msg=str(row))
        # central differences: x_n = 0.1 cos(w' t) with sin(w' h/2) = w h/2
        for step in ("0.01", "0.001"):
            error = next(float(row["error"]) for row in rows if row["scheme.step"] == step and row["quantity"] == "end" and row["scheme.type"] == "half_explicit")
            frequency = 2 / float(step) * math.asin(5 * float(step))
            self.assertAlmostEqual(error, abs(0.1 * (math.cos(0.15 * frequency) - math.cos(1.5))), delta=1e-9)
        # one reference for each scheme
        self.assertEqual(len(self.runs()), 10)

    def test_orders_over_elements(self):
        """The impact of a bar takes sqrt(3)/(6 N) of its energy: order 1 in the elements."""
        self.study(f"""config: {CONFIGS}/elastic_bar.yaml
set: {{time.end: 520 us, scheme.step: 0.4 us, output.frames.every: 0}}
vary: {{bodies.bar.mesh.line.elements: [40, 10, 20]}}
record: {{loss: {{summary: energy.impact}}}}
convergence: {{over: bodies.bar.mesh.line.elements, of: loss, finer: larger}}
""")
        rows = self.table("convergence.csv")
        self.assertEqual([row["bodies.bar.mesh.line.elements"] for row in rows], ["10", "20", "40"])  # from coarse to fine
        for row, elements in zip(rows, (10, 20, 40)):
            self.assertAlmostEqual(float(row["error"]), 0.0122522 * math.sqrt(3) / 6 / elements, delta=1e-8)
            self.assertAlmostEqual(float(row["fitted_order"]), 1, delta=1e-3)

    def test_bifurcation_once_a_period_and_at_maxima(self):
        """An oscillator sampled once a period stands still; its maxima are the amplitude."""
        for at, expected in (("period, period: 0.2 s", [math.cos(2 * k) for k in range(1, 6)]), ("maxima", [1.0])):
            self.study(OSCILLATOR.replace("0.15 s", "1 s") + f"""
vary: {{bodies.mass.initial.x: [1 m, 2 m]}}
record: {{t: {{summary: time}}}}
bifurcation: {{over: bodies.mass.initial.x, column: [history.mass.x, history.mass.v], after: 0.2 s, at: {at}}}
""")
            rows = self.table("bifurcation.csv")
            for number, amplitude in (("1", 1.0), ("2", 2.0)):
                mine = [float(row["history.mass.x"]) for row in rows if row["row"] == number]
                # it bounces off its stop at x = 0 with e = 1: |cos|
                self.assertGreater(len(mine), 1)
                for value, exact in zip(mine, expected * (len(mine) if len(expected) == 1 else 1)):
                    self.assertAlmostEqual(value, amplitude * abs(exact), delta=2e-3 * amplitude)

    def test_too_many_samples(self):
        done = self.study(OSCILLATOR + """
vary: {bodies.mass.initial.x: [1 m]}
record:
  largest: {column: history.mass.x, value: max, every: 1e-300 s}
  end: {column: history.mass.x, value: final}
bifurcation: {over: bodies.mass.initial.x, column: history.mass.x, at: period, period: 1e-9 s}
""", code=0)
        self.assertIn("run 1 has no samples: more than ten million", done.stderr)
        self.assertEqual(self.table("bifurcation.csv"), [])
        row, = self.table()
        self.assertEqual(row["largest"], "")
        self.assertNotEqual(row["end"], "")

    def test_bifurcation_once_a_turn(self):
        """poincare.csv has a row a turn; so has a sample at each turn of the spin."""
        text = f"""config: {CONFIGS}/rotor_rub_modal.yaml
set:
  time.end: 60.5 ms
  contacts.catch.gap_offset: 10 mm
  scheme: {{type: modal, step: 50 us, modes: 8}}
  output: {{frames: {{every: 0}}, orbits: {{every: 1, stations: {{right: shaft.right}}}}}}
vary: {{bodies.shaft.spin: [3000 rpm, 6000 rpm]}}
record: {{t: {{summary: time}}}}
"""
        self.study(text + "bifurcation: {over: bodies.shaft.spin, column: poincare.right.u2, after: 15 ms}\n")
        once = self.table("bifurcation.csv")
        self.study(text + "bifurcation: {over: bodies.shaft.spin, column: orbits.right.u2, at: turn, after: 15 ms}\n")
        again = self.table("bifurcation.csv")
        self.assertEqual([row["row"] for row in once], ["1"] * 3 + ["2"] * 5)
        self.assertEqual([row["row"] for row in again], ["1"] * 3 + ["2"] * 5)
        self.assertEqual(once[0]["bodies.shaft.spin"], repr(3000 * math.pi / 30))
        for a, b in zip(once, again):
            self.assertAlmostEqual(float(a["time"]), float(b["time"]), delta=1e-9)
            self.assertAlmostEqual(float(a["poincare.right.u2"]), float(b["orbits.right.u2"]), delta=1e-12)

    def test_a_failed_run_is_a_row(self):
        done = self.study(f"""config: {CONFIGS}/elastic_bar.yaml
set: {{time.end: 4 ms, output.frames.every: 0, output.contacts.every: 0}}
vary: {{scheme.step: [2 us, 4 us, 1 us]}}
record: {{loss: {{summary: energy.impact}}}}
""", "--force", code=1)
        rows = self.table()
        self.assertEqual([row["status"] for row in rows], ["done", "failed", "done"])
        self.assertRegex(rows[1]["message"], "critical time step")
        self.assertEqual(rows[1]["loss"], "")
        self.assertGreater(float(rows[2]["loss"]), 0)
        self.assertIn("2 runs done, 1 failed", done.stdout)

    def test_runs_with_warnings_are_counted(self):
        for durations, more in (("0.15 us, 1 ms, 2 ms", None), ("0.15 us, 0.12 us, 1 ms", "1 more run has warnings"), ("0.15 us, 0.12 us, 0.11 us", "2 more runs have warnings")):
            done = self.study(f"""config: {CONFIGS}/elastic_bar.yaml
set: {{time.end: 2 us, output: {{frames: {{every: 0}}}}, loads: {{push: {{at: bar.right, force: [1 N, 0, 0], time: {{pulse: {{start: 0.5 us, duration: 1 ms}}}}}}}}}}
vary: {{loads.push.time.pulse.duration: [{durations}]}}
record: {{t: {{summary: time}}}}
""", "--quiet", "--overwrite")
            self.assertIn("this concerns run 1 of 3: loads.push.time.pulse.duration=0.15 us\n", done.stderr)
            if more:
                self.assertIn(f"percuss study: {more}\n", done.stderr)
            else:
                self.assertNotIn("more run", done.stderr)

    def test_a_killed_run_is_a_row_and_made_again(self):
        text = f"""config: {CONFIGS}/elastic_bar.yaml
set: {{time.end: 100 s, output: {{contacts: {{every: 0}}, energy: {{every: 0}}, history: {{every: 0}}, frames: {{every: 0}}}}}}
vary: {{scheme.step: [0.1 us]}}
record: {{t: {{summary: time}}}}
"""
        for number, reason in ((signal.SIGKILL, r"killed by signal 9 \(Killed\)"), (signal.SIGTERM, "stopped by signal SIGTERM at t = .*")):
            run = subprocess.Popen([PERCUSS, "study", self.write(text), "--out", self.path("out")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            os.kill(self.wait_for_worker(1)[0], number)
            _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 1, errors)
            self.assertEqual(self.table()[0]["status"], "failed")
            self.assertRegex(self.table()[0]["message"], f"^{reason}$")
            self.forget_workers()
        self.study(text.replace("100 s", "10 us"))
        self.assertEqual(self.table()[0]["status"], "done")

    def wait_for_worker(self, wanted):
        """Processes that run, from run.json of the unfinished."""
        for _ in range(600):
            found = []
            folder = self.path("out", "runs")
            for name in os.listdir(folder) if os.path.isdir(folder) else []:
                try:
                    with open(os.path.join(folder, name, "run.json"), encoding="utf-8") as file:
                        info = json.load(file)
                except (OSError, ValueError):
                    continue
                if info["exit_status"] == "running":
                    found.append(info["pid"])
            if len(found) >= wanted:
                return found
            time.sleep(0.05)
        self.fail("no run began")
        return []

    def forget_workers(self):
        """One that was killed goes on running for its run.json."""
        shutil.rmtree(self.path("out", "runs"))
        os.mkdir(self.path("out", "runs"))

    def test_interrupted_and_continued(self):
        """Rows that are there stay; the same command makes those that are missing, and the table is that of a study left in peace."""
        text = f"""config: {CONFIGS}/elastic_bar.yaml
set: {{output: {{contacts: {{every: 0}}, energy: {{every: 0}}, history: {{every: 100}}, frames: {{every: 0}}}}}}
vary: {{time.end: [1 us, LONG, 2 us, 3 us]}}
record: {{x: {{column: history.bar.right.ux}}}}
"""
        for number in (signal.SIGINT, signal.SIGTERM):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            study = self.write(text.replace("LONG", "100 s"))
            run = subprocess.Popen([PERCUSS, "study", study, "--out", self.path("out"), "--jobs", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while True:
                worker = self.wait_for_worker(1)[0]
                if len(self.runs()) == 2:
                    break
            run.send_signal(number)
            _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 3, errors)
            self.assertIn("continues with the missing runs", errors)
            with self.assertRaises(OSError):
                os.kill(worker, 0)  # gone, and not left behind
            self.assertEqual([row["status"] for row in self.table()], ["done", "missing", "missing", "missing"])
            kept = self.runs()
            done = self.study(text.replace("LONG", "4 us"), "--jobs", "1")
            self.assertIn("1 of 4 runs exist already", done.stderr)
            self.assertEqual([row["status"] for row in self.table()], ["done"] * 4)
            first = self.table()[0]["run"]
            self.assertEqual(self.runs()[first], kept[first])
        self.study(text.replace("LONG", "4 us"), out="again")
        self.assertEqual(self.content("study.csv"), self.content("study.csv", "again"))

    def test_files_where_directories_are_wanted(self):
        text = BALL + "vary: {scheme.step: [1 ms]}\nrecord: {t: {summary: time}}\n"
        self.study(text)
        name = next(iter(self.runs()))
        shutil.rmtree(self.path("out", "runs", name))
        open(self.path("out", "runs", name), "w").close()
        self.study(text, code=1)  # in place of a run: its row says so
        row = self.table()[0]
        self.assertEqual(row["status"], "failed")
        self.assertRegex(row["message"], "^exit code [12]: percuss (run|study): .*file")
        os.remove(self.path("out", "runs", name))
        self.study(text)
        self.assertEqual(self.table()[0]["status"], "done")
        shutil.rmtree(self.path("out", "runs"))
        open(self.path("out", "runs"), "w").close()
        self.assertEqual(self.study(text, code=1).stderr, f"percuss study: cannot make the directory {self.path('out', 'runs')}: Not a directory\n")

    def test_mpiexec_is_refused(self):
        path = self.write(BALL + "vary: {scheme.step: [1 ms]}\nrecord: {t: {summary: time}}\n")
        done = subprocess.run([PERCUSS, "study", path, "--out", self.path("out")], capture_output=True, text=True, timeout=100, check=False,
                              env=dict(os.environ, OMPI_COMM_WORLD_SIZE="2"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "percuss study: a study starts its own processes, one for each run; call it without mpiexec\n")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_a_full_disk_is_no_property_of_the_run(self):
        """A run that could not write is a row with that reason, and is made again."""
        text = BALL + "vary: {scheme.step: [1 ms]}\nrecord: {t: {summary: time}}\n"
        limited = "import resource, signal, sys, os; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000)); os.execv(sys.argv[1], sys.argv[1:])"
        done = subprocess.run([sys.executable, "-c", limited, PERCUSS, "study", self.write(text), "--out", self.path("out"), "--quiet"], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.table()[0]["status"], "failed")
        self.assertRegex(self.table()[0]["message"], "^cannot write .*File too large")
        self.study(text)
        self.assertEqual(self.table()[0]["status"], "done")

    def test_existing_runs_are_not_repeated(self):
        text = BALL + "vary: {scheme.step: [1 ms, 2 ms]}\nrecord: {t: {summary: time}}\n"
        self.study(text)
        before = self.runs()
        for name in before:  # named in another way, they are found by their hash
            os.rename(self.path("out", "runs", name), self.path("out", "runs", name[-12:]))
        before = self.runs()
        self.study(text.replace("t: {summary: time}", "t: {summary: time}, y: {column: history.ball.y}"))  # other quantities, the same runs
        self.assertEqual(self.runs(), before)
        self.assertNotEqual(self.table()[0]["y"], "")
        self.study(text.replace("2 ms", "2 ms, 4 ms"))  # one more
        self.assertEqual(len(self.runs()), 3)
        self.assertEqual({name: at for name, at in self.runs().items() if name in before}, before)
        self.study(text.replace("set: {", "set: {time.end: 1 s, "))  # another config
        self.assertEqual(len(self.runs()), 5)
        self.assertEqual([row["t"] for row in self.table()], ["1", "1"])
        self.study(text, "--overwrite")
        self.assertTrue(all(at != before[name] for name, at in self.runs().items() if name in before))

    def test_a_changed_mesh_file_runs_again(self):
        """Runs hang on the files that their config names."""
        for name in ("a", "b"):
            shutil.copy(os.path.join(ROOT, "meshes", "stepped_bar.msh"), self.path(name + ".msh"))
        with open(os.path.join(CONFIGS, "stepped_bar.yaml"), encoding="utf-8") as file:
            self.write(file.read(), "bar.yaml")
        text = "config: bar.yaml\nset: {time.end: 2 us, output.frames.every: 0}\nvary: {bodies.bar.mesh.file: [a.msh, b.msh]}\nrecord: {t: {summary: time}}\n"
        self.study(text)
        before = self.runs()
        self.assertEqual(len(before), 2)
        with open(self.path("a.msh"), "a", encoding="utf-8") as file:
            file.write("\n")
        self.study(text)
        self.assertEqual(len(self.runs()), 3)
        self.assertTrue(set(before) < set(self.runs()))

    def test_same_bytes_with_any_number_of_processes(self):
        text = BALL + """
vary: {bodies.ball.initial.y: {from: 0.5 m, to: 1 m, count: 4}, scheme.type: [half_explicit, moreau_jean]}
reference: {scheme.step: 0.25 ms}
record: {hits: {event: impact}, off: {column: history.ball.y, value: rms, against: reference}, y: {column: history.ball.y, value: mean}}
bifurcation: {over: bodies.ball.initial.y, column: history.ball.y, at: maxima}
"""
        self.study(text, "--jobs", "1", out="one")
        self.study(text, "--jobs", "2", out="two")
        self.assertEqual(len(self.table(out="one")), 8)
        for name in ("study.csv", "bifurcation.csv"):
            self.assertGreater(len(self.content(name, "one")), 400)
            self.assertEqual(self.content(name, "one"), self.content(name, "two"), name)

    # Frequency of the impact oscillator: where it grazes, and up to which fold its orbit with an impact in every second period lasts (percuss orbit).
    GRAZING, FOLD = 3.3158, 3.8729
    SWEEP = f"""config: {CONFIGS}/impact_oscillator.yaml
set:
  parameters.turn: 360 deg
  loads.shaker.time.harmonic.frequency: $frequency
  scheme.step: ${{turn/frequency/20}}
  time.end: ${{turn*60/frequency}}
  output: {{frames: {{every: 0}}, history: {{probes: [mass.center], every: 1}}, contacts: {{every: 0}}, energy: {{every: 0}}}}
vary: {{parameters.frequency: [3.2 rad/s, 3.85 rad/s, 3.6 rad/s, 3.5 rad/s, 3.75 rad/s, 4.1 rad/s]}}
record: {{amplitude: {{column: history.mass.center.ux, from: 80 s, value: max}}, hits: {{event: impact, from: 80 s}}}}
sweep: {{over: parameters.frequency}}
"""

    def test_a_sweep_up_and_down_has_hysteresis(self):
        self.study(self.SWEEP)
        rows = self.table()
        self.assertEqual([row["direction"] for row in rows], ["up"] * 6 + ["down"] * 6)
        self.assertEqual([float(row["parameters.frequency"]) for row in rows], [3.2, 3.5, 3.6, 3.75, 3.85, 4.1, 4.1, 3.85, 3.75, 3.6, 3.5, 3.2])
        for row in rows:
            frequency, amplitude = float(row["parameters.frequency"]), float(row["amplitude"])
            free = 1 / math.hypot(1 - frequency**2, 0.1 * frequency)  # m = k = F = 1, c = 0.1
            if frequency < self.GRAZING or (row["direction"] == "up" and frequency < self.FOLD):
                self.assertGreater(int(row["hits"]), 4, row)
                self.assertGreater(amplitude, 5 * free, row)
            else:
                self.assertEqual(int(row["hits"]), 0, row)
                self.assertAlmostEqual(amplitude, free, delta=0.15 * free, msg=row)
        figure = json.loads(self.content("study.json"))
        self.assertEqual((figure["sweep"], len(figure["axes"][0]["values"])), ("parameters.frequency", 6))

    def test_a_sweep_is_continued(self):
        study = self.write(self.SWEEP)
        run = subprocess.Popen([PERCUSS, "study", study, "--out", self.path("out"), "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for_worker(1)
        while len(os.listdir(self.path("out", "runs"))) < 4:
            time.sleep(0.01)
        run.kill()
        run.communicate(timeout=60)
        time.sleep(0.5)  # its worker ends, too
        begun = [name for name in os.listdir(self.path("out", "runs")) if not os.path.exists(self.path("out", "runs", name, "run.json"))]
        for name in begun:  # killed before its first file
            if not name.endswith(".log"):
                shutil.rmtree(self.path("out", "runs", name))
        kept = self.runs()
        done = self.study(self.SWEEP, "--jobs", "2")
        self.assertRegex(done.stderr, "[1-9] of 12 runs exist already")
        self.assertGreater(sum(self.runs()[name] == when for name, when in kept.items()), 0)
        self.study(self.SWEEP, out="again")
        self.assertEqual(self.content("study.csv"), self.content("study.csv", "again"))

    def test_a_sweep_ends_where_a_run_fails(self):
        self.study(f"""config: {CONFIGS}/bouncing_ball.yaml
set: {{limits: {{on_exceed: stop, penetration: 1 m}}, output.frames.every: 0}}
vary: {{limits.penetration: [1e-12 m, 1 m, 2 m], bodies.ball.contact.restitution: [0.5, 0.8]}}
record: {{t: {{summary: time}}}}
sweep: {{over: limits.penetration, direction: up}}
""", code=1)
        rows = self.table()
        self.assertEqual([row["status"] for row in rows], ["failed"] * 6)
        self.assertRegex(rows[0]["message"], "penetration")
        self.assertEqual(rows[2]["message"], "run 1, from whose last state it starts, has failed")
        self.assertEqual(rows[5]["message"], "run 4, from whose last state it starts, has failed")

    def test_figure(self):
        text = BALL + "vary: {scheme.step: [1 ms, 2 ms], scheme.type: [half_explicit, moreau_jean]}\nrecord: {hits: {event: impact}, y: {column: history.ball.y, against: 0}}\n"
        for more in ("", "convergence: {over: scheme.step}\n", "bifurcation: {over: scheme.step, column: [history.ball.y, history.ball.vy], at: maxima}\n", "sweep: {over: scheme.step}\n",
                     "sweep: {over: scheme.step}\nbifurcation: {over: scheme.step, column: [history.ball.y, history.ball.vy], at: maxima}\n"):
            done = self.study(text + more, "--jobs", "2")
            self.assertIn("study.png", done.stdout)
            self.assertEqual(self.content("study.png")[:8], b"\x89PNG\r\n\x1a\n")
            os.remove(self.path("out", "study.png"))
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "postprocess", "study.py"), self.folder], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("it has no study.json", done.stderr)

    def test_texts_of_several_lines(self):
        """Titles and values with line breaks, tabs, quotes, commas and formulas: one line in each table, and in the figure as they are written."""
        done = self.study("title: \"two\\nlines\"\n" + BALL + """vary: {title: ["one\\n two", "a\\t\\"b\\", c", "100 $ \\\\frac$"], scheme.step: [2 ms]}
record: {hits: {event: impact}}
""", "--jobs", "1")
        self.assertIn("two lines: 3 runs done\n", done.stdout)
        titles = ["one two", 'a "b", c', "100 $ \\frac$"]
        self.assertEqual([row["title"] for row in self.table()], titles)
        for number, title in enumerate(titles, 1):
            self.assertRegex(done.stdout, rf"\n +{number}  {re.escape(title)} +2 ms +\d")
        self.assertIn("figure: ", done.stdout)
        self.assertTrue(os.path.exists(self.path("out", "study.png")), done.stderr)
        self.assertEqual(json.loads(self.content("study.json"))["axes"][0]["values"], titles)

    def test_shipped_studies(self):
        """All that the repository ships, made smaller: every run is done and every number there."""
        folder = os.path.join(CONFIGS, "studies")
        smaller = (("count: 121", "count: 2"), ("count: 25", "count: 2"), ("time.end: 2 s", "time.end: 1.05 s"), ("output.history.every: 10000", "output.history.every: 1000"), ("step: 0.1 us, rest", "step: 1 us, rest"),
                   ("{type: half_explicit, step: 0.1 us}", "{type: half_explicit, step: 1 us}"), (", 15.625 us", ""), ("../", CONFIGS + "/"))
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = "".join(line for line in file if not line.startswith(("  N = 200", "  N = 500")))
            for old, new in smaller:
                text = text.replace(old, new)
            self.study(text, out=name)
            rows = self.table(out=name)
            self.assertGreater(len(rows), 1, name)
            for row in rows:
                self.assertEqual(row["status"], "done", name)
                self.assertNotIn("", [value for key, value in row.items() if key != "message"], name)

    def test_explained(self):
        """Study files have pages and a schema as configs have."""
        schema = json.loads(subprocess.run([PERCUSS, "schema", "study"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertEqual((schema["title"], sorted(schema["required"])), ("percuss study", ["config", "record"]))
        page = subprocess.run([PERCUSS, "explain", "study.bifurcation.at"], capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertIn("rows | period | turn | maxima", page)

    def test_table_3(self):
        """The published errors of the slider-crank, as tests/published/test_slider_crank.c verifies them."""
        with open(os.path.join(CONFIGS, "studies", "slider_crank_table_3.yaml"), encoding="utf-8") as file:
            self.study(file.read().replace("../", CONFIGS + "/"))
        for row, verified in zip(self.table(), (1.537, 1.848e-1, 8.870e-3, 6.279e-1, 9.440e-3, 1.094e-3)):
            self.assertAlmostEqual(float(row["error"]) / verified, 1, delta=0.01)


if __name__ == "__main__":
    unittest.main()
