#!/usr/bin/env python3
"""Two large solids, run by hand: how long they take, and how good they are.

    large_solids.py PERCUSS [DIRECTORY [bar | sphere]]

    bar       100 000 hexahedra (1000 x 10 x 10, nu = 0), massless contact nodes, hits a rigid wall: Saint-Venant's force rho c v A on a plateau of 2 l/c.
              Noise: the largest difference from it between a tenth and nine tenths of the plateau.
    sphere    about a million four-node tetrahedra (a cube of 54 cells an edge made round), lumped, hits a rigid plane: Hertz's maximum force and time of contact
              (exact for a half space: the elastic sphere differs by some a/R).
"""
import csv
import json
import math
import os
import subprocess
import sys
import time

PERCUSS = os.path.abspath(sys.argv[1])
FOLDER = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "large_solids")
OUTPUT = "output: {directory: %s, frames: {every: 0}, energy: {every: 500}, history: {every: 0}, contacts: {every: 1}}\n"
CELLS = int(os.environ.get("CELLS", "54"))
DENSITY, YOUNG = 7800.0, 210e9


def run(name, config):
    """Seconds of check and of run, and the rows of contacts.csv."""
    path = os.path.join(FOLDER, name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(config.replace("STEP", "1 ns"))
    if "STEP" in config:
        said = json.loads(subprocess.run([PERCUSS, "check", path, "--json", "--set", "scheme.step=1 ns"], check=True, capture_output=True, text=True).stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.write(config.replace("STEP", str(0.85 * said["figures"]["critical_step"])))
    begin = time.time()
    subprocess.run([PERCUSS, "run", path, "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    seconds = time.time() - begin
    with open(os.path.join(FOLDER, name, "contacts.csv"), encoding="utf-8") as file:
        rows = csv.reader(file)
        head = next(rows)
        wanted = [k for k, word in enumerate(head) if word.endswith(".force")]
        history = [(float(row[0]), sum(float(row[k]) for k in wanted)) for row in rows]
    return seconds, history


def bar():
    length, width, speed = 1.0, 0.01, 1.0
    wave = math.sqrt(YOUNG / DENSITY)
    seconds, history = run("bar", f"""bodies:
  bar: {{type: solid, mesh: {{box: {{from: [0, 0, 0], to: [{length}, {width}, {width}], cells: [1000, 10, 10]}}}}, material: {{density: {DENSITY}, young: {YOUNG}, poisson: 0}},
    mass: redistributed, initial: {{velocity: [{-speed}, 0, 0]}}}}
contacts: {{wall: {{between: [bar.left, {{plane: {{point: [0, 0, 0], normal: [1, 0, 0]}}}}]}}}}
scheme: {{type: massless_contact, step: 0.17 us}}
time: {{end: {2.2 * length / wave}}}
{OUTPUT % os.path.join(FOLDER, "bar")}""")
    force, end = DENSITY * wave * speed * width**2, 2 * length / wave
    noise = max(abs(f / force - 1) for t, f in history if 0.1 * end < t < 0.9 * end)
    print(f"bar of 100000 hex8: {len(history) - 1} steps in {seconds:.0f} s, force noise {100 * noise:.3f} %")


def sphere_mesh(path, n, radius):
    """A ball above the plane y = 0, of 6 n^3 tetrahedra, n even; its lower cap is the physical surface `cap`. Diagonals of cells point away from the centre, or tetrahedra along the edges of the
    cube would have four nodes on the sphere."""
    paths = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]  # corners of a cell: bits x, y, z
    number = lambda i, j, k: 1 + i + (n + 1) * (j + (n + 1) * k)
    with open(path, "w", encoding="utf-8") as file:
        file.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 "cap"\n3 2 "ball"\n$EndPhysicalNames\n$Nodes\n%d\n' % (n + 1)**3)
        for k in range(n + 1):
            for j in range(n + 1):
                for i in range(n + 1):
                    x = [2 * i / n - 1, 2 * j / n - 1, 2 * k / n - 1]
                    size = math.sqrt(sum(c * c for c in x))
                    scale = radius * max(map(abs, x)) / size if size else 0
                    file.write("%d %.12g %.12g %.12g\n" % (number(i, j, k), scale * x[0], scale * x[1] + radius, scale * x[2]))
        middle = range(n // 3, n - n // 3)
        file.write("$EndNodes\n$Elements\n%d\n" % (6 * n**3 + 2 * len(middle)**2))
        count = 0
        for k in middle:
            for i in middle:
                a, b, c, d = number(i, 0, k), number(i + 1, 0, k), number(i, 0, k + 1), number(i + 1, 0, k + 1)
                for side in ((a, b, d), (a, d, c)) if (2 * i < n) == (2 * k < n) else ((a, b, c), (b, d, c)):
                    count += 1
                    file.write("%d 2 2 1 1 %d %d %d\n" % (count, *side))
        for k in range(n):
            for j in range(n):
                for i in range(n):
                    flip = (2 * i < n) + 2 * (2 * j < n) + 4 * (2 * k < n)
                    corner = [number(i + ((c ^ flip) & 1), j + ((c ^ flip) >> 1 & 1), k + ((c ^ flip) >> 2)) for c in range(8)]
                    mirrored = bin(flip).count("1") % 2
                    for a, b, c, d in paths:
                        count += 1
                        file.write("%d 4 2 2 1 %d %d %d %d\n" % (count, corner[a], corner[c if mirrored else b], corner[b if mirrored else c], corner[d]))
        file.write("$EndElements\n")


def sphere():
    radius, speed, poisson, n = 0.01, 10.0, 0.3, CELLS
    mesh = os.path.join(FOLDER, "sphere.msh")
    sphere_mesh(mesh, n, radius)
    mass, modulus = DENSITY * 4 / 3 * math.pi * radius**3, YOUNG / (1 - poisson**2)
    contact = 2.8683 * (mass**2 / (radius * modulus**2 * speed))**0.2  # against a rigid plane
    depth = (15 * mass * speed**2 / (16 * modulus * math.sqrt(radius)))**0.4
    peak = 4 / 3 * modulus * math.sqrt(radius) * depth**1.5
    seconds, history = run("sphere", f"""bodies:
  ball: {{type: solid, mesh: {{file: {mesh}}}, material: {{density: {DENSITY}, young: {YOUNG}, poisson: {poisson}}}, mass: lumped, initial: {{velocity: [0, {-speed}, 0]}}}}
contacts: {{wall: {{between: [ball.cap, {{plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]}}}}
scheme: {{type: half_explicit, step: STEP}}
time: {{end: {1.25 * contact}}}
{OUTPUT % os.path.join(FOLDER, "sphere")}""")
    closed = [t for t, f in history if f > 0]
    window = 50  # steps: forces of impulses at nodes are rough
    force = [f for t, f in history]
    smooth = max(sum(force[k:k + window]) / window for k in range(len(force) - window))
    print(f"sphere of {6 * n**3} tet4: {len(history) - 1} steps in {seconds:.0f} s, largest force {smooth:.4g} N (Hertz {peak:.4g}), contact {1e6 * (closed[-1] - closed[0]):.4g} us (Hertz {1e6 * contact:.4g})")


os.makedirs(FOLDER, exist_ok=True)
for case in sys.argv[3:] or ("bar", "sphere"):
    {"bar": bar, "sphere": sphere}[case]()
