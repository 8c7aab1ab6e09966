"""Map of undamped critical speeds over the bearing stiffness: all bearings are replaced by springs of the same stiffness, which is varied.

    python3 postprocess/critical_map.py CONFIG --stiffness 1e6:1e9:13 --to 12000 [--bearings left,right] [--actual 2e7,5e7] [--out FIGURES]

Draws critical_map.png and prints the critical speeds. Stiffnesses in N/m, evenly spaced on a logarithmic axis; --to: highest speed in rpm. Needs PyYAML.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
import percuss_path  # noqa: F401
from percuss.campbell_figures import RPM
from percuss.model import Model
from percuss.results import PercussError
from percuss.rotor_maps import critical_map, draw_critical_map
from percuss.style import save, style


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Undamped critical speeds over the stiffness of the bearings.")
    parser.add_argument("config", metavar="CONFIG", type=pathlib.Path)
    parser.add_argument("--stiffness", metavar="FROM:TO:N", default="1e6:1e9:13", help="stiffness of each bearing, N/m; default %(default)s")
    parser.add_argument("--to", metavar="RPM", type=float, required=True, help="highest speed, rpm")
    parser.add_argument("--bearings", metavar="NAMES", help="bearings that the springs replace, separated by commas; default: all")
    parser.add_argument("--actual", metavar="VALUES", help="stiffnesses of the machine to mark, N/m, separated by commas")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, default=pathlib.Path("out/figures"), help="directory of the figure; default %(default)s")
    arguments = parser.parse_args()
    try:
        low, high, count = arguments.stiffness.split(":")
        stiffness = np.geomspace(float(low), float(high), int(count))
        with tempfile.TemporaryDirectory() as folder:
            rows = critical_map(Model.load(arguments.config), stiffness, arguments.to / RPM, pathlib.Path(folder), arguments.bearings.split(",") if arguments.bearings else ())
        style()
        print(save(draw_critical_map(rows, [float(value) for value in arguments.actual.split(",")] if arguments.actual else ()), arguments.out, "critical_map"))
    except (PercussError, OSError, ValueError) as error:
        print(f"critical_map.py: {error}", file=sys.stderr)
        return 2
    for k, speed, kappa in rows:
        print(f"  {k:12.4g} N/m  {speed * RPM:10.2f} rpm  {'forward' if kappa > 0.01 else 'backward' if kappa < -0.01 else 'planar'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
