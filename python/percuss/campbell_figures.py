"""Campbell diagram of a rotor: frequencies and damping of its modes over the speed of rotation, with critical speeds."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from percuss.style import BLACK, BLUE, GREY, ORANGE, PURPLE, TWO_COLUMNS, legend_below, letter

RPM = 30 / np.pi  # rad/s -> 1/min
HERTZ = 1 / (2 * np.pi)  # rad/s -> Hz
SENSES = {"forward": ORANGE, "backward": BLUE, "neither": GREY}
CIRCULAR = 0.01  # |kappa| above which an orbit is forward or backward


def sense_of(kappa):
    """Sense of whirl: forward, backward or neither (planar, torsion, no rotor)."""
    return "forward" if kappa > CIRCULAR else "backward" if kappa < -CIRCULAR else "neither"


def pieces(kappa, there):
    """Index ranges of one colour, each including the first point of the next one, so that lines have no gaps."""
    begin = None
    for i in range(len(kappa) + 1):
        if begin is not None and (i == len(kappa) or not there[i] or sense_of(kappa[i]) != sense_of(kappa[begin])):
            yield sense_of(kappa[begin]), slice(begin, i + 1 if i < len(kappa) and there[i] else i)
            begin = None
        if begin is None and i < len(kappa) and there[i]:
            begin = i


def draw_lines(axis, speed, values, kappa, there):
    """The line of one mode, coloured by its sense of whirl."""
    for sense, part in pieces(kappa, there):
        axis.plot(speed[part] * RPM, values[part], color=SENSES[sense], linestyle="-")


def draw_campbell(table, events):
    """The figure, and the senses that occur in it."""
    speed = table["speed"]
    names = [name.removesuffix(".frequency") for name in table if name.endswith(".frequency")]
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 5.6), sharex=True, gridspec_kw={"height_ratios": [2.2, 1]})
    for name in names:
        frequency, kappa = table[f"{name}.frequency"], table[f"{name}.whirl"]
        there = np.isfinite(frequency) & (frequency > 0)
        draw_lines(axes[0], speed, frequency * HERTZ, kappa, there)
        draw_lines(axes[1], speed, 100 * table[f"{name}.damping_ratio"], kappa, there)
    axes[0].plot(speed * RPM, speed * HERTZ, color=BLACK, linestyle=(0, (5, 2)), linewidth=0.9)
    mark_events(axes, events)
    axes[0].set_ylabel("frequency (Hz)")
    axes[0].set_ylim(bottom=0)
    axes[1].axhline(0, color=BLACK, linewidth=0.7)
    axes[1].set_ylabel("damping ratio (%)")
    least = 1e-6  # percent: smaller values are rounding errors, and get no axis
    if max(abs(limit) for limit in axes[1].get_ylim()) < least:
        axes[1].set_ylim(-1, 1)
    axes[1].set_xlabel("speed (rpm)")
    axes[1].set_xlim(speed[0] * RPM, speed[-1] * RPM)
    letter(axes, ("frequencies", "damping"))
    add_legend(figure, table, names, events)
    figure.align_ylabels(axes)
    return figure


def mark_events(axes, events):
    """Critical speeds as circles on the 1x line, onsets of instability as crosses at zero damping."""
    critical = events["event"] == "critical"
    for speed, frequency, kappa in zip(events["speed"][critical], events["frequency"][critical], events["kappa"][critical]):
        axes[0].plot(speed * RPM, frequency * HERTZ, "o", color=SENSES[sense_of(kappa)], markerfacecolor="white", zorder=3)
    for speed, frequency in zip(events["speed"][~critical], events["frequency"][~critical]):
        axes[0].plot(speed * RPM, frequency * HERTZ, "X", color=PURPLE, markersize=6, zorder=3)
        axes[1].plot(speed * RPM, 0, "X", color=PURPLE, markersize=6, zorder=3)


def add_legend(figure, table, names, events):
    """Legend of what the figure shows, in one row below it."""
    senses = {sense_of(kappa) for name in names for kappa in table[f"{name}.whirl"] if np.isfinite(kappa)}
    labels = {"forward": "forward whirl", "backward": "backward whirl", "neither": "neither"}
    handles = [Line2D([], [], color=SENSES[sense], label=labels[sense]) for sense in SENSES if sense in senses]
    handles.append(Line2D([], [], color=BLACK, linestyle=(0, (5, 2)), linewidth=0.9, label="1x"))
    if np.any(events["event"] == "critical"):
        handles.append(Line2D([], [], color=BLACK, marker="o", markerfacecolor="white", linestyle="", label="critical speed"))
    if np.any(events["event"] == "unstable"):
        handles.append(Line2D([], [], color=PURPLE, marker="X", linestyle="", label="onset of instability"))
    legend_below(figure, handles=handles)
