"""Common style of all figures: sizes, lines, and colours that are distinguishable in grey print and with colour blindness (Okabe and Ito)."""

import matplotlib.pyplot as plt
import numpy as np

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
BLACK, GREY = "#000000", "#8C8C8C"
ON_MAP = "#101010"  # lines and text on a colour map, which stays light in dark mode

# Widths in inches: two columns of a journal page; one column of a report, or a phone.
TWO_COLUMNS, REPORT_COLUMN = 7.0, 4.6


STYLE = {
    "agg.path.chunksize": 20000,  # orbits with many points
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.04,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, SKY, BLACK]),
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.handlelength": 1.8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def style():
    """Sets the defaults of matplotlib for a script that writes files; it calls this once. Within other programs: `with matplotlib.rc_context(STYLE)`."""
    plt.switch_backend("Agg")
    plt.rcParams.update(STYLE)


def prefixed(largest, unit):
    """Factor and unit for which `largest` is between 1 and 1000: prefixed(2e-3, "J") is (1e3, "mJ")."""
    if not largest:
        return 1, unit
    for factor, prefix in ((1, ""), (1e3, "m"), (1e6, "µ"), (1e9, "n")):
        if abs(largest) * factor >= 1:
            return factor, prefix + unit
    return 1e12, "p" + unit


def time_axis(end):
    """(factor, label) for a time axis."""
    factor, unit = prefixed(end, "s")
    return factor, f"time ({unit})"


def is_narrow(width):
    """Whether panels side by side would be too narrow in a figure of that width, inches."""
    return width < 6


def envelope(x, y, pieces=800):
    """Reduces a line to at most four points for each interval of rows: first, last, minimum and maximum, in their order. It keeps all peaks and adds no points."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) <= 4 * pieces:
        return x, y
    begins = np.linspace(0, len(x), pieces + 1).astype(int)
    known = np.isfinite(y)
    kept = [begins[:-1], begins[1:] - 1]
    for sign in (1, -1):
        value = np.where(known, sign * y, np.inf)
        least = np.minimum.reduceat(value, begins[:-1])
        at_least = np.flatnonzero(value == np.repeat(least, np.diff(begins)))
        kept.append(at_least[np.unique(np.searchsorted(begins, at_least, "right"), return_index=True)[1]])
    rows = np.unique(np.concatenate(kept))
    return x[rows], y[rows]


def total_energy(run):
    """Kinetic, elastic and potential energy of a run in each row of energy.csv, J."""
    return run.energy["kinetic"] + run.energy["elastic"] + run.energy["potential"]


def letter(axes, names="abcdefgh"):
    """Marks panels (a), (b), ... above their upper left corners."""
    for axis, name in zip(axes, names):
        axis.set_title(f"({name})", loc="left", fontweight="bold", fontsize=8.5)


def legend_above(axis, **options):
    """A legend in one row above the panel, where it covers no data."""
    labels = axis.get_legend_handles_labels()[1]
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncol=len(labels), borderaxespad=0.1, columnspacing=1.4, **options)


def legend_below(figure, axis, **options):
    """One legend for all panels below them; `axis` is the panel with the labels."""
    handles, labels = axis.get_legend_handles_labels()
    options = {"ncol": len(labels), **options}
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), **options)


def save(figure, directory, name):
    """Writes DIRECTORY/NAME.png and returns its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.png"
    figure.savefig(path)
    plt.close(figure)
    return path
