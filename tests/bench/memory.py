#!/usr/bin/python3
"""Memory and time over N, as tables. Usage: tests/bench/memory.py [PERCUSS [bar|contacts]]

bar: the elastic bar. Peak memory of a short run without output, less that of the smallest: what an unknown takes.
contacts: a block of N nodes, each a contact candidate with friction in space, over a plane that its bottom hits in the first of two steps; less the same run without contacts: what
a candidate takes, and what it adds to the start.

Linear in N, or something is wrong.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/percuss")
OFF = "output={frames: {every: 0}, history: {every: 0}, contacts: {every: 0}, energy: {every: 0}, events: false}"


BLOCK = """gravity: [0, 0, -9.81]
bodies:
  block:
    type: truss
    dimension: 3
    mesh: {{lattice: {{from: [0, 0, 0.4 um], to: [{size}, {size}, {top}], cells: [{cells}, {cells}, {cells}]}}}}
    material: {{density: 7800, young: 210 GPa}}
    section: {{area: 1 mm^2}}
    mass: lumped
    initial: {{velocity: [0, 0, -1 m/s]}}
{contacts}
scheme: {{type: half_explicit, step: 0.5 us}}
time: {{end: 1 us}}
"""
FLOOR = "contacts: {floor: {between: [block.all, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], friction: 0.3}}"


def peak_of(words, folder):
    """Peak memory in MB of a run of its own, its summary, and its processor time in s."""
    words = [PERCUSS, "run"] + words + ["--out", folder, "--quiet", "--set", OFF]
    child = os.fork()
    if child == 0:
        subprocess.run(words, check=True)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(folder + ".peak", "w") as file:
            file.write(f"{usage.ru_maxrss} {usage.ru_utime + usage.ru_stime}")
        os._exit(0)
    os.waitpid(child, 0)
    with open(folder + ".peak") as file, open(os.path.join(folder, "run.json")) as manifest:
        peak, seconds = file.read().split()
        return int(peak) / 1024, json.load(manifest)["summary"], float(seconds)


def measure(elements, mass, folder):
    length = 1.0 / elements
    step = 0.25 * length / 5188.7
    words = [os.path.join(ROOT, "configs/elastic_bar.yaml"), "--set", f"bodies.bar.mesh.line.elements={elements}", "--set", f"bodies.bar.mass={mass}",
             "--set", f"scheme.step={step:.6g}", "--set", f"time.end={200 * step:.6g}"]
    return peak_of(words, folder)


def bar(folder):
    print(f"{'N':>8} {'mass':>10} {'peak, MB':>9} {'bytes an unknown':>17} {'set-up, ms':>11} {'ns an unknown and step':>23}")
    for mass in ("consistent", "lumped"):
        base, *_ = measure(10, mass, os.path.join(folder, mass))
        for n in (1000, 10000, 100000, 1000000):
            peak, summary, _ = measure(n, mass, os.path.join(folder, f"{mass}{n}"))
            print(f"{n:8d} {mass:>10} {peak:9.1f} {(peak - base) * 2**20 / n:17.0f} {1e3 * summary['setup_seconds']:11.1f} {1e9 * summary['seconds_per_step'] / n:23.1f}")


def contacts(folder):
    print(f"{'candidates':>10} {'peak, MB':>9} {'bytes a candidate':>18} {'CPU, s':>7} {'without, s':>11}")
    for nodes in (10, 22, 46, 100):
        both = []
        for text in (FLOOR, ""):
            path = os.path.join(folder, "block.yaml")
            with open(path, "w") as file:
                size = 0.01 * (nodes - 1)
                file.write(BLOCK.format(size=size, top=size + 4e-7, cells=nodes - 1, contacts=text))
            both.append(peak_of([path], os.path.join(folder, f"{nodes}{'with' if text else 'without'}")))
        (peak, _, seconds), (base, _, free) = both
        print(f"{nodes**3:10d} {peak:9.1f} {(peak - base) * 2**20 / nodes**3:18.0f} {seconds:7.2f} {free:11.2f}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for what in (bar, contacts):
            if len(sys.argv) < 3 or sys.argv[2] == what.__name__:
                what(folder)


if __name__ == "__main__":
    main()
