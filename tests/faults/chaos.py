#!/usr/bin/python3
"""Power cuts, full disks, links, foreign files, two writers: nothing is lost, nothing foreign is touched, exit codes are right.

    chaos.py PERCUSS FAULT.so           a spread of places (ctest)
    chaos.py PERCUSS FAULT.so --all     every call on a file of a run, of one that is resumed, of one that overwrites, of a study, of an analysis (ten minutes)
    ... --case NAME; -v prints each     fault.c says what a call on a file is and how the program is killed there

After a kill, and after a disk that was full from some call on and is not any more, the command given again with --resume (of a study: as it was), and with --overwrite in its
place, ends with exit code 0 and the bytes of an undisturbed run; what else lay in the directory is as it was. Then, without faults:

    links       of directories and files, in every place where percuss writes: what they point to stays as it is
    foreign     files like percuss's own in the directory: --overwrite keeps them
    writers     two runs, two studies in one directory: the second refuses
    cut         tables that were cut after the run: compare, study and repeat say so
"""
import argparse
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_faults
from test_faults import MEMORY, ROOT, Server, files_of, read, spread, without_times

BALL = ["--set", "time.end=60 ms", "--set", "scheme.step=2 ms", "--set", "output={frames: {every: 10, format: vtu}, history: {every: 1}, contacts: {every: 1}}"]
BAR = ["--set", "time.end=2 us", "--set", "bodies.bar.mesh.line.elements=8", "--set", test_faults.OUTPUTS]
STUDY = "config: {0}\nset: {{time.end: 20 ms, output: {{frames: {{every: 0}}}}}}\nvary: {{scheme.step: [2 ms, 1 ms]}}\nrecord: {{t: {{summary: time}}}}\n"


def config(name):
    return os.path.join(ROOT, "configs", name + ".yaml")


# name: (words, whether --resume is given after a kill, what is there before)
CASES = {
    "run": (["run", config("elastic_bar"), "--quiet", "--out", "results", *BAR], True, None),
    "overwrite": (["run", config("bouncing_ball"), "--quiet", "--overwrite", "--out", "results", *BALL], False, "run"),
    "study": (["study", "study.yaml", "--quiet", "--jobs", "1", "--out", "results"], False, None),
    "orbit": (["orbit", config("impact_oscillator"), "--quiet", "--over", "loads.shaker.time.harmonic.frequency=2.2 rad/s:2.3 rad/s", "--points", "3", "--out", "results"], False, None),
    "modes": (["modes", config("elastic_bar"), "--count", "2", "--out", "results"], False, None),
    "static": (["static", config("beam_on_stop"), "--out", "results", "--set", "output.frames.format=vtu"], False, None),
}
FOREIGN = {"notes.txt": "mine", "frames/mine_000001.vtk": "mine", "frames/elastic_bar_900000.vtk": "mine", "other.vtk.series": "{}", "checkpoint/step_1mine.ckpt": "mine",
           "frames/mine_000001.vtu": "mine", "frames/elastic_bar_900000.vtu": "mine", "other.pvd": "<VTKFile/>"}
VTU = ["--set", "output.frames.format=vtu"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def contents(folder):
    """{name: what matters of it}; times and lists of claimed names may differ."""
    found = {}
    for name in files_of(folder):
        text = read(os.path.join(folder, name))
        base = os.path.basename(name)
        if base in ("percuss.files", "status.json", "times.csv", "study.png") or name.endswith(".log"):
            continue
        found[name] = without_times(json.loads(text)) if base == "run.json" else text
    return found


class Drill:
    def __init__(self, percuss, fault, everything, verbose):
        self.percuss, self.fault, self.everything, self.verbose = percuss, fault, everything, verbose
        self.wrong = self.tried = 0

    def complain(self, text):
        self.wrong += 1
        print("WRONG: " + text, flush=True)

    def expect(self, good, text):
        self.tried += 1
        if not good:
            self.complain(text)

    def call(self, folder, *words, code=0):
        done = subprocess.run([self.percuss, *words], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        self.expect(done.returncode == code, f"{' '.join(words)}: exit code {done.returncode}, not {code}: {done.stderr}{done.stdout}")
        return done

    # kills and full disks

    def fresh(self, name, folder, label):
        path = os.path.join(folder, label)
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        write(os.path.join(path, "study.yaml"), STUDY.format(config("bouncing_ball")))
        if CASES[name][2] and label != "before":
            shutil.copytree(os.path.join(folder, "before"), path, dirs_exist_ok=True)
        return path

    def case(self, name):
        words, resumes, before = CASES[name]
        with tempfile.TemporaryDirectory(prefix="percuss_chaos_", dir=MEMORY) as folder:
            if before:
                self.call(self.fresh(name, folder, "before"), *CASES[before][0])
            servers = [Server(self.percuss, self.fault, "main" if name == "study" else "petsc", each, folder, checkpoints=resumes)
                       for each in [words] + ([[*words, "--resume"]] if resumes else [])]
            try:
                for resumed, server in enumerate(servers):
                    self.sweep(name, folder, server, resumed)
            finally:
                for server in servers:
                    server.close()

    def sweep(self, name, folder, server, resumed):
        """resumed: the faults strike a run that goes on after it was killed in its middle."""
        words = CASES[name][0]
        first = self.fresh(name, folder, "first")
        said = self.call(first, *words).stdout
        wanted = contents(os.path.join(first, "results"))
        start = None
        calls = server.run("f", 0, 0, self.fresh(name, folder, "count"))[1]
        if resumed:
            start = self.killed_with_checkpoint(name, folder)
            again = self.fresh(name, folder, "count")
            shutil.copytree(os.path.join(start, "results"), os.path.join(again, "results"))
            calls = server.run("f", 0, 0, again)[1]
        places = range(1, calls + 1) if self.everything else spread(range(1, calls + 1), 25)
        for mode in ("k", "F"):
            for k in places:
                at = self.fresh(name, folder, "fault")
                if start:
                    shutil.copytree(os.path.join(start, "results"), os.path.join(at, "results"))
                if os.path.isdir(os.path.join(at, "results")):
                    write(os.path.join(at, "results", "notes.txt"), "mine")
                status = server.run(mode, errno.ENOSPC, k, at)[0]
                self.recover(f"{name}{' resumed' if resumed else ''}, {mode} at call {k} of {calls} (ended with {status})", name, at, wanted, said)
        print(f"{name}{', resumed' if resumed else ''}: {calls} calls on files, killed and out of room at {len(places)} of them", flush=True)

    def killed_with_checkpoint(self, name, folder):
        """A directory in which a run was killed after its second checkpoint."""
        server = Server(self.percuss, self.fault, "petsc", CASES[name][0], folder, checkpoints=True)
        try:
            calls = server.run("f", 0, 0, self.fresh(name, folder, "count"))[1]
            for k in range(calls // 2, calls):
                at = self.fresh(name, folder, "start")
                server.run("k", 0, k, at)
                if os.path.isdir(os.path.join(at, "results", "checkpoint")) and len(os.listdir(os.path.join(at, "results", "checkpoint"))) > 1:
                    return at
        finally:
            server.close()
        raise RuntimeError(name + " writes no checkpoints")

    def recover(self, what, name, at, wanted, said):
        words, resumes, _ = CASES[name]
        results = os.path.join(at, "results")
        notes = os.path.exists(os.path.join(results, "notes.txt"))
        copy = at + "_copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(at, copy)
        others = [word for word in words if word != "--overwrite"]
        ways = [(at, [*others, "--resume"])] if resumes else [(at, others)] if name == "study" else []
        ways.append((copy, [*others, "--overwrite"]))
        for folder, command in ways:
            done = subprocess.run([self.percuss, *command], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
            self.tried += 1
            if done.returncode:
                self.complain(f"{what}; then {command[-1]}: exit code {done.returncode}: {done.stderr}")
                continue
            if name in ("modes", "static") and done.stdout != said:
                self.complain(f"{what}; then {command[-1]}: prints {done.stdout!r}, not {said!r}")
            got = contents(os.path.join(folder, "results"))
            if notes and got.pop("notes.txt", None) != b"mine":
                self.complain(f"{what}; then {command[-1]}: a foreign file is gone")
            differ = sorted(set(got) ^ set(wanted)) or [name for name in got if got[name] != wanted[name] and "checkpoint/" not in name]  # checkpoints have computing times
            if differ:
                self.complain(f"{what}; then {command[-1]}: {differ} differ from an undisturbed run")
        if self.verbose:
            print(what, flush=True)

    # links and foreign files

    def links(self):
        with tempfile.TemporaryDirectory(prefix="percuss_chaos_", dir=MEMORY) as folder:
            victim = os.path.join(folder, "victim")
            for name in ("history.csv", "run.json", "run.json.part", "percuss.files", "percuss.files.part", "status.json", "config.yaml", "frames", "checkpoint", "elastic_bar.vtk.series", "elastic_bar.pvd"):
                run = CASES["run"][0] + (VTU if name.endswith(".pvd") else [])
                for kind in ("alone", "in results"):
                    shutil.rmtree(folder)
                    write(os.path.join(victim, "precious.vtk"), "mine")
                    write(os.path.join(victim, "elastic_bar_000001.vtk"), "mine")
                    target = victim if "." not in name else os.path.join(victim, "precious.vtk")
                    place = os.path.join(folder, "results", name)
                    if kind == "alone":
                        os.mkdir(os.path.join(folder, "results"))
                    else:
                        self.call(folder, *run)
                        shutil.rmtree(place, ignore_errors=True)
                        if os.path.exists(place):
                            os.remove(place)
                    os.symlink(target, place)
                    for word in (), ("--overwrite",), ("--resume",):
                        done = subprocess.run([self.percuss, *run, *word], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
                        self.expect(done.returncode in (0, 1, 2) and "PETSC ERROR" not in done.stderr, f"{name}, a link, {kind}, {word}: {done.stderr}")
                        self.expect(read(os.path.join(victim, "precious.vtk")) == b"mine" and sorted(os.listdir(victim)) == ["elastic_bar_000001.vtk", "precious.vtk"] and
                                    read(os.path.join(victim, "elastic_bar_000001.vtk")) == b"mine", f"{name}, a link, {kind}, {word}: its target has changed")
                        if kind == "alone":
                            self.expect(done.returncode == 2, f"a directory that holds a link '{name}' is used as an empty one ({word})")
                        elif name in ("frames", "history.csv") and word:
                            self.expect(done.returncode in (0 if word == ("--resume",) else 1, 1), f"{name}, a link, {word}: exit code {done.returncode}")
        print("links: done", flush=True)

    def foreign(self):
        run = CASES["run"][0]
        with tempfile.TemporaryDirectory(prefix="percuss_chaos_", dir=MEMORY) as folder:
            self.call(folder, *run)
            for name, text in FOREIGN.items():
                write(os.path.join(folder, "results", name), text)
            for format_ in (), VTU, ():
                self.call(folder, *run, *format_, "--overwrite")
                for name, text in FOREIGN.items():
                    self.expect(read(os.path.join(folder, "results", name)) == text.encode(), f"--overwrite removed or changed a foreign {name}")
                frames = {name for name in os.listdir(os.path.join(folder, "results", "frames")) if "frames/" + name not in FOREIGN}
                self.expect({os.path.splitext(name)[1] for name in frames} == {".vtu" if format_ else ".vtk"}, f"--overwrite left frames of another format: {sorted(frames)}")
            write(os.path.join(folder, "other", "history.csv"), "mine")
            self.call(folder, *run[:-len(BAR) - 1], "other", *BAR, "--overwrite", code=2)
            self.expect(read(os.path.join(folder, "other", "history.csv")) == b"mine", "a foreign history.csv was overwritten")
        print("foreign: done", flush=True)

    def writers(self):
        long = ["run", config("bouncing_ball"), "--quiet", "--set", "time.end=100 s", "--set", "scheme.step=1 us", "--set", "output={frames: {every: 0}, history: {every: 0}, contacts: {every: 0}}"]
        study = STUDY.replace("20 ms", "100 s").replace("[2 ms, 1 ms]", "[1 us, 2 us]").format(config("bouncing_ball"))
        with tempfile.TemporaryDirectory(prefix="percuss_chaos_", dir=MEMORY) as folder:
            write(os.path.join(folder, "long.yaml"), study)
            for words in ([*long, "--out", "results"], ["study", "long.yaml", "--quiet", "--jobs", "1", "--out", "many"]):
                first = subprocess.Popen([self.percuss, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                wanted = os.path.join(folder, words[-1], "run.json" if words[0] == "run" else "study.json")
                while not os.path.exists(wanted) and first.poll() is None:
                    pass
                self.expect(first.poll() is None, f"{words[0]} ends by itself")
                done = self.call(folder, *words, *(["--overwrite"] if words[0] == "run" else []), code=2)
                self.expect("another" in done.stderr, f"a second {words[0]} says: {done.stderr}")
                first.terminate()
                self.expect(first.wait(timeout=60) == 3, f"{words[0]} was disturbed by a second one")
        print("writers: done", flush=True)

    def cut(self):
        run = CASES["run"][0]
        with tempfile.TemporaryDirectory(prefix="percuss_chaos_", dir=MEMORY) as folder:
            self.call(folder, *run)
            shutil.copytree(os.path.join(folder, "results"), os.path.join(folder, "whole"))
            self.call(folder, "compare", "whole", "results")
            for name in ("history.csv", "contacts.csv", "energy.csv", "events.csv"):
                path = os.path.join(folder, "results", name)
                text = read(path)
                for change in (text[:text.index(b"\n") + 1], text[:len(text) * 2 // 3], None):
                    os.remove(path)
                    if change is not None:
                        with open(path, "wb") as file:
                            file.write(change)
                    if change != text:
                        done = self.call(folder, "compare", "whole", "results", code=2)
                        self.expect(name in done.stderr, f"compare of a cut {name} says: {done.stderr}")
                    with open(path, "wb") as file:
                        file.write(text)
        print("cut: done", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss", type=os.path.abspath)
    parser.add_argument("fault", type=os.path.abspath)
    parser.add_argument("--all", action="store_true")
    plain = ("links", "foreign", "writers", "cut")
    parser.add_argument("--case", choices=[*CASES, *plain], action="append")
    parser.add_argument("-v", "--verbose", action="store_true")
    words = parser.parse_args()
    drill = Drill(words.percuss, words.fault, words.all, words.verbose)
    for name in words.case or [*CASES, *plain]:
        if name in CASES:
            drill.case(name)
        else:
            getattr(drill, name)()
    print(f"{drill.tried} trials, {drill.wrong} of them wrong")
    return 1 if drill.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
