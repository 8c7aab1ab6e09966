#!/usr/bin/python3
"""postprocess/rotor.py on orbits that are known: circles forward and backward, a run-up, a rub; steps of unequal length."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "postprocess"))

import rotor_orbit
from percuss_results import Run

CLEARANCE, FRICTION = 1e-4, 0.1


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
        self.assertEqual(self.pictures(done), ["orbit.png", "spectrum.png", "whirl.png"])
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
        self.assertAlmostEqual(rub.power.min(), -FRICTION * 50 * 0.01 * 400, delta=1e-9)
        done = self.script()
        self.assertEqual(self.pictures(done), ["orbit.png", "rub.png", "spectrum.png", "whirl.png"])
        self.assertRegex(done.stdout, r"impulsive steps +1\.3 %")
        self.assertRegex(done.stdout, r"largest radius +100 um +100 % of the clearance")

    def test_a_shaft_at_rest(self):
        time = np.linspace(0, 1, 101)
        self.run_of(time, 0 * time, 0 * time, {"disc": 1e-9 + 0j * time})
        self.assertEqual(self.pictures(self.script()), ["orbit.png", "spectrum.png", "whirl.png"])

    def test_mistakes(self):
        self.assertIn("no run.json", self.script(code=2).stderr)
        with open(os.path.join(self.folder.name, "run.json"), "w") as file:
            json.dump({"name": "test"}, file)
        self.assertIn("orbits: {stations:", self.script(code=2).stderr)


if __name__ == "__main__":
    unittest.main()
