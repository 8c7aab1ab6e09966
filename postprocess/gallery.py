"""The gallery of shipped configs: runs each config, draws its picture, and writes the table of key figures into the page.

    python3 postprocess/gallery.py                       every config: pictures and table of docs/gallery (two minutes)
    python3 postprocess/gallery.py --only two_bars edge  only these
    python3 postprocess/gallery.py --rows two_bars edge  prints only their rows of the table

Runs go to --out (out/gallery); a run is repeated if its config or the program is newer. Needs matplotlib and VTK (Debian: python3-vtk9, and xvfb without
a display).
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import percuss_path  # noqa: F401
from percuss.papers import is_fresh
from percuss.program import find_program
from percuss.results import ResultsError, Run
from view import ViewError, draw_unseen

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "gallery" / "README.md"
BEGIN, END = "<!-- figures of postprocess/gallery.py -->", "<!-- end of figures -->"
WIDTH, HEIGHT, DPI = 8.0, 3.0, 100  # inches
SHADES = 256  # colours of a picture, to keep files small

HEAD = ("config", "scheme", "steps", "impulsive", "penetration, m", "start, J", "end, J", "impacts, J", "friction, J", "damping, J", "external, J", "numerical")


def configs():
    """{name: path} of everything that can be run."""
    folder = ROOT / "configs"
    return {path.stem: path for path in sorted([*folder.glob("*.yaml"), *(folder / "plugin").glob("*.yaml")])}


def make_run(percuss, path, out):
    """The results of a config; runs it if they are missing or old."""
    directory = out / path.stem
    if not is_fresh(directory, path, percuss):
        done = subprocess.run([percuss, "run", str(path), "--out", str(directory), "--overwrite", "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ResultsError(f"{path.name}: percuss failed with exit code {done.returncode}: {done.stderr.strip()}")
    return Run(directory)


# Figures -----------------------------------------------------------------------------------------------------------------------------------------


def figure_of(value):
    """Four digits; "0" for zero."""
    return f"{value:.4g}" if value else "0"


def row_of(run):
    """Cells of a row, from run.json."""
    summary, joule = run.info["summary"], run.info["summary"]["energy"]
    turned_over = max(abs(joule[word]) for word in ("initial", "kinetic", "elastic", "potential", "load", "impact", "friction"))
    share = summary["energy_numerical_max"] / turned_over if turned_over else 0
    return (
        f"`{run.name}`",
        f"`{run.info['scheme']}`",
        str(summary["steps"]),
        str(summary["impulsive_steps"]),
        f"{summary['max_penetration']:.1e}" if summary["max_penetration"] > 1e-14 else "0",
        figure_of(joule["initial"]),
        figure_of(joule["kinetic"] + joule["elastic"] + joule["potential"]),
        *(figure_of(joule[word]) if abs(joule[word]) > 1e-9 * turned_over else "0" for word in ("impact", "friction", "damping", "load")),
        f"{share:.0e}" if share > 1e-11 else "rounding",
    )


def written(cells):
    """A row of Markdown."""
    return "| " + " | ".join(cells) + " |"


def put_rows(rows):
    """Writes rows into the page: replaces those of the same configs, keeps the others."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(f"{re.escape(BEGIN)}\n(.*?){re.escape(END)}", text, re.DOTALL)
    if not found:
        raise ResultsError(f"{PAGE}: the marks of the table are missing: '{BEGIN}' and '{END}'")
    table = {line.split("|")[1].strip(): line for line in found.group(1).splitlines() if line.startswith("| `")}
    table |= {row[0]: written(row) for row in rows}
    there = {f"`{name}`" for name in configs()}
    lines = [written(HEAD), "|" + "---|" * len(HEAD), *(table[name] for name in sorted(table) if name in there)]
    PAGE.write_text(text[: found.start(1)] + "\n".join(lines) + "\n" + text[found.end(1) :], encoding="utf-8")


# Pictures ----------------------------------------------------------------------------------------------------------------------------------------


def draw(run, path):
    """The picture of a run: two panels side by side, with a reduced palette."""
    import matplotlib.pyplot as plt
    from gallery_panels import PICTURES
    from PIL import Image

    if run.name not in PICTURES:
        raise ResultsError(f"{run.name}: gallery_panels.py has no panels for this config")
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, HEIGHT))
    for axis, panel in zip(axes, PICTURES[run.name]):
        panel(axis, run)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(SHADES, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
    few.save(path, optimize=True)


def draw_all(runs):
    """Draws the pictures of runs into the folder of the page."""
    from percuss.style import style

    style()
    folder = PAGE.parent / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        draw(run, folder / f"{run.name}.png")


# Command -----------------------------------------------------------------------------------------------------------------------------------------


def chosen(names):
    """Paths of the named configs; all without names."""
    known = configs()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ResultsError(f"there is no config '{unknown[0]}'; the configs are {', '.join(known)}")
    return [known[name] for name in names] if names else list(known.values())


def make(arguments):
    """Makes runs, pictures and table. Returns the exit code."""
    paths = chosen(arguments.rows or arguments.only)
    if not arguments.rows and not os.environ.get("DISPLAY"):
        return draw_unseen()  # runs this program again on a virtual display
    percuss = find_program(arguments.percuss)
    runs = [make_run(percuss, path, arguments.out) for path in paths]
    rows = [row_of(run) for run in runs]
    if arguments.rows:
        print("\n".join(map(written, rows)))
        return 0
    draw_all(runs)
    put_rows(rows)
    print(f"{len(runs)} pictures in {PAGE.parent / 'pictures'}, {len(rows)} rows in {PAGE}")
    return 0


def main():
    """Exit code 0, or 2 for a missing part or a failed run."""
    parser = argparse.ArgumentParser(description="The gallery of shipped configs: pictures and figures.")
    parser.add_argument("--only", metavar="NAME", nargs="+", default=[], help="only these configs")
    parser.add_argument("--rows", metavar="NAME", nargs="+", default=[], help="print the rows of these configs, without changes to files")
    parser.add_argument("--percuss", metavar="BIN", help="the program; default: PERCUSS, the build in this repository, or the one on the path")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, default=pathlib.Path("out/gallery"), help="directory of the runs; default %(default)s")
    try:
        return make(parser.parse_args())
    except (ResultsError, ViewError, OSError) as error:
        print(f"gallery.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
