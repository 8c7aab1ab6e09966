"""Figures of any run from its tables: energy balance, contacts, probes. `width` in inches."""

import matplotlib.collections
import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLACK, BLUE, GREEN, GREY, MOST_LINES, ORANGE, PURPLE, TWO_COLUMNS, envelope, larger, legend_above, letter, prefixed, say_rest, time_axis, total_energy
from percuss.results import ResultsError, read_frame, spread

STEMS = 400  # largest number of impulses of a contact that are drawn one by one

# What a probe column is, by the last part of its name; its unit is that of the table.
QUANTITIES = {
    **dict.fromkeys(("ux", "uy", "uz"), "displacement"),
    **dict.fromkeys(("vx", "vy", "vz", "v", "vl"), "velocity"),
    **dict.fromkeys(("ax", "ay", "az"), "acceleration"),
    **dict.fromkeys(("awx", "awy", "awz"), "angular acceleration"),
    **dict.fromkeys(("rx", "ry", "rz"), "rotation"),
    **dict.fromkeys(("wx", "wy", "wz", "vphi", "omega"), "angular velocity"),
    **dict.fromkeys(("x", "y", "z", "l"), "position"),
    **dict.fromkeys(("stress", "mises", "s1", "s2", "s3", *(f"s{first}{second}" for first in "xyz" for second in "xyz")), "stress"),
    **dict.fromkeys(("strain", "strain_a", "strain_b", "strain_c", "e", *(f"{kind}{first}{second}" for kind in "eg" for first in "xyz" for second in "xyz")), "strain"),
    **{f"s{k}_{axis}": f"direction of principal stress {k}" for k in (1, 2, 3) for axis in "xyz"},
    "energy_density": "energy density",
    **{word: word for word in ("length", "force", "moment", "energy")},
    **dict.fromkeys(("normal_force", "shear_2", "shear_3"), "section force"),
    **dict.fromkeys(("fx", "fy", "fz"), "reaction"),
    **dict.fromkeys(("mx", "my", "mz"), "moment of a reaction"),
    **dict.fromkeys(("torque", "moment_2", "moment_3"), "section moment"),
    **dict.fromkeys(("theta", "alpha", "phi", "angle", "e_angle"), "angle"),
    "p": "unit quaternion",
}


def over_time(axes, end, label, titles=()):
    """Common layout of panels over time: letters with titles, one time axis below."""
    letter(axes, titles)
    axes[-1].set(xlabel=label, xlim=(0, end) if end > 0 else None)
    axes[0].figure.align_ylabels(axes)


# Energy ------------------------------------------------------------------------------------------------------------------------------------------


def energy_panels(run):
    """[(name of the panel, [(label, values, colour)])]: energy of the model, work and dissipation, numerical energy error."""
    energy = run.energy
    parts = [(name, energy[name], colour) for name, colour in (("kinetic", BLUE), ("elastic", ORANGE), ("potential", PURPLE)) if np.any(energy[name])]
    stored = total_energy(run)
    panels = [("energy of the model", [*parts, ("total", stored, BLACK)] if len(parts) != 1 else parts)]
    if np.any(energy["load"]):
        panels.append(("since the start", [("stored", stored - stored[0], BLACK), ("external work", energy["load"], BLUE)]))
    lost = [(name, energy[name], colour) for name, colour in (("damping", BLUE), ("friction", ORANGE), ("impact", GREEN)) if np.any(energy[name])]
    panels += [("dissipated", lost)] if lost else []
    return [*panels, ("numerical energy error", [("numerical energy error", energy["numerical"], GREY)])]


def draw_energy(run, width=TWO_COLUMNS):
    """Energy balance."""
    time = run.energy["time"]
    factor, label = time_axis(time[-1])
    panels = energy_panels(run)
    figure, axes = plt.subplots(len(panels), 1, figsize=(width, 0.6 + 1.65 * len(panels)), sharex=True)
    for axis, (name, lines) in zip(axes, panels):
        size, unit = prefixed(max(np.abs(values).max() for _, values, _ in lines), "J")
        for title, values, colour in lines:
            axis.plot(*envelope(factor * time, size * values), color=colour, label=title)
        axis.set_ylabel(f"energy ({unit})")
        if len(lines) > 1 or lines[0][0] != name:
            legend_above(axis)
    over_time(axes, factor * time[-1], label, [name for name, _ in panels])
    return figure


# Contacts ----------------------------------------------------------------------------------------------------------------------------------------


def is_held(run, name):
    """Whether a contact is closed all the time, like a joint: then its gap is the drift of positions."""
    return bool(np.all(run.contacts[f"{name}.state"] != "open"))


def strength(run, name):
    """Total impulse of a contact, N s: impulses plus the integral of the force."""
    time = run.contacts["time"]
    return run.contacts[f"{name}.impulse"].sum() + np.abs(np.trapz(np.abs(run.contacts[f"{name}.force"]), time))


def columns_of(run, name, kind):
    """{word: values} of the forces or impulses (`kind`) of a contact, normal and tangential; without those that are always zero."""
    words = {"normal": kind, "friction 1": f"friction_{kind}_1", "friction 2": f"friction_{kind}_2"}
    found = {word: run.contacts[f"{name}.{column}"] for word, column in words.items() if f"{name}.{column}" in run.contacts}
    return found if any(np.any(values) for values in found.values()) else {}


def draw_contact(run, name, width=TWO_COLUMNS):
    """Gap of a contact; its forces and impulses if they are not zero."""
    factor, label = time_axis(run.contacts["time"][-1])
    time, gap = factor * run.contacts["time"], run.contacts[f"{name}.gap"]
    panels = [(plot_forces, columns_of(run, name, "force")), (plot_impulses, columns_of(run, name, "impulse"))]
    panels = [(plot, columns) for plot, columns in panels if columns]
    figure, axes = plt.subplots(1 + len(panels), 1, figsize=(width, 0.8 + 1.3 * (1 + len(panels))), sharex=True, squeeze=False)
    size, unit = prefixed(np.abs(gap).max(), "m")
    axes[0, 0].plot(*envelope(time, size * gap), color=BLUE)
    axes[0, 0].set_ylabel(f"{'drift' if is_held(run, name) else 'gap'} ({unit})")
    for axis, (plot, columns) in zip(axes[1:, 0], panels):
        plot(axis, time, columns)
    if panels and len(panels[0][1]) > 1:
        legend_above(axes[1, 0])
    titles = [f"{name}: {'drift' if is_held(run, name) else 'gap'}", *("contact force" if plot is plot_forces else "impulse of each row" for plot, _ in panels)]
    over_time(axes[:, 0], time[-1], label, titles)
    return figure


def plot_forces(axis, time, forces):
    """Lines."""
    size, unit = prefixed(max(np.abs(values).max() for values in forces.values()), "N")
    for (word, values), colour in zip(forces.items(), (BLUE, ORANGE, GREEN)):
        axis.plot(*envelope(time, size * values), color=colour, label=word)
    axis.set_ylabel(f"force ({unit})")


def plot_impulses(axis, time, impulses):
    """Stems."""
    size, unit = prefixed(max(np.abs(values).max() for values in impulses.values()), "N s")
    for (word, values), colour in zip(impulses.items(), (BLUE, ORANGE, GREEN)):
        struck, values = tallest(time, size * values)
        axis.vlines(struck, 0, values, color=colour, linewidth=1.0, label=word)
        if len(struck) < STEMS:
            axis.plot(struck, values, "o", color=colour, markersize=2.5, clip_on=False)
    axis.set_ylabel(f"impulse ({unit})")


def tallest(time, values):
    """(times, values) of the nonzero impulses; if there are many, the largest of each short interval."""
    struck = np.flatnonzero(values)
    if len(struck) > STEMS:
        piece = ((time[struck] - time[0]) / (time[-1] - time[0]) * STEMS).astype(int)
        order = np.lexsort((-np.abs(values[struck]), piece))
        struck = struck[order][np.unique(piece[order], return_index=True)[1]]
    return time[struck], values[struck]


# Probes ------------------------------------------------------------------------------------------------------------------------------------------


def quantity_of(run, column):
    """(quantity, unit) of a column of history.csv; of an unknown coordinate of a plugin: (its name, "SI")."""
    word = column.rsplit(".", 1)[-1]
    unit = run.history.units[column]
    return QUANTITIES.get(word) or QUANTITIES.get(word.rstrip("0123456789"), word), "SI" if unit == "?" else unit


def history_panels(run):
    """{(quantity, unit): columns that are not always zero}, in the order of history.csv."""
    panels = {}
    for column, values in run.history.items():
        if column != "time" and np.any(values):
            panels.setdefault(quantity_of(run, column), []).append(column)
    return panels


def draw_history(run, panels, width=TWO_COLUMNS):
    """Quantities at the probes: a panel for each quantity with its first columns."""
    return draw_columns(run.history, panels, width)


def draw_columns(table, panels, width=TWO_COLUMNS):
    """{(quantity, unit): columns} of a table over time: a panel for each quantity with its first columns."""
    time = table["time"]
    factor, label = time_axis(time[-1])
    figure, axes = plt.subplots(len(panels), 1, figsize=(width, 0.6 + 1.7 * len(panels)), sharex=True, squeeze=False)
    for axis, ((quantity, unit), columns) in zip(axes[:, 0], panels.items()):
        shown = columns[:MOST_LINES]
        size, unit = larger(max(np.abs(table[column]).max() for column in shown), unit)
        for column in shown:
            axis.plot(*envelope(factor * time, size * table[column]), label=column)
        say_rest(axis, len(columns) - len(shown))
        axis.set_ylabel(f"({unit})" if unit else "")
        legend_above(axis, fontsize=7.5)
    over_time(axes[:, 0], factor * time[-1], label, [quantity for quantity, _ in panels])
    return figure


MOST_OWNERS = 12  # bodies and force elements whose energies are drawn


def moving_panels(columns, panels):
    """The panels, with the columns that exist and are not always zero."""
    some = {quantity: [name for name in names if name in columns and columns[name].any()] for quantity, names in panels.items()}
    return {quantity: names for quantity, names in some.items() if names}


def energy_owners(run):
    """Bodies, springs and bearings of body_energies.csv, those with the largest energies first."""
    table = run.body_energies
    largest = {}
    for name, values in table.items():
        if name != "time":
            owner = name.rsplit(".", 1)[0]
            largest[owner] = max(largest.get(owner, 0), np.abs(values).max())
    return sorted(largest, key=largest.get, reverse=True)[:MOST_OWNERS]


def draw_bodies(run, width=TWO_COLUMNS):
    """Kinetic and elastic energies of the bodies, springs and bearings with the largest ones."""
    panels = {(f"{kind} energy", "J"): [f"{owner}.{kind}" for owner in energy_owners(run)] for kind in ("kinetic", "elastic")}
    panels = moving_panels(run.body_energies, panels)
    if not panels:
        raise ResultsError(f"{run.directory}/body_energies.csv: all energies are zero")
    return draw_columns(run.body_energies, panels, width)


def resultant_names(run):
    """Contacts of resultants.csv."""
    return list(dict.fromkeys(name.rsplit(".", 1)[0] for name in run.resultants if name != "time"))


def draw_resultant(run, name, width=TWO_COLUMNS):
    """Resultant force, moment and impulse of all contacts of a name; None if none closes."""
    panels = {(words, unit): [f"{name}.{letter}{axis}" for axis in "xyz"] for words, unit, letter in (("resultant force", "N", "f"), ("resultant moment", "N m", "m"), ("impulse of a row", "N s", "p"))}
    panels = moving_panels(run.resultants, panels)
    return draw_columns(run.resultants, panels, width) if panels else None


# Shape -------------------------------------------------------------------------------------------------------------------------------------------

MOTION = 0.05  # relative to the size of the model: smaller displacements are magnified to this
VIEW = np.array([[0.94, 0.34, 0.0], [-0.10, 0.28, 0.95]])  # right and up on the page, for models in space
PHASES, MOST_CELLS = 12, 20000
PRESSURE_TO_TENSION = matplotlib.colors.LinearSegmentedColormap.from_list("stress", (BLUE, "#999999", ORANGE))  # visible on white and on black


def draw_shape(run, width=TWO_COLUMNS):
    """(figure, time, scale): the undeformed model, and the frame with the largest displacement; several frames for large motions."""
    files = spread(run.frames(), PHASES)
    frames = [read_frame(path) for _, path in files]
    size = np.linalg.norm(np.ptp(frames[0].points, axis=0))
    if not size or not frames[0].cells or len(frames[0].cells) > MOST_CELLS or "displacement" not in frames[0].point:
        raise ResultsError("the frames have no lines, or too many for this figure; view.py draws them")
    moved = [np.abs(frame.point["displacement"]).max() for frame in frames]
    most = int(np.argmax(moved))
    scale = magnification(MOTION * size / moved[most]) if moved[most] else 1.0
    placed = [frame.points + scale * frame.point["displacement"] for frame in frames]
    spans = np.ptp(np.concatenate([frames[0].points, *placed]), axis=0)
    planar = spans[2] <= 1e-6 * size
    frame, far = frames[most], moved[most] > MOTION * size
    lines = [(place, {"colors": "#C4C4C4", "linewidths": 0.6}) for place in (placed if far else [frames[0].points])]
    stress = frame.cell.get("stress")
    stressed = stress is not None and np.any(stress)
    widths = np.where(frame.kinds > 4, 0.5, 1.4)  # of surfaces, of lines
    lines.append((placed[most], {"linewidths": widths} if stressed else {"linewidths": widths, "colors": BLUE}))
    length, length_unit = prefixed(max(np.abs(place).max() for place, _ in lines), "m")
    shapes = [(length * seen(place, planar), options) for place, options in lines]
    middle = sum(edge(np.concatenate([shape for shape, _ in shapes]), axis=0) for edge in (np.min, np.max)) / 2
    across = np.ptp(np.concatenate([shape for shape, _ in shapes]), axis=0)
    tall = np.clip(across[1] / max(across[0], 1e-12), 0.12, 0.9)
    figure, axis = plt.subplots(figsize=(width, 0.7 + 0.85 * width * tall + (0.5 if stressed else 0)))
    for shape, options in shapes:
        drawn = matplotlib.collections.LineCollection([shape[line] for line in frame.outlines()], rasterized=len(frame.cells) > 1000, **options)
        axis.add_collection(drawn)
    if stressed:
        factor, unit = larger(np.abs(stress).max(), "Pa")
        limit = factor * np.abs(stress).max()
        drawn.set(array=factor * stress, cmap=PRESSURE_TO_TENSION, clim=(-limit, limit))
        figure.colorbar(drawn, ax=axis, orientation="horizontal", label=f"stress ({unit}), tension positive", fraction=0.06, pad=0.02, aspect=40)
    room = np.maximum(1.12 * across, 0.05 * across.max()) / 2  # also of models without height
    axis.set(xlim=middle[0] + room[0] * np.array([-1, 1]), ylim=middle[1] + room[1] * np.array([-1, 1]))
    axis.set(aspect="equal", xlabel=f"x ({length_unit})" if planar else "", ylabel=f"y ({length_unit})" if planar else "")
    axis.locator_params(axis="y", nbins=4)
    if not planar:
        axis.axis("off")
    return figure, files[most][0], scale


def magnification(wanted):
    """The largest number 1, 2 or 5 times a power of ten that is not above the argument; at least 1."""
    power = 10.0 ** np.floor(np.log10(wanted))
    return max(1.0, max(digit for digit in (1, 2, 5) if digit * power <= wanted * (1 + 1e-9)) * power)


def seen(points, planar):
    """Points on the page: the x-y plane, or a view from above and aside."""
    return points[:, :2] if planar else points @ VIEW.T
