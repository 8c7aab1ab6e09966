"""Reads the directory that `percuss run` leaves: run.json, the CSV tables and the VTK frames, with numpy alone.

    run = Run("out/elastic_bar")
    run.info["step"]                      what run.json says
    run.contacts["wall.force"]            a column of contacts.csv
    run.contacts["wall"].units["force"]   its unit, "N"
    for time, path in run.frames(): frame = read_frame(path)

User errors (a missing directory, an output that was switched off) raise ResultsError with one line that says what to do.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import html
import json
import os
import pathlib
import re
import xml.etree.ElementTree
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from percuss.plots import Plots

# Legacy VTK files are big endian.
VTK_TYPES = {"double": ">f8", "float": ">f4", "int": ">i4", "unsigned_char": ">u1"}


class PercussError(Exception):
    """All errors of this package."""


class ResultsError(PercussError):
    """What is missing or wrong in a results directory, in one line for the user."""


def write_result(file, content):
    """Writes a file (bytes), whole or not at all. In a directory of percuss's it becomes one of percuss's own: it is put on the list percuss.files, by which --overwrite removes it.
    What percuss did not write keeps its name, and no link is followed (docs/guide/safety.md)."""
    names = file.parent / "percuss.files"
    if names.exists() and file.name.encode() not in names.read_bytes().split(b"\n"):
        if os.path.lexists(file):
            raise ResultsError(f"{file}: this name is taken by a file that percuss did not write; move it, or use another with --out")
        with open(os.open(names, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW), "ab") as lines:
            lines.write(file.name.encode() + b"\n")
    part = file.with_name(file.name + ".part")
    part.unlink(missing_ok=True)
    with open(part, "xb") as half:
        half.write(content)
    part.replace(file)


OF_PROBE = "of the probe"  # the unit of `bar.left.ux.max` is that of bar.left.ux in history.csv


@functools.cache
def patterns() -> dict[str, list[tuple[str, str | None]]]:
    """{file: [(pattern of a column's name, unit)]} of all tables: what `percuss explain results --json` prints."""
    tables = json.loads((pathlib.Path(__file__).parent / "columns.json").read_text(encoding="utf-8"))["tables"]
    return {table["file"]: [(column["name"], column["unit"]) for column in table["columns"]] for table in tables}


def unit_of(file: str, column: str) -> str | None:
    """The SI unit of a column: "" without unit, None for words; "?" where only a plugin knows it."""
    subject, _, last = column.rpartition(".")
    unit = next((unit for pattern, unit in patterns().get(file, []) if fnmatch.fnmatchcase(last, pattern)), "?")
    return unit_of("history.csv", subject) if unit == OF_PROBE else unit


class Table(Mapping):
    """A table of a run: columns by name, each a numpy array, with units.

    table["wall.force"] is a column, table["wall"] the table of the columns that begin with `wall.`, table.units["wall.force"] a unit, table.array all rows as a
    structured array, len(table) the number of columns and table.rows that of rows.
    """

    def __init__(self, columns: dict[str, np.ndarray], units: dict[str, str | None], name: str = "") -> None:
        self.columns, self.units, self.name = columns, units, name

    def __getitem__(self, key: str) -> Any:
        if key in self.columns:
            return self.columns[key]
        part = {name.removeprefix(f"{key}."): name for name in self.columns if name.startswith(f"{key}.")}
        if not part:
            raise KeyError(f"{self.name}: no column '{key}'; the columns are {', '.join(self.columns)}")
        return Table({short: self.columns[name] for short, name in part.items()}, {short: self.units[name] for short, name in part.items()}, self.name)

    def __contains__(self, key: object) -> bool:
        return key in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def array(self) -> np.ndarray:
        """All rows as a numpy structured array; the fields have the names of the columns."""
        array = np.empty(self.rows, [(name, values.dtype) for name, values in self.columns.items()])
        for name, values in self.columns.items():
            array[name] = values
        return array

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the time, or whatever the first column is, as its index; the units are in `frame.attrs["units"]`."""
        import pandas  # not needed for anything else

        frame = pandas.DataFrame(self.columns).set_index(next(iter(self.columns)))
        frame.attrs["units"] = self.units
        return frame

    def __repr__(self) -> str:
        return f"<{self.name or 'table'}: {self.rows} rows, {', '.join(f'{name} ({unit})' if unit else name for name, unit in self.units.items())}>"

    def _repr_html_(self, most: int = 5) -> str:
        """The first and the last rows, for notebooks."""
        shown = range(self.rows) if self.rows <= 2 * most else [*range(most), None, *range(self.rows - most, self.rows)]
        text = lambda value: f"{value:.6g}" if isinstance(value, float) else str(value)
        cells = [["…"] * len(self) if row is None else [text(values[row].item()) for values in self.columns.values()] for row in shown]
        head = [f"{name} ({unit})" if unit else name for name, unit in self.units.items()]
        return html_table(f"{self.name}, {self.rows} rows", head, cells)


def html_table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """A plain HTML table."""
    row = lambda tag, cells: "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
    return f"<table><caption>{html.escape(caption)}</caption>{row('th', head) if head else ''}{''.join(row('td', cells) for cells in rows)}</table>"


def read_table(path: str | os.PathLike) -> Table:
    """A CSV file: columns of floats, or of strings if a column contains words (names of contacts, events, states)."""
    with open(path, "rb") as file:
        names = [name.split(" [")[0] for name in file.readline().decode("utf-8").rstrip("\n").split(",")]  # of `output.units`
        rows = file.tell() < file.seek(0, 2)
        if file.tell() == 0:
            raise ResultsError(f"{path}: empty; is the run still in progress?")
        file.seek(-1, 2)
        whole = file.read() == b"\n"
    file_name = pathlib.Path(path).name
    kinds = [object if unit_of(file_name, name) is None else float for name in names]  # by its name alone: a contact may be named `1`, and a table be empty
    fields = np.dtype([(f"column {number}", kind) for number, kind in enumerate(kinds)])
    read = functools.partial(np.loadtxt, path, fields, None, ",", skiprows=1, ndmin=1, encoding="utf-8", quotechar='"')
    blanks = {number: lambda word: float(word or "nan") for number, kind in enumerate(kinds) if kind is float}
    try:
        if not whole:
            raise ValueError
        try:
            table = read() if rows else np.empty(0, fields)
        except ValueError:
            table = read(converters=blanks)  # what a row does not have is empty: the tangential velocity of an impact without friction
    except ValueError:
        raise ResultsError(f"{path}: the last row is incomplete; is the run still in progress?") from None
    columns = {name: table[field].astype(str if kind is object else float) for name, field, kind in zip(names, fields.names, kinds)}
    return Table(columns, {column: unit_of(file_name, column) for column in columns}, file_name)


def spread(items, most):
    """At most `most` items of a list, evenly distributed, including the first and the last."""
    if len(items) <= most:
        return list(items)
    return [items[round(k)] for k in np.linspace(0, len(items) - 1, most)]


# Lines along all edges of a cell by its points, for VTK's triangle, quadrilateral, tetrahedron, hexahedron and quadratic tetrahedron.
EDGES = {
    5: [0, 1, 2, 0],
    9: [0, 1, 2, 3, 0],
    10: [0, 1, 2, 0, 3, 1, 3, 2],
    12: [0, 1, 2, 3, 0, 4, 5, 1, 5, 6, 2, 6, 7, 3, 7, 4],
    24: [0, 4, 1, 5, 2, 6, 0, 7, 3, 8, 1, 8, 3, 9, 2],
}


@dataclasses.dataclass
class Frame:
    """One VTK file: reference positions [points, 3], nodes and VTK's kind of each cell, and the fields on points, on cells and of the whole."""

    points: np.ndarray
    cells: list
    point: dict
    cell: dict
    field: dict
    kinds: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0, int))

    def outlines(self):
        """For each cell the points of a line along all its edges."""
        if not len(self.kinds):
            return self.cells
        return [nodes[EDGES[kind]] if kind in EDGES else nodes for nodes, kind in zip(self.cells, self.kinds.tolist())]


class VtkBytes:
    """Reads a legacy VTK file sequentially: lines of text with binary blocks between them."""

    def __init__(self, path):
        self.path = path
        self.data = pathlib.Path(path).read_bytes()
        self.at = 0

    def words(self):
        """Words of the next non-empty line; an empty list at the end of the file."""
        while self.at < len(self.data):
            end = self.data.find(b"\n", self.at)
            end = len(self.data) if end < 0 else end
            words = self.data[self.at : end].decode("ascii", "replace").split()
            self.at = end + 1
            if words:
                return words
        return []

    def block(self, type_name, shape):
        """The binary array that begins here."""
        if type_name not in VTK_TYPES:
            raise ResultsError(f"{self.path}: unknown type '{type_name}'")
        kind = np.dtype(VTK_TYPES[type_name])
        count = int(np.prod(shape))
        if self.at + count * kind.itemsize > len(self.data):
            raise ResultsError(f"{self.path}: the file is incomplete")
        block = np.frombuffer(self.data, kind, count, self.at)
        self.at += count * kind.itemsize
        return block.astype(kind.newbyteorder("=")).reshape(shape)


def read_frame(path):
    """Reads one VTK file of a run, .vtk or .vtu; only the part of the formats that percuss writes."""
    return read_xml_frame(path) if str(path).endswith(".vtu") else read_legacy_frame(path)


def read_xml_frame(path):
    """A .vtu file: text, and after `_` the arrays, each preceded by its size in bytes."""
    data = pathlib.Path(path).read_bytes()
    text, mark, blocks = data.partition(b'<AppendedData encoding="raw">\n_')
    try:
        tree = xml.etree.ElementTree.fromstring(text + b"</VTKFile>" if mark else b"")
    except xml.etree.ElementTree.ParseError as error:
        raise ResultsError(f"{path}: not a VTK file of percuss: {error}") from None

    def block(array):
        kind, at = np.dtype(array.get("type").lower()).newbyteorder("<"), int(array.get("offset"))
        size, width = int.from_bytes(blocks[at : at + 8], "little"), int(array.get("NumberOfComponents", 1))
        if at + 8 + size > len(blocks):
            raise ResultsError(f"{path}: the file is incomplete")
        values = np.frombuffer(blocks, kind, size // kind.itemsize, at + 8).astype(kind.newbyteorder("="))
        return values.reshape({1: (-1,), 9: (-1, 3, 3)}.get(width, (-1, width)))

    def arrays(where):
        return {array.get("Name"): block(array) for array in tree.find(f".//{where}")}

    cells = arrays("Cells")
    field = {name: values.reshape(-1, 1) for name, values in arrays("FieldData").items()}
    nodes = np.split(cells["connectivity"], cells["offsets"][:-1]) if cells["offsets"].size else []
    return Frame(arrays("Points")["Points"], nodes, arrays("PointData"), arrays("CellData"), field, cells["types"])


def read_legacy_frame(path):
    """A .vtk file."""
    vtk = VtkBytes(path)
    if vtk.words()[:2] != ["#", "vtk"] or not vtk.words() or vtk.words() != ["BINARY"]:
        raise ResultsError(f"{path}: not a binary VTK file")
    frame = Frame(np.empty((0, 3)), [], {}, {}, {})
    fields, count = frame.field, 0
    while words := vtk.words():
        match words:
            case ["DATASET", _]:
                pass
            case ["FIELD", _, number]:
                for _ in range(int(number)):
                    name, components, tuples, kind = vtk.words()
                    fields[name] = vtk.block(kind, (int(tuples), int(components)))
            case ["POINTS", number, kind]:
                frame.points = vtk.block(kind, (int(number), 3))
            case ["CELLS" | "VERTICES", number, size]:
                frame.cells = split_cells(vtk.block("int", (int(size),)), int(number))
            case ["CELL_TYPES", number]:
                frame.kinds = vtk.block("int", (int(number),))
            case ["POINT_DATA", number]:
                fields, count = frame.point, int(number)
            case ["CELL_DATA", number]:
                fields, count = frame.cell, int(number)
            case ["VECTORS", name, kind]:
                fields[name] = vtk.block(kind, (count, 3))
            case ["TENSORS", name, kind]:
                fields[name] = vtk.block(kind, (count, 3, 3))
            case ["SCALARS", name, kind, "1"]:
                vtk.words()  # LOOKUP_TABLE default
                fields[name] = vtk.block(kind, (count,))
            case _:
                raise ResultsError(f"{path}: cannot read '{' '.join(words)[:60]}'")
    return frame


def split_cells(numbers, count):
    """Node numbers of each cell, from the format's row of `size node node ... size node ...`."""
    cells, at = [], 0
    for _ in range(count):
        cells.append(numbers[at + 1 : at + 1 + numbers[at]])
        at += 1 + numbers[at]
    return cells


ORBIT_TABLES = ("branch.csv", "bifurcations.csv", "multipliers.csv", "orbit.csv", "orbit_events.csv")


class Run:
    """The results of one run; each table is read on first use. In a notebook it shows its key figures."""

    def __init__(self, directory: str | os.PathLike) -> None:
        self.directory = pathlib.Path(directory)
        if not self.directory.is_dir():
            raise ResultsError(f"{directory}: no such directory; `percuss run CONFIG --out {directory}` creates it")
        try:
            self.info = json.loads((self.directory / "run.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ResultsError(f"{directory}: not a results directory of percuss: it has no run.json") from None
        except json.JSONDecodeError as error:
            raise ResultsError(f"{directory}/run.json: {error}") from None

    @property
    def name(self) -> str:
        """The name of the run, which is part of the file names of its frames."""
        return self.info["name"]

    @property
    def step(self) -> float:
        """Time step, s."""
        return self.info["step"]

    @property
    def status(self) -> str:
        """done, failed, stopped or running."""
        return self.info["exit_status"]

    @property
    def summary(self) -> dict[str, Any]:
        """What run.json sums up: steps, energies, times, deepest penetration."""
        return self.info.get("summary", {})

    def table(self, name: str, remedy: str) -> Table:
        """A CSV file of the run; `remedy` is the config line that enables it."""
        path = self.directory / name
        if not path.exists():
            raise ResultsError(f"{self.directory}: no {name}; put `{remedy}` under output: and run again")
        return read_table(path)

    @functools.cached_property
    def contacts(self) -> Table:
        """Gap, gap rate, force, impulse and state of every contact."""
        return self.table("contacts.csv", "contacts: {every: 1}")

    @functools.cached_property
    def energy(self) -> Table:
        """Energy balance."""
        return self.table("energy.csv", "energy: {every: 1}")

    @functools.cached_property
    def body_energies(self) -> Table:
        """Energies of each body, spring and bearing."""
        return self.table("body_energies.csv", "body_energies: {every: 1}")

    @functools.cached_property
    def orbits(self) -> Table:
        """Displacements, radius, whirl and spin of rotors at their stations."""
        return self.table("orbits.csv", "orbits: {stations: {disc: {at: shaft@0.5}}}")

    @functools.cached_property
    def poincare(self) -> Table:
        """Positions at the stations once per revolution."""
        return self.table("poincare.csv", "orbits: {stations: {disc: {at: shaft@0.5}}}")

    @functools.cached_property
    def resultants(self) -> Table:
        """Force, moment and impulse of all contacts of a name together."""
        return self.table("resultants.csv", "resultants: {every: 1}")

    @functools.cached_property
    def events(self) -> Table:
        """Impacts and openings."""
        return self.table("events.csv", "events: true")

    @functools.cached_property
    def history(self) -> Table:
        """Displacements and velocities of the probes; empty without probes."""
        path = self.directory / "history.csv"
        return read_table(path) if path.exists() else Table({}, {}, "history.csv")

    def analysis(self, name: str) -> Table:
        """A table of an analysis: modes.csv, campbell.csv, critical_speeds.csv, response.csv, static_reactions.csv, branch.csv ..."""
        command = {"modes.csv": "modes CONFIG", "response.csv": "response CONFIG --speeds FROM:TO:N", "branch_probes.csv": "orbit CONFIG"}.get(
            name, "static CONFIG" if name.startswith("static_") else "orbit CONFIG --over KEY=FROM:TO" if name in ORBIT_TABLES else "modes CONFIG --campbell FROM:TO:N")
        path = self.directory / name
        if not path.exists():
            raise ResultsError(f"{self.directory}: no {name}; `percuss {command}` writes it")
        table = read_table(path)
        if "parameter" in table:
            table.units["parameter"] = self.varied()[1]
        return table

    def varied(self) -> tuple[str, str]:
        """(key, unit of its values) of `percuss orbit --over`, from config.yaml: over: {key: ..., from: 2 rad/s, to: ...}."""
        path = self.directory / "config.yaml"
        over = re.search(r"^ *over:\s*\n?(.*?to:[^\n]*)", path.read_text(encoding="utf-8") if path.exists() else "", re.MULTILINE | re.DOTALL)
        found = [re.search(rf"{word}: *['\"]?([^'\",\n}}]*)", over[1]) if over else None for word in ("key", "from")]
        key, begin = (match[1].strip() if match else "" for match in found)
        return key, re.sub(r"^[-+0-9.eE]+ *", "", begin)

    def tables(self) -> list[str]:
        """Names of the tables of this run, each of which `analysis` reads."""
        return sorted(path.name for path in self.directory.glob("*.csv") if path.name in patterns())

    def contact_names(self) -> list[str]:
        """Names of the contacts, in the config's order."""
        return [name.removesuffix(".gap") for name in self.contacts if name.endswith(".gap")]

    def frames(self) -> list[tuple[float, pathlib.Path]]:
        """(time, path) of each frame, from the lists that ParaView opens; of both formats, where a run was resumed with the other one."""
        found = self.listed_frames(self.name)
        if not found:
            raise ResultsError(f"{self.directory}: no frames; put `frames: {{every: 20}}` under output: and run again")
        return found

    def listed_frames(self, name: str) -> list[tuple[float, pathlib.Path]]:
        """Those of one picture."""
        legacy, collection = (self.directory / f"{name}.{end}" for end in ("vtk.series", "pvd"))
        found = []
        if legacy.exists():
            found += [(file["time"], self.directory / file["name"]) for file in json.loads(legacy.read_text(encoding="utf-8"))["files"]]
        if collection.exists():
            found += [(float(file.get("timestep")), self.directory / file.get("file")) for file in xml.etree.ElementTree.parse(collection).iter("DataSet")]
        return sorted(found)

    def contact_frames(self) -> list[tuple[float, pathlib.Path]]:
        """(time, path) of each frame of the closed contacts; none of models without contacts."""
        return self.listed_frames(f"{self.name}_contacts")

    def frame(self, number: int) -> Frame:
        """One frame, by its number from 0; -1 is the last."""
        return read_frame(self.frames()[number][1])

    @functools.cached_property
    def plot(self) -> Plots:
        """Figures of this run: run.plot.energy(), run.plot.contact("wall") ..."""
        from percuss.plots import Plots  # matplotlib takes a second

        return Plots(self)

    def report(self, file: str | os.PathLike | None = None) -> pathlib.Path:
        """Writes report.html, one self-contained page; returns its path."""
        from percuss.report import write_report

        return write_report(self.directory, file)

    def __repr__(self) -> str:
        return f"<percuss run {self.name}: {self.status}, {self.directory}>"

    def _repr_html_(self) -> str:
        energy, summary = self.summary.get("energy", {}), self.summary
        rows = [["status", self.status + (f": {self.info['failure']}" if self.info.get("failure") else "")], ["scheme", f"{self.info.get('scheme', '')}, step {self.step:.4g} s"]]
        if summary:
            rows.append(["steps", f"{summary['steps']} to t = {summary['time']:.6g} s"])
        rows += [[f"energy: {name} (J)", f"{value:.6g}"] for name, value in energy.items() if isinstance(value, float) and value]
        rows += [["warning", warning] for warning in self.info.get("warnings", [])]
        return html_table(self.info.get("title") or self.name, [], [*rows, ["results", str(self.directory)]])
