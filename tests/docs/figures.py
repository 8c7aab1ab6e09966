#!/usr/bin/python3
"""Compares the figures of the theory guide with printed output: runs the test programs that a section names, and lists the figures that none of them
prints. Run it by hand; it takes a minute.

    tests/docs/figures.py [BUILD]        BUILD: default build/release

The text must explain the listed figures: constants, figures of papers, bounds that a test checks without printing them.
"""
import functools
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release")
GUIDE = os.path.join(ROOT, "docs/theory")
PROGRAM = re.compile(r"`((?:unit|published|conformance|robustness)_\w+)`")
FIGURE = re.compile(r"(?<![\w.^{])\d+\.\d{2,}(?:e[-+]\d+)?|(?<![\w.])\d\.\d+e[-+]\d+")  # at least three digits, or an exponent


@functools.cache
def said_by(program):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([os.path.join(BUILD, "tests", program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{program} fails:\n{done.stdout}")
    return done.stdout


def main():
    figures = missing = 0
    for name in sorted(name for name in os.listdir(GUIDE) if name.endswith(".md")):
        with open(os.path.join(GUIDE, name), encoding="utf-8") as file:
            text = re.sub(r"```.*?```", "", file.read(), flags=re.DOTALL)
        for section in re.split(r"^#+ ", text, flags=re.MULTILINE):
            programs = sorted(set(PROGRAM.findall(section)))
            said = "".join(map(said_by, programs))
            found = FIGURE.findall(section) if programs else []
            strange = [figure for figure in found if figure not in said]
            figures, missing = figures + len(found), missing + len(strange)
            if strange:
                print(f"{name}, {section.splitlines()[0]}: {', '.join(strange)}")
    print(f"{figures - missing} of {figures} figures are printed by the programs that their sections name")


if __name__ == "__main__":
    main()
