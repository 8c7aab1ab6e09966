#!/usr/bin/python3
"""CalculiX's massless explicit contact and percuss on the same impact: a bar of hexahedra, 200 x 10 x 10 mm, steel with nu = 0, flies at 0.1 m/s against a rigid wall.

    tests/bench/calculix.py PERCUSS CCX [--refine N]        CCX: the program of Debian's calculix-ccx; N times (1) as many cells along each edge, and steps of 0.2 us/N

Saint-Venant: force E A v/c0 = 404.72 N for 2 L/c0 = 77.09 us. Prints for both the mean and the noise (root mean square over the middle 80 % of the contact, over the mean) of the force, the processor's
time of an element and step (user time, so that other work on the machine counts little; of percuss the difference of a long and a short run, for its 500 steps take less than its start), and their ratio.
percuss also at its own step of 0.4 us/N, at which ccx diverges. One thread each. Contact nodes of ccx must not be held: its wall is a layer of steel, 2 mm, whose ringing is part of its noise."""
import argparse
import math
import os
import re
import resource
import subprocess
import tempfile

SIZE = (200.0, 10.0, 10.0)  # mm
CELLS, STEP, END = [40, 2, 2], 0.2e-6, 1e-4  # s
LONG = 20000  # us, of the longer run of percuss
TAU, PERIOD = 404.722, 77.0899e-6  # N, s
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

PERCUSS = """
bodies:
  bar: {type: solid, mesh: {box: {from: [0, 0, 0], to: [0.2 m, 10 mm, 10 mm], cells: CELLS}}, material: {density: 7800, young: 210 GPa, poisson: 0}, mass: redistributed,
    initial: {velocity: [-0.1 m/s, 0, 0]}}
contacts: {wall: {between: [bar.left, {plane: {point: [-1 um, 0, 0], normal: [1, 0, 0]}}]}}
scheme: {type: massless_contact, step: STEP us}
time: {end: END us}
output: {frames: {every: 0}, history: {every: 0}, energy: {every: 0}, contacts: {every: EVERY}}
"""


def user_seconds(arguments, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(arguments, cwd=folder, env=ONE_THREAD, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def deck():
    """N, mm, t, s"""
    n, number = [cells + 1 for cells in CELLS], lambda i, j, k: 1 + i + (CELLS[0] + 1) * (j + (CELLS[1] + 1) * k)
    lines = ["*NODE, NSET=BAR"]
    lines += [f"{number(i, j, k)}, {1e-3 + SIZE[0] * i / CELLS[0]:.8g}, {SIZE[1] * j / CELLS[1]:.8g}, {SIZE[2] * k / CELLS[2]:.8g}" for k in range(n[2]) for j in range(n[1]) for i in range(n[0])]
    wall = n[0] * n[1] * n[2]
    corners = [(x, y, z) for x in (-2, -1, 0) for y, z in ((0, 0), (10, 0), (10, 10), (0, 10))]
    lines += ["*NODE", *(f"{wall + 1 + k}, {x}, {y}, {z}" for k, (x, y, z) in enumerate(corners)), "*NSET, NSET=WALL", ", ".join(str(wall + 1 + k) for k in range(4)), "*ELEMENT, TYPE=C3D8, ELSET=EBAR"]
    count = 0
    for k in range(CELLS[2]):
        for j in range(CELLS[1]):
            for i in range(CELLS[0]):
                count += 1
                lines.append(f"{count}, " + ", ".join(str(number(i + a, j + b, k + c)) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))))
    face = [1 + CELLS[0] * m for m in range(CELLS[1] * CELLS[2])]
    lines += ["*ELEMENT, TYPE=C3D8, ELSET=EWALL"]  # two layers of steel, 2 mm: contact nodes must not be held
    lines += [f"{count + 1 + m}, " + ", ".join(str(wall + 1 + 4 * (m + c) + k) for c in (0, 1) for k in range(4)) for m in range(2)]
    lines += ["*MATERIAL, NAME=STEEL", "*ELASTIC", "210000, 0", "*DENSITY", "7.8e-9", "*SOLID SECTION, ELSET=EBAR, MATERIAL=STEEL", "*SOLID SECTION, ELSET=EWALL, MATERIAL=STEEL"]
    lines += ["*SURFACE, NAME=SLAVE", *(f"{e}, S6" for e in face), "*SURFACE, NAME=MASTER", f"{count + 2}, S2"]
    lines += ["*SURFACE INTERACTION, NAME=HARD", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=HARD", "*CONTACT PAIR, INTERACTION=HARD, TYPE=MASSLESS", "SLAVE, MASTER"]
    lines += ["*BOUNDARY", "WALL, 1, 3", "*INITIAL CONDITIONS, TYPE=VELOCITY", "BAR, 1, -100", f"*STEP, INC={round(END / STEP) + 10}", "*DYNAMIC, EXPLICIT", f"{STEP:.8g}, {END}, {STEP:.8g}, {STEP:.8g}"]
    lines += ["*NODE PRINT, NSET=WALL, TOTALS=ONLY, FREQUENCY=1", "RF", "*END STEP", ""]
    return "\n".join(lines)


def quality(history):
    """(mean over tau, noise, duration over the period) of [(time, force)]"""
    closed = [t for t, force in history if force > TAU / 2]  # the wall of ccx rings afterwards
    first, last = closed[0], closed[-1]
    middle = [force for t, force in history if first + 0.1 * (last - first) <= t <= last - 0.1 * (last - first)]
    mean = sum(middle) / len(middle)
    return mean / TAU, math.sqrt(sum((force - mean) ** 2 for force in middle) / len(middle)) / mean, (last - first) / PERIOD


def of_ccx(ccx, folder):
    with open(os.path.join(folder, "bar.inp"), "w", encoding="ascii") as file:
        file.write(deck())
    seconds = user_seconds([ccx, "bar"], folder)
    history, time = [], None
    with open(os.path.join(folder, "bar.dat"), encoding="ascii") as file:
        for line in file:
            found = re.search(r"time\s+(\S+)", line)
            if found:
                time = float(found.group(1))
            elif time is not None and len(line.split()) == 3:
                history.append((time, float(line.split()[0])))
                time = None
    return seconds / (END / STEP * CELLS[0] * CELLS[1] * CELLS[2]), history


def of_percuss(percuss, folder, step):
    """step in us"""

    def run(end, every):
        with open(os.path.join(folder, "bar.yaml"), "w", encoding="utf-8") as file:
            file.write(PERCUSS.replace("CELLS", str(CELLS)).replace("STEP", str(step)).replace("END", str(end)).replace("EVERY", str(every)))
        return user_seconds([percuss, "run", "bar.yaml", "--overwrite", "--quiet"], folder)

    short, long = run(100, 0), run(100 + LONG, 0)
    run(100, 1)
    with open(os.path.join(folder, "out", "bar", "contacts.csv"), encoding="ascii") as file:
        names = file.readline().strip().split(",")
        wanted = [k for k, name in enumerate(names) if name.endswith(".force")]
        history = [(float(row.split(",")[0]), sum(float(row.split(",")[k]) for k in wanted)) for row in file]
    return (long - short) / (LONG / step * CELLS[0] * CELLS[1] * CELLS[2]), history


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("percuss")
    parser.add_argument("ccx")
    parser.add_argument("--refine", type=int, default=1)
    words = parser.parse_args()
    global STEP
    CELLS[:] = [words.refine * cells for cells in CELLS]
    STEP /= words.refine
    own = 1e6 * STEP
    percuss, ccx = os.path.abspath(words.percuss), os.path.abspath(words.ccx)
    print("                        us an element and step   mean/theory   noise    duration/theory")
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for name, (seconds, history) in ((f"ccx, step {own:g} us", of_ccx(ccx, folder)), (f"percuss, step {own:g} us", of_percuss(percuss, folder, own)), (f"percuss, step {2 * own:g} us", of_percuss(percuss, folder, 2 * own))):
            mean, noise, duration = quality(history)
            times.append(seconds)
            print(f"{name:24} {1e6 * seconds:20.4g} {mean:15.4f} {noise:9.4f} {duration:12.4f}")
    print(f"ccx takes {times[0] / times[1]:.0f} times as long for an element and step, {2 * times[0] / times[2]:.0f} times for the impact at the larger step of percuss")


if __name__ == "__main__":
    main()
