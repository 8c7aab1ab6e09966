#!/usr/bin/python3
"""Runs that are stopped anywhere and resumed write the same bytes as one that was never stopped. Usage: test_restart.py PERCUSS [TEST...]

Of run.json and status.json only entries about clocks and processes are left out. Stops come at random times from a seed that is printed (PERCUSS_SEED chooses one)."""
import fcntl
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.environ.get("PERCUSS", os.path.join(ROOT, "build/release/percuss"))
MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
SEED = int(os.environ.get("PERCUSS_SEED") or time.time())
PATIENCE = 120  # s after which a run hangs
CLOCKS = {"started", "ended", "pid", "setup_seconds", "loop_seconds", "writing_seconds", "seconds_per_step", "updated", "steps_per_second", "elapsed_seconds", "remaining_seconds"}
WORK = {"gaps", "searches"}  # of contact_search: what a step that a signal ended had done counts, too
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

# Long enough for many stops; each column of every table, frames, events.
LONG = {
    "bar": ("elastic_bar.yaml", ["time.end=60 ms", "output.frames.every=2000", "output.history.every=50", "output.contacts.every=7", "output.energy.every=90"]),
    "crank": ("slider_crank.yaml", ["time.end=40 s", "output.frames.every=50000", "output.history.every=100", "output.contacts.every=100", "output.energy.every=1000"]),
    "rotor": ("rotor_in_safety_bearing.yaml", ["time.end=0.25 s", "output.frames.every=2000"]),
    "events": ("rocking_block.yaml", ["time.end=200 s", "output.frames.every=20000"]),
    "modal": ("elastic_bar_modal.yaml", ["time.end=2 ms", "output.frames.every=500"]),
}

# Every shipped config, cut short where it is long.
SHORT = {
    "beam_on_stop": "time.end=5 ms", "beam_on_stop_redistributed": "time.end=5 ms", "elastic_bar_modal": "time.end=0.3 ms", "rotor_in_two_bearings": "time.end=10 ms",
    "rotor_in_safety_bearing": "time.end=20 ms", "rotor_rub_modal": "time.end=20 ms", "rotor_blade_out": "time.end=0.155 s", "link_breaks": "time.end=25 ms", "rotor_drop": "time.end=0.06 s", "rotor_run_up": "time.end=0.1 s", "pump_shaft": "time.end=50 ms", "pump_seals": "time.end=50 ms", "touchdown_bearing": "time.end=30 ms", "journal_lifts_off": "time.end=0.05 s", "journal_bearings": "time.end=0.4 s", "wall_of_boxes": "time.end=40 ms", "dominoes": "time.end=0.3 s", "slider_crank_ggl": "time.end=20 ms",
}


def figures(path):
    """What a JSON text says beside clocks."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inner) for key, inner in value.items() if key not in CLOCKS | WORK}
        return value
    with open(path) as file:
        return strip(json.load(file))


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(base, name), folder) for base, _, names in os.walk(folder) for name in names)


class Restart(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_restart_")
        self.random = random.Random(f"{SEED} {self.id()}")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def command(self, config, sets, *words, ranks=1):
        launch = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        # the same path for both: run.json has it
        return launch + [PERCUSS, "run", os.path.join(ROOT, "configs", config), "--quiet"] + [word for item in sets for word in ("--set", item)] + list(words)

    def run_through(self, command, code=0):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def end_orphans(self):
        """Processes of a killed mpiexec live on for a while, in groups of their own."""
        def mine():
            found = []
            for entry in os.listdir("/proc"):
                try:
                    if entry.isdigit() and os.path.realpath(os.readlink(f"/proc/{entry}/cwd")) == os.path.realpath(self.folder):
                        found.append(int(entry))
                except OSError:
                    pass
            return found
        end = time.time() + PATIENCE
        while mine() and time.time() < end:
            for pid in mine():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)

    def stop(self, command, out, number, wait):
        """Starts a run and stops it `wait` seconds after its files are there, a killed one also before; its exit code, negative where a signal ended it."""
        def written():
            try:
                found = os.stat(self.path(out, "run.json"))
                return found.st_ino, found.st_mtime_ns  # a new file may have the number of the old one
            except FileNotFoundError:  # not yet, or removed by a run that begins anew
                return None
        before = written() if number != signal.SIGKILL else None
        run = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        end = time.time() + PATIENCE
        while written() in (None, before) and run.poll() is None and time.time() < end:
            time.sleep(0.002)
        time.sleep(wait)
        if number == signal.SIGKILL:
            try:
                os.killpg(run.pid, number)  # mpiexec's processes, too
            except ProcessLookupError:
                pass
        elif run.poll() is None:
            run.send_signal(number)
        _, errors = run.communicate(timeout=PATIENCE)
        self.end_orphans()
        self.assertNotRegex(errors, "PETSC ERROR|Sanitizer|runtime error|Backtrace", errors)
        return run.returncode, errors

    def assert_same(self, one, other, text=""):
        self.assertEqual(files_of(self.path(one)), files_of(self.path(other)), text)
        for name in files_of(self.path(one)):
            if name.endswith(".ckpt"):  # it has the wall time
                continue
            paths = [self.path(run, name) for run in (one, other)]
            if name.endswith(".json"):
                self.assertEqual(figures(paths[0]), figures(paths[1]), f"{text} {name}")
                continue
            with open(paths[0], "rb") as a, open(paths[1], "rb") as b:
                if a.read() != b.read():
                    self.fail(f"{text}: {name} differs (seed {SEED})")

    def stop_often(self, config, sets, stops, ranks=1, longest=0.1):
        """A run stopped so many times, and one that never was, whose duration determines the times of the stops, so that most of them are before the end on any machine."""
        shutil.rmtree(self.path("whole"), ignore_errors=True)
        shutil.rmtree(self.path("parts"), ignore_errors=True)
        sets = sets + ["output.checkpoints=30 ms"]
        started = time.time()
        self.run_through(self.command(config, sets, "--out", "x", ranks=ranks))
        longest = min(longest, 1.5 * (time.time() - started) / stops)
        os.rename(self.path("x"), self.path("whole"))
        told = {}
        for k in range(stops):
            number = STOPS[k % len(STOPS)] if k > 0 else signal.SIGKILL
            code, errors = self.stop(self.command(config, sets, "--out", "x", "--resume", ranks=ranks), "x", number, self.random.uniform(0, longest))
            told[code] = told.get(code, 0) + 1
            if code == 0:
                break
            if number != signal.SIGKILL and code > 0 and ranks == 1:  # before its handler is there, a signal ends the program; mpiexec kills who takes more than a second
                self.assertEqual(code, 3, errors)
                self.assertEqual(len(glob.glob(self.path("x", "checkpoint", "*"))), min(2, len(glob.glob(self.path("x", "checkpoint", "*.ckpt")))), errors)
                self.assertEqual(figures(self.path("x", "run.json"))["exit_status"], "stopped")
        self.run_through(self.command(config, sets, "--out", "x", "--resume", ranks=ranks))
        os.rename(self.path("x"), self.path("parts"))
        self.assert_same("whole", "parts", config)
        return told

    def test_stopped_at_random_steps(self):
        # 20 stops and more in all, of every kind
        stops = {}
        def enough():
            return stops.get(3, 0) >= 5 and stops.get(-9, 0) >= 5 and sum(stops.values()) - stops.get(0, 0) >= 20
        for _ in range(5):  # chance may let a round end early
            for name, (config, sets) in LONG.items():
                for code, count in self.stop_often(config, sets, 12).items():
                    stops[code] = stops.get(code, 0) + count
            if enough():
                break
        print(f"  seed {SEED}: stops by exit code {stops}", file=sys.stderr)
        self.assertTrue(enough())

    def test_stopped_on_two_processes(self):
        if not MPIEXEC:
            self.skipTest("no mpiexec")
        sets = ["time.end=2 ms", "bodies.bar.mesh.line.elements=400", "scheme.step=20 ns", "output.frames.every=5000", "output.history.every=100", "output.contacts.every=100",
                "output.energy.every=100"]
        for mass in ("lumped", "consistent"):
            self.stop_often("elastic_bar.yaml", sets + [f"bodies.bar.mass={mass}", "bodies.bar.mesh.line.from=[10 um, 0, 0]"], 3, ranks=2, longest=0.8)

    def test_every_config_resumes(self):
        stopped = 0
        for path in sorted(glob.glob(os.path.join(ROOT, "configs", "*.yaml"))):
            name = os.path.basename(path)[:-5]
            with open(path) as file:
                library = re.search(r"^\s*library:", file.read(), re.M)
            if library:
                continue
            told = self.stop_often(name + ".yaml", [SHORT[name]] if name in SHORT else [], 2)
            stopped += sum(count for code, count in told.items() if code)
        self.assertGreaterEqual(stopped, 20)

    BAR = ["time.end=1 s", "output.frames.every=0", "output.history.every=0", "output.contacts.every=0", "output.energy.every=0"]

    def stopped_bar(self, *words):
        self.stop(self.command("elastic_bar.yaml", self.BAR, "--out", "x", *words), "x", signal.SIGTERM, 0.3)
        return glob.glob(self.path("x", "checkpoint", "*.ckpt"))

    def resume(self, sets, code, *words, ranks=1):
        return self.run_through(self.command("elastic_bar.yaml", sets, "--out", "x", "--resume", *words, ranks=ranks), code).stderr

    def test_mismatches_are_reported_separately(self):
        files = self.stopped_bar()
        self.assertEqual(len(files), 1)
        self.assertIn("another config\n  scheme.step: 0.1 us in the results, 50 ns now\n", self.resume(self.BAR + ["scheme.step=50 ns"], 2))
        self.assertIn("with other PETSc options", self.resume(self.BAR, 2, "--", "-ksp_type", "cg"))
        if MPIEXEC:
            self.assertRegex(self.resume(self.BAR, 2, ranks=2), "written by 1 process, but now there are 2: use mpiexec -n 1")
        with open(files[0], "rb") as file:
            whole = file.read()
        def with_bytes(data):
            with open(files[0], "wb") as file:
                file.write(data)
        with_bytes(re.sub(rb"program \S+", b"program 9.9.9", whole, count=1))
        self.assertIn("damaged: its checksum", self.resume(self.BAR, 2))
        with_bytes(whole[:len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1:])
        self.assertIn("damaged: its checksum", self.resume(self.BAR, 2))
        with_bytes(whole[:-100])
        self.assertIn("damaged: its checksum", self.resume(self.BAR, 2))
        with_bytes(b"")
        self.assertIn("not a checkpoint of this version", self.resume(self.BAR, 2))
        with_bytes(b"percuss checkpoint 3\n" + whole[21:])
        self.assertIn("not a checkpoint of this version", self.resume(self.BAR, 2))
        import hashlib
        other = re.sub(rb"program \S+", b"program 9.9.9", whole[:-72], count=1)
        with_bytes(other + b"sha256 " + hashlib.sha256(other).hexdigest().encode() + b"\n")
        self.assertIn("written by another program, 9.9.9", self.resume(self.BAR, 2))
        os.remove(files[0])
        os.mkdir(files[0])
        self.assertIn("it cannot be read: Is a directory", self.resume(self.BAR, 2))
        os.rmdir(files[0])
        with_bytes(whole)
        with open(self.path("x", "events.csv"), "w") as file:
            file.write("time\n")
        self.assertRegex(self.resume(self.BAR, 1), "events.csv: it is shorter than when the checkpoint was written")

    # To where, and on to where; the first ends within a block of steps between two looks at the state.
    EXTENDED = {
        "elastic_bar": ("300.03 us", "600 us"), "elastic_bar_modal": ("100 us", "200 us"), "oscillator": ("0.2003 s", "0.9 s"), "rocking_block": ("1.03 s", "3 s"),
        "rotor_adaptive": ("5.03 ms", "10 ms"), "rotor_in_safety_bearing": ("5.03 ms", "10 ms"), "slider_crank_ggl": ("5.03 ms", "10 ms"), "ball_shower": ("0.1003 s", "0.2 s"),
        "woodpecker": ("0.1003 s", "0.3 s"), "elastic_bar_implicit": ("100.3 us", "300 us"), "spin_down": ("0.1003 s", "0.2 s"), "rotor_drop": ("50.00 ms", "70 ms"),
        "rolling_ball": ("0.2003 s", "0.5 s"), "elastic_slider_crank": ("2.0001 ms", "3 ms"),
    }

    def test_a_later_end(self):
        """A run to T1 that is continued to T2 has the bytes of one to T2."""
        for name, (first, last) in self.EXTENDED.items():
            for end, words in ((first, ()), (last, ("--resume",))):
                self.run_through(self.command(name + ".yaml", [f"time.end={end}"], "--out", "x", *words))
            os.rename(self.path("x"), self.path("parts"))
            self.run_through(self.command(name + ".yaml", [f"time.end={last}"], "--out", "x"))
            os.rename(self.path("x"), self.path("whole"))
            self.assert_same("whole", "parts", name)
            for out in ("parts", "whole"):
                shutil.rmtree(self.path(out))

    # Every scheme, with impacts, and a rest in contact at the end.
    SCHEMES = ["half_explicit", "half_explicit_acceleration", "explicit_velocity", "half_explicit_two_step", "half_explicit_adaptive", "moreau_jean", "moreau_jean_explicit", "moreau_midpoint",
               "ggl_decoupled", "ggl_unified", "schatzman_paoli", "projection_naive", "projection_combined", "position_level", "variational", "generalised_alpha", "generalised_alpha_velocity",
               "implicit_split", "event_driven_hem5", "event_driven_rkf45", "event_driven_alpha"]

    def test_a_later_end_in_every_scheme(self):
        done = []
        for scheme in self.SCHEMES:
            sets = [f"scheme={{type: {scheme}, step: 0.1 ms}}", "output.frames.every=0"]
            out = subprocess.run(self.command("oscillator.yaml", sets + ["time.end=0.30001 s"], "--out", "x"), cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
            if out.returncode:  # it does not support impacts, or this mechanism
                self.assertIn("does not support this model", out.stderr, scheme)
                continue
            self.run_through(self.command("oscillator.yaml", sets + ["time.end=0.6 s"], "--out", "x", "--resume"))
            os.rename(self.path("x"), self.path("parts"))
            self.run_through(self.command("oscillator.yaml", sets + ["time.end=0.6 s"], "--out", "x"))
            os.rename(self.path("x"), self.path("whole"))
            self.assert_same("whole", "parts", scheme)
            done.append(scheme)
            for name in ("parts", "whole"):
                shutil.rmtree(self.path(name))
        self.assertGreaterEqual(len(done), 12, done)

    def test_a_stopped_run_is_beyond_an_earlier_end(self):
        command = self.command("elastic_bar.yaml", ["time.end=1 s", "output.frames.every=0", "output.energy.every=0", "output.history.every=0", "output.contacts.every=0"], "--out", "x")
        self.run_through([*command, "--wall-limit", "0.5 s"], 3)
        earlier = [word.replace("time.end=1 s", "time.end=2 us") for word in command]
        self.assertIn("which is beyond time.end = 2e-06 s", self.run_through([*earlier, "--resume"], 2).stderr)

    def test_other_outputs_and_limits(self):
        sets = ["output.frames.every=0", "output.history={probes: [bar.left], every: 10}", "output.energy.every=0"]
        def run(*more, code=0):
            return self.run_through(self.command("elastic_bar.yaml", sets + list(more), "--out", "x", "--resume"), code).stderr
        run("time.end=100 us")
        self.assertIn("already reach t = 0.0001 s", run("time.end=50 us", code=2))
        self.assertRegex(run("time.end=200 us", "scheme.step=50 ns", code=2), "another config\n  scheme.step: .* in the results, 50 ns now\n")
        self.assertIn("other columns\n  output.history.probes: [bar.left] in the results, [bar.right] now\n", run("time.end=200 us", "output.history.probes=[bar.right]", code=2))
        run("time.end=200 us", "title=longer", "output.history.every=1", "output.energy.every=100", "output.contacts.every=0", "output.frames.every=100", "limits.penetration=1 mm")
        with open(self.path("x", "history.csv")) as file:
            times = [float(line.split(",")[0]) for line in file.readlines()[1:]]
        self.assertAlmostEqual(times[1], 1e-6, places=12)  # each 10th of 0.1 us
        self.assertAlmostEqual(times[-1] - times[-2], 1e-7, places=12)
        with open(self.path("x", "energy.csv")) as file:
            self.assertGreater(float(file.readlines()[1].split(",")[0]), 1e-4)  # it began there
        os.remove(glob.glob(self.path("x", "checkpoint", "*"))[0])
        self.assertIn("is complete, but has no checkpoint from which it can continue", run("time.end=300 us", "output.history.every=1", code=2))

    def test_start_from_another_run(self):
        """The state of its end, whatever the scheme, the back end, the order of bodies; what differs is named."""
        def run(out, *sets, config="elastic_bar.yaml", code=0, words=()):
            return self.run_through(self.command(config, list(sets), "--out", out, *words), code).stderr
        def state(out, row):
            with open(self.path(out, "history.csv")) as file:
                return file.readlines()[row].split(",")[1:]
        run("a", "time.end=100.03 us", "output.frames.every=0")
        run("b", "time.end=100 us", "output.frames.every=0", "start={from: a}")
        self.assertEqual(state("a", -1), state("b", 1))
        run("c", "time.end=10 us", "start.from=b", "start.at=0.0001", "scheme={type: moreau_jean, step: 0.1 us}", "free_dynamics=petsc")
        self.assertEqual(state("b", -1), state("c", 1))
        with open(self.path("c", "run.json")) as file:
            record = json.load(file)
        self.assertIn("at t = 0.0001 s, not from `initial`; time and energies begin anew", record["start"])
        with open(self.path("b", "run.json")) as file:
            before = json.load(file)["summary"]["energy"]
        self.assertAlmostEqual(record["summary"]["energy"]["initial"], before["kinetic"] + before["elastic"] + before["potential"], 12)
        # exact: the second half by itself is what it is as a part (velocity Verlet keeps nothing but q, v; no contact then)
        run("d", "time.end=40 us", "bodies.bar.mesh.line.from=[1 mm, 0, 0]", "bodies.bar.mesh.line.to=[1.001, 0, 0]")
        run("e", "time.end=20 us", "bodies.bar.mesh.line.from=[1 mm, 0, 0]", "bodies.bar.mesh.line.to=[1.001, 0, 0]")
        run("f", "time.end=20 us", "bodies.bar.mesh.line.from=[1 mm, 0, 0]", "bodies.bar.mesh.line.to=[1.001, 0, 0]", "start={from: e}")
        self.assertEqual(state("d", -1), state("f", -1))
        self.assertIn("of this model is not in 'a'", run("g", "start={from: a}", "bodies.bar.mesh.line.elements=60", code=2))
        self.assertIn("is in 'a', but not in this model", run("g", "start={from: a}", config="oscillator.yaml", code=2))
        self.assertIn("it has no state at t = 5e-05 s, but at 0.0001", run("g", "start={from: a, at: 50 us}", code=2))
        self.assertIn("'nowhere' holds no results of a run: it has no config.yaml", run("g", "start={from: nowhere}", code=2))
        last = glob.glob(self.path("a", "checkpoint", "*"))[0]
        shutil.copy(last, self.path("a", "checkpoint", "step_000000000000001.ckpt"))
        with open(last, "r+b") as file:
            file.truncate(os.path.getsize(last) // 2)
        said = run("g", "start={from: a}", code=2)  # not silently the state before
        self.assertRegex(said, "of its last state: it is damaged: its checksum differs; the one before is whole: `at: [^`]*`")
        run("g", "time.end=1 us", f"start={{from: a, at: {re.search('`at: ([^`]*)`', said).group(1)}}}")
        shutil.rmtree(self.path("a", "checkpoint"))
        self.assertIn("it has kept no state", run("g", "start={from: a}", code=2))
        run("b", "time.end=150 us", "output.frames.every=0", "start={from: a}", words=("--resume",), code=2)  # its start is gone

    def test_start_from_in_systems(self):
        """Large rotations, contacts at rest, piles; a rotor of free spin; on two processes."""
        for name, end in (("woodpecker", "0.2 s"), ("ball_shower", "0.3 s"), ("wall_of_boxes", "20 ms"), ("spin_down", "0.1 s"), ("rocking_block", "1 s"), ("elastic_bar_modal", "100 us")):
            self.run_through(self.command(name + ".yaml", [f"time.end={end}", "output.history.every=1"], "--out", "a"))
            self.run_through(self.command(name + ".yaml", [f"time.end={end}", "output.history.every=1", "start={from: a}"], "--out", "b"))
            rows = []
            for out, row in (("a", -1), ("b", 1)):
                with open(self.path(out, "history.csv")) as file:
                    rows.append([float(value) for value in file.readlines()[row].split(",")[1:]])
            for a, b in zip(*rows):
                self.assertAlmostEqual(a, b, delta=1e-12 * max(1, abs(a)), msg=name)
            for out in "ab":
                shutil.rmtree(self.path(out))
        if not MPIEXEC:
            self.skipTest("no mpiexec")
        self.run_through(self.command("elastic_bar_lumped.yaml", ["time.end=50 us"], "--out", "a", ranks=2))
        self.run_through(self.command("elastic_bar_lumped.yaml", ["time.end=50 us", "start={from: a}"], "--out", "b", ranks=2))
        self.assertIn("use mpiexec -n 2", self.run_through(self.command("elastic_bar_lumped.yaml", ["start={from: a}"], "--out", "c"), 2).stderr)

    def test_a_changed_mesh_file(self):
        shutil.copy(os.path.join(ROOT, "meshes", "stepped_bar.msh"), self.path("bar.msh"))
        sets = self.BAR + ["bodies.bar.mesh.file=" + self.path("bar.msh")]
        command = self.command("stepped_bar.yaml", sets, "--out", "x")
        self.assertEqual(self.stop(command, "x", signal.SIGTERM, 0.3)[0], 3)
        with open(self.path("bar.msh"), "a") as file:
            file.write("\n")
        self.assertIn("a mesh file, a plugin or the state that it started from has changed since\n  --overwrite starts from the beginning", self.run_through(command + ["--resume"], 2).stderr)

    def test_a_damaged_newest_checkpoint_falls_back(self):
        sets = ["time.end=120 ms", "output.checkpoints=20 ms"] + self.BAR[1:]
        self.run_through(self.command("elastic_bar.yaml", sets, "--out", "x"))
        os.rename(self.path("x"), self.path("whole"))
        run = subprocess.Popen(self.command("elastic_bar.yaml", sets, "--out", "x"), cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while len(glob.glob(self.path("x", "checkpoint", "*.ckpt"))) < 2 and run.poll() is None:
            time.sleep(0.002)
        run.kill()
        run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, -signal.SIGKILL)
        with open(max(glob.glob(self.path("x", "checkpoint", "*.ckpt"))), "r+b") as file:
            file.truncate(1000)
        self.assertRegex(self.resume(sets, 0), "warning: .*damaged.*; continuing from the previous one")
        os.rename(self.path("x"), self.path("parts"))
        self.assert_same("whole", "parts")

    def test_nothing_to_resume(self):
        sets = ["time.end=0.1 ms"]
        done = self.run_through(self.command("elastic_bar.yaml", sets, "--out", "x", "--resume"))
        self.assertEqual(figures(self.path("x", "run.json"))["exit_status"], "done")
        before = files_of(self.path("x"))
        self.assertEqual(len([name for name in before if name.endswith(".ckpt")]), 1)  # its last state
        open(self.path("x", "checkpoint", "step_000000000000499.ckpt"), "w").close()  # as where it was killed before it removed the one before
        with open(self.path("x", "percuss.files"), "r+") as file:
            listed = file.read()
            file.write("frames/elastic_bar_*.vtk 640\ncheckpoint/step_000000000000499.ckpt\n")
        self.assertIn("is complete; nothing is left to do", self.resume(sets, 0))
        self.assertEqual(files_of(self.path("x")), before)
        with open(self.path("x", "percuss.files")) as file:
            self.assertEqual(file.read(), listed)
        os.mkdir(self.path("foreign"))
        open(self.path("foreign", "thesis.tex"), "w").close()
        done = subprocess.run(self.command("elastic_bar.yaml", sets, "--out", "foreign", "--resume"), cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no results of percuss", done.stderr)
        with open(self.path("x", "run.json"), "a") as file:
            file.write("}")
        self.assertRegex(self.resume(sets, 2), r"x/run.json:\d+:\d+: error: ")

    def test_killed_before_the_first_checkpoint(self):
        self.stop(self.command("elastic_bar.yaml", self.BAR, "--out", "x"), "x", signal.SIGKILL, 0.2)
        code, errors = self.stop(self.command("elastic_bar.yaml", self.BAR, "--out", "x", "--resume"), "x", signal.SIGTERM, 0.1)
        self.assertIn("there is no checkpoint in 'x' yet; the run starts from the beginning", errors)
        self.assertEqual(code, 3)

    def test_killed_at_its_first_file(self):
        sets = ["time.end=0.1 ms"]
        for words in ([], ["--resume"]):
            os.mkdir(self.path("x"))
            open(self.path("x", "run.json.part"), "w").close()
            self.run_through(self.command("elastic_bar.yaml", sets, "--out", "x", *words))
            open(self.path("x", "config.yaml.part"), "w").close()  # and at a later one
            self.run_through(self.command("elastic_bar.yaml", sets, "--out", "x", "--overwrite"))
            self.assertEqual(glob.glob(self.path("x", "*.part")), [])
            shutil.rmtree(self.path("x"))

    def test_killed_within_a_frame(self):
        """The half-written frame is percuss's own, also after a run that was stopped before it came so far."""
        sets = ["time.end=100 ms", "output.frames.every=200000", "output.history.every=0", "output.contacts.every=0", "output.energy.every=0"]
        command = self.command("elastic_bar.yaml", sets, "--out", "x", "--resume")
        self.run_through(command + ["--wall-limit", "1 us"], 3)
        frames = len(glob.glob(self.path("x", "frames", "elastic_bar_*.vtk")))
        with open(self.path("x", "percuss.files"), "a") as file:
            file.write("frames/elastic_bar_*.vtk 64\n")
        with open(self.path("x", "frames", f"elastic_bar_{frames:06d}.vtk.part"), "w") as file:
            file.write("# vtk DataFile")
        self.run_through(command + ["--wall-limit", "1 us"], 3)
        self.run_through(command)

    def test_two_runs_do_not_write_into_one_directory(self):
        command = self.command("elastic_bar.yaml", self.BAR, "--out", "x")
        run = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("x", "run.json")):
            time.sleep(0.01)
        self.assertIn("still being written by another run", self.resume(self.BAR, 2))
        second = subprocess.run(command + ["--overwrite"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(second.returncode, 2)
        self.assertIn("still being written by another run", second.stderr)
        os.mkdir(self.path("y"))
        held = os.open(self.path("y"), os.O_RDONLY)  # as by a run that has written nothing yet
        fcntl.flock(held, fcntl.LOCK_EX)
        third = subprocess.run(self.command("elastic_bar.yaml", self.BAR, "--out", "y"), cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        os.close(held)
        self.assertEqual((third.returncode, third.stderr), (1, "percuss run: another run is writing into y\n"))
        self.assertEqual(os.listdir(self.path("y")), [])
        run.terminate()
        run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 3)

    def test_the_wall_limit_stops_a_run(self):
        done = self.run_through(self.command("elastic_bar.yaml", self.BAR, "--out", "x", "--wall-limit", "0.5 s"), 3)
        self.assertIn("stopped by the wall limit of 0.5 s at t = ", done.stderr)
        self.assertEqual(len(glob.glob(self.path("x", "checkpoint", "*.ckpt"))), 1)
        done = self.run_through(self.command("elastic_bar.yaml", self.BAR, "--out", "x", "--resume", "--wall-limit=0.5 s"), 3)  # and on
        self.assertEqual(len(glob.glob(self.path("x", "checkpoint", "*.ckpt"))), 2)

    def test_a_user_signal_keeps_the_run_going(self):
        run = subprocess.Popen(self.command("elastic_bar.yaml", self.BAR, "--out", "x"), cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("x", "run.json")):
            time.sleep(0.01)
        for _ in range(3):
            time.sleep(0.2)
            run.send_signal(signal.SIGUSR1)
        time.sleep(0.3)
        self.assertIsNone(run.poll())
        self.assertEqual(len(glob.glob(self.path("x", "checkpoint", "*.ckpt"))), 2)
        run.kill()
        run.communicate(timeout=PATIENCE)
        code, errors = self.stop(self.command("elastic_bar.yaml", self.BAR, "--out", "x", "--resume"), "x", signal.SIGTERM, 0.1)
        self.assertNotIn("the run starts from the beginning", errors)
        self.assertEqual(code, 3)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        PERCUSS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
