#!/usr/bin/python3
"""Structure-aware mutants of the configs through the program itself, by hand (the fuzz targets look at its parts):

    mutants.py PERCUSS [--check 20000] [--run 3000] [--seed 1] [--jobs 1] [--keep DIR]

A mutant is a config with one to three changes that a user could make by mistake: a key or a block dropped, doubled, moved or renamed, a value replaced by one of another key, a number or a
unit changed, a bracket lost. Each goes through `percuss check`, or through `percuss run` with an end after few steps. Demanded: no crash, no hang, no traceback; exit code 0 to 3; with
exit code 2 a message, and each error has its place (file:line:column). The same seed makes the same mutants. --keep: where those that are wrong are written.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBERS = ["0", "-1", "1", "2", "0.5", "1e-3", "1e3", "1e9", "1e-9", "1e-300", "1e300", "nan", "inf", "-0", "1000000", "0,5", "1 000", ".", "1e", "12 mm"]
UNITS = ["m", "mm", "s", "us", "N", "kN", "GPa", "kg", "rpm", "rad/s", "Hz", "deg", "m/s", "", "furlong"]
PATIENCE = 60  # s
FEW = ["--set", "output={frames: {every: 0}}"]


def block_end(lines, first):
    """The line behind those that are indented below this one."""
    depth = len(lines[first]) - len(lines[first].lstrip())
    end = first + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    return end


def change(lines, any_, words):
    """One mistake, in place."""
    first = any_.randrange(len(lines))
    end = block_end(lines, first)
    line, kind = lines[first], any_.randrange(9)
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
    else:
        found = list(re.finditer(r"\b[a-z_]{3,}\b", line))
        if found:
            one = any_.choice(found)
            lines[first] = line[:one.start()] + any_.choice(words) + line[one.end():]


def make(seed, texts, words):
    any_ = random.Random(seed)
    lines = any_.choice(texts).split("\n")
    for _ in range(any_.choice([1, 1, 2, 3])):
        if lines:
            change(lines, any_, words)
    return "\n".join(lines)


def wrong(done, path):
    """What is wrong with the answer; "" is right."""
    if done is None:
        return "hangs"
    said = done.stderr
    if done.returncode not in (0, 1, 2, 3):
        return f"exit code {done.returncode}"
    if "PETSC ERROR" in said or "runtime error" in said or "Sanitizer" in said:
        return "a traceback"
    if done.returncode == 2:
        if not said:
            return "refused without a word"
        for line in said.splitlines():
            if re.match(r"(\S+: )?error: ", line) and not re.match(r"\S+:\d+:\d+: ", line) and not line.startswith(os.path.dirname(path)):
                return "an error without its place: " + line
    if done.returncode == 1 and not said:
        return "fails without a word"
    return ""


def trial(percuss, command, seed, texts, words, keep):
    text = make(seed, texts, words)
    with tempfile.TemporaryDirectory(prefix="percuss_mutant_", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        path = os.path.join(folder, "mutant.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        call = [percuss, command, path] + (["--out", os.path.join(folder, "out"), "--quiet", "--set", "time.end=1 us", *FEW] if command == "run" else [])
        try:
            done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            done = None
        bad = wrong(done, path)
    if bad and keep:
        os.makedirs(keep, exist_ok=True)
        with open(os.path.join(keep, f"{command}_{seed}.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
    return done.returncode if done else None, bad, done.stderr[:300] if done and bad else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss", type=os.path.abspath)
    parser.add_argument("--check", type=int, default=20000)
    parser.add_argument("--run", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    texts = []
    for path in sorted(glob.glob(os.path.join(ROOT, "configs", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"^#.*\n", "", file.read(), flags=re.MULTILINE)
        if "file:" not in text and ".msh" not in text and "bodies:" in text:
            texts.append(text)
    words = sorted({word for text in texts for word in re.findall(r"\b[a-z_]{3,}\b", text)})
    bad = 0
    for command, count in (("check", options.check), ("run", options.run)):
        codes = {}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            trials = pool.map(lambda seed: (seed, *trial(options.percuss, command, seed, texts, words, options.keep)),
                              range(options.seed * 1000000, options.seed * 1000000 + count))
            for seed, code, complaint, said in trials:
                codes[code] = codes.get(code, 0) + 1
                if complaint:
                    bad += 1
                    print(f"{command} {seed}: {complaint}\n{said}", flush=True)
        print(f"{command}: {count} mutants of {len(texts)} configs, exit codes {dict(sorted(codes.items(), key=str))}", flush=True)
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
