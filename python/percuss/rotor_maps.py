"""Lateral analyses after API 617 and API 684: peaks of the unbalance response with amplification factors and separation margins, map of undamped critical speeds over the stiffness of the bearings,
stability map (Level I: logarithmic decrement over cross-coupled stiffness).
"""

from __future__ import annotations

import copy
import dataclasses
import pathlib
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from percuss import program
from percuss.campbell_figures import RPM, SENSES
from percuss.model import Model
from percuss.results import ResultsError, Table
from percuss.style import BLACK, GREY, ORANGE, PURPLE, TWO_COLUMNS, legend_below, prefixed

HALF_POWER = np.sqrt(0.5)
ENOUGH_ROWS = 5  # within a peak
CRITICALLY_DAMPED = 2.5  # amplification factor below which a peak counts as no critical speed


@dataclasses.dataclass(frozen=True)
class Peak:
    """A peak of the response. Speeds in rad/s, NaN where the range of speeds ends before the amplitude has fallen to 0.707 of the peak."""

    probe: str
    speed: float
    amplitude: float
    low: float  # N1 and N2, where the amplitude is 0.707 of that of the peak
    high: float
    rows: int  # of the table between them

    @property
    def amplification(self) -> float:
        """Amplification factor Nc/(N2 - N1); from one side only if the other one is outside the range or belongs to another peak."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return self.speed / (self.high - self.low)
        side = self.speed - self.low if np.isfinite(self.low) else self.high - self.speed
        return self.speed / (2 * side)

    @property
    def is_resolved(self) -> bool:
        """Whether the table has enough speeds within the peak."""
        return self.rows >= ENOUGH_ROWS

    @property
    def is_critical(self) -> bool:
        """Whether it counts as a critical speed: not if it is critically damped."""
        return not self.amplification < CRITICALLY_DAMPED

    def required_margin(self, above: bool) -> float:
        """Separation margin that API 617 requires of a critical speed below the range of operating speeds, or above it: a part of the nearest operating speed."""
        if not self.is_critical:
            return 0.0
        margin = 0.17 * (1 - 1 / (self.amplification - 1.5))
        return margin + 0.10 if above else margin


def crossing(speed: np.ndarray, amplitude: np.ndarray, top: int, step: int, level: float) -> float:
    """The speed where the amplitude falls to the level on one side of a peak, linear between rows; NaN: it rises again before, or the table ends."""
    i = top
    while 0 <= i + step < len(speed):
        if amplitude[i + step] <= level:
            share = (amplitude[i] - level) / (amplitude[i] - amplitude[i + step])
            return float(speed[i] + share * (speed[i + step] - speed[i]))
        if amplitude[i + step] > amplitude[top]:
            break
        i += step
    return float("nan")


def peaks(table: Table, probes: Sequence[str] = ()) -> list[Peak]:
    """Peaks of the large semi-axis of the orbits, of the table response.csv, in the order of speeds. The speed of a peak is that of a parabola through three rows."""
    names = [name.removesuffix(".major") for name in table if name.endswith(".major")]
    speed, found = table["speed"], []
    for name in probes or names:
        if name not in names:
            raise ResultsError(f"no orbit of '{name}'; there are those of {', '.join(names) or 'no probe'}")
        y = table[f"{name}.major"]
        for i in range(1, len(speed) - 1):
            if not (y[i] > y[i - 1] and y[i] >= y[i + 1] and y[i] > 1e-9 * np.nanmax(y)):
                continue
            a, b, c = np.polyfit(speed[i - 1 : i + 2] - speed[i], y[i - 1 : i + 2], 2)
            top, level = c - b * b / (4 * a), HALF_POWER * (c - b * b / (4 * a))
            low, high = crossing(speed, y, i, -1, level), crossing(speed, y, i, 1, level)
            if np.isfinite(low) or np.isfinite(high):
                within = (speed >= (low if np.isfinite(low) else speed[i])) & (speed <= (high if np.isfinite(high) else speed[i]))
                found.append(Peak(name, float(speed[i] - b / (2 * a)), float(top), low, high, int(np.count_nonzero(within))))
    return sorted(found, key=lambda peak: peak.speed)


def margins(found: Sequence[Peak], lowest: float, highest: float) -> list[dict]:
    """For each peak: the actual margin to the operating speeds lowest .. highest (rad/s), the required margin, and whether it is sufficient."""
    rows = []
    for peak in found:
        above = peak.speed > highest
        margin = (peak.speed - highest) / highest if above else (lowest - peak.speed) / lowest
        rows.append({"peak": peak, "margin": margin, "required": peak.required_margin(above), "enough": not peak.is_critical or margin >= peak.required_margin(above)})
    return rows


def undamped(model: Model, bearings: Sequence[str], stiffness: float) -> Model:
    """The model with these bearings as springs of one stiffness, without damping."""
    other = copy.deepcopy(model)
    for body in other.get("bodies", {}).values():
        body.pop("damping", None)
    for name in bearings:
        if name not in other.get("bearings", {}):
            raise ResultsError(f"there is no bearing '{name}'; bearings: {', '.join(other.get('bearings', {})) or 'none'}")
        other["bearings"][name] = {"between": other["bearings"][name]["between"], "stiffness": float(stiffness)}
    for name, bearing in other["bearings"].items():
        if name not in bearings:
            for key in ("damping", "rotational_damping", "damping_matrix", "rotating_damping"):
                bearing.pop(key, None)
    other.pop("start", None)
    return other


def critical_map(model: Model, stiffness: Sequence[float], highest: float, out: pathlib.Path, bearings: Sequence[str] = (), count: int = 10) -> list[tuple[float, float, float]]:
    """Undamped critical speeds: (stiffness of each bearing in N/m, critical speed in rad/s, kappa of its whirl) up to the highest speed (rad/s)."""
    rows = []
    for k in stiffness:
        stiff = undamped(model, bearings or list(model.get("bearings", {})), k)
        run = program.modes(stiff, campbell=f"0 rad/s:{highest:.12g} rad/s:41", count=count, out=out / f"stiffness_{k:.6g}", overwrite=True)
        events = run.analysis("critical_speeds.csv")
        critical = events["event"] == "critical"
        rows += [(float(k), float(speed), float(kappa)) for speed, kappa in zip(events["speed"][critical], events["kappa"][critical])]
    return rows


def draw_critical_map(rows: Sequence[tuple[float, float, float]], actual: Sequence[float] = ()) -> plt.Figure:
    """Critical speeds over the stiffness; actual: stiffnesses of the machine, as vertical lines."""
    if not rows:
        raise ResultsError("there are no critical speeds in this range")
    figure, axis = plt.subplots(figsize=(TWO_COLUMNS, 4.0))
    for sense, marker in (("forward", "o"), ("backward", "s"), ("neither", "^")):
        some = [(k, speed) for k, speed, kappa in rows if sense == ("forward" if kappa > 0.01 else "backward" if kappa < -0.01 else "neither")]
        if some:
            axis.plot([k for k, _ in some], [speed * RPM for _, speed in some], marker, markersize=4, color=SENSES[sense], label=sense if sense != "neither" else "planar")
    for i, k in enumerate(actual):
        axis.axvline(k, color=GREY, linestyle=(0, (5, 2)), label="bearings" if i == 0 else None)
    axis.set_xscale("log")
    axis.set_yscale("log")
    speeds = [speed * RPM for _, speed, _ in rows]
    axis.set_ylim(0.8 * min(speeds), 1.25 * max(speeds))
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel("stiffness of each bearing (N/m)")
    axis.set_ylabel("undamped critical speed (rpm)")
    legend_below(figure, axis)
    return figure


def stability_map(model: Model, at: str, coupling: Sequence[float], out: pathlib.Path, speed: str = "", count: int = 10) -> list[tuple[float, float, float]]:
    """Level I stability: (cross-coupled stiffness at a point in N/m, logarithmic decrement of the first forward mode, and of the least damped forward mode)."""
    rows = []
    for q in coupling:
        other = copy.deepcopy(model)
        if q:
            other.setdefault("bearings", {})["cross_coupling"] = {"between": [at, "ground"], "stiffness": [0.0, float(q), -float(q), 0.0]}
        table = program.modes(other, speed=speed, count=count, out=out / f"coupling_{q:.6g}", overwrite=True).analysis("modes.csv")
        forward = np.flatnonzero((table["kappa"] > 0.01) & (table["im"] > 0))
        if len(forward) == 0:
            raise ResultsError("there is no forward mode: take a larger count")
        decrement = table["log_decrement"][forward]
        rows.append((float(q), float(decrement[np.argmin(table["im"][forward])]), float(np.min(decrement))))
    return rows


def onset(rows: Sequence[tuple[float, float, float]]) -> float:
    """Q0: the cross-coupled stiffness at which the least logarithmic decrement vanishes, linear between rows; NaN: it does not in this range."""
    for (q0, _, d0), (q1, _, d1) in zip(rows, rows[1:]):
        if d0 > 0 >= d1:
            return q0 + d0 / (d0 - d1) * (q1 - q0)
    return float("nan")


def draw_stability_map(rows: Sequence[tuple[float, float, float]]) -> plt.Figure:
    """The decrements over the cross coupling, with the limit of 0.1 that API 617 asks for, and Q0."""
    figure, axis = plt.subplots(figsize=(TWO_COLUMNS, 3.6))
    factor, unit = prefixed(rows[-1][0], "N")
    coupling = [q * factor for q, _, _ in rows]
    axis.plot(coupling, [first for _, first, _ in rows], "o-", markersize=3, color=ORANGE, label="first forward mode")
    if any(first != least for _, first, least in rows):
        axis.plot(coupling, [least for _, _, least in rows], ".", color=PURPLE, markersize=4, linestyle=(0, (3, 2)), label="least damped forward mode")
    axis.axhline(0, color=BLACK, linewidth=0.7)
    axis.axhline(0.1, color=GREY, linestyle=(0, (5, 2)), label="required: 0.1")
    if np.isfinite(onset(rows)):
        axis.plot(onset(rows) * factor, 0, "X", color=BLACK, markersize=6, label="onset of instability", zorder=3)
    axis.set_xlabel(f"cross-coupled stiffness ({unit}/m)")
    axis.set_ylabel("logarithmic decrement")
    legend_below(figure, axis)
    return figure
