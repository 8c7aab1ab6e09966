"""Stability map (API 617, Level I): logarithmic decrement of forward modes over a cross-coupled stiffness at one point of the shaft.

    python3 postprocess/stability_map.py CONFIG --at shaft@0.5 --to 5e6 [--steps 21] [--speed "9000 rpm"] [--out FIGURES]

Draws stability_map.png and prints the decrement without cross coupling and Q0, at which it vanishes. Needs PyYAML.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
import percuss_path  # noqa: F401
from percuss.model import Model
from percuss.results import PercussError
from percuss.rotor_maps import draw_stability_map, onset, stability_map
from percuss.style import save, style


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Logarithmic decrement over cross-coupled stiffness.")
    parser.add_argument("config", metavar="CONFIG", type=pathlib.Path)
    parser.add_argument("--at", metavar="POINT", required=True, help="point of the shaft, such as shaft@0.5")
    parser.add_argument("--to", metavar="Q", type=float, required=True, help="largest cross-coupled stiffness, N/m")
    parser.add_argument("--steps", metavar="N", type=int, default=21, help="number of values from 0; default %(default)s")
    parser.add_argument("--speed", metavar="SPEED", default="", help='speed of the rotors, such as "9000 rpm"; default: that of the config at t = 0')
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, default=pathlib.Path("out/figures"), help="directory of the figure; default %(default)s")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows = stability_map(Model.load(arguments.config), arguments.at, np.linspace(0, arguments.to, arguments.steps), pathlib.Path(folder), arguments.speed)
        style()
        print(save(draw_stability_map(rows), arguments.out, "stability_map"))
    except (PercussError, OSError, ValueError) as error:
        print(f"stability_map.py: {error}", file=sys.stderr)
        return 2
    print(f"  without cross coupling: logarithmic decrement {rows[0][1]:.4f} of the first forward mode, {rows[0][2]:.4f} of the least damped one")
    print(f"  Q0 = {onset(rows):.5g} N/m" if np.isfinite(onset(rows)) else f"  stable up to {rows[-1][0]:.4g} N/m" if rows[-1][2] > 0 else "  unstable without cross coupling")
    return 0


if __name__ == "__main__":
    sys.exit(main())
