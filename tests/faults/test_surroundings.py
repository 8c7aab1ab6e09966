#!/usr/bin/python3
"""The program where something around it is missing, full or taken away: real file systems, devices, limits. Usage: test_surroundings.py PERCUSS"""
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else os.path.join(ROOT, "build/release/percuss")
BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
OSCILLATOR = os.path.join(ROOT, "configs/oscillator.yaml")
FRAMES = "output={frames: {every: 20}, history: {every: 10}, contacts: {every: 10}, energy: {every: 10}}"
TABLES = "output={frames: {every: 0}, history: {every: 1}, contacts: {every: 1}, energy: {every: 1}}"
SANITIZED = b"__asan_init" in open(PERCUSS, "rb").read()


def limited(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


def shell(command, **options):
    """In bash, for its redirections; $PERCUSS is the program."""
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, env=dict(os.environ, PERCUSS=PERCUSS, BAR=BAR, OSCILLATOR=OSCILLATOR), **options)


class Surroundings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="percuss_surroundings_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "results")

    def run_bar(self, *words, before=(), **options):
        return subprocess.run([*before, PERCUSS, "run", BAR, "--quiet", "--out", self.out, *words], capture_output=True, text=True, timeout=300, **options)

    def start_long(self, **options):
        run = subprocess.Popen([PERCUSS, "run", BAR, "--out", self.out, "--set", "time.end=100 s", "--set", "output={frames: {every: 20000}, history: {every: 1000}}"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(run.kill)
        for _ in range(1200):
            if os.path.exists(os.path.join(self.out, "elastic_bar.vtk.series")):
                return run
            time.sleep(0.05)
        self.fail("the run does not start")

    def assert_failed(self, done, reason, file=None):
        """One message that names the file and the reason, and exit code 1."""
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertIn(file or self.out, done.stderr)

    def assert_readable(self, folder, failure=None):
        """Whole rows, whole frames, nothing half-written; run.json says why it ended, if failure is given."""
        names = [os.path.relpath(os.path.join(at, name), folder) for at, _, files in os.walk(folder) for name in files]
        self.assertEqual([name for name in names if name.endswith(".part")], [])
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                text = file.read()
            if name.endswith(".csv") and text:
                self.assertTrue(text.endswith(b"\n"), name)
                self.assertEqual(len({line.count(b",") for line in text.splitlines()}), 1, name)
            elif name.endswith(".vtk.series"):
                for frame in json.loads(text)["files"]:
                    self.assertIn(frame["name"], names)
            elif name.endswith(".json"):
                json.loads(text)
        sizes = [os.path.getsize(path) for path in glob.glob(os.path.join(folder, "frames", "elastic_bar_*.vtk"))]
        self.assertLess(max(sizes, default=0) - min(sizes, default=0), 100)  # but for the length of the time in the title they are alike
        if failure is not None:
            with open(os.path.join(folder, "run.json")) as file:
                manifest = json.load(file)
            self.assertEqual(manifest["exit_status"], "failed")
            self.assertIn(manifest["failure"], failure)

    # full disks

    def fill(self, size, *words):
        """Runs on a disk of that many KiB of its own and copies what is there to self.out."""
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        mount = f"mount -t tmpfs -o size={size}k tmpfs {disk}"
        private = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
        try:
            possible = subprocess.run([*private, "sh", "-c", mount], capture_output=True, text=True, timeout=60)
        except FileNotFoundError as missing:
            self.skipTest(f"a full disk is not tried: {missing}")
        if possible.returncode:
            self.skipTest(f"a full disk is not tried: nothing may be mounted here: {possible.stderr.strip()}")
        done = subprocess.run([*private, "sh", "-c", f'{mount} && cd {disk} && "$@"; code=$?; cp -r {disk}/results {self.out}; exit $code', "sh", PERCUSS, "run", BAR, "--quiet",
                               "--out", "results", *words], capture_output=True, text=True, timeout=300)
        self.assert_failed(done, "No space left on device", "cannot write results/")
        self.assert_readable(self.out, done.stderr)

    def test_disk_filled_by_frames(self):
        self.fill(256, "--set", FRAMES)
        self.assertGreater(len(os.listdir(os.path.join(self.out, "frames"))), 3)

    def test_disk_filled_by_tables(self):
        self.fill(512, "--set", TABLES)
        self.assertGreater(os.path.getsize(os.path.join(self.out, "history.csv")), 65536)

    def test_standard_output_full(self):
        for words in ("check $BAR", "explain", "explain schemes", "schema", "init", "init bar", "--help", "--version", "run --help",
                      f"run $OSCILLATOR --out {self.out}", f"modes $BAR --count 2 --out {self.out}_modes"):
            done = shell(f"$PERCUSS {words} > /dev/full")
            self.assertEqual((done.returncode, done.stderr), (1, "percuss: cannot write to standard output: No space left on device\n"), words)
        with open(os.path.join(self.out, "run.json")) as file:
            self.assertEqual(json.load(file)["exit_status"], "done")

    # closed ends

    def test_standard_output_closed(self):
        for words in ("check $BAR", "explain", f"run $OSCILLATOR --out {self.out}"):
            done = shell(f"$PERCUSS {words} >&-")
            self.assertEqual((done.returncode, done.stderr), (1, "percuss: cannot write to standard output: Bad file descriptor\n"), words)
        self.assertEqual(shell(f"$PERCUSS run $OSCILLATOR --quiet --overwrite --out {self.out} >&-").returncode, 0)  # has nothing to say

    def test_no_output_gets_into_files(self):
        """A closed descriptor is not given to a file of ours."""
        self.assertEqual(shell(f"$PERCUSS run $OSCILLATOR --out {self.out}").returncode, 0)
        other = os.path.join(self.folder, "other")
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            shell(f"$PERCUSS run $OSCILLATOR --overwrite --out {other} {closed}")
            for name in ("history.csv", "contacts.csv", "energy.csv", "events.csv", "config.yaml"):
                with open(os.path.join(self.out, name), "rb") as one, open(os.path.join(other, name), "rb") as two:
                    self.assertEqual(one.read(), two.read(), closed + name)
        self.assertEqual(shell("$PERCUSS check nothing.yaml 2>&-").returncode, 2)
        self.assertEqual(shell(f"$PERCUSS run $OSCILLATOR --quiet --overwrite --out {self.out} 2>&-").returncode, 0)

    def test_reader_goes_away(self):
        """As other programs do: quietly."""
        for words in ("explain schemes", "explain", "schema", "check $BAR", "init bar"):
            done = shell(f"for i in 1 2 3; do $PERCUSS {words} | head -1 > /dev/null; done")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        done = shell("$PERCUSS explain | true; echo ${PIPESTATUS[0]}")
        self.assertIn(done.stdout.strip(), ("0", str(128 + signal.SIGPIPE)))
        self.assertEqual(done.stderr, "")

    def test_a_run_outlives_its_reader(self):
        """The terminal of a run that says something now and then is closed."""
        run = self.start_long()
        run.stdout.close()
        run.stderr.close()
        for _ in range(8):  # it would say something each half minute; a signal that asks for nothing else stands for that
            run.send_signal(signal.SIGPIPE)
            time.sleep(0.05)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
        with open(os.path.join(self.out, "run.json")) as file:
            self.assertEqual(json.load(file)["exit_status"], "stopped")

    # limits

    def test_file_size_limit(self):
        for words, least in ((["--set", TABLES], 60000), (["--set", FRAMES, "--set", "bodies.bar.mesh.line.elements=1000", "--set", "scheme.step=10 ns"], 60000)):
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.run_bar(*words, preexec_fn=limited(resource.RLIMIT_FSIZE, least))
            self.assert_failed(done, "File too large", "cannot write " + self.out)
            self.assert_readable(self.out, done.stderr)

    def test_the_reason_after_a_long_path(self):
        self.out += 300 * "/a_folder"
        done = self.run_bar("--set", TABLES, preexec_fn=limited(resource.RLIMIT_FSIZE, 60000))
        self.assert_failed(done, "File too large\n", "cannot write " + self.out)
        self.assert_readable(self.out, done.stderr)

    @unittest.skipIf(SANITIZED, "sanitizers want all the address space there is")
    def test_little_memory(self):
        """From what a small model needs upward: a large one is run, or the end of memory is told."""
        def check(limit):
            try:
                return subprocess.run([PERCUSS, "check", OSCILLATOR], preexec_fn=limited(resource.RLIMIT_AS, limit), capture_output=True, timeout=10).returncode
            except subprocess.TimeoutExpired:
                return -1  # OpenBLAS waits for memory where it is loaded, before there is a program
        limit = 64 << 20
        while check(limit):
            limit += 32 << 20
            self.assertLess(limit, 4 << 30)
        told = 0
        for more in range(0, 1 << 30, 48 << 20):
            done = self.run_bar("--overwrite", "--set", "bodies.bar.mesh.line.elements=200000", "--set", "scheme.step=1e-12 s", "--set", "time.end=1e-12 s", "--set", FRAMES,
                                preexec_fn=limited(resource.RLIMIT_AS, limit + more))
            if done.returncode == 0:
                break
            self.assert_failed(done, "out of memory", "percuss")
            if os.path.exists(self.out):
                self.assert_readable(self.out, "out of memory")
            told += 1
        self.assertEqual(done.returncode, 0)
        self.assertGreater(told, 1)

    @unittest.skipIf(SANITIZED, "sanitizers want files, too")
    def test_few_files_may_be_open(self):
        def check(limit):
            return subprocess.run([PERCUSS, "check", OSCILLATOR], preexec_fn=limited(resource.RLIMIT_NOFILE, limit), capture_output=True, timeout=100).returncode
        limit = 4
        while check(limit):  # what starting MPI needs
            limit += 1
            self.assertLess(limit, 256)
        told = 0
        for more in range(64):
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.run_bar("--set", FRAMES, "--set", "time.end=10 us", preexec_fn=limited(resource.RLIMIT_NOFILE, limit + more))
            if done.returncode == 0:
                break
            self.assert_failed(done, "Too many open files")
            could = os.path.exists(os.path.join(self.out, "config.yaml")) or any(name.endswith(".csv") for name in os.listdir(self.out))
            self.assert_readable(self.out, done.stderr if could else None)  # where not one file may be open run.json is not, either
            told += could
        self.assertEqual(done.returncode, 0)
        self.assertGreater(told, 1)

    # directories

    def test_directory_taken_away(self):
        run = self.start_long()
        shutil.rmtree(self.out, ignore_errors=True)
        message = run.communicate(timeout=100)[1]
        self.assertEqual(run.returncode, 1, message)
        self.assertIn("percuss run: cannot write " + self.out, message)
        self.assertIn("No such file or directory", message)

    def test_directory_moved(self):
        """A run keeps to its directory, wherever that goes."""
        run = self.start_long()
        os.rename(self.out, self.out + "_away")
        open(self.out, "w").close()
        run.send_signal(signal.SIGINT)
        message = run.communicate(timeout=100)[1]
        self.assertEqual(run.returncode, 3, message)
        self.assertEqual(os.path.getsize(self.out), 0)
        self.assert_readable(self.out + "_away")
        self.assertTrue(os.listdir(os.path.join(self.out + "_away", "checkpoint")))

    def without_rights(self):
        """Words before a command, so that rights are looked at."""
        if os.geteuid():
            return []
        drop = ["unshare", "--user"]  # root keeps its number and loses its power
        try:
            if subprocess.run([*drop, "true"], capture_output=True, timeout=60).returncode == 0:
                return drop
        except FileNotFoundError:
            pass
        self.skipTest("root may write everywhere, and cannot be stopped here")

    def test_directory_made_read_only(self):
        before = self.without_rights()
        run = subprocess.Popen([*before, PERCUSS, "run", BAR, "--out", self.out, "--set", "time.end=100 s", "--set", "output={frames: {every: 20000}}"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        while not os.path.exists(os.path.join(self.out, "elastic_bar.vtk.series")):
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        for path in (self.out, os.path.join(self.out, "frames")):
            os.chmod(path, 0o555)
            self.addCleanup(os.chmod, path, 0o755)
        message = run.communicate(timeout=100)[1]
        self.assertEqual(run.returncode, 1, message)
        self.assertIn("percuss run: cannot write " + self.out, message)
        self.assertIn("Permission denied", message)

    def test_where_nothing_may_be_made(self):
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        self.assert_failed(self.run_bar(before=self.without_rights()), "Permission denied", "cannot make the directory " + self.out)

    def test_file_where_a_directory_is_wanted(self):
        open(self.out, "w").close()
        done = self.run_bar()
        self.assertEqual(done.returncode, 2)
        self.assertIn("is a file; --out names a directory", done.stderr)
        os.rename(self.out, os.path.join(self.folder, "file"))
        self.out = os.path.join(self.folder, "file", "results")
        self.assert_failed(self.run_bar(), "Not a directory", "cannot make the directory " + self.out)
        self.out = os.path.join(self.folder, "results")
        self.assertEqual(self.run_bar("--set", "time.end=1 us").returncode, 0)
        shutil.rmtree(os.path.join(self.out, "frames"))
        open(os.path.join(self.out, "frames"), "w").close()
        self.assert_failed(self.run_bar("--overwrite", "--set", "time.end=1 us"), "Not a directory", f"cannot remove the earlier results in '{self.out}'")

    def test_directory_of_too_long_a_name(self):
        self.out += 2500 * "/a"
        self.assert_failed(self.run_bar(), "...: File name too long\n", "cannot make the directory " + self.out[:800])

    def test_config_that_cannot_be_read(self):
        done = subprocess.run([PERCUSS, "check", "/proc/self/mem"], capture_output=True, text=True, timeout=100)
        self.assertEqual((done.returncode, done.stderr), (2, "error: cannot read '/proc/self/mem': Input/output error\n"))


if __name__ == "__main__":
    unittest.main()
