"""Campbell diagram of a rotor: frequencies and damping of its modes over the speed of rotation, with critical speeds.

    percuss modes CONFIG --campbell "0 rpm:6000 rpm:61"
    python3 postprocess/campbell.py out/NAME_modes [--out FIGURES]

Draws campbell.png, by default into RUNDIR/figures, and prints the critical speeds.
"""

import argparse
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.campbell_figures import HERTZ, RPM, draw_campbell
from percuss.results import ResultsError, Run
from percuss.style import save, style


def print_events(events):
    """One line for each critical speed and onset of instability."""
    for speed, event, frequency, whirl in zip(events["speed"], events["event"], events["frequency"], events["whirl"]):
        what = "critical" if event == "critical" else "unstable above"
        print(f"  {what:15s} {speed * RPM:10.2f} rpm  {speed:10.4f} rad/s  {frequency * HERTZ:9.4f} Hz  {whirl}")


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Campbell diagram: frequencies and damping over speed, critical speeds.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss modes CONFIG --campbell FROM:TO:N`")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        run = Run(arguments.rundir)
        table, events = run.analysis("campbell.csv"), run.analysis("critical_speeds.csv")
        style()
        print(save(draw_campbell(table, events), arguments.out or arguments.rundir / "figures", "campbell"))
        print_events(events)
    except (ResultsError, OSError) as error:
        print(f"campbell.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
