"""Branches of periodic orbits: the range of a probe over the parameter, stable parts solid, unstable parts dashed, with the bifurcations.

    percuss orbit CONFIG --over KEY=FROM:TO
    python3 postprocess/orbit.py out/NAME_orbit [--probe mass.center.ux] [--study out/STUDY] [--out FIGURES]

Draws branch.png, by default into RUNDIR/figures. With --study the samples of a study with `bifurcation` are laid over; its key must be the same, and its values in SI units.
"""

import argparse
import csv
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np

import percuss_path  # noqa: F401
from percuss.results import ResultsError, Run
from percuss.style import TWO_COLUMNS, legend_below, save, style

MARKS = {"fold": "o", "flip": "s", "torus": "D", "branch": "P", "grazing": "X", "sliding": "v"}


def rows_of(path):
    """Rows of a table with words."""
    if not path.exists():
        raise ResultsError(f"{path.parent}: no {path.name}; `percuss orbit CONFIG --over KEY=FROM:TO` writes it")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def probe_of(table, name):
    """The probe to draw: the one asked for, else the first."""
    names = [column.removesuffix(".max") for column in table if column.endswith(".max")]
    if name and name not in names:
        raise ResultsError(f"no probe '{name}'; the probes are {', '.join(names)}")
    if not names:
        raise ResultsError("no probe was recorded: name some in output.history.probes")
    return name or names[0]


def pieces(stable):
    """[(from, to, stable)]: points of equal stability, each piece with the first point of the next."""
    edges = [0, *(np.flatnonzero(np.diff(stable)) + 1), len(stable)]
    return [(a, min(b + 1, len(stable)), bool(stable[a])) for a, b in zip(edges, edges[1:])]


def draw(rundir, rows, values, probe, study):
    """Largest and least value over the parameter."""
    figure, axis = plt.subplots(figsize=(TWO_COLUMNS, 4.0))
    if study:
        with (study / "bifurcation.csv").open(newline="", encoding="utf-8") as file:
            samples = list(csv.reader(file))[1:]
        axis.plot([float(row[0]) for row in samples], [float(row[-1]) for row in samples], ",", color="0.6", label="simulated samples")
    parameter = np.array([float(row["parameter"]) for row in rows])
    stable = np.array([row["stable"] == "1" for row in rows])
    branch = np.array([row["branch"] for row in rows])
    told = set()  # labels that the legend has
    for number, name in enumerate(dict.fromkeys(branch)):
        here = np.flatnonzero(branch == name)
        for what in ("max", "min"):
            for a, b, firm in pieces(stable[here]):
                at = here[a:b]
                label = f"branch {name}, {'stable' if firm else 'unstable'}"
                axis.plot(parameter[at], values[f"{probe}.{what}"][at], "-" if firm else "--", color=f"C{number}", label=None if label in told else label)
                told.add(label)
    for k, row in enumerate(rows):
        kind = row["mark"].split("_")[0]
        if kind in MARKS:
            axis.plot(parameter[k], values[f"{probe}.max"][k], MARKS[kind], color="black", markersize=5, label=None if kind in told else kind)
            told.add(kind)
    axis.set_xlabel("parameter")
    axis.set_ylabel(f"{probe}: largest and least value")
    axis.set_title(rundir.name)
    legend_below(figure, axis, ncol=4)
    return figure


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Branches of periodic orbits over the parameter.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss orbit CONFIG --over KEY=FROM:TO`")
    parser.add_argument("--probe", metavar="NAME", help="column of a probe, such as mass.center.ux; default: the first")
    parser.add_argument("--study", metavar="DIR", type=pathlib.Path, help="results of a study whose bifurcation.csv is laid over")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        rows = rows_of(arguments.rundir / "branch.csv")
        values = Run(arguments.rundir).analysis("branch_probes.csv")
        style()
        figure = draw(arguments.rundir, rows, values, probe_of(values, arguments.probe), arguments.study)
        print(save(figure, arguments.out or arguments.rundir / "figures", "branch"))
    except (ResultsError, OSError) as error:
        print(f"orbit.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
