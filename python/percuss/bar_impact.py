"""A bar that flies along its axis against a rigid wall: results of a run, and the exact solution.

The exact solution is d'Alembert's for the continuous bar, rho S u'' = E S u_xx: a compression wave starts at the wall when the bar touches it, runs
to the free end, and returns as a release wave, after which the bar leaves with its initial speed.

The data of the bar follow from the results (geometry, initial velocity, energy, normal forces), without the config.
"""

import dataclasses

import numpy as np

from percuss.results import ResultsError, read_frame, spread


class NoTheory(Exception):
    """Reason why a run is not the impact of one uniform bar on a rigid wall."""


@dataclasses.dataclass
class Impact:
    """The bar and its initial motion, SI units."""

    length: float
    line_mass: float  # mass per length, rho S
    area: float
    wave_speed: float
    speed: float  # before the impact, towards the wall
    gap: float  # distance to the wall at time 0
    elements: int
    mass_matrix: str  # consistent, lumped, or other

    @property
    def start(self):
        """Time of first contact."""
        return self.gap / self.speed

    @property
    def duration(self):
        """T = 2 L / c0: time of the wave to the free end and back."""
        return 2 * self.length / self.wave_speed

    @property
    def reaction(self):
        """tau = E S v0 / c0 = rho S c0 v0, constant while in contact."""
        return self.line_mass * self.wave_speed * self.speed

    @property
    def mass(self):
        """Mass of the bar."""
        return self.line_mass * self.length

    @property
    def energy(self):
        """Kinetic energy before the impact."""
        return self.mass * self.speed**2 / 2

    @property
    def stress(self):
        """rho c0 v0 = tau/S: magnitude of the stress behind the front."""
        return self.reaction / self.area

    @property
    def node_impulse(self):
        """Impulse that stops the contact node of the mesh: Lambda = v0 / (M^-1)_11, to exponentially small terms in N.

        consistent: sqrt(3)/6 rho S le v0      lumped: 1/2 rho S le v0
        """
        factor = {"consistent": np.sqrt(3) / 6, "lumped": 1 / 2}.get(self.mass_matrix, np.nan)
        return factor * self.line_mass * self.length / self.elements * self.speed

    @property
    def node_loss(self):
        """Share of the energy that a perfectly plastic impact of the contact node dissipates: Lambda v0/2 / E0 = sqrt(3)/(6 N) or 1/(2 N)."""
        return self.node_impulse * self.speed / 2 / self.energy

    def arrivals(self, s, t):
        """Whether the front, and its reflection, have passed the point at distance s from the contact end at time t."""
        since = np.asarray(t, float) - self.start
        return since - s / self.wave_speed, since - (2 * self.length - s) / self.wave_speed

    def exact_velocity(self, s, t):
        """v = v0 (-1 + H(t - t0 - s/c0) + H(t - t0 - (2 L - s)/c0)), positive away from the wall."""
        first, second = self.arrivals(s, t)
        return self.speed * (-1.0 + (first >= 0) + (second >= 0))

    def exact_displacement(self, s, t):
        """The integral of the velocity: u = v0 (-t + <t - t0 - s/c0> + <t - t0 - (2 L - s)/c0>), <x> = max(0, x)."""
        first, second = self.arrivals(s, t)
        return self.speed * (-np.asarray(t, float) + np.maximum(0, first) + np.maximum(0, second))

    def exact_stress(self, s, t):
        """sigma = -rho c0 v0 (H(t - t0 - s/c0) - H(t - t0 - (2 L - s)/c0)): compression between the front and its reflection."""
        first, second = self.arrivals(s, t)
        return -self.stress * ((first >= 0) ^ (second >= 0))

    def exact_reaction(self, t):
        """tau for T."""
        return -self.area * self.exact_stress(0.0, t)

    def exact_kinetic(self, t):
        """E0 |1 - 2 (t - t0)/T| during contact: kinetic energy of the part of the bar that the front has not stopped, or has accelerated again."""
        progress = np.clip((np.asarray(t, float) - self.start) / self.duration, 0, 1)
        return self.energy * np.abs(1 - 2 * progress)


def contact_first_order(frame):
    """Nodes, cells and axis of a bar, sorted from the leading end: (nodes, cells, axis away from the wall)."""
    velocity = frame.point["velocity"][0]
    speed = np.linalg.norm(velocity)
    if not speed > 0 or np.ptp(frame.point["velocity"], axis=0).max() > 1e-12 * speed:
        raise NoTheory("the initial velocity of the bar is not uniform")
    axis = -velocity / speed
    along = frame.points @ axis
    middles = [along[cell].mean() for cell in frame.cells]
    return np.argsort(along), np.argsort(middles), axis


@dataclasses.dataclass
class BarFrame:
    """The state of the bar in one frame, from the contact end to the free end; vectors along the axis, positive away from the wall."""

    time: float
    position: np.ndarray  # [nodes] distance from the contact end, undeformed
    displacement: np.ndarray  # [nodes]
    velocity: np.ndarray  # [nodes]
    stress: np.ndarray  # [elements]
    force: np.ndarray  # [elements] normal force


def read_bar_frames(run, most=2000):
    """The frames of a run with one bar; if there are many, an evenly distributed selection."""
    files = spread(run.frames(), most)
    first = read_frame(files[0][1])
    if "stress" not in first.cell:
        raise ResultsError(f"{run.directory}: the frames have no axial stress; this script is for bars")
    if np.any(first.cell["body"] != first.cell["body"][0]):
        raise NoTheory("there is more than one body")
    nodes, cells, axis = contact_first_order(first)
    frames = []
    for time, path in files:
        frame = read_frame(path)
        frames.append(
            BarFrame(
                time,
                (frame.points[nodes] - frame.points[nodes[0]]) @ axis,
                frame.point["displacement"][nodes] @ axis,
                frame.point["velocity"][nodes] @ axis,
                frame.cell["stress"][cells],
                frame.cell["normal_force"][cells],
            )
        )
    return frames


def impact_of(run, frames):
    """Data of the bar from the results; NoTheory has the reason if the exact solution does not apply to this run."""
    names = run.contact_names()
    if len(names) != 1:
        raise NoTheory(f"there are {len(names)} contacts")
    speed = -frames[0].velocity[0]
    if abs(run.contacts[f"{names[0]}.gap_rate"][0] + speed) > 1e-9 * speed:
        raise NoTheory("the contact is not with a fixed wall perpendicular to the axis of the bar")
    length = frames[0].position[-1]
    sizes = np.diff(frames[0].position)
    line_mass = 2 * run.energy["kinetic"][0] / speed**2 / length

    # N = E S du/ds in the frame with the largest deformation; S = N / sigma.
    bent = max(frames, key=lambda frame: np.abs(frame.stress).max())
    if not np.abs(bent.stress).max() > 0:
        raise NoTheory("no frame has a stress: the bar does not touch the wall, or there are too few frames")
    strain = np.diff(bent.displacement) / sizes
    stiffness = (bent.force @ strain) / (strain @ strain)
    area = (bent.force @ bent.stress) / (bent.stress @ bent.stress)
    if np.abs(bent.force - stiffness * strain).max() > 1e-3 * np.abs(bent.force).max():
        raise NoTheory("the stiffness E S of the bar varies along its axis")
    wave_speed = np.sqrt(stiffness / line_mass)
    return Impact(
        length=length,
        line_mass=line_mass,
        area=area,
        wave_speed=wave_speed,
        speed=speed,
        gap=run.contacts[f"{names[0]}.gap"][0],
        elements=len(sizes),
        mass_matrix=mass_matrix_of(run.info["omega_max"], sizes.min(), wave_speed),
    )


def mass_matrix_of(omega_max, smallest, wave_speed):
    """The mass matrix of a run, identified by its highest frequency: 2 sqrt(3) c0/le with a consistent one, 2 c0/le with a lumped one."""
    ratio = (omega_max or 0) * smallest / wave_speed
    for name, expected in {"consistent": 2 * np.sqrt(3), "lumped": 2.0}.items():
        if abs(ratio / expected - 1) < 0.02:
            return name
    return "other"


@dataclasses.dataclass
class Reaction:
    """Reaction of one contact over time. For schemes that do not separate force and impulse, force is percussion / step after the impact."""

    time: np.ndarray
    force: np.ndarray  # N, without the impact
    impulse: np.ndarray  # N s, of impacts
    separate: bool  # whether the scheme separates the two
    complete: bool  # whether there is a row for every step
    begin: int  # rows of the first and the last step with a reaction
    end: int
    settled: int  # row after the last impact

    @property
    def over(self):
        """Whether the contact ends within the run."""
        return self.end < len(self.time) - 1

    @property
    def duration(self):
        """From the first to the last step with a reaction."""
        return self.time[self.end] - self.time[self.begin]


def reaction_of(run, name):
    """The reaction of contact `name`; None if it does not close."""
    time = run.contacts["time"]
    force, impulse = run.contacts[f"{name}.force"].copy(), run.contacts[f"{name}.impulse"].copy()
    pressed = np.flatnonzero((force > 0) | (impulse > 0))
    if len(pressed) == 0:
        return None
    struck = impact_rows(run, name)
    separate = bool(force.max() > 0)
    if not separate:
        resting = np.setdiff1d(pressed, struck)
        force[resting] = impulse[resting] / run.step
        impulse[resting] = 0
    complete = np.diff(time).max() < 1.5 * run.step
    return Reaction(time, force, impulse, separate, complete, pressed[0], pressed[-1], struck.max(initial=pressed[0]) + 1)


def impact_rows(run, name):
    """Rows of contacts.csv of the contact's impacts."""
    of_impact = (run.events["contact"] == name) & (run.events["event"] == "impact")
    rows = np.searchsorted(run.contacts["time"], run.events["time"][of_impact] - run.step / 2)
    # Schatzman and Paoli's impact law takes two steps, and the event records the first.
    return np.union1d(rows, rows + 1) if run.info["scheme"] == "schatzman_paoli" else rows


@dataclasses.dataclass
class Measured:
    """Key figures of one run; SI units."""

    duration: float
    mean_force: float
    total_impulse: float
    impact_impulse: float
    impact_loss: float  # share of the energy before
    rebound: float  # velocity of the centre of mass in the last frame, without the vibration of the bar
    penetration: float
    contact_velocity: float  # largest while closed, after the impact
    noise: float  # standard deviation of the force over 5 to 95 % of T, over tau


def measure(run, impact, frames, reaction):
    """Key figures of a run to compare with theory. Total impulse, contact time and rebound are meaningful only after the end of contact."""
    if not reaction.complete:
        remedy = "put `contacts: {every: 1}` under output: and run again"
        raise ResultsError(f"{run.directory}/contacts.csv does not have every step, so impulses cannot be summed; {remedy}")
    name = run.contact_names()[0]
    force_impulse = reaction.force.sum() * run.step
    held = slice(reaction.settled, reaction.end)
    progress = (reaction.time - impact.start) / impact.duration
    settled = reaction.force[(progress > 0.05) & (progress < 0.95)]
    return Measured(
        duration=reaction.duration,
        mean_force=force_impulse / reaction.duration,
        total_impulse=force_impulse + reaction.impulse.sum(),
        impact_impulse=reaction.impulse.sum(),
        impact_loss=run.energy["impact"][-1] / impact.energy,
        rebound=mean_along(frames[-1].velocity, frames[-1].position),
        penetration=max(0.0, -run.contacts[f"{name}.gap"].min()),
        contact_velocity=np.abs(run.contacts[f"{name}.gap_rate"][held]).max(initial=0),
        noise=settled.std() / impact.reaction,
    )


def mean_along(values, position):
    """(1/L) int f ds of a function that is linear in each element; for the velocity, that of the centre of mass of a uniform bar."""
    return ((values[1:] + values[:-1]) / 2 @ np.diff(position)) / (position[-1] - position[0])


def relative_errors(impact, frame, samples=20):
    """L2 errors of velocity and stress in one frame against d'Alembert, each over the norm of the exact field: (velocity, stress).

    The exact fields jump within elements: the midpoint rule with `samples` points in each.
    """
    weights = (np.arange(samples) + 0.5) / samples
    left, sizes = frame.position[:-1, None], np.diff(frame.position)[:, None]
    s = left + sizes * weights
    velocity = frame.velocity[:-1, None] + np.diff(frame.velocity)[:, None] * weights
    exact_velocity, exact_stress = impact.exact_velocity(s, frame.time), impact.exact_stress(s, frame.time)

    def norm(values):
        return np.sqrt((values**2 * sizes / samples).sum())

    return norm(velocity - exact_velocity) / norm(exact_velocity), norm(frame.stress[:, None] - exact_stress) / norm(exact_stress)
