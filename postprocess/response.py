"""Bode diagram of the response to unbalance: amplitude and phase of probes over the speed of rotation.

    percuss response CONFIG --speeds "0 rpm:6000 rpm:601"
    python3 postprocess/response.py out/NAME_response [--probes shaft.left,shaft.right] [--linear] [--out FIGURES]

Draws response.png, by default into RUNDIR/figures: amplitudes of the displacements, and below them the unwrapped phase relative to the mark on the shaft.
"""

import argparse
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.response_figures import draw_response, response_columns
from percuss.results import ResultsError, Run
from percuss.style import save, style


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Amplitude and phase of the response to unbalance over speed.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss response CONFIG --speeds FROM:TO:N`")
    parser.add_argument("--probes", metavar="NAMES", help="probes to draw, separated by commas; default: all")
    parser.add_argument("--linear", action="store_true", help="amplitudes on a linear axis")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        table = Run(arguments.rundir).analysis("response.csv")
        names = response_columns(table, arguments.probes.split(",") if arguments.probes else None)
        style()
        print(save(draw_response(table, names, arguments.linear), arguments.out or arguments.rundir / "figures", "response"))
    except (ResultsError, OSError) as error:
        print(f"response.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
