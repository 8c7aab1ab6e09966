#!/usr/bin/python3
"""Multibody systems against closed forms and reference solutions of other codes (closed forms, Lagrange equations and maximal coordinates with DOP853 at 1e-13, published
benchmarks: IFToMM library of computational benchmark problems, test set for IVP solvers). Tolerances are absolute, for the scheme and step of each case."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results"))

from tested import PERCUSS, ROOT


class Results:
    def __init__(self, folder, stderr):
        self.stderr = stderr
        with open(os.path.join(folder, "run.json")) as file:
            self.info = json.load(file)
        with open(os.path.join(folder, "history.csv")) as file:
            rows = list(csv.reader(file))
        self.history = {name: np.array([float(row[i]) for row in rows[1:]]) for i, name in enumerate(rows[0])}
        self.tables = {}
        for name in ("contacts", "events"):
            path = os.path.join(folder, name + ".csv")
            if os.path.exists(path):
                with open(path) as file:
                    self.tables[name] = list(csv.DictReader(file))

    def at(self, column, time):
        return float(np.interp(time, self.history["time"], self.history[column]))

    def end(self, *columns):
        return np.array([self.history[column][-1] for column in columns])


def run(config, scheme, step, end, probes, every=1, extra=""):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case.yaml")
        with open(path, "w") as file:
            file.write(f"{config}\nscheme: {{type: {scheme}, step: {step}{extra}}}\ntime: {{end: {end!r}}}\n"
                       f"output: {{directory: {folder}/out, history: {{probes: [{', '.join(probes)}], every: {every}}}, energy: {{every: 1000000}}, "
                       f"contacts: {{every: {every}}}, frames: {{every: 0}}}}\n")
        done = subprocess.run([PERCUSS, "run", path, "--quiet"], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
        return Results(os.path.join(folder, "out"), done.stderr)


def chain(n, per_metre, hinges=""):
    """n links, 1 kg/m, level and at rest, on a hinge."""
    rods = "".join(f"  b{i}: {{type: body, dimension: 2, rod: {{from: [{i / per_metre}, 0, 0], to: [{(i + 1) / per_metre}, 0, 0]}}, mass: {1 / per_metre}}}\n" for i in range(n))
    joints = "".join(f"  j{i}: {{type: revolute, between: [{f'b{i - 1}.right' if i else 'ground'}, b{i}.left]{hinges}}}\n" for i in range(n))
    return f"gravity: [0, -9.81, 0]\nbodies:\n{rods}joints:\n{joints}"


def vector(x):
    return "[" + ", ".join(repr(float(value)) for value in x) + "]"


def speeds(x):
    return "[" + ", ".join(f"{float(value)!r} rad/s" for value in x) + "]"


TOP = "bodies:\n  top: {type: body, mass: 1, inertia: [1, 2, 3], initial: {angular_velocity: [0.5 rad/s, 2 rad/s, 0.7 rad/s]}}\n"
TURNED = np.array([0.44705473481949485, -0.8853671022152124, 0.07930816953356638, 0.09988679941768006])  # at 10 s
EXPLICIT_2 = ("half_explicit", "half_explicit_two_step", "half_explicit_acceleration", "explicit_velocity", "schatzman_paoli", "moreau_jean", "projection_naive",
              "projection_combined", "implicit_split", "generalised_alpha", "generalised_alpha_velocity", "ggl_unified")
ORDER_1 = ("moreau_midpoint", "moreau_jean_explicit", "ggl_decoupled")
REFUSED = ("variational", "event_driven_alpha", "modal", "massless_contact")


def distance(results):
    p = results.end(*(f"top.p{i}" for i in range(4)))
    return min(np.abs(p - TURNED).max(), np.abs(p + TURNED).max())


class FreeTop(unittest.TestCase):
    def test_half_explicit(self):
        results = run(TOP, "half_explicit", "0.5 ms", 10, ["top"], 4000)
        self.assertLess(distance(results), 5e-6)
        np.testing.assert_allclose(results.end("top.wx", "top.wy", "top.wz"), [-0.2411076106766299, -2.0474049721717993, 0.6527206855223293], atol=5e-6)
        np.testing.assert_allclose([results.at(f"top.w{a}", 2) for a in "xyz"], [-2.061458490934227, 0.019720298049698548, 1.350260605691216], atol=2e-6)

    def test_event_driven(self):
        for scheme, tolerance in (("event_driven_hem5", 1e-8), ("event_driven_rkf45", 5e-7)):
            self.assertLess(distance(run(TOP, scheme, "0.05 s", 10, ["top"], 100, ", tolerance: 1e-9, absolute_tolerance: 1e-10")), tolerance, scheme)

    def test_orders(self):
        """Orders of positions: errors at steps of 10 and 5 ms."""
        for scheme in EXPLICIT_2 + ORDER_1:
            error = [distance(run(TOP, scheme, step, 10, ["top"], 1000)) for step in ("10 ms", "5 ms")]
            self.assertAlmostEqual(math.log2(error[0] / error[1]), 1 if scheme in ORDER_1 else 2, delta=0.1, msg=scheme)

    def test_refusals(self):
        for scheme in REFUSED:
            with self.assertRaisesRegex(AssertionError, "does not support this model", msg=scheme):
                run(TOP, scheme, "10 ms", 1, ["top"])

    def test_frames_of_inertia(self):
        """The same top with its tensor in a frame turned by 50 degrees about (1, 2, 3): the motion of the body is the same."""
        axis, angle = np.array([1.0, 2, 3]) / math.sqrt(14), math.radians(50)
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        R = np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K  # of the frame in which the tensor is given
        J, w = R.T @ np.diag([1.0, 2, 3]) @ R, R.T @ [0.5, 2, 0.7]
        config = (f"bodies:\n  top: {{type: body, mass: 1, rotation: {{axis: [1, 2, 3], angle: 50 deg}}, inertia: "
                  f"{vector([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])}, initial: {{angular_velocity: {speeds(w)}}}}}\n")
        results = run(config, "half_explicit", "0.5 ms", 10, ["top"], 4000)
        np.testing.assert_allclose(R @ results.end("top.wx", "top.wy", "top.wz"), [-0.2411076106766299, -2.0474049721717993, 0.6527206855223293], atol=5e-6)


class Joints(unittest.TestCase):
    def test_lagrange_top(self):
        s, c = math.sin(0.5235987755982988), math.cos(0.5235987755982988)
        config = (f"gravity: [0, 0, -9.81]\nbodies:\n  top: {{type: body, at: {vector([0, -0.06 * s, 0.06 * c])}, rotation: {{axis: [1, 0, 0], angle: 30 deg}}, mass: 0.5, "
                  "inertia: [7e-4, 7e-4, 6e-4], points: {tip: [0, 0, -0.06], head: [0, 0, 0.94]}, initial: {velocity: [0, 0, 0], angular_velocity: [0, 0, 150 rad/s]}}\n"
                  "joints: {ball: {type: spherical, between: [ground, top.tip]}}\n")
        results = run(config, "half_explicit", "20 us", 0.1, ["top.head"], 100)
        np.testing.assert_allclose(results.end("top.head.x", "top.head.y", "top.head.z"), [0.201250209462894, -0.5636390780044758, 0.8011300412151612], atol=2e-6)
        longer = run(config, "half_explicit", "20 us", 0.20814, ["top.head"], 1)
        tilt = np.arccos(longer.history["top.head.z"])
        self.assertAlmostEqual(tilt.max(), 0.64202986949018, delta=1e-5)
        last = longer.end("top.head.x", "top.head.y")
        self.assertAlmostEqual((math.atan2(last[1], last[0]) + math.pi / 2) % (2 * math.pi), 0.7391435978542088, delta=2e-4)

    def test_physical_pendulum(self):
        config = (f"gravity: [0, -9.81, 0]\nbodies:\n  rod: {{type: body, dimension: 2, rod: {{from: [0, 0, 0], to: {vector([math.sin(2 * math.pi / 3), 0.5, 0])}}}, mass: 2}}\n"
                  "joints: {A: {type: revolute, between: [ground, rod.left]}}\n")
        results = run(config, "half_explicit", "0.5 ms", 2.3, ["rod"])
        rate, time = results.history["rod.omega"], results.history["time"]
        turns = [time[i] - rate[i] * (time[i + 1] - time[i]) / (rate[i + 1] - rate[i]) for i in range(5, len(time) - 1) if rate[i] * rate[i + 1] < 0]
        self.assertAlmostEqual(turns[1], 2.2487049288547354, delta=2e-6)
        self.assertAlmostEqual(np.abs(rate).max(), 6.64417037710503, delta=1e-5)
        up = max(float(row["A.y.force"]) for row in results.tables["contacts"][2:])
        self.assertAlmostEqual(up, 63.765, delta=2e-3)  # the step nearest to the lowest point

    def test_pendulum_in_space(self):
        """The same in space, about a skew axis: its angle is that of the pendulum in the plane."""
        config = ("gravity: [0, -9.81, 0]\nbodies:\n  rod: {type: body, at: [0, -0.5, 0], rotation: {axis: [0, 0, 1], angle: 0}, mass: 2, inertia: [1, 1e-2, 1], "
                  "points: {top: [0, 0.5, 0]}, initial: {angular_velocity: [0, 0, 3 rad/s]}}\njoints: {A: {type: revolute, between: [ground, rod.top], axis: [0, 0, 1]}}\n")
        plane = ("gravity: [0, -9.81, 0]\nbodies:\n  rod: {type: body, dimension: 2, at: [0, -0.5, 0], mass: 2, inertia: 1, points: {top: [0, 0.5, 0]}, "
                 "initial: {angular_velocity: 3 rad/s}}\njoints: {A: {type: revolute, between: [ground, rod.top]}}\n")
        angle = [run(text, "half_explicit", "1 ms", 3, ["A"], 100).history["A.angle"] for text in (config, plane)]
        np.testing.assert_allclose(angle[0], angle[1], atol=2e-6)

    def test_double_pendulum(self):
        config = ("gravity: [0, -9.81, 0]\nbodies:\n  a: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1}\n"
                  "  b: {type: body, dimension: 2, rod: {from: [1, 0, 0], to: [2, 0, 0]}, mass: 1}\n"
                  "joints: {A: {type: revolute, between: [ground, a.left]}, B: {type: revolute, between: [a.right, b.left]}}\n")
        for scheme, step, tolerance in (("half_explicit", "0.5 ms", 1e-5), ("event_driven_hem5", "10 ms", 1e-8)):
            results = run(config, scheme, step, 1, ["a", "b", "b.right"], 1000)
            np.testing.assert_allclose(results.end("a.angle", "b.angle") + math.pi / 2, [-1.2077162381906361, -0.8143910230913014], atol=tolerance, err_msg=scheme)
            np.testing.assert_allclose(results.end("a.omega", "b.omega"), [-3.4065175329720985, -0.5160454721048743], atol=5 * tolerance, err_msg=scheme)
            np.testing.assert_allclose(results.end("b.right.x", "b.right.y"), [-1.6621151358161304, -1.0414666371932229], atol=tolerance, err_msg=scheme)

    def test_chains(self):
        """Of 2 m, from rest, level: the tip and the angle of the last of n links."""
        for n, step, end, tips, angle in ((20, "0.1 ms", 0.8, {0.6: [0.6552847406931939, -1.7553646279167883], 0.8: [-1.1201714286896818, -1.4102227223299308]}, -1.4337458290623233),
                                          (100, "50 us", 0.7, {0.6: [0.6642960942491757, -1.7657498300124121], 0.7: [-0.46694748842223754, -1.6942484125139177]}, -1.6837510343572226)):
            last = f"b{n - 1}"
            results = run(chain(n, n / 2), "half_explicit", step, end, [last, f"{last}.right"], 1000)
            for time, tip in tips.items():
                np.testing.assert_allclose([results.at(f"{last}.right.{a}", time) for a in "xy"], tip, atol=1e-5, err_msg=f"{n} links")
            self.assertAlmostEqual(results.at(f"{last}.angle", end) + math.pi / 2, angle, delta=1e-4, msg=f"{n} links")

    def test_spatial_slider_crank(self):
        p = np.array([0.8884507093343061, -0.2097347620608033, 0.39732723614588294, -0.09379623704253996])
        config = f"""gravity: [0, 0, -9.81]
bodies:
  crank: {{type: body, at: [0, 0.1, 0.16], mass: 0.12, inertia: [1e-4, 1e-4, 1e-5], points: {{ball: [0, 0, 0.04], hinge: [0, 0, -0.04]}}, initial: {{angular_velocity: [6 rad/s, 0, 0]}}}}
  rod: {{type: body, at: [0.1, 0.05, 0.1], rotation: {{axis: {vector(p[1:])}, angle: {2 * math.acos(p[0])!r} rad}}, mass: 0.5, inertia: [4e-4, 4e-3, 4e-3],
    points: {{ball: [-0.15, 0, 0], cross: [0.15, 0, 0]}}}}
  slider: {{type: body, at: [0.2, 0, 0], mass: 2, inertia: [1e-4, 1e-4, 1e-4]}}
joints:
  hinge: {{type: revolute, between: [ground, crank.hinge], axis: [1, 0, 0]}}
  ball: {{type: spherical, between: [crank.ball, rod.ball]}}
  cross: {{type: universal, between: [rod.cross, slider.center], axis: [0.44721359549995804, 0.8944271909999159, 0], second_axis: [0, 0, 1]}}
  slide: {{type: prismatic, between: [ground, slider.center], axis: [1, 0, 0]}}
"""
        results = run(config, "half_explicit", "0.5 ms", 2, ["slider", "rod"], 1000)
        np.testing.assert_allclose([results.history[f"rod.v{a}"][0] for a in "xyz"], [0.12, -0.24, 0], atol=1e-9)
        self.assertAlmostEqual(results.history["slider.vx"][0], 0.24, delta=1e-9)
        for time, x, tolerance in ((0.5, 0.1850412377968033, 3e-6), (1, 0.20789584072054312, 3e-5), (2, 0.2898354956892669, 2e-5)):
            self.assertAlmostEqual(results.at("slider.x", time), x, delta=tolerance)
        exact = run(config, "event_driven_hem5", "10 ms", 1, ["slider"], 1000)
        self.assertAlmostEqual(exact.end("slider.x")[0], 0.20789584072054312, delta=1e-8)

    def test_andrews_squeezer(self):
        bodies = {"K1": (0.04325, 2.194e-06, (0.0009182485980307614, -5.674074562905483e-05)), "K2": (0.00365, 4.41e-07, (-0.0044914333599330725, 0.0002775362557942899)),
                  "K3": (0.02373, 5.255e-06, (-0.018742186670315464, 0.020485106789073938)), "K4": (0.00706, 5.667e-07, (-0.030222939830158897, 0.01207118235666394)),
                  "K5": (0.0705, 1.169e-05, (-0.053236828155704144, 0.016631847966616306)), "K6": (0.00706, 5.667e-07, (-0.0285432685367836, -0.010722254707252287)),
                  "K7": (0.05498, 1.912e-05, (-0.059262402801791715, -0.010600698332712844))}
        hinges = [("O", "ground", "K1", (0, 0)), ("F", "K1", "K2", (0.006986674115451445, -0.0004317230645688955)), ("B", "ground", "K3", (-0.03635, 0.03273)),
                  ("E3", "K2", "K3", (-0.020960022346354336, 0.0012951691937066864)), ("E4", "K2", "K4", (-0.020960022346354336, 0.0012951691937066864)),
                  ("E6", "K2", "K6", (-0.020960022346354336, 0.0012951691937066864)), ("A5", "ground", "K5", (-0.06934, -0.00227)),
                  ("G", "K5", "K4", (-0.03399720388583999, 0.01646197167499768)), ("A7", "ground", "K7", (-0.06934, -0.00227)),
                  ("H", "K7", "K6", (-0.03163313450740889, -0.015618868668304536))]
        config = "bodies:\n"
        for name, (mass, inertia, x) in bodies.items():
            config += f"  {name}: {{type: body, dimension: 2, at: {vector((*x, 0))}, mass: {mass}, inertia: {inertia}"
            if name == "K3":
                config += f", points: {{D: {vector((-0.010472393888814626 - x[0], 0.02535778853027525 - x[1], 0))}}}"
            config += "}\n"
        config += "joints:\n" + "".join(f"  {n}: {{type: revolute, between: [{a}, {b}], at: {vector((*x, 0))}}}\n" for n, a, b, x in hinges)
        config += ("springs: {s: {between: [K3.D, ground], anchor: [0.014, 0.072, 0], stiffness: 4530, length: 0.07785}}\n"
                   "drives: {motor: {joint: O, torque: 0.033}}\n")
        results = run(config, "half_explicit", "5 us", 0.03, ["K1", "K3", "K5", "K7"], 1000)
        self.assertAlmostEqual(results.end("K1.angle")[0], 15.87248508516752, delta=1e-4)
        np.testing.assert_allclose(results.end("K3.angle", "K5.angle", "K7.angle"), [-0.4144575790434284, 0.03704498633610903, -0.1824667035078833], atol=2e-6)
        np.testing.assert_allclose(results.end("K5.x", "K5.y"), [-0.0539479348885329, 0.0172152850018766], atol=2e-8)

    def test_bricard(self):
        """A loop of six hinges with one row too many: the motion is unique, the warning names the row."""
        points = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
        axes = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], float)
        config = "gravity: [0, -9.81, 0]\nbodies:\n"
        for i in range(5):
            along = np.abs(points[i + 1] - points[i])
            config += (f"  rod{i}: {{type: body, at: {vector((points[i] + points[i + 1]) / 2)}, mass: 1, inertia: {vector(np.where(along > 0, 0.01 / 6, 1.01 / 12))}, "
                       f"points: {{a: {vector((points[i] - points[i + 1]) / 2)}, b: {vector((points[i + 1] - points[i]) / 2)}}}}}\n")
        config += "joints:\n"
        for i in range(6):
            first, second = ("ground" if i == 0 else f"rod{i - 1}.b"), ("ground" if i == 5 else f"rod{i}.a")
            config += f"  h{i}: {{type: revolute, between: [{first}, {second}], axis: {vector(axes[i])}}}\n"
        results = run(config, "half_explicit", "0.5 ms", 2, ["rod2.b"], 1000)
        self.assertIn("redundant constraints of joints: h", results.stderr)
        np.testing.assert_allclose([results.at(f"rod2.b.{a}", 1) for a in "xyz"], [0.5105014611872755, -1.6491675993947859, 0.1401231145532195], atol=2e-6)
        np.testing.assert_allclose([results.at(f"rod2.b.{a}", 2) for a in "xyz"], [-0.9693403447776705, -1.221246894956256, 0.7542780107798515], atol=5e-6)

    def test_flyball_governor(self):
        turn, angle, reach = 6.283185307179586, 0.5235987755982988, 0.9716981132075473
        s, c = math.sin(angle), math.cos(angle)
        config = f"""gravity: [0, 0, -9.81]
bodies:
  shaft: {{type: body, at: [0, 0, 0.5], mass: 0.3, inertia: [0.0250025, 0.0250025, 5e-6], points: {{right: [0.05, 0, 0.5], left: [-0.05, 0, 0.5]}}, initial: {{angular_velocity: [0, 0, {turn} rad/s]}}}}
  slider: {{type: body, at: [0, 0, 0.5], mass: 3, inertia: [5e-3, 5e-3, 5e-3], points: {{right: [0.05, 0, 0], left: [-0.05, 0, 0]}}, initial: {{angular_velocity: [0, 0, {turn} rad/s]}}}}
  right: {{type: body, at: {vector([0.05 + reach * c, 0, 1 - reach * s])}, rotation: {{axis: [0, 1, 0], angle: 30 deg}}, mass: 5.3, inertia: [5e-6, 0.09575721698113207, 0.09575721698113207],
    points: {{hinge: [{-reach}, 0, 0], spring: [{0.5 - reach}, 0, 0]}}, initial: {{angular_velocity: {speeds([-s * turn, 0, c * turn])}}}}}
  left: {{type: body, at: {vector([-0.05 - reach * c, 0, 1 - reach * s])}, rotation: {{axis: [0, 1, 0], angle: 150 deg}}, mass: 5.3, inertia: [5e-6, 0.09575721698113207, 0.09575721698113207],
    points: {{hinge: [{-reach}, 0, 0], spring: [{0.5 - reach}, 0, 0]}}, initial: {{angular_velocity: {speeds([-s * turn, 0, -c * turn])}}}}}
joints:
  hinge: {{type: revolute, between: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}}
  slide: {{type: prismatic, between: [shaft.center, slider.center], axis: [0, 0, 1]}}
  right: {{type: revolute, between: [shaft.right, right.hinge], axis: [0, 1, 0]}}
  left: {{type: revolute, between: [shaft.left, left.hinge], axis: [0, 1, 0]}}
springs:
  right: {{between: [slider.right, right.spring], stiffness: 8000, damping: 400, length: 0.5}}
  left: {{between: [slider.left, left.spring], stiffness: 8000, damping: 400, length: 0.5}}
"""
        for scheme, step in (("half_explicit", "0.1 ms"), ("generalised_alpha", "0.1 ms")):
            results = run(config, scheme, step, 1, ["slider", "shaft"], 1000)
            for time, z in ((0.1, 0.5156288540016155), (0.5, 0.7301568180501131), (1, 0.4930576989135279)):
                self.assertAlmostEqual(results.at("slider.z", time), z, delta=1e-6 if scheme == "half_explicit" else 1e-5, msg=scheme)
            self.assertAlmostEqual(results.at("shaft.wz", 0.1), 6.091436275425073, delta=1e-5 if scheme == "half_explicit" else 1e-4, msg=scheme)

    def test_cardan(self):
        """Driven through a Cardan joint: ratio of the speeds, torque of the drive; three rows too many."""
        config = """bodies:
  one: {type: body, at: [-0.2, 0, 0], mass: 1, inertia: [0.02, 0.03, 0.03]}
  two: {type: body, at: [0.15320888862379567, 0.12855752193730785, 0], rotation: {angle: 40 deg}, mass: 1, inertia: [0.05, 0.04, 0.04]}
joints:
  left: {type: revolute, between: [ground, one.center], axis: [1, 0, 0]}
  right: {type: revolute, between: [ground, two.center], axis: [0.7660444431189782, 0.6427876096865393, 0]}
  cross: {type: universal, between: [one, two], at: [0, 0, 0], axis: [0, 0, 1], second_axis: [-0.6427876096865393, 0.7660444431189782, 0]}
drives: {motor: {joint: left, speed: 10 rad/s}}
"""
        results = run(config, "half_explicit", "0.1 ms", 0.2, ["right", "two"], 1)
        self.assertAlmostEqual(results.end("right.angle")[0], 2.109323615446559, delta=1e-6)
        self.assertAlmostEqual(results.end("two.wx")[0], 11.635343796749586, delta=1e-5)
        self.assertAlmostEqual(float(results.tables["contacts"][-1]["motor.moment"]), -3.2149279708066225, delta=0.01)

    def test_speed_of_a_motor_over_time(self):
        """From 10 to 20 rad/s in 0.1 s, then on: 3.5 rad in 0.2 s, and the motor does the work J (w1^2 - w0^2)/2 with J = 0.1 + 2 (1/2)^2 = 0.6 kg m^2."""
        config = ("bodies: {arm: {type: body, dimension: 2, mass: 2, inertia: 0.1, points: {hub: [-0.5, 0, 0]}, at: [0.5, 0, 0], initial: {velocity: [0, 5, 0], angular_velocity: 10 rad/s}}}\n"
                  "joints: {hinge: {type: revolute, between: [ground, arm.hub]}}\n"
                  "drives: {motor: {joint: hinge, speed: {table: [[0, 10 rad/s], [0.1, 20 rad/s], [0.2, 20 rad/s]]}}}\n")
        work = {"half_explicit": 1e-4, "half_explicit_two_step": 1e-4, "schatzman_paoli": 1e-3, "event_driven_hem5": 1e-9, "event_driven_rkf45": 1e-4, "generalised_alpha": 0.05,
                "generalised_alpha_velocity": 0.05, "implicit_split": 0.05, "half_explicit_acceleration": 0.1, "explicit_velocity": 1.5, "moreau_midpoint": 0.7, "moreau_jean": 0.7,
                "ggl_unified": 0.7, "ggl_decoupled": 0.7, "projection_naive": 0.7, "projection_combined": 0.7}  # J, with this step: of forces of a step taken at its end by its length
        for scheme, tolerance in work.items():
            results = run(config, scheme, "0.1 ms", 0.2, ["hinge"], 100)
            np.testing.assert_allclose(results.end("hinge.angle"), [3.5], atol=1e-8, err_msg=scheme)
            self.assertAlmostEqual(results.info["summary"]["energy"]["load"], 90, delta=tolerance, msg=scheme)
            self.assertAlmostEqual(results.info["summary"]["energy"]["kinetic"], 120, delta=0.2, msg=scheme)

    def test_given_torque_of_zero(self):
        """A torque or force of 0 is one: it does not hold the joint."""
        config = ("gravity: [0, -10, 0]\nbodies:\n  a: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [0.9, 0, 0]}, mass: 1}\n  b: {type: body, dimension: 2, mass: 1, inertia: 1}\n"
                  "joints:\n  A: {type: revolute, between: [ground, a.left]}\n  B: {type: prismatic, between: [ground, b.center], axis: [0, 1, 0]}\ndrives:\n  A: {joint: A, torque: 0}\n  B: {joint: B, force: 0}\n")
        results = run(config, "half_explicit", "1 ms", 0.2, ["b.y", "a.omega"], 10)
        self.assertAlmostEqual(results.end("b.y")[0], -0.2, delta=1e-9)
        self.assertLess(results.end("a.omega")[0], -2)

    def test_limit(self):
        config = (f"gravity: [0, -9.81, 0]\nbodies:\n  rod: {{type: body, dimension: 2, rod: {{from: [0, 0, 0], to: {vector([0.8 * math.sin(math.pi / 3), -0.4, 0])}}}, mass: 1}}\n"
                  "joints: {A: {type: revolute, between: [ground, rod.left], limits: {lower: -90 deg, restitution: 0.7}}}\n")
        results = run(config, "half_explicit", "0.1 ms", 3.4, ["rod"], 100)
        hits = [row for row in results.tables["events"] if row["event"] == "impact" and row["contact"] == "A.lower"]
        np.testing.assert_allclose([float(row["time"]) for row in hits[:5]],
                                   [0.3930593395106262, 1.1496954841560565, 1.8935870854291825, 2.631576247345763, 3.3667490825951196], atol=3e-4)
        exact = run(config, "event_driven_hem5", "10 ms", 3.4, ["rod"], 100)
        hits = [row for row in exact.tables["events"] if row["event"] == "impact" and row["contact"] == "A.lower"]
        np.testing.assert_allclose([float(row["time"]) for row in hits[:5]],
                                   [0.3930593395106262, 1.1496954841560565, 1.8935870854291825, 2.631576247345763, 3.3667490825951196], atol=1e-7)

    def test_limits_of_other_joints(self):
        """Stops of a cylindrical joint along and about its axis, and of the bending of ball joints and Cardan joints: instants by uniform motion, energy with restitution 1."""
        free = "  a: {{type: body, mass: 2, inertia: [1, 1, 1]{}}}\n"
        def events(joint, initial, scheme):
            config = "bodies:\n" + free.format(f", initial: {initial}") + f"joints: {{j: {{between: [ground, a.center], {joint}}}}}\n"
            results = run(config, scheme, "0.5 ms", 1.2, ["a"], 100, ", tolerance: 1e-9" if scheme.startswith("event") else "")
            self.assertAlmostEqual(results.info["summary"]["energy"]["numerical"], 0, delta=1e-6)
            return [(row["contact"], float(row["time"])) for row in results.tables["events"] if row["event"] == "impact" and float(row["energy_lost"] or 0) < 1e-6 and row["contact"].count(".") and row["contact"].split(".")[1] in ("lower", "upper", "angle_lower", "angle_upper", "bend")]
        for scheme, delta in (("half_explicit", 6e-4), ("event_driven_hem5", 1e-7)):
            found = events("type: cylindrical, axis: [0, 0, 1], limits: {upper: 0.1 m, restitution: 1}, angle_limits: {lower: -0.5 rad, upper: 0.2 rad, restitution: 1}",
                           "{velocity: [0, 0, 0.3 m/s], angular_velocity: [0, 0, 1 rad/s]}", scheme)
            self.assertEqual([name for name, _ in found], ["j.angle_upper", "j.upper", "j.angle_lower"], scheme)
            for (_, time), exact in zip(found, (0.2, 1 / 3, 0.9)):
                self.assertAlmostEqual(time, exact, delta=delta, msg=scheme)
            for joint, w in (("type: spherical, axis: [0, 0, 1], limits: {angle: 30 deg, restitution: 1}", "[1 rad/s, 0, 0]"),
                             ("type: spherical, axis: [0, 0, 1], limits: {angle: 30 deg, restitution: 1}", "[0, -1 rad/s, 0]"),
                             ("type: universal, axis: [1, 0, 0], second_axis: [0, 1, 0], limits: {angle: 30 deg, restitution: 1}", "[0, 1 rad/s, 0]"),
                             ("type: universal, axis: [1, 0, 0], second_axis: [0, 1, 0], limits: {angle: 30 deg, restitution: 1}", "[-1 rad/s, 0, 0]")):
                found = events(joint, f"{{angular_velocity: {w}}}", scheme)
                self.assertEqual(found[0][0], "j.bend")
                self.assertAlmostEqual(found[0][1], math.pi / 6, delta=delta, msg=scheme + joint)

    def test_ropes_and_stops(self):
        """A ball on a rope falls freely until it is taut, and is thrown back; a point on a line between two stops. In the plane and in space."""
        for dimension, inertia in ((2, "1"), (3, "[1, 1, 1]")):
            body = f"bodies:\n  a: {{type: body, dimension: {dimension}, mass: 2, inertia: {inertia}, at: [0, -0.1, 0], initial: {{velocity: [%s, 0, 0]}}}}\n"
            for scheme, delta in (("half_explicit", 2e-3), ("event_driven_hem5", 1e-7)):
                extra = ", tolerance: 1e-9" if scheme.startswith("event") else ""
                rope = "gravity: [0, -10, 0]\n" + body % 0 + "joints: {r: {type: distance, between: [ground, a.center], at: [0, 0, 0], limits: {upper: 0.9, restitution: 0.5}}}\n"
                results = run(rope, scheme, "0.5 ms", 0.6, ["a"], 1, extra)
                hit = [row for row in results.tables["events"] if row["contact"] == "r.upper" and row["event"] == "impact"]
                self.assertAlmostEqual(float(hit[0]["time"]), 0.4, delta=1e-3 if delta > 1e-3 else delta)
                self.assertAlmostEqual(results.end("a.y")[0], -0.9 + 2 * 0.2 - 5 * 0.04, delta=delta)
                results = run(rope.replace("-0.1", "0"), scheme, "0.5 ms", 0.6, ["a"], 1, extra)  # the direction of the rope is not defined at first
                self.assertAlmostEqual(results.end("a.y")[0], -0.9 + 18 ** 0.5 / 2 * (0.6 - 0.18 ** 0.5) - 5 * (0.6 - 0.18 ** 0.5) ** 2, delta=delta)
                line = body % 1 + "joints: {l: {type: point_on_line, between: [ground, a.center], axis: [1, 0, 0], limits: {lower: -0.2, upper: 0.3, restitution: 1}}}\n"
                results = run(line, scheme, "0.5 ms", 1, ["a"], 1, extra)
                self.assertAlmostEqual(results.end("a.x")[0], 0, delta=delta)
                self.assertEqual([row["contact"] for row in results.tables["events"] if row["event"] == "impact" and float(row["impulse"]) > 0.1], ["l.upper", "l.lower"])

    def test_gear_and_rack(self):
        """A pinion on a motor drives a wheel by a gear and a rack; the motion is known."""
        config = """bodies:
  pinion: {type: body, dimension: 2, mass: 1, inertia: 0.01}
  wheel: {type: body, dimension: 2, at: [0.3, 0, 0], mass: 2, inertia: 0.08}
  rack: {type: body, dimension: 2, at: [0, -0.1, 0], mass: 3, inertia: 1}
joints:
  P: {type: revolute, between: [ground, pinion.center]}
  W: {type: revolute, between: [ground, wheel.center]}
  R: {type: prismatic, between: [ground, rack.center], axis: [1, 0, 0]}
  gear: {type: gear, joints: [P, W], ratio: 2}
  rack: {type: rack, joints: [R, P], radius: 0.1}
drives: {motor: {joint: P, torque: 1}}
"""
        results = run(config, "half_explicit", "1 ms", 1, ["P", "W", "rack"], 1000)
        acceleration = 1 / (0.01 + 0.08 / 4 + 3 * 0.01)  # J1 + J2/n^2 + m r^2
        np.testing.assert_allclose(results.end("P.angle", "W.angle", "rack.x"), [acceleration / 2, -acceleration / 4, 0.1 * acceleration / 2], atol=1e-9)


def ball(mass, radius, inertia, at, v, w):
    return (f"bodies:\n  ball: {{type: body, at: {vector(at)}, mass: {mass}, inertia: {vector([inertia] * 3)}, shapes: {{s: {{sphere: {radius}}}}}, "
            f"initial: {{velocity: {vector(v)}, angular_velocity: {speeds(w)}}}}}\n")


FLOOR = "{plane: {point: [0, 0, 0], normal: [0, 0, 1]}}"


def quarter(modulus):
    """Complete elliptic integral of the first kind, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - modulus**2)
    for _ in range(40):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


class Clearance(unittest.TestCase):
    def swing(self, bodies, joint, scheme, extra, friction):
        """Zeros of the velocity of a disc that swings in its hole from 60 degrees, compared with those of the equivalent pendulum."""
        config = f"gravity: [0, -9.81, 0]\n{bodies}joints: {{J: {{{joint}, clearance: 20 mm, radius: 30 mm, friction: {friction}}}}}\n"
        results = run(config, scheme, "0.1 ms", 0.5, ["disc"], 1, extra)
        time, speed = results.history["time"], results.history["disc.vx"]
        zeros = [time[i] - speed[i] * (time[i + 1] - time[i]) / (speed[i + 1] - speed[i]) for i in range(20, len(time) - 1) if speed[i] * speed[i + 1] < 0]
        half = 2 * quarter(math.sin(math.radians(30))) * math.sqrt((1.5 if friction else 1) * 0.02 / 9.81)
        return zeros[1] - 2 * half

    def test_disc_in_its_hole(self):
        """Without friction a pendulum of length c; rolling one of 3c/2, in the plane, and in space as a ball in a bore with the inertia of a disc."""
        at = vector([0.02 * math.sin(math.radians(60)), -0.01, 0])
        plane = f"bodies: {{disc: {{type: body, dimension: 2, at: {at}, mass: 2, inertia: 9e-4}}}}\n"
        space = f"bodies: {{disc: {{type: body, at: {at}, mass: 2, inertia: [9e-4, 9e-4, 9e-4]}}}}\n"
        cases = ((plane, "type: revolute, between: [ground, disc.center], at: [0, 0, 0]"),
                 (space, "type: spherical, between: [ground, disc.center], at: [0, 0, 0]"),
                 (space, "type: cylindrical, between: [ground, disc.center], at: [0, 0, 0], axis: [0, 0, 1], length: 0.1 m"),
                 (space, "type: revolute, between: [ground, disc.center], at: [0, 0, 0], axis: [0, 0, 1], length: 0.1 m"),
                 (space, "type: point_on_line, between: [ground, disc.center], at: [0, 0, 0], axis: [0, 0, 1]"))
        for bodies, joint in cases:
            for friction in (0, 2):
                self.assertLess(abs(self.swing(bodies, joint, "half_explicit", "", friction)), 1e-6, joint)
                if friction and bodies is space:  # not supported by event-driven schemes
                    continue
                self.assertLess(abs(self.swing(bodies, joint, "event_driven_hem5", ", tolerance: 1e-9", friction)), 1e-9, joint)
        for scheme in ("moreau_midpoint", "generalised_alpha", "ggl_unified"):
            self.assertLess(abs(self.swing(*cases[0], scheme, "", 2)), 5e-4, scheme)

    def test_free_bodies(self):
        """A pin that tumbles in the hole of another body, without losses: rows that were not the derivatives of gaps would change the energy, and open contacts."""
        for joint in ("type: cylindrical, axis: [0.3, 0.4, 1], length: 0.1 m", "type: revolute, axis: [0.3, 0.4, 1], length: 0.1 m", "type: spherical",
                      "type: point_on_line, axis: [0, 0.4, 1]"):
            config = f"""gravity: [0, 0, -9.81]
bodies:
  hole: {{type: body, mass: 2, inertia: [0.02, 0.03, 0.04], initial: {{velocity: [0, 0, 0], angular_velocity: [3 rad/s, 1 rad/s, -2 rad/s]}}}}
  pin: {{type: body, mass: 1, inertia: [0.01, 0.012, 0.004], initial: {{velocity: [0.3, -0.2, 0.1], angular_velocity: [1 rad/s, 2 rad/s, 4 rad/s]}}}}
joints: {{j: {{between: [hole, pin], at: [0.02, 0.01, 0], clearance: 5 mm, radius: 30 mm, restitution: 1, {joint}}}}}
"""
            if "revolute" in joint:  # which still holds the pin along its axis: velocities follow
                config = config.replace("velocity: [0, 0, 0], ", "").replace("velocity: [0.3, -0.2, 0.1], ", "")
            results = run(config, "event_driven_hem5", "1 ms", 0.5, ["pin"], 10, ", tolerance: 1e-10, absolute_tolerance: 1e-12")
            energy = results.info["summary"]["energy"]
            self.assertAlmostEqual(energy["kinetic"] + energy["potential"] - energy["initial"], 0, delta=1e-10, msg=joint)
            self.assertGreater(sum(row["event"] == "impact" and row["contact"].startswith("j") for row in results.tables["events"]), 1, joint)

    def test_slider_in_its_guide(self):
        """The mechanism of Contacts.test_slider_crank_with_clearance with a joint instead of corners and planes: all of its impacts are of both ends, so that round ends are like corners."""
        config = """gravity: [0, -9.81, 0]
bodies:
  crank: {type: body, dimension: 2, at: [0.0765, 0, 0], mass: 0.038, inertia: 7.4e-5, points: {a: [-0.0765, 0, 0], b: [0.0765, 0, 0]}, initial: {angular_velocity: 150 rad/s}}
  rod: {type: body, dimension: 2, at: [0.306, 0, 0], mass: 0.038, inertia: 5.9e-4, points: {a: [-0.153, 0, 0], b: [0.153, 0, 0]}}
  slider: {type: body, dimension: 2, at: [0.459, 0, 0], mass: 0.076, inertia: 2.7e-6}
joints:
  A: {type: revolute, between: [ground, crank.a]}
  B: {type: revolute, between: [crank.b, rod.a]}
  C: {type: revolute, between: [rod.b, slider.center]}
  guide: {type: prismatic, between: [ground, slider.center], axis: [1, 0, 0], clearance: 1 mm, radius: 25 mm, length: 100 mm, restitution: 0.4, friction: 0.01}
"""
        results = run(config, "event_driven_hem5", "1 ms", 0.02, ["crank", "rod"], 1, ", tolerance: 1e-10, absolute_tolerance: 1e-12")
        hits = sorted({round(float(row["time"]), 9) for row in results.tables["events"] if row["event"] == "impact" and row["contact"].startswith("guide")})
        np.testing.assert_allclose(hits[:6], (0.0026925027520205004, 0.005612363198579752, 0.0074750562424653125, 0.008421768016891063, 0.008845705455605653, 0.009023880602632999),
                                   atol=1e-8)
        np.testing.assert_allclose(results.end("crank.angle", "rod.angle"), [1.6133165304489143, -0.5199047104524471], atol=2e-8)
        self.assertAlmostEqual(results.history["rod.omega"][0], -75, delta=1e-9)  # as without clearance

    def test_start_in_flight(self):
        """Velocities that the joint without clearance would not allow are kept: the pin flies through its clearance of 2 cm and hits after 0.02 s."""
        config = ("bodies:\n  a: {type: body, dimension: 2, mass: 1, inertia: 1, initial: {velocity: [1, 0, 0], angular_velocity: 0}}\n"
                  "joints: {J: {type: revolute, between: [ground, a.center], clearance: 20 mm}}\n")
        results = run(config, "event_driven_hem5", "1 ms", 0.03, ["a"])
        self.assertAlmostEqual(float(next(row["time"] for row in results.tables["events"] if row["event"] == "impact")), 0.02, delta=1e-9)


class Friction(unittest.TestCase):
    """Friction in joints, |P_T| <= mu |P_N|."""

    SCHEMES = ("half_explicit", "half_explicit_two_step", "half_explicit_adaptive", "moreau_midpoint", "moreau_jean", "moreau_jean_explicit", "projection_naive", "projection_combined")

    def test_wheel_on_its_pin(self):
        """A wheel of 2 kg and 0.01 kg m^2 on a pin of 20 mm is slowed down by mu r m g, and stays at rest then; in the plane and in space."""
        torque = 0.3 * 0.02 * 2 * 9.81
        stop = 20 * 0.01 / torque
        plane = "dimension: 2, mass: 2, inertia: 0.01, initial: {angular_velocity: 20 rad/s}}}\njoints: {A: {type: revolute"
        space = "mass: 2, inertia: [0.02, 0.01, 0.01], initial: {angular_velocity: [0, 0, 20 rad/s]}}}\njoints: {A: {type: revolute, axis: [0, 0, 1]"
        for body, rate in ((plane, "w.omega"), (space, "w.wz")):
            config = f"gravity: [0, -9.81, 0]\nbodies: {{w: {{type: body, {body}, between: [ground, w.center], friction: 0.3, radius: 20 mm}}}}\n"
            for scheme in self.SCHEMES:
                slides = run(config, scheme, "1 ms", 0.8 * stop, ["w", "A"], 1)
                self.assertAlmostEqual(slides.end(rate)[0], 20 - torque / 0.01 * slides.history["time"][-1], delta=1e-10, msg=scheme)
                self.assertAlmostEqual(slides.info["summary"]["energy"]["friction"], 0.005 * (400 - slides.end(rate)[0] ** 2), delta=1e-10, msg=scheme)
                rests = run(config, scheme, "1 ms", 1.2 * stop, ["w", "A"], 1)
                self.assertEqual(rests.end(rate)[0], 0, scheme)
                self.assertAlmostEqual(rests.end("A.angle")[0], 10 * stop, delta=2e-2 if scheme == "moreau_jean_explicit" else 1e-4, msg=scheme)
            name = "A.y" if body is plane else "A.z"
            row = slides.tables["contacts"][5]
            self.assertEqual(row[f"{name}.state"], "slip")
            self.assertEqual(rests.tables["contacts"][-1][f"{name}.state"], "stick")
            torques = [float(run(config, "half_explicit", "1 ms", 0.1, ["w"]).tables["contacts"][-1][f"{name}.friction_torque"])]
            np.testing.assert_allclose(torques, -torque, rtol=1e-12)

    def test_slider_on_a_slope(self):
        """Slides with g (sin a - mu cos a), or sticks; a point on a line and a prismatic joint alike."""
        for joint in ("prismatic", "point_on_line"):
            for dimension in (2, 3):
                for friction, x in ((0.2, 0.125 * 9.81 * (math.sin(math.pi / 6) - 0.2 * math.cos(math.pi / 6))), (0.6, 0)):
                    body = "dimension: 2, mass: 2, inertia: 1" if dimension == 2 else "mass: 2, inertia: [1, 1, 1]"
                    config = (f"gravity: [0, -9.81, 0]\nbodies: {{s: {{type: body, {body}}}}}\njoints: {{A: {{type: {joint}, between: [ground, s.center], "
                              f"axis: {vector([math.cos(math.pi / 6), -0.5, 0])}, friction: {friction}}}}}\n")
                    results = run(config, "half_explicit", "1 ms", 0.5, ["s"])
                    self.assertAlmostEqual(np.linalg.norm(results.end("s.x", "s.y")), x, delta=1e-12, msg=joint)

    @staticmethod
    def integrate(f, y, end, steps):
        """Runge-Kutta of order 4."""
        y, h = np.array(y, float), end / steps
        for _ in range(steps):
            a = f(y)
            b = f(y + h / 2 * a)
            c = f(y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c))
        return y

    def test_pendulum(self):
        """The load of the pin depends on the motion, and on the friction itself: a rod of 1 m and 2 kg from the horizontal, until before it turns back."""
        g, mu, r = 9.81, 0.3, 0.05

        def rate(y):
            angle, w = y
            alpha = -1.5 * g * math.cos(angle)
            for _ in range(60):
                ax = -0.5 * (math.sin(angle) * alpha + math.cos(angle) * w * w)
                ay = 0.5 * (math.cos(angle) * alpha - math.sin(angle) * w * w)
                load = 2 * math.hypot(ax, ay + g)
                alpha = (-2 * g * 0.5 * math.cos(angle) - np.sign(w) * mu * r * load) / (2 / 3)
            return np.array([w, alpha])

        end = 0.9
        exact = self.integrate(rate, [0, -1e-9], end, 4000)
        config = ("gravity: [0, -9.81, 0]\nbodies: {p: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 2}}\n"
                  f"joints: {{A: {{type: revolute, between: [ground, p.left], friction: {mu}, radius: {r}}}}}\n")
        error = []
        for step in (1, 0.5):
            results = run(config, "half_explicit", f"{step} ms", end, ["p"])
            error.append(np.abs(results.end("p.angle", "p.omega") - exact).max())
        self.assertLess(error[1], 1e-5)
        self.assertAlmostEqual(math.log2(error[0] / error[1]), 2, delta=0.2)
        midpoint = run(config, "moreau_midpoint", "0.5 ms", end, ["p"])
        np.testing.assert_allclose(midpoint.end("p.angle", "p.omega"), exact, atol=5e-3)

    def test_shaft_in_a_sleeve(self):
        """Slides and turns: friction opposes the velocity of the pin's surface, a disc in both directions."""
        def rate(y):
            slip = np.array([y[0], 0.02 * y[1]])
            force = 0.3 * 2 * 9.81 * slip / np.linalg.norm(slip)
            return np.array([-force[0] / 2, -force[1] * 0.02 / 0.01])

        exact = self.integrate(rate, [0.5, 20], 0.1, 1000)
        config = ("gravity: [0, -9.81, 0]\nbodies: {w: {type: body, mass: 2, inertia: [0.01, 0.02, 0.03], initial: {velocity: [0.5, 0, 0], angular_velocity: [20 rad/s, 0, 0]}}}\n"
                  "joints: {A: {type: cylindrical, between: [ground, w.center], axis: [1, 0, 0], friction: 0.3, radius: 20 mm}}\n")
        results = run(config, "half_explicit", "0.2 ms", 0.1, ["w"])
        np.testing.assert_allclose(results.end("w.vx", "w.wx"), exact, rtol=2e-4)

    def test_many_joints(self):
        """A chain of 40 rods with friction in every hinge, far more rows than dense solvers take: the work of friction equals the loss of energy."""
        results = run(chain(40, 10, ", friction: 0.2, radius: 5 mm"), "half_explicit", "0.2 ms", 0.05, ["b39"], 100)
        energy = results.info["summary"]["energy"]
        self.assertGreater(energy["friction"], 1e-3)
        self.assertAlmostEqual(energy["initial"] - energy["kinetic"] - energy["potential"], energy["friction"], delta=1e-5)


class Elimination(unittest.TestCase):
    """Joints without friction are solved by elimination along the bodies; `contact_solver` names another solver for the same equations: the same motion."""

    ROD = "{{type: body, dimension: 2, rod: {{from: [{:.9f}, {:.9f}, 0], to: [{:.9f}, {:.9f}, 0]}}, mass: {:.3f}}}"

    def compare(self, config, solver, probe, columns, steps=40):
        ends = []
        for extra in ("", f", contact_solver: {solver}"):
            results = run(config, "half_explicit", "0.5 ms", 5e-4 * steps, [probe], steps, extra)
            ends.append(results.end(*columns))
            if not extra:
                self.assertEqual(results.info["summary"]["contact_search"]["most_dense_rows"], 0)
                self.assertEqual(results.info["summary"]["contact_solver"]["most_iterations"], 1)
        np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-11)
        self.assertGreater(np.abs(ends[0]).max(), 1e-3)

    def test_tree(self):
        """A binary tree of 31 rods, each on its parent."""
        bodies, joints = "", ""
        tip = {0: (0.0, 0.0)}
        for i in range(1, 32):
            x, y = tip[i // 2]
            angle = 0.4 + 1.7 * (i % 2) + 0.1 * i
            tip[i] = (x + 0.1 * math.cos(angle), y - 0.1 * math.sin(angle))
            bodies += f"  b{i}: {self.ROD.format(x, y, *tip[i], 0.1 + 0.01 * i)}\n"
            joints += f"  j{i}: {{type: revolute, between: [{'ground' if i == 1 else f'b{i // 2}.right'}, b{i}.left]}}\n"
        self.compare(f"gravity: [0, -9.81, 0]\nbodies:\n{bodies}joints:\n{joints}", "newton", "b31", ["b31.x", "b31.y", "b31.angle", "b31.vx"])

    def test_star_and_loop(self):
        """Twelve rods on one disc, two of them closed to loops by a further rod; a driven hinge."""
        bodies, joints = "  hub: {type: body, dimension: 2, at: [0, 0, 0], mass: 2, inertia: 0.1, points: {", "  h: {type: revolute, between: [ground, hub.center]}\n"
        bodies += ", ".join(f"p{i}: [{0.1 * math.cos(i):.9f}, {0.1 * math.sin(i):.9f}, 0]" for i in range(12)) + "}}\n"
        for i in range(12):
            c, s = math.cos(i), math.sin(i)
            bodies += f"  r{i}: {self.ROD.format(0.1 * c, 0.1 * s, 0.25 * c, 0.25 * s, 0.3)}\n"
            joints += f"  a{i}: {{type: revolute, between: [hub.p{i}, r{i}.left]}}\n"
        for i, k in ((0, 1), (4, 5)):
            bodies += f"  c{i}: {self.ROD.format(0.25 * math.cos(i), 0.25 * math.sin(i), 0.25 * math.cos(k), 0.25 * math.sin(k), 0.2)}\n"
            joints += f"  l{i}: {{type: revolute, between: [r{i}.right, c{i}.left]}}\n  m{i}: {{type: revolute, between: [c{i}.right, r{k}.right]}}\n"
        self.compare(f"gravity: [0, -9.81, 0]\nbodies:\n{bodies}joints:\n{joints}drives: {{d: {{joint: h, speed: {{table: [[0, 0], [1 s, 300 rpm]]}}}}}}\n", "newton", "r5",
                     ["r5.x", "r5.y", "r5.angle", "r5.omega"])

    def test_chain_in_space(self):
        """150 rows: more than dense solvers take. Hinges about changing axes, the first of them geared to a wheel."""
        bodies, joints, n = "", "", 30
        for i in range(n):
            bodies += (f"  b{i}: {{type: body, at: [{0.1 * i + 0.05:.9f}, 0, 0], mass: 0.2, inertia: [2e-4, 3e-4, 4e-4], points: {{left: [-0.05, 0, 0], right: [0.05, 0, 0]}}}}\n")
            joints += (f"  j{i}: {{type: revolute, between: [{f'b{i - 1}.right' if i else 'ground'}, b{i}.left], axis: [{0.3 * math.sin(i):.9f}, {math.cos(i):.9f}, 1]}}\n")
        bodies += "  w: {type: body, at: [0, 1, 0], mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
        joints += "  jw: {type: revolute, between: [ground, w.center], axis: [0, 0, 1]}\n  g: {type: gear, joints: [j0, jw], ratio: 2}\n"
        self.compare(f"gravity: [0, -9.81, 0]\nbodies:\n{bodies}joints:\n{joints}", "pivoting", "b29", ["b29.x", "b29.y", "b29.z", "b29.wx", "b29.vy"])

    def test_two_mechanisms(self):
        """Two independent mechanisms, one with initial velocities that its joint stops at once: the other one keeps its forces."""
        one = "  a: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1}\n"
        both = one + "  b: {type: body, dimension: 2, rod: {from: [5, 0, 0], to: [6, 0, 0]}, mass: 1}\n"
        joints = "joints:\n  A: {type: revolute, between: [ground, a.left]}\n"
        alone = run(f"gravity: [0, -9.81, 0]\nbodies:\n{one}{joints}", "half_explicit", "0.5 ms", 0.1, ["a"], 10)
        pair = run(f"gravity: [0, -9.81, 0]\nbodies:\n{both}{joints}  B: {{type: revolute, between: [ground, b.left]}}\n", "half_explicit", "0.5 ms", 0.1, ["a", "b"], 10)
        for body in "ab":
            np.testing.assert_allclose(pair.end(f"{body}.y", f"{body}.angle", f"{body}.omega"), alone.end("a.y", "a.angle", "a.omega"), rtol=0, atol=1e-13)


class Bushings(unittest.TestCase):
    def test_periods(self):
        """A body on a bushing to the ground, along each of its axes and about them: quarter periods of m x'' = -k x and J a'' = -K a, for angles of any size about one axis."""
        k, K, mass, J = (400, 900, 1600), (4, 9, 16), 4, (0.1, 0.2, 0.3)
        keys = "stiffness: [400 N/m, 900 N/m, 1600 N/m], rotational_stiffness: [4 N m/rad, 9 N m/rad, 16 N m/rad]"
        for i, axis in enumerate("xyz"):
            quarter_period = math.pi / 2 * math.sqrt(mass / k[i])
            v = [0.0] * 3
            v[i] = 0.2
            config = (f"bodies: {{b: {{type: body, mass: {mass}, inertia: {vector(J)}, initial: {{velocity: {vector(v)}, angular_velocity: [0, 0, 0]}}}}}}\n"
                      f"joints: {{m: {{type: bushing, between: [ground, b.center], {keys}}}}}\n")
            case = run(config, "half_explicit", quarter_period / 500, quarter_period, ["b"])
            self.assertAlmostEqual(case.end(f"b.{axis}")[0], 0.2 * math.sqrt(mass / k[i]), delta=1e-6)
            self.assertAlmostEqual(case.info["summary"]["energy"]["elastic"], mass * 0.04 / 2, delta=1e-6)
            quarter_period = math.pi / 2 * math.sqrt(J[i] / K[i])
            w = [0.0] * 3
            w[i] = 2.5 / math.sqrt(J[i] / K[i])  # up to 2.5 rad
            config = config.replace(f"velocity: {vector(v)}", "velocity: [0, 0, 0]").replace("angular_velocity: [0, 0, 0]", f"angular_velocity: {speeds(w)}")
            case = run(config, "half_explicit", quarter_period / 2000, quarter_period, ["b"])
            self.assertAlmostEqual(2 * math.atan2(case.end(f"b.p{i + 1}")[0], case.end("b.p0")[0]), 2.5, delta=1e-5)

    def test_two_bodies(self):
        """Two bodies with large motions and rotations: momentum, angular momentum and energy, with dashpots also their dissipation."""
        config = """bodies:
  a: {type: body, mass: 2, inertia: [0.02, 0.03, 0.04], points: {e: [0.1, 0, 0.05]}, initial: {velocity: [0, 0, 0], angular_velocity: [3 rad/s, 1 rad/s, -2 rad/s]}}
  b: {type: body, at: [0.3, 0, 0], mass: 1, inertia: [0.01, 0.012, 0.004], points: {e: [-0.1, 0.1, 0]}, initial: {velocity: [0.3, -0.2, 0.5], angular_velocity: [1 rad/s, 6 rad/s, 4 rad/s]}}
joints: {m: {type: bushing, between: [a.e, b.e], stiffness: [40 N/m, 90 N/m, 20 N/m], rotational_stiffness: [0.3 N m/rad, 0.5 N m/rad, 0.2 N m/rad] DASHPOTS}}
"""
        for dashpots in ("", ", damping: [1 N s/m, 2 N s/m, 1 N s/m], rotational_damping: [1e-3 N m s/rad, 2e-3 N m s/rad, 1e-3 N m s/rad]"):
            error = []
            for step in ("1 ms", "0.5 ms"):
                case = run(config.replace(" DASHPOTS", dashpots), "half_explicit", step, 1, ["a", "b"], 10)
                np.testing.assert_allclose(2 * case.end("a.vx", "a.vy", "a.vz") + case.end("b.vx", "b.vy", "b.vz"), [0.3, -0.2, 0.5], atol=1e-12)
                energy = case.info["summary"]["energy"]
                error.append(abs(energy["kinetic"] + energy["elastic"] + energy["damping"] - energy["initial"]))
            self.assertLess(error[1], 1e-4)
            self.assertGreater(error[0] / error[1], 3)
            self.assertEqual(energy["damping"] > 0.01, bool(dashpots))

    def test_in_the_plane(self):
        config = ("bodies: {b: {type: body, dimension: 2, mass: 4, inertia: 0.3, initial: {velocity: [0, 0.2, 0], angular_velocity: 3 rad/s}}}\n"
                  "joints: {m: {type: bushing, between: [ground, b.center], stiffness: [400 N/m, 900 N/m, 0], rotational_stiffness: [0, 0, 16 N m/rad]}}\n")
        case = run(config, "generalised_alpha", "0.2 ms", 0.1, ["b"])
        self.assertAlmostEqual(case.end("b.y")[0], 0.2 / 15 * math.sin(1.5), delta=1e-6)
        self.assertAlmostEqual(case.end("b.angle")[0], 3 * math.sqrt(0.3 / 16) * math.sin(0.1 * math.sqrt(16 / 0.3)), delta=1e-5)


def frequency(time, x, near):
    """Angular frequency of an oscillation, by least squares of a mean and a harmonic."""
    def rest(omega):
        A = np.stack([np.ones_like(time), np.cos(omega * time), np.sin(omega * time)], axis=1)
        return np.linalg.norm(A @ np.linalg.lstsq(A, x, rcond=None)[0] - x)
    for width in 0.03 * 0.1 ** np.arange(5):
        near = min(near * (1 + width * np.arange(-10, 11) / 10), key=rest)
    return near


class ElasticRods(unittest.TestCase):
    """A steel rod of 1 m, radius 10 mm: EI = 1649.3 N m^2, m = 2.45 kg."""
    EI, EA, MASS = 210e9 * math.pi * 1e-8 / 4, 210e9 * math.pi * 1e-4, 2.45
    SHEAR = 6 * 1.3 / (7 + 6 * 0.3) * 210e9 / 2.6 * math.pi * 1e-4  # kappa G A

    @staticmethod
    def rod(more="", start="[0, 0, 0]", end="[1, 0, 0]", dimension=2, elements=8, elastic="", name="rod", young="210 GPa", mass=2.45):
        return (f"  {name}: {{type: body, dimension: {dimension}, rod: {{from: {start}, to: {end}, radius: 10 mm, elastic: {{young: {young}, elements: {elements}{elastic}}}}}, "
                f"mass: {mass}{more}}}\n")

    def test_cantilever(self):
        """A load at the tip: the static deflection in the mean, and the first frequency; in the plane, and along y and z in space. Euler and Bernoulli: 3.5160."""
        for dimension, axis in ((2, "y"), (3, "y"), (3, "z")):
            force = {"y": "[0, 1 N, 0]", "z": "[0, 0, 1 N]"}[axis]
            config = "bodies:\n" + self.rod(dimension=dimension) + f"joints: {{A: {{type: fixed, between: [ground, rod.left]}}}}\nloads: {{F: {{at: rod.right, force: {force}}}}}\n"
            results = run(config, "half_explicit", "10 us", 0.22, ["rod.right"], 10)
            y = results.history[f"rod.right.{axis}"]
            unit = math.sqrt(self.EI / self.MASS)
            self.assertAlmostEqual(frequency(results.history["time"], y, 3.5160 * unit) / unit, 3.5160, delta=2e-3, msg=axis)
            self.assertAlmostEqual((y.max() + y.min()) / 2 * (3 * self.EI), 1, delta=0.02)  # higher modes
        config = "bodies:\n" + self.rod(elastic=", damping: 5 ms") + "joints: {A: {type: fixed, between: [ground, rod.left]}}\nloads: {F: {at: rod.right, force: [0, 1 N, 0]}}\n"
        end = run(config, "moreau_jean", "1 ms", 1, ["rod.right"], 10, ", theta: 1").end("rod.right.y")
        self.assertAlmostEqual(end[0] / (1 / (3 * self.EI) + 1 / self.SHEAR), 1, delta=1e-6)

    def test_axial(self):
        """A rod that turns at a constant speed stretches by m omega^2 L^2/(3 E A); its force at the root is m omega^2 L/2."""
        config = ("bodies:\n" + self.rod(elastic=", damping: 20 us", elements=16, more=", initial: {angular_velocity: 40 rad/s}")
                  + "joints: {A: {type: revolute, between: [ground, rod.left]}}\ndrives: {m: {joint: A, speed: {constant: 40 rad/s}}}\n")
        results = run(config, "half_explicit", "1 us", 0.02, ["rod.right"], 100)
        length = np.hypot(*results.end("rod.right.x", "rod.right.y"))
        self.assertAlmostEqual((length - 1) / (self.MASS * 1600 / (3 * self.EA)), 1, delta=2e-3)

    def test_spinning_beam(self):
        """A beam clamped to a hub that turns at gamma (EI/m L^3)^1/2: frequencies out of the plane of rotation by Wright and others (1982), in the plane lower by gamma."""
        unit = math.sqrt(self.EI / self.MASS)
        for gamma, flap, delta in ((2, 4.1373, 0.01), (6, 7.3604, 0.05)):  # of order 2 in the length of elements
            speed = gamma * unit
            config = ("bodies:\n" + self.rod(dimension=3, more=f", initial: {{angular_velocity: [0, 0, {speed} rad/s]}}")
                      + "  hub: {type: body, mass: 1, inertia: [1, 1, 1]}\njoints:\n  A: {type: revolute, between: [ground, hub.center], axis: [0, 0, 1]}\n"
                      f"  B: {{type: fixed, between: [hub.center, rod.left]}}\ndrives: {{m: {{joint: A, speed: {{constant: {speed} rad/s}}}}}}\n"
                      "loads: {F: {at: rod.right, force: [0, 0, 0.1 N]}}\n")
            results = run(config, "half_explicit", "10 us", 0.25, ["rod.right", "A"], 10)
            self.assertAlmostEqual(frequency(results.history["time"], results.history["rod.right.z"], flap * unit) / unit, flap, delta=delta)
            flat = config.replace("[0, 0, 0.1 N]}", "[0, 1 N, 0], rotating: true}")
            results = run(flat, "half_explicit", "10 us", 0.25, ["rod.right", "A"], 10)
            angle = results.history["A.angle"]
            across = results.history["rod.right.y"] * np.cos(angle) - results.history["rod.right.x"] * np.sin(angle)
            chord = math.sqrt(flap ** 2 - gamma ** 2)
            self.assertAlmostEqual(frequency(results.history["time"], across, chord * unit) / unit, chord, delta=delta)

    def test_rolled_up(self):
        """A cantilever with the moment 2 pi E I/L at its tip is rolled up to a circle: the tip comes back to the root."""
        config = ("bodies:\n" + self.rod(elastic=", damping: 0.1 s", young="2.1 GPa")
                  + f"joints: {{A: {{type: fixed, between: [ground, rod.left]}}}}\nloads: {{M: {{at: rod.right, moment: [0, 0, {2 * math.pi * self.EI / 100}], "
                  "time: {table: [[0, 0], [2, 1]]}}}\n")
        results = run(config, "moreau_jean", "20 ms", 8, ["rod.right", "rod.node4"], 10, ", theta: 1")
        np.testing.assert_allclose(results.end("rod.right.x", "rod.right.y"), [0, 0], atol=1e-6)
        # a regular polygon: the middle is opposite to the root
        np.testing.assert_allclose(results.end("rod.node4.x", "rod.node4.y"), [0, 1 / 8 / math.sin(math.pi / 8)], atol=1e-6)

    def test_rigid_limit(self):
        """Mass, center and moments of inertia are those of the rod: a pendulum swings like a rigid one."""
        joint = "joints: {A: {type: revolute, between: [ground, rod.left]}}\n"
        rigid = "  rod: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [1, 0, 0], radius: 10 mm}, mass: 2.45}\n"
        ends = []
        for body in (rigid, self.rod(elements=2), self.rod(elements=6)):
            ends.append(run("gravity: [0, -9.81, 0]\nbodies:\n" + body + joint, "half_explicit", "5 us", 1, ["rod.right"], 10).end("rod.right.x", "rod.right.y"))
        np.testing.assert_allclose(ends[1:], [ends[0], ends[0]], atol=1e-4)  # what bends

    def test_energy_and_momentum(self):
        """A soft free rod that tumbles, twists and bends by some 60 degrees: its centre goes straight on, its energy is kept, and the motion is the same in any frame."""
        def config(R):
            loads = (("left", [0, 20, 30], [0.1, 0.3, 0.2]), ("right", [5, -20, -30], [-0.1, 0.3, 0.1]), ("center", [-5, 0, 0], [0, -0.6, -0.3]))
            return ("bodies:\n" + self.rod(dimension=3, elements=4, young="21 MPa", start=vector(R @ [-0.5, 0, 0]), end=vector(R @ [0.5, 0, 0]),
                                           more=f", initial: {{velocity: {vector(R @ [0.3, 0.1, -0.2])}}}")
                    + "loads:\n" + "".join(f"  F{i}: {{at: rod.{p}, force: {vector(R @ f)}, moment: {vector(R @ m)}, until: 40 ms}}\n" for i, (p, f, m) in enumerate(loads)))
        weight = np.array([3 / 8, 7 / 6, 11 / 12, 7 / 6, 3 / 8]) / 4
        probes = [f"rod.node{k}" for k in range(5)]
        results = run(config(np.eye(3)), "half_explicit", "50 us", 0.5, probes, 10)
        center = sum(weight[k] * np.array([results.history[f"rod.node{k}.{a}"] for a in "xyz"]) for k in range(5))
        np.testing.assert_allclose(center, np.outer([0.3, 0.1, -0.2], results.history["time"]), atol=1e-12)
        self.assertGreater(results.info["summary"]["energy"]["load"], 9)
        self.assertLess(results.info["summary"]["energy_numerical_max"], 5e-3)
        axis, angle = np.array([1.0, 2, 3]) / math.sqrt(14), 1.1
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        R = np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
        turned = run(config(R), "half_explicit", "50 us", 0.2, probes, 10)  # later, rounding errors grow: the motion is chaotic
        for k in (0, 4):
            names = [f"rod.node{k}.{a}" for a in "xyz"]
            np.testing.assert_allclose(turned.end(*names), R @ [results.at(name, 0.2) for name in names], atol=1e-10)

    def test_dissipation(self):
        """Two damped rods that a spring bends and stretches: what all dampers dissipate is what is lost, up to the error of the scheme, of order 2."""
        config = ("bodies:\n" + self.rod(elements=4, young="210 MPa", elastic=", damping: 0.5 ms")
                  + self.rod(name="other", elements=2, young="210 MPa", elastic=", damping: 0.2 ms", start="[0, 0.5, 0]", end="[1, 0.6, 0]")
                  + "springs: {k: {between: [rod.right, other.center], stiffness: 60, damping: 2, length: 0.3}}\n")
        error = []
        for step in ("50 us", "25 us"):
            energy = run(config, "half_explicit", step, 0.1, ["rod"], 1000).info["summary"]["energy"]
            error.append(abs(energy["kinetic"] + energy["elastic"] + energy["damping"] - energy["initial"]) / energy["damping"])
        self.assertLess(error[1], 1e-5)
        self.assertGreater(error[0] / error[1], 3)

    def test_schemes(self):
        """Every scheme that supports bodies: a cantilever that is released under its weight."""
        for dimension in (2, 3):
            config = ("gravity: [0, -9.81, 0]\nbodies:\n" + self.rod(dimension=dimension, elements=2, elastic=", damping: 10 us")
                      + "joints: {A: {type: fixed, between: [ground, rod.left]}}\n")
            exact = run(config, "event_driven_hem5", "0.1 ms", 0.02, ["rod.right"], 1000, ", tolerance: 1e-8").end("rod.right.y")[0]
            for scheme in EXPLICIT_2 + ("moreau_midpoint", "ggl_decoupled") + ("half_explicit_adaptive", "event_driven_rkf45"):
                implicit = scheme in ("moreau_jean", "generalised_alpha", "generalised_alpha_velocity", "moreau_midpoint", "implicit_split", "projection_naive", "projection_combined")
                end = run(config, scheme, "20 us" if implicit else "10 us", 0.02, ["rod.right"], 1000).end("rod.right.y")[0]
                self.assertAlmostEqual(end / exact, 1, delta=0.02, msg=scheme)

    def test_step_limit(self):
        """half_explicit is stable just below the critical time step, and refused above it."""
        config = "bodies:\n" + self.rod(more=", initial: {velocity: [0, 1, 0]}") + "joints: {A: {type: revolute, between: [ground, rod.left]}}\n"
        run(config, "half_explicit", "13.8 us", 0.1, ["rod"], 1000)
        with self.assertRaisesRegex(AssertionError, "critical time step of half_explicit, 1.3872e-05 s"):
            run(config, "half_explicit", "14 us", 0.1, ["rod"], 1000)

    def test_assembly(self):
        """A rod in a loop starts without strain, with the velocities of a rigid one."""
        config = ("bodies:\n  crank: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [0, 0.1, 0]}, mass: 0.3}\n" + self.rod(name="coupler", start="[0, 0.1, 0]", end="[0.35, 0.25, 0]")
                  + "  rocker: {type: body, dimension: 2, rod: {from: [0.3, 0, 0], to: [0.3502, 0.25, 0]}, mass: 0.7}\njoints:\n"
                  "  A: {type: revolute, between: [ground, crank.left]}\n  B: {type: revolute, between: [crank.right, coupler.left]}\n"
                  "  C: {type: revolute, between: [coupler.right, rocker.right]}\n  D: {type: revolute, between: [ground, rocker.left]}\ndrives: {m: {joint: A, speed: 300 rpm}}\n")
        rigid = config.replace(", elastic: {young: 210 GPa, elements: 8}", "")
        probes = ["coupler", "rocker", "coupler.right"]
        a, b = (run(text, "half_explicit", "2 us", 2e-6, probes, 1) for text in (config, rigid))
        for column in a.history:
            self.assertAlmostEqual(a.history[column][0], b.history[column][0], delta=3e-4 if column == "coupler.y" else 1e-9 + 2e-4, msg=column)
        self.assertLess(a.info["summary"]["energy"]["elastic"], 1e-9)


class Springs(unittest.TestCase):
    def test_energy_and_period(self):
        """A ball on a spring of free length 0.5 m, 0.1 m longer at the start, 9 N/m and 4 kg: k d^2/2 at first, and all of it kinetic after a quarter of the period 2 pi sqrt(m/k)."""
        config = ("bodies: {b: {type: body, at: [0.6 m, 0, 0], mass: 4 kg, inertia: [1, 1, 1]}}\n"
                  "springs: {s: {between: [b.center, ground], anchor: [0, 0, 0], stiffness: 9 N/m, length: 0.5 m}}")
        quarter = 2 * math.pi * math.sqrt(4 / 9) / 4
        case = run(config, "half_explicit", quarter / 400, quarter, ["b"])
        energy = case.info["summary"]["energy"]
        self.assertAlmostEqual(energy["initial"], 9 * 0.1**2 / 2, delta=1e-12)
        self.assertAlmostEqual(energy["kinetic"], 9 * 0.1**2 / 2, delta=1e-6)
        self.assertAlmostEqual(energy["elastic"], 0, delta=1e-6)
        self.assertAlmostEqual(case.at("b.x", quarter), 0.5, delta=1e-5)


def turned(axis, angle):
    """Rotation matrix about a unit vector."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


class ForcesAsColumns(unittest.TestCase):
    def test_springs_and_bushings(self):
        """Forces, moments and energies of springs, bushings and springs in joints: by their formulas from the state, and all energies together that of the model."""
        config = """gravity: [0, 0, -9.81]
bodies:
  a: {type: body, at: [0.1, 0, -0.5], mass: 1, inertia: [0.01, 0.02, 0.03], points: {p: [0, 0, 0.1], e: [0.1, 0, 0]}, initial: {angular_velocity: [0.3 rad/s, 1 rad/s, 0]}}
  b: {type: body, at: [0.4, 0, -0.5], mass: 2, inertia: [0.01, 0.02, 0.03], points: {e: [-0.2, 0, 0]}}
  c: {type: body, at: [2, 0, 0], mass: 1, inertia: [0.01, 0.02, 0.03], initial: {angular_velocity: [0, 0, 2 rad/s]}}
  d: {type: body, at: [3, 0, 0], mass: 1, inertia: [0.01, 0.02, 0.03], initial: {velocity: [0, 0.5, 0]}}
joints:
  m: {type: bushing, between: [a.e, b.e], stiffness: [200, 300, 400], damping: [1, 2, 3], rotational_stiffness: [5, 6, 7], rotational_damping: [0.1, 0.2, 0.3]}
  h: {type: revolute, between: [ground, c.center], axis: [0, 0, 1], stiffness: 3, damping: 0.5}
  s: {type: prismatic, between: [ground, d.center], axis: [0, 1, 0], stiffness: 20, damping: 0.5}
springs:
  k: {between: [ground, a.p], anchor: [0, 0, 0], stiffness: 100, damping: 2, length: 0.3}
"""
        results = run(config, "half_explicit", "1 ms", 0.5, ["a", "a.p", "b", "c", "d", "h", "springs.k", "joints.m", "joints.h", "joints.s"], 1)
        h = results.history
        p = np.array([h[f"a.p.{x}"] for x in "xyz"])
        length = np.linalg.norm(p, axis=0)
        np.testing.assert_allclose(h["springs.k.length"], length, atol=1e-13)
        rate = np.gradient(length, h["time"])
        np.testing.assert_allclose(h["springs.k.force"][2:-2], (100 * (length - 0.3) + 2 * rate)[2:-2], atol=1e-3)
        np.testing.assert_allclose(h["joints.h.moment"], -3 * h["h.angle"] - 0.5 * h["c.wz"], atol=1e-12)
        np.testing.assert_allclose(h["joints.s.force"], -20 * h["d.y"] - 0.5 * h["d.vy"], atol=1e-12)
        total = sum(h[f"{name}.energy"] for name in ("springs.k", "joints.m", "joints.h", "joints.s"))
        self.assertAlmostEqual(total[-1], results.info["summary"]["energy"]["elastic"], delta=1e-12)
        np.testing.assert_allclose(h["joints.h.energy"], 1.5 * h["h.angle"] ** 2, atol=1e-13)
        for i, axis in enumerate("xyz"):  # b feels its weight and the bushing alone
            force = 2 * np.gradient(h[f"b.v{axis}"], h["time"]) + (2 * 9.81 if axis == "z" else 0)
            np.testing.assert_allclose(h[f"joints.m.f{axis}"][3:-3], force[3:-3], atol=0.03 * np.abs(force).max() + 1e-3)
        self.assertGreater(np.abs(h["joints.m.my"]).max(), 0.01)

    def test_in_the_plane(self):
        config = ("bodies:\n  a: {type: body, dimension: 2, at: [0.1, 0, 0], mass: 1, inertia: 0.01, points: {p: [-0.1, 0, 0]}, initial: {velocity: [0, 1, 0], angular_velocity: 3 rad/s}}\n"
                  "joints: {m: {type: bushing, between: [ground, a.p], stiffness: [200, 300, 0], rotational_stiffness: [0, 0, 7]}}\n")
        results = run(config, "half_explicit", "1 ms", 0.5, ["a", "joints.m"], 1)
        h = results.history
        self.assertNotIn("joints.m.fz", h)
        np.testing.assert_allclose(h["joints.m.fx"], -200 * (h["a.x"] - 0.1 * np.cos(h["a.angle"])), atol=1e-11)
        np.testing.assert_allclose(h["joints.m.mz"], -7 * h["a.angle"], atol=1e-12)
        self.assertAlmostEqual(h["joints.m.energy"][-1], results.info["summary"]["energy"]["elastic"], delta=1e-13)


class Shapes(unittest.TestCase):
    """Mass and inertia of shapes, by the kinetic energy at the start: m v^2/2 + w' J w/2 in closed form."""

    R, L = 0.2, 0.7
    KINDS = {  # text, volume, moments for mass 1
        "sphere": ("sphere: 0.2 m", 4 / 3 * math.pi * R**3, (0.4 * R**2,) * 3),
        "box": ("box: [0.3 m, 0.5 m, 0.9 m]", 0.3 * 0.5 * 0.9, tuple((a * a + b * b) / 12 for a, b in ((0.5, 0.9), (0.9, 0.3), (0.3, 0.5)))),
        "cylinder": ("cylinder: {radius: 0.2 m, length: 0.7 m}", math.pi * R**2 * L, ((3 * R**2 + L**2) / 12,) * 2 + (R**2 / 2,)),
    }
    MIDDLE, ENDS = math.pi * R**2 * L, 4 / 3 * math.pi * R**3
    KINDS["capsule"] = ("capsule: {radius: 0.2 m, length: 0.7 m}", MIDDLE + ENDS, (
        (MIDDLE * (3 * R**2 + L**2) / 12 + ENDS * (0.4 * R**2 + L**2 / 4 + 3 * L * R / 8)) / (MIDDLE + ENDS),) * 2 + ((MIDDLE * R**2 / 2 + ENDS * 0.4 * R**2) / (MIDDLE + ENDS),))

    def energy(self, shapes, w, rest=""):
        text = f"bodies: {{b: {{type: body, density: 1000 kg/m^3, shapes: {{{shapes}}}, initial: {{velocity: [0, 3 m/s, 0], angular_velocity: [{', '.join(f'{x!r} rad/s' for x in w)}]}}{rest}}}}}"
        return run(text, "half_explicit", "1 ms", 0.001, ["b"]).info["summary"]["energy"]["initial"]

    def test_each_alone(self):
        for kind, (text, volume, moment) in self.KINDS.items():
            for w in ((2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.0)):
                expected = 1000 * volume * (9 + sum(m * x * x for m, x in zip(moment, w))) / 2
                self.assertAlmostEqual(self.energy(f"s: {{{text}}}", w) / expected, 1, delta=1e-12, msg=f"{kind} {w}")

    def test_together(self):
        """Off the origin, a cylinder turned; its products of inertia, too. The body's axes are principal ones: only the energy of a rotation about each axis in space is theirs alike."""
        parts = (("box", (0.1, -0.2, 0.3), np.eye(3), ""), ("cylinder", (-0.4, 0.5, 0.6), turned((0, 0.6, 0.8), 0.7), ", rotation: {axis: [0, 0.6, 0.8], angle: 0.7 rad}"),
                 ("sphere", (0.7, 0.1, -0.5), np.eye(3), ""))
        mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
        for kind, at, R, _ in parts:
            _, volume, moment = self.KINDS[kind]
            m, x = 1000 * volume, np.array(at)
            mass, first = mass + m, first + m * x
            second += R @ np.diag(moment) @ R.T * m + m * (x @ x * np.eye(3) - np.outer(x, x))
        center = first / mass
        inertia = second - mass * (center @ center * np.eye(3) - np.outer(center, center))
        text = ", ".join(f"{kind}: {{{self.KINDS[kind][0]}, at: [{', '.join(f'{x} m' for x in at)}]{turn}}}" for kind, at, _, turn in parts)
        for w in ((1.5, 0.0, 0.0), (0.0, 1.5, 0.0), (0.0, 0.0, 1.5), (1.0, -2.0, 0.5)):
            expected = 4.5 * mass + np.array(w) @ inertia @ np.array(w) / 2
            self.assertAlmostEqual(self.energy(text, w) / expected, 1, delta=1e-12, msg=str(w))


class Contacts(unittest.TestCase):
    def test_impacts_at_the_same_time(self):
        """Three rods hit the floor in one step, under each law: what happens to each is what happens to it alone."""
        starts = ((-1.0, 0.5), (-1.3, 0.2), (-0.8, -0.4))

        def config(chosen, law):
            bodies = "\n".join(
                f"  r{i}: {{type: body, dimension: 2, at: [{3 * i} m, {0.35355339 - 0.01005 * starts[i][0]} m, 0], mass: 1 kg, inertia: [0.0833333333 kg m^2], "
                f"points: {{tip: [-0.35355339 m, -0.35355339 m, 0]}}, initial: {{velocity: [{starts[i][1]} m/s, {starts[i][0]} m/s, 0]}}}}" for i in chosen)
            contacts = "\n".join(f"  c{i}: {{between: [r{i}.tip, {{plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}], friction: 0.9, restitution: 0.7, restitution_law: {law}}}" for i in chosen)
            return f"bodies:\n{bodies}\ncontacts:\n{contacts}"

        for law in ("newton", "poisson", "energetic"):
            together = run(config((0, 1, 2), law), "half_explicit", "0.1 ms", 0.02, ["r0", "r1", "r2"])
            self.assertEqual(len({row["time"] for row in together.tables["events"] if row["event"] == "impact"}), 1)
            for i in range(3):
                alone = run(config((i,), law), "half_explicit", "0.1 ms", 0.02, [f"r{i}"])
                columns = [f"r{i}.{name}" for name in ("vx", "vy", "omega")]
                np.testing.assert_allclose(together.end(*columns), alone.end(*columns), rtol=1e-10, err_msg=law)

    def test_slide_to_roll(self):
        for v, w, speed, x in ((8, 0, 5.714285714285714, 12.759990846491503), (2, -80, -1.0857142857142859, 0.25508331773076204)):
            config = ("gravity: [0, 0, -9.81]\n" + ball(6, 0.11, 0.02904, [0, 0, 0.11], [v, 0, 0], [0, w, 0]) +
                      f"contacts: {{lane: {{between: [ball.s, {FLOOR}], friction: 0.2}}}}\n")
            results = run(config, "half_explicit", "1 ms", 2, ["ball"], 100)
            self.assertAlmostEqual(results.end("ball.vx")[0], speed, delta=1e-6)
            self.assertAlmostEqual(results.end("ball.wy")[0], speed / 0.11, delta=1e-5)
            self.assertAlmostEqual(results.end("ball.x")[0], x, delta=0.002)

    def test_ball_bounces_with_spin(self):
        cases = (((1, 0, -3), (0, 100, 0), 0.5, 0, (1.2857142857142856, 0, 2.4), (0, 64.28571428571428, 0)),
                 ((2, 0.5, -1), (30, -150, 20), 0.15, 0, (1.7363059939896257, 0.4419873186777177, 0.8), (22.748414834714705, -117.03824924870321, 20)),
                 ((1.5, 0, -3), (0, -50, 0), 0.9, 0.5, (0.4285714285714286, 0, 2.4), (0, 83.92857142857142, 0)))
        for v, w, friction, tangential, v1, w1 in cases:
            config = ("gravity: [0, 0, -9.81]\n" + ball(0.046, 0.02, 7.36e-6, [0, 0, 0.020000001], v, w) +
                      f"contacts: {{floor: {{between: [ball.s, {FLOOR}], friction: {friction}, restitution: 0.8, restitution_tangential: {tangential}}}}}\n")
            results = run(config, "half_explicit", "10 us", 2e-5, ["ball"])
            np.testing.assert_allclose(results.end("ball.vx", "ball.vy", "ball.vz"), v1, atol=1e-3)
            np.testing.assert_allclose([results.history[f"ball.w{a}"][-1] for a in "xyz"], w1, atol=0.05)  # about the ball's axes, which have turned by 3e-3 rad

    def test_boxes_of_one_body(self):
        """Two equal boxes of one body, crossed: another box comes to rest on the one that stands, whichever is named first."""
        bar = "box: [200 mm, 50 mm, 50 mm]"
        for order in ("a.flat, a.upright", "a.upright, a.flat"):
            config = (f"gravity: [0, -9.81, 0]\nbodies:\n  a: {{type: body, dimension: 2, at: [0, 0.5, 0], density: 2000, shapes: {{flat: {{{bar}}}, upright: {{{bar}, rotation: {{angle: 90 deg}}}}}}}}\n"
                      "  b: {type: body, dimension: 2, at: [0, 0.7, 0], density: 2000, shapes: {hull: {box: [20 mm, 20 mm, 20 mm]}}, initial: {velocity: [0, -2, 0]}}\n"
                      f"joints: {{held: {{type: fixed, between: [ground, a]}}}}\ncontacts: {{c: {{between: [{{node: [{order}]}}, b.hull]}}}}\n")
            self.assertAlmostEqual(run(config, "moreau_midpoint", "0.1 ms", 0.2, ["b"], 100).end("b.y")[0], 0.61, delta=3e-4)

    def test_boxes_that_touch_early(self):
        """With a negative gap_offset boxes touch at a distance, far beyond the margin of the search for pairs."""
        hull = "density: 2000, shapes: {hull: {box: [100 mm, 100 mm, 50 mm]}}"
        config = (f"bodies:\n  a: {{type: body, dimension: 2, at: [0, 0, 0], {hull}}}\n  b: {{type: body, dimension: 2, at: [0.5, 0, 0], {hull}, initial: {{velocity: [-1, 0, 0]}}}}\n"
                  "contacts: {c: {between: [a.hull, b.hull], gap_offset: -100 mm}}\n")
        results = run(config, "moreau_midpoint", "0.1 ms", 0.6, ["a", "b"], 100)
        self.assertAlmostEqual(np.diff(results.end("a.x", "b.x"))[0], 0.2, delta=2e-4)

    def test_box_on_slope(self):
        def config(degrees, friction, height):
            angle = math.radians(degrees)
            return (f"gravity: {vector([9.81 * math.sin(angle), 0, -9.81 * math.cos(angle)])}\nbodies:\n  box: {{type: body, at: [0, 0, {height / 2}], mass: 2, "
                    f"shapes: {{hull: {{box: [0.2, 0.2, {height}]}}}}}}\ncontacts: {{slope: {{between: [box.hull, {FLOOR}], friction: {friction}}}}}\n")
        rest = run(config(15, 0.3, 0.3), "half_explicit", "0.2 ms", 1, ["box"], 100)
        np.testing.assert_allclose(rest.end("box.vx", "box.vy", "box.vz"), 0, atol=1e-10)
        row = rest.tables["contacts"][-1]
        forces = {i: float(row[f"slope.hull.corner{i}.force"]) for i in range(1, 9)}
        self.assertAlmostEqual(forces[2] + forces[4], 13.284254604579354, delta=1e-6)  # corners at x > 0 are the lower ones
        self.assertAlmostEqual(forces[1] + forces[3], 5.667210107212169, delta=1e-6)
        slide = run(config(20, 0.3, 0.3), "half_explicit", "0.2 ms", 1, ["box"], 100)
        self.assertAlmostEqual(slide.end("box.x")[0], 0.2948511115259412, delta=1e-4)
        tip = run(config(25, 0.8, 0.6), "half_explicit", "0.2 ms", 0.55, ["box"], 1)
        angle = 2 * np.arcsin(np.abs(tip.history["box.p2"]))
        self.assertAlmostEqual(float(np.interp(math.radians(30), angle, tip.history["time"])), 0.5001944514855129, delta=2e-4)

    def test_newtons_cradle(self):
        for restitution, gap, expected in ((1, 0, (-0.6, 0.4, 0.4, 0.4, 0.4)), (0.5, 0, (-0.2, 0.3, 0.3, 0.3, 0.3)), (0, 0, (0.2,) * 5), (1, 1e-3, (0, 0, 0, 0, 1))):
            config = "bodies:\n"
            for i in range(5):
                x = i * (0.04 + gap) - (1e-4 if i == 0 else 0)
                config += (f"  b{i}: {{type: body, at: [{x!r}, 0, 0], mass: 0.1, inertia: [1.6e-5, 1.6e-5, 1.6e-5], shapes: {{s: {{sphere: 0.02}}}}, "
                           f"initial: {{velocity: [{1 if i == 0 else 0}, 0, 0]}}}}\n")
            config += "contacts:\n" + "".join(f"  c{i}: {{between: [b{i}.s, b{i + 1}.s], restitution: {restitution}, gap_tolerance: 1e-15 m}}\n" for i in range(4))
            results = run(config, "half_explicit", "10 us", 0.02, [f"b{i}" for i in range(5)], 100)
            np.testing.assert_allclose(results.end(*(f"b{i}.vx" for i in range(5))), expected, atol=1e-9)

    def test_box_on_belt(self):
        def config(height, friction, speed):
            return (f"gravity: [0, 0, -9.81]\nbodies:\n  box: {{type: body, at: [0, 0, {height / 2}], mass: 2, shapes: {{hull: {{box: [0.2, 0.2, {height}]}}}}}}\n"
                    f"contacts: {{belt: {{between: [box.hull, {{plane: {{point: [0, 0, 0], normal: [0, 0, 1], velocity: [{speed}, 0, 0]}}}}], friction: {friction}}}}}\n")
        results = run(config(0.2, 0.4, 1.5), "half_explicit", "0.1 ms", 0.6, ["box"], 100)
        self.assertAlmostEqual(results.end("box.x")[0], 0.6133027522935779, delta=0.002)
        energy = results.info["summary"]["energy"]
        self.assertAlmostEqual(energy["friction"], 2.25, delta=0.001)
        self.assertAlmostEqual(energy["load"], 4.5, delta=0.002)
        row = next(row for row in results.tables["contacts"] if float(row["time"]) > 0.2)
        self.assertAlmostEqual(float(row["belt.hull.corner1.force"]) + float(row["belt.hull.corner3.force"]), 13.734, delta=1e-6)
        tall = run(config(0.6, 0.6, 3), "half_explicit", "0.1 ms", 0.15, ["box"], 1)
        angle = 2 * np.arcsin(np.abs(tall.history["box.p2"]))
        time = float(np.interp(math.radians(20), angle, tall.history["time"]))
        self.assertAlmostEqual(time, 0.1464870693216012, delta=5e-4)
        self.assertAlmostEqual(tall.at("box.x", time), 0.07281813247202659, delta=5e-4)

    def test_woodpecker(self):
        with open(os.path.join(ROOT, "configs", "woodpecker.yaml")) as file:
            config = file.read().split("scheme:")[0]
        results = run(config, "half_explicit", "10 us", 1.5, ["sleeve", "bird"], 1)
        hits = [row for row in results.tables["events"] if row["contact"] == "beak" and row["event"] == "impact"]
        time = np.array([float(row["time"]) for row in hits])
        self.assertAlmostEqual(time[-1] - time[-2], 0.1307475249635357, delta=5e-4)
        self.assertAlmostEqual(results.at("sleeve.y", time[-1]) - results.at("sleeve.y", time[-2]), -0.014496911104099452, delta=1.5e-4)
        self.assertAlmostEqual(float(hits[-1]["velocity_before"]), -0.2956064899742179, delta=3e-3)
        np.testing.assert_allclose([results.at("sleeve.angle", time[-1]), results.at("bird.angle", time[-1])], [0.09465986250516321, 0.11987856277522989], atol=1e-3)

    def test_slider_crank_with_clearance(self):
        """The mechanism bodies.slider_crank in bodies and joints: three bodies, three hinges, four corners against two planes."""
        def config(friction):
            return f"""gravity: [0, -9.81, 0]
bodies:
  crank: {{type: body, dimension: 2, at: [0.0765, 0, 0], mass: 0.038, inertia: 7.4e-5, points: {{a: [-0.0765, 0, 0], b: [0.0765, 0, 0]}}, initial: {{angular_velocity: 150 rad/s}}}}
  rod: {{type: body, dimension: 2, at: [0.306, 0, 0], mass: 0.038, inertia: 5.9e-4, points: {{a: [-0.153, 0, 0], b: [0.153, 0, 0]}}, initial: {{angular_velocity: -75 rad/s}}}}
  slider: {{type: body, dimension: 2, at: [0.459, 0, 0], mass: 0.076, inertia: 2.7e-6, initial: {{angular_velocity: 0}},
    points: {{lower_left: [-0.05, -0.025, 0], lower_right: [0.05, -0.025, 0], upper_left: [-0.05, 0.025, 0], upper_right: [0.05, 0.025, 0]}}}}
joints:
  A: {{type: revolute, between: [ground, crank.a]}}
  B: {{type: revolute, between: [crank.b, rod.a]}}
  C: {{type: revolute, between: [rod.b, slider.center]}}
contacts:
  lower: {{between: [[slider.lower_left, slider.lower_right], {{plane: {{point: [0, -0.026, 0], normal: [0, 1, 0]}}}}], restitution: 0.4, friction: {friction}}}
  upper: {{between: [[slider.upper_left, slider.upper_right], {{plane: {{point: [0, 0.026, 0], normal: [0, -1, 0]}}}}], restitution: 0.4, friction: {friction}}}
"""
        exact = (0.0026925027520205004, 0.005607797876425715, 0.007465635199579124, 0.008409252831593965, 0.00883164236575983, 0.009009133080343316)
        results = run(config(0), "event_driven_hem5", "1 ms", 0.02, ["crank", "rod"], 1, ", tolerance: 1e-10, absolute_tolerance: 1e-12")
        hits = sorted({round(float(row["time"]), 9) for row in results.tables["events"] if row["event"] == "impact" and row["contact"][:5] in ("lower", "upper")})
        np.testing.assert_allclose(hits[:6], exact, atol=1e-7)
        np.testing.assert_allclose(results.end("crank.angle", "rod.angle"), [1.6145267238888539, -0.519879959969969], atol=1e-6)
        rubs = run(config(0.01), "half_explicit", "1 us", 0.02, ["crank", "rod"], 100)
        np.testing.assert_allclose(rubs.end("crank.angle", "rod.angle"), [1.6133165304489143, -0.5199047104524471], atol=2e-4)

    def test_painleve(self):
        config = (f"gravity: [0, -9.81, 0]\nbodies:\n  rod: {{type: body, dimension: 2, at: [0, 0.44721359549995787, 0], rotation: {{angle: 1.1071487177940904 rad}}, mass: 1, "
                  "inertia: 0.08333333333333333, points: {tip: [-0.5, 0, 0]}, initial: {velocity: [-2, 0, 0], angular_velocity: 0}}\n"
                  "contacts: {floor: {between: [rod.tip, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 2}}\n")
        results = run(config, "moreau_midpoint", "0.1 ms", 0.05, ["rod"], 1)
        np.testing.assert_allclose(results.end("rod.x", "rod.y", "rod.angle"), [-0.05828560360430445, 0.4718780592126002, 1.233812160807145], atol=2e-3)


class MechanismsAsBodies(unittest.TestCase):
    """The mechanisms in C, and the same in bodies, joints and contacts: trajectories agree to 1e-9, step by step where the coordinates are the same, else by integration to 1e-11."""
    PLANE = "{{plane: {{point: [{}, 0], normal: [{}, 0]}}}}"

    def compare(self, mechanism, bodies, scheme, step, end, columns, extra="", atol=1e-9):
        """columns: {of the mechanism: (of the body, what is subtracted from it)}"""
        before = run(mechanism, scheme, step, end, sorted({name.split(".")[0] for name in columns}), 1, extra)
        after = run(bodies, scheme, step, end, sorted({name.split(".")[0] for name, _ in columns.values()}), 1, extra)
        self.assertGreater(len(before.history["time"]), 20)
        for name, (own, offset) in columns.items():
            if scheme.startswith("event_driven"):  # steps follow from errors: the end
                self.assertAlmostEqual(after.end(own)[0] - offset, before.end(name)[0], delta=atol, msg=name)
                continue
            np.testing.assert_allclose(after.history[own] - offset, before.history[name], rtol=0, atol=atol, err_msg=name)
        return before, after

    def test_bouncing_ball(self):
        for scheme in ("half_explicit", "moreau_jean", "event_driven_hem5"):
            self.compare("gravity: [0, -9.81, 0]\nbodies: {b: {type: bouncing_ball, contact: {restitution: 0.5}, initial: {y: 1 m}}}\n",
                         "gravity: [0, -9.81, 0]\nbodies: {b: {type: body, dimension: 2, at: [0, 1, 0], mass: 1, inertia: 1}}\n"
                         f"contacts: {{floor: {{between: [b.center, {self.PLANE.format('0, 0', '0, 1')}], restitution: 0.5}}}}\n", scheme, "1 ms", 1.2, {"b.y": ("b.y", 0), "b.vy": ("b.vy", 0)})

    def test_ball_in_box(self):
        gravity = "gravity: [-8.49570921112534, -4.905, 0]\n"
        walls = "".join(f"  w{i}: {{between: [{{node: b.center, radius: 1 m}}, {self.PLANE.format(point, normal)}], restitution: 0.3}}\n"
                        for i, (point, normal) in enumerate((("0, 0", "1, 0"), ("0, 0", "0, 1"), ("4, 0", "-1, 0"), ("0, 4", "0, -1"))))
        self.compare(gravity + "bodies: {b: {type: ball_in_box, contact: {restitution: 0.3}}}\n",
                     gravity + "bodies: {b: {type: body, dimension: 2, at: [2, 2, 0], mass: 1, inertia: 1}}\ncontacts:\n" + walls,
                     "half_explicit", "5 ms", 2, {"b.x": ("b.x", 0), "b.y": ("b.y", 0)}, ", restitution_of: all_closed")

    def test_ball_chain(self):
        bodies = "".join(f"  b{i}: {{type: body, dimension: 2, at: [{0.11 * i}, 0, 0], mass: 1, inertia: 1, shapes: {{s: {{sphere: 50 mm}}}}{', initial: {velocity: [1, 0, 0]}' if i == 0 else ''}}}\n" for i in range(3))
        pairs = "".join(f"  p{i}: {{between: [b{i}.s, b{i + 1}.s], restitution: 0.8}}\n" for i in range(2))
        self.compare("bodies: {r: {type: ball_chain, gap: 10 mm, contact: {restitution: 0.8}, initial: {v1: 1 m/s}}}\n", "bodies:\n" + bodies + "contacts:\n" + pairs,
                     "half_explicit", "1 ms", 0.1, {f"r.x{i + 1}": (f"b{i}.x", 0.11 * i) for i in range(3)})

    def test_pendulum_in_ring(self):
        for scheme, extra in (("projection_combined", ""), ("half_explicit", ", positions: held")):
            self.compare("gravity: [0, -9.81, 0]\nbodies: {b: {type: pendulum_in_ring, contact: {restitution: 0.5}, initial: {x: 1 m, y: 0 m}}}\n",
                         "gravity: [0, -9.81, 0]\nbodies: {b: {type: body, dimension: 2, at: [1, 0, 0], mass: 1, inertia: 1, initial: {velocity: [0, 0, 0]}}}\n"
                         "joints:\n  rod: {type: distance, between: [ground, b.center], at: [0, 0, 0]}\n"
                         "  ring: {type: revolute, between: [ground, b.center], at: [0.3, 0, 0], clearance: 1 m, restitution: 0.5}\n", scheme, "2 ms", 2, {"b.x": ("b.x", 0), "b.y": ("b.y", 0)}, extra)

    def test_rocking_block(self):
        self.compare("gravity: [0, -9.81, 0]\nbodies: {b: {type: rocking_block, contact: {restitution: 0, friction: 0.3}, initial: {x: 0.033493649053890406 m, y: 0.56 m, theta: 60 deg}}}\n",
                     "gravity: [0, -9.81, 0]\nbodies: {b: {type: body, dimension: 2, at: [0.033493649053890406, 0.56, 0], rotation: {angle: 60 deg}, mass: 1, inertia: 0.10416666666666667, "
                     f"points: {{l: [-0.5, -0.25, 0], r: [0.5, -0.25, 0]}}}}}}\ncontacts: {{f: {{between: [[b.l, b.r], {self.PLANE.format('0, 0', '0, 1')}], friction: 0.3}}}}\n",
                     "half_explicit", "0.1 ms", 1, {"b.x": ("b.x", 0), "b.y": ("b.y", 0), "b.theta": ("b.angle", 0)})

    def test_oscillator(self):
        self.compare("bodies: {b: {type: oscillator, mass: 1 kg, stiffness: 100 N/m, damping: 0.5, rest: -30 mm, contact: {restitution: 0.5}, initial: {x: 0.1 m}}}\n",
                     "bodies: {b: {type: body, dimension: 2, at: [0.1, 0, 0], mass: 1, inertia: 1}}\nsprings: {s: {between: [ground, b.center], anchor: [-1, 0, 0], stiffness: 100, damping: 0.5, length: 0.97}}\n"
                     f"contacts: {{stop: {{between: [b.center, {self.PLANE.format('0, 0', '1, 0')}], restitution: 0.5}}}}\n", "half_explicit", "0.1 ms", 0.9, {"b.x": ("b.x", 0)})

    @staticmethod
    def crank(lengths, masses, inertias, speeds_, slider="", joints="", contacts=""):
        (a, b), (m1, m2, m3), (J1, J2, J3) = lengths, masses, inertias
        return f"""bodies:
  crank: {{type: body, dimension: 2, at: [{a / 2}, 0, 0], mass: {m1}, inertia: {J1}, points: {{a: [{-a / 2}, 0, 0], b: [{a / 2}, 0, 0]}}, initial: {{angular_velocity: {speeds_[0]} rad/s}}}}
  rod: {{type: body, dimension: 2, at: [{a + b / 2}, 0, 0], mass: {m2}, inertia: {J2}, points: {{a: [{-b / 2}, 0, 0], b: [{b / 2}, 0, 0]}}, initial: {{angular_velocity: {speeds_[1]} rad/s}}}}
  slider: {{type: body, dimension: 2, at: [{a + b}, 0, 0], mass: {m3}, inertia: {J3}{slider}}}
joints:
  A: {{type: revolute, between: [ground, crank.a]}}
  B: {{type: revolute, between: [crank.b, rod.a]}}
  C: {{type: revolute, between: [rod.b, slider.center]}}
{joints}{contacts}"""

    SLIDE = "  D: {type: prismatic, between: [ground, slider.center], axis: [1, 0, 0]}\n"

    def test_slider_cranks_with_joints(self):
        exact = ", tolerance: 1e-12, absolute_tolerance: 1e-13"
        self.compare("gravity: [0, -9.81, 0]\nbodies: {c: {type: slider_crank_bilateral}}\n",
                     "gravity: [0, -9.81, 0]\n" + self.crank((0.153, 0.306), (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 1), (150, -75), joints=self.SLIDE),
                     "event_driven_hem5", "1 ms", 0.05, {"c.theta1": ("crank.angle", 0), "c.theta2": ("rod.angle", 0)}, exact)
        self.compare("gravity: [0, -9.81, 0]\nbodies: {c: {type: slider_crank_two_joints}}\n",
                     "gravity: [0, -9.81, 0]\n" + self.crank((1, 2), (1, 1, 1), (1 / 12, 4 / 12, 1), (8, -4), joints=self.SLIDE),
                     "event_driven_hem5", "10 ms", 1, {"c.alpha1": ("crank.angle", 0), "c.alpha2": ("rod.angle", 0), "c.x": ("slider.x", 0)}, exact)

    def test_slider_crank(self):
        """With clearance: through six impacts; with an unconstrained hinge in three angles of the mechanism."""
        slider = ", initial: {angular_velocity: 0}, points: {a: [-0.05, -0.025, 0], b: [0.05, -0.025, 0], c: [-0.05, 0.025, 0], d: [0.05, 0.025, 0]}"
        contacts = ("contacts:\n  lower: {between: [[slider.a, slider.b], {plane: {point: [0, -0.026, 0], normal: [0, 1, 0]}}], restitution: 0.4}\n"
                    "  upper: {between: [[slider.c, slider.d], {plane: {point: [0, 0.026, 0], normal: [0, -1, 0]}}], restitution: 0.4}\n")
        self.compare("gravity: [0, -9.81, 0]\nbodies: {c: {type: slider_crank, contact: {restitution: 0.4}}}\n",
                     "gravity: [0, -9.81, 0]\n" + self.crank((0.153, 0.306), (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6), (150, -75), slider, contacts=contacts),
                     "event_driven_hem5", "0.2 ms", 0.009, {"c.theta1": ("crank.angle", 0), "c.theta2": ("rod.angle", 0), "c.theta3": ("slider.angle", 0)}, ", tolerance: 1e-12, absolute_tolerance: 1e-13", 1e-8)


class ContactsOfShapes(unittest.TestCase):
    """Capsules, cylinders, boxes and balls on planes, on each other and in cavities."""

    FLOOR = "{plane: {point: [0, 0, 0], normal: [0, 0, 1]}}"
    CYLINDER, CAPSULE = "cylinder: {radius: 0.1 m, length: 0.2 m}", "capsule: {radius: 0.1 m, length: 0.2 m}"

    @staticmethod
    def rolling(shape):
        """Acceleration of a body that rolls about its axis, over that of gravity along the plane: 1/(1 + I/(m r^2))."""
        if shape.startswith("cylinder"):
            return 2 / 3
        middle, ends = 0.2, 4 / 3 * 0.1  # volumes over pi r^2
        return 1 / (1 + (middle * 0.5 + ends * 0.4) / (middle + ends))

    def test_rolling_on_a_plane(self):
        for shape in (self.CYLINDER, self.CAPSULE):
            config = (f"gravity: [2, 0, -9.81]\nbodies: {{c: {{type: body, at: [0, 0, 0.1], rotation: {{axis: [1, 0, 0], angle: 90 deg}}, density: 1000 kg/m^3, "
                      f"shapes: {{h: {{{shape}}}}}}}}}\ncontacts: {{f: {{between: [c.h, {self.FLOOR}], friction: 0.6}}}}\n")
            for scheme in ("half_explicit", "moreau_midpoint", "ggl_unified"):
                results = run(config, scheme, "1 ms", 1, ["c"], 100)
                np.testing.assert_allclose(results.end("c.x", "c.vx", "c.z", "c.wz"), [self.rolling(shape), 2 * self.rolling(shape), 0.1, -20 * self.rolling(shape)], rtol=5e-3,
                                           err_msg=f"{shape} {scheme}")

    def test_hint_where_points_come_and_go(self):
        """Schemes that iterate, or have forces between two steps, name the one that does neither; it keeps the energy where they do not."""
        config = ("gravity: [0, 0, -9.81]\nbodies:\n" + "".join(f"  {name}: {{type: body, at: [{x}, 0, {z}], density: 1000 kg/m^3, shapes: {{h: {{box: [0.1, 0.1, 0.1]}}}}}}\n"
                  for name, x, z in (("a", 0, 0.05), ("b", 0.06, 0.16))) + "contacts:\n  heap: {between: [{node: [a, b]}, {node: [a, b]}], friction: 0.3}\n"
                  f"  floor: {{between: [{{node: [a, b]}}, {self.FLOOR}]}}\nlimits: {{energy: 1e-9}}\ntime: {{end: 0.1}}\n")  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "heap.yaml")
            for scheme, expected in (("moreau_jean_explicit", True), ("moreau_midpoint", False)):
                with open(path, "w") as file:
                    file.write(config + f"scheme: {{type: {scheme}, step: 1 ms}}\n")
                done = subprocess.run([PERCUSS, "run", path, "--out", os.path.join(folder, scheme), "--quiet"], capture_output=True, text=True, timeout=300)
                self.assertEqual("energy error" in done.stderr and "moreau_midpoint bears best" in done.stderr, expected, scheme + done.stderr)

    def test_coin_rolls_in_a_circle(self):
        """A thin disc whose axis is tilted by 30 degrees runs in a circle of radius a on one point of its rim: w of the circle from the balance of moments about the centre of mass."""
        r, tilt, a = 0.1, math.radians(30), 0.5
        # I = m r^2/4 about a diameter; a: of the circle of the centre; w^2 cos tilt (3/2 a + r/4 sin tilt) = g sin tilt
        w = math.sqrt(4 * 9.81 * math.sin(tilt) / (math.cos(tilt) * (6 * a + r * math.sin(tilt))))
        height = r * math.cos(tilt)
        spin = -w * (a + r * math.sin(tilt)) / r  # about its own axis, relative to the turning vertical plane
        axis = np.array([math.cos(tilt), 0, math.sin(tilt)])  # out and up: it leans towards the centre of the circle
        total = np.array([0, 0, w]) + spin * axis
        turn = math.pi / 2 - tilt  # from z to the axis
        R = turned((0, 1, 0), turn)
        config = (f"gravity: [0, 0, -9.81]\nbodies: {{c: {{type: body, at: {vector([a, 0, height])}, rotation: {{axis: [0, 1, 0], angle: {turn!r} rad}}, mass: 1, inertia: [0.0025, 0.0025, 0.005], "
                  f"shapes: {{h: {{cylinder: {{radius: 0.1 m, length: 1e-9 m}}}}}}, initial: {{velocity: {vector([0, w * a, 0])}, angular_velocity: {speeds(R.T @ total)}}}}}}}\n"
                  f"contacts: {{f: {{between: [c.h, {self.FLOOR}], friction: 0.8}}}}\n")
        results = run(config, "half_explicit", "0.2 ms", 1, ["c"], 100)
        x, y, z = results.end("c.x", "c.y", "c.z")
        self.assertAlmostEqual(math.hypot(x, y), a, delta=5e-3)
        self.assertAlmostEqual(z, height, delta=2e-3)
        self.assertAlmostEqual(math.atan2(y, x) % (2 * math.pi), w % (2 * math.pi), delta=2e-2)

    def test_ellipsoid_on_a_plane(self):
        """It rocks without sliding with omega^2 = g (a^2 - c^2)/c/((a^2 + c^2)/5 + c^2); its mass and moments of inertia are those of the solid; turned in any way it lies at the same height."""
        a, b, c = 0.06, 0.05, 0.03
        omega = math.sqrt(9.81 * (a * a - c * c) / c / ((a * a + c * c) / 5 + c * c))
        tilt = 0.01
        height = math.sqrt((a * math.sin(tilt)) ** 2 + (c * math.cos(tilt)) ** 2)
        shape = "density: 1000 kg/m^3, shapes: {h: {ellipsoid: [60 mm, 50 mm, 30 mm]}}"
        config = (f"gravity: [0, 0, -9.81]\nbodies: {{e: {{type: body, at: [0, 0, {height!r}], rotation: {{axis: [0, 1, 0], angle: {tilt} rad}}, {shape}}}}}\n"
                  f"contacts: {{f: {{between: [e.h, {self.FLOOR}], friction: 1}}}}\n")
        results = run(config, "half_explicit", "0.1 ms", 1, ["e"], 1)
        self.assertAlmostEqual(results.history["e.p2"][-1] * 2, tilt * math.cos(omega * 1), delta=2e-5)
        self.assertAlmostEqual(results.info["summary"]["energy"]["initial"], 4000 / 3 * math.pi * a * b * c * 9.81 * height, delta=1e-12)
        plane = (f"gravity: [0, -9.81, 0]\nbodies: {{e: {{type: body, dimension: 2, at: [0, {c + 1e-9}, 0], mass: 1, shapes: {{h: {{ellipsoid: [60 mm, 30 mm, 20 mm]}}}}, initial: {{angular_velocity: 0.1 rad/s}}}}}}\n"
                 "contacts: {f: {between: [e.h, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 1}}\n")
        for scheme, extra in (("half_explicit", ""), ("event_driven_hem5", ", tolerance: 1e-8")):
            results = run(plane, scheme, "0.1 ms", 1, ["e"], 1, extra)
            angle = results.history["e.angle"]
            np.testing.assert_allclose(results.history["e.y"], np.sqrt((a * np.sin(angle)) ** 2 + (c * np.cos(angle)) ** 2), atol=1e-6)
            self.assertLess(abs(results.info["summary"]["energy"]["numerical"]), 1e-6)

    def on_a_box(self, shape, angle, speed, scheme="moreau_midpoint"):
        config = (f"gravity: [0, 0, -9.81]\nbodies:\n  b: {{type: body, at: [0, 0, 0], density: 1000 kg/m^3, shapes: {{h: {{box: [2 m, 2 m, 0.2 m]}}}}}}\n"
                  f"  c: {{type: body, at: [0, 0, 0.2], rotation: {{axis: [1, 0, 0], angle: {angle}}}, density: 1000 kg/m^3, shapes: {{h: {{{shape}}}}}, initial: {{velocity: [{speed}, 0, 0]}}}}\n"
                  "joints: {j: {type: fixed, between: [ground, b.center]}}\ncontacts: {p: {between: [c.h, b.h], friction: 0.5}}\n")
        return run(config, scheme, "1 ms", 0.5, ["c"], 100, ", contact_tolerance: 1e-8").end("c.z", "c.vx", "c.wz")

    def test_on_a_box(self):
        """Sliding becomes rolling: v = v_0/(1 + I/(m r^2)); a cylinder upright stays."""
        for shape in (self.CYLINDER, self.CAPSULE):
            v = 0.5 * self.rolling(shape)
            np.testing.assert_allclose(self.on_a_box(shape, "90 deg", 0.5), [0.2, v, -v / 0.1], atol=1e-6, err_msg=shape)
        np.testing.assert_allclose(self.on_a_box(self.CYLINDER, "0 deg", 0), [0.2, 0, 0], atol=1e-8)

    def test_stacks(self):
        """Three cylinders upright on each other, and two that lie side by side on a third box, stay."""
        bodies = "".join(f"  c{i}: {{type: body, at: [{0.01 * i}, 0, {0.1 + 0.2 * i}], density: 1000 kg/m^3, shapes: {{h: {{{self.CYLINDER}}}}}}}\n" for i in range(3))
        names = "{node: [c0.h, c1.h, c2.h]}"
        config = (f"gravity: [0, 0, -9.81]\nbodies:\n{bodies}contacts:\n  f: {{between: [c0.h, {self.FLOOR}], friction: 0.5}}\n"
                  f"  p: {{between: [{names}, {names}], friction: 0.5}}\n")
        results = run(config, "moreau_midpoint", "1 ms", 0.5, ["c0", "c2"], 100, ", contact_tolerance: 1e-8")
        np.testing.assert_allclose(results.end("c2.x", "c2.y", "c2.z", "c2.p0"), [0.02, 0, 0.5, 1], atol=1e-4)

    def test_with_joints(self):
        """A cylinder and a capsule fall in arbitrary orientations on a box that a joint holds: contacts whose points persist are projected."""
        config = ("gravity: [0.5, 0, -9.81]\nbodies:\n  b: {type: body, at: [0, 0, 0], density: 1000 kg/m^3, shapes: {h: {box: [2 m, 2 m, 0.2 m]}}}\n"
                  f"  c: {{type: body, at: [0, 0, 0.3], rotation: {{axis: [1, 0.3, 0], angle: 40 deg}}, density: 1000 kg/m^3, shapes: {{h: {{{self.CYLINDER}}}}}}}\n"
                  f"  d: {{type: body, at: [0.05, 0, 0.6], rotation: {{axis: [0, 1, 0.2], angle: 70 deg}}, density: 1000 kg/m^3, shapes: {{h: {{{self.CAPSULE}}}}}}}\n"
                  "joints: {j: {type: fixed, between: [ground, b.center]}}\n"
                  "contacts: {p: {between: [{node: [c, d, b]}, {node: [c, d, b]}], friction: 0.5, restitution: 0.3}}\n")
        for scheme in ("moreau_midpoint", "half_explicit"):
            results = run(config, scheme, "1 ms", 0.8, ["c", "d"], 1, ", contact_tolerance: 1e-8")
            self.assertLess(results.info["summary"]["max_penetration"], 6e-3, scheme)
            self.assertGreater(min(results.history["c.z"].min(), results.history["d.z"].min()), 0.19, scheme)

    def test_crossed(self):
        """A cylinder hits the middle of another one that is perpendicular to it, and so does a capsule: the head-on impact of two masses with e = 1."""
        for first in (self.CYLINDER, self.CAPSULE):
            for second in (self.CYLINDER, self.CAPSULE):
                config = (f"bodies:\n  a: {{type: body, at: [0, 0, 0], rotation: {{axis: [1, 0, 0], angle: 90 deg}}, mass: 2, inertia: [1, 1, 1], shapes: {{h: {{{first}}}}}, initial: {{velocity: [0, 0, 1], angular_velocity: [0, 0, 0]}}}}\n"
                          f"  b: {{type: body, at: [0, 0, 0.25], rotation: {{axis: [0, 1, 0], angle: 90 deg}}, mass: 1, inertia: [1, 1, 1], shapes: {{h: {{{second}}}}}}}\n"
                          "contacts: {p: {between: [a.h, b.h], restitution: 1}}\n")
                results = run(config, "moreau_jean", "1 ms", 0.1, ["a", "b"], 100)
                np.testing.assert_allclose(results.end("a.vz", "b.vz", "b.wx", "b.wy"), [1 / 3, 4 / 3, 0, 0], atol=1e-9)

    def test_in_the_plane(self):
        """A capsule that lies on a box, and slides; one on a circle that is a cylinder."""
        config = ("gravity: [0, -9.81, 0]\nbodies:\n  b: {type: body, dimension: 2, at: [0, 0, 0], density: 1000 kg/m^3, shapes: {h: {box: [4 m, 0.2 m, 1 m]}}}\n"
                  "  c: {type: body, dimension: 2, at: [0, 0.2, 0], density: 1000 kg/m^3, shapes: {h: {capsule: {radius: 0.1 m, length: 0.2 m}, rotation: {axis: [0, 1, 0], angle: 90 deg}}}, initial: {velocity: [1, 0, 0]}}\n"
                  "joints: {j: {type: fixed, between: [ground, b.center]}}\ncontacts: {p: {between: [c.h, b.h], friction: 0.2}}\n")
        results = run(config, "moreau_midpoint", "1 ms", 0.3, ["c"], 100, ", contact_tolerance: 1e-8")
        np.testing.assert_allclose(results.end("c.y", "c.vx", "c.angle"), [0.2, 1 - 0.2 * 9.81 * 0.3, 0], atol=2e-3)

    def test_cavities(self):
        """A ball without friction in a ring is a pendulum; in a box it keeps its energy and stays within the walls."""
        config = ("gravity: [0, -9.81, 0]\nbodies:\n  r: {type: body, dimension: 2, mass: 5, inertia: 1, shapes: {hole: {cylinder: {radius: 0.5 m, length: 0.1 m}, inside: true}}}\n"
                  f"  b: {{type: body, dimension: 2, at: [0.02, {-math.sqrt(0.16 - 0.0004)!r}, 0], mass: 1, inertia: 0.005, shapes: {{s: {{sphere: 0.1 m}}}}}}\n"
                  "joints: {j: {type: fixed, between: [ground, r.center]}}\ncontacts: {c: {between: [b.s, r.hole]}}\n")
        period = 2 * math.pi * math.sqrt(0.4 / 9.81)
        self.assertAlmostEqual(run(config, "half_explicit", "0.5 ms", period, ["b"], 100).end("b.x")[0], 0.02, delta=1e-5)
        config = ("bodies:\n  r: {type: body, mass: 5, inertia: [1, 1, 1], shapes: {hole: {HOLE, inside: true}}}\n"
                  "  b: {type: body, at: [0.1, 0.05, 0], mass: 1, inertia: [0.005, 0.005, 0.005], shapes: {s: {sphere: 0.1 m}}, initial: {velocity: [3, 1, 0.5]}}\n"
                  "contacts: {c: {between: [r.hole, b.s], restitution: 1}}\n")
        for hole in ("box: [1 m, 1 m, 1 m]", "cylinder: {radius: 0.5 m, length: 1 m}", "sphere: 0.5 m"):
            results = run(config.replace("HOLE", hole), "half_explicit", "0.5 ms", 2, ["r", "b"], 1)
            apart = np.linalg.norm([results.history[f"b.{k}"] - results.history[f"r.{k}"] for k in "xyz"], axis=0).max()  # the cavity turns
            self.assertLess(apart, {"b": 0.403 * math.sqrt(3), "c": 0.403 * math.sqrt(2), "s": 0.403}[hole[0]], hole)
            self.assertGreater(apart, 0.39, hole)
            np.testing.assert_allclose([5 * results.end(f"r.v{k}")[0] + results.end(f"b.v{k}")[0] for k in "xyz"], [3, 1, 0.5], atol=1e-10, err_msg=hole)
            energy = results.info["summary"]["energy"]
            self.assertAlmostEqual(energy["kinetic"], energy["initial"], delta=1e-9)

    def test_moving_plane(self):
        """A cylinder and a box stand on a table that moves up and down with less than 1 g, and are carried along by one that moves sideways."""
        for shape in (self.CYLINDER, "box: [0.2 m, 0.2 m, 0.2 m]"):
            config = (f"gravity: [0, 0, -9.81]\nbodies: {{b: {{type: body, at: [0, 0, 0.1], density: 1000 kg/m^3, shapes: {{s: {{{shape}}}}}}}}}\ncontacts: {{c: {{between: [b.s, {{plane: "
                      "{point: [0, 0, 0], normal: [0, 0, 1], motion: [{displacement: [0, 0, 1 mm], time: {harmonic: {frequency: 10 Hz, phase: 90 deg}}}, {displacement: [0.2 mm, 0, 0], time: {harmonic: {frequency: 10 Hz, phase: 90 deg}}}]}}], friction: 0.5}}\n")
            config = config.replace("at: [0, 0, 0.1]", "at: [0, 0, 0.101]")
            for scheme in ("half_explicit", "moreau_midpoint"):
                results = run(config, scheme, "0.1 ms", 0.13, ["b"], 10)
                c = math.cos(2 * math.pi * 1.3)
                np.testing.assert_allclose(results.end("b.z", "b.x"), [0.1 + 1e-3 * c, 2e-4 * (c - 1)], atol=3e-6, err_msg=f"{shape} {scheme}")


class DrivesOfSliders(unittest.TestCase):
    """A displacement and a velocity over time, with the force that they need."""

    CONFIG = ("bodies: {c: {type: body, dimension: 2, at: [0, 0, 0], mass: 2, inertia: 0.1}}\n"
              "joints: {S: {type: prismatic, between: [ground, c.center], axis: [1, 0, 0]}}\n"
              "drives: {d: {joint: S, DRIVE, time: {harmonic: {frequency: 5 Hz}}}}\n")

    def test_motion_and_force(self):
        w = 10 * math.pi
        cases = {"displacement: 20 mm": lambda t: (0.02 * math.sin(w * t), 0.02 * w * math.cos(w * t), -0.02 * w * w * math.sin(w * t)),
                 "velocity: 0.5 m/s": lambda t: (0.5 / w * (1 - math.cos(w * t)), 0.5 * math.sin(w * t), 0.5 * w * math.cos(w * t))}
        for drive, exact in cases.items():
            for scheme, tolerance in (("half_explicit", 1e-12), ("moreau_midpoint", 1e-4), ("generalised_alpha", 1e-9), ("event_driven_hem5", 1e-9)):
                results = run(self.CONFIG.replace("DRIVE", drive), scheme, "0.1 ms", 0.0625, ["c"], 5 if scheme != "event_driven_hem5" else 1)
                x, v, a = exact(0.0625)
                np.testing.assert_allclose(results.end("c.x", "c.y", "c.angle"), [x, 0, 0], atol=tolerance, err_msg=f"{drive} {scheme}")
                self.assertAlmostEqual(results.end("c.vx")[0], v, delta=2e-3)
                force = [float(value) for name, value in results.tables["contacts"][-1].items() if name.startswith("d.") and name.endswith("force")]
                if scheme == "half_explicit":
                    self.assertAlmostEqual(force[0], 2 * a, delta=5e-2)  # of order 1

    def test_windows(self):
        """From 10 ms to 50 ms with ramps of 10 ms: a velocity, which holds the slider before and afterwards, and a force, which does not."""
        window = "from: 10 ms, until: 50 ms, ramp: 10 ms"
        for scheme, tolerance in (("half_explicit", 1e-9), ("moreau_jean", 1e-9), ("generalised_alpha", 1e-6), ("event_driven_hem5", 1e-9)):
            for drive, x, v in (("velocity: 0.5 m/s", 0.015, 0), ("force: 4 N", 2 * 0.03 * 0.04, 2 * 0.03)):
                config = self.CONFIG.replace("DRIVE, time: {harmonic: {frequency: 5 Hz}}", f"{drive}, {window}")
                results = run(config, scheme, "0.1 ms", 0.07, ["c"], 10 if scheme != "event_driven_hem5" else 1)
                np.testing.assert_allclose(results.end("c.x", "c.vx"), [x, v], atol=tolerance if v == 0 else 1e-6, err_msg=f"{drive} {scheme}")

    def test_pendulum_on_a_slider(self):
        """Driven in space, with a pendulum below it: its energy is the work of the drive."""
        config = ("gravity: [0, 0, -9.81]\nbodies:\n  c: {type: body, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                  "  p: {type: body, at: [0, 0, -0.5], mass: 0.5, inertia: [0.01, 0.01, 0.01], points: {top: [0, 0, 0.5]}}\n"
                  "joints:\n  S: {type: prismatic, between: [ground, c.center], axis: [1, 0, 0]}\n  H: {type: revolute, between: [c.center, p.top], axis: [0, 1, 0]}\n"
                  "drives: {d: {joint: S, displacement: 50 mm, time: {harmonic: {frequency: 0.7 Hz}}}}\n")
        results = run(config, "half_explicit", "0.5 ms", 1, ["c", "p"], 100)
        w, g, m, l, J = 1.4 * math.pi, 9.81, 0.5, 0.5, 0.01

        def rate(y, t):  # (J + m l^2) a'' = -m l (g sin a + x'' cos a)
            return np.array([y[1], -m * l * (g * math.sin(y[0]) - 0.05 * w * w * math.sin(w * t) * math.cos(y[0])) / (J + m * l * l)])

        y, steps = np.array([0.0, -results.history["p.wy"][0]]), 4000  # velocities of the start follow from the drive
        for i in range(steps):
            t, h = i / steps, 1 / steps
            k1 = rate(y, t)
            k2 = rate(y + h / 2 * k1, t + h / 2)
            k3 = rate(y + h / 2 * k2, t + h / 2)
            k4 = rate(y + h * k3, t + h)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        self.assertAlmostEqual(results.end("p.z")[0], -0.5 * math.cos(y[0]), delta=1e-5)
        self.assertAlmostEqual(results.end("p.x")[0], 0.05 * math.sin(w) + 0.5 * math.sin(y[0]), delta=1e-4)
        energy = results.info["summary"]["energy"]
        self.assertLess(abs(energy["numerical"]), 1e-5)


if __name__ == "__main__":
    unittest.main()
