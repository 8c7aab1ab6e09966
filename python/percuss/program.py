"""Calls the program percuss: one function for each of its main commands. Its messages about a config arrive as exceptions with file, line, column and hint."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np

from percuss.model import Model, scalar
from percuss.results import PercussError, ResultsError, Run, Table, html_table, read_table, unit_of

Config = str | os.PathLike | Mapping  # a YAML file, the directory of an earlier run, or a Model
HERE = pathlib.Path(__file__).resolve()
FIRST = re.compile(r"^(?:(?P<file>[^\n]*?):(?:(?P<line>\d+):(?P<column>\d+):)? )?(?P<kind>error|warning): (?P<text>.*)$")
NOTE, EXCERPT = re.compile(r"^      = (.*)$"), re.compile(r"^ *\d+ \| ?(.*)$")


@dataclasses.dataclass(frozen=True)
class Message:
    """One error or warning of the program about its input. line and column count from 1; 0: the file as a whole."""

    kind: str  # "error" or "warning"
    file: str
    line: int
    column: int
    text: str
    source: str  # the line of the file
    hints: tuple[str, ...]

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return "".join([f"{place}{self.kind}: {self.text}", *(f"\n    {self.source}" for _ in self.source[:1]), *(f"\n    = {hint}" for hint in self.hints)])


class ConfigError(PercussError):
    """The config, or the arguments, are wrong: all errors in `messages`; file, line, column, text and hint of the first one."""

    def __init__(self, messages: Sequence[Message], said: str = "") -> None:
        self.messages = tuple(messages)
        first = next((message for message in messages if message.kind == "error"), Message("error", "", 0, 0, said.strip(), "", ()))
        self.file, self.line, self.column, self.text = first.file, first.line, first.column, first.text
        self.hint = first.hints[0] if first.hints else ""
        super().__init__("\n".join(map(str, self.messages)) or said.strip())


class RunError(PercussError):
    """A run failed after its start; its results up to then are in `run`, if there are any."""

    def __init__(self, said: str, run: Run | None = None) -> None:
        self.run = run
        super().__init__(said)


class PercussWarning(UserWarning):
    """A warning of the program, which nevertheless finishes its task."""


def parse_messages(text: str) -> list[Message]:
    """The errors and warnings in what the program printed to stderr.

    >>> parse_messages("bar.yaml:3:5: error: unknown key 'yung'\\n    3 |     yung: 1\\n      |     ^~~~\\n      = valid keys: density, young\\n")[0].hints
    ('valid keys: density, young',)
    """
    found: list[dict[str, Any]] = []
    for line in text.splitlines():
        if first := FIRST.match(line):
            found.append({**first.groupdict(default=""), "source": "", "hints": []})
        elif found and (note := NOTE.match(line)):
            found[-1]["hints"].append(note[1])
        elif found and found[-1]["hints"] and line.startswith(" " * 8):
            found[-1]["hints"][-1] += "\n" + line[8:]
        elif found and not found[-1]["source"] and (excerpt := EXCERPT.match(line)):
            found[-1]["source"] = excerpt[1]
    numbers = lambda item: {key: int(item[key] or 0) for key in ("line", "column")}
    return [Message(**{**item, **numbers(item), "hints": tuple(item["hints"])}) for item in found]


def find_program(given: str | os.PathLike | None = None) -> str:
    """The program: the argument, the variable PERCUSS, the one that was built or installed with this package, or the one on the path."""
    wanted = given or os.environ.get("PERCUSS")
    beside = (HERE.parents[2] / "build" / "release" / "percuss", HERE.parents[4] / "bin" / "percuss")
    found = shutil.which(wanted) if wanted else next((str(path) for path in beside if path.exists()), shutil.which("percuss"))
    if not found:
        raise ResultsError(f"no program {wanted or 'percuss'}; build it (`cmake --build build/release`), or give its path in the variable PERCUSS")
    return str(pathlib.Path(found).resolve())


def arguments_of(settings: Mapping[str, Any] | None) -> list[str]:
    """--set arguments.

    >>> arguments_of({"scheme.step": "0.5 us", "contacts.wall.friction": 0.3})
    ['--set', 'scheme.step=0.5 us', '--set', 'contacts.wall.friction=0.3']
    """
    return [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={scalar(value)}")]


@contextlib.contextmanager
def config_file(config: Config) -> Iterator[str]:
    """The path of a config; a Model is written into a temporary folder."""
    if not isinstance(config, Mapping):
        yield os.fspath(config)
        return
    model = config if isinstance(config, Model) else Model(config)
    with tempfile.TemporaryDirectory(prefix="percuss_") as folder:
        path = pathlib.Path(folder) / f"{model.name}.yaml"
        path.write_text(model.with_absolute_files().to_yaml(), encoding="utf-8")
        yield str(path)


def forward(stream: IO[str], kept: list[str], target: IO[str] | None) -> None:
    """Keeps what the program prints, and shows it if there is a target."""
    for line in stream:
        kept.append(line)
        if target:
            target.write(line)
            target.flush()


def call(*words: str, progress: bool = False) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of the program. Ctrl-C stops a run with a checkpoint, then raises KeyboardInterrupt."""
    child = subprocess.Popen([find_program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                             errors="replace", start_new_session=True)  # fmt: skip
    kept: tuple[list[str], list[str]] = ([], [])
    threads = [threading.Thread(target=forward, args=(stream, lines, target if progress else None))
               for stream, lines, target in ((child.stdout, kept[0], sys.stdout), (child.stderr, kept[1], sys.stderr))]  # fmt: skip
    for thread in threads:
        thread.start()
    try:
        child.wait()
    except KeyboardInterrupt:
        child.send_signal(signal.SIGINT)
        child.wait()
        raise
    finally:
        for thread in threads:
            thread.join()
        child.stdout.close()
        child.stderr.close()
    return child.returncode, "".join(kept[0]), "".join(kept[1])


def require(code: int, said: str, directory: pathlib.Path | None = None) -> None:
    """Raises ConfigError for exit code 2 (wrong input) and RunError for others than 0 (done) and 3 (stopped with a checkpoint). Warnings of the program become PercussWarnings."""
    if code == 2:
        raise ConfigError(parse_messages(said), said)
    if code not in (0, 3):
        raise RunError(said.strip() or f"percuss ended with code {code}", Run(directory) if directory and (directory / "run.json").exists() else None)
    for message in parse_messages(said):
        warnings.warn(message.text, PercussWarning, stacklevel=3)


def directory_of(config: Config, out: str | os.PathLike | None, ending: str = "") -> pathlib.Path:
    """Where results go: out, or out/NAME."""
    if out:
        return pathlib.Path(out)
    if isinstance(config, Mapping):
        return pathlib.Path("out") / ((config if isinstance(config, Model) else Model(config)).name + ending)
    return pathlib.Path("out") / (pathlib.Path(config).stem + ending)


def flags(**wanted: bool) -> list[str]:
    """Options without a value.

    >>> flags(overwrite=True, force=False)
    ['--overwrite']
    """
    return [f"--{name.replace('_', '-')}" for name, given in wanted.items() if given]


def options(**given: Any) -> list[str]:
    """Options with a value; those that are not given are left out.

    >>> options(count=3, wall_limit="8 h", speed="", switch=["flip_1", "fold_1"], times=None)
    ['--count', '3', '--wall-limit', '8 h', '--switch', 'flip_1,fold_1']
    """
    words = []
    for name, value in given.items():
        if value is not None and value != "" and value != ():
            words += [f"--{name.replace('_', '-')}", str(value) if isinstance(value, (str, int, float, os.PathLike)) else ",".join(map(str, value))]
    return words


def petsc_words(petsc: Sequence[str]) -> list[str]:
    """PETSc's own options, at the end."""
    return ["--", *petsc] if petsc else []


def run(
    config: Config,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the option's name)
    out: str | os.PathLike | None = None,
    *,
    overwrite: bool = False,
    resume: bool = False,
    force: bool = False,
    trust: bool = False,
    report: bool = False,
    progress: bool = False,
    wall_limit: str = "",
    petsc: Sequence[str] = (),
) -> Run:
    """Runs a config and returns its results. The arguments are the options of `percuss run`.

    config      a YAML file, the directory of an earlier run, or a Model
    set         keys to change: {"scheme.step": "0.5 us"}
    out         directory of the results; default out/NAME. Earlier results are replaced only with `overwrite`
    progress    show the progress and the summary that the program prints
    wall_limit  "8 h": then the run stops with a checkpoint, and `Run.status` is "stopped"; `resume` continues it
    trust       use the PETSc options and plugins of an earlier run, which can run any code

    Raises ConfigError if the input is wrong, and RunError if the run fails.

    >>> bar = run("configs/elastic_bar.yaml", set={"time.end": "0.6 ms"}, out="out/bar", overwrite=True)
    >>> bar.status, bar.contacts.units["wall.force"]
    ('done', 'N')
    >>> f"{bar.contacts['wall']['force'].max():.0f} N"
    '1389 N'
    """
    directory = directory_of(config, out)
    words = [*arguments_of(set), *options(out=directory, wall_limit=wall_limit), *flags(overwrite=overwrite, resume=resume, force=force, trust=trust, report=report, quiet=not progress)]
    with config_file(config) as path:
        code, _, said = call("run", path, *words, *petsc_words(petsc), progress=progress)
    require(code, said, directory)
    return Run(directory)


@dataclasses.dataclass(frozen=True)
class Check:
    """What `percuss check` found: the figures of its report, warnings, and the report as text."""

    figures: dict[str, Any]
    warnings: tuple[Message, ...]
    report: str

    def _repr_html_(self) -> str:
        return html_table(self.figures["title"] or self.figures["name"], [], [[key, str(value)] for key, value in self.figures.items()])


def check(
    config: Config,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    *,
    quick: bool = False,
    picture: str | os.PathLike = "",
    trust: bool = False,
    petsc: Sequence[str] = (),
) -> Check:
    """Checks a config without running it; raises ConfigError with all of its errors. `quick`: without factorizations; `picture`: draws the model into this SVG file.

    >>> found = check("configs/elastic_bar.yaml")
    >>> found.figures["dof"], found.figures["contacts"], f"{found.figures['critical_step']:.3g} s"
    (51, 1, '2.23e-06 s')
    """
    with config_file(config) as path:
        code, report, said = call("check", path, "--json", *arguments_of(set), *options(picture=picture), *flags(quick=quick, trust=trust), *petsc_words(petsc))
    if code:
        require(code, said)
    found = json.loads(report)
    return Check(found["figures"], tuple(parse_messages(said)), report)


def analyse(command: str, config: Config, words: Sequence[str], set: Mapping[str, Any] | None, out: str | os.PathLike | None, petsc: Sequence[str]) -> Run:  # noqa: A002
    """Results of an analysis."""
    directory = directory_of(config, out, f"_{command}")
    with config_file(config) as path:
        code, _, said = call(command, path, *words, *arguments_of(set), "--out", str(directory), *petsc_words(petsc))
    require(code, said, directory)
    return Run(directory)


def modes(
    config: Config,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    out: str | os.PathLike | None = None,
    *,
    count: int = 10,
    speed: str = "",
    campbell: str = "",
    matrices: bool = False,
    format: str = "",  # noqa: A002
    overwrite: bool = False,
    trust: bool = False,
    petsc: Sequence[str] = (),
) -> Run:
    """Natural frequencies, damping and mode shapes; with `campbell` ("0 rpm:6000 rpm:61") also over the speed of the rotors, with critical speeds; `matrices` writes
    stiffness, mass and damping, in the `format` of another program.

    >>> found = modes("configs/elastic_bar.yaml", count=3, out="out/bar_modes", overwrite=True)
    >>> [f"{value:.0f} Hz" for value in found.analysis("modes.csv")["frequency_hz"]]
    ['0 Hz', '2595 Hz', '5192 Hz']
    """
    words = [*options(count=count, speed=speed, campbell=campbell, format=format), *flags(matrices=matrices, overwrite=overwrite, trust=trust)]
    return analyse("modes", config, words, set, out, petsc)


def response(
    config: Config,
    speeds: str,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    out: str | os.PathLike | None = None,
    *,
    probes: Sequence[str] = (),
    overwrite: bool = False,
    trust: bool = False,
    petsc: Sequence[str] = (),
) -> Run:
    """Steady-state response of rotors to unbalance over the speed ("100 rpm:6000 rpm:60")."""
    words = [*options(speeds=speeds, probes=tuple(probes)), *flags(overwrite=overwrite, trust=trust)]
    return analyse("response", config, words, set, out, petsc)


def static(
    config: Config,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    out: str | os.PathLike | None = None,
    *,
    overwrite: bool = False,
    trust: bool = False,
    petsc: Sequence[str] = (),
) -> Run:
    """Static equilibrium: reactions, section forces, closed contacts.

    >>> found = static("configs/pump_shaft.yaml", out="out/pump_static", overwrite=True)
    >>> reactions = found.analysis("static_reactions.csv")
    >>> {name: f"{force:.1f} N" for name, force in zip(reactions["name"][:2], reactions["fz"])}
    {'drive_end': '65.6 N', 'free_end': '49.0 N'}
    """
    return analyse("static", config, flags(overwrite=overwrite, trust=trust), set, out, petsc)


def orbit(
    config: Config,
    set: Mapping[str, Any] | None = None,  # noqa: A002
    out: str | os.PathLike | None = None,
    *,
    over: str = "",
    times: int | None = None,
    settle: int | None = None,
    points: int | None = None,
    starts: int | None = None,
    switch: Sequence[str] = (),
    overwrite: bool = False,
    resume: bool = False,
    trust: bool = False,
    petsc: Sequence[str] = (),
) -> Run:
    """Periodic orbits of systems that hit and rub: multipliers, and with `over` ("loads.shaker.time.harmonic.frequency=2 rad/s:3.4 rad/s") branches with their bifurcations.
    `starts`: further initial states from which orbits are searched; `switch`: bifurcations whose other branch is followed, too; `resume` continues a branch that was stopped.

    >>> found = orbit("configs/impact_oscillator.yaml", out="out/impact_orbit", overwrite=True)
    >>> [f"{value:.6f} s" for value in found.analysis("branch.csv")["period"]]
    ['2.855993 s']
    """
    words = [*options(over=over, times=times, settle=settle, points=points, starts=starts, switch=tuple(switch)), *flags(quiet=True, overwrite=overwrite, resume=resume, trust=trust)]
    return analyse("orbit", config, words, set, out, petsc)


def column_of(cells: list[str]) -> np.ndarray:
    """Numbers if all cells are numbers or empty, else words.

    >>> column_of(["1", "", "2.5"]).tolist(), column_of(["done", "1"]).tolist()
    ([1.0, nan, 2.5], ['done', '1'])
    """
    try:
        return np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        return np.array(cells, dtype=str)


class Study:
    """Results of `percuss study`: `rows` and `table()`, a row for each run; `runs()`, the runs that are done; `plot()`, its figure."""

    def __init__(self, directory: str | os.PathLike) -> None:
        self.directory = pathlib.Path(directory)
        if not (self.directory / "study.json").exists():
            raise ResultsError(f"{directory}: not the directory of a study: it has no study.json; `percuss study STUDY.yaml` writes it")
        self.info = json.loads((self.directory / "study.json").read_text(encoding="utf-8"))

    @property
    def rows(self) -> list[dict[str, str]]:
        """study.csv: {column: text} of each run."""
        from percuss.study_figures import read_rows

        return read_rows(self.directory, "study.csv")

    def table(self, name: str = "study.csv") -> Table:
        """study.csv, convergence.csv or bifurcation.csv as columns: numbers with units (NaN where a cell is empty), or words."""
        from percuss.study_figures import read_rows

        rows = read_rows(self.directory, name)
        columns = {column: column_of([row[column] for row in rows]) for column in rows[0]} if rows else {}
        known = {item.get("key", item.get("name")): item.get("unit", "") for item in [*self.info["axes"], *self.info["record"]]}
        units = {column: None if values.dtype.kind == "U" else known.get(column, unit_of("history.csv", column) if "." in column else "s" if column == "time" else "") for column, values in columns.items()}
        return Table(columns, units, name)

    def runs(self) -> list[Run]:
        """The results of the runs that are done, in the order of the rows."""
        return [Run(self.directory / "runs" / row["run"]) for row in self.rows if row["status"] == "done"]

    def plot(self) -> Any:
        """The figure of the study: quantities over the varied keys, orders, or a bifurcation diagram."""
        from percuss.plots import finished
        from percuss.study_figures import draw_study

        return finished(draw_study, self.directory)

    def _repr_html_(self) -> str:
        rows = self.rows
        return html_table(self.info["title"] or self.info["name"], list(rows[0]) if rows else [], [list(row.values()) for row in rows[:20]])


def study(
    path: str | os.PathLike,
    out: str | os.PathLike | None = None,
    *,
    jobs: int | None = None,
    overwrite: bool = False,
    force: bool = False,
    trust: bool = False,
    progress: bool = False,
) -> Study:
    """Many runs of one config (a study file). Only missing runs are made. A run that failed is a row of the table with its reason.

    >>> found = study("configs/studies/oscillator_orders.yaml", out="out/orders", overwrite=True)
    >>> found.rows[0]["status"]
    'done'
    >>> orders = found.table("convergence.csv")
    >>> found.table()["smooth"].shape, orders.units["error"]
    ((16,), '')
    """
    directory = directory_of(path, out)
    words = [*options(jobs=jobs), *flags(overwrite=overwrite, force=force, trust=trust, quiet=not progress)]
    code, _, said = call("study", os.fspath(path), "--out", str(directory), *words, progress=progress)
    if code == 2 or not (directory / "study.json").exists():
        require(code or 1, said)
    return Study(directory)


__all__ = ["Check", "ConfigError", "Message", "RunError", "Study", "check", "modes", "orbit", "read_table", "response", "run", "static", "study"]
