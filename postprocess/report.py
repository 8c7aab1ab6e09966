"""Report of a run of percuss: report.html in its directory, one self-contained page.

    python3 postprocess/report.py RUNDIR [--out FILE]

The report uses only the files in RUNDIR. It works for runs that are done, failed, stopped or in progress, and states what is missing.
"""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends without a traceback, also while the libraries below are imported; percuss ignores it up to this point

import argparse
import pathlib
import sys

import percuss_path  # noqa: F401
try:
    from percuss.report import write_report
except ImportError as error:
    print(f"report.py: {error.name} is missing; on Debian: apt install python3-numpy python3-matplotlib", file=sys.stderr)
    sys.exit(2)

from percuss.results import ResultsError
from percuss.style import style


def main():
    """Exit code 0, or 2 for wrong input."""
    parser = argparse.ArgumentParser(description="Report of a run of percuss: RUNDIR/report.html.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss run`")
    parser.add_argument("--out", metavar="FILE", type=pathlib.Path, help="file of the page; default RUNDIR/report.html")
    arguments = parser.parse_args()
    try:
        style()
        print(f"report: {write_report(arguments.rundir, arguments.out)}")
    except (ResultsError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
