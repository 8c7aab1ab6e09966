#!/usr/bin/python3
"""Cost of a step of a reduced solid: a steel cube of N^3 hexahedra on 16 nodes, 50 modes, pressed down by its weight, with friction in space and without.

    tests/bench/reduced.py PERCUSS [--cells N] [--steps N]       the usual N is 12 (6591 DOF); 32 has 107 811 DOF and takes minutes to prepare

Prints set-up and microseconds of a step, without output, of the processor's time (other work on the machine does not count), from the difference of two runs of different lengths. Several schemes: macneal with
massless_contact, rubin with moreau_jean, and modal integration of the whole model."""
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
  floor: {between: [cube.feet, {plane: {point: [0, 0, -1e-7 m], normal: [0, 0, 1]}}], friction: FRICTION}
scheme: {type: SCHEME, step: 1 us}
time: {end: END us}
output: {frames: {every: 0}, history: {every: 0, probes: [cube.far]}, contacts: {every: 0}, energy: {every: 0}}
"""
CASES = (("macneal, massless_contact", "reduce: {modes: 50}", "massless_contact"), ("rubin, moreau_jean", "reduce: {method: rubin, modes: 50}", "moreau_jean"), ("modal", "", "modal, modes: 50"))


def seconds(percuss, folder, reduce, scheme, friction, steps):
    """Processor time of a run."""
    config = os.path.join(folder, "cube.yaml")
    with open(config, "w") as file:
        file.write(MODEL.replace("REDUCE", reduce).replace("SCHEME", scheme).replace("FRICTION", friction).replace("END", str(steps)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([percuss, "run", config, "--out", os.path.join(folder, "out"), "--overwrite", "--quiet"], check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss")
    parser.add_argument("--cells", type=int, default=12)
    parser.add_argument("--steps", type=int, default=200000)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "cube.msh"), "w") as file:
            file.write(cube_mesh(words.cells, [round(words.cells * k / 8) for k in (1, 3, 5, 7)]))
        print(f"{3 * (words.cells + 1)**3} DOF, 16 contacts, 50 modes")
        for name, reduce, scheme in CASES:
            for friction in ("0", "0.3"):
                short = seconds(words.percuss, folder, reduce, scheme, friction, 1000)
                long = seconds(words.percuss, folder, reduce, scheme, friction, words.steps)
                print(f"  {name:26} friction {friction:4} set-up {short:7.2f} s   step {1e6 * (long - short) / (words.steps - 1000):6.2f} us", flush=True)


if __name__ == "__main__":
    main()
