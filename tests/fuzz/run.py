#!/usr/bin/env python3
"""Builds the fuzz targets and lets libFuzzer loose on them.

    run.py [--seconds N | --repeatable] [--jobs N] [--scratch DIR] [--keep] [TARGET]...

Each target (checkpoint, config, gmsh, plugin, results, run, study, units, words; without names all) runs for N seconds (60), --jobs of them (2) at a time, over seeds made from the
repository's files, over the kept inputs (corpus/TARGET.tar.gz), and over what earlier runs left in the scratch directory (build/fuzz/scratch). Prints for each how often it was
executed, its coverage (edges, features) and its findings. Exit code 1 when there is a finding: its stack and its input are told (the input in base64, too, for the machine
may be gone), build/fuzz/tests/fuzz/fuzz_TARGET INPUT repeats it. What was found is to be mended, and its input put into corpus/TARGET under a name that says what it is (or,
where a user could have written it, into tests/errors): tests replay them, and what is in the archives.

--repeatable takes a fixed seed and a fixed number of executions of each target instead of a time, and nothing from earlier runs, so that the same program is given the same
inputs everywhere: continuous integration finds what a run by hand before the commit finds.

--keep afterwards writes the smallest set of inputs that reaches what all reach into corpus/TARGET.tar.gz. Needs clang; only the Python standard library is used.
"""
import argparse
import base64
import concurrent.futures
import glob
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, "build", "fuzz")
sys.path.insert(0, os.path.join(ROOT, "tests", "errors"))
import run_errors  # its cases are seeds  # noqa: E402
TARGETS = ["checkpoint", "config", "gmsh", "plugin", "results", "run", "study", "units", "words"]
LONGEST = {"checkpoint": 64, "config": 4096, "gmsh": 4096, "plugin": 512, "results": 16384, "run": 4096, "study": 4096, "units": 512, "words": 256}  # bytes
EXECUTIONS = {"checkpoint": 2500, "config": 40000, "gmsh": 80000, "plugin": 8000, "results": 3000, "run": 15000, "study": 25000, "units": 100000, "words": 2500}  # --repeatable
MOST_SECONDS = 60  # for one input, of wall time: generous, for a busy machine lets a target wait
MOST_MEGABYTES = 2048
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


def environment(target="", folder=tempfile.gettempdir()):
    """folder: where a target may write; results are brought to the disk, which costs much where it is one."""
    env = dict(os.environ, TMPDIR=folder, LANG="C", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", HWLOC_COMPONENTS="-gl")
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    # a process alone, as `percuss` sets it up for itself: no daemon, no shared folder that others use at the same time
    env.update(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_orte_create_session_dirs="0", OMPI_MCA_pml="ob1", OMPI_MCA_btl="self")
    # what PETSc and SLEPc hold when they give up on numbers is lost: a run ends there
    env.update(ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=%d" % (target != "run"), UBSAN_OPTIONS="print_stacktrace=1")
    return env


def build():
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "-j", str(os.cpu_count()), "--target", "fuzz"], check=True, stdout=subprocess.DEVNULL)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def schema():
    done = subprocess.run([os.path.join(BUILD, "percuss"), "schema"], env=environment(), check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def words_of(part, keys, values):
    """Collects the names of keys, and words that may stand for values, of a part of the schema."""
    if isinstance(part, list):
        for item in part:
            words_of(item, keys, values)
    elif isinstance(part, dict):
        keys.update(part.get("properties", {}))
        for name in ("enum", "examples"):
            for value in part.get(name, []):
                words_in(value, keys, values)
        for name in ("const", "default"):
            if name in part:
                words_in(part[name], keys, values)
        for name, inner in part.items():
            if name not in ("enum", "examples", "const", "default", "required"):
                words_of(inner, keys, values)


def words_in(value, keys, values):
    """Those of an example."""
    if isinstance(value, dict):
        keys.update(value)
        for inner in value.values():
            words_in(inner, keys, values)
    elif isinstance(value, list):
        for inner in value:
            words_in(inner, keys, values)
    else:
        values.add(str(value).lower() if isinstance(value, bool) else str(value))


def dictionary(target, keys, values, path):
    """libFuzzer's words for this target, made from the reader's own tables."""
    entries = ["\x7f"]  # libFuzzer takes no empty dictionary
    if target in ("config", "run", "study"):
        entries = [key + ": " for key in keys] + sorted(values)
        entries += ["\n", "\n  ", "\n    - ", "[", "]", "{", "}", ", ", ": ", "#set ", "=", ".", "'", '"', "|\n", ">\n", "&a ", "*a", "<<: ", "${", "$a", "sqrt(", "!!str ", "---\n", "...\n", "~", "null"]
    elif target == "units":
        entries = sorted(values) + [key + ": " for key in ("harmonic", "sweep", "burst", "random", "pulse", "step", "table", "input", "free", "frequency", "phase", "start", "end", "duration", "from", "to", "cycles", "spectrum")]
        entries += ["{", "}", "[[", "]]", "^", "*", "/", "1/", "\u00b7", "\u00b2", "\u00b3", "\u00b5", "\u03bc", "e308", "e-324", "nan", "inf"]
    elif target == "words":
        entries = sorted(keys) + sorted(value for value in values if " " not in value) + [".", ":", " rpm:", "schemes"]
    elif target == "gmsh":
        entries = ["$MeshFormat", "$EndMeshFormat", "$PhysicalNames", "$EndPhysicalNames", "$Entities", "$EndEntities", "$Nodes", "$EndNodes", "$Elements", "$EndElements",
                   "$Comments", "$EndComments", "$Periodic", "$PartitionedEntities", "2.2 0 8", "4.1 0 8", "4.1 1 8", "#mesh {group: bar}", "#mesh {scale: 1 mm}", "\n", " "]
    with open(path, "w", encoding="ascii") as file:
        for entry in dict.fromkeys(entries):
            if entry:
                file.write('"%s"\n' % "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else "\\x%02x" % b for b in entry.encode()))


def case_as_seed(text):
    """A case of tests/errors; what its command sets becomes the seed's own "#set"."""
    sets = re.findall(rb"--set[= ](\"[^\"\n]*\"|'[^'\n]*'|\S+)", b"\n".join(line for line in text.split(b"\n") if line.startswith(b"#")))
    return b"".join(b"#set " + each.strip(b"\"'") + b"\n" for each in sets) + text


# Runs whose results are small.
SMALL_RUNS = {"elastic_bar": ["bodies.bar.mesh.line.elements=2", "time.end=2 us", "scheme.step=0.1 us", "output.history.every=4"],
              "slider_crank": ["time.end=1 ms", "output.history={every: 40}", "output.contacts={every: 40}"],
              "bouncing_ball": ["time.end=0.6 s", "scheme.step=5 ms", "output.history={every: 40}", "output.contacts={every: 40}"]}


def results(config, sets):
    """The text of what a run leaves, as the target takes it."""
    with tempfile.TemporaryDirectory(prefix="percuss_") as folder:
        out = os.path.join(folder, "a")
        subprocess.run([os.path.join(BUILD, "percuss"), "run", "configs/%s.yaml" % config, "--force", "--out", out, "--quiet"] +
                       [word for each in sets for word in ("--set", each)], cwd=ROOT, env=environment("run"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names = [name for name in ("run.json", "config.yaml", "history.csv", "orbits.csv", "contacts.csv", "energy.csv", "events.csv") if os.path.exists(os.path.join(out, name))]
        text = b"".join(b"=== a/" + name.encode() + b"\n" + read(os.path.join(out, name)) for name in names)
        return re.sub(rb'("(host|commit)": )"[^"]*"', rb'\1"some"', text)  # these are kept, and others' machines no concern of theirs


def seeds(target, keys, values):
    """Inputs from the repository's own files."""
    if target in ("config", "run"):
        found = [read(path) for folder in ("configs", "configs/plugin", "src/cli/starters") for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.yaml")))]
        return found + [case_as_seed(case.config) for case in run_errors.all_cases()]
    if target == "gmsh":
        return [read(path) for folder in ("meshes", "tests/unit/meshes", "tests/errors/given/meshes") for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.msh")))]
    if target == "units":
        texts = re.findall(rb'"((?:[^"\\\n]|\\.)*)"', read(os.path.join(ROOT, "tests", "unit", "test_units.c"))) + [value.encode() for value in sorted(values)]
        return [bytes([number % 18]) + text for number, text in enumerate(dict.fromkeys(texts))]
    if target == "words":
        return [word.encode() for word in sorted(keys)] + [b"0 rpm:6000 rpm:31", b"3000 rpm", b"12", b"schemes", b"scheme.half_explicit\nbodies.bar"]
    if target == "study":
        return [read(path) for path in sorted(glob.glob(os.path.join(ROOT, "configs", "studies", "*.yaml")))]
    if target == "results":
        return [results(config, sets) for config, sets in SMALL_RUNS.items()]
    if target == "checkpoint":
        return [bytes([model, scheme]) for model in range(5) for scheme in range(32)]
    return []


def write_inputs(folder, inputs):
    os.makedirs(folder, exist_ok=True)
    for data in inputs:
        with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
            file.write(data)


def command(target):
    # Words end up in messages on stderr; findings go to a copy of it.
    return [os.path.join(BUILD, "tests", "fuzz", "fuzz_" + target), "-max_len=%d" % LONGEST[target], "-timeout=%d" % MOST_SECONDS,
            "-rss_limit_mb=%d" % MOST_MEGABYTES, "-close_fd_mask=%d" % (3 if target in ("checkpoint", "results", "words") else 1), "-len_control=%d" % (0 if target == "checkpoint" else 100), "-print_final_stats=1"]


def is_quick(target, path):
    """Whether an input that took too long does so no more: then the machine was busy."""
    return subprocess.run(command(target) + [path], env=environment(target), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def told(text):
    """What a sanitizer or libFuzzer says of a finding, without libFuzzer's own frames."""
    found = re.search(r"(ERROR: .*|.*runtime error: .*)\n((?:.*\n){0,24})", text)
    if not found:
        return text.splitlines()[-8:]
    return [found.group(1)] + [line for line in found.group(2).splitlines() if re.match(r" *#\d+ ", line) and "fuzzer::" not in line][:12]


def fuzz(target, until, scratch, words):
    """(lines of figures and of what was found, how many findings); until: libFuzzer's options that say when to end"""
    folder = os.path.join(scratch, target)
    findings, work, log = (os.path.join(folder, name) for name in ("findings", "corpus", "log"))
    write_inputs(os.path.join(folder, "seeds"), [data for data in seeds(target, *words) if len(data) <= LONGEST[target]])
    for each in (findings, work):
        os.makedirs(each, exist_ok=True)
    dictionary(target, *words, os.path.join(folder, "dictionary"))
    kept = os.path.join(folder, "kept")
    unpack(target, kept)
    before = set(os.listdir(findings))
    start = time.time()
    with open(log, "wb") as file, tempfile.TemporaryDirectory(prefix="percuss_", dir=MEMORY) as memory:
        process = subprocess.Popen(command(target) + until + ["-artifact_prefix=%s/" % findings, "-dict=" + os.path.join(folder, "dictionary"),
                                                      work, os.path.join(folder, "seeds"), kept],
                                   cwd=folder, env=environment(target, memory), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    text = read(log).decode("utf-8", "replace")
    figures = {name: int(value) for name, value in re.findall(r"stat::(\w+):\s+(\d+)", text)}
    coverage = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", text) or [("0", "0", "0")]
    found = [os.path.join(findings, name) for name in sorted(set(os.listdir(findings)) - before) if not name.startswith("slow-unit")]
    waited = [path for path in found if os.path.basename(path).startswith("timeout-") and is_quick(target, path)]
    found = [path for path in found if path not in waited]
    if status and not found and not waited:
        found = [log]
    line = "%-10s %10d executions in %5.0f s (%5.0f s of CPU)   coverage %6s edges, %6s features, %5s inputs   slowest %d s, %d MB   %s" % (
        target, figures.get("number_of_executed_units", 0), time.time() - start, usage.ru_utime + usage.ru_stime, *coverage[-1], figures.get("slowest_unit_time_sec", 0),
        figures.get("peak_rss_mb", 0), "%d finding%s" % (len(found), "s" * (len(found) > 1)) if found else "ended early, as the machine was busy; no finding" if waited else "no finding")
    lines = [line]
    for path in found:
        lines.append("    " + path)
        if path != log:
            lines.append("    " + base64.b64encode(read(path)).decode())
    return lines + ["    " + each for each in (told(text) if found else [])], len(found)


def archive(target):
    return os.path.join(HERE, "corpus", target + ".tar.gz")


def findings_of(target):
    """Inputs with names of their own, which were findings once: [path]"""
    return sorted(glob.glob(os.path.join(HERE, "corpus", target, "*")))


def unpack(target, folder):
    """What is kept of a target, as files of a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if os.path.exists(archive(target)):
        with tarfile.open(archive(target)) as packed:
            packed.extractall(folder)
    for path in findings_of(target):
        shutil.copy(path, folder)


def pack(target, paths):
    """Equal inputs make equal bytes."""
    with open(archive(target), "wb") as file, gzip.GzipFile("", "wb", mtime=0, fileobj=file) as zipped, tarfile.open(fileobj=zipped, mode="w") as packed:
        for path in sorted(paths):
            about = tarfile.TarInfo(os.path.basename(path))
            about.size = os.path.getsize(path)
            with open(path, "rb") as inner:
                packed.addfile(about, inner)


def keep(target, scratch):
    """Replaces the kept inputs by the fewest that reach the same; but those with names of their own, findings once, stay."""
    kept, merged = os.path.join(scratch, target, "kept"), os.path.join(scratch, target, "merged")
    unpack(target, kept)
    shutil.rmtree(merged, ignore_errors=True)
    os.makedirs(merged)
    for path in findings_of(target):
        shutil.copy(path, merged)
    others = [folder for folder in (kept, os.path.join(scratch, target, "corpus"), os.path.join(scratch, target, "seeds")) if os.path.isdir(folder)]
    with tempfile.TemporaryDirectory(prefix="percuss_", dir=MEMORY) as memory:
        subprocess.run(command(target) + ["-set_cover_merge=1", "-use_counters=0", merged] + others, cwd=os.path.join(scratch, target),
                       env=environment(target, memory), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = [path for path in glob.glob(os.path.join(merged, "*")) if re.fullmatch("[0-9a-f]{40}", os.path.basename(path))]
    pack(target, found)
    return "%-10s kept %d inputs, %d bytes, and %d with names" % (target, len(found), sum(map(os.path.getsize, found)), len(findings_of(target)))


def main():
    parser = argparse.ArgumentParser(description="Builds the fuzz targets and runs them; see the head of this file.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--repeatable", action="store_true", help="the same inputs every time: a fixed seed, a fixed number of executions")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time (2)")
    parser.add_argument("--scratch", default=os.path.join(BUILD, "scratch"), help="where inputs, logs and findings go (build/fuzz/scratch)")
    parser.add_argument("--keep", action="store_true", help="write the smallest set of inputs into the corpus afterwards")
    options = parser.parse_args()
    for target in options.targets:
        if target not in TARGETS:
            parser.error("unknown target '%s'; there are %s" % (target, ", ".join(TARGETS)))
    targets = options.targets or TARGETS
    build()
    words = (set(), set())
    words_of(schema(), *words)
    bad = 0
    if options.repeatable:
        for target in targets:
            shutil.rmtree(os.path.join(options.scratch, target, "corpus"), ignore_errors=True)

    def until(target):
        return ["-seed=1", "-runs=%d" % EXECUTIONS[target]] if options.repeatable else ["-max_total_time=%d" % options.seconds]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines, found in pool.map(lambda target: fuzz(target, until(target), os.path.abspath(options.scratch), words), targets):
            print("\n".join(lines), flush=True)
            bad += found
    for target in targets if options.keep else []:
        print(keep(target, os.path.abspath(options.scratch)), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
