#!/usr/bin/python3
"""Bodies with the key `reduce` against the whole model: every scheme, loads, static start, free flight, contact forces. Usage: test_reduced.py PERCUSS"""
import csv
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from tested import PERCUSS, ROOT

BEAM = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [300 mm, 0, 0], elements: 4}}
    material: {density: 7850 kg/m^3, young: 210 GPa}
    section: {rectangle: {width: 20 mm, height: 5 mm}}
    theory: euler_bernoulli
    damping: {rayleigh: {mass: 5 1/s, stiffness: 0.2 us}}
    REDUCE
supports:
  clamp: {at: beam.left}
springs:
  prop: {between: ["beam@0.5", ground], direction: [0, 0, 1], stiffness: 10 N/mm, damping: 5 N s/m}
masses:
  lump: {at: "beam@0.5", mass: 20 g}
gravity: [0, -9.81 m/s^2, 0]
loads:
  blow: {at: beam.right, force: [0, -200 N, 100 N], time: {pulse: {duration: 5 ms}}}
contacts:
  stop:
    between: [beam.right, {plane: {point: [0, -2 mm, 0], normal: [0, 1, 0]}}]
    friction: FRICTION
scheme: {type: SCHEME, step: 1 us}
time: {end: 2 ms}
output: {history: {probes: [beam.right, beam@0.55], every: 10}, energy: {every: 10}, frames: {every: 1000}}
"""
# What depends on the coordinates themselves: steps by the norm of an error, Newton's method with a tolerance of the coordinates, and the projection q + W Psi of the ggl schemes, which has no mass matrix:
# it moves the contact node alone, or with reduced coordinates its static shape.
BY_NORMS = {"half_explicit_adaptive", "event_driven_hem5", "event_driven_rkf45", "event_driven_alpha", "ggl_decoupled", "ggl_unified"}

CUBE = """
bodies:
  cube:
    type: solid
    mesh: {file: cube.msh}
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    mass: MASS
    initial: {velocity: [0, 0, -0.1 m/s]}
    REDUCE
contacts:
  floor: {between: [cube.feet, {plane: {point: [0, 0, -1e-7 m], normal: [0, 0, 1]}}]}
scheme: {type: massless_contact, step: 1.2 us}
time: {end: 108 us}
output: {contacts: {every: 1}, energy: {every: 1}, history: {probes: [cube.far]}, frames: {every: 0}}
"""


def scheme_names():
    with open(os.path.join(ROOT, "src/scheme/list.h")) as file:
        return [re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in re.findall(r"NS_SCHEME\((\w+)\)", file.read())]


def cube_mesh(n, feet):
    """Gmsh 2.2: n^3 hexahedra of a cube of 0.1 m; the nodes of its bottom at these positions of the grid."""
    side = n + 1
    number = lambda i, j, k: 1 + i + side * (j + side * k)  # noqa: E731
    nodes = [f"{number(i, j, k)} {0.1 * i / n!r} {0.1 * j / n!r} {0.1 * k / n!r}" for k in range(side) for j in range(side) for i in range(side)]
    cells = [f"5 2 1 1 {' '.join(str(number(i + a, j + b, k + c)) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)))}" for k in range(n) for j in range(n) for i in range(n)]
    points = [f"15 2 2 2 {number(i, j, 0)}" for i in feet for j in feet] + [f"15 2 3 3 {number(n, n, n)}"]
    elements = [f"{i + 1} {text}" for i, text in enumerate(points + cells)]
    names = ['3 1 "body"', '0 2 "feet"', '0 3 "far"']
    return "\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names)), *names, "$EndPhysicalNames", "$Nodes", str(len(nodes)), *nodes, "$EndNodes", "$Elements", str(len(elements)),
                      *elements, "$EndElements", ""])


class Reduced(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, text, *words, command="run"):
        config = os.path.join(self.folder, "model.yaml")
        with open(config, "w") as file:
            file.write(text)
        self.out = os.path.join(self.folder, "out")
        more = ("--out", self.out, "--overwrite", "--quiet") if command == "run" else ()
        return subprocess.run([PERCUSS, command, config, *more, *words], capture_output=True, text=True, timeout=500)

    def table(self, name):
        with open(os.path.join(self.out, name + ".csv")) as file:
            return [{column: float(value) if re.match(r"[-+0-9]", value) else value for column, value in row.items()} for row in csv.DictReader(file)]

    def run_it(self, text, *words):
        done = self.call(text, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.table("history"), self.table("energy")

    def near(self, whole, reduced, within, what):
        """All columns, by their largest value; those of nothing but rounding are left out."""
        self.assertEqual(len(whole), len(reduced), what)
        for column in whole[0]:
            size = max(abs(row[column]) for row in whole)
            if size > 1e-9:
                worst = max(abs(a[column] - b[column]) for a, b in zip(whole, reduced))
                self.assertLessEqual(worst, within * size, f"{what}: {column}")

    def test_all_modes_are_the_whole_model(self):
        compared = 0
        for scheme in scheme_names():
            if scheme in BY_NORMS:
                continue
            for friction in ("0.2", "0"):
                text = BEAM.replace("SCHEME", scheme).replace("FRICTION", friction)
                done = self.call(text.replace("REDUCE", ""))
                if done.returncode:  # it does not support such a model: nor the reduced one
                    self.assertNotEqual(self.call(text.replace("REDUCE", "reduce: {method: craig_bampton, modes: 100}")).returncode, 0, scheme)
                    continue
                whole, energy = self.table("history"), self.table("energy")
                reduced, other = self.run_it(text.replace("REDUCE", "reduce: {method: craig_bampton, modes: 100}"))
                self.near(whole, reduced, 1e-9, scheme)
                self.assertLess(abs(energy[-1]["elastic"] - other[-1]["elastic"]), 1e-9 * energy[-1]["elastic"], scheme)
                compared += 1
        self.assertGreater(compared, 20)

    def test_schemes_by_norms(self):
        for scheme in sorted(BY_NORMS):
            text = BEAM.replace("SCHEME", scheme).replace("FRICTION", "0")
            whole, _ = self.run_it(text.replace("REDUCE", ""))
            reduced, _ = self.run_it(text.replace("REDUCE", "reduce: {method: craig_bampton, modes: 100}"))
            self.assertLess(abs(whole[-1]["beam.right.uz"] - reduced[-1]["beam.right.uz"]), 1e-3 * abs(whole[-1]["beam.right.uz"]), scheme)

    def test_few_modes(self):
        fine = BEAM.replace("elements: 4", "elements: 20").replace("FRICTION", "0.2").replace("end: 2 ms", "end: 1.4 ms").replace("moreau_jean", "SCHEME")
        whole, _ = self.run_it(fine.replace("SCHEME", "moreau_jean").replace("REDUCE", ""))
        for method, scheme in (("rubin", "moreau_jean"), ("craig_bampton", "moreau_jean"), ("macneal", "massless_contact")):
            reduced, energy = self.run_it(fine.replace("SCHEME", scheme).replace("REDUCE", f"reduce: {{method: {method}, modes: 16}}"))
            for column in ("beam.right.uy", "beam.right.uz", "beam@0.55.uy", "beam@0.55.moment_3"):
                size = max(abs(row[column]) for row in whole)
                self.assertLess(max(abs(a[column] - b[column]) for a, b in zip(whole, reduced)), 0.02 * size, f"{method} {column}")
            self.assertLess(abs(energy[-1]["numerical"]), 1e-4 * energy[-1]["load"], method)

    def test_static_start(self):
        for method in ("rubin", "craig_bampton"):
            text = BEAM.replace("SCHEME", "moreau_jean").replace("FRICTION", "0").replace("REDUCE", f"reduce: {{method: {method}, modes: 8}}").replace("elements: 4", "elements: 12") + "start: static\n"
            text = text.replace("loads:\n  blow: {at: beam.right, force: [0, -200 N, 100 N], time: {pulse: {duration: 5 ms}}}\n", "")
            history, _ = self.run_it(text)
            self.assertLess(history[0]["beam.right.uy"], -1e-5)
            for row in history:  # it stays at rest
                self.assertLess(abs(row["beam.right.uy"] - history[0]["beam.right.uy"]), 1e-9 * abs(history[0]["beam.right.uy"]), method)

    def test_static_contact(self):
        """The beam lies on its stop: its contact force is that of the whole beam, and stays."""
        text = BEAM.replace("FRICTION", "0.3").replace("elements: 4", "elements: 12").replace("-2 mm", "-1 um").replace("energy: {every: 10}", "energy: {every: 10}, contacts: {every: 10}") + "start: static\n"
        text = text.replace("loads:\n  blow: {at: beam.right, force: [0, -200 N, 100 N], time: {pulse: {duration: 5 ms}}}\n", "")
        force = {}
        for reduce, scheme in (("", "moreau_jean"), ("reduce: {method: macneal, modes: 8}", "massless_contact"), ("reduce: {method: rubin, modes: 8}", "moreau_jean"), ("reduce: {method: craig_bampton, modes: 8}", "moreau_jean")):
            self.run_it(text.replace("REDUCE", reduce).replace("SCHEME", scheme))
            rows = self.table("contacts")[1:]
            column = "stop.force" if scheme == "massless_contact" else "stop.impulse"
            force[reduce] = rows[0][column] / (1 if scheme == "massless_contact" else 1e-5)  # of ten steps
            for row in rows:
                self.assertLess(abs(row[column] - rows[0][column]), 1e-6 * rows[0][column], reduce)
        for reduce, value in force.items():
            self.assertLess(abs(value - force[""]), 1e-4 * force[""], reduce)

    def test_free_flight_keeps_the_energy(self):
        text = CUBE.replace("MASS", "lumped").replace("end: 108 us", "end: 10 ms").replace("point: [0, 0, -1e-7 m]", "point: [0, 0, -1 m]").replace("contacts: {every: 1}, energy: {every: 1}", "energy: {every: 1000}")
        with open(os.path.join(self.folder, "cube.msh"), "w") as file:
            file.write(cube_mesh(4, (1, 3)))
        for reduce, scheme in (("macneal, modes: 30", "massless_contact"), ("rubin, modes: 30", "half_explicit"), ("rubin, modes: 30", "moreau_jean")):
            history, energy = self.run_it(text.replace("REDUCE", f"reduce: {{method: {reduce}}}").replace("massless_contact", scheme))
            self.assertLess(abs(history[-1]["cube.far.uz"] + 0.1 * history[-1]["time"]), 1e-12)
            self.assertLess(energy[-1]["elastic"], 1e-18 * energy[-1]["kinetic"])

    def test_contact_force_of_a_cube(self):
        """Solids' acceptance: 51 modes in place of 6591 DOF."""
        with open(os.path.join(self.folder, "cube.msh"), "w") as file:
            file.write(cube_mesh(12, (2, 4, 8, 10)))
        force = {}
        for name, mass, reduce in (("whole", "redistributed", ""), ("sharp", "lumped", "reduce: {modes: 51, fade: off}"), ("faded", "lumped", "reduce: {modes: 51}")):
            _, energy = self.run_it(CUBE.replace("MASS", mass).replace("REDUCE", reduce))
            force[name] = [sum(value for column, value in row.items() if column.endswith(".force")) for row in self.table("contacts")]
            self.assertLess(abs(energy[-1]["numerical"]), 1e-3 * energy[0]["kinetic"])
        peak = max(force["whole"])
        self.assertLess(abs(peak - 32955.54), 0.01 * 32955.54)
        for name, impulse in (("sharp", 0.9911), ("faded", 0.9952)):
            self.assertLess(abs(max(force[name]) - peak), 0.01 * peak, name)
            self.assertLess((sum((a - b)**2 for a, b in zip(force[name], force["whole"])) / len(force["whole"]))**0.5, 0.0125 * peak, name)
            self.assertLess(abs(sum(force[name]) * 1.2e-6 / (7.8 * 0.2) - impulse), 0.01, name)

    def solver(self):
        with open(os.path.join(self.out, "run.json")) as file:
            return json.load(file)["summary"]["contact_solver"]

    def lasting(self, scheme, end):
        """16 contacts with friction on a belt that shakes."""
        with open(os.path.join(self.folder, "cube.msh"), "w") as file:
            file.write(cube_mesh(4, (0, 1, 3, 4)))
        text = "gravity: [0, 0, -20000 m/s^2]\n" + CUBE.replace("MASS", "lumped").replace("[0, 0, -0.1 m/s]", "[50 mm/s, 20 mm/s, -0.1 m/s]").replace("end: 108 us", f"end: {end}")
        text = text.replace("normal: [0, 0, 1]}}]", "normal: [0, 0, 1], velocity: [0.3 m/s, 0.1 m/s, 0], motion: [{displacement: [0, 0, 2 um], time: {harmonic: {frequency: 3 kHz}}}]}}], friction: 0.3")
        return text.replace("REDUCE", "reduce: {method: rubin, modes: 20}").replace("type: massless_contact", f"type: {scheme}")

    def test_contacts_that_last_in_all_schemes(self):
        """The inverse that is kept changes nothing, also where schemes solve for normals alone, as on position level, and for all directions in turn."""
        for scheme in ("generalised_alpha", "generalised_alpha_velocity", "ggl_unified", "half_explicit_adaptive", "projection_combined", "variational"):
            model = self.lasting(scheme, "60 us")
            _, kept = self.run_it(model)
            _, each = self.run_it(model, "--set", "scheme.contact_solver=newton")
            self.assertEqual(len(kept), len(each), scheme)
            for key in ("kinetic", "friction", "impact"):
                self.assertLess(abs(kept[-1][key] - each[-1][key]), 1e-7 * each[-1]["kinetic"], (scheme, key))

    def test_contacts_that_last_resume(self):
        """What is kept is in checkpoints, also where steps were given up."""
        for scheme in ("moreau_jean", "half_explicit_adaptive"):
            whole, _ = self.run_it(self.lasting(scheme, "150 us"))
            self.assertGreater(self.solver()["kept_inverse"], 0)
            with open(os.path.join(self.out, "history.csv"), "rb") as file:
                whole = file.read()
            self.run_it(self.lasting(scheme, "80 us"))
            config = os.path.join(self.folder, "model.yaml")
            done = subprocess.run([PERCUSS, "run", config, "--out", self.out, "--resume", "--quiet", "--set", "time.end=150 us"], capture_output=True, text=True, timeout=500)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.out, "history.csv"), "rb") as file:
                self.assertEqual(file.read(), whole, scheme)

    def test_contacts_that_last(self):
        """16 contacts that land, slip and stick on a belt: with the inverse that is kept from step to step as with a factorization in each iteration; few iterations, hardly any problem for other solvers."""
        with open(os.path.join(self.folder, "cube.msh"), "w") as file:
            file.write(cube_mesh(4, (0, 1, 3, 4)))
        text = "gravity: [0, 0, -20000 m/s^2]\n" + CUBE.replace("MASS", "lumped").replace("[0, 0, -0.1 m/s]", "[50 mm/s, 20 mm/s, -0.1 m/s]").replace("end: 108 us", "end: 3 ms")
        text = text.replace("normal: [0, 0, 1]}}]", "normal: [0, 0, 1], velocity: [VELOCITY, 0.1 m/s, 0], motion: [{displacement: [0, 0, 2 um], time: {harmonic: {frequency: 3 kHz}}}]}}], friction: 0.3")
        for reduce, scheme in (("{modes: 20}", "massless_contact"), ("{method: rubin, modes: 20}", "moreau_jean"), ("{method: rubin, modes: 20}", "modal")):
            for velocity in (("0", "0.3 m/s") if scheme != "modal" else ("0",)):
                model = text.replace("REDUCE", f"reduce: {reduce}").replace("type: massless_contact", f"type: {scheme}").replace("VELOCITY", velocity)
                if scheme == "modal":  # it does not support surfaces that move
                    model = re.sub(r", velocity: \[0, 0.1.*?\}\}\}\]", "", model)
                kept, energy = self.run_it(model)
                solver, forces = self.solver(), self.table("contacts")
                states = {value for row in forces for column, value in row.items() if column.endswith(".state")}
                self.assertTrue({"open", "slip"} <= states, (scheme, velocity, states))
                each, other = self.run_it(model, "--set", "scheme.contact_solver=newton")
                self.assertEqual(self.solver()["kept_inverse"], 0)
                self.near(each, kept, 1e-6, f"{scheme} {velocity}")
                self.assertLess(abs(energy[-1]["friction"] - other[-1]["friction"]), 1e-6 * energy[-1]["friction"], scheme)
                self.assertGreater(solver["kept_inverse"], 0.5 * solver["calls"], (scheme, velocity))
                self.assertGreater(solver["solved_by"]["newton"], 0.999 * solver["calls"], (scheme, velocity))
                self.assertLess(solver["iterations"], 6 * solver["calls"], (scheme, velocity))

    def test_check(self):
        text = BEAM.replace("SCHEME", "moreau_jean").replace("FRICTION", "0.2").replace("elements: 4", "elements: 12").replace("REDUCE", "reduce: {method: craig_bampton, modes: 20}")
        done = self.call(text, command="check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("craig_bampton: 6 DOF at contacts and 20 modes up to", done.stdout)
        error = float(re.search(r"differ by at most ([-+.e0-9]+) %", done.stdout).group(1))
        self.assertTrue(0 < error < 2, done.stdout)
        self.assertNotIn("differ by", self.call(text, "--quick", command="check").stdout)

    def test_rotor(self):
        """Gyroscopic moments, unbalance, bearings: against modal integration of the whole shaft."""
        with open(os.path.join(ROOT, "configs/rotor_rub_modal.yaml")) as file:
            text = file.read().replace("end: 0.2 s", "end: 40 ms").replace("every: 1000", "every: 0")
        whole, energy = self.run_it(text)
        reduced, other = self.run_it(text.replace("spin: 3000 rpm", "spin: 3000 rpm\n    reduce: {modes: 40}").replace("{type: modal, step: 5 us, modes: 40}", "{type: massless_contact, step: 5 us}"))
        self.assertLess(max(abs(a["shaft@0.3.uz"] - b["shaft@0.3.uz"]) for a, b in zip(whole, reduced)), 1e-6)
        self.assertGreater(energy[-1]["friction"], 0.01)
        self.assertLess(abs(energy[-1]["friction"] - other[-1]["friction"]), 0.01 * energy[-1]["friction"])

    def test_processes_are_refused(self):
        mpiexec = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
        if not mpiexec:
            self.skipTest("no mpiexec")
        config = os.path.join(self.folder, "model.yaml")
        with open(config, "w") as file:
            file.write(BEAM.replace("SCHEME", "moreau_jean").replace("FRICTION", "0").replace("REDUCE", "reduce: {method: rubin, modes: 9}"))
        done = subprocess.run([mpiexec, "--oversubscribe", "-n", "2", PERCUSS, "run", config, "--out", os.path.join(self.folder, "out")], capture_output=True, text=True, timeout=120)
        self.assertIn("`reduce` runs on one process, not on 2", done.stderr)

    def test_without_contacts(self):
        text = BEAM.replace("REDUCE", "reduce: {modes: 20}").replace("elements: 4", "elements: 8")
        text = re.sub(r"contacts:.*?(?=scheme:)", "", text, flags=re.S)
        ends = [self.run_it(text.replace("SCHEME", scheme))[0][-1]["beam.right.uy"] for scheme in ("moreau_jean", "half_explicit", "modal")]
        self.assertLess(max(ends) - min(ends), 1e-4 * abs(ends[0]))

    def test_two_bodies(self):
        """One is reduced, the other is not; rubin reduces both."""
        bar = "{type: bar, mesh: {line: {from: [%s, 0, 0], to: [%s, 0, 0], elements: 40}}, material: {density: 7800 kg/m^3, young: 210 GPa}, section: {area: 100 mm^2}%s}"
        text = """
bodies:
  a: %s
  b: %s
contacts:
  meet: {between: [a.right, b.left], normal: [1, 0, 0]}
scheme: {type: half_explicit, step: 20 ns}
time: {end: 60 us}
output: {history: {probes: [a.left, b.right]}, frames: {every: 0}}
"""
        models = {}
        for name, one, two in (("whole", "", ""), ("one", ", reduce: {method: craig_bampton, modes: 25}", ""), ("both", ", reduce: {method: rubin, modes: 20}", ", reduce: {method: rubin, modes: 20}")):
            models[name], _ = self.run_it(text % (bar % ("-0.1 m", "0", one + ", initial: {velocity: [1 m/s, 0, 0]}"), bar % ("1 um", "0.1 m", two)))
        for name in ("one", "both"):
            self.assertLess(abs(models[name][-1]["b.right.ux"] - models["whole"][-1]["b.right.ux"]), 0.02 * models["whole"][-1]["b.right.ux"], name)

    def test_kept_between_runs(self):
        """With PERCUSS_CACHE a second run reads what the first one computed: the same bytes; changed models, damaged and foreign files are computed anew; two processes at once."""
        cache = os.path.join(self.folder, "cache", "kept")
        self.addCleanup(os.environ.pop, "PERCUSS_CACHE", None)
        config = os.path.join(self.folder, "model.yaml")
        out = os.path.join(self.folder, "out")

        def results():
            texts = []
            for name in ("history.csv", "energy.csv"):
                with open(os.path.join(out, name), "rb") as file:
                    texts.append(file.read())
            return texts

        def files():
            return sorted(name for name in os.listdir(cache) if name.endswith(".percuss")) if os.path.isdir(cache) else []

        def reads(text):
            done = self.call(text, "--quick", command="check")
            self.assertEqual(done.returncode, 0, done.stderr)
            return "read from " + cache in done.stdout

        base = BEAM.replace("elements: 4", "elements: 12").replace("FRICTION", "0.2").replace("end: 2 ms", "end: 1 ms")
        for number, (scheme, reduce) in enumerate((("moreau_jean", "reduce: {method: rubin, modes: 8}"), ("massless_contact", "reduce: {method: macneal, modes: 8}"),
                                                   ("moreau_jean", "reduce: {method: craig_bampton, modes: 8}"), ("modal, modes: 8", ""))):
            text = base.replace("SCHEME", scheme).replace("REDUCE", reduce)
            os.environ["PERCUSS_CACHE"] = "off"
            self.run_it(text)
            plain = results()
            os.environ["PERCUSS_CACHE"] = cache
            before = files()
            for turn in range(2):
                self.run_it(text)
                self.assertEqual(results(), plain, f"{scheme} {reduce} {turn}")
                self.assertEqual(len(files()), len(before) + (number in (0, 2)), "rubin, macneal and modal have the same modes")
            if reduce:
                self.assertTrue(reads(text))
        self.assertEqual(stat.S_IMODE(os.stat(cache).st_mode), 0o700)
        text = base.replace("SCHEME", "moreau_jean").replace("REDUCE", "reduce: {method: craig_bampton, modes: 8}")
        self.assertFalse(reads(text.replace("210 GPa", "209 GPa")))
        self.assertFalse(reads(text.replace("modes: 8", "modes: 9")))
        self.assertFalse(reads(text.replace("[0, -200 N, 100 N]", "[0, -201 N, 100 N]")))
        for name in files():
            os.remove(os.path.join(cache, name))
        self.assertFalse(reads(text))
        self.assertTrue(reads(text))
        (name,) = files()
        path = os.path.join(cache, name)
        with open(path, "rb") as file:
            whole = file.read()
        for damaged in (whole[:-8], whole + b"12345678", whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:], b"", whole[:20] + b"0" + whole[21:]):
            with open(path, "wb") as file:
                file.write(damaged)
            self.assertFalse(reads(text))
            self.assertTrue(reads(text))
        os.chmod(path, 0o666)
        self.assertFalse(reads(text), "anybody may have written it")
        os.chmod(path, 0o600)
        os.chmod(cache, 0o777)
        self.assertFalse(reads(text))
        os.chmod(cache, 0o700)
        os.remove(path)
        os.symlink(os.path.join(self.folder, "elsewhere"), path)
        self.assertFalse(reads(text))
        self.assertTrue(reads(text))
        self.assertFalse(os.path.islink(path))
        os.remove(path)
        both = [subprocess.Popen([PERCUSS, "check", "--quick", config], stdout=subprocess.DEVNULL) for _ in range(2)]
        self.assertEqual([process.wait() for process in both], [0, 0])
        self.assertTrue(reads(text))
        self.assertEqual(files(), [name])
        self.assertEqual(os.listdir(cache), [name])


if __name__ == "__main__":
    unittest.main()
