"""Figures of a bar that hits a wall, for bar.py and report.py: contact force, energy, x-t diagram of the stress, with d'Alembert's solution if an
Impact (bar_impact.py) is given. `width` in inches; if it is small, panels are arranged one above the other.
"""

import matplotlib.pyplot as plt
import numpy as np

from percuss.bar_impact import reaction_of
from percuss.style import BLACK, BLUE, GREEN, GREY, MOST_LINES, ON_MAP, ORANGE, PURPLE, TWO_COLUMNS
from percuss.style import envelope, is_narrow, larger, legend_above, letter, prefixed, say_rest, time_axis
from percuss.results import ResultsError, read_frame, spread

MOST_FRAMES = 600  # in an x-t diagram: more are not visible
THEORY = {"color": BLACK, "linestyle": (0, (5, 2)), "linewidth": 0.9}


def time_window(run, impact):
    """Time range to show, s: the contact and some flight before and after it, or the whole run."""
    end = run.contacts["time"][-1]
    if impact is None:
        return 0.0, end
    return max(0.0, impact.start - 0.3 * impact.duration), min(end, impact.start + 1.35 * impact.duration)


def clock(run, impact):
    """(factor, label) of the time axis."""
    return time_axis(time_window(run, impact)[1])


def finish_over_time(figure, axes, run, impact):
    """Common layout of panels over time: contact shaded, legends above, letters, one time axis below."""
    factor, label = clock(run, impact)
    for axis in axes:
        if impact:
            axis.axvspan(factor * impact.start, factor * (impact.start + impact.duration), color="#F0F0F0", zorder=0, linewidth=0)
        legend_above(axis)
    letter(axes)
    axes[-1].set_xlim(factor * np.array(time_window(run, impact)))
    axes[-1].set_xlabel(label)
    figure.align_ylabels(axes)
    return figure


def draw_reaction(run, impact, frames, width=TWO_COLUMNS):
    """Force, impulse, velocities and gap over time; without panels that would be empty."""
    closed, rest = closed_contacts(run)
    strikes = {name: strikes_of(run, name, reaction) for name, reaction in closed}
    moving = [name for name, values in run.history.items() if name.rsplit(".", 1)[-1] in ("vx", "vy", "vz") and np.any(values)]
    pressed = impact or any(np.any(reaction.force) for _, reaction in closed)
    panels = [(2, lambda axis: force_panel(axis, run, impact, closed, rest))] if pressed else []
    panels += [(1, lambda axis: impulse_panel(axis, run, impact, strikes))] if any(len(times) for times, _ in strikes.values()) else []
    panels += [(1.5, lambda axis: velocity_panel(axis, run, impact, frames, moving))] if impact or moving else []
    panels += [(1.3, lambda axis: gap_panel(axis, run, impact, closed))]
    ratios = [ratio for ratio, _ in panels]
    figure, axes = plt.subplots(len(panels), 1, figsize=(width, 1.3 * sum(ratios)), sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios})
    for axis, (_, draw) in zip(axes[:, 0], panels):
        draw(axis)
    return finish_over_time(figure, axes[:, 0], run, impact)


def closed_contacts(run):
    """([(name, reaction)] of the contacts that close, of many those with the largest impulses; how many others close)."""
    reactions = [(name, reaction_of(run, name)) for name in run.contact_names()]
    found = [(name, reaction) for name, reaction in reactions if reaction]
    if not found:
        raise ResultsError(f"{run.directory}: no contact closes")
    strength = {name: np.trapz(reaction.force, reaction.time) + reaction.impulse.sum() for name, reaction in found}
    most = sorted(strength, key=strength.get, reverse=True)[:MOST_LINES]
    return [(name, reaction) for name, reaction in found if name in most], len(found) - len(most)


def force_panel(axis, run, impact, closed, rest):
    """Contact force; percussion divided by step for schemes without a separate force."""
    clock_factor, label = clock(run, impact)
    size, unit = prefixed(max(reaction.force.max() for _, reaction in closed), "N")
    for name, reaction in closed:
        words = f"{name}: " + ("force" if reaction.separate else "percussion / step, without the impact")
        axis.plot(*envelope(clock_factor * reaction.time, size * reaction.force), label=words)
    say_rest(axis, rest)
    if impact:
        begin, end, tau = clock_factor * impact.start, clock_factor * (impact.start + impact.duration), size * impact.reaction
        last = clock_factor * closed[0][1].time[-1]
        axis.plot([0, begin, begin, end, end, last], [0, 0, tau, tau, 0, 0], label=r"exact, $\tau = E S v_0/c_0$", **THEORY)
        points = {"textcoords": "offset points"}
        axis.annotate(rf"$\tau$ = {tau:.4g} {unit}", (begin, tau), (8, 5), va="bottom", **points)
        if end <= last:
            low = 0.12 * tau
            axis.annotate("", (begin, low), (end, low), arrowprops={"arrowstyle": "<->", "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0})
            words = rf"$T = 2L/c_0$ = {end - begin:.4g} {label[6:-1]}"
            axis.annotate(words, ((begin + end) / 2, low), (0, 3), ha="center", **points)
    axis.set_ylabel(f"contact force ({unit})")
    axis.set_ylim(bottom=0)


def impulse_panel(axis, run, impact, strikes):
    """Impact impulses, one stem each; a single one with its value."""
    clock_factor = clock(run, impact)[0]
    factor, unit = prefixed(max(impulses.max(initial=0) for _, impulses in strikes.values()), "N s")
    for number, (name, (times, impulses)) in enumerate(strikes.items()):
        axis.vlines(clock_factor * times, 0, impulses * factor, color=f"C{number}", linewidth=1.4)
        axis.plot(clock_factor * times, impulses * factor, "osD^vP"[number % 6], color=f"C{number}", label=f"{name}: impact impulse" if len(times) else None)
        if len(times) == 1 and len(strikes) == 1:
            note = rf"$\Lambda$ = {impulses[0] * factor:.4g} {unit}, one step"
            axis.annotate(note, (clock_factor * times[0], impulses[0] * factor), (6, -3), textcoords="offset points", va="center")
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


def velocity_panel(axis, run, impact, frames, moving):
    """Velocities of the contact node and the far end, or of the first probes."""
    factor = clock(run, impact)[0]
    if impact is None:
        size, unit = prefixed(max(np.abs(run.history[name]).max() for name in moving[:MOST_LINES]), "m/s")
        for name in moving[:MOST_LINES]:
            axis.plot(*envelope(factor * run.history["time"], size * run.history[name]), label=name)
        say_rest(axis, len(moving) - MOST_LINES)
    else:
        name = run.contact_names()[0]
        time, rate = run.contacts["time"], run.contacts[f"{name}.gap_rate"]
        size, unit = prefixed(np.abs(rate).max(), "m/s")
        axis.plot(*envelope(factor * time, size * rate), color=BLUE, label="contact node")
        end_time, end_velocity = far_end(run, frames)
        axis.plot(*envelope(factor * end_time, size * end_velocity), color=ORANGE, label="far end")
        for s in (0.0, impact.length):
            axis.plot(*envelope(factor * time, size * impact.exact_velocity(s, time)), label="exact" if s == 0 else None, **THEORY)
    axis.set_ylabel(f"velocity ({unit})")


def far_end(run, frames):
    """Time and velocity of the free end: of a probe that moves like that node in every frame, else from the frames."""
    frame_time = np.array([frame.time for frame in frames])
    in_frames = np.array([frame.velocity[-1] for frame in frames])
    for name, values in run.history.items():
        if name.rsplit(".", 1)[-1] not in ("vx", "vy", "vz"):
            continue
        at_frames = np.interp(frame_time, run.history["time"], values)
        for sign in (1, -1):
            if np.allclose(sign * at_frames, in_frames, rtol=0, atol=1e-9 * np.abs(in_frames).max()):
                return run.history["time"], sign * values
    return frame_time, in_frames


def gap_panel(axis, run, impact, closed):
    """Gaps over time: displacement of the contact node relative to the wall."""
    clock_factor, time = clock(run, impact)[0], run.contacts["time"]
    names = [name for name, _ in closed]
    low, high = time_window(run, impact)
    shown = (time >= low) & (time <= high)
    factor, unit = prefixed(max(np.abs(run.contacts[f"{name}.gap"][shown]).max() for name in names), "m")
    for name in names:
        axis.plot(*envelope(clock_factor * time, run.contacts[f"{name}.gap"] * factor), label=f"{name}: gap")
    if impact:
        axis.plot(*envelope(clock_factor * time, (impact.gap + impact.exact_displacement(0.0, time)) * factor), label="exact", **THEORY)
        axis.set_ylim(-0.08 * run.contacts[f"{names[0]}.gap"][shown].max() * factor, 1.08 * run.contacts[f"{names[0]}.gap"][shown].max() * factor)
    axis.set_ylabel(f"gap ({unit})")


def draw_energy(run, impact, width=TWO_COLUMNS):
    """Energy, dissipated energy, and numerical energy error."""
    figure, axes = plt.subplots(3, 1, figsize=(width, 6.0), sharex=True, gridspec_kw={"height_ratios": [2, 1, 1]})
    energy, clock_factor = run.energy, clock(run, impact)[0]
    time = clock_factor * energy["time"]
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
        axes[1].plot(np.array([clock_factor * impact.start, time[-1]]), np.full(2, impact.node_loss * impact.energy * factor), label=formula, **THEORY)
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
    factor, label = clock(run, impact)
    (size, unit), (length, length_unit) = larger(impact.stress, "Pa"), prefixed(impact.length, "m")
    limit = 1.25 * impact.stress * size

    s, t = np.linspace(0, impact.length, 401), np.linspace(low, high, 601)
    exact = size * impact.exact_stress((s[1:] + s[:-1]) / 2, ((t[1:] + t[:-1]) / 2)[:, None])
    stress_map(axes[0], length * edges, factor * times, size * np.array([frame.stress for frame in frames]), limit)
    mesh = axes[1].pcolormesh(length * s, factor * t, exact, cmap="RdBu_r", vmin=-limit, vmax=limit, rasterized=True)
    axes[0].set_title(f"percuss, {impact.elements} elements")
    axes[1].set_title("d'Alembert")
    for axis in axes:
        front = factor * (np.array([0, 0.5, 1]) * impact.duration + impact.start)
        axis.plot([0, length * impact.length, 0], front, color=ON_MAP, linewidth=0.8, linestyle=(0, (4, 3)))
        axis.grid(False)
        axis.label_outer()
        axis.set(xlabel=f"distance from the contact end ({length_unit})" if axis.get_subplotspec().is_last_row() else "")
        axis.set(ylabel=label if axis.get_subplotspec().is_first_col() else "")
    axes[1].annotate(r"$s = c_0\,(t - t_0)$", (0.56 * length * impact.length, factor * (impact.start + 0.23 * impact.duration)), color=ON_MAP)
    axes[1].annotate(r"$s = 2L - c_0\,(t - t_0)$", (0.5 * length * impact.length, factor * (impact.start + 0.80 * impact.duration)), color=ON_MAP)
    axes[0].set(xlim=(0, length * impact.length), ylim=(factor * low, factor * high))
    figure.colorbar(mesh, ax=axes, label=f"axial stress ({unit}), tension positive", extend="both", pad=0.02)
    letter(axes)
    return figure


def draw_wave_alone(run, width):
    """The x-t diagram of any number of bars in one line."""
    files = spread(run.frames(), MOST_FRAMES)
    first = read_frame(files[0][1])
    if "stress" not in first.cell or len(files) < 2 or not first.cells or any(len(cell) != 2 for cell in first.cells):
        raise ResultsError("no x-t diagram: it needs bars, and two frames")
    direction = first.points[first.cells[0][1]] - first.points[first.cells[0][0]]
    direction = direction / np.linalg.norm(direction)
    along = first.points @ direction
    across = first.points - np.outer(along, direction)
    if np.ptp(across, axis=0).max() > 1e-9 * np.ptp(along):
        raise ResultsError("no x-t diagram: the elements are not in one line")
    frames, times = [read_frame(path) for _, path in files], np.array([time for time, _ in files])
    largest = max(np.abs(frame.cell["stress"]).max() for frame in frames)
    if not largest:
        raise ResultsError(f"{run.directory}: no frame has a stress")
    (factor, label), (size, unit), (length, length_unit) = time_axis(times[-1]), larger(largest, "Pa"), prefixed(np.abs(along).max(), "m")
    limit = size * largest
    ends = np.array([np.sort(along[cell]) for cell in first.cells])
    figure, axis = plt.subplots(figsize=(width, 3.6))
    for body in np.unique(first.cell["body"]):
        cells = np.flatnonzero(first.cell["body"] == body)
        cells = cells[np.argsort(ends[cells, 0])]
        edges = np.append(ends[cells, 0], ends[cells[-1], 1])
        mesh = stress_map(axis, length * edges, factor * times, size * np.array([frame.cell["stress"][cells] for frame in frames]), limit)
        if edges[0] > along.min():
            axis.axvline(length * edges[0], color=ON_MAP, linewidth=0.8)
    axis.grid(False)
    axis.set(xlabel=f"position along the bars ({length_unit})", ylabel=label, ylim=(0, factor * times[-1]))
    figure.colorbar(mesh, ax=axis, label=f"axial stress ({unit}), tension positive", pad=0.02)
    return figure


def stress_map(axis, edges, times, stress, limit):
    """Stress [times, elements] as a colour map; each frame fills the time around it."""
    middles = (times[1:] + times[:-1]) / 2
    between = np.concatenate([times[:1], middles, times[-1:]])
    return axis.pcolormesh(edges, between, stress, cmap="RdBu_r", vmin=-limit, vmax=limit, rasterized=True)
