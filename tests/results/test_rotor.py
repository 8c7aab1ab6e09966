#!/usr/bin/python3
"""postprocess/rotor.py on orbits that are known: circles forward and backward, a run-up, a rub; steps of unequal length. Then rotors that percuss runs:
their tables, frames and figures against each other, against closed forms and against published frequencies."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from tested import PERCUSS, ROOT

sys.path.insert(0, os.path.join(ROOT, "python"))

from percuss import rotor_orbit
from percuss.results import Run, read_frame

CLEARANCE, FRICTION = 1e-4, 0.1
TURN = 2 * np.pi


def uneven_times(end, count):
    """Times with every fifth step half as long, as a scheme with two step sizes leaves them."""
    steps = np.where(np.arange(count) % 5, 1.0, 0.5)
    return np.concatenate([[0], np.cumsum(steps)]) * end / steps.sum()


def write_table(path, columns):
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        for values in zip(*columns.values()):
            file.write(",".join(value if isinstance(value, str) else repr(float(value)) for value in values) + "\n")


def orbit_columns(name, time, z, angle, spin):
    rate = np.gradient(z, time)
    return {f"{name}.u2": z.real, f"{name}.u3": z.imag, f"{name}.radius": np.abs(z), f"{name}.whirl_rate": (z.conj() * rate).imag / np.abs(z) ** 2,
            f"{name}.angle": angle, f"{name}.spin_rate": spin}


def write_turns(path, names, orbits, time, angle):
    rows = {key: [] for key in ("time", "station", "turn", "u2", "u3", "v2", "v3")}
    for name, z in zip(names, orbits):
        for turn in range(1, int(angle.max() / (2 * np.pi)) + 1):
            t = np.interp(2 * np.pi * turn, angle, time)
            values = (t, name, turn, np.interp(t, time, z.real), np.interp(t, time, z.imag), 0, 0)
            for key, value in zip(rows, values):
                rows[key].append(value)
    write_table(path, rows)


def write_run(folder, time, angle, spin, orbits, contact=False):
    """A results directory: run.json, orbits.csv, poincare.csv and, for the first station, contacts.csv of a rub within the clearance."""
    table = {"time": time}
    for name, z in orbits.items():
        table.update(orbit_columns(name, time, z, angle, spin))
    write_table(os.path.join(folder, "orbits.csv"), table)
    write_turns(os.path.join(folder, "poincare.csv"), list(orbits), list(orbits.values()), time, angle)
    info = {"name": "test", "title": "A rotor", "scheme": "half_explicit_two_step", "step": time[1] - time[0]}
    info["summary"] = {"steps": 1000, "impulsive_steps": 13}
    with open(os.path.join(folder, "run.json"), "w") as file:
        json.dump(info, file)
    if not contact:
        return
    gap = CLEARANCE - np.abs(next(iter(orbits.values())))
    closed = gap <= 1e-12
    force, slip = np.where(closed, 50.0, 0.0), np.where(closed, 0.01 * spin, 0.0)
    impulse = np.where(closed & ~np.roll(closed, 1), 1e-3, 0.0)
    zero = np.zeros_like(time)
    states = ["slip" if flag else "open" for flag in closed]
    columns = {"gap": gap, "gap_rate": zero, "force": force, "impulse": impulse, "state": states, "friction_force_1": -FRICTION * force,
               "friction_impulse_1": -FRICTION * impulse, "slip_velocity_1": slip}
    write_table(os.path.join(folder, "contacts.csv"), {"time": time, **{"rub." + key: value for key, value in columns.items()}})


class Orbits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="percuss_test_")

    def tearDown(self):
        self.folder.cleanup()

    def run_of(self, *arguments, **options):
        write_run(self.folder.name, *arguments, **options)
        return Run(self.folder.name)

    def script(self, code=0):
        words = [sys.executable, os.path.join(ROOT, "postprocess/rotor.py"), self.folder.name]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def pictures(self, done):
        names = re.findall(r"\S+\.png", done.stdout)
        for name in names:
            with open(name, "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")
            self.assertGreater(os.path.getsize(name), 10000, name)
        return sorted(os.path.basename(name) for name in names)

    def test_forward_and_backward(self):
        time = uneven_times(1.0, 20000)
        spin = 300.0
        forward, backward = 5e-5 * np.exp(1j * spin * time), 2e-5 * np.exp(-0.4j * spin * time)
        run = self.run_of(time, spin * time, np.full_like(time, spin), {"disc": forward, "journal": backward, "both": forward + backward})
        disc, journal, both = rotor_orbit.stations(run)
        self.assertGreater(np.ptp(np.diff(time)), 0)
        for station, rate, radius, word in ((disc, spin, 5e-5, "forward"), (journal, -0.4 * spin, 2e-5, "backward")):
            whirl, measured = rotor_orbit.mean_rates(station.last_quarter())
            self.assertAlmostEqual(whirl, rate, delta=1e-9 * spin)
            self.assertAlmostEqual(measured, spin, delta=1e-9 * spin)
            self.assertEqual(rotor_orbit.direction(whirl, measured, 0.25), word)
            self.assertLess(np.abs(rotor_orbit.smooth_whirl(station)[1] - rate).max(), 1e-3 * spin)
            step, (u2, u3) = rotor_orbit.resample(station.time, station.z.real, station.z.imag)
            frequency, amplitude = rotor_orbit.dominant(*rotor_orbit.full_spectrum(step, u2 + 1j * u3))
            self.assertAlmostEqual(frequency, rate / (2 * np.pi), delta=0.02)  # the spectrum's lines are 1 Hz apart
            self.assertAlmostEqual(amplitude, radius, delta=0.02 * radius)
        step, (u2, u3) = rotor_orbit.resample(both.time, both.z.real, both.z.imag)
        frequency, amplitude = rotor_orbit.full_spectrum(step, u2 + 1j * u3)
        at = lambda rate: amplitude[np.argmin(np.abs(frequency - rate / (2 * np.pi)))]
        self.assertGreater(at(spin), 20 * at(-spin))
        self.assertGreater(at(-0.4 * spin), 20 * at(0.4 * spin))
        turns, points = rotor_orbit.poincare_points(run, "disc")
        self.assertEqual(list(turns), list(range(1, int(spin / (2 * np.pi)) + 1)))
        self.assertLess(np.abs(points - 5e-5).max(), 1e-8)  # a synchronous orbit is one point
        done = self.script()
        self.assertEqual(self.pictures(done), ["bode.png", "orbit.png", "spectrum.png", "whirl.png"])
        self.assertIn("backward", done.stdout)

    def test_run_up(self):
        time = np.linspace(0, 2, 20001)
        spin = 400 * time / 2
        angle = np.cumsum(np.concatenate([[0], (spin[1:] + spin[:-1]) / 2 * np.diff(time)]))
        z = 1e-5 * np.exp(1j * angle)
        run = self.run_of(time, angle, spin, {"disc": z})
        station, = rotor_orbit.stations(run)
        self.assertTrue(rotor_orbit.is_run_up(station))
        fall = rotor_orbit.waterfall(station)
        peaks = fall.frequency[fall.amplitude.argmax(axis=1)]
        width = fall.frequency[1] - fall.frequency[0]
        self.assertLess(np.abs(peaks - fall.spin_rate / (2 * np.pi)).max(), 1.1 * width)  # the line follows the speed
        self.assertIn("waterfall.png", self.pictures(self.script()))

    def test_rub(self):
        time = uneven_times(0.5, 10000)
        spin = np.full_like(time, 400.0)
        radius = np.minimum(CLEARANCE, 1.5e-4 * np.sin(40 * time) ** 2)
        z = radius * np.exp(400j * time) + 1e-30
        run = self.run_of(time, 400 * time, spin, {"journal": z, "disc": 3 * z}, contact=True)
        journal, disc = rotor_orbit.stations(run)
        name, clearance = rotor_orbit.clearance_of(run, journal)
        self.assertEqual(name, "rub")
        self.assertAlmostEqual(clearance, CLEARANCE, delta=1e-12)
        self.assertIsNone(rotor_orbit.clearance_of(run, disc))
        rub = rotor_orbit.rub_of(run, "rub")
        share = np.mean(1.5 * np.sin(40 * np.linspace(0, 0.5, 1000001)) ** 2 >= 1)
        self.assertAlmostEqual(rub.closed_share, share, delta=2e-3)
        self.assertAlmostEqual(rub.first, np.arcsin(np.sqrt(2 / 3)) / 40, delta=1e-4)
        blows = np.count_nonzero(rub.impulsive[1:])
        self.assertGreater(blows, 5)
        self.assertAlmostEqual((rub.pressed[1:] * np.diff(time)).sum(), (rub.normal[1:] * np.diff(time)).sum() + 1e-3 * blows, delta=1e-9)
        self.assertEqual(rub.normal.max(), 50)  # plots show forces alone
        words = ("kinetic", "elastic", "potential", "damping", "impact", "friction", "load", "numerical")
        write_table(os.path.join(self.folder.name, "energy.csv"), {"time": time, **{word: 3 * time if word == "friction" else 0 * time for word in words}})
        done = self.script()
        self.assertEqual(self.pictures(done), ["bode.png", "energy.png", "orbit.png", "rub.png", "spectrum.png", "whirl.png"])
        self.assertRegex(done.stdout, r"impulsive steps +1\.3 %")
        self.assertRegex(done.stdout, r"friction power, last quarter +3 W ")
        self.assertRegex(done.stdout, r"largest radius +100 um +100 % of the clearance")

    def test_a_shaft_that_sags(self):
        """It goes round where it hangs, and round the axis not once; one that goes round the axis in an arc alone has its whirl there."""
        time = np.linspace(0, 1, 5001)
        spin = np.full_like(time, 200.0)
        run = self.run_of(time, 200 * time, spin, {"disc": -1e-4j + 4e-5 * np.exp(-150j * time), "slow": 1e-4 * np.exp(4j * time) + 1e-6 * np.exp(200j * time)})
        disc, slow = (rotor_orbit.about_its_middle(station.last_quarter()) for station in rotor_orbit.stations(run))
        self.assertAlmostEqual(disc[1], -1e-4j, delta=1e-6)
        self.assertAlmostEqual(rotor_orbit.mean_rates(disc[0])[0], -150, delta=1)
        self.assertEqual(slow[1], 0)
        self.assertAlmostEqual(rotor_orbit.mean_rates(slow[0])[0], 4, delta=0.2)
        self.assertRegex(self.script().stdout, r"whirl, last quarter +-150\S* rad/s +backward, about its mean, 100\S* um off the axis")

    def test_a_shaft_at_rest(self):
        time = np.linspace(0, 1, 101)
        self.run_of(time, 0 * time, 0 * time, {"disc": 1e-9 + 0j * time})
        self.assertEqual(self.pictures(self.script()), ["orbit.png", "whirl.png"])

    def test_errors(self):
        self.assertIn("no run.json", self.script(code=2).stderr)
        with open(os.path.join(self.folder.name, "run.json"), "w") as file:
            json.dump({"name": "test"}, file)
        self.assertIn("orbits: {stations:", self.script(code=2).stderr)


class TrackedComponent(unittest.TestCase):
    """The 1x component of signals that are known, also beside whirl of another frequency and about a moved middle."""

    def station(self, sense):
        time = np.linspace(0, 4, 8001)
        angle = sense * TURN * (5 * time + 5 * time**2)
        turning = 2e-5 * np.exp(1j * 0.7) * np.exp(1j * angle) + 5e-6 * np.exp(-1j * angle)
        z = turning + 4e-6 * np.exp(0.43j * angle) + 1e-5 - 3e-5j
        return rotor_orbit.Station("disc", time, z, np.zeros_like(time), angle, sense * TURN * (5 + 10 * time))

    def test_amplitude_phase_middle(self):
        for sense in (1, -1):
            track = rotor_orbit.tracked(self.station(sense))
            self.assertLess(np.abs(track.forward - 2e-5 * np.exp(1j * 0.7)).max(), 1e-7)
            self.assertLess(np.abs(track.backward - 5e-6).max(), 1e-7)
            self.assertLess(np.abs(track.middle - (1e-5 - 3e-5j)).max(), 2e-7)
            self.assertLess(np.abs(track.along_2 - (2e-5 * np.exp(1j * 0.7) + 5e-6)).max(), 2e-7)  # u2 = Re z: A cos(psi + phase)
            angle = 0.3
            z = track.forward[-1] * np.exp(1j * angle) + track.backward[-1] * np.exp(-1j * angle)
            for part, along in ((z.real, track.along_2[-1]), (z.imag, track.along_3[-1])):
                self.assertAlmostEqual(part, (along * np.exp(1j * angle)).real, delta=1e-15)

    def test_too_short(self):
        station = self.station(1)
        self.assertFalse(rotor_orbit.can_be_tracked(station.until(1)))
        with self.assertRaisesRegex(rotor_orbit.ResultsError, "16 times"):
            rotor_orbit.tracked(station.until(1))


class Folder(unittest.TestCase):
    """Runs of configs that ship, each in a folder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="percuss_test_")
        cls.path = os.path.join(cls.folder.name, "results")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def percuss(cls, config, *changes):
        words = [word for change in changes for word in ("--set", change)]
        words = [PERCUSS, "run", os.path.join(ROOT, "configs", config + ".yaml"), "--quiet", "--overwrite", "--out", cls.path, *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise AssertionError(done.stderr)
        return Run(cls.path)

    def tool(self, *words):
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class SafetyBearing(Folder):
    """60 ms of it, with every step in the tables."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        probes = "probes: [shaft.left, shaft@180 mm, housing.center]"
        every = [f"output.{name}.every=1" for name in ("contacts", "orbits", "energy")]
        cls.run_ = cls.percuss("rotor_in_safety_bearing", "time.end=60 ms", "output.frames.every=400", f"output.history={{{probes}, every: 1}}", *every)
        cls.orbits = cls.run_.table("orbits.csv", "")
        cls.summary = cls.run_.info["summary"]

    def test_columns(self):
        words = ("u2", "u3", "radius", "whirl_rate", "angle", "spin_rate")
        self.assertEqual(list(self.orbits), ["time"] + [f"{name}.{word}" for name in ("journal", "wheel") for word in words])
        with open(os.path.join(self.path, "poincare.csv"), newline="") as file:
            self.assertEqual(next(csv.reader(file)), ["time", "station", "turn", "u2", "u3", "v2", "v3"])

    def test_orbits_are_those_of_the_probes(self):
        history, arm = self.run_.history, 9.5e-3
        np.testing.assert_array_equal(history["time"], self.orbits["time"])

        def at_bearing(name):
            """Displacement and velocity along y and z at the end of the arm along x: w' = theta x arm."""
            probe = lambda suffix: history[f"{name}.{suffix}"]
            return probe("uy") + arm * probe("rz"), probe("uz") - arm * probe("ry"), probe("vy") + arm * probe("wz"), probe("vz") - arm * probe("wy")

        u2, u3, v2, v3 = (a - b for a, b in zip(at_bearing("shaft.left"), at_bearing("housing.center")))
        journal = lambda word: self.orbits["journal." + word]
        radius = np.hypot(u2, u3)
        for word, expected, within in (("u2", u2, 1e-16), ("u3", u3, 1e-16), ("radius", radius, 1e-16), ("angle", history["shaft.left.rx"], 1e-12),
                                       ("spin_rate", history["shaft.left.wx"], 1e-10)):  # fmt: skip
            self.assertLess(np.abs(journal(word) - expected).max(), within, word)
        far = radius > 1e-6
        whirl = (u2 * v3 - u3 * v2)[far] / radius[far] ** 2
        self.assertLess(np.abs(journal("whirl_rate")[far] - whirl).max(), 1e-8 * np.abs(whirl).max())
        for word, probe in (("u2", "uy"), ("u3", "uz")):
            self.assertLess(np.abs(self.orbits["wheel." + word] - history["shaft@180 mm." + probe]).max(), 1e-16)
        self.assertLess(np.abs(radius + self.run_.contacts["rub.gap"] - CLEARANCE).max(), 1e-15)

    def test_poincare_points(self):
        for station in rotor_orbit.stations(self.run_):
            turns, points = rotor_orbit.poincare_points(self.run_, station.name)
            whole = turns > 0  # at the start the twist swings to and fro through 0
            self.assertEqual(list(turns[whole]), list(range(1, int(station.angle.max() / TURN) + 1)))
            for turn, point in zip(turns[whole], points[whole]):
                after = np.argmax(station.angle >= TURN * turn)
                share = (TURN * turn - station.angle[after - 1]) / (station.angle[after] - station.angle[after - 1])
                self.assertAlmostEqual(abs(point - station.z[after - 1] - share * (station.z[after] - station.z[after - 1])), 0, delta=1e-15)

    def test_summary(self):
        contacts, time = self.run_.contacts, self.orbits["time"]
        self.assertEqual(len(time), self.summary["steps"] + 1)
        self.assertEqual(np.count_nonzero(contacts["rub.impulse"]), self.summary["impulsive_steps"])
        self.assertGreater(self.summary["impulsive_steps"], 20)
        self.assertEqual(np.count_nonzero(np.diff(time) < 1e-6), self.summary["short_steps"])
        self.assertGreater(self.summary["short_steps"], self.summary["impulsive_steps"])  # not all have an impulse
        self.assertAlmostEqual(self.summary["max_penetration"], -contacts["rub.gap"].min(), delta=1e-15)
        for station in rotor_orbit.stations(self.run_):
            said, (whirl, spin) = self.summary["orbits"][station.name], rotor_orbit.mean_rates(station.last_quarter())
            self.assertAlmostEqual(said["largest_radius"] / station.radius.max(), 1, delta=1e-14)  # two libraries take the root
            self.assertAlmostEqual(said["whirl_rate"], whirl, delta=1e-3 * spin)
            self.assertAlmostEqual(said["spin_rate"], spin, delta=1e-3 * spin)
            self.assertAlmostEqual(said["whirl_ratio"], said["whirl_rate"] / said["spin_rate"], delta=1e-12)

    def test_frames(self):
        said = self.tool(os.path.join(ROOT, "tests/tools/check_vtk.py"), self.path)
        self.assertNotIn("not checked: ", said)
        frame = read_frame(self.run_.frames()[-1][1])
        history = self.run_.history
        last = [history[f"shaft.left.r{axis}"][-1] for axis in "xyz"]
        self.assertTrue(any(np.array_equal(row, last) for row in frame.point["rotation"]))
        self.assertGreater(abs(last[0]), TURN)  # the twist is an angle of any size

    def test_figures(self):
        printed = self.tool(os.path.join(ROOT, "postprocess/rotor.py"), self.path)
        self.assertNotIn("waterfall", printed)  # too short to be a run-up
        for name in ("orbit", "whirl", "spectrum", "rub", "energy"):
            path = os.path.join(self.path, "figures", name + ".png")
            self.assertIn(path, printed)
            with open(path, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
            self.assertGreater(os.path.getsize(path), 10000, name)
        parts = dict(zip(("journal", "wheel"), printed.split("Station ")[1:]))
        for name, part in parts.items():
            value = lambda row: float(re.search(row + r" +(\S+)", part)[1])
            said = self.summary["orbits"][name]
            self.assertAlmostEqual(value("largest radius"), 1e6 * said["largest_radius"], delta=1e-3 * 1e6 * said["largest_radius"])
            self.assertAlmostEqual(value("whirl, last quarter"), said["whirl_rate"], delta=2e-3 * said["spin_rate"])
            self.assertAlmostEqual(value("spin, last quarter"), said["spin_rate"], delta=2e-3 * said["spin_rate"])
        self.assertRegex(printed, r"first contact +4\.8825 ms")
        self.assertRegex(printed, rf"impulsive steps .*{self.summary['impulsive_steps']} of {self.summary['steps']}")


class OtherRotors(Folder):
    def test_spin_down_in_closed_form(self):
        run = self.percuss("spin_down", "time.end=2.8 s", "output.frames.every=0")
        mu, g, r, omega, inertia = 0.1, 9.81, 0.05, 100, 1.25e-3
        slips = run.contacts["bore.state"] == "slip"
        force = g / np.sqrt(1 + mu**2)
        self.assertLess(np.abs(run.contacts["bore.force"][slips] / force - 1).max(), 1e-8)
        self.assertLess(np.abs(run.contacts["bore.friction_torque"][slips] / (-mu * force * r) - 1).max(), 1e-8)  # it brakes
        stop, = run.events["time"][run.events["event"] == "stick"]
        self.assertAlmostEqual(stop, inertia * omega * np.sqrt(1 + mu**2) / (mu * g * r), delta=1e-4)
        self.assertLess(run.info["summary"]["max_penetration"], 1e-12)
        energy = run.info["summary"]["energy"]
        self.assertAlmostEqual(energy["friction"], inertia * omega**2 / 2, delta=1e-6)

    def test_published_frequencies(self):
        run = self.percuss("rotor_friswell", "output.frames.every=0")
        station = rotor_orbit.stations(run)[0]
        step, (u2, u3) = rotor_orbit.resample(station.time, station.z.real, station.z.imag)
        frequency, amplitude = rotor_orbit.full_spectrum(step, u2 + 1j * u3)
        for expected in (-251.78, -85.39, 87.80, 294.71, 4000 * TURN / 60):
            near = np.abs(TURN * frequency - expected) < 10
            line, _ = rotor_orbit.dominant(frequency[near], amplitude[near])
            self.assertAlmostEqual(TURN * line, expected, delta=0.1)

    def test_every_joule_of_a_run_up(self):
        run = self.percuss("rotor_run_up", "time.end=0.36", "output.frames.every=0", "output.energy.every=20")
        energy = run.energy
        stored = energy["kinetic"] + energy["elastic"] + energy["potential"]
        spent = energy["damping"] + energy["impact"] + energy["friction"]
        self.assertLess(np.abs(stored - stored[0] + spent - energy["load"] - energy["numerical"]).max(), 1e-9)
        self.assertLess(np.abs(energy["numerical"]).max(), 5e-4)
        self.assertGreater(energy["friction"][-1], 1)
        self.assertGreater(energy["impact"][-1], 0)
        spin = run.table("orbits.csv", "")["disc.spin_rate"][-1]
        self.assertAlmostEqual(energy["load"][-1], 10 * run.table("orbits.csv", "")["disc.angle"][-1], delta=0.05 * energy["load"][-1])
        self.assertGreater(spin, 330)

    def test_three_contacts_at_once(self):
        run = self.percuss("rotor_in_two_bearings", "time.end=0.6", "output.frames.every=20000", "output.contacts.every=5")
        self.assertEqual(run.contact_names(), ["catch_left", "catch_right", "seal"])
        events = run.events
        first = [events["time"][events["contact"] == name][0] for name in run.contact_names()]
        for measured, expected in zip(first, (0.5854, 0.5869, 0.4765)):
            self.assertAlmostEqual(measured, expected, delta=2e-4)
        self.assertLess(run.info["summary"]["max_penetration"], 2e-6)
        hits = events["event"] == "impact"
        for name, restitution in (("catch_left", 0.3), ("catch_right", 0.3), ("seal", 0.5)):
            mine = hits & (events["contact"] == name)
            alone = mine & ~np.isin(events["time"], events["time"][hits & ~mine])
            before, after = events["velocity_before"][alone], events["velocity_after"][alone]
            self.assertLess(np.abs(after + restitution * before).max(), 1e-10 * np.abs(before).max(), name)
        self.tool(os.path.join(ROOT, "tests/tools/check_vtk.py"), self.path)
        self.tool(os.path.join(ROOT, "postprocess/rotor.py"), self.path)


if __name__ == "__main__":
    unittest.main()
