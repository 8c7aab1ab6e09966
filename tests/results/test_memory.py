#!/usr/bin/python3
"""Memory of contact candidates: a run with N of them beside the same run without contacts, by the peak of its resident memory. Usage: test_memory.py PERCUSS

Nodes over a plane with friction, which stay inactive, and nodes that all touch it. Memory is the same on every machine, but for the allocator and the page size: the limits have room for that."""
import os
import subprocess
import tempfile
import unittest

from tested import PERCUSS

CELLS = 199
N = (CELLS + 1) ** 2
DISTANT, TOUCHING = 1000, 2600  # bytes of a candidate

CONFIG = """
bodies:
  dust:
    type: balls
    mesh: {{lattice: {{from: [0, 0, {height}], to: [1 m, 1 m, {height}], cells: [{cells}, {cells}, 0]}}}}
    radius: 1 mm
    density: 1000 kg/m^3
    initial: {{velocity: [0, 0, -1 m/s]}}
{contacts}
scheme: {{type: half_explicit, step: 1 us}}
time: {{end: 4 us}}
output: {{frames: {{every: 0}}, history: {{every: 0}}, contacts: {{every: 0}}, energy: {{every: 0}}, events: false}}
"""
FLOOR = "contacts: {floor: {between: [{node: dust.all, radius: 1 mm}, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], friction: 0.3}}"


def peak_of(folder, height, contacts):
    """Bytes."""
    path = os.path.join(folder, "dust.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(height=height, cells=CELLS, contacts=contacts))
    process = subprocess.Popen([PERCUSS, "run", path, "--quiet", "--overwrite", "--out", os.path.join(folder, "out")])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise AssertionError(f"percuss ended with {process.returncode}")
    return 1024 * usage.ru_maxrss


class Memory(unittest.TestCase):
    """Of a candidate."""

    def test_memory_of_a_candidate(self):
        with tempfile.TemporaryDirectory() as folder:
            for height, limit in (("10 mm", DISTANT), ("1.0000005 mm", TOUCHING)):
                with self.subTest(height):
                    more = (peak_of(folder, height, FLOOR) - peak_of(folder, height, "")) / N
                    print(f"{height}: {more:.0f} bytes a candidate, {N} candidates")
                    self.assertLess(more, limit)
                    self.assertGreater(more, 100)  # it does measure them


if __name__ == "__main__":
    unittest.main()
