#!/usr/bin/python3
"""Cost of a step of a reduced solid: a steel cube of N^3 hexahedra on 16 nodes, 50 modes, pressed down by its weight: without friction, with friction in space at rest, and sliding and bouncing on a vibrating belt.

    tests/bench/reduced.py PERCUSS [--cells N] [--steps N]       the usual N is 12 (6591 DOF); 32 has 107 811 DOF and takes minutes to prepare

Prints set-up, memory and microseconds of a step, without output, of the processor's time (other work on the machine does not count), from the difference of two runs of different lengths, and its ratio to the step
without friction and to that with a factorization in each iteration (`contact_solver: newton`), whose contact forces are the same. Several schemes: macneal with massless_contact, rubin with moreau_jean, and modal
integration of the whole model, which does not support the belt."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "results"))
from test_reduced import cube_mesh  # noqa: E402

MODEL = """
gravity: [0, 0, -20000 m/s^2]
bodies:
  cube:
    type: solid
    mesh: {file: cube.msh}
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    mass: lumped
    initial: {velocity: [50 mm/s, 20 mm/s, -0.1 m/s]}
    REDUCE
contacts:
  floor: {between: [cube.feet, {plane: {point: [0, 0, -1e-7 m], normal: [0, 0, 1]BELT}}], friction: FRICTION}
scheme: {type: SCHEME, step: 1 us, contact_solver: SOLVER}
time: {end: END us}
output: {frames: {every: 0}, history: {every: 0, probes: [cube.far]}, contacts: {every: 0}, energy: {every: 0}}
"""
CASES = (("macneal, massless_contact", "reduce: {modes: 50}", "massless_contact"), ("rubin, moreau_jean", "reduce: {method: rubin, modes: 50}", "moreau_jean"), ("modal", "", "modal, modes: 50"))


BELT = ", velocity: [0.3 m/s, 0.1 m/s, 0], motion: [{displacement: [0, 0, 2 um], time: {harmonic: {frequency: 3 kHz}}}]"
KINDS = (("no friction", "0", ""), ("friction, at rest", "0.3", ""), ("friction, on a belt", "0.3", BELT))


def seconds(percuss, folder, reduce, scheme, friction, belt, solver, steps):
    """Processor time of a run, and its largest memory in MB."""
    config = os.path.join(folder, "cube.yaml")
    text = MODEL.replace("REDUCE", reduce).replace("SCHEME", scheme).replace("FRICTION", friction).replace("BELT", belt).replace("SOLVER", solver)
    with open(config, "w") as file:
        file.write(text.replace("END", str(steps)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([percuss, "run", config, "--out", os.path.join(folder, "out"), "--overwrite", "--quiet"], check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime - before, used.ru_maxrss / 1024


def step(words, folder, *case):
    short, memory = seconds(words.percuss, folder, *case, 1000)
    return short, memory, 1e6 * (seconds(words.percuss, folder, *case, words.steps)[0] - short) / (words.steps - 1000)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss")
    parser.add_argument("--cells", type=int, default=12)
    parser.add_argument("--steps", type=int, default=200000)
    parser.add_argument("--only", help="a word of the cases, e.g. macneal")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "cube.msh"), "w") as file:
            file.write(cube_mesh(words.cells, [round(words.cells * k / 8) for k in (1, 3, 5, 7)]))
        print(f"{3 * (words.cells + 1)**3} DOF, 16 contacts, 50 modes")
        for name, reduce, scheme in CASES:
            without = None
            for kind, friction, belt in KINDS:
                if (belt and scheme.startswith("modal")) or (words.only and words.only not in name):
                    continue
                setup, memory, us = step(words, folder, reduce, scheme, friction, belt, "auto")
                factored = step(words, folder, reduce, scheme, friction, belt, "newton")[2] if words.cells < 20 else float("nan")
                without = without or us
                print(f"  {name:26} {kind:20} set-up {setup:7.2f} s, {memory:6.0f} MB   step {us:6.2f} us, {us / without:5.2f} of that without friction, {us / factored:5.2f} of that with factorizations", flush=True)


if __name__ == "__main__":
    main()
