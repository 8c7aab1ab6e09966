"""Branches of periodic orbits: the range of a probe over the key that is varied, stable parts solid, unstable parts dashed, with the bifurcations."""

import csv
import re

import matplotlib.pyplot as plt
import numpy as np

from percuss.results import ResultsError
from percuss.style import TWO_COLUMNS, larger, legend_below, letter, literal, time_axis

MARKS = {"fold": "o", "flip": "s", "torus": "D", "branch": "P", "grazing": "X", "sliding": "v", "symmetry": "p", "hopf": "*"}


def branch_tables(run, probe):
    """branch.csv, branch_probes.csv and the column to draw: the one asked for, else the first."""
    branch, values = run.analysis("branch.csv"), run.analysis("branch_probes.csv")
    names = [column.removesuffix(".max") for column in values if column.endswith(".max")]
    if probe and probe not in names:
        raise ResultsError(f"no probe '{probe}'; the probes are {', '.join(names)}")
    if not names:
        raise ResultsError("no probe was recorded: name some in output.history.probes")
    return branch, values, probe or names[0]


def parameter_label(run):
    """The key of the config that is varied, with the unit of its values."""
    key, unit = run.varied()
    return (key or "parameter") + (f" ({unit})" if unit else "")


def pieces(stable):
    """[(from, to, stable)]: points of equal stability, each piece with the first point of the next."""
    edges = [0, *(np.flatnonzero(np.diff(stable)) + 1), len(stable)]
    return [(a, min(b + 1, len(stable)), bool(stable[a])) for a, b in zip(edges, edges[1:])]


def draw_branch(run, probe=None, study=None, width=TWO_COLUMNS):
    """Largest and least value over the parameter; with the directory of a study, the samples of its bifurcation diagram behind."""
    table, values, probe = branch_tables(run, probe)
    if len(table["parameter"]) < 2:
        raise ResultsError(f"{run.directory}: one orbit, no branch; `percuss orbit CONFIG --over KEY=FROM:TO` follows it (`run.plot.motion()` draws the orbit)")
    figure, axis = plt.subplots(figsize=(width, 4.0))
    unit = values.units[f"{probe}.max"]
    if study:
        with (study / "bifurcation.csv").open(newline="", encoding="utf-8") as file:
            samples = list(csv.reader(file))[1:]
        axis.plot([float(row[0]) for row in samples], [float(row[-1]) for row in samples], ",", color="0.6", label="simulated samples")
    parameter, stable, branch = table["parameter"], table["stable"] == 1, table["branch"]
    told = set()  # labels that the legend has
    for number, name in enumerate(dict.fromkeys(branch)):
        here = np.flatnonzero(branch == name)
        for what in ("max", "min"):
            for a, b, firm in pieces(stable[here]):
                at = here[a:b]
                label = f"branch {name:g}, {'stable' if firm else 'unstable'}"
                axis.plot(parameter[at], values[f"{probe}.{what}"][at], "-" if firm else "--", color=f"C{number}", label=None if label in told else label)
                told.add(label)
    for k, mark in enumerate(table["mark"]):
        kind = mark.split("_")[0]
        if kind in MARKS:
            axis.plot(parameter[k], values[f"{probe}.max"][k], MARKS[kind], color="black", markersize=5, label=None if kind in told else kind)
            told.add(kind)
    axis.set(xlabel=parameter_label(run), ylabel=f"{probe}: largest and least" + (f" ({unit})" if unit else ""), title=literal(run.info["title"] or run.name))
    legend_below(figure, axis, ncol=4)
    return figure


def draw_motion(run, width=TWO_COLUMNS):
    """The last orbit over its period: position of the first probe over time, and its velocity over its position where that is known."""
    orbit = run.analysis("orbit.csv")
    names = [column.removesuffix(".value") for column in orbit if column.endswith(".value")]
    if not names:
        raise ResultsError("no probe was recorded: name some in output.history.probes")
    first, (clock, time_label) = names[0], time_axis(np.ptp(orbit["time"]))
    rate = re.sub(r"\.u([xyz])$", r".v\1", first)
    figure, axes = plt.subplots(1, 2 if rate != first and rate in names else 1, figsize=(width, 3.0), squeeze=False)
    (size, unit), (rate_size, rate_unit) = (larger(np.abs(orbit[f"{name}.value"]).max(), orbit.units[f"{name}.value"]) if name in names else (1, "") for name in (first, rate))
    label = lambda name, unit: f"{name} ({unit})" if unit else name
    axes[0][0].plot(clock * (orbit["time"] - orbit["time"][0]), size * orbit[f"{first}.value"])
    axes[0][0].set(xlabel=time_label, ylabel=label(first, unit))
    if len(axes[0]) > 1:
        axes[0][1].plot(size * orbit[f"{first}.value"], rate_size * orbit[f"{rate}.value"])
        axes[0][1].set(xlabel=label(first, unit), ylabel=label(rate, rate_unit))
    letter(axes[0], ("motion", "phase plane"))
    return figure
