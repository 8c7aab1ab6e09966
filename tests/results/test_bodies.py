#!/usr/bin/python3
"""Energies of single bodies, resultants of contacts, strain gauges, principal directions, rows on change, units of headers. Usage: test_bodies.py PERCUSS"""
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
sys.path.insert(0, os.path.join(ROOT, "python"))
KINDS = "kinetic", "elastic", "potential", "damping"

# Two bars of different damping, a dashpot between them, one to the ground, a nonlinear spring, a support that moves: everything that is shared.
BARS = """
gravity: [-9.81 m/s^2, 0, 0]
bodies:
  a: &bar
    type: bar
    mesh: {line: {from: [0.1 mm, 0, 0], to: [0.5001 m, 0, 0], elements: 10}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 10 mm}}
    damping: {rayleigh: {mass: 50 1/s, stiffness: 0.2 us}}
    initial: {velocity: [-1 m/s, 0, 0]}
  b:
    <<: *bar
    mesh: {line: {from: [0.6001 m, 0, 0], to: [1.1001 m, 0, 0], elements: 10}}
    damping: {rayleigh: {mass: 500 1/s}}
masses: {tip: {at: b.left, mass: 0.1 kg}}
supports: {shaker: {at: b.right, motion: [{displacement: [1 mm, 0, 0], time: {harmonic: {frequency: 500 Hz}}}]}}
springs:
  pad: {between: [a.right, b.left], stiffness: 1e5 N/m, damping: 200 N s/m}
  foot: {between: [a.right, ground], stiffness: 1e6 N/m, damping: 300 N s/m}
  soft: {between: [a.left, ground], stiffness: 1e4 N/m, law: {cubic: {coefficient: 1e12 N/m^3, travel: 5 mm}}, direction: [1, 0, 0]}
contacts: {wall: {between: [a.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}
scheme: {type: half_explicit, step: 0.5 us}
time: {end: 2 ms}
output: {frames: {every: 0}, history: {probes: [a.left], every: 100}, contacts: {every: 1}, energy: {every: 100}, body_energies: {every: 100}, resultants: {every: 400}}
"""
BLOCK = """
gravity: [0, -9.81 m/s^2, 0]
bodies:
  block:
    type: solid
    mesh: {box: {from: [0, 0, 0], to: [0.1 m, 0.05 m, 0], cells: [4, 2, 0]}}
    thickness: 10 mm
    state: plane_stress
    material: {density: 2000 kg/m^3, young: 1 GPa, poisson: 0.3}
    initial: {velocity: [1 m/s, -1 m/s, 0]}
contacts: {floor: {between: [block.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.2}}
scheme: {type: moreau_midpoint, step: 1 us}
time: {end: 0.5 ms}
output: {frames: {every: 0}, history: {probes: [block.all]}, contacts: {every: 1}, body_energies: {every: 50}, resultants: {every: 10}}
"""
SHAFT = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.6 m, 0, 0], elements: 6}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {circle: {radius: 10 mm}}
    damping: {rotating: 10 us}
    spin: 3600 rpm
unbalances: {wheel: {at: shaft@0.5, mass_eccentricity: 1e-4 kg m}}
bearings:
  left: {between: [shaft.left, ground], stiffness: 5 MN/m, damping: 50 N s/m}
  right: {between: [shaft.right, ground], stiffness: 5 MN/m, rotating_damping: {damping: 20 N s/m}}
scheme: {type: moreau_jean, step: 50 us}
time: {end: 20 ms}
output: {frames: {every: 0}, energy: {every: 100}, body_energies: {every: 100}}
"""
GAUGES = """
bodies:
  beam:
    type: beam
    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 5}}
    material: {density: 7800 kg/m^3, young: 210 GPa, shear_modulus: 80 GPa}
    section: {rectangle: {width: 20 mm, height: 50 mm}}
    orientation: [0, 1, 0]
  rod:
    type: bar
    mesh: {line: {from: [0, 1 m, 0], to: [1 m, 1 m, 0], elements: 5}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 10 mm}}
  plate:
    type: solid
    mesh: {box: {from: [0, 2 m, 0], to: [1 m, 3 m, 0], cells: [3, 3, 0]}}
    thickness: 10 mm
    state: plane_stress
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    points: {p: [0.4 m, 2.4 m, 0]}
  cube:
    type: solid
    mesh: {box: {from: [0, 4 m, 0], to: [1 m, 5 m, 1 m], cells: [2, 2, 2]}}
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    points: {p: [0.4 m, 4.4 m, 0.4 m]}
supports:
  clamp: {at: beam.left}
  hold: {at: rod.left}
  plate: {at: plate.left, fix: [x]}
  plate_below: {at: plate.bottom, fix: [y]}
  cube: {at: cube.left, fix: [x]}
  cube_below: {at: cube.bottom, fix: [y]}
  cube_behind: {at: cube.back, fix: [z]}
loads:
  tip: {at: beam.right, force: [1 kN, -100 N, 40 N]}
  pull: {at: rod.right, force: [1 kN, 0, 0]}
  plate: {on: plate.right, traction: [1 MPa, 0, 0]}
  cube: {on: cube.right, traction: [0, 0, 0], pressure: 0 Pa}
  squeeze: {on: cube.top, traction: [0, 2 MPa, 0]}
start: static
scheme: {type: half_explicit, step: 1 us}
time: {end: 2 us}
output:
  frames: {every: 0}
  history:
    probes: [plate.p, cube.p]
    principal_directions: true
    gauges:
      above: {at: beam@0.5, fibre: [25 mm, 0]}
      beside: {at: beam@0.5, fibre: [0, 10 mm]}
      axis: beam@0.5
      rod: rod@0.5
      along: {at: plate.p, direction: [2, 0, 0]}
      across: {at: plate.p, direction: [0, 1, 0]}
      r: {at: plate.p, direction: [0.8660254037844387, 0.5, 0], rosette: rectangular}
      d: {at: plate.p, direction: [0.8660254037844387, 0.5, 0], rosette: delta}
      c: {at: cube.p, direction: [1, 1, 0.3], rosette: rectangular, normal: [0, 0, 1]}
""".replace("  cube: {on: cube.right, traction: [0, 0, 0], pressure: 0 Pa}\n", "")


class Bodies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_bodies_")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_config(self, config, out, *options, ranks=1):
        path = config
        if "\n" in config:
            path = self.path("model.yaml")
            with open(path, "w") as file:
                file.write(config)
        command = [PERCUSS, "run", path, "--quiet", "--out", self.path(out), *options]
        if ranks > 1:
            command = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] + command
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def table(self, out, name):
        with open(self.path(out, name)) as file:
            rows = list(csv.reader(file))
        return {column: [float(row[i]) for row in rows[1:]] for i, column in enumerate(rows[0]) if "state" not in column and column not in ("run", "status", "folder", "exit_status")}

    def check_sums(self, out, tolerance=1e-12):
        energy, bodies = self.table(out, "energy.csv"), self.table(out, "body_energies.csv")
        self.assertEqual(energy["time"], bodies["time"])
        scale = max(map(abs, energy["kinetic"] + energy["elastic"]))
        for kind in KINDS:
            sums = [sum(row) for row in zip(*[bodies[name] for name in bodies if name.endswith("." + kind)])]
            for ours, whole in zip(sums, energy[kind]):
                self.assertLess(abs(ours - whole), tolerance * scale, f"{out}: {kind} {ours} {whole}")
        return bodies

    # ---- energies ----

    def test_sums_of_bodies_and_springs(self):
        self.run_config(BARS, "bars")
        bodies = self.check_sums("bars")
        for owner in ("a.kinetic", "a.elastic", "b.potential", "a.damping", "b.damping", "springs.pad.damping", "springs.foot.damping", "springs.soft.elastic"):
            self.assertGreater(max(map(abs, bodies[owner])), 1e-6, owner)
        self.assertNotIn("springs.pad.kinetic", bodies)
        self.assertEqual(max(bodies["springs.soft.damping"]), 0)

    def test_sums_with_every_kind_of_model(self):
        for name, sets in (("block_on_base", ()), ("rotor_in_safety_bearing", ("time.end=2 ms",)), ("rotor_drop", ("time.end=5 ms",)), ("shaken_beam", ("time.end=5 ms",)), ("beam_from_matrices", ("time.end=1 ms",)),
                           ("blade_rubs", ("time.end=1 ms", "gravity=[0, -9.81 m/s^2, 0]")), ("elastic_bar_redistributed", ()), ("crank_in_space", ("time.end=0.1 s",)), ("spinning_top", ("time.end=0.1 s",))):
            sets = [word for value in (*sets, "output.body_energies.every=20", "output.energy.every=20", "output.frames.every=0") for word in ("--set", value)]
            self.run_config(os.path.join(ROOT, "configs", name + ".yaml"), name, *sets)
            self.check_sums(name, 1e-10)

    def test_each_scheme(self):
        for scheme in ("generalised_alpha, step: 0.5 us", "moreau_midpoint, step: 0.5 us", "projection_combined, step: 0.5 us", "event_driven_rkf45, step: 0.5 us"):
            self.run_config(BARS.replace("half_explicit, step: 0.5 us", scheme).replace("2 ms}", "0.3 ms}").replace(
                "\n  soft: {between: [a.left, ground], stiffness: 1e4 N/m, law: {cubic: {coefficient: 1e12 N/m^3, travel: 5 mm}}, direction: [1, 0, 0]}", ""), "scheme", "--overwrite")
            self.check_sums("scheme")

    def test_dissipation_of_each_owner(self):
        """Rigid bodies in free flight: the dashpot dissipates all of the energy; and the damping of a single body."""
        self.run_config(BARS, "bars")
        bodies, energy = self.table("bars", "body_energies.csv"), self.table("bars", "energy.csv")
        for name in bodies:
            if name.endswith("damping"):
                self.assertTrue(all(after >= before - 1e-15 for before, after in zip(bodies[name], bodies[name][1:])), name)
        only = BARS.replace(", damping: 200 N s/m", "").replace(", damping: 300 N s/m", "").replace("    damping: {rayleigh: {mass: 500 1/s}}", "    damping: {rayleigh: {mass: 0 1/s}}")
        self.run_config(only, "only")
        bodies, energy = self.table("only", "body_energies.csv"), self.table("only", "energy.csv")
        self.assertEqual(bodies["a.damping"], energy["damping"])
        self.assertEqual(max(map(abs, bodies["b.damping"])), 0)

    def test_powers_are_shared_rightly(self):
        """Two masses on dashpots c1, c2 slow down as v exp(-c t/m): each dashpot takes m v^2/2 (1 - exp(-2 c t/m))."""
        self.run_config("""
bodies:
  m1: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1], initial: {velocity: [3 m/s, 0, 0]}}
  m2: {type: rigid, at: [0, 1 m, 0], mass: 2 kg, inertia: [1, 1, 1], initial: {velocity: [3 m/s, 0, 0]}}
springs:
  d1: {between: [m1.center, ground], stiffness: 0 N/m, damping: 4 N s/m, direction: [1, 0, 0]}
  d2: {between: [m2.center, ground], stiffness: 0 N/m, damping: 1 N s/m, direction: [1, 0, 0]}
scheme: {type: half_explicit, step: 1 ms}
time: {end: 1 s}
output: {frames: {every: 0}, body_energies: {every: 100}}
""", "dashpots")
        bodies = self.table("dashpots", "body_energies.csv")
        for name, c in (("d1", 4), ("d2", 1)):
            for t, taken in zip(bodies["time"], bodies[f"springs.{name}.damping"]):
                self.assertAlmostEqual(taken, 9 * (1 - math.exp(-c * t)), delta=2e-5)  # step 1 ms: h^2

    # ---- resultants ----

    def test_resultant_is_the_change_of_momentum(self):
        """Of a ball against an oblique plane, in the plane of two balls, and round the inside of a drum, with friction along two tangents."""
        surfaces = ("{plane: {point: [0, 0, 0], normal: [0.2, 0.9, -0.3]}}", "{cylinder: {center: [0, 90 mm, 0], axis: [0, 0, 1], radius: 100 mm, side: inside}}",
                    "{sphere: {center: [0, -90 mm, 0], radius: 88 mm, side: outside}}", "other.center", "{plane: {point: [0, -50 mm, 0], normal: [0, 1, 0]}}")
        for surface in surfaces:
            rolls = surface is surfaces[-1]
            first, friction = ("{node: ball.center, radius: 50 mm}", "{coefficient: 0.3, rolling: 1 mm, drilling: 0.5 mm}") if rolls else ("ball.center", "0.3")
            self.run_config(f"""
gravity: [0, -9.81 m/s^2, 0]
bodies:
  ball: {{type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1], initial: {{velocity: [1 m/s, -2 m/s, 0.5 m/s]}}}}
  other: {{type: rigid, at: [0, -1 m, 0], mass: 20 kg, inertia: [1, 1, 1]}}
supports: {{hold: {{at: other.center}}}}
contacts: {{touch: {{between: [{first}, {surface}], {"normal: [0, -1, 0], gap_offset: -0.998 m, " if "other" in surface else ""}friction: {friction}, restitution: 0.4}}}}
scheme: {{type: half_explicit, step: 0.1 ms}}
time: {{end: 60 ms}}
output: {{frames: {{every: 0}}, history: {{probes: [ball.center], every: 1}}, resultants: {{every: 7}}}}
""", "ball", "--overwrite")
            found, history = self.table("ball", "resultants.csv"), self.table("ball", "history.csv")
            self.assertGreater(sum(map(abs, found["touch.py"])), 0.1, surface)
            self.assertLessEqual(max(found["touch.contacts"]), 1, surface)
            for axis, gravity in (("x", 0), ("y", -9.81), ("z", 0)):
                speed = history[f"ball.center.v{axis}"]
                self.assertAlmostEqual(sum(found["touch.p" + axis]), 2 * (speed[-1] - speed[0] - gravity * 0.06), delta=1e-9, msg=f"{surface} {axis}")

    def test_resultant_adds_up_the_contacts(self):
        self.run_config(BLOCK, "block")
        found, contacts = self.table("block", "resultants.csv"), self.table("block", "contacts.csv")
        forces = [name[:-6] for name in contacts if name.endswith(".force")]
        at = {t: i for i, t in enumerate(contacts["time"])}
        for row, t in enumerate(found["time"]):
            self.assertAlmostEqual(found["floor.fy"][row], sum(contacts[f"{name}.force"][at[t]] for name in forces), delta=1e-6)
        every = [sum(contacts[f"{name}.impulse"]) for name in forces]
        self.assertAlmostEqual(sum(found["floor.py"]), sum(every), delta=1e-12)
        # moment about z of normal impulses at the nodes, which lie along x: from the forces of a static block
        self.run_config("""
gravity: [0, -10 m/s^2, 0]
bodies: {plate: {type: solid, mesh: {box: {from: [0, 0, 0], to: [1 m, 0.1 m, 0], cells: [8, 4, 0]}}, thickness: 10 mm, state: plane_stress, material: {density: 1000 kg/m^3, young: 1 GPa, poisson: 0.3}, damping: {rayleigh: {mass: 3e3 1/s}}}}
loads: {push: {at: plate.right_top, force: [0, -3 N, 0]}}
contacts: {floor: {between: [plate.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}
scheme: {type: massless_contact, step: 5 us}
time: {end: 40 ms}
output: {frames: {every: 0}, resultants: {every: 100}}
""".replace("damping: {ray", "mass: redistributed, damping: {ray"), "rest")
        found = self.table("rest", "resultants.csv")
        self.assertAlmostEqual(found["floor.fy"][-1], 13, delta=0.05)
        self.assertAlmostEqual(found["floor.mz"][-1], 1.5, delta=0.03)  # 3 N at 0.5 m from the middle

    def test_bodies_of_large_rotations(self):
        self.run_config(os.path.join(ROOT, "configs/box_on_belt.yaml"), "box", "--set", "output.resultants.every=1", "--set", "output.contacts.every=1", "--set", "output.frames.every=0", "--set", "time.end=50 ms")
        found, contacts = self.table("box", "resultants.csv"), self.table("box", "contacts.csv")
        self.assertEqual(sum(name.endswith(".fx") for name in found), 1)
        self.assertAlmostEqual(sum(found["belt.pz"]), sum(sum(contacts[name]) for name in contacts if name.startswith("belt") and name.endswith(".impulse")), delta=1e-9)

    # ---- gauges ----

    def test_gauges(self):
        self.run_config(GAUGES, "gauges")
        row = {name: values[0] for name, values in self.table("gauges", "history.csv").items()}
        E, nu = 210e9, 0.3
        axial, e = 1000 / (E * 1e-3), 1e6 / E
        exact = {"axis.strain": axial, "above.strain": axial + 50 * 0.025 / (E * 0.02 * 0.05**3 / 12), "beside.strain": axial - 20 * 0.01 / (E * 0.05 * 0.02**3 / 12),
                 "rod.strain": 1000 / (E * math.pi * 1e-4), "along.strain": e, "across.strain": -nu * e, "r.e1": e, "r.e2": -nu * e, "d.e1": e, "d.e2": -nu * e, "r.e_angle": -math.pi / 6,
                 "d.e_angle": -math.pi / 6, "c.e1": 2 * e, "c.e2": -nu * 2 * e, "c.e_angle": math.pi / 4, "r.strain_a": e * (0.75 - nu / 4), "d.strain_b": -nu * e, "plate.p.s1_x": 1, "cube.p.s1_y": 1}
        for name, value in exact.items():
            self.assertAlmostEqual(row[name], value, delta=1e-9 * max(1e-3, abs(value)), msg=name)
        for k in "123":
            self.assertAlmostEqual(sum(row[f"cube.p.s{k}_{axis}"]**2 for axis in "xyz"), 1, delta=1e-12)

    def test_gauge_of_a_reduced_body(self):
        whole = """
bodies:
  plate:
    type: solid
    mesh: {box: {from: [0, 0, 0], to: [1 m, 0.1 m, 0], cells: [8, 2, 0]}}
    thickness: 10 mm
    state: plane_stress
    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
    points: {p: [0.3 m, 0.04 m, 0]}
    reduce: {method: craig_bampton, modes: 20}
supports: {clamp: {at: plate.left}}
contacts: {stop: {between: [plate.right_top, {plane: {point: [0, 1 m, 0], normal: [0, -1, 0]}}]}}
loads: {pull: {on: plate.right, traction: [1 MPa, 0, 0]}}
start: static
scheme: {type: moreau_midpoint, step: 1 us}
time: {end: 10 us}
output: {frames: {every: 0}, history: {probes: [plate.p], gauges: {g: {at: plate.p, direction: [1, 0, 0]}, r: {at: plate.p, direction: [1, 0, 0], rosette: delta}}, principal_directions: true}}
"""
        self.run_config(whole, "reduced")
        row = {name: values[-1] for name, values in self.table("reduced", "history.csv").items()}
        self.assertAlmostEqual(row["g.strain"], row["plate.p.exx"], delta=1e-15)
        self.assertAlmostEqual(row["r.strain_a"], row["g.strain"], delta=1e-15)
        self.assertAlmostEqual(row["g.strain"], 1e6 / 210e9, delta=0.1 * 1e6 / 210e9)

    def test_rotating_damping_is_the_shaft_s(self):
        self.run_config(SHAFT, "shaft")
        bodies = self.check_sums("shaft")
        self.assertEqual({name.rsplit(".", 1)[0] for name in bodies if name != "time"}, {"shaft", "bearings.left", "bearings.right"})
        self.assertGreater(bodies["shaft.damping"][-1], 5 * bodies["bearings.left.damping"][-1])

    def test_modal_books_circulation_as_load(self):
        """As all schemes do: the drive brings what rotating damping feeds into a whirl."""
        def run(out, scheme):
            self.run_config(SHAFT.replace("{type: moreau_jean, step: 50 us}", f"{{type: {scheme}, step: 4 us}}"), out)
            return {name: values[-1] for name, values in self.table(out, "energy.csv").items()}
        expected, modal = run("expected", "event_driven_rkf45"), run("modal", "modal")
        for name in ("kinetic", "elastic", "damping", "load"):
            self.assertLess(abs(modal[name] - expected[name]), 1e-3 * abs(expected[name]), name)
        self.check_sums("modal")

    # ---- rows, headers, processes, checkpoints, studies ----

    def test_rows_on_change(self):
        """Straight lines between the rows are within twice the tolerance of what is recorded in every step; first and last row are there."""
        self.run_config(BARS.replace("every: 100}, contacts", "every: 1}, contacts"), "every")
        self.run_config(BARS.replace("every: 100}, contacts", "every: 1, on_change: 0.05}, contacts"), "change")
        full, few = self.table("every", "history.csv"), self.table("change", "history.csv")
        self.assertLess(len(few["time"]), len(full["time"]) / 3)
        self.assertEqual((few["time"][0], few["time"][-1]), (full["time"][0], full["time"][-1]))
        for name in ("a.left.ux", "a.left.vx"):
            limit, i = 2 * 0.05 * max(map(abs, full[name])) * (1 + 1e-9), 0
            for t, value in zip(full["time"], full[name]):
                while few["time"][i + 1] < t:
                    i += 1
                part = (t - few["time"][i]) / (few["time"][i + 1] - few["time"][i])
                self.assertLessEqual(abs(few[name][i] + part * (few[name][i + 1] - few[name][i]) - value), limit)
            self.assertGreater(max(abs(a - b) for a, b in zip(few[name], few[name][1:])), 0)

    def test_units_of_headers(self):
        from percuss.results import read_table
        self.run_config(BARS, "plain")
        self.run_config(BARS, "units", "--set", "output.units=true")
        with open(self.path("units", "contacts.csv")) as file:
            header = file.readline().strip().split(",")
        self.assertEqual(header[:5], ["time [s]", "wall.gap [m]", "wall.gap_rate [m/s]", "wall.force [N]", "wall.impulse [N s]"])
        for name in ("history.csv", "body_energies.csv", "resultants.csv", "energy.csv", "events.csv"):
            with open(self.path("plain", name)) as plain, open(self.path("units", name)) as units:
                self.assertEqual([word.split(" [")[0] for word in units.readline().strip().split(",")], plain.readline().strip().split(","))
                self.assertEqual(units.read(), plain.read())
        self.assertEqual(list(read_table(self.path("units", "body_energies.csv")).columns), list(read_table(self.path("plain", "body_energies.csv")).columns))
        self.assertEqual(read_table(self.path("units", "body_energies.csv")).units["a.kinetic"], "J")
        done = subprocess.run([PERCUSS, "compare", self.path("plain"), self.path("units")], capture_output=True, text=True)
        self.assertNotIn("only in", done.stdout + done.stderr)
        self.assertIn(done.returncode, (0, 1), done.stderr)

    @unittest.skipUnless(MPIEXEC, "needs mpiexec")
    def test_processes(self):
        # without the nonlinear spring, which is for one process
        config = "\n".join(line for line in BARS.split("\n") if "soft" not in line).replace("type: bar", "type: bar\n    mass: lumped")
        self.run_config(config, "one")
        self.run_config(config, "two", ranks=2)
        self.check_sums("two")
        for name in ("body_energies.csv", "resultants.csv"):
            one, two = self.table("one", name), self.table("two", name)
            for column in one:
                scale = max(1e-12, max(map(abs, one[column])))
                self.assertLess(max(abs(x - y) for x, y in zip(one[column], two[column])), 1e-8 * scale + 1e-12, f"{name} {column}")

    def test_resumed_run_has_the_same_bytes(self):
        config = BARS.replace("every: 100}, contacts", "every: 1, on_change: 0.05, gauges: {g: a@0.5}}, contacts")
        self.run_config(config, "whole")
        self.run_config(config.replace("end: 2 ms", "end: 1.1 ms"), "parts")
        path = self.path("model.yaml")
        with open(path, "w") as file:
            file.write(config)
        done = subprocess.run([PERCUSS, "run", path, "--quiet", "--out", self.path("parts"), "--resume"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("history.csv", "body_energies.csv", "resultants.csv", "contacts.csv", "energy.csv"):
            with open(self.path("whole", name), "rb") as one, open(self.path("parts", name), "rb") as two:
                self.assertEqual(one.read(), two.read(), name)

    def test_study_records_them(self):
        with open(self.path("model.yaml"), "w") as file:
            file.write(BARS)
        with open(self.path("study.yaml"), "w") as file:
            file.write("config: model.yaml\nvary: {springs.foot.damping: [100 N s/m, 300 N s/m]}\nrecord: {taken: {column: body_energies.springs.foot.damping, value: final}, push: {column: resultants.wall.px, value: sum}}\n")
        done = subprocess.run([PERCUSS, "study", self.path("study.yaml"), "--quiet", "--out", self.path("study")], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("study", "study.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2)
        self.assertTrue(all(float(row["taken"]) > 0 and float(row["push"]) > 0 for row in rows), rows)


if __name__ == "__main__":
    unittest.main()
