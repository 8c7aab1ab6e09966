#!/usr/bin/python3
"""Structure-aware mutants of the configs through the program itself, by hand (the fuzz targets look at its parts):

    mutants.py PERCUSS FAULT.so [--check 20000] [--run 3000] [--seed 1] [--jobs 1] [--keep DIR]

A mutant is a config with one to three changes that a user could make by mistake: a key or a block dropped, doubled, moved or renamed, a value replaced by one of another key, a number or a
unit changed, a bracket lost; or one that he could make on purpose: another key of the same mapping, with its example from the schema, so that every key comes up, in models that it was not made for.
The configs are those of the gallery, the starters of `percuss init`, and those of tests/errors/cases that pass. Each goes through `percuss check`, or through `percuss check` and `percuss run` with an end after few steps. Demanded: no crash, no hang, no traceback; exit
code 0 to 3; with exit code 2 a message, and each error has its place (file:line:column). What `check` accepts `run` does not refuse, and the other way round; a run that is done has tables
without NaN and Inf, and its config.yaml, as percuss wrote it, gives them again to the byte. The same seed makes the same mutants. --keep: where those that are wrong are written.

The program is started once and forked for each mutant (tests/faults/fault.c, with no fault): starting PETSc and MPI takes most of a short run.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import queue
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "faults"))
from test_faults import MEMORY, Server  # noqa: E402

NUMBERS = ["0", "-1", "1", "2", "0.5", "1e-3", "1e3", "1e9", "1e-9", "1e-300", "1e300", "nan", "inf", "-0", "1000000", "0,5", "1 000", ".", "1e", "12 mm"]
UNITS = ["m", "mm", "s", "us", "N", "kN", "GPa", "kg", "rpm", "rad/s", "Hz", "deg", "m/s", "", "furlong"]
FEW = ["--set", "time.end=1 us", "--set", "output={frames: {every: 0}, history: {every: 1}, energy: {every: 1}}"]
RUN = ["run", "mutant.yaml", "--out", "out", "--quiet", *FEW]


def block_end(lines, first):
    """The line behind those that are indented below this one."""
    depth = len(lines[first]) - len(lines[first].lstrip())
    end = first + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    return end


def flow(value):
    """An example of the schema in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def find_tables(node, tables):
    """Adds {key: example} of each mapping of the schema."""
    if isinstance(node, dict):
        table = {key: flow(about["examples"][0]) for key, about in node.get("properties", {}).items() if isinstance(about, dict) and about.get("examples")}
        if len(table) > 1:
            tables.append(table)
    for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        find_tables(item, tables)


def add_key(lines, first, any_, tables):
    """Another key beside one of this line."""
    line = lines[first]
    places = [match for match in re.finditer(r"([a-z_]+):(?=\s|$)", line)]
    if not places:
        return
    at = any_.choice(places)
    fit = [table for table in tables if at.group(1) in table]
    if not fit:
        return
    key, example = any_.choice(sorted(any_.choice(fit).items()))
    if line[:at.start()].count("{") > line[:at.start()].count("}"):
        lines[first] = line[:at.start()] + f"{key}: {example}, " + line[at.start():]
    elif not line[:at.start()].strip():
        lines[first:first] = [line[:at.start()] + f"{key}: {example}"]


def change(lines, any_, words, tables):
    """One mistake, in place."""
    first = any_.randrange(len(lines))
    end = block_end(lines, first)
    line, kind = lines[first], any_.randrange(13)
    if kind == 0:
        del lines[first:end]
    elif kind == 1:
        lines[first:first] = lines[first:end]
    elif kind == 2:
        block = lines[first:end]
        del lines[first:end]
        at = any_.randrange(len(lines) + 1)
        lines[at:at] = block
    elif kind == 3:
        lines[first] = re.sub(r"[\w.]+(?=:)", lambda _: any_.choice(words), line, count=1)
    elif kind == 4:
        numbers = list(re.finditer(r"-?\d[\d.e+-]*", line))
        if numbers:
            one = any_.choice(numbers)
            lines[first] = line[:one.start()] + any_.choice(NUMBERS) + line[one.end():]
    elif kind == 5:
        units = list(re.finditer(r"(?<=\d )[A-Za-z/^0-9]+", line))
        if units:
            one = any_.choice(units)
            lines[first] = line[:one.start()] + any_.choice(UNITS) + line[one.end():]
    elif kind == 6 and ": " in line:
        other = any_.choice(lines)
        lines[first] = line.split(": ", 1)[0] + ": " + other.split(": ", 1)[-1].strip()
    elif kind == 7:
        places = [i for i, c in enumerate(line) if c in "{}[],:'\"#-"]
        if places:
            at = any_.choice(places)
            lines[first] = line[:at] + line[at + 1:]
    elif kind >= 9:
        add_key(lines, first, any_, tables)
    else:
        found = list(re.finditer(r"\b[a-z_]{3,}\b", line))
        if found:
            one = any_.choice(found)
            lines[first] = line[:one.start()] + any_.choice(words) + line[one.end():]


def make(seed, texts, words, tables):
    any_ = random.Random(seed)
    lines = any_.choice(texts).split("\n")
    for _ in range(any_.choice([1, 1, 2, 3])):
        if lines:
            change(lines, any_, words, tables)
    return "\n".join(lines)


def wrong(code, said):
    """What is wrong with the answer; "" is right."""
    if code == -14:
        return "hangs"
    if code not in (0, 1, 2, 3):
        return f"exit code {code}"
    if "PETSC ERROR" in said or "runtime error" in said or "Sanitizer" in said:
        return "a traceback"
    if code == 2:
        if not said:
            return "refused without a word"
        for line in said.splitlines():
            if re.match(r"(\S+: )?error: ", line) and not re.match(r"\S+:\d+:\d+: ", line) and not line.startswith("mutant.yaml"):
                return "an error without its place: " + line
    if code == 1 and not said:
        return "fails without a word"
    return ""


def tables(folder):
    """{name: text} of the tables of a run."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*.csv")):
        with open(path, encoding="utf-8", errors="replace") as file:
            found[os.path.basename(path)] = file.read()
    return found


class Tester:
    """A directory, and the program started once for each command."""

    def __init__(self, words, folder):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.servers = {name: Server(words.percuss, words.fault, "petsc", command, folder) for name, command in (
            ("check", ["check", "mutant.yaml"]), ("check few", ["check", "mutant.yaml", *FEW]), ("run", RUN), ("again", ["run", "out/config.yaml", "--out", "again", "--quiet"]))}

    def call(self, name):
        """(exit code, stderr)"""
        path = os.path.join(self.folder, "stderr")
        if os.path.exists(path):
            os.remove(path)
        code = self.servers[name].run("f", 0, 0, self.folder)[0]
        if code == -14:  # after 60 s by the clock: on a busy machine once is not enough to say so
            shutil.rmtree(os.path.join(self.folder, "out"), ignore_errors=True)
            code = self.servers[name].run("f", 0, 0, self.folder)[0]
        with open(path, encoding="utf-8", errors="replace") as file:
            return code, file.read()

    def run(self, code, said):
        """What is wrong with a run; "" is right."""
        checked, refused = self.call("check few")
        if (checked == 2) != (code == 2):
            return f"check: exit code {checked}, run: {code}: {refused[:300]}"
        if code:
            return ""
        first = tables(os.path.join(self.folder, "out"))
        for name, text in first.items():
            if re.search(r"(^|,)-?(nan|inf)", text, re.IGNORECASE | re.MULTILINE):
                return f"NaN or Inf in {name}, exit code 0"
        code, said = self.call("again")
        if code:
            return f"out/config.yaml: exit code {code}: {said[:300]}"
        again = tables(os.path.join(self.folder, "again"))
        different = [name for name in set(first) | set(again) if first.get(name) != again.get(name)]
        return f"out/config.yaml gives other tables: {different}" if different else ""

    def trial(self, command, text):
        """(exit code, what is wrong, stderr)"""
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)
        with open(os.path.join(self.folder, "mutant.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        code, said = self.call(command)
        bad = wrong(code, said) or (self.run(code, said) if command == "run" else "")
        return code, bad, said

    def close(self):
        for server in self.servers.values():
            server.close()


def configs():
    """The texts of configs that pass."""
    for path in sorted(glob.glob(os.path.join(ROOT, "configs", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            yield file.read()
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "cli", "starters", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            yield file.read()
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "errors", "cases", "*.txt"))):
        with open(path, encoding="utf-8") as file:
            cases = re.split(r"^==== .*\n", file.read(), flags=re.MULTILINE)[1:]
        for case in cases:
            text, _, said = case.partition("---- percuss says\n")
            if said.rstrip().endswith("exit: 0") and "# repeat" not in text:
                yield text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss", type=os.path.abspath)
    parser.add_argument("fault", type=os.path.abspath)
    parser.add_argument("--check", type=int, default=20000)
    parser.add_argument("--run", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant, to go on in portions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    texts, tables = [re.sub(r"^#.*\n", "", text, flags=re.MULTILINE) for text in configs()], []
    texts = [text for text in texts if "file:" not in text and ".msh" not in text and ".inp" not in text and "plugin" not in text and "bodies:" in text]
    find_tables(json.loads(subprocess.run([options.percuss, "schema"], capture_output=True, text=True, check=True).stdout), tables)
    words, bad = sorted({word for text in texts for word in re.findall(r"\b[a-z_]{3,}\b", text)}), 0
    with tempfile.TemporaryDirectory(prefix="percuss_mutants_", dir=MEMORY) as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        free = queue.SimpleQueue()
        for _ in range(options.jobs):
            free.put(Tester(options, folder))

        def trial(command, seed):
            tester, text = free.get(), make(seed, texts, words, tables)
            try:
                code, complaint, said = tester.trial(command, text)
            finally:
                free.put(tester)
            if complaint and options.keep:
                os.makedirs(options.keep, exist_ok=True)
                with open(os.path.join(options.keep, f"{command}_{seed}.yaml"), "w", encoding="utf-8") as file:
                    file.write(text)
            return seed, code, complaint, said

        for command, count in (("check", options.check), ("run", options.run)):
            codes, first = {}, options.seed * 1000000 + options.first
            for seed, code, complaint, said in pool.map(lambda seed, command=command: trial(command, seed), range(first, first + count)):
                codes[code] = codes.get(code, 0) + 1
                if complaint:
                    bad += 1
                    print(f"{command} {seed}: {complaint}\n{said[:300]}", flush=True)
            print(f"{command}: {count} mutants of {len(texts)} configs, exit codes {dict(sorted(codes.items()))}", flush=True)
        for _ in range(options.jobs):
            free.get().close()
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
