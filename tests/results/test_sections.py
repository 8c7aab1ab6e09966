#!/usr/bin/python3
"""Section forces of beams and rotors under loads between the nodes: weight, loads along bodies, inertia, moving supports. Usage: test_sections.py PERCUSS"""
import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

sys.path.insert(0, os.path.join(ROOT, "python"))
MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
OUTPUTS = ("normal_force", "shear_2", "shear_3", "torque", "moment_2", "moment_3")
WEIGHT = 7800 * 0.02 * 0.05 * 9.81  # N/m

CANTILEVER = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 1}}
    material: {density: 7800 kg/m^3, young: 210 GPa, shear_modulus: 80 GPa}
    section: {rectangle: {width: 20 mm, height: 50 mm}, shear_factor: 0.8}
supports: {clamp: {at: beam.left}}
gravity: [0, -9.81 m/s^2, 0]
start: static
scheme: {type: half_explicit, step: 1 us}
time: {end: 100 us}
output: {history: {probes: ["beam@0", "beam@0.3", "beam@1"], every: 100}, frames: {every: 100}}
"""
# Everything at once: nodes at 0.3 and 1/2, loads that change in time, a support that moves.
SHAKEN = CANTILEVER.replace("elements: 1}", "elements: 2}").replace("{at: beam.left}", "{at: beam.left, motion: [{displacement: [1 mm, 2 mm, 3 mm], time: {harmonic: {frequency: 90 Hz}}}]}").replace(
    "static", "as_given").replace("100 us}", "4 ms}").replace("every: 100}", "every: 500}").replace('"beam@0", "beam@0.3", "beam@1"', '"beam@0.4999999", "beam@0.5000001", "beam@1"') + """
base: [{acceleration: [3 m/s^2, -5 m/s^2, 2 m/s^2], time: {harmonic: {frequency: 40 Hz}}}]
loads:
  wind: {on: beam, force_per_length: [20 N/m, 30 N/m, 40 N/m], time: {harmonic: {frequency: 70 Hz}}}
  snow: {on: beam, force_per_length: [0, -30 N/m, 0]}
"""


class Sections(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_it(self, text, *words, name="out", before=()):
        config = os.path.join(self.folder, "model.yaml")
        with open(config, "w") as file:
            file.write(text)
        self.out = os.path.join(self.folder, name)
        done = subprocess.run([*before, PERCUSS, "run", config, "--out", self.out, "--overwrite", "--quiet", *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.out, "history.csv")) as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def near(self, value, expected, within, what=""):
        self.assertLessEqual(abs(value - expected), within, f"{what}: {value} is not {expected}")

    def test_weight_of_a_cantilever(self):
        """One element: shear q (L - x), moment q (L - x)^2/2, at rest and after 100 steps."""
        for mass in ("consistent", "lumped"):
            for row in self.run_it(CANTILEVER, "--set", f"bodies.beam.mass={mass}"):
                for name, x in (("beam@0", 0), ("beam@0.3", 0.3), ("beam@1", 1)):
                    self.near(row[f"{name}.shear_2"], -WEIGHT * (1 - x), 1e-6, f"{mass} {name}")
                    self.near(row[f"{name}.moment_3"], -WEIGHT * (1 - x)**2 / 2, 1e-6, f"{mass} {name}")

    def test_at_a_node(self):
        """body@x at a node between two elements has the section forces there."""
        text = CANTILEVER.replace("elements: 1}", "elements: 8}").replace('"beam@0", "beam@0.3", "beam@1"', '"beam@0.5", "beam@0.4999999"')
        row = self.run_it(text)[0]
        self.near(row["beam@0.5.shear_2"], -WEIGHT / 2, 1e-6)
        self.near(row["beam@0.5.moment_3"], -WEIGHT / 8, 1e-6)

    def test_loads_along_the_body(self):
        """The same of a load in all three directions, and of a body without weight of its own."""
        text = CANTILEVER.replace("shear_factor: 0.8}", "shear_factor: 0.8}\n    weight: false").replace("gravity", "loads: {wind: {on: beam, force_per_length: [30, 50, 70]}}\ngravity")
        for mass in ("consistent", "lumped"):
            row = self.run_it(text, "--set", f"bodies.beam.mass={mass}")[0]
            for name, x in (("beam@0", 0), ("beam@0.3", 0.3), ("beam@1", 1)):
                left = 1 - x
                for output, expected in zip(OUTPUTS, (30 * left, 50 * left, 70 * left, 0, -35 * left**2, 25 * left**2)):
                    self.near(row[f"{name}.{output}"], expected, 1e-6, f"{mass} {name}.{output}")

    def test_hanging(self):
        """Normal force of a hanging beam: its weight below."""
        row = self.run_it(CANTILEVER, "--set", "gravity=[9.81, 0, 0]")[0]
        self.near(row["beam@0.normal_force"], WEIGHT, 1e-6)
        self.near(row["beam@0.3.normal_force"], 0.7 * WEIGHT, 1e-6)

    def test_free_flight(self):
        """A beam that falls has no section forces."""
        text = CANTILEVER.replace("supports: {clamp: {at: beam.left}}\n", "").replace("static", "as_given")
        for row in self.run_it(text):
            for name, value in row.items():
                if name.split(".")[-1] in OUTPUTS:
                    self.near(value, 0, 1e-7, name)

    def test_both_sides_of_a_node_are_in_equilibrium(self):
        """Of elements in motion: their section forces agree at the node between them, and vanish at the free end."""
        damped = "bodies.beam.damping={rayleigh: {mass: 300 1/s}}"
        for scheme in ("half_explicit", "generalised_alpha", "moreau_jean", "modal", "event_driven_hem5"):
            for mass in ("consistent", "lumped"):
                still = () if scheme != "modal" else ("--set", "supports={clamp: {at: beam.left}}")  # it refuses supports that move
                rows = self.run_it(SHAKEN, *still, "--set", f"scheme.type={scheme}", "--set", f"bodies.beam.mass={mass}", "--set", damped)
                for row in rows[1:]:
                    size = max(abs(row[f"beam@0.4999999.{output}"]) for output in OUTPUTS)
                    for output in OUTPUTS:
                        what = f"{scheme} {mass} {output} at {row['time']} s"
                        self.near(row[f"beam@0.4999999.{output}"], row[f"beam@0.5000001.{output}"], 1e-4 * size, what)
                        self.near(row[f"beam@1.{output}"], 0, 1e-6 * size, what)
                self.assertGreater(size, 1)

    def test_shaft_that_spins(self):
        """The same with gyroscopic moments, and the unbalance of a disc elsewhere."""
        text = CANTILEVER.replace("type: beam", "type: rotor\n    spin: 6000 rpm").replace("elements: 1}", "elements: 4}").replace("section: {rectangle: {width: 20 mm, height: 50 mm}, shear_factor: 0.8}",
            "section: {circle: {radius: 40 mm}}").replace('"beam@0", "beam@0.3"', '"beam@0.4999999", "beam@0.5000001"').replace("static", "as_given").replace("100 us}", "2 ms}").replace("{at: beam.left}", "{at: beam.left, fix: all}")
        text += "unbalances: {mark: {at: beam@0.75, mass_eccentricity: 1e-2 kg m}}\n"
        rows = self.run_it(text)
        for row in rows[1:]:
            there = [output for output in OUTPUTS if f"beam@1.{output}" in row]
            self.assertEqual(there, ["shear_2", "shear_3", "moment_2", "moment_3"])
            size = max(abs(row[f"beam@0.4999999.{output}"]) for output in there)
            for output in there:
                self.near(row[f"beam@0.4999999.{output}"], row[f"beam@0.5000001.{output}"], 1e-4 * size, output)
                self.near(row[f"beam@1.{output}"], 0, 1e-6 * size, output)

    def test_few_elements_are_near_many(self):
        """A cantilever that is let go: the moment at its root with two elements and with 24."""
        text = CANTILEVER.replace("static", "as_given").replace("100 us}", "30 ms}").replace("type: half_explicit, step: 1 us", "type: generalised_alpha, step: 50 us").replace(
            "shear_factor: 0.8}", "shear_factor: 0.8}\n    theory: euler_bernoulli")
        few, many = (self.run_it(text, "--set", f"bodies.beam.mesh.line.elements={n}", "--set", "output.history.every=20") for n in (2, 24))
        most = max(abs(row["beam@0.moment_3"]) for row in many)
        self.assertGreater(most, 70)  # about twice that at rest
        for a, b in zip(few[5:], many[5:]):
            self.near(a["beam@0.moment_3"], b["beam@0.moment_3"], 0.1 * most, f"at {a['time']} s")

    def test_on_a_stop(self):
        """At rest on a contact the shear force at the end is the contact force, whatever the scheme reports it as; an impact is no force."""
        text = CANTILEVER.replace("static", "as_given").replace("100 us}", "20 ms}").replace("shear_factor: 0.8}", "shear_factor: 0.8}\n    damping: {rayleigh: {mass: 2000 1/s, stiffness: 0.1 us}}").replace(
            "output:", "contacts: {stop: {between: [beam.right, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\noutput:")
        for scheme in ("half_explicit", "moreau_jean", "generalised_alpha", "ggl_unified", "schatzman_paoli"):
            rows = self.run_it(text, "--set", f"scheme={{type: {scheme}, step: 2 us}}")
            self.near(rows[-1]["beam@1.shear_2"], 3 / 8 * WEIGHT, 0.1, scheme)
            self.near(rows[-1]["beam@0.moment_3"], -WEIGHT / 8, 0.1, scheme)
            self.assertLess(max(abs(row["beam@1.shear_2"]) for row in rows), 20 * WEIGHT, scheme)

    def test_pictures_say_the_same(self):
        from percuss.results import read_frame
        probes = [f"beam@{x}" for x in (0.0625, 0.1875, 0.3125, 0.4375, 0.5625, 0.6875, 0.8125, 0.9375)]
        rows = self.run_it(SHAKEN, "--set", "output.history.probes=[" + ", ".join(f'"{name}"' for name in probes) + "]")
        frames = sorted(glob.glob(os.path.join(self.out, "frames", "model_*.vtk")))
        self.assertEqual(len(frames), len(rows))
        for path, row in list(zip(frames, rows))[1:]:
            cell = read_frame(path).cell
            for i, name in enumerate(probes):
                expected = [row[f"{name}.{output}"] for output in OUTPUTS]
                seen = [*cell["section_force"][i], *cell["section_moment"][i]]
                for a, b in zip(seen, expected):
                    self.near(a, b, 1e-5 * max(map(abs, expected)), f"{name} at {row['time']} s")

    def test_energy_of_a_support_with_two_motions(self):
        """The books close as exactly as the scheme is, and a motion in two parts has the energies of the same motion in one."""
        parts = ["{displacement: [0.5 mm, 3 mm, 0], time: {harmonic: {frequency: 30 Hz}}}",
                 "{displacement: [0.5 mm, 1 mm, 0], time: {harmonic: {frequency: 30 Hz}}}, {displacement: [0, 2 mm, 0], time: {harmonic: {frequency: 30 Hz}}}"]
        for mass in ("consistent", "lumped"):
            energies = []
            for part in parts:
                text = SHAKEN.split("base:")[0].replace("{displacement: [1 mm, 2 mm, 3 mm], time: {harmonic: {frequency: 90 Hz}}}", part)
                self.run_it(text, "--set", "scheme={type: event_driven_hem5, step: 1 ms, tolerance: 1e-10}", "--set", "time.end=10 ms", "--set", f"bodies.beam.mass={mass}",
                            "--set", "bodies.beam.damping={rayleigh: {mass: 60 1/s, stiffness: 1 us}}")
                with open(os.path.join(self.out, "run.json")) as file:
                    energies.append(json.load(file)["summary"]["energy"])
            self.assertGreater(abs(energies[0]["load"]), 1e-3)
            self.near(energies[0]["numerical"], 0, 1e-6 * abs(energies[0]["load"]), mass)
            for name in ("initial", "kinetic", "elastic", "damping", "load"):
                self.near(energies[1][name], energies[0][name], 1e-7 * abs(energies[0]["load"]), f"{mass} {name}")

    @unittest.skipUnless(MPIEXEC, "no mpiexec")
    def test_several_processes(self):
        text = SHAKEN.replace("elements: 2}", "elements: 8}")
        one, two = self.run_it(text), self.run_it(text, before=(MPIEXEC, "--oversubscribe", "-n", "2"))
        for a, b in zip(one, two):
            for name in a:
                self.near(b[name], a[name], 1e-6 * max(1, max(map(abs, a.values()))), name)

    def test_resumed(self):
        """Stopped in the middle and resumed: the same bytes."""
        self.run_it(SHAKEN)
        with open(os.path.join(self.out, "history.csv"), "rb") as file:
            whole = file.read()
        config, out = os.path.join(self.folder, "model.yaml"), os.path.join(self.folder, "parts")
        for words in (["--wall-limit", "0.000001 s"], ["--resume"]):
            subprocess.run([PERCUSS, "run", config, "--out", out, "--quiet", *words], capture_output=True, timeout=300)
        with open(os.path.join(out, "history.csv"), "rb") as file:
            self.assertEqual(file.read(), whole)


if __name__ == "__main__":
    unittest.main()
