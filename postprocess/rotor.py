"""Figures and a table of a rotor: orbits, whirl, spectra and rubs.

    python3 postprocess/rotor.py RUNDIR [--out FIGURES]

Needs `output: {orbits: {stations: ...}}` in the config. Draws orbit.png (orbits with clearance and Poincare points), whirl.png (spin, whirl rate and
radius over time), spectrum.png (full spectrum: forward and backward whirl separately), waterfall.png (the spectrum over the speed, if the spin changes),
bode.png (Bode and polar diagram of the component that turns with the shaft, and the shaft centreline, of runs of 16 revolutions or more),
rub.png (forces, slip velocities and impulses of each contact that closes) and energy.png (energy balance), by default into RUNDIR/figures.
"""

import argparse
import contextlib
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.style import save, style
from percuss.results import ResultsError, Run
from percuss.rotor_figures import draw_bode, draw_orbits, draw_rubs, draw_spectrum, draw_waterfall, draw_whirl
from percuss.rotor_orbit import can_be_tracked, is_run_up, rubs_of, stations
from percuss.rotor_table import drive_rows, rub_rows, run_rows, station_rows
from percuss.run_figures import draw_energy


def print_table(run, orbits, rubs):
    """Key figures of the run."""
    print(f"{run.info['title'] or run.name}: {run.info['scheme']}, step {1e6 * run.step:.4g} us, {orbits[0].time[-1]:.6g} s\n")
    for station in orbits:
        print_rows(f"Station {station.name}", station_rows(run, station))
    for rub in rubs:
        print_rows(f"Contact {rub.name}", rub_rows(run, rub))
    if rows := run_rows(run) + (drive_rows(run, orbits[0]) if orbits else []):
        print_rows("Run", rows)
    print()


def print_rows(title, rows):
    """Rows with a title."""
    print(title)
    for name, value, unit, note in rows:
        print(f"  {name:<34}{value:>14} {unit:<7}{note}")


# Command -----------------------------------------------------------------------------------------------------------------------------------------


def analyse(directory, out):
    """Draws the figures, prints the table."""
    run = Run(directory)
    orbits = stations(run)
    rubs = rubs_of(run)
    style()
    print_table(run, orbits, rubs)
    figures = {"orbit": draw_orbits(run, orbits), "whirl": draw_whirl(run, orbits)}
    with contextlib.suppress(ResultsError):  # of a rotor at rest
        figures["spectrum"] = draw_spectrum(orbits)
    if any(is_run_up(station) for station in orbits):
        figures["waterfall"] = draw_waterfall(orbits)
    followed = [station for station in orbits if can_be_tracked(station)]
    if followed:
        figures["bode"] = draw_bode(followed)
    if rubs:
        figures["rub"] = draw_rubs(rubs)
    if (run.directory / "energy.csv").exists():
        figures["energy"] = draw_energy(run)
    print("figures: " + ", ".join(str(save(figure, out, name)) for name, figure in figures.items()))


def main():
    """Exit code 0, or 2 for wrong input."""
    parser = argparse.ArgumentParser(description="Figures and a table of a rotor: orbits, whirl, spectra and rubs.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss run`")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        analyse(arguments.rundir, arguments.out or arguments.rundir / "figures")
    except (ResultsError, OSError) as error:
        print(f"rotor.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
