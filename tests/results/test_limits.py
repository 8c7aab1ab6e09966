#!/usr/bin/python3
"""Runs whose numbers are not to be trusted: what is said, when, of whom; what is kept; and that sound runs hear nothing of it. Usage: test_limits.py PERCUSS"""
import csv
import glob
import json
import math
import os
import re
import signal
import shutil
import subprocess
import sys
import tempfile
import unittest

from tested import PERCUSS, ROOT

sys.path.insert(0, os.path.join(ROOT, "python"))
MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
COMPILER = os.environ.get("CC") or shutil.which("cc")
BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
BOX = os.path.join(ROOT, "configs/ball_in_box.yaml")
TABLES = ("history.csv", "contacts.csv", "energy.csv")
# Pushes the bar's end out of the wall in one step, which costs E S (v dt)^2/(2 l) where two end nodes are pushed in turn: 6.3 times the energy that the bar has.
COARSE = ("--set", "scheme={type: projection_combined, step: 100 us}", "--set", "time.end=20 ms")

FREE_SPIN = """
bodies:
  shaft:
    type: rotor
    mesh: {line: {from: [0, 0, 0], to: [0.6 m, 0, 0], elements: 8}}
    material: {density: 7800, young: 210 GPa, poisson: 0.3}
    section: {circle: {radius: 10 mm}}
    spin: {free: 0 rpm}
discs:
  wheel: {at: shaft@0.3, mass: 20 kg, polar_inertia: 2, diametral_inertia: 1}
bearings:
  left: {between: [shaft.left, ground], stiffness: 1 MN/m, damping: 10}
  right: {between: [shaft.right, ground], stiffness: 1 MN/m, damping: 10}
loads:
  motor: {at: shaft.right, moment: [20 kN m, 0, 0]}
scheme: {type: half_explicit, step: 4 us}
time: {end: 0.3 s}
output: {frames: {every: 0}, history: {every: 100}, energy: {every: 100}}
"""
TABLE = "bearings.left.over_speed=[[0, 1e6, 0, 0, 1e6, 10, 0, 0, 10], [10000 rpm, 2e6, 0, 0, 2e6, 10, 0, 0, 10]]"

# A ball on a spring above a floor: after t = 0.01 s it returns NaN.
SICK = """
#include <math.h>
#include <signal.h>
#include "percuss/mechanism.h"
static const NsMechanismCoordinate coordinates[] = {{"x", "vx", {1, 0, 0, 0}, "1 mm", "0"}, {"y", "vy", {1, 0, 0, 0}, "0.1", "0"}, {0}};
static const NsMechanismContact contacts[] = {{"floor", 0, 0}, {0}};
static double length(const NsMechanismCase *c) { (void)c; return 0.1; }
static void mass(const NsMechanismCase *c, const double *q, double *M) { (void)c; (void)q; M[0] = M[3] = 1; M[1] = M[2] = 0; }
static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{ (void)c; (void)t; (void)v; h[0] = FORCE; h[1] = 0; }
static void energy(const NsMechanismCase *c, const double *q, double *elastic, double *potential)
{ (void)c; *elastic = 50 * q[0] * q[0]; *potential = 0; }
static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{ (void)c; (void)t; (void)drive; g[0] = GAP; W[0] = 0; W[1] = 1; }
static void place(const NsMechanismCase *c, double t, const double *q, int k, double x[3], double n[3])
{ (void)c; (void)t; (void)k; x[0] = q[0]; x[1] = q[1]; x[2] = 0; n[0] = n[2] = 0; n[1] = 1; }
const NsMechanism percuss_mechanism = {.version = NS_MECHANISM_VERSION, .name = "sick", .title = "sick", .coordinates = coordinates, .contacts = contacts, .length = length,
  .mass = mass, .constant_mass = 1, .force = force, .energy = energy, .contact = contact, .contact_point = place};
"""


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


class Limits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.out = os.path.join(self.folder, "results")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_(self, config, *words, code=0, before=()):
        done = subprocess.run([*before, PERCUSS, "run", config, "--out", self.out, "--overwrite", *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def config(self, text):
        path = os.path.join(self.folder, "config.yaml")
        with open(path, "w") as file:
            file.write(text)
        return path

    def manifest(self):
        with open(os.path.join(self.out, "run.json")) as file:
            return json.load(file)

    def bytes_of(self, name):
        with open(os.path.join(self.out, name), "rb") as file:
            return file.read()

    def columns(self, name):
        return table(os.path.join(self.out, name))

    def warning(self, kind):
        found = [warning for warning in self.manifest()["exceeded"] if warning["kind"] == kind]
        self.assertEqual(len(found), 1)
        return found[0]

    def assert_finite(self, last):
        """All that was written, to the row of the last good state."""
        for name in TABLES:
            rows = self.columns(name)[1]
            for row in rows:
                for value in row:
                    self.assertTrue(value in ("open", "closed", "stick", "slip") or math.isfinite(float(value)), f"{name}: {row}")
            self.assertAlmostEqual(float(rows[-1][0]), last, delta=1e-12, msg=name)

    def test_a_blow_up_ends_long_before_overflow(self):
        for energy in (1, 0):
            done = self.run_(BAR, "--force", "--set", "scheme.step=2.3 us", "--set", f"output.energy.every={energy}", "--set", "output.frames.every=50", code=1)
            told = re.search(r"percuss run: at t = (\S+) s \(step (\d+)\) the numerical energy error is (\S+) J, (\S+) times the reference energy \(0.0123 J\), above 0.1 \(limits.energy\) since "
                             r"t = (\S+) s; fastest: bar at \(\S+, 0, 0\) m, displacement along \(1, 0, 0\); the time step is above the critical time step\n", done.stderr)
            self.assertTrue(told, done.stderr)
            t, step, made, ratio = float(told[1]), int(told[2]), float(told[3]), float(told[4])
            self.assertAlmostEqual(t, step * 2.3e-6, delta=1e-12)
            self.assertLess(made, 1e6)  # an energy of 1e300 would be the end
            self.assertAlmostEqual(ratio, made / 0.01225, delta=1e-2 * ratio)
            history = self.columns("history.csv")[1]
            self.assertEqual(float(history[-1][0]), t)  # what happened is to be seen
            self.assertTrue(all(math.isfinite(float(value)) for row in history for value in row))
            with open(os.path.join(self.out, "elastic_bar.vtk.series")) as file:
                self.assertEqual(json.load(file)["files"][-1]["time"], t)
            manifest = self.manifest()
            self.assertEqual(manifest["exit_status"], "failed")
            self.assertIn(manifest["failure"], done.stderr)
            self.assertEqual(manifest["summary"]["steps"], step)

    def test_energy_that_the_scheme_makes_is_warned_of_once(self):
        done = self.run_(BAR, *COARSE)
        self.assertEqual(len(re.findall("warning", done.stderr)), 1, done.stderr)
        self.assertEqual(len(re.findall(r"^  warning: at t = .* at worst 6\.\d+ times the reference energy at t = .* s$", done.stdout, re.M)), 1, done.stdout)
        warning = self.warning("energy")
        self.assertIn(warning["message"], done.stderr)
        rows = [[float(x) for x in row] for row in self.columns("energy.csv")[1]]
        ratios = [(row[8] / (rows[0][1] + rows[0][2]), row[0]) for row in rows]
        self.assertEqual(warning["since"], next(t for ratio, t in ratios if ratio > 0.1))
        self.assertAlmostEqual(warning["worst"], max(ratios)[0], delta=1e-9 * warning["worst"])
        self.assertEqual(warning["worst_at"], max(ratios)[1])
        self.assertEqual(warning["limit"], 0.1)
        self.assertTrue(warning["name"].startswith("bar at ("))
        self.assertEqual(self.manifest()["exit_status"], "done")

    def test_energy_that_an_explicit_scheme_loses(self):
        """Between two walls the schemes that fulfil the constraint on another level than velocity lose the energy of the bar; those on velocity level, and implicit ones with their numerical damping, cause no warning."""
        for scheme, lost in (("explicit_velocity", (0.8, 1)), ("half_explicit_acceleration", (0.2, 0.8)), ("half_explicit", None), ("moreau_jean", None)):
            done = self.run_(BAR, "--set", f"scheme={{type: {scheme}, step: 0.5 us}}", "--set", "time.end=10 ms", "--set", "output={frames: {every: 0}, energy: {every: 100}}", "--set",
                             "contacts.back={between: [bar.right, {plane: {point: [1.0001 m, 0, 0], normal: [-1, 0, 0]}}], restitution: 0}", "--quiet")
            if not lost:
                self.assertEqual((done.stderr, self.manifest()["exceeded"]), ("", []), scheme)
                continue
            self.assertRegex(done.stderr, r"^percuss run: warning: at t = \S+ s the scheme has lost \S+ J, 0\.\d+ times the reference energy .*compare with a smaller step, or with half_explicit\n$")
            warning = self.warning("loss")
            rows = [[float(x) for x in row] for row in self.columns("energy.csv")[1]]
            self.assertEqual(warning["since"], next(row[0] for row in rows if -row[8] > 0.1 * (rows[0][1] + rows[0][2])))
            self.assertAlmostEqual(warning["worst"], max(-row[8] for row in rows) / (rows[0][1] + rows[0][2]), delta=1e-9)
            self.assertTrue(lost[0] < warning["worst"] < lost[1], warning["worst"])
        self.run_(BAR, "--set", "scheme={type: explicit_velocity, step: 0.5 us}", "--set", "time.end=2 ms", "--set", "limits.on_exceed=stop", code=1)

    def test_limits_change_no_byte_of_the_results(self):
        self.run_(BAR, *COARSE)
        kept = {name: self.bytes_of(name) for name in (*TABLES, "events.csv")}
        done = self.run_(BAR, *COARSE, "--set", "limits.energy=10")
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.manifest()["exceeded"], [])
        for name, text in kept.items():
            self.assertEqual(self.bytes_of(name), text, name)

    def test_on_exceed_stop(self):
        done = self.run_(BAR, *COARSE, "--set", "limits.on_exceed=stop", code=1)
        told = re.search(r"^percuss run: at t = (\S+) s .* above 0.1 \(limits.energy\)", done.stderr, re.M)
        self.assertTrue(told, done.stderr)
        self.assertNotIn("warning", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(float(self.columns("energy.csv")[1][-1][0]), float(told[1]))
        self.assertLess(float(told[1]), 1e-3)

    def test_noise_of_the_first_steps_is_ignored(self):
        """From rest the first steps make as much as there is: rocking_block a quarter of it, for 10 of 40000 steps."""
        done = self.run_(os.path.join(ROOT, "configs/rocking_block_housner.yaml"), "--set", "output.frames.every=0", "--set", "time.end=0.5")
        self.assertEqual(done.stderr, "")
        rows = [[float(x) for x in row] for row in self.columns("energy.csv")[1]]
        most = max(row[8] / abs(row[3] - rows[0][3]) for row in rows[1:50] if row[3] != rows[0][3])
        self.assertGreater(most, 0.1)

    def test_energy_from_nowhere_above_the_limit_at_the_end_alone(self):
        """With rows at the first and last step only, the last check reports it."""
        done = self.run_(BAR, *COARSE, "--set", "output.energy.every=1000", "--set", "time.end=0.7 ms")
        self.assertEqual(self.warning("energy")["step"], 7)
        self.assertIn("warning: at t = 0.0007 s", done.stderr)

    def test_penetration(self):
        done = self.run_(BOX, "--set", "limits.penetration=1 mm")
        warning = self.warning("penetration")
        names, rows = self.columns("contacts.csv")
        gap = names.index(warning["name"] + ".gap")
        self.assertEqual(warning["since"], next(float(row[0]) for row in rows if float(row[gap]) < -1e-3))
        deepest = max(-float(row[k]) for row in rows for k in range(len(names)) if names[k].endswith(".gap"))
        self.assertEqual(warning["worst"], deepest)
        self.assertEqual(warning["limit"], 1e-3)
        self.assertEqual(len(re.findall("warning", done.stderr)), 1)
        self.assertIn("(limits.penetration)", done.stderr)
        self.run_(BOX, "--set", "limits={penetration: 1 mm, on_exceed: stop}", code=1)
        self.assertEqual(self.manifest()["failure"], warning["message"])
        self.assertEqual(float(self.columns("contacts.csv")[1][-1][0]), warning["since"])

    def test_the_length_of_bodies_without_meshes(self):
        """Of a block on its corners it is how far these are from its centre: so projections know it; the limit of penetration goes by twice its radius of gyration, and gaps that are closed up to rounding."""
        corner = "{between: [{node: block.center, offset: [%g mm, -50 mm, %g mm]}, {plane: {point: [0, 0, 0], normal: [0, 1, 0], velocity: [0.5 m/s, 0, 0]}}], friction: 0.3}"
        config = self.config("gravity: [0, -9.81 m/s^2, 0]\nbodies: {block: {type: rigid, at: [0, 50 mm, 0], mass: 2 kg, inertia: [0.01, 0.01, 0.01]}}\n"
                             "contacts: {" + ", ".join(f"p{k}: " + corner % place for k, place in enumerate(((-100, -50), (100, -50), (0, 50)))) + "}\n"
                             "scheme: {type: half_explicit, step: 0.1 ms}\ntime: {end: 0.2 s}\noutput: {frames: {every: 0}}\n")
        for height in ("50 mm", "51 mm"):
            self.run_(config, "--set", "scheme.positions=held", "--set", f"bodies.block.at=[0, {height}, 0]")
        self.run_(config, "--set", "scheme={type: generalised_alpha, step: 0.1 ms}")
        with open(os.path.join(self.out, "events.csv")) as file:
            self.assertLess(len(file.readlines()), 20)
        done = self.run_(config, "--set", "bodies.block.at=[0, 1.05 m, 0]", "--set", "scheme.step=20 ms", "--set", "time.end=0.6 s")
        self.assertRegex(done.stderr, r"penetration of contact 'p\d' is \S+ m at t = \S+ s \(step \d+\), above 0.0141 m \(a tenth of the body, ")

    def test_penetration_of_a_tenth_of_the_model(self):
        done = self.run_(os.path.join(ROOT, "configs/slider_crank.yaml"), "--set", "scheme.step=5 ms", "--set", "limits.energy=10")
        self.assertRegex(done.stderr, r"^percuss run: warning: penetration of contact 'corner\d' is \S+ m at t = \S+ s \(step \d+\), above 0.0153 m \(a tenth of the model's length\)\n$")

    def sick(self, force, gap, text=SICK):
        source, library = os.path.join(self.folder, "sick.c"), os.path.join(self.folder, "sick.so")
        with open(source, "w") as file:
            file.write(text)
        subprocess.run([COMPILER, "-shared", "-fPIC", f"-I{ROOT}/include", f"-DFORCE={force}", f"-DGAP={gap}", source, "-o", library], check=True)
        return self.config(f"bodies: {{ball: {{type: plugin, library: {library}, contact: {{}}}}}}\nscheme: {{type: half_explicit, step: 0.1 ms}}\ntime: {{end: 0.1 s}}\n"
                           "output: {frames: {every: 10}}\n")

    def test_tiny_velocities(self):
        """Their reciprocal is not finite; frames are finite nevertheless."""
        config = self.config("bodies: {mass: {type: oscillator, mass: 1 kg, stiffness: 100 N/m, rest: 0.1 m, contact: {restitution: 0.5}, initial: {x: 0.1 m, v: 1e-320}}}\n"
                             "scheme: {type: half_explicit, step: 0.1 ms}\ntime: {end: 1 ms}\noutput: {frames: {every: 1}}\n")
        from percuss.results import read_frame
        self.run_(config)
        frames = glob.glob(os.path.join(self.out, "frames", "config_*.vtk"))
        self.assertEqual(len(frames), 11)
        for path in frames:
            for name, values in read_frame(path).point.items():
                self.assertTrue(all(math.isfinite(value) for value in values.ravel()), (path, name))

    def test_time_step_underflow(self):
        """Steps by a scheme's own choice, too short for the run ever to end."""
        config = self.config("bodies: {ball: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1]}}\n"
                             "loads: {push: {at: ball.center, force: [1 N, 0, 0], time: {harmonic: {frequency: 1e18 Hz}}}}\n"
                             "scheme: {type: event_driven_hem5, step: 0.1 ms}\ntime: {end: 1 s}\noutput: {frames: {every: 0}}\n")
        done = self.run_(config, code=1)
        self.assertRegex(done.stderr, r"^percuss run: step \d+ at t = \S+ s: time step underflow: 20000 steps in a row were shorter than 1e-15 of the simulated time; some rotation")
        self.assertEqual(self.manifest()["exit_status"], "failed")

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_a_mechanism_with_nan(self):
        """Nothing of it is written, however rarely the program looks by itself."""
        config = self.sick("t > 0.01005 ? NAN : -100 * q[0]", "q[1]")
        for outputs in ("energy.every=1", "energy.every=0", "history.every=0"):
            done = self.run_(config, "--set", f"output.{outputs}", code=1)
            told = re.search(r"percuss run: NaN or Inf at t = (\S+) s \(step (\d+)\): velocity of ball x\n", done.stderr)
            self.assertTrue(told, done.stderr)
            self.assertLess(float(told[1]), 0.0101 + 16e-4)
            if outputs == "energy.every=1":
                self.assertEqual(told[1], "0.0101")
                self.assert_finite(0.01)
            self.assertEqual(self.manifest()["exit_status"], "failed")
            for path in glob.glob(os.path.join(self.out, "*.csv")):
                with open(path) as file:
                    self.assertNotRegex(file.read(), r"\b(nan|inf)", path)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_no_checkpoint_with_nan(self):
        """Asked for one between two looks of the program."""
        self.sick("isnan(q[0]) && raise(SIGUSR1) ? 0 : t > 0.01005 ? NAN : -100 * q[0]", "q[1]", SICK.replace('{"floor", 0, 0}, ', ""))
        config = self.config(f"bodies: {{ball: {{type: plugin, library: {self.folder}/sick.so}}}}\nscheme: {{type: half_explicit, step: 0.1 ms}}\ntime: {{end: 0.1 s}}\n"
                             "output: {history: {every: 0}, energy: {every: 0}, frames: {every: 0}}\n")
        done = self.run_(config, code=1)
        self.assertRegex(done.stderr, r"NaN or Inf at t = 0.010\d* s \(step 10\d\): velocity of ball x\n")
        self.assertEqual(glob.glob(os.path.join(self.out, "checkpoint", "*.ckpt")), [])

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_a_mechanism_that_crashes(self):
        """Where, and what to do; the shell sees the signal."""
        config = self.sick("t > 0.01005 ? *(volatile double *)8 : -100 * q[0]", "q[1]")
        done = subprocess.run([PERCUSS, "run", config, "--out", self.out, "--overwrite"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, -signal.SIGSEGV, done.stderr)
        self.assertIn("percuss: terminated by an invalid memory access, a bug in a plugin or in percuss itself; innermost call first:\n", done.stderr)
        self.assertRegex(done.stderr, r"sick\.so\(\+0x[0-9a-f]+\)")
        self.assertRegex(done.stderr, r"\(NsRunCreate\+0x[0-9a-f]+\)")  # plugins are tried before they run
        self.assertIn("--resume", done.stderr)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_a_gap_with_nan(self):
        done = self.run_(self.sick("-100 * q[0]", "t > 0.01005 && t < 0.01015 ? NAN : q[1]"), code=1)
        self.assertIn("percuss run: NaN or Inf at t = 0.0101 s (step 101): gap of contact 'floor'\n", done.stderr)
        self.assert_finite(0.01)

    def test_free_spin_beyond_what_the_step_allows(self):
        config = self.config(FREE_SPIN)
        done = subprocess.run([PERCUSS, "check", config], capture_output=True, text=True, timeout=60)
        limit = float(re.search(r"^  limits .* a free spin above (\S+) rpm \(with this step\)$", done.stdout, re.M)[1])
        done = self.run_(config)
        warning = self.warning("spin")
        self.assertEqual(warning["name"], "shaft")
        self.assertAlmostEqual(warning["limit"] * 30 / math.pi, limit, delta=1e-3 * limit)
        # the motor does nothing but turn the shaft: Omega = M t / J, less the shaft's own part of J
        self.assertAlmostEqual(warning["since"], limit * math.pi / 30 * 2 / 20e3, delta=1e-3 * warning["since"] + 16 * 4e-6)
        self.assertRegex(done.stderr, r"^percuss run: warning: 'shaft' turns at \S+ rpm at t = \S+ s \(step \d+\): from \S+ rpm on the time step is above the critical time step, and whirling modes "
                                      r"grow by more than a tenth in 0.3 s\n$")
        self.run_(config, "--set", "limits.on_exceed=stop", code=1)
        self.assertEqual(self.manifest()["summary"]["time"], warning["since"])
        # half the step allows more
        done = subprocess.run([PERCUSS, "check", config, "--set", "scheme.step=2 us"], capture_output=True, text=True, timeout=60)
        self.assertGreater(float(re.search(r"free spin above (\S+) rpm", done.stdout)[1]), 2 * limit)

    def test_free_spin_limit_is_that_of_a_prescribed_spin(self):
        """Just below the speed the same rotor at that constant speed is accepted, just above it is refused."""
        config = self.config(FREE_SPIN)
        done = subprocess.run([PERCUSS, "check", config], capture_output=True, text=True, timeout=60)
        limit = float(re.search(r"free spin above (\S+) rpm", done.stdout)[1])
        for factor, code in ((0.99, 0), (1.01, 2)):
            self.run_(config, "--set", f"bodies.shaft.spin={factor * limit:.9g} rpm", "--set", "time.end=0.3", "--set", "loads={}", "--quiet", code=code)

    def test_steps_that_keep_below_their_limit_follow_a_free_spin(self):
        config, scheme = self.config(FREE_SPIN), "scheme={type: half_explicit_adaptive, step: 1 ms, tolerance: 1}"
        done = self.run_(config, "--set", scheme, "--set", "output.history.every=1")
        self.assertEqual(done.stderr, "")
        times = [float(row[0]) for row in self.columns("history.csv")[1]]
        for fraction, longest in ((0.01, 0.7 * 8.2e-6), (0.999, None)):
            at = int(fraction * len(times))
            speed = 10e3 * times[at]  # rad/s, of M t / J
            if longest is None:  # the limit of that spin, if it were prescribed
                words = ("--set", "scheme={type: half_explicit, step: 1 us}", "--set", f"bodies.shaft.spin={speed * 0.98:.9g} rad/s", "--set", "loads={}")
                done = subprocess.run([PERCUSS, "check", config, *words], capture_output=True, text=True, timeout=60)
                longest = 0.7 * float(re.search(r"^  stability   critical time step (\S+) s", done.stdout, re.M)[1])
                self.assertLess(longest, 0.5 * 0.7 * 8.1e-6)
            self.assertLess(times[at + 1] - times[at], longest)
            self.assertGreater(times[at + 1] - times[at], 0.8 * longest)

    def test_free_spin_beyond_the_table_of_a_bearing(self):
        done = self.run_(self.config(FREE_SPIN), "--set", TABLE, "--set", "time.end=0.15")
        warning = self.warning("bearing_table")
        self.assertEqual(warning["name"], "left")
        self.assertAlmostEqual(warning["limit"], 10000 * math.pi / 30, delta=1e-9)
        self.assertRegex(done.stderr, r"^percuss run: warning: 'shaft' turns at 1000\d\.\d* rpm at t = \S+ s \(step \d+\), beyond the table of bearing 'left', which ends at 10000 rpm: the "
                                      r"values at its end are used\n$")

    @unittest.skipUnless(MPIEXEC, "no mpiexec")
    def test_several_processes_find_the_same(self):
        for config, words, code in ((BAR, ("--force", "--set", "scheme.step=4.1 us", "--set", "bodies.bar.mass=lumped"), 1),
                                    (BAR, (*COARSE, "--set", "scheme={type: projection_naive, step: 60 us}"), 0),
                                    (BAR, ("--set", "bodies.bar.mass=lumped", "--set", "limits.penetration=1 nm"), 0)):
            told, kept = [], []
            for ranks in (1, 2):
                done = self.run_(config, *words, "--set", "output.frames.every=0", "--quiet", code=code, before=(MPIEXEC, "--oversubscribe", "-n", str(ranks)))
                told.append(done.stderr)
                manifest = self.manifest()
                warnings = [{key: warning[key] for key in ("kind", "name", "since", "step", "limit")} for warning in manifest["exceeded"]]
                kept.append((warnings, manifest["failure"], manifest["summary"]["steps"]))
            self.assertIn("percuss run: ", told[0])
            self.assertEqual(len(kept[0][0]), 1)
            self.assertEqual(told[0].count("percuss run:"), told[1].count("percuss run:"))
            self.assertEqual(kept[0], kept[1])

    def test_shipped_configs_cause_no_warning(self):
        """Their first 20000 steps; what they say of themselves before they start is their own."""
        for config in sorted(glob.glob(os.path.join(ROOT, "configs/*.yaml"))):
            with open(config) as file:
                text = file.read()
            words = ["--set", "output.frames.every=0", "--quiet"]
            if re.search(r"^time: .*end: [\d.]+ ?s", text, re.M) or "rotor" in os.path.basename(config):
                words += ["--set", "time.end=50 ms"]
            done = self.run_(config, *words)
            self.assertNotIn("percuss run", done.stderr, config)
            self.assertEqual(self.manifest()["exceeded"], [], config)


if __name__ == "__main__":
    unittest.main()
