#!/usr/bin/python3
"""`percuss orbit` by simulation: bodies with joints, drives and free spin, grazing and sliding, against closed forms and independent shooting. Usage: test_orbit_simulated.py PERCUSS"""
import math
import unittest

from test_orbit import FREQUENCY, FRICTION, IMPACT, LIMIT, Orbits as Base

# The oscillator of configs/impact_oscillator.yaml as a body on a slide
BODY = """
bodies:
  mass: {type: body, mass: 1 kg, inertia: KIND}
joints:
  guide: {type: prismatic, between: [ground, mass.center], axis: [1, 0, 0]}
springs:
  spring: {between: [ground, mass.center], anchor: [-5 m, 0, 0], length: 5 m, stiffness: 1 N/m, damping: 0.1 N s/m}
loads:
  shaker: {at: mass.center, force: [1 N, 0, 0], time: {harmonic: {frequency: 2.2 rad/s}}}
contacts:
  stop: {between: [mass.center, {plane: {point: [-0.1 m, 0, 0], normal: [1, 0, 0]}}], restitution: 0.8}
scheme: {type: event_driven_hem5, step: 0.1 s, tolerance: 1e-10}
time: {end: 60 s}
orbit: {settle: 12}
output: {history: {probes: [mass]}, frames: {every: 0}}
"""
# An unbalanced rotor on a carriage, with a motor whose torque falls with the speed: the Sommerfeld effect
SOMMERFELD = """
parameters: {torque: 0.14246863495249196}
bodies:
  frame: {type: body, dimension: 2, mass: 9 kg, inertia: 1 kg m^2}
  rotor: {type: body, dimension: 2, mass: 1 kg, inertia: 9.6e-3 kg m^2, at: [20 mm, 0, 0], points: {hub: [-20 mm, 0, 0]}, initial: {angular_velocity: 30 rad/s, velocity: [0, 0.6 m/s, 0]}}
joints:
  guide: {type: prismatic, between: [ground, frame.center], axis: [1, 0, 0]}
  axle: {type: revolute, between: [frame.center, rotor.hub], damping: "${torque/60}"}
drives:
  motor: {joint: axle, torque: $torque}
springs:
  spring: {between: [ground, frame.center], anchor: [-5 m, 0, 0], length: 5 m, stiffness: 10 kN/m, damping: 20 N s/m}
scheme: {type: event_driven_hem5, step: 10 ms, tolerance: 1e-10}
time: {end: 5 s}
output: {history: {probes: [frame]}, frames: {every: 0}}
"""
# A crank of constant speed moves a slider; a ram hangs on it by a spring
CRANK = """
bodies:
  crank: {type: body, dimension: 2, rod: {from: [0, 0, 0], to: [0.1 m, 0, 0], radius: 8 mm}, mass: 0.3 kg}
  rod: {type: body, dimension: 2, rod: {from: [0.1 m, 0, 0], to: [0.4 m, 0, 0], radius: 8 mm}, mass: 0.5 kg}
  slider: {type: body, dimension: 2, mass: 1 kg, inertia: 1e-3 kg m^2, at: [0.4 m, 0, 0]}
  ram: {type: body, dimension: 2, mass: 0.5 kg, inertia: 1e-3 kg m^2, at: [0.45 m, 0, 0]}
joints:
  A: {type: revolute, between: [ground, crank.left]}
  B: {type: revolute, between: [crank.right, rod.left]}
  C: {type: revolute, between: [rod.right, slider.center]}
  guide: {type: prismatic, between: [ground, slider.center], axis: [1, 0, 0]}
  way: {type: prismatic, between: [ground, ram.center], axis: [1, 0, 0]}
drives:
  motor: {joint: A, speed: 10 rad/s}
springs:
  s: {between: [ram.center, ground], anchor: [5.45 m, 0, 0], length: 5 m, stiffness: 300 N/m, damping: 2 N s/m}
  c: {between: [slider.center, ram.center], length: 50 mm, stiffness: 200 N/m}
scheme: {type: event_driven_hem5, step: 10 ms, tolerance: 1e-9}
time: {end: 2 s}
orbit: {forcing_period: 0.62831853071795865 s, settle: 3}
output: {history: {probes: [ram]}, frames: {every: 0}}
"""
# The same as two masses with a rigid link
LINKED = """
bodies:
  a: {type: rigid, at: [0, 0, 0], mass: 0.4 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
  b: {type: rigid, at: [1 m, 0, 0], mass: 0.6 kg, inertia: [1 kg m^2, 1 kg m^2, 1 kg m^2]}
supports:
  guide: {at: [a.center], fix: [y, z, rotations]}
links:
  rod: {between: [a.center, b.center]}
springs:
  spring: {between: [ground, a.center], direction: [1, 0, 0], stiffness: 1 N/m, damping: 0.1 N s/m}
loads:
  shaker: {at: a.center, force: [1 N, 0, 0], time: {harmonic: {frequency: 2.2 rad/s}}}
contacts:
  stop: {between: [b.center, {plane: {point: [0.9 m, 0, 0], normal: [1, 0, 0]}}], restitution: 0.8}
scheme: {type: event_driven_hem5, step: 0.1 s, tolerance: 1e-9}
time: {end: 60 s}
orbit: {settle: 12}
output: {frames: {every: 0}}
"""
# A cantilever with a cubic spring at its tip
CANTILEVER = """
bodies:
  beam:
    type: beam
    dimension: 2
    mesh: {line: {from: [0, 0, 0], to: [0.25 m, 0, 0], elements: 4}}
    material: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}
    section: {rectangle: {width: 15 mm, height: 4 mm}}
    theory: euler_bernoulli
    damping: {rayleigh: {mass: 4 1/s, stiffness: 4e-6 s}}
supports:
  clamp: {at: beam.left, fix: all}
  axial: {at: beam.all, fix: x}
springs:
  tip: {between: [ground, beam.right], direction: [0, 1, 0], law: {cubic: {coefficient: 2e8 N/m^3, travel: 10 mm}}}
loads:
  shaker: {at: beam.right, force: [0, 0.5 N, 0], time: {harmonic: {frequency: 330 rad/s}}}
scheme: {type: event_driven_hem5, step: 1 ms, tolerance: 1e-8}
time: {end: 1 s}
orbit: {settle: 5}
output: {frames: {every: 0}, history: {probes: [beam.right]}}
"""
ALMOST_LINEAR = ("--set", "springs.spring.law={cubic: {coefficient: 1e-13 N/m^3, travel: 5 m}}", "--set", "scheme.tolerance=1e-9")


class Simulated(Base):
    def test_bodies_on_a_slide(self):
        """In the plane and in space: multipliers of the closed form, 0 in all that the joint holds; the impact is listed."""
        for kind, states in (("1 kg m^2, dimension: 2", 6), ("[1 kg m^2, 1 kg m^2, 1 kg m^2]", 14)):
            done = self.orbit(self.config(BODY.replace("KIND", kind)))
            self.assertIn("1 event, 1 impact; stable", done.stdout)
            self.multipliers((0.4608546897237534 + 0.5182795694448784j, 0), 1e-7)
            self.assertEqual(len(self.read("multipliers.csv")), states)
            event = self.read("orbit_events.csv")
            self.assertEqual([(row["event"], row["contact"]) for row in event], [("closes", "stop")])
            self.near(float(event[0]["velocity_before"]), -1.1257310878299072, 1e-7)
            self.near(float(event[0]["phase"]), 1.1953337445665764, 1e-7)
            self.near(float(self.read("branch.csv")[0]["slowest_impact"]), 1.1257310878299072, 1e-7)

    def test_link(self):
        self.orbit(self.config(LINKED))
        self.multipliers((0.4608546897237534 + 0.5182795694448784j, 0), 1e-7)

    def test_free_spin(self):
        """An orbit of one turn of a rotor that is driven by a torque: the period is unknown, the angle goes round. Independent shooting over the angle."""
        self.orbit(self.config(SOMMERFELD))
        self.near(2 * math.pi / float(self.read("branch.csv")[0]["period"]), 30, 1e-6)
        self.near(float(self.read("branch_probes.csv")[0]["frame.x.max"]), 0.01540712003632692, 1e-5)
        self.multipliers((1, 0.5826839758946747 + 0.7189133267518657j, 0.7301646786747809), 1e-6)

    def test_cantilever_with_a_cubic_spring(self):
        """All degrees of freedom of a mesh: the amplitude by harmonic balance on the receptance of the continuous beam."""
        self.orbit(self.config(CANTILEVER))
        self.near(float(self.read("branch_probes.csv")[0]["beam.right.uy.max"]), 0.0013190821092468011, 1e-3)

    def test_drive(self):
        """A crank at constant speed: after a turn it is where it was; the multipliers are those of the ram on its spring and damper."""
        self.orbit(self.config(CRANK))
        period, decay = 2 * math.pi / 10, 2.0
        frequency = math.sqrt(500 / 0.5 - decay**2)
        self.multipliers((math.exp(-decay * period) * complex(math.cos(frequency * period), abs(math.sin(frequency * period))),), 1e-6)
        done = self.percuss(self.config(CRANK.replace("forcing_period: 0.62831853071795865 s, ", "")))
        self.assertEqual(done.returncode, 2)
        self.assertIn("its loads or drives change with time and have no period; give it: orbit.forcing_period", done.stderr)

    def test_drive_alone(self):
        """Nothing is free beside the drive: all multipliers are 0."""
        config = CRANK[:CRANK.index("  rod:")] + CRANK[CRANK.index("joints:"):CRANK.index("  B:")] + CRANK[CRANK.index("drives:"):CRANK.index("springs:")] + CRANK[CRANK.index("scheme:"):].replace("[ram]", "[crank]")
        self.orbit(self.config(config))
        self.assertEqual({float(row["modulus"]) for row in self.read("multipliers.csv")}, {0})

    def test_grazing(self):
        """A branch of simulated orbits without impact ends where it grazes: closed form."""
        self.orbit(IMPACT, *ALMOST_LINEAR, "--settle", "30", "--over", f"{FREQUENCY}=3.317 rad/s:3.31 rad/s")
        self.all_near(self.found("grazing"), [3.315795717103483], 1e-9)
        self.assertEqual(self.read("bifurcations.csv")[0]["contact"], "stop")

    def test_sliding(self):
        """A branch of simulated orbits goes through the limit of sticking, which is located: Den Hartog's closed form."""
        self.orbit(FRICTION, *ALMOST_LINEAR, "--set", f"{FREQUENCY}=0.7 rad/s", "--settle", "4", "--set", "orbit.step=0.5", "--over", "contacts.floor.friction=0.72:0.724")
        self.assertLess(abs(self.found("sliding")[0] - LIMIT), 1e-8)
        self.assertEqual(float(self.read("branch.csv")[-1]["parameter"]), 0.724)
        self.assertGreater(float(self.read("branch.csv")[-1]["contact_share"]), 0.99)


def load_tests(loader, tests, pattern):
    """Those of this file alone."""
    del tests, pattern
    return unittest.TestSuite(Simulated(name) for name in loader.getTestCaseNames(Simulated) if name in Simulated.__dict__)


if __name__ == "__main__":
    unittest.main()
