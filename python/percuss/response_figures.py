"""Bode diagram of the response to unbalance: amplitude and phase of probes over the speed of rotation."""

import matplotlib.pyplot as plt
import numpy as np

from percuss.style import MOST_LINES, TWO_COLUMNS, legend_below, letter, prefixed, say_rest
from percuss.results import ResultsError

RPM = 30 / np.pi  # rad/s -> 1/min
SMALLEST = 1e-9  # relative to the largest amplitude: smaller values are rounding errors


def response_columns(table, probes=None):
    """Names of the displacements to draw, such as `shaft.left.uy`: those that are not zero."""
    names = [name.removesuffix(".amplitude") for name in table if name.endswith(".amplitude")]
    names = [name for name in names if name.rsplit(".", 1)[-1].startswith("u")]
    if probes:
        unknown = [probe for probe in probes if not any(name.rsplit(".", 1)[0] == probe for name in names)]
        if unknown:
            raise ResultsError(f"no probe '{unknown[0]}'; the probes are {', '.join(sorted({name.rsplit('.', 1)[0] for name in names}))}")
        names = [name for name in names if name.rsplit(".", 1)[0] in probes]
    largest = {name: np.nanmax(table[f"{name}.amplitude"], initial=0) for name in names}
    moving = [name for name in names if largest[name] > SMALLEST * max(largest.values())]
    if not moving:
        raise ResultsError("all displacements are zero")
    return moving


def draw_response(table, names, linear=False):
    """Amplitude and phase over speed."""
    figure, axes = plt.subplots(2, 1, figsize=(TWO_COLUMNS, 5.0), sharex=True, gridspec_kw={"height_ratios": [1.6, 1]})
    speed = table["speed"] * RPM
    factor, unit = prefixed(max(np.nanmax(table[f"{name}.amplitude"]) for name in names), "m")
    most = sorted(names, key=lambda name: -np.nanmax(table[f"{name}.amplitude"]))[:MOST_LINES]
    for name in (name for name in names if name in most):
        amplitude, phase = table[f"{name}.amplitude"], table[f"{name}.phase"]
        moves = np.isfinite(amplitude) & (amplitude > 0)
        line = axes[0].plot(speed[moves], amplitude[moves] * factor, label=name)[0]
        axes[1].plot(speed[moves], np.degrees(np.unwrap(phase[moves])), color=line.get_color(), linestyle=line.get_linestyle())
    say_rest(axes[0], len(names) - len(most))
    axes[0].set_ylabel(f"amplitude, 0 to peak ({unit})")
    if linear:
        axes[0].set_ylim(bottom=0)
    else:
        axes[0].set_yscale("log")
    axes[1].set_ylabel("phase (degrees)")
    axes[1].yaxis.set_major_locator(plt.MultipleLocator(90))
    axes[1].set_xlabel("speed (rpm)")
    axes[1].set_xlim(speed[0], speed[-1])
    letter(axes, ("amplitude", "phase"))
    legend_below(figure, axes[0])
    figure.align_ylabels(axes)
    return figure
