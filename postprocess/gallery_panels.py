"""Panels of the gallery pictures: each draws one aspect of a run into an axis, `panel(axis, run, ...)`; PICTURES assigns panels to configs."""

import functools
import pathlib
import tempfile

import matplotlib.collections
import matplotlib.pyplot as plt
import numpy as np

import percuss_path  # noqa: F401
import view
from percuss.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, prefixed, total_energy
from percuss.results import read_frame
from percuss.rotor_orbit import clearance_of, poincare_points, stations, waterfall

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, BLACK)
ROWS = 4000  # of a line; more are not visible
FRAMES = 300  # of a stress map


def thinned(values, count=ROWS):
    """Every n-th row."""
    return values[:: max(1, len(values) // count)]


def time_of(table):
    """(times, label) in a suitable unit."""
    factor, unit = prefixed(table["time"][-1], "s")
    return factor * table["time"], f"time ({unit})"


def first_lines(axis):
    """A legend if there is more than one line."""
    if len(axis.get_legend_handles_labels()[1]) > 1:
        axis.legend(loc="best", fontsize=7, handlelength=1.2, frameon=True, framealpha=0.8, edgecolor="none")


# The scene ---------------------------------------------------------------------------------------------------------------------------------------


def scene(axis, run, frame=-1, scale=None, colour=None):
    """A frame as view.py draws it: bodies as tubes, coloured, contact forces as arrows."""
    import vtkmodules.all as vtk

    found = view.find_scene(run.directory, 1)
    view.measure(vtk, found, scale, colour)
    found.title = f"{found.colour}, at most {found.limit:.3g}"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scene.png"
        view.draw(vtk, found, frame % len(found.frames), path)
        image = plt.imread(path)[:, :, :3]
    bare = image[:, : int(0.87 * image.shape[1])]  # without the colour bar
    words = int(0.12 * image.shape[0])
    rows, columns = (np.flatnonzero((bare[words:] < 0.99).any(axis=(2, other)).ravel()) for other in (1, 0))
    rows = rows + words
    margin = 12
    axis.imshow(bare[max(0, rows[0] - margin) : rows[-1] + margin, max(0, columns[0] - margin) : columns[-1] + margin])
    axis.axis("off")
    time, unit = prefixed(found.frames[frame][0], "s") if found.frames[frame][0] else (1, "s")
    axis.set_title(f"t = {time * found.frames[frame][0]:.4g} {unit}, displacements x {found.scale:g}, {found.colour} in colours", fontsize=7.5)


def strobe(axis, run, count=12, until=None):
    """A mechanism at equally spaced times, from pale to dark; fixed parts are grey."""
    frames = [(time, path) for time, path in run.frames() if until is None or time <= until]
    shown = [frames[i][1] for i in np.linspace(0, len(frames) - 1, count).astype(int)]
    places = []
    for path in shown:
        frame = read_frame(path)
        places.append(frame.points + frame.point["displacement"])
    places = np.array(places)
    first, second = np.sort(np.argsort(np.ptp(places.reshape(-1, 3), axis=0), kind="stable")[1:])  # the plane of the two largest extents
    places = places[:, :, [first, second]]
    moves = np.ptp(places, axis=0).max(axis=1) > 1e-9 * np.ptp(places.reshape(-1, 2), axis=0).max()
    still, rest = ([cell for cell in frame.outlines() if moves[cell].any() == moving] for moving in (False, True))
    axis.add_collection(matplotlib.collections.LineCollection([places[0][cell] for cell in still], colors=GREY, linewidths=1.6))
    for place, dark in zip(places, np.linspace(0.15, 1, count)):
        axis.add_collection(matplotlib.collections.LineCollection([place[cell] for cell in rest], colors=BLUE, linewidths=1.1, alpha=dark))
    low, high = places.reshape(-1, 2).min(axis=0), places.reshape(-1, 2).max(axis=0)
    room = 0.05 * (high - low).max()
    axis.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room), aspect="equal", xlabel=f"{'xyz'[first]} (m)", ylabel=f"{'xyz'[second]} (m)")
    axis.grid(False)


# Over time ---------------------------------------------------------------------------------------------------------------------------------------


def wave(axis, run):
    """Axial stress of bars in one line over position and time."""
    files = thinned(run.frames(), FRAMES)
    frames = [read_frame(path) for _, path in files]
    factor, unit = prefixed(files[-1][0], "s")
    first, limit = frames[0], max(np.abs(frame.cell["stress"]).max() for frame in frames) / 1e6
    for body in np.unique(first.cell["body"]):
        cells = np.flatnonzero(first.cell["body"] == body)
        ends = np.array([np.sort(first.points[first.cells[cell], 0]) for cell in cells])
        order = np.argsort(ends[:, 0])
        edges = np.append(ends[order, 0], ends[order[-1], 1])
        stress = np.array([frame.cell["stress"][cells[order]] for frame in frames[1:]]) / 1e6
        mesh = axis.pcolormesh(edges, factor * np.array([time for time, _ in files]), stress, cmap="RdBu_r", vmin=-limit, vmax=limit, rasterized=True)
    axis.figure.colorbar(mesh, ax=axis, label="stress (MPa)", pad=0.02)
    axis.set(xlabel="x (m)", ylabel=f"time ({unit})")
    axis.grid(False)


def force(axis, run, names=(), stop=None):
    """Contact forces over time, and impulses, if any, on a second axis."""
    time, label = time_of(run.contacts)
    names = names or run.contact_names()[:4]
    most = max(np.abs(run.contacts[f"{name}.force"]).max() for name in names)
    largest = max(np.abs(run.contacts[f"{name}.impulse"]).max() for name in names)
    factor, unit = prefixed(most, "N") if most else (1, "N")
    factor, unit = (1e-3, "kN") if most >= 1e4 else (factor, unit)
    for name, colour in zip(names, COLOURS):
        axis.plot(thinned(time), thinned(factor * run.contacts[f"{name}.force"]), color=colour, linewidth=0.7, label=name)
    axis.set(xlabel=label, ylabel=f"force ({unit})", xlim=(0, stop if stop else time[-1]))
    if all(run.contacts[f"{name}.force"].min() >= 0 for name in names):
        axis.set_ylim(bottom=0)
    first_lines(axis)
    if not largest:
        return
    other = axis.twinx()
    factor, unit = prefixed(largest, "N s")
    for name, colour in zip(names, COLOURS):
        struck = np.flatnonzero(run.contacts[f"{name}.impulse"])
        other.vlines(time[struck], 0, factor * run.contacts[f"{name}.impulse"][struck], color=colour, linewidth=0.9, linestyle=(0, (2, 1)))
    other.set(ylabel=f"impulses, dashed ({unit})", ylim=(0, None))
    other.grid(False)
    other.spines["right"].set_visible(True)


def total_force(axis, run):
    """Sum of all contact forces over time."""
    time, label = time_of(run.contacts)
    total = sum(run.contacts[f"{name}.force"] for name in run.contact_names())
    factor, unit = prefixed(np.abs(total).max(), "N")
    axis.plot(time, factor * total, color=COLOURS[0], linewidth=0.9)
    axis.set(xlabel=label, ylabel=f"contact force, sum ({unit})", xlim=(0, time[-1]), ylim=(0, None))


def columns(axis, run, table, names, unit, label, labels=None):
    """Columns of a table over time."""
    rows = getattr(run, table)
    time, time_label = time_of(rows)
    values = [rows[name] for name in names]
    factor, unit = prefixed(max(np.abs(value).max() for value in values), unit) if unit else (1, unit)
    for name, value, colour in zip(labels or names, values, COLOURS):
        axis.plot(thinned(time), thinned(factor * value), color=colour, linewidth=0.9, label=name)
    axis.set(xlabel=time_label, ylabel=f"{label} ({unit})" if unit else label, xlim=(0, time[-1]))
    first_lines(axis)


def energy(axis, run):
    """Energy and dissipated energy."""
    table = run.energy
    time, label = time_of(table)
    lines = {"stored": total_energy(run), **{name: table[name] for name in ("load", "impact", "friction", "damping")}}
    if max(np.abs(table[name]).max() for name in ("load", "impact", "friction", "damping")) < 1e-9 * np.abs(lines["stored"]).max():
        lines = {name: table[name] for name in ("kinetic", "elastic", "potential")}
    lines = {name: values for name, values in lines.items() if np.any(np.abs(values) > 0)}
    factor, unit = prefixed(max(np.abs(values).max() for values in lines.values()), "J")
    for (name, values), colour in zip(lines.items(), COLOURS):
        axis.plot(thinned(time), thinned(factor * values), color=colour, label=name)
    axis.set(xlabel=label, ylabel=f"energy ({unit})", xlim=(0, time[-1]))
    first_lines(axis)


def error(axis, run):
    """Relative change of the energy in per cent, for runs that should conserve it."""
    time, label = time_of(run.energy)
    total = total_energy(run)
    axis.plot(thinned(time), thinned(100 * (total / total[0] - 1)), color=BLUE, linewidth=0.8)
    axis.set(xlabel=label, ylabel="change of energy (%)", xlim=(0, time[-1]))


# Rotors ------------------------------------------------------------------------------------------------------------------------------------------


def orbit(axis, run, name=None):
    """The orbit of a station: whole run, last quarter, once per revolution; with the clearance."""
    station = next(found for found in stations(run) if name in (None, found.name))
    factor, unit = prefixed(station.radius.max(), "m")
    late = station.last_quarter()
    for part, colour, label in ((station, "#BBBBBB", "whole run"), (late, BLUE, "last quarter")):
        z = factor * thinned(part.z, 12000)
        axis.plot(z.real, z.imag, color=colour, linewidth=0.5, label=label)
    turn, z = poincare_points(run, station.name)
    if len(turn):
        z = factor * z[turn >= 0.75 * turn.max()]
        axis.plot(z.real, z.imag, ".", color=ORANGE, markersize=3, label="once per revolution")
    found = clearance_of(run, station)
    if found:
        angle = np.linspace(0, 2 * np.pi, 200)
        axis.plot(factor * found[1] * np.cos(angle), factor * found[1] * np.sin(angle), color=BLACK, linewidth=0.9, linestyle=(0, (4, 3)), label="clearance")
    axis.set(xlabel=f"{station.name}: $u_2$ ({unit})", ylabel=f"$u_3$ ({unit})", aspect="equal")
    axis.set_title("grey: whole run; blue: last quarter; dots: once per revolution" + ("; dashed: clearance" if found else ""), fontsize=7.5)


def spectra(axis, run, name=None, limit=200):
    """Full spectra over the speed: forward whirl on the right."""
    station = next(found for found in stations(run) if name in (None, found.name))
    fall = waterfall(station)
    there = np.abs(fall.frequency) <= limit
    level = np.log10(np.maximum(fall.amplitude[:, there], 1e-12))
    mesh = axis.pcolormesh(fall.frequency[there], fall.spin_rate * 30 / np.pi, level, cmap="magma_r", vmin=level.max() - 4, vmax=level.max(), shading="nearest", rasterized=True)
    axis.figure.colorbar(mesh, ax=axis, label="lg(amplitude in m)", pad=0.02)
    axis.set(xlabel="frequency (Hz), forward on the right", ylabel="speed (rpm)")
    axis.grid(False)


def spin(axis, run, name=None):
    """Speed of the shaft and radius of the orbit over time."""
    station = next(found for found in stations(run) if name in (None, found.name))
    factor, unit = prefixed(station.radius.max(), "m")
    axis.plot(thinned(station.time, 8000), factor * thinned(station.radius, 8000), color=BLUE, linewidth=0.5)
    axis.set(xlabel="time (s)", ylabel=f"radius of the orbit ({unit})", xlim=(0, station.time[-1]))
    axis.yaxis.label.set_color(BLUE)
    other = axis.twinx()
    other.plot(thinned(station.time), thinned(station.spin_rate) * 30 / np.pi, color=ORANGE)
    other.set(ylabel="speed (rpm)", ylim=(0, None))
    other.yaxis.label.set_color(ORANGE)
    other.grid(False)
    other.spines["right"].set_visible(True)


# Panels of each config ------------------------------------------------------------------------------------------------------------------

panel = functools.partial
BAR = (wave, force)

PICTURES = {
    "elastic_bar": BAR,
    "elastic_bar_1000": BAR,
    "elastic_bar_damped": BAR,
    "elastic_bar_lumped": BAR,
    "elastic_bar_implicit": BAR,
    "elastic_bar_redistributed": BAR,
    "elastic_bar_modal": BAR,
    "elastic_bar_events": BAR,
    "two_bars": BAR,
    "bar_between_walls": BAR,
    "stepped_bar": BAR,
    "truss_on_stop": (panel(scene, frame=2), force),
    "lattice_drop": (panel(scene, frame=23), panel(columns, table="energy", names=("kinetic", "elastic", "impact"), unit="J", label="energy")),
    "lattice_slide": (panel(columns, table="history", names=("plate.left_bottom_back.vx", "plate.left_bottom_back.vy", "plate.right_top_front.vy"), unit="m/s", label="velocity", labels=("bottom: x", "bottom: y", "top: y")), panel(columns, table="energy", names=("kinetic", "elastic", "impact", "friction"), unit="J", label="energy")),
    "beam_drop": (panel(columns, table="history", names=("beam.left.uy",), unit="m", label="height"), energy),
    "ball_on_wall": (panel(scene, frame=15, colour="speed"), total_force),
    "solid_bar": (panel(scene, frame=12), total_force),
    "fibres_off_axis": (panel(scene, frame=12), total_force),
    "block_on_base": (panel(scene, frame=5, scale=3000), panel(columns, table="history", names=("block.all.vx",), unit="m/s", label="velocity of the block")),
    "measured_cantilever": (panel(columns, table="history", names=("rosette.strain_a", "rosette.strain_b", "rosette.strain_c"), unit=None, label="strain", labels=("0 degrees", "45 degrees", "90 degrees")), panel(columns, table="body_energies", names=("plate.kinetic", "plate.elastic", "plate.damping", "block.elastic"), unit="J", label="energy", labels=("plate: kinetic", "elastic", "damping", "block: elastic"))),
    "block_slides": (panel(scene, frame=20), total_force),
    "beam_from_matrices": (panel(scene, frame=9, scale=20), panel(columns, table="history", names=("bar.corner.uy", "bar.corner.uz"), unit="m", label="corner", labels=("down: y", "sideways: z"))),
    "blade_rubs": (panel(scene, frame=8, scale=500), total_force),
    "ball_shower": (panel(scene, frame=12), panel(columns, table="energy", names=("kinetic", "potential", "impact"), unit="J", label="energy")),
    "beam_on_stop": (panel(scene, frame=11, scale=8), panel(columns, table="history", names=("beam.right.uy", "beam.right.uz"), unit="m", label="tip", labels=("down: y", "sideways: z"))),
    "beam_on_stop_redistributed": (panel(scene, frame=11, scale=8), panel(force, stop=20)),
    "vibrating_table": (panel(columns, table="history", names=("orbiting.center.uz", "resting.center.uz"), unit="m", label="displacement", labels=("0.3 mm, e = 0.8", "0.6 mm, e = 0.3")), panel(columns, table="energy", names=("load", "impact"), unit="J", label="energy")),
    "shaken_beam": (panel(scene, frame=5, scale=8), panel(columns, table="history", names=("beam.right.uy", "beam.left.uy"), unit="m", label="displacement", labels=("tip", "clamp"))),
    "trolley_on_bridge": (panel(scene, frame=15, scale=1), panel(columns, table="history", names=("bridge@0.5.uz",), unit="m", label="middle of the bridge")),
    "link_breaks": (panel(scene, frame=20, scale=20), panel(columns, table="history", names=("upper.right.uy", "lower.right.uy"), unit="m", label="tip", labels=("upper", "lower"))),
    "beam_on_bumper": (panel(scene, frame=12, scale=8), panel(columns, table="history", names=("beam.right.uy",), unit="m", label="tip")),
    "rotor_in_safety_bearing": (panel(orbit, name="journal"), panel(spin, name="journal")),
    "rotor_adaptive": (panel(scene, frame=-1), panel(orbit, name="journal")),
    "rotor_in_two_bearings": (panel(scene, frame=-1), panel(spectra, name="fan")),
    "rotor_run_up": (panel(scene, frame=-1), panel(spin, name="disc")),
    "rotor_blade_out": (panel(orbit, name="fan"), panel(columns, table="history", names=("shaft@0.5.uy", "shaft@0.5.uz"), unit="m", label="fan", labels=("y", "z"))),
    "rotor_drop": (panel(orbit, name="front"), panel(columns, table="history", names=("shaft.left.uz",), unit="m", label="front journal")),
    "geared_rotors": (panel(scene, frame=-1), panel(columns, table="history", names=("motor_shaft@0.15 m.wx", "fan_shaft.right.wx"), unit=None, label="speed (rad/s)", labels=("motor", "fan"))),
    "touchdown_bearing": (panel(columns, table="history", names=("shaft.left.uz",), unit="m", label="journal"), panel(columns, table="history", names=("ring@0.5.wx",), unit=None, label="spin of the ring (rad/s)")),
    "rotor_rub_modal": (panel(orbit, name="right"), panel(force, stop=200)),
    "rotor_friswell": (panel(scene, frame=-1), panel(orbit, name="one")),
    "journal_bearings": (panel(orbit, name="left"), panel(spin, name="left")),
    "journal_lifts_off": (panel(orbit, name="left"), panel(columns, table="energy", names=("friction", "damping"), unit="J", label="dissipated", labels=("friction", "oil film"))),
    "ball_bearing": (panel(scene, frame=-1), panel(columns, table="history", names=("shaft@0.5.uz",), unit="m", label="wheel")),
    "pump_seals": (panel(scene, frame=-1), panel(columns, table="history", names=("shaft@0.4 m.uy", "shaft@0.4 m.uz"), unit="m", label="first stage", labels=("y", "z"))),
    "pump_shaft": (panel(orbit, name="impeller"), panel(spectra, name="impeller", limit=170)),
    "spin_down": (strobe, panel(columns, table="history", names=("disc.center.wx",), unit=None, label="spin (rad/s)")),
    "slider_crank": (panel(strobe, count=9, until=0.09), force),
    "slider_crank_ggl": (panel(strobe, count=9, until=0.2), energy),
    "slider_crank_bilateral": (
        panel(strobe, count=9, until=0.09),
        panel(columns, table="contacts", names=("guide.gap",), unit="m", label="drift of the joint"),
    ),
    "slider_crank_two_joints": (
        panel(strobe, count=9, until=1.0),
        panel(columns, table="contacts", names=("guide.gap", "slider.gap"), unit="m", label="drift of the joints"),
    ),
    "ball_in_box": (panel(strobe, count=25), panel(force, names=("left", "below"))),
    "bouncing_ball": (panel(columns, table="history", names=("ball.y",), unit="m", label="height"), energy),
    "ball_chain": (panel(strobe, count=2), panel(columns, table="history", names=("row.v1", "row.v2", "row.v3"), unit=None, label="velocity (m/s)")),
    "oscillator": (panel(columns, table="history", names=("mass.x",), unit="m", label="position"), force),
    "impact_oscillator": (panel(columns, table="history", names=("mass.center.ux",), unit="m", label="position"), energy),
    "duffing_oscillator": (panel(columns, table="history", names=("mass.center.ux",), unit="m", label="position"), energy),
    "whirl_on_wall": (panel(columns, table="history", names=("disc.center.uy",), unit="m", label="position"), energy),
    "friction_oscillator": (panel(columns, table="history", names=("mass.center.ux",), unit="m", label="position"), panel(columns, table="history", names=("mass.center.vx",), unit=None, label="velocity (m/s)")),
    "rocking_block": (panel(strobe, count=9), force),
    "rocking_block_housner": (panel(strobe, count=3, until=0.45), panel(columns, table="history", names=("block.theta",), unit="rad", label="angle")),
    "pendulum_in_ring": (panel(strobe, count=14, until=0.57), energy),
    "spring_pendulum": (panel(strobe, count=13, until=12), error),
    "spinning_top": (panel(strobe, count=4, until=0.5), panel(columns, table="history", names=("top.head.x", "top.head.y", "top.head.z"), unit="m", label="place of the head")),
    "rolling_ball": (panel(columns, table="history", names=("ball.x",), unit="m", label="distance"), panel(columns, table="history", names=("ball.wy", "ball.wz"), unit=None, label="turning (rad/s)", labels=("rolling", "spinning"))),
    "woodpecker": (panel(strobe, count=4, until=0.13), panel(columns, table="history", names=("sleeve.y",), unit="m", label="sleeve")),
    "wall_of_boxes": (panel(scene, frame=20), panel(columns, table="energy", names=("kinetic", "potential", "impact", "friction"), unit="J", label="energy")),
    "dominoes": (panel(strobe, count=3, until=0.6), panel(columns, table="history", names=("tile_5.angle", "tile_10.angle", "tile_15.angle", "tile_20.angle"), unit="rad", label="angle")),
    "rolling_balls": (panel(scene, frame=20), panel(columns, table="history", names=("ball_1.x", "ball_1.y"), unit="m", label="ball 1")),
    "newton_cradle": (panel(scene, frame=20), panel(columns, table="history", names=("ball_1.vx", "ball_2.vx", "ball_20.vx"), unit=None, label="velocity (m/s)")),
    "rotor_annular_rub": (panel(orbit, name="wheel"), energy),
    "rotor_in_polygon": (panel(scene, frame=-1), panel(orbit, name="wheel")),
    "box_on_belt": (panel(strobe, count=4), panel(columns, table="history", names=("box.x", "box.z"), unit="m", label="center")),
    "stribeck_belt": (panel(columns, table="history", names=("block.center.ux",), unit="m", label="block"), panel(columns, table="contacts", names=("belt.slip_velocity_1",), unit="m/s", label="slip")),
    "rod_hits_floor": (panel(strobe, count=4), panel(columns, table="history", names=("rod.tip.y", "rod.top.y"), unit="m", label="height of the ends")),
    "crank_in_space": (panel(strobe, count=6, until=1), panel(columns, table="history", names=("slider.x",), unit="m", label="slider")),
    "four_bar": (panel(strobe, count=9, until=0.2), panel(force, names=("C",))),
    "elastic_slider_crank": (panel(strobe, count=9, until=0.0175), panel(force, names=("pin",))),
    "hinge_with_friction": (panel(columns, table="history", names=("A.angle",), unit="rad", label="angle"), panel(columns, table="contacts", names=("A.y.friction_torque",), unit="N m", label="friction")),
    "engine_on_mounts": (panel(columns, table="history", names=("block.x", "block.z"), unit="m", label="block"), panel(columns, table="history", names=("joints.mount1.fx", "joints.mount1.fz"), unit="N", label="force of a mount")),
    "edge": (panel(strobe, count=12), force),
    "belt_block": (panel(columns, table="history", names=("block.x",), unit="m", label="block"), panel(columns, table="contacts", names=("belt.slip_velocity_1",), unit="m/s", label="slip")),
}
