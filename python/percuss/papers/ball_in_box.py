"""The bouncing ball in a box of Schindler, Rezaei, Kursawe and Acary, [A] 6.2: their Figs. 15 to 18 recomputed with percuss.

    python3 postprocess/ball_in_box.py [--only a18 ...] [--percuss BIN] [--out DIR]

Gravity, oblique to the walls, pulls the ball into the lower left corner of its box. It bounces on both walls and comes to rest on both. On velocity level
it stays there, on acceleration level it drifts into the walls. Takes a few seconds.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, TWO_COLUMNS, legend_above, legend_below, letter
from percuss.papers import Figure, Study
from percuss.papers import main as command

GRAVITY, START, RADIUS, SIZE, STEP = 9.81, 2.0, 1.0, 4.0, 5e-3
ACCELERATION = (-GRAVITY * math.cos(math.pi / 6), -GRAVITY * math.sin(math.pi / 6))
DOTTED = (0, (1.2, 1.4))


def ball(scheme):
    """The config of Table 4."""
    return {
        "title": "Ball in a box",
        "gravity": [*ACCELERATION, 0],
        "bodies": {"ball": {"type": "ball_in_box", "contact": {"restitution": 0.3}}},
        "scheme": {"type": scheme, "step": STEP, "restitution_of": "all_closed"},
        "time": {"end": 2},
        "output": {"frames": {"every": 0}},
    }


CONFIGS = {"velocity": ball("half_explicit"), "acceleration": ball("half_explicit_acceleration")}


def first_impacts():
    """Times at which the ball, released from rest, first reaches the left and the lower wall: (2 - R) = a t^2/2."""
    return [math.sqrt(2 * (START - RADIUS) / -a) for a in ACCELERATION]


def draw_path(runs):
    """The path of the centre of the ball."""
    history = runs["velocity"].history
    figure, axes = plt.subplots(1, 2, figsize=(TWO_COLUMNS, 3.4))
    outline = {"fill": False, "color": GREY, "linewidth": 0.8}
    axes[0].add_patch(plt.Rectangle((0, 0), SIZE, SIZE, fill=False, color=BLACK, linewidth=1.2))
    for x, y, linestyle in ((START, START, DOTTED), (history["ball.x"][-1], history["ball.y"][-1], "solid")):
        axes[0].add_patch(plt.Circle((x, y), RADIUS, linestyle=linestyle, **outline))
    axes[0].set(xlim=(-0.2, SIZE + 0.2), ylim=(-0.2, SIZE + 0.2), aspect="equal")
    axes[1].set(xlim=(0.9, 2.1), ylim=(0.9, 2.1), aspect="equal")
    for x in (axes[1].axvline, axes[1].axhline):
        x(RADIUS, color=BLACK, linestyle=(0, (5, 2)), linewidth=0.8)
    axes[1].annotate("the ball touches the walls", (1.55, RADIUS), (0, -3), textcoords="offset points", ha="center", va="top")
    for axis in axes:
        axis.plot(history["ball.x"], history["ball.y"], color=BLUE, linewidth=1.0)
        axis.plot(*(history[f"ball.{name}"][0] for name in "xy"), "o", color=BLUE, markerfacecolor="white")
        axis.plot(*(history[f"ball.{name}"][-1] for name in "xy"), "o", color=BLUE)
        axis.set(xlabel="$x$ (m)", ylabel="$y$ (m)")
    axes[1].annotate("start", (START, START), (-6, 0), textcoords="offset points", ha="right", va="center")
    axes[1].annotate("rest", (RADIUS, RADIUS), (5, -3), textcoords="offset points", va="top")
    letter(axes)
    return figure


def draw_motion(runs):
    """Position and velocity over time."""
    history = runs["velocity"].history
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.2), sharex=True)
    for axis, names in zip(axes, (("x", "y"), ("vx", "vy"))):
        for name, colour, label in zip(names, (BLUE, ORANGE), ("$x$", "$y$") if axis is axes[0] else (r"$\dot x$", r"$\dot y$")):
            axis.plot(history["time"], history[f"ball.{name}"], color=colour, label=label)
        for time in first_impacts():
            axis.axvline(time, color=BLACK, linestyle=(0, (5, 2)), linewidth=0.7, label="first impacts, exact" if time == first_impacts()[0] else None)
        legend_above(axis)
    axes[0].set_ylabel("position (m)")
    axes[1].set(ylabel="velocity (m/s)", xlabel="time (s)", xlim=(0, 2))
    figure.align_ylabels(axes)
    letter(axes)
    return figure


def draw_energy(runs):
    """Total energy relative to rest on both walls, and numerical energy error."""
    energy = runs["velocity"].energy
    rest = GRAVITY * (math.cos(math.pi / 6) + math.sin(math.pi / 6)) * RADIUS
    potential = energy["potential"] - rest
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.2), sharex=True, gridspec_kw={"height_ratios": [2, 1]})
    axes[0].plot(energy["time"], energy["kinetic"], color=SKY, label="kinetic", linewidth=0.9)
    axes[0].plot(energy["time"], potential, color=PURPLE, label="potential, 0 at rest in the corner", linewidth=0.9)
    axes[0].plot(energy["time"], energy["kinetic"] + potential, color=GREEN, label="total", linewidth=1.5)
    axes[0].set_ylabel("energy (J)")
    axes[1].plot(energy["time"], energy["numerical"] * 1e3, color=GREY, label="numerical energy error")
    axes[1].set(ylabel="numerical (mJ)", xlabel="time (s)", xlim=(0, 2))
    for axis in axes:
        legend_above(axis)
    figure.align_ylabels(axes)
    letter(axes)
    return figure


def draw_gaps(runs):
    """Gaps of the two walls the ball rests on: acceleration level dotted, velocity level solid; below, the penetration."""
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.4), sharex=True)
    for axis, factor in zip(axes, (1, 1e3)):
        for level, linestyle in (("velocity", "solid"), ("acceleration", DOTTED)):
            contacts = runs[level].contacts
            for name, colour in (("left", BLUE), ("below", ORANGE)):
                label = f"{name}, {level} level"
                axis.plot(contacts["time"], contacts[f"{name}.gap"] * factor, color=colour, linestyle=linestyle, linewidth=1.3, label=label)
        axis.axhline(0, color=BLACK, linewidth=0.7)
    axes[0].set_ylabel("gap (m)")
    lowest = min(np.min(runs[level].contacts[f"{name}.gap"]) for level in runs for name in ("left", "below")) * 1e3
    axes[1].set(ylabel="gap (mm)", xlabel="time (s)", xlim=(0, 2), ylim=(1.15 * lowest, -lowest))
    legend_below(figure, axes[0])
    figure.align_ylabels(axes)
    letter(axes)
    return figure


def print_tables(runs):
    """Key figures for the text of the paper."""
    print(f"  {'scheme':<28}{'impulsive steps':>16}{'gap left, m':>14}{'gap below, m':>14}{'velocity at 2 s, m/s':>26}{'numerical, mJ':>17}")
    for run in runs.values():
        contacts, history, summary = run.contacts, run.history, run.info["summary"]
        velocity = f"{history['ball.vx'][-1]:.3g}, {history['ball.vy'][-1]:.3g}"
        gaps = f"{contacts['left.gap'][-1]:14.3e}{contacts['below.gap'][-1]:14.3e}"
        print(f"  {run.info['scheme']:<28}{summary['impulsive_steps']:16d}{gaps}{velocity:>26}{summary['energy']['numerical'] * 1e3:17.3f}")


STUDY = Study(
    name="ball_in_box",
    title="Ball in a box, e = 0.3, step 5 ms",
    papers="aN: Fig. N of [A], Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level",
    configs=CONFIGS,
    figures=(
        Figure("a15", "path", "path of the ball into the lower left corner", ("velocity",), draw_path),
        Figure("a16", "motion", "position and velocity: jumps at impacts", ("velocity",), draw_motion),
        Figure("a17", "energy", "total energy decreases at impacts and is constant between them", ("velocity",), draw_energy),
        Figure("a18", "gaps", "gaps: drift on acceleration level, none on velocity level", ("velocity", "acceleration"), draw_gaps),
    ),
    print_tables=print_tables,
    table_runs=tuple(CONFIGS),
)


def main():
    """The command line."""
    return command(STUDY)
