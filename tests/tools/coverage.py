#!/usr/bin/python3
"""
Which lines of src and include the tests run, by folder, and which they do not.

    cmake --preset coverage && cmake --build --preset coverage && ctest --preset coverage
    tests/tools/coverage.py [BUILD]            (build/coverage; or cmake --build build/coverage --target coverage, which does all of it but configure)

Lines that never ran are listed in tests/tools/uncovered.txt with the reason: by a file's name, or * for all, and a function or a /regular expression/ of the line's
text. Lists lines without a reason, for which a test is missing, and reasons without a line; fails below 90 % of all lines.
"""
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REASONS = os.path.join(ROOT, "tests", "tools", "uncovered.txt")
LEAST = 90.0


class Reason:
    def __init__(self, number, line):
        fields = [field.strip() for field in re.split(r"\s{2,}", line, maxsplit=2)]
        if len(fields) != 3:
            sys.exit(f"{REASONS}:{number}: expected 'FILE  FUNCTION or /REGEX/  REASON', two blanks between them")
        self.file, self.what, self.why = fields
        self.number = number
        self.text = re.compile(self.what[1:-1]) if self.what.startswith("/") else None
        self.lines = 0

    def takes(self, file, function, text):
        if self.file not in ("*", file):
            return False
        return bool(self.text.search(text)) if self.text else self.what == function


def read_reasons():
    with open(REASONS, encoding="utf-8") as lines:
        return [Reason(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]


def read_counts(build):
    command = ["gcovr", "--root", ROOT, "--object-directory", build, "--filter", "src/", "--filter", "include/", "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"coverage.py: gcovr failed\n{run.stderr}")
    return json.loads(run.stdout)["files"]


def function_of(functions, line):
    before = [f for f in functions if f["lineno"] <= line]
    return before[-1]["name"] if before else ""


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "coverage"))
    reasons = read_reasons()
    covered, total, excused = collections.Counter(), collections.Counter(), collections.Counter()
    bare = []
    for file in read_counts(build):
        name, folder = file["file"], os.path.dirname(file["file"])
        functions = sorted(file["functions"], key=lambda f: f["lineno"])
        with open(os.path.join(ROOT, name), encoding="utf-8") as source:
            text = source.read().split("\n")
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            total[folder] += 1
            if line["count"]:
                covered[folder] += 1
                continue
            number = line["line_number"]
            function = function_of(functions, number)
            reason = next((r for r in reasons if r.takes(name, function, text[number - 1])), None)
            if reason:
                reason.lines += 1
                excused[folder] += 1
            else:
                bare.append(f"{name}:{number}: {function}: {text[number - 1].strip()}")

    if not total:
        sys.exit(f"coverage.py: nothing was counted in {build}; build it with the preset coverage and run its tests")
    print(f"{'':24}{'lines':>8}{'run':>8}{'':>9}{'not, with a reason':>22}{'without':>10}")
    for folder in [*sorted(total), None]:
        count, ran, why = ((c[folder] if folder else sum(c.values())) for c in (total, covered, excused))
        print(f"{folder or 'all':24}{count:8}{ran:8}{100 * ran / count:8.2f} %{why:20}{count - ran - why:10}")
    stale = [r for r in reasons if not r.lines]
    if bare:
        print("\nnever run, and tests/tools/uncovered.txt gives no reason:\n  " + "\n  ".join(bare))
    if stale:
        print("\nreasons without a line, tests/tools/uncovered.txt:\n  " + "\n  ".join(f"{r.number}: {r.file}  {r.what}" for r in stale))
    percent = 100 * sum(covered.values()) / sum(total.values())
    if percent < LEAST:
        print(f"\n{percent:.2f} % of lines: {LEAST:g} % are wanted")
    return 1 if percent < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
