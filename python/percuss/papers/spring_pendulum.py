"""The spring pendulum on a wall of Capobianco and Eugster, A Moreau-type variational integrator: their Fig. 2 recomputed with percuss.

    python3 postprocess/spring_pendulum.py [--only d02 ...] [--percuss BIN] [--out DIR]

125000 steps of 2 ms with restitution 1, so that every change of the energy is a numerical error. Moreau's midpoint scheme gains 2.75 J. The variational
scheme returns to the initial energy, to 0.1 %, every ten seconds. Takes ten seconds; dstep alone (shorter runs over the step) three.
"""

import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLACK, BLUE, GREEN, GREY, ORANGE, TWO_COLUMNS, legend_above, legend_below, letter, total_energy
from percuss.papers import Figure, Study
from percuss.papers import main as command

LENGTH, STIFFNESS, GRAVITY, STEP = 1.0, 100.0, 9.81, 2e-3
PER_CENT = 100
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
LABELS = {"moreau": "moreau_midpoint", "variational": "variational"}


def pendulum(scheme, step=STEP, end=250):
    """The config of Fig. 2."""
    return {
        "title": "Spring pendulum on a wall",
        "gravity": [0, -GRAVITY, 0],
        "bodies": {"pendulum": {"type": "spring_pendulum", "initial": {"l": 1.1, "phi": "45 deg"}, "contact": {"restitution": 1}}},
        "scheme": {"type": scheme, "step": step},
        "time": {"end": end},
        "output": {"frames": {"every": 0}, "history": {"every": 1}, "energy": {"every": 1}, "contacts": {"every": 100}, "events": False},
    }


CONFIGS = {"moreau": pendulum("moreau_midpoint"), "variational": pendulum("variational")}
CONFIGS |= {f"{name}_{step}": pendulum(scheme, step, 25) for name, scheme in LABELS.items() for step in STEPS}


def error(run):
    """Relative error of the energy with the velocities of the results."""
    total = total_energy(run)
    return total / total[0] - 1


def paper_error(run):
    """The same with the difference quotients u_k = (q_{k+1} - q_k)/dt, as in the paper: T(q_k, u_k) + V(q_k). One value fewer."""
    step = run.history["time"][1] - run.history["time"][0]
    length, angle = run.history["pendulum.l"], run.history["pendulum.phi"]
    rate, turn = np.diff(length) / step, np.diff(angle) / step
    length, angle = length[:-1], angle[:-1]
    kinetic = (rate**2 + (length * turn) ** 2) / 2
    total = kinetic + STIFFNESS / 2 * (length - LENGTH) ** 2 - GRAVITY * length * np.cos(angle)
    return total / total_energy(run)[0] - 1


def draw_errors(runs):
    """Fig. 2: both schemes, and the variational one alone."""
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.6), sharex=True)
    time = runs["variational"].history["time"]
    axes[0].plot(runs["moreau"].energy["time"], error(runs["moreau"]) * PER_CENT, color=ORANGE, linewidth=0.7, label=LABELS["moreau"])
    axes[0].plot(time[:-1], paper_error(runs["variational"]) * PER_CENT, color=BLUE, linewidth=0.7, label=LABELS["variational"])
    axes[1].plot(time[:-1], paper_error(runs["variational"]) * PER_CENT, color=BLUE, linewidth=0.3, label="variational, T(q, u) + V(q) as in the paper")
    axes[1].plot(time, error(runs["variational"]) * PER_CENT, color=GREEN, linewidth=0.8, label="with velocities at the nodes")
    for axis in axes:
        axis.axhline(0, color=BLACK, linewidth=0.7)
        axis.set_ylabel("energy error (%)")
        for line in legend_of(axis).get_lines():
            line.set_linewidth(1.5)
    axes[1].set(xlabel="time (s)", xlim=(0, 250), ylim=(-0.5, 0.25))
    figure.align_ylabels(axes)
    letter(axes)
    return figure


def legend_of(axis):
    """The legend above a panel."""
    legend_above(axis)
    return axis.get_legend()


def draw_swing(runs):
    """The first swings: path of the mass, and energy error with the impacts."""
    run = runs["variational"]
    history = run.history
    first = history["time"] <= 10
    figure, axes = plt.subplots(1, 2, figsize=(TWO_COLUMNS, 3.2), gridspec_kw={"width_ratios": [1, 1.6]})
    axes[0].plot(history["pendulum.mass.x"][first], history["pendulum.mass.y"][first], color=BLUE, linewidth=0.8)
    axes[0].plot(history["pendulum.mass.x"][0], history["pendulum.mass.y"][0], "o", color=BLUE, markerfacecolor="white")
    axes[0].axvline(0, color=BLACK, linewidth=1.2)
    axes[0].annotate("wall", (0, -0.8), (4, 0), textcoords="offset points")
    axes[0].set(xlabel="$x$ (m)", ylabel="$y$ (m)", aspect="equal")
    time = history["time"][:-1]
    axes[1].plot(time, paper_error(run) * PER_CENT, color=BLUE, linewidth=0.9, label="T(q, u) + V(q)")
    axes[1].plot(history["time"], error(run) * PER_CENT, color=GREEN, linewidth=1.2, label="at the nodes")
    hits = np.flatnonzero((history["pendulum.phi"][1:] <= 0) & (history["pendulum.phi"][:-1] > 0) & (history["time"][1:] <= 10))
    for number, time in enumerate(history["time"][hits + 1]):
        axes[1].axvline(time, color=GREY, linestyle=(0, (1.2, 1.4)), linewidth=0.8, label=None if number else "impacts")
    axes[1].set(xlabel="time (s)", ylabel="energy error (%)", xlim=(0, 10))
    legend_above(axes[1])
    letter(axes)
    return figure


def draw_steps(runs):
    """Largest energy error within 25 s over the step."""
    figure, axis = plt.subplots(figsize=(TWO_COLUMNS / 2, 3.2))
    for name, colour in (("moreau", ORANGE), ("variational", BLUE)):
        largest = [np.max(np.abs(error(runs[f"{name}_{step}"]))) for step in STEPS]
        axis.loglog(np.array(STEPS) * 1e3, np.array(largest) * PER_CENT, "o-", color=colour, label=f"{LABELS[name]}, 25 s")
    flight = [np.max(np.abs(before_impact(runs[f"variational_{step}"]))) for step in STEPS]
    axis.loglog(np.array(STEPS) * 1e3, np.array(flight) * PER_CENT, "s--", color=GREEN, label="variational, to the first impact")
    axis.set(xlabel="step (ms)", ylabel="largest energy error (%)")
    axis.set_xticks(np.array(STEPS) * 1e3, [f"{step * 1e3:g}" for step in STEPS])
    axis.set_xticks([], minor=True)
    legend_below(figure, axis, ncol=1)
    return figure


def before_impact(run):
    """The error up to the first impact."""
    return error(run)[: np.argmax(run.history["pendulum.phi"] <= 0)]


def print_tables(runs):
    """Key figures of Fig. 2."""
    print(f"  {'scheme':<18}{'E(0), J':>10}{'E(250 s), J':>13}{'e(250 s), %':>13}{'e from, %':>12}{'to, %':>9}{'as in the paper from, %':>25}{'to, %':>9}{'impacts':>9}")
    for name, label in LABELS.items():
        run = runs[name]
        total, shown, paper = total_energy(run), error(run) * PER_CENT, paper_error(run) * PER_CENT
        ends = f"{total[0]:10.4f}{total[-1]:13.4f}{shown[-1]:13.4f}{shown.min():12.4f}{shown.max():9.4f}"
        between = f"{paper.min():25.4f}{paper.max():9.4f}" if name == "variational" else f"{'-':>25}{'-':>9}"
        print(f"  {label:<18}{ends}{between}{run.info['summary']['impulsive_steps']:9d}")
    print("\n  E(0) is negative (relative to the pivot), so a negative relative error is a gain.")


FIGURES = (
    Figure("d02", "energy", "energy error over 250 s, both schemes", ("moreau", "variational"), draw_errors),
    Figure("dswing", "motion", "the first 10 s: path, energy error, impacts", ("variational",), draw_swing),
    Figure("dstep", "order", "largest energy error over the step", tuple(f"{name}_{step}" for name in LABELS for step in STEPS), draw_steps),
)

STUDY = Study(
    name="spring_pendulum",
    title="Spring pendulum on a wall",
    papers="d02: Fig. 2 of [D] Capobianco, Eugster, A Moreau-type variational integrator",
    configs=CONFIGS,
    figures=FIGURES,
    print_tables=print_tables,
    table_runs=("moreau", "variational"),
)


def main():
    """The command line."""
    return command(STUDY)
