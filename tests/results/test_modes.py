#!/usr/bin/python3
"""`percuss modes` and `percuss response` as a user meets them: tables, frames, figures. Usage: test_modes.py PERCUSS"""
import cmath
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
TRUSS = os.path.join(ROOT, "configs/truss_on_stop.yaml")
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "tests/tools"))


def percuss(*words):
    return subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=120)


def draw(script, *words):
    return subprocess.run([sys.executable, os.path.join(ROOT, "postprocess", script), *words], capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, MPLBACKEND="Agg"))


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Modes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "results")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def modes(self, config, *words):
        done = percuss("modes", config, "--out", self.out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def path(self, *names):
        return os.path.join(self.out, *names)

    def test_free_bar(self):
        """A rigid motion, then omega = (c0/h) sqrt(6 (1 - cos a)/(2 + cos a)), a = k pi/N."""
        done = self.modes(BAR, "--count", "6")
        rows = table(self.path("modes.csv"))
        self.assertEqual([row["mode"] for row in rows], ["1", "2", "3", "4", "5", "6"])
        self.assertEqual((rows[0]["kind"], float(rows[0]["undamped"])), ("rigid", 0))
        for k, row in enumerate(rows[1:], 1):
            cosine = math.cos(k * math.pi / 50)
            exact = 50 * math.sqrt(210e9 / 7800) * math.sqrt(6 * (1 - cosine) / (2 + cosine))
            self.assertAlmostEqual(float(row["im"]) / exact, 1, delta=1e-9)
            self.assertAlmostEqual(float(row["frequency_hz"]) * 2 * math.pi / exact, 1, delta=1e-9)
            self.assertEqual((row["kind"], row["unstable"], row["whirl"]), ("vibration", "0", "-"))
        self.assertIn("6 modes of 51 degrees of freedom; contacts are ignored", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_matrices(self):
        """What --matrices writes is the same body for `type: matrices`, with all frequencies and damping ratios."""
        solid = "{type: solid, mesh: {box: {from: [0, 0, 0], to: [120 mm, 10 mm, 20 mm], cells: [4, 1, 2], elements: tet10}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}"
        beam = "{type: beam, mesh: {line: {from: [0, 0, 0], to: [0, 300 mm, 100 mm], elements: 6}}, material: {density: 7850, young: 210 GPa}, section: {rectangle: {width: 20 mm, height: 5 mm}}, damping: {rayleigh: {mass: 5, stiffness: 0.2 us}}}"
        for name, body, more in (("solid", solid, "supports: {foot: {at: body.left}}\n"), ("free", solid, ""), ("beam", beam, "supports: {clamp: {at: body.left, fix: [y, z]}}\n")):
            with self.subTest(name=name):
                config, back = (os.path.join(self.folder, f"{name}{k}.yaml") for k in (0, 1))
                with open(config, "w") as file:
                    file.write(f"bodies: {{body: {body}}}\n{more}")
                kinds = {"matrix_market": ("stiffness.mtx", "mass.mtx", "damping.mtx", "unknowns.dof", "nodes.inp")}
                if name == "beam":
                    kinds.update({"calculix": ("stiffness.sti", "mass.mas", "damping.dam", "unknowns.dof", "nodes.inp"), "abaqus": ("stiffness.inp", "mass.inp", "damping.inp", "", "nodes.inp"),
                                  "ansys": ("stiffness.matrix", "mass.matrix", "damping.matrix", "unknowns.mapping", "nodes.cdb")})
                for kind, (stiffness, mass, damper, unknowns, nodes) in kinds.items():
                    self.modes(config, "--count", "15", "--matrices", "--overwrite", *(("--format", kind) if name == "beam" else ()))
                    files = self.out + "_" + name + kind
                    shutil.copytree(self.out, files)
                    damping = f"    damping_matrix: {files}/{damper}\n" if name == "beam" else ""
                    damping += f"    unknowns: {files}/{unknowns}\n" if unknowns else ""
                    with open(back, "w") as file:
                        file.write(f"bodies:\n  body:\n    type: matrices\n    stiffness: {files}/{stiffness}\n    mass: {files}/{mass}\n{damping}    nodes: {files}/{nodes}\n")
                    self.modes(back, "--count", "15", "--overwrite")
                    for a, b in zip(table(os.path.join(files, "modes.csv")), table(self.path("modes.csv"))):
                        self.assertEqual(a["kind"], b["kind"], kind)
                        self.assertAlmostEqual(float(b["im"]), float(a["im"]), delta=1e-8 * float(a["im"]), msg=kind)
                        self.assertAlmostEqual(float(b["damping_ratio"]), float(a["damping_ratio"]), delta=1e-8, msg=kind)
        config = os.path.join(self.folder, "bar.yaml")
        with open(config, "w") as file:
            file.write("bodies: {bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1 m, 1 m, 0], elements: 4}}, material: {density: 7800, young: 210 GPa}, section: {area: 1e-4}}}\n")
        done = percuss("modes", config, "--out", self.out + "_bar", "--matrices")
        self.assertEqual(done.returncode, 1)
        self.assertIn("matrices are written of DOF along x, y and z; those of 'bar' have other directions", done.stderr)

    def test_skew_matrices_and_load_vectors(self):
        """A rotor with gyroscopic terms and circulatory bearings, from matrices: the same modes, and with the same load from a vector the same motion and energies."""
        config = os.path.join(self.folder, "shaft.yaml")
        end = "scheme: {type: generalised_alpha, step: 10 us}\ntime: {end: 5 ms}\noutput: {history: {probes: [shaft.left], every: 50}, energy: {every: 50}, frames: {every: 0}}\n"
        with open(config, "w") as file:
            file.write("bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [0.8 m, 0, 0], elements: 4}}, material: {density: 7800, young: 210 GPa},\n"
                       "  section: {circle: {radius: 20 mm}}, spin: {constant: 6000 rpm}}}\nbearings: {a: {between: [shaft.left, ground], stiffness: [1e6, 3e5, -3e5, 2e6], damping: 200}, b: {between: [shaft.right, ground], stiffness: 1e6}}\n"
                       "loads: {push: {at: shaft@0.5, force: [0, 500, 0], time: {pulse: {duration: 2 ms}}}}\n" + end)
        self.modes(config, "--count", "12", "--matrices")
        back = os.path.join(self.folder, "back.yaml")
        with open(self.path("nodes.inp")) as file:
            node = next(line.split(",")[0] for line in file if line.split(",")[1:] == ["0.4", "0", "0\n"])
        with open(self.path("unknowns.dof")) as file:
            rows = file.read().split()
        numbers = [500 if row == node + ".2" else 0 for row in rows]
        vectors = {"named": f"*CLOAD\n{node}, 2, 500.\n", "plain": "\n".join(map(str, numbers)), "market": f"%%MatrixMarket matrix array real general\n{len(rows)} 1\n" + "\n".join(map(str, numbers)),
                   "sparse": f"%%MatrixMarket matrix coordinate real general\n{len(rows)} 1 1\n{rows.index(node + '.2') + 1} 1 500\n"}
        done = percuss("run", config, "--out", self.path("whole"), "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind, text in vectors.items():
            with open(os.path.join(self.folder, kind), "w") as file:
                file.write(text)
            with open(back, "w") as file:
                file.write(f"bodies: {{shaft: {{type: matrices, stiffness: {self.out}/stiffness.mtx, mass: {self.out}/mass.mtx, damping_matrix: {self.out}/damping.mtx, gyroscopic_matrix: {self.out}/gyroscopic.mtx,\n"
                           f"  circulatory_matrix: {self.out}/circulatory.mtx, unknowns: {self.out}/unknowns.dof, nodes: {self.out}/nodes.inp}}}}\nloads: {{push: {{on: shaft, vector: {kind}, time: {{pulse: {{duration: 2 ms}}}}}}}}\n" + end)
            done = percuss("run", back, "--out", self.path("back"), "--quiet", "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            for name, columns in (("history", ("shaft.left.uy", "shaft.left.uz")), ("energy", ("kinetic", "elastic", "damping", "load"))):
                whole, own = table(self.path("whole", name + ".csv")), table(self.path("back", name + ".csv"))
                for column in columns:
                    largest = max(abs(float(row[column])) for row in whole)
                    for a, b in zip(whole, own):
                        self.assertAlmostEqual(float(a[column]), float(b[column]), delta=1e-9 * largest, msg=f"{kind} {column}")
        done = percuss("modes", back, "--count", "12", "--out", self.path("modes"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for a, b in zip(table(self.path("modes.csv")), table(self.path("modes", "modes.csv"))):
            for column in ("re", "im"):
                self.assertAlmostEqual(float(a[column]), float(b[column]), delta=1e-8 * float(a["undamped"] or a["im"]))

    def test_nodes_of_an_archive(self):
        """NBLOCK and CMBLOCK of Ansys instead of the deck of CalculiX: the same frequencies, and the component as a set of nodes."""
        nodes = {}
        with open(os.path.join(ROOT, "meshes/cantilever.inp")) as file:
            for line in file:
                fields = line.strip().split(",")
                if len(fields) == 4 and fields[0].strip().isdigit():
                    nodes[int(fields[0])] = [float(x) for x in fields[1:]]
                elif len(nodes) > 4:
                    break
        lines = ["/PREP7", f"NBLOCK,6,SOLID,{max(nodes):10d},{len(nodes):10d}", "(3i9,6e21.13e3)"]
        for number, x in nodes.items():
            while x and x[-1] == 0:
                x = x[:-1]
            lines.append(f"{number:9d}{0:9d}{0:9d}" + "".join(f"{value:21.13E}" for value in x))
        last = max(nodes)
        lines += ["N,R5.3,LOC,       -1,", "CMBLOCK,TIP,NODE,       3  ! users node component definition", "(8i10)", f"{last - 4:10d}{last - 3:10d}{-last:10d}", ""]
        with open(os.path.join(self.folder, "job.cdb"), "w") as file:
            file.write("\n".join(lines))
        config = os.path.join(self.folder, "bar.yaml")
        results = []
        for deck in (os.path.join(ROOT, "meshes/cantilever.inp"), "job.cdb"):
            files = os.path.join(ROOT, "meshes/cantilever")
            more = "masses: {m: {at: body.TIP, mass: 1 g}}\n" if deck == "job.cdb" else f"masses: {{m: {{at: body.mine, mass: 1 g}}}}\n"
            with open(config, "w") as file:
                file.write(f"bodies: {{body: {{type: matrices, stiffness: {files}.sti, mass: {files}.mas, unknowns: {files}.dof, units: {{length: 1 mm, mass: 1 t}},\n"
                           f"  nodes: {{file: {deck}, names: {{mine: [{last - 4}, {last - 3}, {last - 2}, {last - 1}, {last}]}}}}}}}}\n" + more)
            self.modes(config, "--count", "5", "--overwrite")
            results.append([float(row["im"]) for row in table(self.path("modes.csv"))])
        for a, b in zip(*results):
            self.assertAlmostEqual(a / b, 1, delta=1e-9)

    def test_a_deck_with_includes_and_results(self):
        """Files that a deck includes are inputs of the run, found beside the deck; *NODE FILE, which asks for results, is no list of nodes."""
        for name in ("cantilever.sti", "cantilever.mas", "cantilever.dof"):
            shutil.copy(os.path.join(ROOT, "meshes", name), self.folder)
        os.mkdir(os.path.join(self.folder, "deck"))
        shutil.copy(os.path.join(ROOT, "meshes/cantilever.inp"), os.path.join(self.folder, "deck/nodes.inp"))
        with open(os.path.join(self.folder, "deck/main.inp"), "w") as file:
            file.write("*INCLUDE, INPUT=nodes.inp\n*STEP\n*STATIC\n*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n")
        config = os.path.join(self.folder, "deck.yaml")
        for deck in ("deck/main.inp", "deck/nodes.inp"):
            with open(config, "w") as file:
                file.write("bodies: {body: {type: matrices, stiffness: cantilever.sti, mass: cantilever.mas, unknowns: cantilever.dof, units: {length: 1 mm, mass: 1 t, time: 1 s},\n"
                           f"  nodes: {{file: {deck}}}}}}}\n")
            self.modes(config, "--count", "3", "--overwrite")
            rows = table(self.path("modes.csv"))
            if deck.endswith("main.inp"):
                first = rows
                with open(self.path("run.json")) as file:
                    inputs = [os.path.basename(entry["path"]) for entry in json.load(file)["inputs"]]
                self.assertEqual(sorted(inputs), ["cantilever.dof", "cantilever.mas", "cantilever.sti", "main.inp", "nodes.inp"])
        self.assertEqual(rows, first)

    def test_neither_scheme_nor_time(self):
        """Nothing is stepped: the config needs no scheme and no end, and a step that is too long, or a scheme that refuses the model, is not looked at."""
        config = os.path.join(self.folder, "shaft.yaml")
        with open(config, "w") as file:
            file.write("bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 4}}, material: {density: 7800, young: 210 GPa},\n"
                       "  section: {circle: {radius: 10 mm}}}}\nbearings: {a: {between: [shaft.left, ground], stiffness: 1e6}, b: {between: [shaft.right, ground], stiffness: 1e6}}\n"
                       "unbalances: {m: {at: shaft@0.5, mass_eccentricity: 1e-4}}\noutput: {history: {probes: [shaft@0.5]}}\n")
        self.modes(config, "--count", "2")
        first = table(self.path("modes.csv"))
        with open(self.path("run.json")) as file:
            record = json.load(file)
        self.assertEqual([record[key] for key in ("scheme", "step", "planned_steps", "end")], [None] * 4)
        self.modes(config, "--count", "2", "--overwrite", "--set", "scheme={type: half_explicit, step: 1 s}", "--set", "time={end: 1 s}")
        self.assertEqual(table(self.path("modes.csv")), first)
        done = percuss("modes", self.out, "--count", "2", "--out", self.path("again"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = percuss("response", config, "--speeds", "100 rpm:1000 rpm:3", "--out", self.path("response"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = percuss("run", config, "--out", self.path("run"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("missing key 'scheme'", done.stderr)
        self.assertIn("missing key 'time'", done.stderr)

    def test_links_are_as_one_body(self):
        """Two beams that a rigid link joins have the frequencies of one beam: the link is a stiff spring, whose rounding must not hide the soft bending of slender beams."""
        beam = ("{{type: beam, mesh: {{line: {{from: [{0}, 0, 0], to: [{1}, 0, 0], elements: {2}}}}}, material: {{density: 7850, young: 210 GPa, poisson: 0.3}}, "
                "section: {{rectangle: {{width: 20 mm, height: 6 mm}}}}}}")
        path = os.path.join(self.folder, "beams.yaml")
        for elements, tolerance in ((10, 2e-5), (40, 2e-4)):
            found = []
            for bodies in (f"a: {beam.format(0, 0.5, elements)}, b: {beam.format(0.5, 1, elements)}", f"a: {beam.format(0, 1, 2 * elements)}"):
                with open(path, "w") as file:
                    file.write(f"bodies: {{{bodies}}}\nsupports: {{clamp: {{at: a.left}}}}\n" + ("links: {j: {between: [a.right, b.left]}}\n" if "b:" in bodies else ""))
                self.modes(path, "--count", "6", "--overwrite")
                found.append([float(row["im"]) for row in table(self.path("modes.csv"))])
            self.assertEqual(len(found[0]), 6)
            for linked, whole in zip(*found):
                self.assertAlmostEqual(linked / whole, 1, delta=tolerance)

    def test_slow_vibrations_are_not_rigid(self):
        """Rigid motions are the null space of K: a slender cantilever of many elements, and a stiff light rotor on soft bearings, have frequencies of 1e-8 of the highest."""
        config = os.path.join(self.folder, "slow.yaml")
        with open(config, "w") as file:
            file.write("bodies: {beam: {type: beam, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 3000}}, material: {density: 7800, young: 210 GPa, poisson: 0.3},\n"
                       "  section: {rectangle: {width: 20 mm, height: 10 mm}}}}\nsupports: {clamp: {at: beam.left, fix: all}}\nscheme: {type: half_explicit, step: 1 ns}\ntime: {end: 1 ms}\n")
        first = 1.8751040687 ** 2 * math.sqrt(210e9 / 7800 * 0.01 ** 2 / 12)
        for elements in (1500, 3000):
            self.modes(config, "--count", "2", "--overwrite", "--set", f"bodies.beam.mesh.line.elements={elements}")
            rows = table(self.path("modes.csv"))
            self.assertEqual([row["kind"] for row in rows], ["vibration", "vibration"])
            self.assertAlmostEqual(float(rows[0]["undamped"]) / first, 1, delta=1e-3)
            self.assertAlmostEqual(float(rows[1]["undamped"]) / first, 2, delta=2e-3)
        self.modes(config, "--count", "8", "--overwrite", "--set", "bodies.beam.mesh.line.elements=1500", "--set", "supports={}")
        self.assertEqual([row["kind"] for row in table(self.path("modes.csv"))], 6 * ["rigid"] + 2 * ["vibration"])
        with open(config, "w") as file:
            file.write("bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [0.4 m, 0, 0], elements: 2}}, material: {density: 1e-3, young: 2e14, poisson: 0.3},\n"
                       "  section: {circle: {radius: 30 mm}}, spin: 100 rad/s}}\ndiscs: {wheel: {at: shaft@0.5, mass: 3 kg, polar_inertia: 0.01, diametral_inertia: 0.006}}\n"
                       "bearings: {a: {between: [shaft.left, ground], stiffness: 1e5}, b: {between: [shaft.right, ground], stiffness: 1e5}}\n"
                       "scheme: {type: half_explicit, step: 1 ns}\ntime: {end: 1 ms}\n")
        self.modes(config, "--count", "2", "--overwrite")
        for row in table(self.path("modes.csv")):
            self.assertEqual(row["kind"], "vibration")
            self.assertAlmostEqual(float(row["undamped"]), math.sqrt(2e5 / 3), delta=0.01)

    def test_shapes(self):
        """24 whole frames a mode; the largest displacement is a tenth of the bar; half a period later it is the other way."""
        from percuss.results import read_frame
        self.modes(BAR, "--count", "3")
        for mode in range(1, 4):
            with open(self.path(f"elastic_bar_mode_{mode:02d}.vtk.series")) as file:
                files = json.load(file)["files"]
            self.assertEqual([round(24 * entry["time"], 9) for entry in files], list(range(24)))
            frames = [read_frame(self.path(entry["name"])) for entry in files]
            for entry in (files[0], files[-1]):
                checked = subprocess.run([sys.executable, os.path.join(ROOT, "tests/tools/vtk_strict.py"), self.path(entry["name"])], capture_output=True)
                self.assertEqual(checked.returncode, 0, checked.stdout)
            largest = max(abs(frame.point["displacement"]).max() for frame in frames)
            self.assertAlmostEqual(largest, 0.1, delta=1e-6)
            for frame, opposite in zip(frames[:12], frames[12:]):
                self.assertLess(abs(frame.point["displacement"] + opposite.point["displacement"]).max(), 1e-12)

    def test_damping_of_the_truss(self):
        """Nothing turns: each frequency in the range is a critical speed, and the Campbell diagram is made of level lines."""
        done = self.modes(TRUSS, "--count", "4", "--campbell", "0 rad/s:500 rad/s:6")
        rows = table(self.path("modes.csv"))
        for row in rows:
            re, im, size = float(row["re"]), float(row["im"]), float(row["undamped"])
            self.assertAlmostEqual(math.hypot(re, im), size, delta=1e-9 * size)
            self.assertAlmostEqual(float(row["damping_ratio"]), -re / size, delta=1e-12)
            self.assertAlmostEqual(float(row["log_decrement"]), -2 * math.pi * re / im, delta=1e-12)
        self.assertIn("no rotor", done.stderr)
        critical = table(self.path("critical_speeds.csv"))
        below = [float(row["im"]) for row in rows if float(row["im"]) < 500]
        self.assertEqual(len(critical), len(below))
        for row, frequency in zip(critical, below):
            self.assertEqual(row["event"], "critical")
            self.assertAlmostEqual(float(row["speed"]), frequency, delta=1e-6 * frequency)
        lines = table(self.path("campbell.csv"))
        self.assertEqual([float(row["speed"]) for row in lines], [0, 100, 200, 300, 400, 500])
        for k, row in enumerate(rows, 1):
            for line in lines:
                self.assertAlmostEqual(float(line[f"mode_{k}.frequency"]), float(row["im"]), delta=1e-8 * float(row["im"]))
        drawn = draw("campbell.py", self.out)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertGreater(os.path.getsize(self.path("figures", "campbell.png")), 10000)

    def test_results_are_replaced_when_asked(self):
        self.modes(TRUSS, "--count", "8", "--campbell", "0:10 rpm:2")
        refused = percuss("modes", TRUSS, "--out", self.out)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.modes(TRUSS, "--count", "2", "--overwrite")
        self.assertEqual(sorted(os.listdir(self.out)), ["config.yaml", "frames", "modes.csv", "percuss.files", "run.json", "truss_on_stop_mode_01.vtk.series",
                                                       "truss_on_stop_mode_02.vtk.series"])
        with open(self.path("run.json")) as file:
            self.assertEqual(json.load(file)["exit_status"], "done")

    def test_default_directory(self):
        """Beside the results of the run, not in them."""
        shutil.copy(BAR, self.folder)
        done = subprocess.run([PERCUSS, "modes", "elastic_bar.yaml", "--count", "1"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out/elastic_bar_modes/modes.csv")))

    def test_whirl_of_a_rotor(self):
        """The verification rotor of Friswell and others at 4000 rpm: pairs that turn backward and forward, at rest as well."""
        rotor = os.path.join(ROOT, "configs/rotor_friswell.yaml")
        done = self.modes(rotor, "--speed", "4000 rpm", "--count", "6", "--campbell", "0 rpm:4000 rpm:5")
        rows = table(self.path("modes.csv"))
        for row, exact, sense in zip(rows, (85.39, 87.80, 251.78, 294.71, 600.18), (-1, 1, -1, 1, -1)):
            self.assertAlmostEqual(float(row["im"]), exact, delta=2e-4 * exact)
            self.assertEqual((row["whirl"], row["kind"]), ("forward" if sense > 0 else "backward", "vibration"))
            self.assertAlmostEqual(float(row["kappa"]), sense, delta=1e-9)
        self.assertIn("backward -1.000  vibration", done.stdout)
        first = table(self.path("campbell.csv"))[0]  # circles both ways, though one frequency has any two shapes
        self.assertEqual([round(float(first[f"mode_{k}.whirl"]), 9) for k in (1, 2, 3, 4)], [-1, 1, -1, 1])
        self.assertEqual(first["speed"], "0")
        for row in table(self.path("critical_speeds.csv")):
            self.assertAlmostEqual(float(row["speed"]) / float(row["frequency"]), 1, delta=1e-7)
            self.assertRegex(done.stdout, rf"{float(row['speed']):.8g} rad/s .* mode {row['mode']}, {row['whirl']}")

    def test_few_modes_of_many_unknowns(self):
        """Asked for two modes of a rotor at rest, all double but for a damper, TOAR may give up; it is asked for more. By LAPACK on a coarser mesh they are the same."""
        found = []
        for elements in ("69", "150"):  # 280 and 604 unknowns; discs are at nodes
            self.modes(os.path.join(ROOT, "configs/rotor_friswell.yaml"), "--speed", "0 rpm", "--count", "2", "--set", "bearings.left.damping=10", "--set",
                       "bodies.shaft.mesh.line.elements=" + elements, "--overwrite")
            found.append([complex(float(row["re"]), float(row["im"])) for row in table(self.path("modes.csv"))])
        self.assertEqual([len(modes) for modes in found], [2, 2])
        for coarse, fine in zip(*found):
            self.assertLess(fine.real, 0)
            self.assertLess(abs(coarse / fine - 1), 1e-6)

    def rigid_rotor(self, unbalance="1e-3 kg m"):
        path = os.path.join(self.folder, f"rigid_{unbalance[0]}.yaml")
        with open(path, "w") as file:
            file.write("bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [0.1 m, 0, 0], elements: 4}}, section: {circle: {radius: 50 mm}},\n"
                       "  material: {density: 7800 kg/m^3, young: 211 GPa, poisson: 0.3}, spin: 1000 rpm}}\n"
                       f"unbalances: {{middle: {{at: shaft@0.05 m, mass_eccentricity: {unbalance}}}}}\n"
                       "bearings:\n"
                       "  left: {between: [shaft.left, ground], stiffness: 1 MN/m, damping: 100 kg/s}\n"
                       "  right: {between: [shaft.right, ground], stiffness: 1 MN/m, damping: 100 kg/s}\n"
                       "scheme: {type: moreau_jean, step: 0.1 ms}\ntime: {end: 1 s}\noutput: {history: {probes: [shaft@0.05 m]}}\n")
        return path

    def test_critical_speeds_of_modes_that_are_not_followed(self):
        """Two modes of a rotor that has more critical speeds: said so from where the shaft is faster than both, which are listed."""
        config = os.path.join(ROOT, "configs/rotor_friswell.yaml")
        few = self.modes(config, "--count", "2", "--campbell", "0 rpm:30000 rpm:61").stdout
        self.assertEqual(len(re.findall("rpm  mode", few)), 2)
        told = re.search(r"from (\S+) rad/s on the speed exceeds the frequencies of all 2 modes followed: higher modes may have critical speeds there \(--count\)\n", few)
        self.assertGreater(float(told[1]), max(float(speed) for speed in re.findall(r"(\S+) rad/s +\S+ rpm  mode", few)))
        self.assertLess(float(told[1]), 30000 * math.pi / 30)
        many = self.modes(config, "--count", "24", "--campbell", "0 rpm:30000 rpm:61", "--overwrite").stdout
        self.assertGreater(len(re.findall("rpm  mode", many)), 2)
        self.assertNotIn("faster than", many)

    def test_response_of_a_rigid_rotor(self):
        """In two bearings it is one mass on a spring: m_u e Omega^2/(K - M Omega^2 + i C Omega), a circle forward; z a quarter turn after y."""
        done = percuss("response", self.rigid_rotor(), "--speeds", "300 rad/s:900 rad/s:4", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = table(self.path("response.csv"))
        self.assertEqual([row["speed"] for row in rows], ["300", "500", "700", "900"])
        mass, largest = 7800 * math.pi * 0.05**2 * 0.1, 0
        for row in rows:
            speed = float(row["speed"])
            exact = 1e-3 * speed**2 / (2e6 - mass * speed**2 + 200j * speed)
            largest = max(largest, abs(exact))
            for axis, turn in (("uy", 1), ("uz", -1j)):
                found = float(row[f"shaft@0.05 m.{axis}.amplitude"]) * cmath.exp(1j * float(row[f"shaft@0.05 m.{axis}.phase"]))
                self.assertLess(abs(found / (turn * exact) - 1), 1e-3)  # the shaft bends by 4e-5 of what the bearings give
            for axis in ("major", "minor"):
                self.assertAlmostEqual(float(row[f"shaft@0.05 m.{axis}"]) / abs(exact), 1, delta=1e-3)
        self.assertRegex(done.stdout, rf"shaft@0.05 m.uy +{largest:.2g}\d* +500 +4774.65")
        probed = percuss("response", self.rigid_rotor(), "--speeds", "300 rad/s:900 rad/s:2", "--probes", "shaft.left,shaft.right", "--out", self.out, "--overwrite")
        self.assertEqual(probed.returncode, 0, probed.stderr)
        header = list(table(self.path("response.csv"))[0])
        self.assertIn("shaft.left.uy.amplitude", header)
        self.assertIn("shaft.right.minor", header)

    def two_rotors(self):
        """The rigid rotor twice, side by side: the second one turns twice as fast, in bearings that are four times as stiff."""
        path = os.path.join(self.folder, "two.yaml")
        shaft = "type: rotor, section: {circle: {radius: 50 mm}}, material: {density: 7800 kg/m^3, young: 211 GPa, poisson: 0.3}"
        with open(path, "w") as file:
            file.write(f"bodies:\n  slow: {{{shaft}, mesh: {{line: {{from: [0, 0, 0], to: [0.1 m, 0, 0], elements: 4}}}}, spin: 1000 rpm}}\n"
                       f"  fast: {{{shaft}, mesh: {{line: {{from: [0, 1 m, 0], to: [0.1 m, 1 m, 0], elements: 4}}}}, spin: 2000 rpm}}\n"
                       "unbalances: {slow: {at: slow@0.05 m, mass_eccentricity: 1e-3 kg m}, fast: {at: fast@0.05 m, mass_eccentricity: 1e-3 kg m}}\nbearings:\n" +
                       "".join(f"  {name}_{end}: {{between: [{name}.{end}, ground], stiffness: {stiffness} MN/m}}\n"
                               for name, stiffness in (("slow", 1), ("fast", 4)) for end in ("left", "right")) +
                       "scheme: {type: moreau_jean, step: 0.1 ms}\ntime: {end: 1 s}\noutput: {history: {probes: [slow@0.05 m, fast@0.05 m]}}\n")
        return path

    def test_two_rotors(self):
        """Each mode whirls as the shaft does that takes part in it, whichever of the two."""
        done = self.modes(self.two_rotors())
        self.assertTrue(done.stdout.startswith("fast turns at 2 times the speed of slow\n"), done.stdout)
        rows = table(self.path("modes.csv"))
        mass = 7800 * math.pi * 0.05**2 * 0.1
        for stiffness in (2e6, 8e6):  # up and down, without tilting: no gyroscopic moments
            pair = [row for row in rows if abs(float(row["im"]) / math.sqrt(stiffness / mass) - 1) < 2e-3]
            self.assertEqual(sorted(row["whirl"] for row in pair), ["backward", "forward"])
            for row in pair:
                self.assertAlmostEqual(abs(float(row["kappa"])), 1, delta=1e-6)
        done = percuss("response", self.two_rotors(), "--speeds", "300 rad/s:900 rad/s:2", "--out", self.out, "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("fast turns at 2 times the speed of slow: its unbalances are ignored\n"), done.stdout)
        for row in table(self.path("response.csv")):
            speed = float(row["speed"])
            self.assertAlmostEqual(float(row["slow@0.05 m.major"]) / abs(1e-3 * speed**2 / (2e6 - mass * speed**2)), 1, delta=5e-3)
            self.assertEqual(float(row["fast@0.05 m.major"]), 0)

    def test_no_response_at_a_critical_speed(self):
        """Two masses on a shaft whose ends do not tilt, undamped: at sqrt(k/m) a message names the speed, and its row is empty."""
        path = os.path.join(self.folder, "critical.yaml")
        with open(path, "w") as file:
            file.write("bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [0.1, 0, 0], elements: 1}}, material: {density: 1000, young: 210 GPa},\n"
                       "  section: {circle: {radius: 1 mm}}, spin: 300 rad/s}}\nsupports: {straight: {at: shaft.all, fix: rotations}}\n"
                       "masses: {ends: {at: shaft.all, mass: 1}}\nunbalances: {end: {at: shaft.left, mass_eccentricity: 1e-6 kg m}}\n"
                       "bearings: {left: {between: [shaft.left, ground], stiffness: 1e4}, right: {between: [shaft.right, ground], stiffness: 1e4}}\n"
                       "scheme: {type: moreau_jean, step: 0.1 ms}\ntime: {end: 1 s}\noutput: {history: {probes: [shaft.left]}}\n")
        critical = math.sqrt(1e4 / (1 + 1000 * math.pi * 1e-6 * 0.1 / 2))
        done = percuss("response", path, "--speeds", f"{critical!r} rad/s:200 rad/s:2", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, f"percuss response: warning: no response at {critical:.9g} rad/s: an undamped critical speed, or a body without supports\n")
        rows = table(self.path("response.csv"))
        self.assertTrue(all(value == "nan" for name, value in rows[0].items() if name != "speed"), rows[0])
        self.assertTrue(all(math.isfinite(float(value)) for value in rows[1].values()), rows[1])

    def test_a_file_among_the_results(self):
        """Where the frames' folder was: nothing is taken away."""
        for command, words in (("modes", ()), ("response", ("--speeds", "300 rad/s:900 rad/s:2"))):
            self.modes(self.rigid_rotor(), "--overwrite")
            shutil.rmtree(self.path("frames"))
            open(self.path("frames"), "w").close()
            done = percuss(command, self.rigid_rotor(), *words, "--out", self.out, "--overwrite")
            self.assertEqual((done.returncode, done.stderr), (1, f"percuss {command}: cannot remove the earlier results in '{self.out}': Not a directory\n"))
            self.assertTrue(os.path.exists(self.path("modes.csv")))
            shutil.rmtree(self.out)

    def test_impossible_responses(self):
        speeds = ("--speeds", "300 rad/s:900 rad/s:2")
        for words, message in (((self.rigid_rotor("0"), *speeds), "this model has no unbalance, so there is no response to compute"),
                               ((self.rigid_rotor(),), "missing option --speeds FROM:TO:N"),
                               ((self.rigid_rotor(), "--speeds", "1:2"), "--speeds '1:2': expected FROM:TO:N, such as \"0 rpm:6000 rpm:31\""),
                               ((self.rigid_rotor(), "--speeds", "0 rpm:9 rpm:1"), "--speeds: the number of speeds must be a whole number from 2 to 100000, got '1'"),
                               ((self.rigid_rotor(), "--speeds", "9 rpm:1 rpm:3"), "--speeds: speeds must be ascending and not negative, got '9 rpm' to '1 rpm'"),
                               ((self.rigid_rotor(), *speeds, "--probes", "shaft.top"), "--probes: ")):
            done = percuss("response", *words, "--out", self.out, "--overwrite")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertTrue(done.stderr.startswith("percuss response: " + message), done.stderr)

    def test_figure_of_a_response(self):
        """The figure of a response that was written by hand: an oscillator of 100 rad/s with 5 % damping."""
        self.modes(BAR, "--count", "1")
        with open(self.path("response.csv"), "w") as file:
            file.write("speed,shaft.left.uy.amplitude,shaft.left.uy.phase,shaft.left.uz.amplitude,shaft.left.uz.phase,shaft.left.major,shaft.left.minor\n")
            for speed in range(0, 201, 2):
                ratio = speed / 100
                u = ratio**2 / (1 - ratio**2 + 0.1j * ratio) * 1e-4
                turned = u * -1j
                file.write(f"{speed},{abs(u)},{math.atan2(u.imag, u.real)},{abs(u)},{math.atan2(turned.imag, turned.real)},{abs(u)},{abs(u)}\n")
        drawn = draw("response.py", self.out)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertGreater(os.path.getsize(self.path("figures", "response.png")), 10000)
        wrong = draw("response.py", self.out, "--probes", "shaft.right")
        self.assertEqual((wrong.returncode, wrong.stderr), (2, "response.py: no probe 'shaft.right'; the probes are shaft.left\n"))
        missing = draw("campbell.py", self.out)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("percuss modes CONFIG --campbell FROM:TO:N", missing.stderr)

    def test_full_disk(self):
        """A file that cannot be written is an error, with its exit code."""
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.makedirs(self.out)
        done = percuss("modes", BAR, "--out", "/dev/full/x")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot make the directory", done.stderr)


if __name__ == "__main__":
    unittest.main()
