"""Common style of all figures, and their rules, which tests/python/figure_rules.py checks:

- no text covers another, numbers along axes neither, and none is outside the figure; legends are no wider than their panel (`arrange`, called wherever a figure is finished)
- every series is shown, or a line of the legend says how many are not (`say_rest`); a curve that covers another is dashed, so that both are seen
- SI prefixes (`prefixed`), with the unit in the label of the axis; panels have titles
- colours that are distinguishable in grey print and with colour blindness (Okabe and Ito); when they repeat, the dashes differ
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator, NullLocator

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
BLACK, GREY = "#000000", "#8C8C8C"
ON_MAP = "#101010"  # lines and text on a colour map, which stays light in dark mode

LARGE = ("m", "N", "J", "N m", "N s", "Pa")  # units that have prefixes above 1
MOST_LINES = 6  # in a panel: more are not told apart

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
    "axes.prop_cycle": plt.cycler(linestyle=["-", (0, (5, 2)), (0, (1.2, 1.2))]) * plt.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, SKY, BLACK]),
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
    """Factor and unit for which `largest` is between 1 and 1000: prefixed(2e-3, "J") is (1e3, "mJ"). Large numbers have a prefix from 10 000 on."""
    if not largest:
        return 1, unit
    if unit in LARGE and abs(largest) >= 1e4:
        return next((1 / size, prefix + unit) for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if abs(largest) >= size and (unit != "m" or prefix == "k"))
    for factor, prefix in ((1, ""), (1e3, "m"), (1e6, "µ"), (1e9, "n")):
        if abs(largest) * factor >= 1:
            return factor, prefix + unit
    return (1e12, "p" + unit) if abs(largest) >= 1e-15 else (1, unit)  # powers of ten, at the axis


def larger(size, unit):
    """As `prefixed`, but stresses are in MPa from 0.1 MPa on; angles and rates keep their unit."""
    if unit == "Pa":
        return (1e-6, "MPa") if size >= 1e5 else (1, "Pa")
    return prefixed(size, unit) if unit in ("m", "m/s", "N", "N m", "J", "N s") else (1, unit)


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


def literal(text):
    """The user's text for a figure, with dollar signs escaped, so that they do not begin a formula."""
    return text.replace("$", r"\$")


def letter(axes, titles=(), names="abcdefghijklmnop"):
    """Marks panels (a), (b), ... above their upper left corners, with their titles."""
    for number, (axis, name) in enumerate(zip(axes, names)):
        title = f" {titles[number]}" if number < len(titles) else ""
        axis.set_title(f"({name}){title}", loc="left", fontweight="bold", fontsize=8.5)


def series(number):
    """Colour and dashes of one of several series: those of the cycle, for figures with the same series in several panels."""
    return list(STYLE["axes.prop_cycle"])[number % len(STYLE["axes.prop_cycle"])]


def say_rest(axis, count, what="more, not drawn"):
    """A line of the legend that says how many series are not shown."""
    if count > 0:
        axis.plot([], [], " ", label=f"{count} {what}")


def legend_above(axis, **options):
    """A legend in one row above the panel, where it covers no data; `arrange` gives it more rows if it is too wide."""
    labels = axis.get_legend_handles_labels()[1]
    if not labels:
        return
    legend = axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), ncol=len(labels), borderaxespad=0.1, columnspacing=1.4, **options)
    legend.set_in_layout(False)


def legend_below(figure, axis=None, **options):
    """One legend for all panels below them; `axis` is the panel with the labels, else `handles`. `arrange` makes the figure higher by it."""
    handles, labels = axis.get_legend_handles_labels() if axis else (options.pop("handles"), None)
    labels = labels or [handle.get_label() for handle in handles]
    across = figure.get_figwidth() * 72  # points
    entry = 8 * (0.62 * max(map(len, labels), default=1) + 4)  # of the longest label, with its line
    options = {"ncol": max(1, min(len(labels), int(across / entry))), **options}
    legend = figure.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.5, 0.0), **options)
    legend.set_in_layout(False)


# Arranging ---------------------------------------------------------------------------------------------------------------------------------------


def arrange(figure):
    """Makes covered curves visible, legends as wide as their panel with titles above them, and numbers along axes as few as fit. The last step of every figure."""
    for axis in figure.axes:
        tell_apart(axis)
        for line in axis.lines:
            if len(line.get_xdata()) == 1 and line.get_marker() in ("None", None, ""):
                line.set_marker("o")  # otherwise it is invisible
    figure.canvas.draw()  # places of everything
    renderer = figure.canvas.get_renderer()
    for legend in figure.legends:
        if not legend.get_in_layout():
            make_room_below(figure, legend, renderer)
    for axis in figure.axes:
        if axis.get_visible() and axis.get_legend():
            fit_legend(axis, renderer)
        if axis.get_visible() and axis.axison:
            wrap_label(axis.xaxis.label, axis.get_window_extent(renderer).width, 0, renderer)
            wrap_label(axis.yaxis.label, axis.get_window_extent(renderer).height, 1, renderer)
            thin_ticks(axis.xaxis, 0, renderer)
            thin_ticks(axis.yaxis, 1, renderer)
    return figure


def make_room_below(figure, legend, renderer):
    """A figure that is higher by the legend, so that it is complete however it is saved."""
    height = figure.get_figheight()
    room = legend.get_window_extent(renderer).height / figure.dpi + 0.05
    figure.set_figheight(height + room)
    legend.set_in_layout(True)  # done
    share = room / (height + room)
    if figure.get_layout_engine():
        figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    else:
        figure.subplots_adjust(bottom=share + figure.subplotpars.bottom * (1 - share))
    figure.canvas.draw()


def wrap_label(label, room, along, renderer):
    """The label of an axis in as many lines as it needs beside its panel."""
    box = label.get_window_extent(renderer)
    length = (box.width, box.height)[along]
    if label.get_text() and length > 1.1 * room and "$" not in label.get_text():
        label.set_text(textwrap.fill(label.get_text(), max(12, int(len(label.get_text()) * room / length)), break_long_words=False))


def thin_ticks(side, along, renderer):
    """Fewer numbers along an axis where they cover each other; none where there is no room for two."""
    for most in (3, 2, 1, 0):
        boxes = sorted((label.get_window_extent(renderer) for label in side.get_ticklabels() if label.get_text()), key=lambda box: (box.x0, box.y0)[along])
        if all((first.x1, first.y1)[along] <= (second.x0, second.y0)[along] + 2 for first, second in zip(boxes, boxes[1:])) or not isinstance(side.get_major_locator(), MaxNLocator):
            return
        side.set_major_locator(MaxNLocator(most) if most else NullLocator())


def fit_legend(axis, renderer):
    """A legend above a panel in as many rows as it needs; the title of the panel stands above it if both do not fit beside each other."""
    legend, room = axis.get_legend(), axis.get_window_extent(renderer)
    if legend._loc != 4 or not legend._bbox_to_anchor:  # not one of legend_above
        return
    title = next((text for text in (axis._left_title, axis.title) if text.get_text()), None)
    taken = title.get_window_extent(renderer).width + 8 if title else 0
    width = legend.get_window_extent(renderer).width
    legend.set_in_layout(True)
    if width <= room.width - taken:
        return
    handles, labels = legend.legend_handles if hasattr(legend, "legend_handles") else legend.legendHandles, [text.get_text() for text in legend.get_texts()]
    size = legend.get_texts()[0].get_fontsize()
    before = legend.get_window_extent(renderer).height
    for columns in range(len(labels), 0, -1):
        legend = axis.legend(handles, labels, loc="lower right", bbox_to_anchor=(1.0, 0.98), ncol=columns, borderaxespad=0.1, columnspacing=1.4, fontsize=size)
        if legend.get_window_extent(renderer).width <= room.width:
            break
    figure = axis.figure
    figure.set_figheight(figure.get_figheight() + (legend.get_window_extent(renderer).height - before) / figure.dpi + (0.2 if title else 0))
    if title:
        axis.set_title(title.get_text(), loc="left", fontweight="bold", fontsize=8.5, pad=4 + 72 / axis.figure.dpi * legend.get_window_extent(renderer).height)


def dash(axis, line):
    """A dashed line, also in the legends."""
    legends = [legend for legend in (axis.get_legend(), *axis.figure.legends) if legend]
    keys = [key for legend in legends for key, text in zip(legend.get_lines(), legend.get_texts()) if text.get_text() == line.get_label()]
    for each in (line, *keys):
        each.set_linestyle((0, (4, 3)))
        each.set_linewidth(1.2 * each.get_linewidth())


def tell_apart(axis):
    """Dashes solid curves that cover an earlier one within half a per cent of the panel's range."""
    curves = [line for line in axis.lines if line.get_linestyle() == "-" and line.get_marker() in ("None", None, "") and len(line.get_xdata()) > 2 and line.get_visible()]
    seen = []
    for line in curves:
        x, y = (np.asarray(values, float) for values in line.get_data())
        if np.any(np.diff(x) < 0) or not np.isfinite(y).any():
            continue
        if axis.get_yscale() == "log":
            y = np.log(np.where(y > 0, y, np.nan))
        at = np.linspace(x[0], x[-1], 200)
        values = np.interp(at, x, y)
        span = max([np.nanmax(y) - np.nanmin(y), *(other.max() - other.min() for _, other in seen)])
        if any(np.allclose(ends, x[[0, -1]]) and np.nanmax(np.abs(values - other), initial=0) <= 0.005 * span for ends, other in seen):
            dash(axis, line)
        seen.append((x[[0, -1]], values))


def save(figure, directory, name):
    """Writes DIRECTORY/NAME.png and returns its path."""
    arrange(figure)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.png"
    figure.savefig(path)
    plt.close(figure)
    return path
