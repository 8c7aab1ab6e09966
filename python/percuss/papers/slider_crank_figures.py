"""Figures of slider_crank.py. Each takes {name: Run} and draws mainly the gaps between the slider and the upper and lower wall.

The slider does not rotate (the rod acts on its centre, and there is no friction), so its two upper corners move together, and its two lower corners as well.
"""

import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, TWO_COLUMNS, legend_above, legend_below, letter, total_energy

MILLI, MICRO = 1e3, 1e6  # m -> mm, um; s -> ms; J -> mJ
CLEARANCE = 1e-3
SOLID, DASHED, DOTTED, DASHDOT = "solid", (0, (5, 2)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5))
WALL = {"color": BLACK, "linewidth": 0.7}

# Corner that represents a wall.
WALLS = {"above": ("corner1", BLUE), "below": ("corner3", ORANGE)}

# Style of each scheme: name of a run without its prefix, label, colour of its family, line.
LOOK = {
    "half_explicit": ("half_explicit", BLUE, SOLID),
    "half_explicit_two_step": ("half_explicit_two_step", BLUE, DASHED),
    "half_explicit_acceleration": ("half_explicit_acceleration", SKY, SOLID),
    "explicit_velocity": ("explicit_velocity", ORANGE, SOLID),
    "explicit_velocity_h": ("explicit_velocity, free_force: included", ORANGE, DASHED),
    "moreau_midpoint": ("moreau_midpoint", PURPLE, SOLID),
    "moreau_jean_explicit": ("moreau_jean_explicit", GREY, SOLID),
    "ggl_decoupled": ("ggl_decoupled", PURPLE, DASHED),
    "ggl_unified": ("ggl_unified", GREEN, SOLID),
    "ggl_unified_active": ("ggl_unified, project: active", GREEN, DASHED),
    "ggl_unified_none": ("ggl_unified, project: none", GREEN, DOTTED),
    "position_level": ("position_level", BLACK, SOLID),
}


def look(name, *prefixes):
    """Label and line of the run of a scheme."""
    for prefix in prefixes:
        name = name.removeprefix(prefix)
    label, colour, linestyle = LOOK[name]
    return {"label": label, "color": colour, "linestyle": linestyle}


def finish(figure, axes, label="time (ms)"):
    """Common layout of panels over time: letters, a time axis below."""
    letter(axes.flat)
    for axis in axes.reshape(len(axes), -1)[-1]:
        axis.set_xlabel(label)
    figure.align_ylabels()
    return figure


# The slider in its notch ------------------------------------------------------------------------------------------------------------------------


def slider_height(run):
    """y of the centre of the slider, m: half the difference of the lower and upper gaps."""
    return (run.contacts["corner3.gap"] - run.contacts["corner1.gap"]) / 2


def draw_movement(runs):
    """The centre of the slider over time, one panel for each coefficient of restitution; beyond the dashed lines the slider penetrates the wall."""
    figure, axes = plt.subplots(2, 2, figsize=(TWO_COLUMNS, 4.2), sharex=True, sharey=True)
    for axis, (name, run) in zip(axes.flat, runs.items()):
        time = run.contacts["time"] * MILLI
        axis.plot(time, slider_height(run) * MILLI, color=BLUE)
        for side in (-1, 1):
            axis.axhline(side * CLEARANCE * MILLI, linestyle=DASHED, **WALL)
        depth = run.info["summary"]["max_penetration"] * MICRO
        in_words = f"deepest penetration {depth:.1f} µm" if depth >= 0.05 else "no penetration"
        axis.set_title(f"$e$ = {name.rsplit('_e', 1)[1]}, {in_words}", loc="right", fontsize=8.5)
        axis.set(xlim=(0, time[-1]), ylim=(-1.15, 1.15))
    for axis in axes[:, 0]:
        axis.set_ylabel("height of the slider (mm)")
    return finish(figure, axes)


def draw_gaps(runs):
    """Gaps over time, and a magnified view near zero; the second of two runs is dotted."""
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.6), sharex=True)
    lowest = 0.0
    for (name, run), linestyle in zip(runs.items(), (SOLID, DOTTED)):
        level = f", {LOOK[name.removeprefix('a_')][0]}" if len(runs) > 1 else ""
        for wall, (corner, colour) in WALLS.items():
            gap = run.contacts[f"{corner}.gap"]
            lowest = min(lowest, gap.min())
            for axis, factor in zip(axes, (MILLI, MICRO)):
                axis.plot(run.contacts["time"] * MILLI, gap * factor, color=colour, linestyle=linestyle, label=f"wall {wall}{level}")
    for axis in axes:
        axis.axhline(0, **WALL)
    axes[0].set_ylabel("gap (mm)")
    axes[1].set(ylabel="gap (µm)", xlim=(0, run.contacts["time"][-1] * MILLI), ylim=(1.1 * lowest * MICRO, -0.35 * lowest * MICRO))
    legend_below(figure, axes[0], ncol=2)
    return finish(figure, axes)


def draw_gaps_and_rates(runs, closed=(38.5, 55.5)):
    """Gaps and their rates over time; at the right, one long contact phase at the upper wall, in ms."""
    (run,) = runs.values()
    figure, axes = plt.subplots(2, 2, figsize=(TWO_COLUMNS, 4.4), sharex="col")
    time = run.contacts["time"] * MILLI
    inside = (time >= closed[0]) & (time <= closed[1])
    for wall, (corner, colour) in WALLS.items():
        for row, (column, factor, small) in enumerate((("gap", MILLI, MICRO), ("gap_rate", 1, MILLI))):
            values = run.contacts[f"{corner}.{column}"]
            axes[row, 0].plot(time, values * factor, color=colour, label=f"wall {wall}", linewidth=1.0)
            if wall == "above":
                axes[row, 1].plot(time[inside], values[inside] * small, color=colour)
    for axis in axes.flat:
        axis.axhline(0, **WALL)
    axes[0, 0].set(ylabel="gap (mm)", xlim=(0, time[-1]))
    axes[1, 0].set(ylabel="gap rate (m/s)")
    axes[0, 1].set(ylabel="gap (µm)", xlim=closed, ylim=(-50, 25), title="upper wall, one contact phase")
    axes[1, 1].set(ylabel="gap rate (mm/s)", ylim=(-25, 25))
    legend_below(figure, axes[0, 0])
    return finish(figure, axes)


# Motion, reactions ------------------------------------------------------------------------------------------------------------------------------


def draw_angles(runs):
    """Angles and angular velocities: the crank above, rod and slider below."""
    (run,) = runs.values()
    figure, axes = plt.subplots(2, 2, figsize=(TWO_COLUMNS, 4.4), sharex=True)
    time = run.history["time"] * MILLI
    for number, (member, colour) in enumerate((("crank", BLUE), ("rod", ORANGE), ("slider", GREEN)), 1):
        for axis, quantity, symbol in zip(axes[min(number, 2) - 1], ("theta", "omega"), (r"\theta", r"\omega")):
            axis.plot(time, run.history[f"crank.{quantity}{number}"], color=colour, label=rf"{member}, ${symbol}_{number}$")
    for axis in axes.flat:
        legend_above(axis)
        axis.set(ylabel="angle (rad)" if axis in axes[:, 0] else "angular velocity (1/s)", xlim=(0, time[-1]))
    return finish(figure, axes)


def draw_multipliers(runs):
    """Contact forces and impact impulses, which the half-explicit scheme separates."""
    (run,) = runs.values()
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.4), sharex=True)
    time = run.contacts["time"] * MILLI
    for corner, colour, corners in (("corner1", BLUE, "1 and 2, upper"), ("corner3", ORANGE, "3 and 4, lower")):
        axes[0].plot(time, run.contacts[f"{corner}.force"], color=colour, label=f"each of corners {corners}")
        impulse = run.contacts[f"{corner}.impulse"] * MILLI
        struck = impulse > 0
        axes[1].vlines(time[struck], 0, impulse[struck], color=colour, linewidth=1.1)
        axes[1].plot(time[struck], impulse[struck], "o", color=colour, markersize=3, clip_on=False)
    axes[0].set_ylabel(r"reaction force $\lambda$ (N)")
    axes[1].set(ylabel=r"impulse $\Lambda$ (mN s)", xlim=(0, time[-1]))
    for axis in axes:
        axis.set_ylim(bottom=0)
    legend_above(axes[0])
    return finish(figure, axes)


# Joint ------------------------------------------------------------------------------------------------------------------------------------------


def draw_joint_drift(runs):
    """Height of a slider that a joint holds at zero: drift, and its magnitude on a logarithmic scale."""
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.8), sharex=True, gridspec_kw={"height_ratios": [1.3, 1]})
    levels = {"position_level": "position", "half_explicit": "velocity", "half_explicit_acceleration": "acceleration", "ggl_decoupled": "position and velocity"}
    for name, run in runs.items():
        time, height = run.contacts["time"], run.contacts["guide.gap"]
        line = look(name, "b_joint_")
        line |= {"label": f"{levels[line['label']]}: {line['label']}"}
        axes[0].plot(time, height * MICRO, **line)
        axes[1].semilogy(time, np.maximum.accumulate(np.abs(height)), **line)
    axes[0].set_ylabel("height of the slider (µm)")
    axes[1].set(ylabel="largest size so far (m)", xlim=(0, 1), ylim=(1e-17, 1e-2))
    legend_below(figure, axes[0], ncol=2)
    return finish(figure, axes, "time (s)")


# Energy -----------------------------------------------------------------------------------------------------------------------------------------


def draw_energy(runs):
    """Total energy, and numerical energy error."""
    (run,) = runs.values()
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 4.2), sharex=True, gridspec_kw={"height_ratios": [1.5, 1]})
    time = run.energy["time"] * MILLI
    axes[0].plot(time, total_energy(run), color=GREEN, label="kinetic and potential")
    axes[0].plot(time, total_energy(run)[0] - run.energy["impact"], color=BLACK, linestyle=DASHED, linewidth=0.9, label="start minus dissipation by impacts")
    axes[0].set_ylabel("energy (J)")
    axes[1].plot(time, run.energy["numerical"] * MILLI, color=GREY, label="numerical energy error")
    axes[1].set(ylabel="numerical (mJ)", xlim=(0, time[-1]))
    for axis in axes:
        legend_above(axis)
    return finish(figure, axes)


def draw_long_energy(runs):
    """Total energy over four seconds, and its last half second magnified."""
    figure, axes = plt.subplots(1, 2, figsize=(TWO_COLUMNS, 3.4), gridspec_kw={"width_ratios": [1.5, 1]})
    last = {}
    for name, run in runs.items():
        time, total = run.energy["time"], total_energy(run)
        for axis in axes:
            axis.plot(time, total, linewidth=1.0, **look(name, "b_"))
        last[name] = total[time >= 3.5]
    axes[0].set(xlabel="time (s)", ylabel="energy (J)", xlim=(0, 4))
    low, high = min(map(np.min, last.values())), max(map(np.max, last.values()))
    axes[1].set(xlabel="time (s)", xlim=(3.5, 4), ylim=(low - 0.03, high + 0.03))
    legend_below(figure, axes[0], ncol=3)
    letter(axes)
    return figure


def draw_schemes(runs):
    """Total energy of all schemes, and the difference of the more accurate ones from a converged run (the first). Spikes: impacts in neighbouring steps."""
    (_, converged), *others = runs.items()
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 5.6), sharex=True)
    exact = {"color": BLACK, "linewidth": 0.8, "linestyle": DASHDOT}
    for name, run in others:
        time, total = run.energy["time"] * MILLI, total_energy(run)
        line = look(name, "a_") | {"linewidth": 1.0}
        axes[0].plot(time, total, **line)
        if name.removeprefix("a_") not in ("moreau_midpoint", "moreau_jean_explicit", "ggl_decoupled"):
            exact_total = np.interp(run.energy["time"], converged.energy["time"], total_energy(converged))
            axes[1].plot(time, (total - exact_total) * MILLI, **line)
    axes[0].plot(converged.energy["time"] * MILLI, total_energy(converged), label="half_explicit, step 0.1 µs", **exact)
    axes[1].axhline(0, **exact)
    axes[0].set_ylabel("energy (J)")
    axes[1].set(ylabel="difference to step 0.1 µs (mJ)", xlim=(0, converged.energy["time"][-1] * MILLI), ylim=(-45, 25))
    legend_below(figure, axes[0], ncol=3)
    return finish(figure, axes)
