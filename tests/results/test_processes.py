#!/usr/bin/python3
"""Runs on several processes as a user meets them: the same files as from one process, messages printed once, a clean end. Usage: test_processes.py PERCUSS

Where the mass matrix is diagonal (free_dynamics "lumped") the number of processes changes no byte. Elsewhere sums are formed in another order: numbers agree to TOLERANCE of
the greatest value of their kind (a quantity's components, of all probes or contacts; all energies) over a time in which rounding does not grow, and all else - files,
names, columns, rows, states - is the same. Skipped where mpiexec is missing."""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

from tested import PERCUSS, ROOT

sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests/tools")]

import vtk_strict
from percuss.results import read_frame

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
TOLERANCE = 1e-9
PATIENCE = 60  # s after which a run hangs
# what may differ in run.json and status.json
CLOCKS = {"started", "ended", "host", "pid", "ranks", "setup_seconds", "loop_seconds", "writing_seconds", "seconds_per_step", "updated", "steps_per_second", "elapsed_seconds",
          "remaining_seconds", "shared_solves"}
TRACES = ("PETSC ERROR", "MPI_ABORT", "Signal", "Backtrace", "AddressSanitizer", "runtime error")
IMPLICIT = ("banded", "petsc")  # on one process, on several: pieces of a chain are solved with the mass alone
FEW = "output.frames.every=200"

# 225 balls, and another one on each: as many islands of two contacts.
STACKS = """
gravity: [0, 0, -9.81 m/s^2]
bodies:
  low:
    type: balls
    mesh: {lattice: {from: [0, 0, 10.1 mm], to: [0.7 m, 0.7 m, 10.1 mm], cells: [14, 14, 0]}}
    radius: 10 mm
    density: 7800 kg/m^3
    initial: {velocity: [0.3 m/s, 0.1 m/s, -1 m/s]}
  high:
    type: balls
    mesh: {lattice: {from: [1 mm, 0, 30.3 mm], to: [0.701 m, 0.7 m, 30.3 mm], cells: [14, 14, 0]}}
    radius: 10 mm
    density: 7800 kg/m^3
    initial: {velocity: [0, 0, -1.2 m/s]}
contacts:
  floor: {between: [{node: low.all, radius: 10 mm}, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], friction: 0.3, restitution: 0.2}
  stack: {between: [{node: low.all, radius: 10 mm}, {node: high.all, radius: 10 mm}], friction: 0.4, restitution: 0.1}
scheme: {type: half_explicit, step: 5 us}
time: {end: 0.6 ms}
"""

# A local problem that Gauss-Seidel works on for seconds.
ENDLESS = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 300}}
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {rectangle: {width: 20 mm, height: 10 mm}}
    initial: {velocity: [0.01 m/s, -0.1 m/s, 0]}
contacts:
  ground: {between: [beam.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.3}
scheme: {type: moreau_jean, step: 0.1 ms, contact_solver: gauss_seidel, contact_tolerance: 1e-15}
time: {end: 1 ms}
output: {frames: {every: 0}}
"""

# Two lattices of which one is dropped obliquely on a rough plane and against a wall, held by springs and dashpots to the other; damping, point masses, loads, supports.
EVERYTHING = """
title: All that a diagonal mass matrix allows
gravity: [0, -9.81 m/s^2, 0]
bodies:
  lower:
    type: truss
    mesh: {lattice: {from: [0, 0.1 mm, 0], to: [0.15 m, 0.1001, 0.15 m], cells: [3, 2, 3], braces: faces}}
    material: {density: 2700 kg/m^3, young: 70 GPa}
    section: {circle: {radius: 2 mm}}
    damping: {rayleigh: {mass: 40 1/s, stiffness: 0.1 us}}
    mass: lumped
    initial: {velocity: [0.7 m/s, -1 m/s, 0.3 m/s]}
  upper:
    type: truss
    mesh: {lattice: {from: [0, 0.2 m, 0], to: [0.1 m, 0.3 m, 0.1 m], cells: [2, 2, 2], braces: faces}}
    material: {density: 2700 kg/m^3, young: 70 GPa}
    section: {circle: {radius: 3 mm}}
    mass: lumped
supports:
  ceiling: {at: upper.top}
  rail: {at: upper.bottom, fix: z}
springs:
  link: {between: [lower.left_top_back, upper.left_bottom_back], stiffness: 2 MN/m, damping: 30 N s/m}
  cross: {between: [lower.right_top_front, upper.left_bottom_front], stiffness: 1 MN/m}
  mount: {between: [lower.right_top_back, ground], stiffness: 1 MN/m, damping: 5 N s/m, direction: [1, 2, 0]}
masses:
  load: {at: lower.top, mass: 10 g}
loads:
  blow: {at: lower.right, force: [-40 N, 0, 25 N], time: {harmonic: {frequency: 900 Hz}}}
  pull: {at: upper.left_bottom_front, force: [0, -100 N, 0]}
contacts:
  ground:
    between: [lower.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0.05]}}]
    restitution: 0.3
    friction: 0.25
  wall: {between: [lower.right, {plane: {point: [0.1504 m, 0, 0], normal: [-1, 0, 0]}}], friction: 0.1}
scheme: {type: half_explicit, step: 2 us}
time: {end: 2 ms}
output:
  frames: {every: 250}
  history: {probes: [lower.left_top_back, lower.right_bottom_front, upper.left_bottom_front]}
"""


def config(name):
    return os.path.join(ROOT, "configs", name + ".yaml")


def start(ranks, *words):
    command = [PERCUSS, *words] if ranks is None else [MPIEXEC, "--oversubscribe", "-n", str(ranks), PERCUSS, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "NO_COLOR": "1"})


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def kill(process):
    """mpiexec and what it started, which is in groups of its own."""
    for pid in [process.pid, *children(process.pid)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Done:
    def __init__(self, process):
        try:
            self.stdout, self.stderr = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            kill(process)
            self.stdout, self.stderr = process.communicate()
            raise AssertionError(f"hangs: {process.args}\n{self.stdout}{self.stderr}") from None
        self.code = process.returncode

    def own_words(self):
        """stderr without what mpiexec says of a failed process."""
        return self.stderr.split("-" * 70)[0].rstrip("-")


def percuss(ranks, *words):
    return Done(start(ranks, *words))


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def read_json(*names):
    with open(os.path.join(*names)) as file:
        return json.load(file)


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names)


def without_clocks(tree):
    if isinstance(tree, dict):
        return {key: without_clocks(value) for key, value in tree.items() if key not in CLOCKS}
    return tree


def is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


KINDS = (("velocity", r"v[xyz123]|gap_rate|.*velocity.*"), ("length", r"u[xyz123]|gap|radius"), ("force", r".*force.*"), ("impulse", r".*impulse.*"), ("energy", r"energy.*"))


def kind_of(column, file):
    """Columns of a kind, in all tables of a run, are measured by the greatest of them; others by themselves."""
    if column == "time":
        return column
    if file == "energy.csv":
        return "energy"
    name = column.split(".")[-1]
    return next((kind for kind, pattern in KINDS if re.fullmatch(pattern, name)), column)


@unittest.skipUnless(MPIEXEC, "mpiexec is missing: runs on several processes are not tested")
class Processes(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.addCleanup(shutil.rmtree, self.folder)
        previous = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, previous)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def sets(self, settings):
        return [word for setting in settings for word in ("--set", setting)]

    def run_on(self, ranks, path, *settings, words=(), code=0):
        out = os.path.join(self.folder, f"on_{ranks}")
        shutil.rmtree(out, ignore_errors=True)
        done = percuss(ranks, "run", path, "--quiet", "--out", out, *self.sets(settings), *words)
        self.assertEqual(done.code, code, done.stderr)
        for trace in TRACES:
            self.assertNotIn(trace, done.stderr)
        if code == 0:
            self.assertEqual((done.stdout, done.stderr), ("", ""))
            self.assertEqual(read_json(out, "run.json")["ranks"], ranks)
            self.assert_ledger_closes(out)
        return out, done

    def assert_ledger_closes(self, out):
        rows = np.array([[float(x) for x in row] for row in table(os.path.join(out, "energy.csv"))[1]])
        _, kinetic, elastic, potential, damping, impact, friction, load, numerical = rows.T
        stored = kinetic + elastic + potential
        scale = max(abs(rows[:, 1:]).max(), 1e-300)
        self.assertLess(abs(stored - stored[0] - load + damping + impact + friction - numerical).max() / scale, 1e-13)
        energy = read_json(out, "run.json")["summary"]["energy"]
        self.assertEqual([energy[key] for key in ("kinetic", "elastic", "potential", "damping", "impact", "friction", "load", "numerical")], list(rows[-1, 1:]))

    def assert_same_bytes(self, first, second):
        self.assertEqual(files_of(first), files_of(second))
        for name in files_of(first):
            if name in ("run.json", "status.json"):
                self.assertEqual(without_clocks(read_json(first, name)), without_clocks(read_json(second, name)), name)
                continue
            if name.startswith("checkpoint/"):
                continue  # of each process, in the order of its unknowns
            with open(os.path.join(first, name), "rb") as one, open(os.path.join(second, name), "rb") as other:
                one, other = one.read(), other.read()
            if one != other:
                at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
                self.fail(f"{second}: {name} differs from byte {at} of {len(one)}, {len(other)}: {one[max(0, at - 60):at + 30]} {other[max(0, at - 60):at + 30]}")

    def assert_agree(self, first, second):
        """Same form; numbers to TOLERANCE."""
        self.assertEqual(files_of(first), files_of(second))
        exact = [name for name in files_of(first) if name.endswith((".series", ".yaml", ".py"))]
        self.assertTrue(exact)
        for name in exact:
            with open(os.path.join(first, name), "rb") as one, open(os.path.join(second, name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)
        self.assert_tables_agree(first, second, [name for name in files_of(first) if name.endswith(".csv")])
        self.assert_frames_agree(first, second)
        self.assert_manifests_agree(read_json(first, "run.json"), read_json(second, "run.json"))

    def assert_tables_agree(self, first, second, files):
        differences, scales = [], {}
        for file in files:
            (header, rows), (other_header, other_rows) = table(os.path.join(first, file)), table(os.path.join(second, file))
            self.assertEqual(header, other_header, file)
            self.assertEqual(len(rows), len(other_rows), file)
            for name, one, other in zip(header, zip(*rows), zip(*other_rows)):
                if not all(map(is_number, one)) or (name == "time" and file != "poincare.csv"):  # there it is interpolated
                    self.assertEqual(one, other, f"{second}: {file}: {name}")
                    continue
                one, other = np.array(one, float), np.array(other, float)
                self.assertTrue(np.isfinite(one).all() and np.isfinite(other).all(), f"{second}: {file}: {name}")
                kind = kind_of(name, file)
                scales[kind] = max(scales.get(kind, 0), abs(one).max())
                differences.append((abs(one - other), kind, file, name))
        for difference, kind, file, name in differences:
            worst = difference.argmax()
            self.assertLessEqual(difference[worst], TOLERANCE * scales[kind], f"{second}: {file}: {name}, row {worst + 1}; as {kind}")

    def assert_frames_agree(self, first, second):
        frames = [name for name in files_of(first) if name.endswith(".vtk")]
        self.assertGreaterEqual(len(frames), 2)
        pairs = []
        for name in frames:
            one, other = (vtk_strict.check(os.path.join(folder, name)) for folder in (first, second))
            self.assertEqual(one.split("field=")[0].split(" ", 1)[1], other.split("field=")[0].split(" ", 1)[1], name)
            pairs.append((name, *(read_frame(os.path.join(folder, name)) for folder in (first, second))))
        scales = {}
        for _, one, _ in pairs:
            for place in ("point", "cell", "field"):
                for field, values in getattr(one, place).items():
                    scales[place, field] = max(scales.get((place, field), 0), abs(values).max(initial=0))
        for name, one, other in pairs:
            self.assertEqual(len(one.cells), len(other.cells), name)
            self.assertTrue(all((a == b).all() for a, b in zip(one.cells, other.cells)), name + ": cells")
            self.assertLessEqual(abs(one.points - other.points).max(initial=0), TOLERANCE * abs(one.points).max(initial=0), name + ": points")
            for place in ("point", "cell", "field"):
                ours, theirs = getattr(one, place), getattr(other, place)
                self.assertEqual(list(ours), list(theirs), name)
                for field, values in ours.items():
                    self.assertEqual((values.shape, values.dtype), (theirs[field].shape, theirs[field].dtype), f"{name}: {field}")
                    self.assertLessEqual(abs(values - theirs[field]).max(initial=0), TOLERANCE * scales[place, field], f"{second}: {name}: {field}")

    def assert_manifests_agree(self, one, other):
        for key in ("name", "title", "exit_status", "failure", "program", "libraries", "config", "inputs", "scheme", "step", "planned_steps", "end", "outputs"):
            self.assertEqual(one[key], other[key], key)
        self.assertEqual(*({key: value for key, value in manifest["model"].items() if key != "free_dynamics"} for manifest in (one, other)))
        self.assertEqual(list(one), list(other))
        self.assertEqual(list(one["summary"]), list(other["summary"]))
        for key in ("steps", "time", "impulsive_steps"):
            self.assertEqual(one["summary"][key], other["summary"][key], key)
        for key in ("step_limit", "omega_max"):
            if one[key] is None:
                self.assertIsNone(other[key])
            else:
                self.assertAlmostEqual(one[key], other[key], delta=TOLERANCE * one[key])

    def assert_frames_are_read_back(self, out):
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "tests/tools/check_vtk.py"), out], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def same_bytes(self, path, *settings, ranks=(2, 3), impulses=1):
        """On 1 process and on each of `ranks`; free_dynamics is lumped, and there is something to see."""
        one, _ = self.run_on(1, path, *settings)
        manifest = read_json(one, "run.json")
        self.assertEqual(manifest["model"]["free_dynamics"], "lumped")
        self.assertGreaterEqual(manifest["summary"]["impulsive_steps"], impulses)
        for count in ranks:
            self.assert_same_bytes(one, self.run_on(count, path, *settings)[0])
        return one

    def agree(self, kind, path, *settings, ranks=(2, 3), impulses=1):
        one, _ = self.run_on(1, path, *settings)
        manifest = read_json(one, "run.json")
        self.assertEqual(manifest["model"]["free_dynamics"], kind if isinstance(kind, str) else kind[0])
        self.assertGreaterEqual(manifest["summary"]["impulsive_steps"], impulses)
        for count in ranks:
            several = self.run_on(count, path, *settings)[0]
            self.assert_agree(one, several)
            self.assertEqual(read_json(several, "run.json")["model"]["free_dynamics"], kind if isinstance(kind, str) else kind[1])
        self.assert_frames_are_read_back(several)
        return one

    def test_a_process_without_unknowns(self):
        """Its only node is held."""
        few = ["bodies.bar.mesh.line.elements=2", "supports={end: {at: bar.right}}", "contacts.wall.between.0=bar.left"]
        self.agree("banded", config("elastic_bar"), *few, "free_dynamics=banded", FEW, ranks=(3,), impulses=0)
        self.agree("petsc", config("elastic_bar"), *few, "free_dynamics=petsc", FEW, ranks=(3,), impulses=0)
        self.same_bytes(config("elastic_bar"), *few, "bodies.bar.mass=lumped", FEW, ranks=(3,), impulses=0)

    # Diagonal mass matrices: the same bytes.

    def test_bytes_of_a_bar(self):
        one = self.same_bytes(config("elastic_bar_lumped"), "scheme.step=1 us", FEW)
        os.rename(one, "under_mpiexec")
        plain = percuss(None, "run", config("elastic_bar_lumped"), "--quiet", "--out", "plain", *self.sets(["scheme.step=1 us", FEW]))
        self.assertEqual(plain.code, 0, plain.stderr)
        self.assert_same_bytes("plain", "under_mpiexec")

    def test_bytes_of_a_stepped_bar_with_damping(self):
        self.same_bytes(config("stepped_bar"), "time.end=1.2 ms", "bodies.bar.damping.rayleigh={mass: 30 1/s, stiffness: 50 ns}", FEW)

    def test_bytes_of_two_bars_with_springs(self):
        self.same_bytes(config("two_bars"), "time.end=400 us", "springs={tie: {between: [short.left, long.right], stiffness: 30 MN/m, damping: 900 N s/m}, "
                        "mount: {between: [long.right, ground], stiffness: 5 MN/m}}", "loads={push: {at: long.right, force: [-300 N, 0, 0], time: {pulse: {duration: 300 us}}}}", FEW)

    def test_bytes_of_a_truss(self):
        self.same_bytes(config("truss_on_stop"), "bodies.bridge.mass=lumped", "time.end=0.1 s", "output.frames.every=500")

    def test_bytes_of_a_lattice(self):
        one = self.same_bytes(config("lattice_drop"), "time.end=1.4 ms", FEW)
        self.assertIn("closed", {row[-1] for row in table(os.path.join(one, "contacts.csv"))[1]})

    def test_bytes_of_a_solid(self):
        one = self.same_bytes(config("solid_bar"), "bodies.bar.mass=lumped", "bodies.bar.material.poisson=0.3", "contacts.wall.friction=0.2", "bodies.bar.initial.velocity=[-0.1 m/s, 0.05 m/s, 0]",
                              "bodies.bar.damping={rayleigh: {stiffness: 5 ns}}", "scheme={type: half_explicit, step: 0.2 us}", "time.end=60 us", FEW)
        names, rows = table(os.path.join(one, "contacts.csv"))
        self.assertIn("slip", {row[names.index("wall.1.state")] for row in rows})
        self.same_bytes(config("solid_bar"), "bodies.bar.mass=lumped", "bodies.bar.mesh.box={from: [1 um, 0, 0], to: [40 mm, 10 mm, 10 mm], cells: [4, 1, 1], elements: tet10}",
                        "scheme={type: half_explicit, step: 0.1 us}", "time.end=20 us", FEW, ranks=(2,))

    def test_bytes_of_several_shapes(self):
        mesh = os.path.join(ROOT, "meshes/patch_quad_tri.msh")
        self.same_bytes(config("solid_bar"), "bodies.bar.mass=lumped", f"bodies.bar.mesh={{file: {mesh}}}", "bodies.bar.state=plane_strain", "contacts.wall.friction=0.2",
                        "bodies.bar.initial.velocity=[-0.1 m/s, 0.05 m/s, 0]", "output.history.probes=[bar.corner_right, bar.right]", "scheme={type: half_explicit, step: 0.5 us}", "time.end=100 us", FEW)

    def test_bytes_of_two_solids(self):
        both = ("bodies.base.mass=lumped", "bodies.block.mass=lumped", "start=as_given", "scheme.type=half_explicit", "time.end=30 us", FEW)
        one = self.same_bytes(config("block_on_base"), *both, impulses=0)  # closed throughout, without impacts
        self.assertGreater(read_json(one, "run.json")["summary"]["energy"]["friction"], 1e-6)
        self.same_bytes(config("block_on_base"), "contacts={}", "ties={seam: {between: [block.bottom, base.top]}}", "bodies.block.initial={velocity: [0, 0, 0]}", *both, ranks=(2,), impulses=0)

    def test_bytes_of_finite_sliding(self):
        one = self.same_bytes(config("block_slides"), "bodies.base.mass=lumped", "bodies.block.mass=lumped", "start=as_given", "scheme.type=half_explicit", "time.end=30 us", FEW, impulses=0)
        self.assertGreater(read_json(one, "run.json")["summary"]["energy"]["friction"], 1e-6)

    def test_bytes_of_an_orthotropic_solid(self):
        self.same_bytes(config("solid_bar"), "bodies.bar.mass=lumped", "bodies.bar.mesh.box={from: [1 um, 0, 0], to: [40 mm, 20 mm, 20 mm], cells: [16, 8, 8]}", "bodies.bar.points={gauge: [11 mm, 7 mm, 3 mm]}",
                        "bodies.bar.material={density: 1600 kg/m^3, orthotropic: {young: [135 GPa, 10 GPa, 10 GPa], poisson: [0.3, 0.3, 0.45], shear: [5 GPa, 5 GPa, 3.4 GPa], axis_1: [2, 1, 0]}}",
                        "output.history.probes=[bar.gauge, bar.left, bar.right]", "scheme={type: half_explicit, step: 0.1 us}", "time.end=10 us", FEW, ranks=(2,))

    def test_bytes_of_everything(self):
        path = self.write("everything.yaml", EVERYTHING)
        one = self.same_bytes(path, impulses=5)
        self.assert_frames_are_read_back(one)
        last = dict(zip(*[table(os.path.join(one, "energy.csv"))[0], map(float, table(os.path.join(one, "energy.csv"))[1][-1])]))
        for key in ("kinetic", "elastic", "damping", "impact", "friction"):
            self.assertGreater(last[key], 1e-6, key)
        self.assertNotEqual(last["load"], 0)
        events = {row[1].split(".")[0] for row in table(os.path.join(one, "events.csv"))[1]}
        self.assertEqual(events, {"ground", "wall"})

    def test_bytes_whatever_the_scheme(self):
        path = self.write("everything.yaml", EVERYTHING)
        smooth = [word for contact in ("ground", "wall") for word in (f"contacts.{contact}.friction=0", f"contacts.{contact}.restitution=0")]
        for scheme, settings in (("half_explicit_two_step", []), ("moreau_midpoint", []), ("schatzman_paoli", smooth), ("ggl_decoupled", []),
                                 ("explicit_velocity", [])):
            with self.subTest(scheme):
                self.same_bytes(path, "scheme={type: %s, step: 1 us}" % scheme, "time.end=0.4 ms", *settings, ranks=(2,), impulses=0)

    def test_bytes_of_islands_that_processes_share(self):
        path = self.write("stacks.yaml", STACKS)
        one = self.same_bytes(path, FEW)
        shared = {ranks: read_json(self.run_on(ranks, path, FEW)[0], "run.json")["summary"]["contact_search"] for ranks in (1, 2)}
        self.assertEqual(shared[1]["shared_solves"], 0)
        self.assertGreater(shared[2]["shared_solves"], 0)
        self.assertEqual((shared[2]["most_islands"], shared[2]["most_dense_rows"]), (225, 6))
        names, rows = table(os.path.join(one, "energy.csv"))
        self.assertGreater(float(rows[-1][names.index("friction")]), 1e-3)

    def test_the_wall_limit_is_heard_within_a_local_problem(self):
        path = self.write("endless.yaml", ENDLESS)
        for ranks in (1, 2):
            done = percuss(ranks, "run", path, "--quiet", "--out", f"endless{ranks}", "--wall-limit", "0.5 s")
            self.assertIn("stopped by the wall limit of 0.5 s at t = 0 s, step 0 of 10", done.stderr)
            self.assertEqual(read_json(f"endless{ranks}", "run.json")["exit_status"], "stopped")

    # Others: the same to rounding.

    def test_elastic_bar(self):
        self.agree("banded", config("elastic_bar"), "scheme.step=1 us", FEW)
        self.agree("petsc", config("elastic_bar"), "scheme.step=1 us", FEW, "free_dynamics=petsc", ranks=(3,))

    def test_elastic_bar_of_1000_elements(self):
        gap = "contacts.wall.between=[bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]"
        self.agree("banded", config("elastic_bar_1000"), gap, "time.end=530 us", "output.frames.every=2600", ranks=(3,))
        self.agree("banded", config("elastic_bar_damped"), "time.end=540 us", "output.frames.every=3000", ranks=(3,))

    def test_stepped_bar(self):
        self.agree("banded", config("stepped_bar"), "bodies.bar.mass=consistent", "time.end=1 ms", FEW)

    def test_two_bars(self):
        self.agree("banded", config("two_bars"), "bodies.short.mass=consistent", "bodies.long.mass=consistent", "time.end=300 us", FEW)

    def test_truss(self):
        self.agree("banded", config("truss_on_stop"), "time.end=0.05 s", "output.frames.every=500")
        self.agree("petsc", config("truss_on_stop"), "time.end=0.03 s", "output.frames.every=300", "free_dynamics=petsc", ranks=(2,))

    def test_lattice_of_consistent_mass(self):
        self.agree("petsc", config("lattice_drop"), "bodies.lattice.mass=consistent", "time.end=1.1 ms", "bodies.lattice.mesh.lattice.cells=[4, 3, 4]", FEW)

    def test_beam(self):
        self.agree("banded", config("beam_on_stop"), "time.end=2 ms", "output.frames.every=2000")

    def rotor_tables(self, out):
        self.assertGreater(len(table(os.path.join(out, "orbits.csv"))[1]), 10)
        self.assertGreater(len(table(os.path.join(out, "poincare.csv"))[1]), 2)

    def test_rotor_that_rubs(self):
        for spin, ranks in (("6000 rpm", (2, 3)), ("{table: [[0, 5000 rpm], [10 ms, 7000 rpm]]}", (3,))):
            with self.subTest(spin):
                one = self.agree("banded", config("rotor_in_two_bearings"), "bodies.shaft.spin=" + spin, "time.end=22 ms", "output.frames.every=2500", ranks=ranks)
                self.rotor_tables(one)

    def test_rotor_with_an_implicit_scheme(self):
        self.rotor_tables(self.agree(IMPLICIT, config("rotor_friswell"), "time.end=50 ms", "output.frames.every=250", impulses=0))

    def test_rotor_with_an_explicit_scheme(self):
        self.rotor_tables(self.agree("banded", config("rotor_friswell"), "scheme={type: half_explicit, step: 2.5 us}", "time.end=16 ms", "output.frames.every=2000", ranks=(3,), impulses=0))

    def test_implicit_bar(self):
        self.agree(IMPLICIT, config("elastic_bar"), "scheme={type: moreau_jean, step: 1 us}", "time.end=600 us", FEW, ranks=(2,))

    # Messages.

    def test_check_is_printed_once(self):
        one = percuss(1, "check", config("lattice_drop"))
        self.assertEqual((one.code, one.stderr), (0, ""))
        self.assertNotIn("processes", one.stdout)
        for ranks in (2, 3):
            several = percuss(ranks, "check", config("lattice_drop"))
            self.assertEqual((several.code, several.stderr), (0, ""))
            lines = several.stdout.splitlines()
            told = [line for line in lines if line.split()[0] == "processes"]
            self.assertEqual(len(told), 1)
            self.assertRegex(told[0], rf"^  processes   {ranks}, .*parts from [\d.]+ to [\d.]+ of the mean")
            own = ("processes", "time", "advice", "supports")  # one process knows more: not every scheme, nor the null space, runs on several
        self.assertEqual([line for line in lines if line.split()[0] not in own], [line for line in one.stdout.splitlines() if line.split()[0] not in own])
        self.assertEqual(sum(line.split()[0] == "advice" for line in lines), 1)
        self.assertEqual(files_of(self.folder), [])

    def test_summary_is_printed_once(self):
        done = percuss(3, "run", config("elastic_bar_lumped"), "--out", "out", "--set", "time.end=10 us")
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual([len(re.findall(word, done.stdout)) for word in ("100 steps to t", "results: ")], [1, 1])

    def refuse(self, ranks, words, message, code=2):
        done = percuss(ranks, *words)
        self.assertEqual(done.code, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(re.findall(message, done.stderr)), 1, done.stderr)
        for trace in TRACES:
            self.assertNotIn(trace, done.stderr)
        return done

    def test_errors_are_printed_once(self):
        path = self.write("wrong.yaml", EVERYTHING.replace("restitution: 0.3", "restitutoin: 0.3"))
        alone = percuss(None, "check", path)
        for words in (("check", path), ("run", path, "--out", "out")):
            done = self.refuse(3, words, "restitutoin'")
            self.assertEqual(done.own_words(), alone.stderr)
        path = self.write("unknown_node.yaml", EVERYTHING.replace("lower.left_top_back,", "lower.nowhere,"))  # known only with the mesh
        done = self.refuse(2, ("check", path), "nowhere'")
        self.assertEqual(done.own_words(), percuss(None, "check", path).stderr)
        self.refuse(2, ("run", "missing.yaml"), "missing.yaml")
        self.refuse(2, ("run", config("elastic_bar"), "--set", "scheme.step=4 us", "--out", "out"), "above")
        self.assertEqual(files_of(self.folder), ["unknown_node.yaml", "wrong.yaml"])

    def test_results_are_not_overwritten(self):
        words = ("run", config("elastic_bar_lumped"), "--out", "out", "--quiet", "--set", "time.end=10 us")
        self.assertEqual(percuss(2, *words).code, 0)
        before = os.stat("out/run.json").st_mtime_ns
        self.refuse(2, words, "exists already")
        self.assertEqual(os.stat("out/run.json").st_mtime_ns, before)
        self.assertEqual(percuss(2, *words, "--overwrite").code, 0)

    def test_what_needs_one_process_is_refused(self):
        self.refuse(2, ("run", config("slider_crank"), "--out", "out"), "error: .*one process")
        self.refuse(2, ("run", config("rotor_run_up"), "--out", "out"), "error: .*process")
        self.refuse(2, ("run", config("spin_down"), "--out", "out"), "error: .*process")
        self.refuse(2, ("modes", config("elastic_bar")), "percuss modes: .*one process|error: .*one process")
        self.refuse(2, ("response", config("rotor_friswell"), "--speeds", "0 rpm:100 rpm:2"), "percuss response: .*one process|error: .*one process")
        self.refuse(3, ("run", config("elastic_bar"), "--set", "bodies.bar.mesh.line.elements=1", "--out", "out"), "error: .*too few for 3 processes")
        self.refuse(2, ("run", config("elastic_bar_redistributed"), "--out", "out"), "error: `mass: redistributed` runs on one process, not on 2")
        self.refuse(2, ("run", config("elastic_bar_implicit"), "--set", "free_dynamics=banded", "--out", "out"), "error: .*banded on several processes does not support")
        self.assertEqual(files_of(self.folder), [])

    # How it ends.

    def start_long(self, ranks):
        process = start(ranks, "run", config("elastic_bar_lumped"), "--quiet", "--out", "out", "--set", "time.end=100 s", "--set",
                         "output={frames: {every: 1000}, history: {probes: [bar.left], every: 100}}")
        self.addCleanup(lambda: process.poll() is None and kill(process))
        limit = time.monotonic() + PATIENCE
        while not (os.path.exists("out/run.json") and os.path.exists("out/frames/elastic_bar_lumped_000003.vtk")):
            self.assertIsNone(process.poll(), "ended before it began")
            self.assertLess(time.monotonic(), limit, "does not begin")
            time.sleep(0.05)
        return process

    def assert_nobody_is_left(self):
        for _ in range(100):
            left = [pid for pid in filter(str.isdigit, os.listdir("/proc")) if self.works_here(pid)]
            if not left:
                return
            time.sleep(0.1)
        self.fail(f"processes {left} are still there")

    def works_here(self, pid):
        try:
            return os.path.realpath(f"/proc/{pid}/cwd") == os.path.realpath(self.folder) and int(pid) != os.getpid()
        except OSError:
            return False

    def test_signals_end_a_run_cleanly(self):
        for number, ranks in ((signal.SIGINT, 2), (signal.SIGTERM, 3)):
            with self.subTest(number.name, ranks=ranks):
                for _ in range(5):
                    process = self.start_long(ranks)
                    process.send_signal(number)
                    done = Done(process)
                    self.assertNotEqual(done.code, 0)
                    for trace in TRACES[:1]:
                        self.assertNotIn(trace, done.stderr)
                    self.assert_nobody_is_left()
                    manifest = read_json("out/run.json")
                    if manifest["exit_status"] != "running":
                        break
                    shutil.rmtree("out")  # mpiexec kills what takes more than a second to end, as a busy disk may make it
                self.assertEqual(manifest["exit_status"], "stopped")
                self.assertEqual(read_json("out/status.json")["status"], "stopped")
                steps = manifest["summary"]["steps"]
                for name in ("history.csv", "energy.csv", "contacts.csv"):  # the last state is there, in whole rows
                    header, rows = table(os.path.join("out", name))
                    self.assertEqual({len(row) for row in rows}, {len(header)})
                    self.assertAlmostEqual(float(rows[-1][0]), steps * 1e-7, delta=1e-12)
                for series in (name for name in os.listdir("out") if name.endswith(".series")):
                    entries = read_json("out", series)["files"]
                    self.assertAlmostEqual(entries[-1]["time"], steps * 1e-7, delta=1e-12)
                    for entry in entries:
                        vtk_strict.check(os.path.join("out", entry["name"]))
                self.assertEqual([name for name in files_of("out") if name.endswith(".part")], [])
                shutil.rmtree("out")

    def test_a_signal_to_one_stops_all(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                process = self.start_long(2)
                os.kill(children(process.pid)[1], number)
                done = Done(process)
                self.assertNotEqual(done.code, 0)
                self.assert_nobody_is_left()
                manifest = read_json("out/run.json")
                self.assertEqual(manifest["exit_status"], "stopped")
                self.assertIn(f"stopped by signal {number.name}", done.stderr)
                shutil.rmtree("out")

    def test_a_frame_that_cannot_be_written_ends_all(self):
        process = self.start_long(3)
        run = children(process.pid)
        for pid in run:  # they stand still while the names of the next frames are taken
            os.kill(pid, signal.SIGSTOP)
        written = max(int(re.findall(r"_(\d+)\.", name)[-1]) for name in os.listdir("out/frames"))
        for number in range(written + 2, written + 4):
            os.mkdir(f"out/frames/elastic_bar_lumped_{number:06d}.vtk")
        for pid in run:
            os.kill(pid, signal.SIGCONT)
        done = Done(process)
        self.assertEqual(done.code, 1, done.stderr)
        self.assertEqual(len(re.findall("cannot write .*vtk: (?:Is a directory|its name is taken)", done.stderr)), 1, done.stderr)
        for trace in TRACES:
            self.assertNotIn(trace, done.stderr)
        self.assertEqual(read_json("out/run.json")["exit_status"], "failed")
        self.assert_nobody_is_left()

    def test_results_that_cannot_be_written(self):
        self.write("file", "")
        self.refuse(3, ("run", config("elastic_bar_lumped"), "--out", "file/out"), "Not a directory", code=percuss(None, "run", config("elastic_bar_lumped"), "--out", "file/out").code)
        self.assert_nobody_is_left()

    def test_a_run_that_blows_up_names_the_same_unknown(self):
        for path, ranks in ((config("elastic_bar"), 2), (config("elastic_bar"), 3), (config("elastic_bar_lumped"), 3)):
            settings = ["scheme.step=5 us", "time.end=20 ms", FEW]
            _, alone = self.run_on(1, path, *settings, words=["--force"], code=1)
            out, several = self.run_on(ranks, path, *settings, words=["--force"], code=1)
            self.assertRegex(alone.stderr, r"percuss run: at t = \S+ s .step \d+. the numerical energy error is .* fastest: bar at \(")
            self.assertEqual(several.own_words(), alone.own_words())
            self.assertEqual(read_json(out, "run.json")["exit_status"], "failed")


if __name__ == "__main__":
    unittest.main()
