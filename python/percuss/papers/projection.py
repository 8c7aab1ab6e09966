"""Effect of position projection on velocities, after Acary and Bonnefon [C]: a ball that bounces to rest, and a pendulum in a ring.

    python3 postprocess/projection.py [--percuss BIN] [--out DIR]

Each with Moreau-Jean, which penetrates and drifts; with naive projection and decoupled GGL, which do not penetrate but leave approach velocities; and with
combined projection and activation, which satisfies positions and velocities. Takes a few seconds.
"""

import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, TWO_COLUMNS, legend_below, letter, total_energy
from percuss.papers import Figure, Study
from percuss.papers import main as command

BALL_STEP, PENDULUM_STEP = 1 / 3000, 2e-3
CLOSED, ROUNDING = 1e-12, 2e-11  # a gap up to this value, m, counts as zero; likewise a speed, m/s

# Name of a run: (label, settings of the scheme, colour, line)
SCHEMES = {
    "plain": ("moreau_jean", {"type": "moreau_jean"}, PURPLE, "solid"),
    "naive": ("projection_naive", {"type": "projection_naive"}, ORANGE, "solid"),
    "ggl": ("ggl_decoupled", {"type": "ggl_decoupled"}, SKY, (0, (4, 2))),
    "printed": ("projection_combined, printed", {"type": "projection_combined", "variant": "printed"}, GREEN, (0, (1.2, 1.4))),
    "combined": ("projection_combined", {"type": "projection_combined"}, BLUE, "solid"),
}


def config(body, scheme, step, end):
    """A run of one of the two bodies with one of the schemes, with output of every step."""
    return {
        "title": f"{body} with {scheme}",
        "gravity": [0, -9.81, 0],
        "bodies": {"it": {"type": body, "contact": {"restitution": 0.5}}},
        "scheme": {**SCHEMES[scheme][1], "step": step},
        "time": {"end": end},
        "output": {"frames": {"every": 0}, "history": {"every": 1}, "contacts": {"every": 1}, "energy": {"every": 1}},
    }


CONFIGS = {
    **{f"ball_{scheme}": config("bouncing_ball", scheme, BALL_STEP, 2) for scheme in SCHEMES},
    **{f"pendulum_{scheme}": config("pendulum_in_ring", scheme, PENDULUM_STEP, 5) for scheme in SCHEMES},
}


def speed(run):
    """The speed of the mass (1 kg) in each step, m/s."""
    return np.sqrt(2 * run.energy["kinetic"])


def lessons(run, name):
    """Key figures of the contact `name` of a run."""
    gap, rate, energy = run.contacts[f"{name}.gap"], run.contacts[f"{name}.gap_rate"], total_energy(run)
    into = -rate[(np.abs(gap) <= CLOSED) & (rate < -ROUNDING)]
    joint = "rod.gap" in run.contacts
    return {
        "approach": len(into),
        "fastest": np.max(into, initial=0),
        "rest": np.max(speed(run)[-10:]),
        "gain": max(0, np.max(np.diff(energy))),
        "made": run.info["summary"]["energy"]["numerical"],
        "depth": max(0, -np.min(gap)),
        "off": np.max(np.abs(run.contacts["rod.gap"])) if joint else None,
        "off_rate": np.max(np.abs(run.contacts["rod.gap_rate"])) if joint else None,
    }


def draw_all(runs):
    """The ball near the floor and at rest; error of the rod of the pendulum, in position and velocity."""
    figure, axes = plt.subplots(2, 2, figsize=(TWO_COLUMNS, 5.0))
    (impact, rest), (position, velocity) = axes
    for scheme, (label, _, colour, line) in SCHEMES.items():
        look = {"color": colour, "linestyle": line, "label": label}
        ball, pendulum = runs[f"ball_{scheme}"], runs[f"pendulum_{scheme}"]
        dots = {"marker": "o", "markersize": 2.2, "linewidth": 0.8}
        impact.plot(ball.contacts["time"] * 1e3, ball.contacts["floor.gap"] * 1e3, **look, **dots)
        rest.plot(ball.contacts["time"] * 1e3, ball.contacts["floor.gap_rate"] * 1e3, **look, **dots)
        time = pendulum.contacts["time"]
        for axis, column in ((position, "rod.gap"), (velocity, "rod.gap_rate")):
            axis.semilogy(time, np.maximum(np.abs(pendulum.contacts[column]), 1e-17), **{**look, "linewidth": 0.9})
    impact.set(xlim=(449.5, 454.5), ylim=(-1.5, 4), xlabel="time (ms)", ylabel="gap of the ball (mm)")
    rest.set(xlim=(1985, 2000), ylim=(-2.8, 2.2), xlabel="time (ms)", ylabel="velocity of the ball (mm/s)")
    position.set(xlim=(0, 5), ylim=(3e-18, 1), xlabel="time (s)", ylabel="error of the rod (m)")
    velocity.set(xlim=(0, 5), ylim=(3e-18, 1), xlabel="time (s)", ylabel="rate of this error (m/s)")
    for axis in (impact, rest):
        axis.axhline(0, color=BLACK, linewidth=0.7, zorder=1)
    legend_below(figure, impact, ncol=3)
    letter(axes.flat)
    return figure


def print_tables(runs):
    """Key figures."""
    for body, contact, title in (
        ("ball", "floor", f"Ball from 1 m, step {BALL_STEP * 1e3:.4g} ms, 2 s"),
        ("pendulum", "ring", f"Pendulum in a ring, step {PENDULUM_STEP * 1e3:g} ms, 5 s"),
    ):
        joint = body == "pendulum"
        print(f"{title}, e = 0.5; approaching: steps that end at g = 0 with a velocity into the {contact}")
        print(
            f"  {'scheme':<30}{'approaching':>12}{'at most, m/s':>14}{'at rest, m/s':>14}{'in a step, J':>14}{'num., J':>11}{'depth, m':>10}"
            + (f"{'rod, m':>12}{'rate, m/s':>11}" if joint else "")
        )
        for scheme, (label, *_) in SCHEMES.items():
            told = lessons(runs[f"{body}_{scheme}"], contact)
            drift = f"{told['off']:12.1e}{told['off_rate']:11.1e}" if joint else ""
            numbers = f"{told['approach']:12d}{told['fastest']:14.2e}{told['rest']:14.2e}{told['gain']:14.1e}{told['made']:11.1e}{told['depth']:10.1e}"
            print(f"  {label:<30}{numbers}{drift}")
        print()


STUDY = Study(
    name="projection",
    title="Effect of position projection on velocities",
    papers="cN: [C], Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact",
    configs=CONFIGS,
    figures=(Figure("c1", "projection", "penetration and flutter of a ball; drift of a pendulum in a ring", tuple(CONFIGS), draw_all),),
    print_tables=print_tables,
    table_runs=tuple(CONFIGS),
)


def main():
    """The command line."""
    return command(STUDY)
