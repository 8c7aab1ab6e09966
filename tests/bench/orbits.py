#!/usr/bin/python3
"""Processor time of `percuss orbit`, less that of starting the program; run by hand. Usage: tests/bench/orbits.py PERCUSS [ROUNDS]

It asserts nothing; the least of some rounds is shown beside its target. What the cases are: tests/results/test_orbit.py.
"""
import csv
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/results"))
PERCUSS, ROUNDS = os.path.abspath(sys.argv.pop(1)), int(sys.argv.pop(1)) if len(sys.argv) > 1 else 5
ROTOR = os.path.join(ROOT, "configs/rotor_annular_rub.yaml")
from test_orbit import BEAM, FREQUENCY, IMPACT, PARTIAL_RUB  # noqa: E402  pylint: disable=wrong-import-position


def seconds(words):
    """Least processor time of the program."""
    least = float("inf")
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([PERCUSS, *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return least


def main():
    with tempfile.TemporaryDirectory() as folder:
        out, beam, rub = os.path.join(folder, "out"), os.path.join(folder, "beam.yaml"), os.path.join(folder, "rub.yaml")
        for path, text in ((beam, BEAM), (rub, PARTIAL_RUB)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        cases = (
            ("impact oscillator, branch of some 40 points with a flip and grazing", IMPACT, ["--over", f"{FREQUENCY}=2 rad/s:3.4 rad/s"], 0.02),
            ("beam of 12 modes, an orbit from 10 simulated periods", beam, ["--settle", "10"], 0.1),
            ("beam of 12 modes, branch of 100 points", beam, ["--settle", "10", "--over", f"{FREQUENCY}=40 Hz:36 Hz", "--set", "orbit.step=0.01", "--points", "100"], 10),
            ("rotor of 20 elements that rubs all around a ring, branch of 500 points", ROTOR, ["--over", "bodies.shaft.spin=3000 rpm:5000 rpm", "--set", "orbit.step=0.02", "--points", "500"], 10),
            ("rotor of 20 elements, 12 modes, that touches a pad once a turn, branch of 500 points", rub, ["--over", "bodies.shaft.spin=3600 rpm:4400 rpm", "--set", "orbit.step=0.01", "--points", "500"], 10),
        )
        for title, config, words, target in cases:
            words = ["orbit", config, *words, "--out", out, "--overwrite", "--quiet"]
            spent = seconds(words) - seconds(["check", config, "--quick"])
            with open(os.path.join(out, "branch.csv"), encoding="utf-8") as file:
                points = len(list(csv.DictReader(file)))
            print(f"{title}: {points} points in {1e3 * spent:.3g} ms; target {1e3 * target:g} ms: {'met' if spent <= target else 'missed'}")


if __name__ == "__main__":
    main()
