#!/usr/bin/python3
"""Cost of a step of multibody systems: tests/bench/multibody.py PERCUSS [--against PERCUSS] [--counts]

Processor time of a step of the half-explicit scheme without output: that of a long run less that of a short one, over the steps between them; the least of some rounds in turns. It asserts nothing
about speed. --against: another program in turns, and the median of the ratios. --counts: instructions a step (valgrind), the same on a noisy machine.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1"}


def chain(links, space):
    bodies, joints = [], []
    for i in range(links):
        body = (f"at: [{0.1 * i + 0.05}, 0, 0], mass: 0.1, inertia: [1e-5, 9e-5, 9e-5], points: {{left: [-0.05, 0, 0], right: [0.05, 0, 0]}}" if space else
                f"dimension: 2, rod: {{from: [{0.1 * i}, 0, 0], to: [{0.1 * (i + 1)}, 0, 0]}}, mass: 0.1")
        bodies.append(f"  b{i}: {{type: body, {body}}}")
        joints.append(f"  j{i}: {{type: revolute, between: [{f'b{i - 1}.right' if i else 'ground'}, b{i}.left]{', axis: [0, 0, 1]' if space else ''}}}")
    return "bodies:\n" + "\n".join(bodies) + "\njoints:\n" + "\n".join(joints)


def star(arms):
    bodies = "  hub: {type: body, dimension: 2, mass: 1, inertia: 0.1}\n"
    joints = "  j: {type: revolute, between: [ground, hub.center]}\n"
    for i in range(arms):
        bodies += f"  b{i}: {{type: body, dimension: 2, rod: {{from: [0, 0, 0], to: [{0.1 + 0.01 * i}, 0.05, 0]}}, mass: 0.1}}\n"
        joints += f"  j{i}: {{type: revolute, between: [hub.center, b{i}.left]}}\n"
    return f"bodies:\n{bodies}joints:\n{joints}"


SLIDER_CRANK = """bodies:
  crank: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [0.1, 0, 0]}, mass: 0.3}
  rod: {type: body, dimension: 2, rod: {from: [0.1, 0, 0], to: [0.4, 0, 0]}, mass: 0.5}
  slider: {type: body, dimension: 2, at: [0.4, 0, 0], mass: 0.4, inertia: 1e-4}
joints:
  A: {type: revolute, between: [ground, crank.left]}
  B: {type: revolute, between: [crank.right, rod.left]}
  C: {type: revolute, between: [rod.right, slider.center]}
  D: {type: prismatic, between: [ground, slider.center], axis: [1, 0, 0]}
"""
CASES = {"slider-crank": (SLIDER_CRANK, 20000)}
for count in (25, 100, 400):
    CASES[f"chain of {count}, plane"] = (chain(count, False), 200000 // count)
for count in (25, 100):
    CASES[f"chain of {count}, space"] = (chain(count, True), 50000 // count)
CASES["star of 25"] = (star(25), 4000)


def run(program, folder, config, steps, counts):
    path = os.path.join(folder, "case.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"gravity: [0, -9.81 m/s^2, 0]\n{config}\nscheme: {{type: half_explicit, step: 20 us}}\ntime: {{end: {steps * 2e-5!r}}}\n"
                   "output: {frames: {every: 0}, history: {every: 0}, contacts: {every: 0}, energy: {every: 0}, events: false}\n")
    command = [program, "run", path, "--quiet", "--overwrite", "--out", os.path.join(folder, "out")]
    if counts:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + command
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{program} failed: {done.stderr}")
    if counts:
        return float(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss")
    parser.add_argument("--against")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    programs = [options.percuss] + ([options.against] if options.against else [])
    with tempfile.TemporaryDirectory() as folder:
        for name, (config, steps) in CASES.items():
            if options.counts:
                steps = max(20, steps // 50)
            cost = {program: [] for program in programs}
            for _ in range(1 if options.counts else options.rounds):
                for program in programs:
                    least = run(program, folder, config, steps // 10, options.counts)
                    cost[program].append((run(program, folder, config, steps + steps // 10, options.counts) - least) / steps)
            unit = (1e-3, "thousand instructions") if options.counts else (1e6, "us")
            line = f"{name}: {min(cost[options.percuss]) * unit[0]:.3g} {unit[1]} a step"
            if options.against:
                line += f", {min(cost[options.against]) * unit[0]:.3g} with the other program; ratio {statistics.median(a / b for a, b in zip(*cost.values())):.3g}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
