"""Figures of the contact pressure on sides of solids, from the contact frames. `width` in inches."""

import matplotlib.pyplot as plt
import numpy as np

from percuss.results import ResultsError, read_frame, spread
from percuss.style import TWO_COLUMNS, legend_above, letter, prefixed, series

MOST_TIMES = 4  # curves of a contact in the plane
MOST_PANELS = 4  # contacts


def pressures(run):
    """[(time, points [n, 3], pressure [n], number of the contact [n])] of the frames in which some side presses; positions are those of the undeformed bodies."""
    found = []
    for time, path in run.contact_frames():
        frame = read_frame(path)
        pressure = frame.point.get("pressure", np.empty(0))
        pressed = pressure > 0
        if np.any(pressed):
            found.append((time, frame.points[pressed], pressure[pressed], frame.point["contact"][pressed]))
    return found


def has_pressure(run):
    """Whether there is something to draw."""
    try:
        return bool(pressures(run))
    except ResultsError:
        return False


def contact_of(run):
    """For each contact number the name of the contact that it belongs to: `joint` of `joint.12`."""
    names = run.contact_names() if "contacts.csv" in run.info.get("outputs", ["contacts.csv"]) else []
    return np.array([name.rpartition(".")[0] if name.rpartition(".")[2].isdigit() and name.rpartition(".")[0] else name for name in names], dtype=object)


def draw_pressure(run, width=TWO_COLUMNS):
    """(figure, words): in the plane over the position, at several times; in space on the side, when the force is largest."""
    frames = pressures(run)
    if not frames:
        raise ResultsError(f"{run.directory}: no contact pressure; contact frames (`frames` under output:) have that of sides of solids")
    names = contact_of(run)
    found = [names[numbers] if len(names) > max(numbers) else np.full(len(numbers), "contact", dtype=object) for _, _, _, numbers in frames]
    strength = {}
    for (_, _, pressure, _), of in zip(frames, found):
        for name in set(of):
            strength[name] = max(strength.get(name, 0), pressure[of == name].sum())
    drawn = sorted(strength, key=strength.get, reverse=True)[:MOST_PANELS]
    flat = all(np.ptp(points[:, 2]) == 0 for _, points, _, _ in frames)
    figure, axes = plt.subplots(len(drawn), 1, figsize=(width, 0.6 + (2.0 if flat else 2.8) * len(drawn)), squeeze=False)
    for axis, name in zip(axes[:, 0], drawn):
        of_name = [(time, points[of == name], pressure[of == name]) for (time, points, pressure, _), of in zip(frames, found) if np.any(of == name)]
        (draw_lines if flat else draw_side)(axis, of_name)
    letter(axes[:, 0], [f"{name}: contact pressure" for name in drawn])
    rest = f"; {len(strength) - len(drawn)} more contacts are not drawn" if len(strength) > len(drawn) else ""
    return figure, ("Contact pressure over the position" if flat else "Contact pressure on the side when it is largest") + rest + "."


def draw_lines(axis, frames):
    """Pressure over the coordinate along which the contact is longest: the frame with the largest sum of pressures, and others spread over time."""
    strongest = max(range(len(frames)), key=lambda number: frames[number][2].sum())
    shown = sorted({strongest, *spread(range(len(frames)), MOST_TIMES - 1)})
    largest = np.vstack([points for _, points, _ in frames])
    along = int(np.argmax(np.ptp(largest, axis=0)))
    size, unit = prefixed(max(pressure.max() for _, _, pressure in frames), "Pa")
    scale, length = prefixed(np.abs(largest[:, along]).max(), "m")
    seconds, second = prefixed(max(time for time, _, _ in frames), "s")
    for number, (time, points, pressure) in enumerate(frames[chosen] for chosen in shown):
        order = np.argsort(points[:, along])
        axis.plot(scale * points[order, along], size * pressure[order], "o-", color=series(number)["color"], markersize=2.5, label=f"{seconds * time:.4g} {second}")
    axis.set(xlabel=f"{'xyz'[along]} ({length})", ylabel=f"pressure ({unit})")
    axis.set_ylim(bottom=0)
    legend_above(axis)


def draw_side(axis, frames):
    """The frame with the largest pressure, seen along the direction in which the side is thinnest."""
    _, points, pressure = max(frames, key=lambda frame: frame[2].max())
    thin = int(np.argmin(np.ptp(points, axis=0)))
    first, second = (k for k in range(3) if k != thin)
    size, unit = prefixed(pressure.max(), "Pa")
    scale, length = prefixed(np.abs(points[:, [first, second]]).max(), "m")
    order = np.argsort(pressure)
    drawn = axis.scatter(scale * points[order, first], scale * points[order, second], c=size * pressure[order], s=max(4, min(60, 4000 / len(order))), cmap="viridis", vmin=0)
    axis.figure.colorbar(drawn, ax=axis, label=f"pressure ({unit})")
    axis.set(xlabel=f"{'xyz'[first]} ({length})", ylabel=f"{'xyz'[second]} ({length})")
    across, up = np.ptp(points[:, [first, second]], axis=0)
    if max(across, up) <= 5 * min(across, up):  # true to scale unless that leaves no room for numbers
        axis.set_aspect("equal")
