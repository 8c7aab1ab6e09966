"""Figures and a table of a bar that hits a rigid wall, compared with d'Alembert's solution.

    python3 postprocess/bar.py out/elastic_bar [--out FIGURES]

Draws reaction.png (contact force, impulse, velocities, gap), energy.png and wave.png (x-t diagram of the axial stress), by default into
RUNDIR/figures, and prints a comparison with theory. For runs with more bars or other contacts it draws the same figures without theory.
"""

import argparse
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.bar_figures import draw_energy, draw_reaction, draw_wave
from percuss.bar_impact import NoTheory, impact_of, read_bar_frames
from percuss.bar_table import heading, table
from percuss.style import save, style
from percuss.results import ResultsError, Run


def print_table(run, impact, frames):
    """Computed and exact values, each with the reason of the difference."""
    print(f"{heading(run, impact)}\n")
    print_row("", "computed", "exact", "difference")
    for title, rows in table(run, impact, frames):
        print(title)
        for row in rows:
            if isinstance(row, str):
                print(f"  {row}")
                continue
            print_row(f"{row.name}, {row.unit}" if row.unit else row.name, row.measured, row.exact, row.verdict)
            print(f"      {row.why}")


def print_row(*cells):
    """One aligned row."""
    print(f"  {cells[0]:<30}{cells[1]:>14}{cells[2]:>14}{cells[3]:>14}")


# Command ---------------------------------------------------------------------------------------------------------------------------------------


def analyse(directory, out):
    """Draws the figures, prints the table."""
    run = Run(directory)
    if not run.contact_names():
        raise ResultsError(f"{directory}: this run has no contact")
    other = next((kind for kind in run.info["model"]["body_types"].values() if kind in ("beam", "rotor", "rigid")), None)
    if other:
        raise ResultsError(f"{directory}: has a body of type {other}; this script is for bars only; view.py shows the run")
    impact = frames = None
    try:
        frames = read_bar_frames(run)
        impact = impact_of(run, frames)
    except NoTheory as reason:
        print(f"no comparison with theory: {reason}")
    style()
    figures = {"reaction": draw_reaction(run, impact, frames), "energy": draw_energy(run, impact), "wave": None}
    try:
        figures["wave"] = draw_wave(run, impact, frames)
    except ResultsError as reason:
        print(reason)
    if impact:
        print_table(run, impact, frames)
    print("\nfigures: " + ", ".join(str(save(figure, out, name)) for name, figure in figures.items() if figure))


def main():
    """Exit code 0, or 2 for wrong input."""
    parser = argparse.ArgumentParser(description="Figures and a table of a bar that hits a wall, compared with d'Alembert's solution.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss run`")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        analyse(arguments.rundir, arguments.out or arguments.rundir / "figures")
    except (ResultsError, OSError) as error:
        print(f"bar.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
