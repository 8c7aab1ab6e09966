"""Branches of periodic orbits: the range of a probe over the parameter, stable parts solid, unstable parts dashed, with the bifurcations.

    percuss orbit CONFIG --over KEY=FROM:TO
    python3 postprocess/orbit.py out/NAME_orbit [--probe mass.center.ux] [--study out/STUDY] [--out FIGURES]

Draws branch.png, by default into RUNDIR/figures. With --study the samples of a study with `bifurcation` are laid over; its key must be the same, and its values in SI units.
"""

import argparse
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.orbit_figures import draw_branch
from percuss.results import ResultsError, Run
from percuss.style import save, style


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Branches of periodic orbits over the parameter.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss orbit CONFIG --over KEY=FROM:TO`")
    parser.add_argument("--probe", metavar="NAME", help="column of a probe, such as mass.center.ux; default: the first")
    parser.add_argument("--study", metavar="DIR", type=pathlib.Path, help="results of a study whose bifurcation.csv is laid over")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        style()
        figure = draw_branch(Run(arguments.rundir), arguments.probe, arguments.study)
        print(save(figure, arguments.out or arguments.rundir / "figures", "branch"))
    except (ResultsError, OSError) as error:
        print(f"orbit.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
