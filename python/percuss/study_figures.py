"""Figure of a study: samples over the parameter (bifurcation.csv) and, with two columns, Poincare sections; or errors over the refined key with their orders
(convergence.csv); or each recorded quantity over the axis with the most values, one line for each combination of the others.
"""

import csv
import json
import math

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import ScalarFormatter

from percuss.style import BLACK, BLUE, ORANGE, TWO_COLUMNS, arrange, legend_below, letter, literal, say_rest
from percuss.results import ResultsError

MARKERS = "osD^vP*X"

# The two ways of a sweep, also told apart without colour.
DIRECTIONS = {
    "up": {"marker": "^", "linestyle": "-", "color": BLUE, "fillstyle": "full", "markersize": 4},
    "down": {"marker": "v", "linestyle": "--", "color": ORANGE, "fillstyle": "none", "markersize": 5},
}

# Largest number of panels in a figure, and of lines in a panel.
PANELS, LINES = 6, 12


def read_rows(directory, name):
    """A table as a list of {column: text}."""
    try:
        with open(directory / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        raise ResultsError(f"{directory}: no {name}; `percuss study STUDY.yaml --out {directory}` writes it") from None


def number(text):
    """A cell as a number; NaN if it is empty or a word."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def axes_of(count, width=3):
    """A figure with `count` panels in a grid."""
    columns = min(count, width if count != 4 else 2)
    rows = math.ceil(count / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(TWO_COLUMNS, (2.6 if columns > 1 else 3.2) * rows), squeeze=False)
    for axis in axes.flat[count:]:
        axis.set_visible(False)
    return figure, list(axes.flat[:count])


def in_words(axis, text):
    """A cell of an axis in the unit of the study: tables have SI units. Other words are left as they are."""
    shown = axis.get("shown")
    return f"{number(text) / shown['size']:.6g} {shown['unit']}" if shown and math.isfinite(number(text)) else text


def to_shown(axis, values):
    """Numbers of an axis in the unit in which the study has them."""
    size = axis["shown"]["size"] if axis.get("shown") else 1
    return [value / size for value in values]


def label_of(axis):
    """A key in words, with the unit of the study: "shaft spin (rpm)" of bodies.shaft.spin."""
    words = axis["key"].split(".")
    short = " ".join(words[1:] if words[0] == "parameters" or words[0] in ("bodies", "contacts", "loads", "unbalances", "discs", "bearings", "springs") and len(words) > 2 else words[-2:])
    unit = axis["shown"]["unit"] if axis.get("shown") else axis["unit"]
    return f"{short.replace('_', ' ')} ({unit})" if unit else short.replace("_", " ")


def clipped(text, most=48):
    """Text that fits a legend."""
    return literal(text if len(text) <= most else text[: most - 1] + "…")


def finish(figure, axes):
    """Short numbers, letters, and one legend if lines have names."""
    for axis in axes:
        for side in "xy":
            if getattr(axis, f"get_{side}scale")() == "linear" and isinstance(getattr(axis, f"{side}axis").get_major_formatter(), ScalarFormatter):
                axis.ticklabel_format(axis=side, style="sci", scilimits=(-3, 4), useMathText=True)
    if len(axes) > 1:
        letter(axes)
    names = axes[0].get_legend_handles_labels()[1]
    if len(names) > 1 or (names and names[0]):
        legend_below(figure, axes[0], ncol=min(len(names), 2 if max(map(len, names)) > 24 else 4))
    return figure


# Bifurcations ------------------------------------------------------------------------------------------------------------------------------------


def draw_bifurcation(study, directory):
    """Samples over the parameter; with two columns also the Poincare sections in colour."""
    rows = read_rows(directory, "bifurcation.csv")
    columns = list(rows[0])[list(rows[0]).index("time") + 1 :] if rows else []
    if not columns:
        raise ResultsError(f"{directory}/bifurcation.csv: no samples; is `after` beyond the end of the runs?")
    axis = next((axis for axis in study["axes"] if axis["key"] == study["bifurcation"]), {"key": study["bifurcation"], "unit": ""})
    parameter = np.array(to_shown(axis, [number(row[study["bifurcation"]]) for row in rows]))
    values = {column: np.array([number(row[column]) for row in rows]) for column in columns}
    figure, axes = axes_of(2 if len(columns) > 1 else 1, 1)
    size = 1.2 if len(rows) > 3000 else 3
    if study.get("sweep"):
        for direction, style in DIRECTIONS.items():
            chosen = np.array([row["direction"] == direction for row in rows])
            if chosen.any():
                axes[0].plot(parameter[chosen], values[columns[0]][chosen], linestyle="", markersize=3, label=direction, **{key: style[key] for key in ("marker", "color", "fillstyle")})
    else:
        axes[0].plot(parameter, values[columns[0]], linestyle="", marker=".", markersize=size, color=BLACK)
    axes[0].set(xlabel=label_of(axis), ylabel=columns[0])
    if len(columns) > 1:
        drawn = axes[1].scatter(values[columns[0]], values[columns[1]], c=parameter, s=size, cmap="viridis")
        axes[1].set(xlabel=columns[0], ylabel=columns[1])
        figure.colorbar(drawn, ax=axes[1], label=label_of(axis))
    return finish(figure, axes)


# Orders ------------------------------------------------------------------------------------------------------------------------------------------


def draw_convergence(study, directory):
    """Errors over the refined key, a panel for each quantity, a line for each sequence."""
    rows = read_rows(directory, "convergence.csv")
    over = study["convergence"]
    parts = list(rows[0])[: list(rows[0]).index(over)] if rows else []
    quantities = list(dict.fromkeys(row["quantity"] for row in rows))[:PANELS]
    figure, axes = axes_of(max(len(quantities), 1))
    refined = next((axis for axis in study["axes"] if axis["key"] == over), {"key": over, "unit": ""})
    for axis, quantity in zip(axes, quantities):
        sequences = {}
        for row in rows:
            if row["quantity"] == quantity:
                sequences.setdefault(", ".join(row[part] for part in parts), []).append(row)
        for place, (name, sequence) in enumerate(list(sequences.items())[:LINES]):
            size, error = ([number(row[key]) for row in sequence] for key in (over, "error"))
            size = to_shown(refined, size)
            order = number(sequence[0]["fitted_order"])
            axis.loglog(size, error, marker=MARKERS[place % len(MARKERS)], label=clipped(name))
            if math.isfinite(order):
                last = max((point for point in zip(size, error) if point[1] > 0), default=None)
                axis.annotate(f"{order:.2f}", last, (3, 3), textcoords="offset points", color=axis.lines[-1].get_color(), fontsize=7.5)
        axis.set(xlabel=label_of(refined), ylabel=f"error of {quantity.replace('_', ' ')}")
    return finish(figure, axes)


# Quantities --------------------------------------------------------------------------------------------------------------------------------------


def along(study):
    """The horizontal axis: that of a sweep; else of the numeric axes the one with the most values, else the longest."""
    swept = [axis for axis in study["axes"] if axis["key"] == study.get("sweep")]
    return swept[0] if swept else max(study["axes"], key=lambda axis: (axis["numbers"] and len(axis["values"]) > 1, len(axis["values"])))


def is_logarithmic(axis, values):
    """Whether the range of the numbers needs a logarithmic axis."""
    values = np.array([value for value in values if math.isfinite(value)])
    return axis["logarithmic"] or (values.size > 2 and values.min() > 0 and values.max() / values.min() >= 20)


def draw_quantities(study, directory):
    """Each quantity over one axis."""
    rows = [row for row in read_rows(directory, "study.csv") if row["status"] == "done"]
    if not rows:
        raise ResultsError(f"{directory}/study.csv: no run has finished")
    axis = along(study)
    others = [other for other in study["axes"] if other["key"] != axis["key"]]
    quantities = [(item["name"], item.get("unit", "")) for item in study["record"]][:PANELS]
    figure, axes = axes_of(len(quantities))
    series = {}
    for row in rows:
        series.setdefault(", ".join([in_words(other, row[other["key"]]) for other in others] + ([row["direction"]] if study.get("sweep") else [])), []).append(row)
    if axis["numbers"]:
        place = {row[axis["key"]]: to_shown(axis, [number(row[axis["key"]])])[0] for row in rows}
    else:
        place = {value: position for position, value in enumerate(axis["values"])}
    for panel, (quantity, unit) in zip(axes, quantities):
        for mark, (name, part) in enumerate(list(series.items())[:LINES]):
            points = sorted((place[row[axis["key"]]], number(row[quantity])) for row in part)
            style_of = {"marker": MARKERS[mark % len(MARKERS)], "linestyle": "-" if axis["numbers"] else ""}
            if study.get("sweep") and not others:
                style_of = DIRECTIONS[name]
            panel.plot(*zip(*points), label=clipped(name), **style_of)
        if axis["numbers"]:
            panel.set_xlabel(label_of(axis))
            if is_logarithmic(axis, place.values()):
                panel.set_xscale("log")
        else:
            panel.set_xticks(list(place.values()), [clipped(value, 18) for value in place], rotation=30, ha="right")
        panel.set_ylabel(quantity.replace("_", " ") + (f" ({unit})" if unit else ""))
    say_rest(axes[0], len(series) - LINES)
    rest = len(study["record"]) - PANELS
    say_rest(axes[0], rest, f"more quantit{'y' if rest == 1 else 'ies'} in study.csv")
    return finish(figure, axes)


# Which -------------------------------------------------------------------------------------------------------------------------------------------


def draw_study(directory):
    """The figure of one study."""
    try:
        study = json.loads((directory / "study.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultsError(f"{directory}: not the directory of a study: it has no study.json; `percuss study STUDY.yaml` writes it") from None
    choose = draw_bifurcation if study["bifurcation"] else draw_convergence if study["convergence"] else draw_quantities
    figure = choose(study, directory)
    figure.suptitle(literal(study["title"] or study["name"]), fontsize=9.5)
    return arrange(figure)
