#!/usr/bin/python3
"""Memory and time of the elastic bar over N, as a table. Usage: tests/bench/memory.py [PERCUSS]

Peak memory of a short run without output, less that of the smallest: what an unknown takes. Linear in N, or something is wrong.
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


def measure(elements, mass, folder):
    """Peak memory in MB of a run of its own, and its summary."""
    length = 1.0 / elements
    step = 0.25 * length / 5188.7
    words = [PERCUSS, "run", os.path.join(ROOT, "configs/elastic_bar.yaml"), "--out", folder, "--quiet", "--set", f"bodies.bar.mesh.line.elements={elements}",
             "--set", f"bodies.bar.mass={mass}", "--set", f"scheme.step={step:.6g}", "--set", f"time.end={200 * step:.6g}", "--set", OFF]
    child = os.fork()
    if child == 0:
        subprocess.run(words, check=True)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        with open(folder + ".peak", "w") as file:
            file.write(str(peak))
        os._exit(0)
    os.waitpid(child, 0)
    with open(folder + ".peak") as file, open(os.path.join(folder, "run.json")) as manifest:
        return int(file.read()) / 1024, json.load(manifest)["summary"]


def main():
    print(f"{'N':>8} {'mass':>10} {'peak, MB':>9} {'bytes an unknown':>17} {'set-up, ms':>11} {'ns an unknown and step':>23}")
    with tempfile.TemporaryDirectory() as folder:
        for mass in ("consistent", "lumped"):
            base, _ = measure(10, mass, os.path.join(folder, mass))
            for n in (1000, 10000, 100000, 1000000):
                peak, summary = measure(n, mass, os.path.join(folder, f"{mass}{n}"))
                print(f"{n:8d} {mass:>10} {peak:9.1f} {(peak - base) * 2**20 / n:17.0f} {1e3 * summary['setup_seconds']:11.1f} {1e9 * summary['seconds_per_step'] / n:23.1f}")


if __name__ == "__main__":
    main()
