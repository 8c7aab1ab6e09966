"""Figures of a run as functions: run.plot.energy(), run.plot.orbit("disc") ... Each returns a matplotlib Figure, which a notebook shows and savefig writes."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from percuss import bar_figures, campbell_figures, orbit_figures, pressure_figures, response_figures, rotor_figures, run_figures
from percuss.bar_impact import NoTheory, impact_of, read_bar_frames
from percuss.results import ResultsError
from percuss.rotor_orbit import rubs_of, stations
from percuss.style import STYLE, TWO_COLUMNS, arrange

if TYPE_CHECKING:
    from percuss.results import Run


def finished(draw: Callable, *arguments: Any, **options: Any) -> Figure:
    """A figure in the style of all figures. pyplot forgets it, so that notebooks show it once."""
    with matplotlib.rc_context(STYLE):
        figure = draw(*arguments, **options)
        if not figure:
            raise ResultsError("there is nothing to draw")
        arrange(figure)
        figure.canvas.draw()  # fonts and layout of this style
    plt.close(figure)
    return figure


class Plots:
    """The figures of one run. `width` in inches: 7 are two columns of a page, 4.6 are one."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @functools.cached_property
    def theory(self) -> tuple[Any, Any]:
        """(impact, frames) of a bar that hits a wall, with d'Alembert's solution; else (None, None)."""
        try:
            frames = read_bar_frames(self.run, bar_figures.MOST_FRAMES)
            return impact_of(self.run, frames), frames
        except (NoTheory, ResultsError):
            return None, None

    def energy(self, width: float = TWO_COLUMNS) -> Figure:
        """Energy balance over time."""
        return finished(run_figures.draw_energy, self.run, width)

    def contact(self, name: str, width: float = TWO_COLUMNS) -> Figure:
        """Gap, forces and impulses of one contact."""
        if name not in self.run.contact_names():
            raise ResultsError(f"no contact '{name}'; the contacts are {', '.join(self.run.contact_names())}")
        return finished(run_figures.draw_contact, self.run, name, width)

    def history(self, *columns: str, width: float = TWO_COLUMNS) -> Figure:
        """Quantities at the probes: all, or these columns ("bar.left.ux") or probes ("bar.left")."""
        panels = run_figures.history_panels(self.run)
        wanted = lambda name: not columns or any(name == column or name.startswith(f"{column}.") for column in columns)
        shown = {quantity: [name for name in names if wanted(name)] for quantity, names in panels.items()}
        shown = {quantity: names for quantity, names in shown.items() if names}
        if not shown:
            raise ResultsError(f"{self.run.directory}/history.csv: no column that changes, of {', '.join(columns) or 'all'}")
        return finished(run_figures.draw_history, self.run, shown, width)

    def bodies(self, width: float = TWO_COLUMNS) -> Figure:
        """Energies of bodies, springs and bearings."""
        return finished(run_figures.draw_bodies, self.run, width)

    def resultant(self, name: str, width: float = TWO_COLUMNS) -> Figure:
        """Resultant force, moment and impulse of all contacts of a name."""
        if name not in run_figures.resultant_names(self.run):
            raise ResultsError(f"no resultant of '{name}'; there are those of {', '.join(run_figures.resultant_names(self.run))}")
        return finished(run_figures.draw_resultant, self.run, name, width)

    def pressure(self, width: float = TWO_COLUMNS) -> Figure:
        """Contact pressure on sides of solids."""
        return finished(lambda: pressure_figures.draw_pressure(self.run, width)[0])

    def shape(self, width: float = TWO_COLUMNS) -> Figure:
        """The model at its largest displacement."""
        return finished(lambda: run_figures.draw_shape(self.run, width)[0])

    def wave(self, width: float = TWO_COLUMNS) -> Figure:
        """x-t diagram of the stress of bars."""
        return finished(bar_figures.draw_wave, self.run, *self.theory, width)

    def reaction(self, width: float = TWO_COLUMNS) -> Figure:
        """Contact force, impulse, velocities and gap of bars, with d'Alembert's solution where it applies."""
        return finished(bar_figures.draw_reaction, self.run, *self.theory, width)

    def _stations(self, names: tuple[str, ...]) -> list:
        """Stations of a rotor, all or by name."""
        found = stations(self.run)
        known = [station.name for station in found]
        if unknown := [name for name in names if name not in known]:
            raise ResultsError(f"no station '{unknown[0]}'; the stations are {', '.join(known)}")
        return [station for station in found if not names or station.name in names]

    def orbit(self, *names: str, width: float = TWO_COLUMNS) -> Figure:
        """Orbits of a rotor at its stations."""
        return finished(rotor_figures.draw_orbits, self.run, self._stations(names), width)

    def whirl(self, *names: str, width: float = TWO_COLUMNS) -> Figure:
        """Spin, whirl rate and radius over time."""
        return finished(rotor_figures.draw_whirl, self.run, self._stations(names), width)

    def spectrum(self, *names: str, width: float = TWO_COLUMNS) -> Figure:
        """Full spectra: forward and backward whirl."""
        return finished(rotor_figures.draw_spectrum, self._stations(names), width)

    def waterfall(self, *names: str, width: float = TWO_COLUMNS) -> Figure:
        """Full spectra over the speed of a run-up."""
        return finished(rotor_figures.draw_waterfall, self._stations(names), width)

    def bode(self, *names: str, width: float = TWO_COLUMNS) -> Figure:
        """Bode and polar diagram of the component that turns with the shaft (1x), and the shaft centreline, of a run."""
        return finished(rotor_figures.draw_bode, self._stations(names), width)

    def rub(self, width: float = TWO_COLUMNS) -> Figure:
        """Forces, slip velocity and share of time in contact of the contacts that close."""
        rubs = rubs_of(self.run)
        if not rubs:
            raise ResultsError(f"{self.run.directory}: no contact closes")
        return finished(rotor_figures.draw_rubs, rubs, width)

    def campbell(self) -> Figure:
        """Campbell diagram, of the results of percuss.modes(..., campbell=...)."""
        return finished(campbell_figures.draw_campbell, self.run.analysis("campbell.csv"), self.run.analysis("critical_speeds.csv"))

    def response(self, *probes: str, linear: bool = False) -> Figure:
        """Amplitude and phase over the speed, of the results of percuss.response."""
        table = self.run.analysis("response.csv")
        return finished(response_figures.draw_response, table, response_figures.response_columns(table, probes or None), linear)

    def branch(self, probe: str | None = None, width: float = TWO_COLUMNS, *, study: str | os.PathLike | None = None) -> Figure:
        """Branches of periodic orbits with their bifurcations, of the results of percuss.orbit(..., over=...); behind them the samples of a study."""
        return finished(orbit_figures.draw_branch, self.run, probe, pathlib.Path(study) if study else None, width)

    def motion(self, width: float = TWO_COLUMNS) -> Figure:
        """The last orbit over its period, of the results of percuss.orbit."""
        return finished(orbit_figures.draw_motion, self.run, width)

    def scene(self, png: str | os.PathLike | None = None, *, frame: int = -1, mode: int | None = None) -> pathlib.Path:
        """The scene of view.py as a picture, whose path is returned; needs python3-vtk9. In a notebook: IPython.display.Image(run.plot.scene())."""
        png = pathlib.Path(png or pathlib.Path(tempfile.mkdtemp(prefix="percuss_")) / "scene.png")
        count = len(self.run.frames()) if mode is None else 1
        which = ["--mode", str(mode)] if mode is not None else ["--frame", str(frame % count)]
        done = subprocess.run([sys.executable, str(self.run.directory / "view.py"), "--png", str(png), *which], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ResultsError(done.stderr.strip() or "view.py failed")
        return png
