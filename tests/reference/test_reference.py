#!/usr/bin/python3
"""percuss against the schemes written a second time (reference.py), step by step; and bodies that have nothing to do with each other. Usage: test_reference.py PERCUSS"""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import reference
from reference import CONTACTS, HalfExplicit, MoreauJean, MoreauMidpoint, SchatzmanPaoli, Truss

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.environ.get("PERCUSS", os.path.join(ROOT, "build/release/percuss"))

STEP, STEPS = 2e-4, 3000
LAWS = ((0.3, 0.4), (0.0, 0.6), (0.8, 0.0))  # friction, restitution
PROBES = {"A": reference.LEFT, "M": reference.MIDDLE, "B": reference.RIGHT, "C": reference.SIDE, "T": reference.TOP}
CONTACT_NAMES = ("one", "two")

# Largest difference allowed over all steps, relative to the largest value of the quantity at any node or contact, or of any energy. Found: 3e-14; friction forces 8e-13,
# for they divide rounding of velocities by a step.
TOLERANCE = {"displacement": 1e-12, "velocity": 1e-12, "gap": 1e-12, "gap rate": 1e-12, "force": 2e-11, "impulse": 1e-12, "energy": 1e-12}
# Schatzman-Paoli's law acts on gaps divided by the step, so their rounding is a change of velocity, which chattering contacts amplify: noise of 2e-17 m in the
# reference's own gaps moves its velocities by up to 2e-9 of the largest, displacements by 1e-11. Found between percuss and the reference: 3e-10 and 2e-12.
TOLERANCE_SCHATZMAN_PAOLI = {"displacement": 5e-11, "velocity": 5e-9, "gap": 5e-11, "gap rate": 5e-9, "force": 0.0, "impulse": 5e-9, "energy": 1e-10}
TIME_TOLERANCE = 1e-15  # of the end

# What must have happened in each run, so that it compares something.
EVENTS, STEPS_IN_STATE = 2, 500  # impacts and openings of each contact; steps in each state, both contacts together


def columns(folder, name):
    """Columns of a table by name, numbers where all are numbers."""
    with open(os.path.join(folder, name), newline="") as file:
        header, *rows = csv.reader(file)
    result = {}
    for title, values in zip(header, zip(*rows) if rows else [()] * len(header)):
        try:
            result[title] = np.array([float(x) for x in values])
        except ValueError:
            result[title] = np.array(values)
    return result


def openings(run):
    """[step, contact]"""
    is_open = run.state == "open"
    return is_open & ~np.vstack([is_open[:1], is_open[:-1]])


def vector(x):
    return "[" + ", ".join(repr(float(c)) for c in x) + ", 0]"


def write_mesh(path):
    """Gmsh 2.2: a physical point for each probe, a physical curve of all bars."""
    everything = len(PROBES) + 1
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(everything)]
    lines += [f'0 {tag} "{name}"' for tag, name in enumerate(PROBES, 1)] + [f'1 {everything} "bars"', "$EndPhysicalNames"]
    lines += ["$Nodes", str(len(reference.NODES))]
    lines += [f"{i} {float(x)!r} {float(y)!r} 0" for i, (x, y) in enumerate(reference.NODES, 1)] + ["$EndNodes"]
    elements = [f"15 2 {tag} {tag} {node + 1}" for tag, node in enumerate(PROBES.values(), 1)]
    elements += [f"1 2 {everything} 1 {a + 1} {b + 1}" for a, b in reference.BARS]
    lines += ["$Elements", str(len(elements))] + [f"{i} {element}" for i, element in enumerate(elements, 1)] + ["$EndElements"]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def truss_config(scheme, mass, friction, restitution):
    """The reference's truss as a config; the mesh is truss.msh beside it."""
    r = reference
    plane = f"{{plane: {{point: {vector(r.PLANE_POINT)}, normal: {vector(r.PLANE_NORMAL)}}}}}"
    contacts = "\n".join(
        f"  {name}: {{between: [b.{'A' if node == r.LEFT else 'B'}, {plane}], gap_offset: {offset}, friction: {friction}, restitution: {restitution}}}"
        for name, (node, offset) in zip(CONTACT_NAMES, CONTACTS)
    )
    table = ", ".join(f"[{t}, {x}]" for t, x in zip(r.TABLE["times"], r.TABLE["values"]))
    return f"""\
gravity: {vector(r.GRAVITY)}
bodies:
  b:
    type: truss
    dimension: 2
    mesh: {{file: truss.msh}}
    material: {{density: {r.DENSITY}, young: {r.YOUNG}}}
    section: {{area: {r.AREA}}}
    mass: {mass}
    damping: {{rayleigh: {{mass: {r.RAYLEIGH_MASS}, stiffness: {r.RAYLEIGH_STIFFNESS}}}}}
    initial: {{displacement: {vector(r.INITIAL_DISPLACEMENT)}, velocity: {vector(r.INITIAL_VELOCITY)}}}
supports: {{side: {{at: b.C, fix: x}}}}
masses: {{top: {{at: b.T, mass: {r.TOP_MASS}}}}}
springs:
  ground: {{between: [b.T, ground], stiffness: {r.GROUND_SPRING["stiffness"]}, damping: {r.GROUND_SPRING["damping"]}, direction: {vector(r.GROUND_SPRING["direction"])}}}
  inner: {{between: [b.A, b.T], stiffness: {r.INNER_SPRING["stiffness"]}, damping: {r.INNER_SPRING["damping"]}}}
loads:
  shake: {{at: b.T, force: {vector(r.HARMONIC["force"])}, time: {{harmonic: {{frequency: {r.HARMONIC["frequency"]} Hz, phase: {r.HARMONIC["phase"]} rad}}}}}}
  strike: {{at: b.C, force: {vector(r.PULSE["force"])}, time: {{pulse: {{start: {r.PULSE["start"]}, duration: {r.PULSE["duration"]}}}}}}}
  wind: {{on: b, force_per_length: {vector(r.TABLE["force_per_length"])}, time: {{table: [{table}]}}}}
contacts:
{contacts}
scheme: {scheme}
time: {{end: {STEPS * STEP!r}}}
output:
  frames: {{every: 0}}
  history: {{probes: [{", ".join("b." + name for name in PROBES)}], every: 1}}
  contacts: {{every: 1}}
  energy: {{every: 1}}
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="percuss_reference_")
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def percuss(self, config):
        """Runs it; the folder of its results."""
        path, out = os.path.join(self.folder, "config.yaml"), os.path.join(self.folder, "results")
        with open(path, "w") as file:
            file.write(config)
        done = subprocess.run([PERCUSS, "run", path, "--out", out, "--overwrite", "--quiet"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return out


class Reference(InFolder):
    """Each scheme with consistent and lumped mass and each contact law, over thousands of steps."""

    tolerance = TOLERANCE

    def check(self, kind, found, expected, name="", scale=None):
        """`found` is `expected` up to the tolerance of its kind, of `scale` or the largest expected."""
        found, expected = np.asarray(found), np.asarray(expected)
        scale = np.abs(expected).max() if scale is None else scale
        self.assertEqual(found.shape, expected.shape, f"{kind} {name}")
        difference = np.abs(found - expected).max()
        self.assertLessEqual(difference, self.tolerance[kind] * scale, f"{kind} {name}: differs by {difference:.3g}, largest value {scale:.3g}")

    def table(self, out, name):
        """With a row for each step."""
        table = columns(out, name)
        time = np.arange(STEPS + 1) * STEP
        self.assertEqual(len(table["time"]), len(time), name)
        self.assertLessEqual(np.abs(table["time"] - time).max(), TIME_TOLERANCE * time[-1], name)
        return table

    def check_history(self, out, run):
        table = self.table(out, "history.csv")
        for kind, letter, expected in (("displacement", "u", run.u), ("velocity", "v", run.v)):
            found = [[table[f"b.{name}.{letter}{axis}"] for axis in "xy"] for name in PROBES]
            self.check(kind, found, [expected[:, node].T for node in PROBES.values()])

    def check_contacts(self, out, run):
        table = self.table(out, "contacts.csv")
        for kind, name, expected in (("gap", "gap", run.gap), ("gap rate", "gap_rate", run.gap_rate)):
            self.check(kind, [table[f"{contact}.{name}"] for contact in CONTACT_NAMES], expected.T)
        normal_and_tangent = {"force": ("force", "friction_force_1"), "impulse": ("impulse", "friction_impulse_1")}
        for kind, expected in (("force", run.force), ("impulse", run.impulse)):
            for direction in range(expected.shape[2]):
                name = normal_and_tangent[kind][direction]
                found = [table[f"{contact}.{name}"] for contact in CONTACT_NAMES]
                self.check(kind, found, expected[:, :, direction].T, name, np.abs(expected).max())
        for i, contact in enumerate(CONTACT_NAMES):
            wrong = np.flatnonzero(table[contact + ".state"] != run.state[:, i])
            self.assertEqual(len(wrong), 0, f"{contact} is in another state after steps {wrong[:5]}")

    def check_energy(self, out, run):
        table = self.table(out, "energy.csv")
        self.assertEqual(list(table), ["time", *run.energy])
        scale = max(np.abs(energy).max() for energy in run.energy.values())
        for name, expected in run.energy.items():
            self.check("energy", table[name], expected, name, scale)

    def check_events(self, out, run):
        """Impacts and openings are at the steps where the reference has them."""
        table = columns(out, "events.csv")
        steps = np.rint(table["time"] / STEP).astype(int)
        for event, expected in (("impact", run.impact), ("opening", openings(run))):
            for i, contact in enumerate(CONTACT_NAMES):
                found = steps[(table["event"] == event) & (table["contact"] == contact)]
                self.assertEqual(list(found), list(np.flatnonzero(expected[:, i])), f"{event} of {contact}")

    def check_variety(self, run, friction):
        """The run went through every state; both contacts took part."""
        for state in ("open", "stick", "slip") if friction else ("open", "closed"):
            self.assertGreaterEqual((run.state == state).sum(), STEPS_IN_STATE, state)
        for event, happened in (("impact", run.impact), ("opening", openings(run))):
            self.assertGreaterEqual(happened.sum(axis=0).min(), EVENTS, event)

    def compare(self, scheme, make, laws=LAWS):
        """`scheme`: percuss's, as text of the config, for (friction, restitution); `make` the reference's for (truss, friction)."""
        write_mesh(os.path.join(self.folder, "truss.msh"))
        for mass in ("consistent", "lumped"):
            for friction, restitution in laws:
                with self.subTest(mass=mass, friction=friction, restitution=restitution):
                    out = self.percuss(truss_config(scheme(friction), mass, friction, restitution))
                    run = reference.run(make(Truss(mass, friction, restitution), friction), STEPS)
                    self.assertEqual(run.ambiguous, 0, "local problems with a second solution: no one answer to compare with")
                    self.check_history(out, run)
                    self.check_contacts(out, run)
                    self.check_energy(out, run)
                    self.check_events(out, run)
                    self.check_variety(run, friction)

    def test_half_explicit(self):
        self.compare(lambda friction: f"{{type: half_explicit, step: {STEP!r}}}", lambda truss, friction: HalfExplicit(truss, STEP))

    def test_moreau_midpoint(self):
        self.compare(lambda friction: f"{{type: moreau_midpoint, step: {STEP!r}}}", lambda truss, friction: MoreauMidpoint(truss, STEP))

    def test_moreau_jean(self):
        def weights(friction):
            return (0.55, 0.5) if friction else (0.5, 1.0)  # theta, gamma

        def scheme(friction):
            theta, gamma = weights(friction)
            return f"{{type: moreau_jean, step: {STEP!r}, theta: {theta}, gamma: {gamma}}}"

        self.compare(scheme, lambda truss, friction: MoreauJean(truss, STEP, *weights(friction)))

    def test_schatzman_paoli(self):
        self.tolerance = TOLERANCE_SCHATZMAN_PAOLI
        laws = ((0.0, 0.6), (0.0, 0.0))  # it has no friction
        self.compare(lambda friction: f"{{type: schatzman_paoli, step: {STEP!r}}}", lambda truss, friction: SchatzmanPaoli(truss, STEP), laws)


WALL = "{plane: {point: [0, 0, 0], normal: [1, 0, 0]}}"
# Relative to the largest value. Where b is hit a's velocity is summed in another order: found 3e-14 after 1500 steps. Should a's forces be left out, or be given as
# impulses, in the steps where b is hit, all of a force is missing.
UNRELATED = 5e-13

SCALED_BY = {"a.left.ux": "a.right.ux", "a.left.vx": "a.right.vx", "wa.gap": "a.right.ux", "wa.gap_rate": "a.right.vx"}  # these are zero to rounding


def bar(name, y):
    mesh = f"{{line: {{from: [0, {y}, 0], to: [1, {y}, 0], elements: 4}}}}"
    return f"{name}: {{type: bar, mesh: {mesh}, material: {{density: 1000, young: 1e7}}, section: {{area: 1e-3}}}}"


def bars_config(bodies, contacts):
    lines = ["gravity: [-9.81, 0, 0]", "bodies:", *("  " + body for body in bodies), "contacts:", *("  " + contact for contact in contacts)]
    lines += [f"scheme: {{type: half_explicit, step: {STEP!r}}}", "time: {end: 0.3}"]
    lines += ["output: {frames: {every: 0}, history: {probes: [a.left, a.right, a@0.5], every: 1}, contacts: {every: 1}}"]
    return "\n".join(lines) + "\n"


class TwoBars(InFolder):
    """A bar at rest on a wall does not notice another one that bounces beside it."""

    def tables(self, out):
        return {**columns(out, "history.csv"), **columns(out, "contacts.csv")}

    def test_unrelated_impacts(self):
        rests, bounces = f"wa: {{between: [a.left, {WALL}]}}", f"wb: {{between: [b.left, {WALL}], gap_offset: 1 mm, restitution: 0.8}}"
        alone = self.tables(self.percuss(bars_config([bar("a", 0)], [rests])))
        out = self.percuss(bars_config([bar("a", 0), bar("b", 1)], [rests, bounces]))
        beside = self.tables(out)

        self.assertLessEqual(set(alone), set(beside))
        for name, expected in alone.items():
            with self.subTest(name):
                if name == "wa.state":
                    self.assertEqual(list(beside[name]), list(expected))
                else:
                    scale = np.abs(alone[SCALED_BY.get(name, name)]).max()
                    self.assertLessEqual(np.abs(beside[name] - expected).max(), UNRELATED * scale)
        events = columns(out, "events.csv")
        impacts = {wall: ((events["contact"] == wall) & (events["event"] == "impact")).sum() for wall in ("wa", "wb")}
        self.assertEqual(impacts["wa"], 0)

        # There was something to notice: b is hit many times, while a is pushed.
        self.assertGreaterEqual(impacts["wb"], 5)
        hit = beside["wb.impulse"] > 0
        self.assertEqual(hit.sum(), impacts["wb"])
        self.assertGreaterEqual((beside["wa.force"][hit] > 0).sum(), 5)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PERCUSS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
