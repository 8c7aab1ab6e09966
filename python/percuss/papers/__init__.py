"""Published studies recomputed, and comparisons of the schemes: many runs each, their figures and tables.

    from percuss import papers

    papers.draw("ball_in_box", only=["a18"], out="out/ball_in_box_study")["a18"].savefig("gaps.png")

A module here has a table of runs and a table of figures (STUDY), or prints tables of its own; each has `main`, the command line that its script in postprocess calls.
Configs go to OUT/configs, results to OUT/runs, figures to OUT. A run is started only if a figure needs it, and only if its results are missing or older than its
config or the program.
"""

import argparse
import concurrent.futures
import dataclasses
import importlib
import json
import os
import pathlib
import sys
import warnings
from collections.abc import Callable

from percuss import program
from percuss.bar_impact import NoTheory
from percuss.model import Model
from percuss.results import PercussError, ResultsError, Run
from percuss.style import save, style

CONFIGS = pathlib.Path(__file__).resolve().parents[3] / "configs"  # of the repository, or of the installation


@dataclasses.dataclass(frozen=True)
class Figure:
    """One figure of a study."""

    key: str  # argument of --only
    name: str  # part of the file name after the key
    shows: str
    runs: tuple  # names of runs
    draw: Callable  # {name: Run} -> figure
    print_table: Callable | None = None  # {name: Run} -> None: prints its numbers


@dataclasses.dataclass(frozen=True)
class Study:
    """A study's name, title, runs and figures; `print_tables` is optional and prints more after them."""

    name: str
    title: str
    configs: dict  # {name of a run: config}, of mappings, lists, numbers and words
    figures: tuple
    papers: str
    print_tables: Callable | None = None  # {name: Run} -> None
    table_runs: tuple = ()


def is_fresh(directory, *sources):
    """Whether a directory has a finished run that is newer than its sources."""
    try:
        done = json.loads((directory / "run.json").read_text(encoding="utf-8"))["exit_status"] == "done"
        return done and all((directory / "run.json").stat().st_mtime >= pathlib.Path(source).stat().st_mtime for source in sources)
    except (OSError, ValueError, KeyError):
        return False


def run_with(config, directory, settings, **options):
    """One run of a shipped config with other keys."""
    return program.run(CONFIGS / config, settings, directory, overwrite=True, **options)


def make_run(out, name, config):
    """One run: writes its config if it is missing, and runs percuss if the results are missing or old."""
    path, directory = out / "configs" / f"{name}.yaml", out / "runs" / name
    text = Model(config).to_yaml()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Run(directory) if is_fresh(directory, path, program.find_program()) else program.run(path, out=directory, overwrite=True)


def in_parallel(make, jobs):
    """{key: make(*arguments)} of {key: arguments}, on all cores; the first are started first."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {key: pool.submit(make, *arguments) for key, arguments in jobs.items()}
        return {key: future.result() for key, future in futures.items()}


def chosen(study, only):
    """The figures named by --only; all figures without it."""
    known = {figure.key: figure for figure in study.figures}
    unknown = [key for key in only if key not in known]
    if unknown:
        raise ResultsError(f"--only {unknown[0]}: no such figure; the figures are {', '.join(known)}")
    return [known[key] for key in only] if only else list(study.figures)


def runs_of(study, only, out):
    """The runs that these figures need, all if none is named: {name: Run}."""
    names = {name for figure in chosen(study, only) for name in figure.runs} | set(() if only else study.table_runs)
    return in_parallel(make_run, {name: (out, name, config) for name, config in study.configs.items() if name in names})


def draw(name, only=(), out=None):
    """{key: matplotlib Figure} of a study: "ball_in_box", "dae", "projection", "slider_crank" or "spring_pendulum"."""
    from percuss.plots import finished

    study = importlib.import_module(f"percuss.papers.{name}").STUDY
    runs = runs_of(study, only, pathlib.Path(out or f"out/{name}_study"))
    return {figure.key: finished(figure.draw, {name: runs[name] for name in figure.runs}) for figure in chosen(study, only)}


def carry_out(study, arguments):
    """Runs, figures, tables."""
    figures, runs = chosen(study, arguments.only), runs_of(study, arguments.only, arguments.out)
    style()
    rows = []
    for figure in figures:
        drawn = figure.draw({name: runs[name] for name in figure.runs})
        rows.append((figure.key, figure.shows, str(save(drawn, arguments.out, f"{figure.key}_{figure.name}"))))
    print(f"{study.title}\n{study.papers}\n")
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  " + "  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip())
    for figure in figures:
        if figure.print_table:
            print()
            figure.print_table({name: runs[name] for name in figure.runs})
    if study.print_tables and not arguments.only:
        print()
        study.print_tables(runs)


def command(name, about, work, out=None, **more):
    """The command line of a study: `work` takes the arguments. Exit code 0, or 2 for wrong input or a failed run."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--percuss", metavar="BIN", help="the program; default: PERCUSS, the build in this repository, or the one on the path")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, default=pathlib.Path(out or f"out/{name}"), help="directory of runs and figures; default %(default)s")
    for option, options in more.items():
        parser.add_argument(f"--{option}", **options)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", program.PercussWarning)  # schemes that penetrate and drift are compared on purpose
    try:
        if arguments.percuss:
            os.environ["PERCUSS"] = program.find_program(arguments.percuss)
        work(arguments)
    except (PercussError, NoTheory, OSError) as error:
        print(f"{name}.py: {error}", file=sys.stderr)
        return 2
    return 0


def main(study):
    """The command line of a study with a table of figures."""
    only = {"metavar": "FIGURE", "nargs": "+", "default": [], "help": f"only these figures, of {', '.join(figure.key for figure in study.figures)}"}
    return command(study.name, study.title, lambda arguments: carry_out(study, arguments), f"out/{study.name}_study", only=only)
