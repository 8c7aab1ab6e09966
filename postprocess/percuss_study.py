"""Studies: many runs of percuss, and figures of their results. A study script has a table of runs and a table of figures; this module has the rest.

    sys.exit(main(STUDY))

Configs go to OUT/configs, results to OUT/runs, figures to OUT. A run is started only if a figure needs it, and only if
its results are missing or older than its config or the program.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable

import percuss_path  # noqa: F401
from percuss.program import find_program
from percuss.style import save, style
from percuss.results import ResultsError, Run

ROOT = pathlib.Path(__file__).resolve().parent.parent


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
    """A script's name, title, runs and figures; `print_tables` is optional and prints more after them."""

    name: str
    title: str
    configs: dict  # {name of a run: config}, of mappings, lists, numbers and words
    figures: tuple
    papers: str
    print_tables: Callable | None = None  # {name: Run} -> None
    table_runs: tuple = ()


def run_with(percuss, config, directory, settings):
    """One run of a config in configs/ with --set arguments, {key: value}."""
    command = [percuss, "run", str(ROOT / "configs" / config), "--quiet", "--overwrite", "--out", str(directory)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ResultsError(f"{directory.name}: percuss failed with exit code {done.returncode}: {done.stderr.strip()}")
    return Run(directory)


def config_text(config):
    """A config as YAML, one key a line; the values are JSON, which is valid YAML."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in config.items())


def is_fresh(directory, *sources):
    """Whether a directory has a finished run that is newer than its sources."""
    try:
        done = json.loads((directory / "run.json").read_text(encoding="utf-8"))["exit_status"] == "done"
        return done and all((directory / "run.json").stat().st_mtime >= pathlib.Path(source).stat().st_mtime for source in sources)
    except (OSError, ValueError, KeyError):
        return False


def make_run(percuss, out, name, config):
    """One run: writes its config if it is missing, and runs percuss if the results are missing or old."""
    path, directory = out / "configs" / f"{name}.yaml", out / "runs" / name
    text = config_text(config)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if not is_fresh(directory, path, percuss):
        command = [percuss, "run", str(path), "--quiet", "--overwrite", "--out", str(directory)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ResultsError(f"{path}: percuss failed with exit code {done.returncode}: {done.stderr.strip()}")
    return Run(directory)


def make_runs(percuss, out, configs):
    """All runs, in parallel on all cores: {name: Run}."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {name: pool.submit(make_run, percuss, out, name, config) for name, config in configs.items()}
        return {name: future.result() for name, future in futures.items()}


def chosen(study, only):
    """The figures named by --only; all figures without it."""
    known = {figure.key: figure for figure in study.figures}
    unknown = [key for key in only if key not in known]
    if unknown:
        raise ResultsError(f"--only {unknown[0]}: no such figure; the figures are {', '.join(known)}")
    return [known[key] for key in only] if only else list(study.figures)


def carry_out(study, arguments):
    """Runs, figures, tables."""
    figures = chosen(study, arguments.only)
    names = {name for figure in figures for name in figure.runs} | set(() if arguments.only else study.table_runs)
    configs = {name: config for name, config in study.configs.items() if name in names}
    runs = make_runs(find_program(arguments.percuss), arguments.out, configs)
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


def main(study):
    """Exit code 0, or 2 for wrong input or a failed run."""
    parser = argparse.ArgumentParser(description=study.title)
    keys = ", ".join(figure.key for figure in study.figures)
    parser.add_argument("--only", metavar="FIGURE", nargs="+", default=[], help=f"only these figures, of {keys}")
    parser.add_argument("--percuss", metavar="BIN", help="the program; default: PERCUSS, the build in this repository, or the one on the path")
    default = pathlib.Path("out") / f"{study.name}_study"
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, default=default, help="directory of runs and figures; default %(default)s")
    try:
        carry_out(study, parser.parse_args())
    except (ResultsError, OSError) as error:
        print(f"{study.name}.py: {error}", file=sys.stderr)
        return 2
    return 0
