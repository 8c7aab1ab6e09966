"""Convergence study and comparison of schemes for the bar that hits a rigid wall.

    python3 postprocess/bar_study.py [--percuss BIN] [--out DIR] [--fraction 0.1]

Runs percuss over N = 10 ... 2000 elements with consistent and with lumped mass, the step a fixed share of the critical time step, then four schemes
with N = 50. Draws convergence.png and schemes.png and prints both tables. Takes about 20 s on two cores.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from percuss.bar_impact import impact_of, measure, reaction_of, read_bar_frames, relative_errors
from percuss.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, TWO_COLUMNS, legend_below, letter, prefixed, save, style
from percuss.results import ResultsError
from percuss.papers import command, in_parallel, run_with

CONFIG = "elastic_bar.yaml"

# The bar of the config: 1 m of steel at 0.1 m/s.
LENGTH, WAVE_SPEED, SPEED = 1.0, np.sqrt(210e9 / 7800), 0.1
DURATION = 2 * LENGTH / WAVE_SPEED

ELEMENTS = (10, 20, 50, 100, 200, 500, 1000, 2000)
MASSES = {"consistent": (BLUE, "o"), "lumped": (ORANGE, "s")}
SCHEMES = {"half_explicit": BLUE, "moreau_midpoint": ORANGE, "moreau_jean": GREEN, "schatzman_paoli": PURPLE}
SCHEME_ELEMENTS = 50

# Steps of flight before the impact. Not a multiple of a half: then contact would begin at a gap that is zero except for rounding.
APPROACH = 2.4

# Observed orders are fitted to the finer meshes.
FINE = 100

# Fields are compared at this fraction of the contact time, when the front has returned to the middle of the bar.
COMPARED_AT = 0.75


def step_limit(mass, elements):
    """le/(sqrt(3) c0) with consistent mass, le/c0 lumped: 2/omega_max of one element."""
    limit = LENGTH / elements / WAVE_SPEED
    return limit / np.sqrt(3) if mass == "consistent" else limit


def run_bar(directory, elements, mass, scheme, fraction):
    """One run, from just before the impact to a quarter of the contact time after contact, with frames at COMPARED_AT and the end."""
    step = float(fraction * step_limit(mass, elements))
    gap = float(APPROACH * SPEED * step)
    settings = {
        "bodies.bar.mesh.line.from": [gap, 0, 0],
        "bodies.bar.mesh.line.to": [LENGTH + gap, 0, 0],
        "bodies.bar.mesh.line.elements": elements,
        "bodies.bar.mass": mass,
        "scheme.type": scheme,
        "scheme.step": step,
        "time.end": float(APPROACH * step + 1.25 * DURATION),
        "output.frames.every": round(APPROACH + COMPARED_AT * DURATION / step),
        "output.history.every": 0,
    }
    return run_with(CONFIG, directory, settings)


def run_all(out, fraction):
    """All runs: {(mass, elements): Run}, {scheme: Run}."""
    meshes = [(mass, elements) for mass in MASSES for elements in ELEMENTS]
    jobs = {(mass, elements): (f"{mass}_{elements:04d}", elements, mass, "half_explicit") for mass, elements in meshes}
    jobs |= {scheme: (scheme, SCHEME_ELEMENTS, "consistent", scheme) for scheme in SCHEMES}
    longest_first = sorted(jobs, key=lambda key: -jobs[key][1])
    runs = in_parallel(run_bar, {key: (out / "runs" / jobs[key][0], *jobs[key][1:], fraction) for key in longest_first})
    return {key: runs[key] for key in meshes}, {scheme: runs[scheme] for scheme in SCHEMES}


# Convergence -----------------------------------------------------------------------------------------------------------------------------------

# Errors: key, label of the panel, heading of the column, exponent of the reference slope.
ERRORS = (
    ("time", r"contact time, $|T_h/T - 1|$", "time", 2 / 3),
    ("impulse", r"total impulse, $|I_h/(2Mv_0) - 1|$", "impulse", 2 / 3),
    ("loss", r"energy lost at impact, $\Delta E/E_0$", "loss", 1),
    ("velocity", r"velocity, relative $L_2$ error", "L2(v)", 1 / 3),
    ("stress", r"stress, relative $L_2$ error", "L2(sigma)", 1 / 3),
    ("noise", r"reaction noise, std$/\tau$", "noise", 1 / 2),
)


def errors_of(run):
    """The errors of one run by key."""
    frames = read_bar_frames(run)
    impact = impact_of(run, frames)
    found = measure(run, impact, frames, reaction_of(run, run.contact_names()[0]))
    velocity, stress = relative_errors(impact, frames[1])
    return {
        "time": abs(found.duration / impact.duration - 1),
        "impulse": abs(found.total_impulse / (2 * impact.mass * impact.speed) - 1),
        "loss": found.impact_loss,
        "velocity": velocity,
        "stress": stress,
        "noise": found.noise,
        "formula": abs(found.impact_loss - impact.node_loss),
    }


def observed_order(values):
    """p of error ~ N^-p, fitted over the finer meshes."""
    fine = np.array(ELEMENTS) >= FINE
    return -np.polyfit(np.log(np.array(ELEMENTS)[fine]), np.log(np.array(values)[fine]), 1)[0]


def print_convergence(errors):
    """The table of figure convergence.png."""
    for mass in MASSES:
        print(f"{mass} mass")
        print(f"  {'N':>5}" + "".join(f"{heading:>12}" for _, _, heading, _ in ERRORS) + f"{'loss - formula':>16}")
        for elements in ELEMENTS:
            row = errors[mass, elements]
            print(f"  {elements:5d}" + "".join(f"{row[key]:12.3e}" for key, *_ in ERRORS) + f"{row['formula']:16.1e}")
        orders = [observed_order([errors[mass, elements][key] for elements in ELEMENTS]) for key, *_ in ERRORS]
        print(f"  {'order':>5}" + "".join(f"{order:12.2f}" for order in orders) + "\n")


def draw_convergence(errors):
    """Six errors over N."""
    figure, axes = plt.subplots(2, 3, figsize=(TWO_COLUMNS, 4.4), sharex=True)
    for axis, (key, label, _, slope) in zip(axes.flat, ERRORS):
        curves = {mass: np.array([errors[mass, elements][key] for elements in ELEMENTS]) for mass in MASSES}
        for row, (mass, (colour, marker)) in enumerate(MASSES.items()):
            axis.loglog(ELEMENTS, curves[mass], marker=marker, color=colour, label=f"{mass} mass")
            note = f"order {observed_order(curves[mass]):.2f}"
            axis.text(0.05, 0.14 - 0.1 * row, note, transform=axis.transAxes, color=colour, fontsize=8)
        reference_slope(axis, np.max(list(curves.values()), axis=0), slope)
        decade_ticks(axis)
        axis.set_xlabel("elements $N$" if axis in axes[1] else "")
        axis.set_ylabel(label)
    letter(axes.flat)
    legend_below(figure, axes[0, 0])
    return figure


def reference_slope(axis, values, slope):
    """A dashed line N^-slope above the data, with its exponent."""
    elements = np.array(ELEMENTS, float)
    line = (elements / elements[0]) ** -slope
    line *= 1.6 * (values / line).max()
    axis.loglog(elements, line, color=BLACK, linestyle=(0, (4, 3)), linewidth=0.8, label="reference slope")
    exponent = {1: "-1", 2 / 3: "-2/3", 1 / 2: "-1/2", 1 / 3: "-1/3"}[slope]
    axis.annotate(f"$N^{{{exponent}}}$", (elements[4], line[4]), (2, 2), textcoords="offset points")


def decade_ticks(axis):
    """Ticks at 1, 2, 5 if the errors span few decades, so that more than one tick has a label."""
    low, high = axis.get_ylim()
    if high / low < 300:
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.tick_params(which="minor", length=0)


# Schemes ---------------------------------------------------------------------------------------------------------------------------------------


def print_schemes(runs):
    """The table of figure schemes.png."""
    print(f"schemes, N = {SCHEME_ELEMENTS}, consistent mass, the same step for all")
    headings = ("time/T", "force, N", "impulse, mN s", "loss, %", "noise, %", "penetr., nm", "num., uJ")
    print(f"  {'':<16}" + "".join(f"{heading:>14}" for heading in headings))
    for scheme, run in runs.items():
        frames = read_bar_frames(run)
        impact = impact_of(run, frames)
        found = measure(run, impact, frames, reaction_of(run, run.contact_names()[0]))
        figures = (
            f"{found.duration / impact.duration:.4f}",
            f"{found.mean_force:.1f}",
            f"{found.impact_impulse * 1e3:.4f}",
            f"{found.impact_loss * 100:.4f}",
            f"{found.noise * 100:.2f}",
            f"{found.penetration * 1e9:.2f}",
            f"{run.info['summary']['energy_numerical_max'] * 1e6:.2g}",
        )
        print(f"  {scheme:<16}" + "".join(f"{figure:>14}" for figure in figures))
    print("  exact           " + f"{1:14.4f}{impact.reaction:14.1f}{0:14.4f}{0:14.4f}{0:14.2f}{0:14.2f}{0:14.2g}")
    print(f"  formula, N = {SCHEME_ELEMENTS}" + " " * 29 + f"{impact.node_impulse * 1e3:14.4f}{impact.node_loss * 100:14.4f}\n")


def draw_schemes(runs):
    """Contact forces of the schemes over time; below, their energy."""
    figure = plt.figure(figsize=(TWO_COLUMNS, 6.6))
    grid = figure.add_gridspec(3, 2, height_ratios=[1, 1, 1])
    first = None
    for place, (scheme, run) in enumerate(runs.items()):
        axis = figure.add_subplot(grid[place // 2, place % 2], sharex=first, sharey=first)
        first = first or axis
        reaction_panel(axis, scheme, run)
        axis.tick_params(labelbottom=False, labelleft=place % 2 == 0)
        if place % 2 == 0:
            axis.set_ylabel("contact force (N)")
    total, numerical = (figure.add_subplot(grid[2, column], sharex=first) for column in (0, 1))
    for scheme, run in runs.items():
        energy = run.energy
        time = energy["time"] * 1e6
        sum_now = energy["kinetic"] + energy["elastic"]
        total.plot(time, (sum_now / sum_now[0] - 1) * 100, color=SCHEMES[scheme], linewidth=0.9)
        numerical.plot(time, energy["numerical"] * 1e6, color=SCHEMES[scheme], label=scheme, linewidth=0.9)
    total.set(xlabel="time (µs)", ylabel="total energy, $E/E_0 - 1$ (%)")
    numerical.set(xlabel="time (µs)", ylabel="numerical energy error (µJ)")
    # All fall from zero at the impact; they differ in the value after it.
    impact = impact_of(run, read_bar_frames(run))
    loss = -impact.node_loss * 100
    total.set_ylim(1.01 * loss, 0.988 * loss)
    total.axhline(loss, color=BLACK, linestyle=(0, (5, 2)), linewidth=0.8)
    total.annotate(r"dashed: $-\sqrt{3}/(6N)$", (0.97, 0.92), xycoords="axes fraction", ha="right", va="top")
    legend_below(figure, numerical)
    letter(figure.axes)
    return figure


def reaction_panel(axis, scheme, run):
    """The contact force of one scheme: force, or percussion divided by step; the impact is beyond the range of the panel and is given as text."""
    impact = impact_of(run, read_bar_frames(run))
    name = run.contact_names()[0]
    reaction = reaction_of(run, name)
    time = reaction.time * 1e6
    axis.plot(time, reaction.force, color=SCHEMES[scheme], linewidth=0.9)
    axis.plot(time, impact.exact_reaction(reaction.time), color=BLACK, linewidth=0.8, linestyle=(0, (5, 2)))
    struck = np.flatnonzero(reaction.impulse > 0)
    factor, unit = prefixed(reaction.impulse.max(), "N s")
    many = f"{len(struck)} steps of " if len(struck) > 1 else ""
    if reaction.separate:
        note = rf"impulse apart: $\Lambda$ = {reaction.impulse.max() * factor:.3f} {unit}"
    else:
        axis.vlines(time[struck], 0, reaction.impulse[struck] / run.step, color=SCHEMES[scheme], linewidth=0.9)
        note = rf"impact: {many}$P/\Delta t$ = {reaction.impulse.max() / run.step:.0f} N"
    axis.annotate(note, (0.04, 0.93), xycoords="axes fraction", va="top")
    axis.set_title(f"{scheme}, " + ("force" if reaction.separate else r"$P/\Delta t$"), fontsize=8.5)
    axis.set_ylim(0, 1.9 * impact.reaction)
    axis.set_xlim(-12, time[-1])


# Command ---------------------------------------------------------------------------------------------------------------------------------------


def study(arguments):
    """Runs, tables, figures."""
    if not 0 < arguments.fraction < 1:
        raise ResultsError(f"--fraction {arguments.fraction:g}: must be between 0 and 1")
    meshes, schemes = run_all(arguments.out, arguments.fraction)
    style()
    errors = {key: errors_of(run) for key, run in meshes.items()}
    print(f"half_explicit, step {arguments.fraction:g} of the critical time step; fields compared at t0 + {COMPARED_AT} T; orders from N >= {FINE}\n")
    print_convergence(errors)
    print_schemes(schemes)
    figures = {"convergence": draw_convergence(errors), "schemes": draw_schemes(schemes)}
    print("figures: " + ", ".join(str(save(figure, arguments.out, name)) for name, figure in figures.items()))


def main():
    """The command line."""
    fraction = {"metavar": "F", "type": float, "default": 0.1, "help": "step relative to the critical time step; default %(default)s"}
    return command("bar_study", __doc__, study, fraction=fraction)
