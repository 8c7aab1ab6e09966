"""Figures of a bar that hits a wall, for bar.py and report.py: contact force, energy, x-t diagram of the stress, with d'Alembert's solution if an
Impact (bar_impact.py) is given. `width` in inches; if it is small, panels are arranged one above the other.
"""

import matplotlib.pyplot as plt
import numpy as np

from percuss.bar_impact import reaction_of
from percuss.style import BLACK, BLUE, GREEN, GREY, ON_MAP, ORANGE, PURPLE, TWO_COLUMNS, envelope, is_narrow, legend_above, letter, prefixed
from percuss.results import ResultsError, read_frame, spread

MICRO = 1e6  # s -> us
MILLI = 1e3  # m/s -> mm/s
MEGA = 1e-6  # Pa -> MPa
MOST_FRAMES = 600  # in an x-t diagram: more are not visible
THEORY = {"color": BLACK, "linestyle": (0, (5, 2)), "linewidth": 0.9}


def time_window(run, impact):
    """Time range to show, us: the contact and some flight before and after it, or the whole run."""
    end = run.contacts["time"][-1]
    if impact is None:
        return 0.0, end * MICRO
    return max(0.0, impact.start - 0.3 * impact.duration) * MICRO, min(end, impact.start + 1.35 * impact.duration) * MICRO


def mark_contact(axis, impact):
    """A grey band for the exact contact time."""
    axis.axvspan(impact.start * MICRO, (impact.start + impact.duration) * MICRO, color="#F0F0F0", zorder=0, linewidth=0)


def finish_over_time(figure, axes, run, impact):
    """Common layout of panels over time: contact shaded, legends above, letters, one time axis below."""
    for axis in axes:
        if impact:
            mark_contact(axis, impact)
        legend_above(axis)
    letter(axes)
    axes[-1].set_xlim(time_window(run, impact))
    axes[-1].set_xlabel("time (µs)")
    figure.align_ylabels(axes)
    return figure


def draw_reaction(run, impact, frames, width=TWO_COLUMNS):
    """Force, impulse, velocities and gap over time."""
    figure, axes = plt.subplots(4, 1, figsize=(width, 7.6), sharex=True, gridspec_kw={"height_ratios": [2, 1, 1.5, 1.3]})
    force_panel(axes[0], run, impact)
    impulse_panel(axes[1], run)
    velocity_panel(axes[2], run, impact, frames)
    gap_panel(axes[3], run, impact)
    return finish_over_time(figure, axes, run, impact)


def closed_contacts(run):
    """(name, reaction) of the contacts that close."""
    reactions = [(name, reaction_of(run, name)) for name in run.contact_names()]
    found = [(name, reaction) for name, reaction in reactions if reaction]
    if not found:
        raise ResultsError(f"{run.directory}: no contact closes")
    return found


def force_panel(axis, run, impact):
    """Contact force; percussion divided by step for schemes without a separate force."""
    for name, reaction in closed_contacts(run):
        label = f"{name}: " + ("force" if reaction.separate else "percussion / step, without the impact")
        axis.plot(*envelope(reaction.time * MICRO, reaction.force), label=label)
    if impact:
        begin, end, tau = impact.start * MICRO, (impact.start + impact.duration) * MICRO, impact.reaction
        last = reaction.time[-1] * MICRO
        axis.plot([0, begin, begin, end, end, last], [0, 0, tau, tau, 0, 0], label=r"exact, $\tau = E S v_0/c_0$", **THEORY)
        points = {"textcoords": "offset points"}
        axis.annotate(rf"$\tau$ = {tau:.0f} N", (begin, tau), (8, 5), va="bottom", **points)
        if end <= last:
            low = 0.12 * tau
            axis.annotate("", (begin, low), (end, low), arrowprops={"arrowstyle": "<->", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0})
            axis.annotate(rf"$T = 2L/c_0$ = {end - begin:.1f} µs", ((begin + end) / 2, low), (0, 3), ha="center", **points)
    axis.set_ylabel("contact force (N)")
    axis.set_ylim(bottom=0)


def impulse_panel(axis, run):
    """Impact impulses, one stem each."""
    strikes = {name: strikes_of(run, name, reaction) for name, reaction in closed_contacts(run)}
    factor, unit = prefixed(max(impulses.max(initial=0) for _, impulses in strikes.values()), "N s")
    for number, (name, (times, impulses)) in enumerate(strikes.items()):
        axis.vlines(times * MICRO, 0, impulses * factor, color=f"C{number}", linewidth=1.4)
        axis.plot(times * MICRO, impulses * factor, "o", color=f"C{number}", label=f"{name}: impact impulse")
        if len(times) == 1:
            note = rf"$\Lambda$ = {impulses[0] * factor:.4g} {unit}, one step"
            axis.annotate(note, (times[0] * MICRO, impulses[0] * factor), (6, -3), textcoords="offset points", va="center")
    axis.set_ylabel(f"impulse ({unit})")
    axis.set_ylim(bottom=0)
    axis.margins(y=0.15)


def strikes_of(run, name, reaction):
    """Times and impulses of the impacts of a contact; from the events if contacts.csv does not have every step."""
    if reaction.complete:
        struck = reaction.impulse > 0
        return reaction.time[struck], reaction.impulse[struck]
    struck = (run.events["contact"] == name) & (run.events["event"] == "impact")
    return run.events["time"][struck], run.events["impulse"][struck]


def velocity_panel(axis, run, impact, frames):
    """Velocities of the contact node and the far end, or of all probes."""
    if impact is None:
        for name, values in run.history.items():
            if name.rsplit(".", 1)[-1] in ("vx", "vy", "vz") and np.any(values):
                axis.plot(*envelope(run.history["time"] * MICRO, values * MILLI), label=name)
    else:
        name = run.contact_names()[0]
        time = run.contacts["time"]
        axis.plot(*envelope(time * MICRO, run.contacts[f"{name}.gap_rate"] * MILLI), color=BLUE, label="contact node")
        axis.plot(*envelope(*far_end(run, frames)), color=ORANGE, label="far end")
        for s in (0.0, impact.length):
            axis.plot(*envelope(time * MICRO, impact.exact_velocity(s, time) * MILLI), label="exact" if s == 0 else None, **THEORY)
    axis.set_ylabel("velocity (mm/s)")


def far_end(run, frames):
    """Time (us) and velocity (mm/s) of the free end: of a probe that moves like that node in every frame, else from the frames."""
    frame_time = np.array([frame.time for frame in frames])
    in_frames = np.array([frame.velocity[-1] for frame in frames])
    for name, values in run.history.items():
        if name.rsplit(".", 1)[-1] not in ("vx", "vy", "vz"):
            continue
        at_frames = np.interp(frame_time, run.history["time"], values)
        for sign in (1, -1):
            if np.allclose(sign * at_frames, in_frames, rtol=0, atol=1e-9 * np.abs(in_frames).max()):
                return run.history["time"] * MICRO, sign * values * MILLI
    return frame_time * MICRO, in_frames * MILLI


def gap_panel(axis, run, impact):
    """Gaps over time: displacement of the contact node relative to the wall."""
    time = run.contacts["time"]
    names = [name for name, _ in closed_contacts(run)]
    low, high = time_window(run, impact)
    shown = (time * MICRO >= low) & (time * MICRO <= high)
    factor, unit = prefixed(max(np.abs(run.contacts[f"{name}.gap"][shown]).max() for name in names), "m")
    for name in names:
        axis.plot(*envelope(time * MICRO, run.contacts[f"{name}.gap"] * factor), label=f"{name}: gap")
    if impact:
        axis.plot(*envelope(time * MICRO, (impact.gap + impact.exact_displacement(0.0, time)) * factor), label="exact", **THEORY)
        axis.set_ylim(-0.08 * run.contacts[f"{names[0]}.gap"][shown].max() * factor, 1.08 * run.contacts[f"{names[0]}.gap"][shown].max() * factor)
    axis.set_ylabel(f"gap ({unit})")


def draw_energy(run, impact, width=TWO_COLUMNS):
    """Energy, dissipated energy, and numerical energy error."""
    figure, axes = plt.subplots(3, 1, figsize=(width, 6.0), sharex=True, gridspec_kw={"height_ratios": [2, 1, 1]})
    energy = run.energy
    time = energy["time"] * MICRO
    parts = {"kinetic": BLUE, "elastic": ORANGE, "potential": PURPLE}
    total = sum(energy[name] for name in parts)
    factor, unit = prefixed(np.abs(total).max(), "J")
    for name, colour in parts.items():
        if name != "potential" or np.any(energy[name]):
            axes[0].plot(*envelope(time, energy[name] * factor), color=colour, label=name)
    axes[0].plot(*envelope(time, total * factor), color=GREEN, label="total")
    if impact:
        kinetic = impact.exact_kinetic(energy["time"])
        axes[0].plot(*envelope(time, kinetic * factor), label="exact", **THEORY)
        axes[0].plot(*envelope(time, (impact.energy - kinetic) * factor), **THEORY)
    axes[0].set_ylabel(f"energy ({unit})")

    losses = [name for name in ("impact", "friction", "damping") if np.any(energy[name])]
    factor, unit = prefixed(max((energy[name].max() for name in losses), default=1), "J")
    for name, colour in zip(losses, (BLUE, ORANGE, PURPLE)):
        axes[1].plot(*envelope(time, energy[name] * factor), color=colour, label=f"dissipated by {'impacts' if name == 'impact' else name}")
    if impact and np.isfinite(impact.node_loss):
        formula = r"$\sqrt{3}/(6N)\,E_0$" if impact.mass_matrix == "consistent" else r"$E_0/(2N)$"
        axes[1].plot(np.array([impact.start * MICRO, time[-1]]), np.full(2, impact.node_loss * impact.energy * factor), label=formula, **THEORY)
    axes[1].set_ylabel(f"dissipated ({unit})")

    factor, unit = prefixed(np.abs(energy["numerical"]).max(), "J")
    axes[2].plot(*envelope(time, energy["numerical"] * factor), color=GREY, label="numerical energy error")
    axes[2].set_ylabel(f"numerical ({unit})")
    return finish_over_time(figure, axes, run, impact)


def draw_wave(run, impact, frames, width=TWO_COLUMNS):
    """x-t diagram of the axial stress, computed and exact, with the characteristics in both."""
    if impact is None:
        return draw_wave_alone(run, width)
    shape, height = ((2, 1), 5.6) if is_narrow(width) else ((1, 2), 3.6)
    figure, axes = plt.subplots(*shape, figsize=(width, height), sharex=True, sharey=True)
    times, edges = np.array([frame.time for frame in frames]), frames[0].position
    low, high = time_window(run, impact)
    limit = 1.25 * impact.stress * MEGA

    s, t = np.linspace(0, impact.length, 401), np.linspace(low, high, 601)
    exact = impact.exact_stress((s[1:] + s[:-1]) / 2, ((t[1:] + t[:-1]) / 2 / MICRO)[:, None]) * MEGA
    stress_map(axes[0], edges, times, np.array([frame.stress for frame in frames]), limit)
    mesh = axes[1].pcolormesh(s, t, exact, cmap="RdBu_r", vmin=-limit, vmax=limit, rasterized=True)
    axes[0].set_title(f"percuss, {impact.elements} elements")
    axes[1].set_title("d'Alembert")
    for axis in axes:
        front = np.array([0, 0.5, 1]) * impact.duration + impact.start
        axis.plot([0, impact.length, 0], front * MICRO, color=ON_MAP, linewidth=0.8, linestyle=(0, (4, 3)))
        axis.grid(False)
        axis.label_outer()
        axis.set(xlabel="distance from the contact end (m)" if axis.get_subplotspec().is_last_row() else "")
        axis.set(ylabel="time (µs)" if axis.get_subplotspec().is_first_col() else "")
    axes[1].annotate(r"$s = c_0\,(t - t_0)$", (0.56 * impact.length, (impact.start + 0.23 * impact.duration) * MICRO), color=ON_MAP)
    axes[1].annotate(r"$s = 2L - c_0\,(t - t_0)$", (0.5 * impact.length, (impact.start + 0.80 * impact.duration) * MICRO), color=ON_MAP)
    axes[0].set(xlim=(0, impact.length), ylim=(low, high))
    figure.colorbar(mesh, ax=axes, label="axial stress (MPa), tension positive", extend="both", pad=0.02)
    letter(axes)
    return figure


def draw_wave_alone(run, width):
    """The x-t diagram of any number of bars in one line; None if the elements are not in one line, as in a truss."""
    files = spread(run.frames(), MOST_FRAMES)
    first = read_frame(files[0][1])
    if "stress" not in first.cell:
        return None
    direction = first.points[first.cells[0][1]] - first.points[first.cells[0][0]]
    direction = direction / np.linalg.norm(direction)
    along = first.points @ direction
    across = first.points - np.outer(along, direction)
    if np.ptp(across, axis=0).max() > 1e-9 * np.ptp(along):
        return None
    frames, times = [read_frame(path) for _, path in files], np.array([time for time, _ in files])
    limit = max(np.abs(frame.cell["stress"]).max() for frame in frames) * MEGA
    ends = np.array([np.sort(along[cell]) for cell in first.cells])
    figure, axis = plt.subplots(figsize=(width, 3.6))
    for body in np.unique(first.cell["body"]):
        cells = np.flatnonzero(first.cell["body"] == body)
        cells = cells[np.argsort(ends[cells, 0])]
        edges = np.append(ends[cells, 0], ends[cells[-1], 1])
        mesh = stress_map(axis, edges, times, np.array([frame.cell["stress"][cells] for frame in frames]), limit)
        if edges[0] > along.min():
            axis.axvline(edges[0], color=ON_MAP, linewidth=0.8)
    axis.grid(False)
    axis.set(xlabel="position along the bars (m)", ylabel="time (µs)", ylim=(0, times[-1] * MICRO))
    figure.colorbar(mesh, ax=axis, label="axial stress (MPa), tension positive", pad=0.02)
    return figure


def stress_map(axis, edges, times, stress, limit):
    """Stress [times, elements] as a colour map; each frame fills the time around it."""
    middles = (times[1:] + times[:-1]) / 2
    between = np.concatenate([times[:1], middles, times[-1:]]) * MICRO
    return axis.pcolormesh(edges, between, stress * MEGA, cmap="RdBu_r", vmin=-limit, vmax=limit, rasterized=True)
