#!/usr/bin/python3
"""The program on a machine that fails: no memory, a full disk, a bad disk, an interrupted call, one after the other.

    test_faults.py PERCUSS FAULT.so             a spread of faults (ctest)
    test_faults.py PERCUSS FAULT.so --all       every call of every run fails once (half an hour)
    ... --case NAME                             of one run only; -v prints each fault

What is demanded of each: no crash, no hang, no traceback; exit code 1 and one message that says "out of memory", or names the file and the reason; in the results
whole rows, whole frames, nothing half-written by any name, and run.json that tells, if it could be written; a run that writes checkpoints and is resumed then ends with
the bytes of an undisturbed one. Where the program goes on in spite of the fault (exit code 0)
it has done all its work: the results have the bytes of an undisturbed run. fault.c says which calls are made to fail.
"""
import argparse
import errno
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where fsync costs nothing
MOST_CALLS = 1 << 20  # as in fault.c
OUTPUTS = "output={frames: {every: 4}, history: {every: 1}, contacts: {every: 1}, energy: {every: 2}}"
ORBITS = "output={frames: {every: 10}, history: {every: 5}, orbits: {stations: {journal: {at: shaft.right}}, every: 2}}"


def config(name):
    return os.path.join(ROOT, "configs", name)


# Each writes into `results` of the directory where it runs. "main": faults before PETSc has started, too.
CASES = {
    "bar": ("petsc", ["run", config("elastic_bar.yaml"), "--quiet", "--out", "results", "--set", "time.end=2 us", "--set", "bodies.bar.mesh.line.elements=8",
                      "--set", "bodies.bar.mesh.line.from=[0.0001 um, 0, 0]", "--set", OUTPUTS]),
    "mechanism": ("petsc", ["run", config("slider_crank.yaml"), "--quiet", "--out", "results", "--set", "time.end=3 ms", "--set", OUTPUTS]),
    "rotor": ("petsc", ["run", config("rotor_in_safety_bearing.yaml"), "--quiet", "--out", "results", "--set", "time.end=0.3 ms", "--set", ORBITS]),
    "overwrite": ("petsc", ["run", config("oscillator.yaml"), "--quiet", "--out", "results", "--overwrite", "--set", "time.end=20 ms"]),
    "mesh": ("petsc", ["check", config("stepped_bar.yaml")]),
    "check": ("petsc", ["check", config("truss_on_stop.yaml")]),
    "modes": ("petsc", ["modes", config("rotor_friswell.yaml"), "--count", "2", "--out", "results"]),
    "response": ("petsc", ["response", config("rotor_in_two_bearings.yaml"), "--speeds", "0 rpm:3000 rpm:3", "--out", "results"]),
    "words": ("main", ["check", config("oscillator.yaml")]),
    "explain": ("main", ["explain", "contacts"]),
    "schema": ("main", ["schema"]),
}
RESUMED = ("bar", "mechanism", "rotor")  # write checkpoints, and are gone on with after each fault
FILE_FAULTS = (("f", errno.ENOSPC), ("f", errno.EIO), ("F", errno.ENOSPC), ("F", errno.EIO), ("f", errno.EINTR), ("f", 0), ("F", 0))


class Server:
    """The program, started once, that goes on with one fault each time it is asked."""

    def __init__(self, percuss, fault, place, words, folder, checkpoints=False):
        self.paths = tempfile.mktemp(prefix="paths_", dir=folder)
        with open(self.paths, "wb") as file:
            file.truncate(16 + 4 * MOST_CALLS)
        ask, self.requests = os.pipe()
        self.answers, answer = os.pipe()
        env = dict(os.environ, LD_PRELOAD=fault, PERCUSS_FAULT_SERVER=place, PERCUSS_FAULT_PATHS=self.paths, PERCUSS_FAULT_REQUESTS=str(ask),
                   PERCUSS_FAULT_ANSWERS=str(answer))
        if checkpoints:
            env["PERCUSS_FAULT_CHECKPOINTS"] = "yes"
        self.process = subprocess.Popen([percuss, *words], env=env, pass_fds=(ask, answer), stdin=subprocess.DEVNULL)
        os.close(ask)
        os.close(answer)
        self.replies = os.fdopen(self.answers)

    def run(self, mode, error, k, folder):
        """Exit code, or minus the signal; how many calls there were, and how many failed."""
        os.write(self.requests, f"{mode} {error} {k} {folder}\n".encode())
        reply = self.replies.readline()
        if not reply:
            raise RuntimeError("the program did not get to where it takes faults")
        with open(self.paths, "rb") as file:
            return (int(reply), *struct.unpack("qq", file.read(16)))

    def path_numbers(self, calls):
        with open(self.paths, "rb") as file:
            file.seek(16)
            return struct.unpack(f"{calls}I", file.read(4 * calls))

    def close(self):
        os.close(self.requests)
        self.process.wait(timeout=60)
        self.replies.close()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_times(manifest):
    """What two runs of one config have in common."""
    kept = {key: value for key, value in manifest.items() if key not in ("started", "ended", "pid")}
    kept["summary"] = {key: value for key, value in manifest.get("summary", {}).items() if "seconds" not in key}
    return kept


def files_of(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


class Judge:
    """Compares what is left of a disturbed run with an undisturbed one."""

    def __init__(self, reference):
        self.reference = os.path.join(reference, "results")
        self.expected = {name: read(os.path.join(self.reference, name)) for name in files_of(self.reference)}
        self.warnings = read(os.path.join(reference, "stderr")).decode()

    def wrong(self, folder, status, mode, error, failed):
        """What is wrong, as a list of sentences."""
        message = read(os.path.join(folder, "stderr")).decode(errors="replace")
        if status == -14:
            return ["hangs"]
        if status < 0:
            return [f"dies of signal {-status}: {message[-300:]}"]
        message = message.removeprefix(self.warnings)
        if "PETSC ERROR" in message or "Traceback" in message:
            return ["a traceback: " + message[:600]]
        wrong = self.wrong_message(message, status, mode, error, failed)
        results = os.path.join(folder, "results")
        if os.path.isdir(results):
            try:
                wrong += self.wrong_results(results, status, mode, message)
            except ValueError as reason:
                wrong.append(f"a file is no JSON: {reason}")
        return wrong

    def wrong_message(self, message, status, mode, error, failed):
        if status == 0:
            return [f"exit code 0 with a message: {message}"] if message else []
        if status != 1:
            return [f"exit code {status}: {message}"]
        if not failed:
            return [f"fails without a fault: {message}"]
        if mode in "mM":
            good = "out of memory" in message or os.strerror(errno.ENOMEM) in message and "results" in message
        else:
            good = error not in (0, errno.EINTR) and os.strerror(error) in message and "results" in message
        return [] if good and (message.count("\n") == 1 or mode == "M") else [f"the message is: {message or 'none'}"]

    def wrong_results(self, results, status, mode, message):
        names, wrong = files_of(results), []
        text = {name: read(os.path.join(results, name)) for name in names}
        if status == 1 and text.get("run.json") == self.expected.get("run.json"):
            return []  # of an earlier run, which this one did not get to replace, or began to
        done = status == 0 or self.is_done(text.get("run.json")) and mode in "mM"  # memory may fail after all the work
        if done:
            others = names ^ set(self.expected)
            if mode == "F":
                others -= {"percuss.files.part"}  # which it may not remove
            if status or mode in "mM":
                others = {name for name in others if not name.startswith("checkpoint/")}  # it did not get to write or remove them
            if others:
                wrong.append(f"done, and these files differ: {sorted(others)}")
            wrong += [f"done, and {name} differs" for name in names & set(self.expected) if not self.same(name, text[name])]
        if mode != "F":  # who may not remove anything leaves it
            wrong += [f"{name} is left" for name in names if name.endswith(".part")]
        for name in names:
            if name.endswith(".csv"):
                if not self.expected[name].startswith(text[name]) or text[name] and not text[name].endswith(b"\n"):
                    wrong.append(f"{name} is not whole: it ends with {text[name][-80:]}")
            elif name.endswith((".vtk", ".py", ".yaml")) and text[name] != self.expected.get(name):
                wrong.append(f"{name} is not whole")
            elif name.endswith(".vtk.series"):
                wrong += [f"{name} lists {frame['name']}, which is not there" for frame in json.loads(text[name])["files"] if frame["name"] not in names]
            elif name.endswith(".json"):
                json.loads(text[name])
        return wrong + (self.wrong_manifest(text.get("run.json"), set(names) - {"percuss.files"}, mode, message) if not done else [])

    @staticmethod
    def is_done(text):
        return text is not None and json.loads(text)["exit_status"] == "done"

    @staticmethod
    def wrong_manifest(text, others, mode, message):
        if mode in "MF" or "/run.json:" in message or "directory results:" in message:
            return []  # it could not be written
        if text is None:  # before anything was begun there is none; what was to be emptied has lost it
            return [] if not others or "cannot empty" in message or "cannot remove the earlier results" in message else ["no run.json"]
        manifest = json.loads(text)
        if manifest["exit_status"] != "failed" or not manifest["failure"] or manifest["failure"] not in message:
            return [f"run.json says {manifest['exit_status']}, {manifest['failure']}; the message is: {message}"]
        return []

    def same(self, name, text):
        if name == "percuss.files":  # sorted and short at the end of a run, unless the machine fails there
            return {line.split(b" ")[0] for line in self.expected[name].splitlines()} <= {line.split(b" ")[0] for line in text.splitlines()}
        if name.startswith("checkpoint/"):
            return True  # it has computing times; tests/restart runs on from it
        if name == "status.json":
            return json.loads(text)["status"] == json.loads(self.expected[name])["status"]
        if name == "run.json":
            return without_times(json.loads(text)) == without_times(json.loads(self.expected[name]))
        return text == self.expected[name]


def spread(items, most):
    """At most so many, evenly chosen."""
    return items if len(items) <= most else [items[i * len(items) // most] for i in range(most)]


def first_of_each_path(numbers):
    seen = {}
    for k, number in enumerate(numbers, 1):
        seen.setdefault(number, k)
    return sorted(seen.values())


class Tester:
    def __init__(self, percuss, fault, everything, verbose):
        self.percuss, self.fault, self.everything, self.verbose = percuss, fault, everything, verbose
        self.faults = self.complaints = 0

    def case(self, name):
        place, words = CASES[name]
        with tempfile.TemporaryDirectory(prefix="percuss_faults_", dir=MEMORY) as folder:
            server = Server(self.percuss, self.fault, place, words, folder, checkpoints=name in RESUMED)
            resume = Server(self.percuss, self.fault, place, [*words, "--resume"], folder) if name in RESUMED else None
            try:
                self.sweep(name, server, resume, folder)
            finally:
                server.close()
                if resume:
                    resume.close()

    def fresh(self, name, folder, label):
        """A directory to run in; for a run that overwrites with results of an earlier one."""
        path = os.path.join(folder, label)
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        if name == "overwrite" and label != "first":
            shutil.copytree(os.path.join(folder, "first", "results"), os.path.join(path, "results"))
        return path

    def resumed(self, resume, judge, at, found):
        """Whether the run that failed goes on to its end, and how often from a checkpoint; what is wrong then is added."""
        from_checkpoint = bool(glob.glob(os.path.join(at, "results", "checkpoint", "*.ckpt")))
        os.remove(os.path.join(at, "stderr"))
        status = resume.run("m", 0, 0, at)[0]
        message = read(os.path.join(at, "stderr")).decode(errors="replace").removeprefix(judge.warnings)
        if status != 0:
            found.append(f"resumed it ends with {status}: {message}")
        else:
            found += ["resumed: " + sentence for sentence in judge.wrong_results(os.path.join(at, "results"), 0, "m", message)]
        if from_checkpoint and message and "is complete" not in message:  # complete where the very last fsync failed
            found.append(f"resumed from its checkpoint it says {message}")
        return from_checkpoint

    def sweep(self, name, server, resume, folder):
        first = self.fresh(name, folder, "first")
        status, calls, _ = server.run("m", 0, 0, first)
        if status != 0:
            raise RuntimeError(f"{name} fails undisturbed: {status}, {read(os.path.join(first, 'stderr')).decode()}")
        judge = Judge(first)
        numbers = server.path_numbers(calls)
        paths = first_of_each_path(numbers)
        ours = [k for k in paths if numbers[k - 1] % 2]
        once = range(1, calls + 1) if self.everything else sorted({*ours, *spread(paths, 40)})
        on = spread(paths, 200 if self.everything else 8)
        plan = [("m", 0, k) for k in once] + [("M", 0, k) for k in on]
        files = server.run("f", 0, 0, self.fresh(name, folder, "count"))[1]
        for mode, error in FILE_FAULTS:
            plan += [(mode, error, k) for k in (range(1, files + 1) if self.everything else spread(range(1, files + 1), 12))]
        wrong = went_on = anew = 0
        for mode, error, k in plan:
            at = self.fresh(name, folder, "fault")
            status, _, failed = server.run(mode, error, k, at)
            self.faults += 1
            found = judge.wrong(at, status, mode, error, failed)
            if resume and status == 1 and os.path.exists(os.path.join(at, "results", "run.json")) and os.path.exists(os.path.join(at, "results", "config.yaml")):
                if self.resumed(resume, judge, at, found):
                    went_on += 1
                else:
                    anew += 1
            if self.verbose:
                print(f"{name} {mode} {errno.errorcode.get(error, 'short')} {k}: {status} {read(os.path.join(at, 'stderr')).decode(errors='replace').strip()[:150]}")
            if found:
                wrong += 1
                if wrong <= 20:
                    print(f"{name}: {mode} {errno.errorcode.get(error, '-')} at call {k}: " + "; ".join(found), flush=True)
        self.complaints += wrong
        print(f"{name}: {calls} allocations by {len(paths)} ways, {len(ours)} of them ours, {files} calls on files; {len(plan)} faults, {wrong} of them not borne well" +
              (f"; resumed {went_on} times from a checkpoint and {anew} times from the start" if resume else ""), flush=True)
        if resume and not went_on:
            raise RuntimeError(f"{name} is never resumed from a checkpoint")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss", type=os.path.abspath)
    parser.add_argument("fault", type=os.path.abspath)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("-v", "--verbose", action="store_true")
    words = parser.parse_args()
    tester = Tester(words.percuss, words.fault, words.all, words.verbose)
    for name in words.case or CASES:
        tester.case(name)
    print(f"{tester.faults} faults, {tester.complaints} of them not borne well")
    return 1 if tester.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
