"""Bode diagram of the response to unbalance: amplitude and phase of probes over the speed of rotation.

    percuss response CONFIG --speeds "0 rpm:6000 rpm:601"
    python3 postprocess/response.py out/NAME_response [--probes shaft.left,shaft.right] [--linear] [--operating 3000:3600] [--out FIGURES]

Draws response.png, by default into RUNDIR/figures: amplitudes of the displacements, and below them the unwrapped phase relative to the mark on the shaft. Prints the peaks with their amplification
factors Nc/(N2 - N1) and, with --operating, the separation margins that API 617 requires.
"""

import argparse
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.response_figures import draw_response, response_columns
from percuss.campbell_figures import RPM
from percuss.results import ResultsError, Run
from percuss.rotor_maps import margins, peaks
from percuss.style import save, style


def print_peaks(found, operating):
    """A line for each peak."""
    rows = margins(found, *operating) if operating else [{"peak": peak} for peak in found]
    for row in rows:
        peak = row["peak"]
        said = f"  {peak.probe:20s} {peak.speed * RPM:9.1f} rpm  {peak.amplitude:.4g} m  amplification factor {peak.amplification:.4g}"
        if not peak.is_resolved:
            said += ": too few speeds within the peak, take more near it"
        elif not peak.is_critical:
            said += ", critically damped"
        elif operating:
            said += f", margin {100 * row['margin']:.1f} %, required {100 * row['required']:.1f} %: {'enough' if row['enough'] else 'NOT ENOUGH'}"
        print(said)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Amplitude and phase of the response to unbalance over speed.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss response CONFIG --speeds FROM:TO:N`")
    parser.add_argument("--probes", metavar="NAMES", help="probes to draw, separated by commas; default: all")
    parser.add_argument("--linear", action="store_true", help="amplitudes on a linear axis")
    parser.add_argument("--operating", metavar="LOW:HIGH", help="range of operating speeds, rpm: prints separation margins")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="directory of the figures; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        table = Run(arguments.rundir).analysis("response.csv")
        names = response_columns(table, arguments.probes.split(",") if arguments.probes else None)
        operating = [float(value) / RPM for value in arguments.operating.split(":")] if arguments.operating else None
        if operating and (len(operating) != 2 or not 0 < operating[0] <= operating[1]):
            raise ResultsError("--operating needs two speeds in rpm, such as 3000:3600")
        style()
        print(save(draw_response(table, names, arguments.linear), arguments.out or arguments.rundir / "figures", "response"))
        print_peaks(peaks(table, arguments.probes.split(",") if arguments.probes else ()), operating)
    except (ResultsError, OSError, ValueError) as error:
        print(f"response.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
