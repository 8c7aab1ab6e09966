"""Figure of a study: recorded quantities over the varied keys.

    python3 postprocess/study.py out/NAME [--png FILE]

Draws out/NAME/study.png from the tables there: samples over the parameter (bifurcation.csv) and, with two columns, Poincare sections; or errors over the
refined key with their orders (convergence.csv); or each recorded quantity over the axis with the most values, one line for each combination of the others.
"""

import argparse
import io
import pathlib
import sys

import percuss_path  # noqa: F401
from percuss.results import ResultsError, write_result
from percuss.study_figures import draw_study
from percuss.style import style


def draw(directory, png):
    """Writes the figure of one study."""
    style()
    picture = io.BytesIO()
    draw_study(directory).savefig(picture, format=png.suffix[1:] or "png")
    write_result(png, picture.getvalue())
    print(png)


def main():
    """Exit code 0, or 2 if the directory has no study."""
    parser = argparse.ArgumentParser(description="Figure of a study.")
    parser.add_argument("directory", type=pathlib.Path, help="results of `percuss study`")
    parser.add_argument("--png", metavar="FILE", type=pathlib.Path, help="default: study.png in this directory")
    arguments = parser.parse_args()
    try:
        draw(arguments.directory, arguments.png or arguments.directory / "study.png")
    except (ResultsError, OSError) as error:
        print(f"study.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
