"""Figures of a rotor for rotor.py and report.py: orbits, whirl, spectra, rubs. `width` in inches; if it is small, panels are arranged one above the
other.
"""

import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLACK, BLUE, GREY, MOST_LINES, ON_MAP, ORANGE, TWO_COLUMNS
from percuss.style import envelope, is_narrow, legend_above, legend_below, letter, prefixed, say_rest, series, time_axis
from percuss.results import ResultsError
from percuss.rotor_orbit import TURN, clearance_of, full_spectrum, mean_rates, is_run_up, poincare_points, resample, smooth_whirl, tracked, waterfall

RPM = 60 / TURN
DASHED, DOTTED, FINE = (0, (5, 2)), (0, (0.6, 1.4)), {"linewidth": 0.6}


def draw_orbits(run, orbits, width=TWO_COLUMNS):
    """Orbits in the plane across the shaft: the whole run, its last quarter, clearance, Poincare points."""
    columns = min(2 if len(orbits) == 4 or is_narrow(width) else 3, len(orbits))
    rows = -(-len(orbits) // columns)
    side = width / columns if columns > 1 else 0.6 * width
    figure, axes = plt.subplots(rows, columns, figsize=(side * columns, side * rows), squeeze=False)
    for axis in axes.flat[len(orbits) :]:
        axis.axis("off")
    for axis, station in zip(axes.flat, orbits):
        orbit_panel(axis, run, station)
    most = max(axes.flat, key=lambda axis: len(axis.get_legend_handles_labels()[1]))
    legend_below(figure, most, columnspacing=1.2, **({"ncol": 2} if columns == 1 or is_narrow(width) else {}))
    return figure


def orbit_panel(axis, run, station):
    """One orbit."""
    clearance = clearance_of(run, station)
    factor, unit = prefixed(max(station.radius.max(), clearance[1] if clearance else 0), "m")
    for part, options in ((station, {"color": "#C4C4C4", "label": "whole run"}), (station.last_quarter(), {"color": BLUE, "label": "last quarter"})):
        z = factor * part.z
        axis.plot(z.real, z.imag, rasterized=True, **FINE, **options)
    if clearance:
        circle = factor * clearance[1] * np.exp(1j * np.linspace(0, TURN, 181))
        axis.plot(circle.real, circle.imag, color=BLACK, linestyle=DASHED, linewidth=0.9, label="clearance", zorder=2.5)
    _, points = poincare_points(run, station.name)
    if len(points):
        points = factor * points[-max(1, len(points) // 4) :]
        axis.plot(points.real, points.imag, ".", color=ORANGE, markersize=3, label="once per revolution", zorder=3)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set(xlabel=f"$u_2$ ({unit})", ylabel=f"$u_3$ ({unit})", title=station.name)
    axis.margins(0.08)


def draw_whirl(run, orbits, width=TWO_COLUMNS):
    """Spin, whirl rate and radius over time."""
    factor, label = time_axis(orbits[0].time[-1])
    figure, axes = plt.subplots(3, 1, figsize=(width, 6.0), sharex=True)
    for station in orbits:
        time = factor * station.time
        line = axes[0].plot(*envelope(time, station.spin_rate), label=station.name)[0]
        time_mean, mean = smooth_whirl(station)
        axes[1].plot(factor * time_mean, mean, color=line.get_color(), label=station.name)
        size, unit = prefixed(max(s.radius.max() for s in orbits), "m")
        axes[2].plot(*envelope(time, size * station.radius), color=line.get_color(), label=station.name, **FINE)
        clearance = clearance_of(run, station)
        if clearance:
            axes[2].axhline(size * clearance[1], color=line.get_color(), linestyle=DASHED, linewidth=0.8)
    axes[0].set_ylabel("(rad/s)")
    axes[1].set_ylabel("(rad/s)")
    axes[2].set(ylabel=f"({unit})", xlabel=label, xlim=(0, factor * orbits[0].time[-1]))
    axes[2].set_ylim(bottom=0)
    legend_above(axes[0])
    letter(axes, ("spin", "mean whirl rate", "radius"))
    figure.align_ylabels(axes)
    return figure


def frequency_limit(station, frequency, amplitude, orders=4, level=1e-3):
    """Frequency range of a spectrum: some orders of the spin, and all peaks above this fraction of the largest."""
    seen = np.abs(frequency[amplitude > level * amplitude.max()])
    return min(frequency.max(), max(orders * np.abs(station.spin_rate).max() / TURN, 1.1 * seen.max(initial=0.0)))


def mark_orders(axis, spin):
    """Multiples of the spin frequency, backward and forward."""
    limit = axis.get_xlim()[1]
    for order in (-3, -2, -1, 1, 2, 3):
        frequency = order * spin / TURN
        if spin and abs(frequency) < limit:
            axis.axvline(frequency, color=GREY, linestyle=DASHED, linewidth=0.7, zorder=0)
            if abs(order) > 1 and abs(spin) / TURN < 0.05 * limit or abs(spin) / TURN < 0.02 * limit:
                continue  # no room for more than +1 and -1, or for none
            where = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            axis.annotate(f"{order:+d}", (frequency, 1), (0, 2), ha="center", fontsize=7, **where)


def draw_spectrum(orbits, width=TWO_COLUMNS):
    """Full spectra of the last quarter, of the stations that move."""
    orbits = [station for station in orbits if len(station.last_quarter().time) > 2 and np.ptp(station.last_quarter().radius) + np.ptp(np.abs(station.last_quarter().z - station.z[-1])) > 0]
    if not orbits:
        raise ResultsError("no station moves in the last quarter of the run")
    figure, axes = plt.subplots(len(orbits), 1, figsize=(width, 0.6 + 1.9 * len(orbits)), squeeze=False)
    for axis, station in zip(axes[:, 0], orbits):
        part = station.last_quarter()
        step, (u2, u3) = resample(part.time, part.z.real, part.z.imag)
        frequency, amplitude = full_spectrum(step, u2 + 1j * u3)
        limit = frequency_limit(part, frequency, amplitude)
        factor, unit = prefixed(amplitude.max(), "m")
        shown = np.abs(frequency) <= limit
        axis.semilogy(*envelope(frequency[shown], factor * np.maximum(amplitude[shown], 1e-300)), color=BLUE, linewidth=0.8)
        axis.set(xlim=(-limit, limit), ylim=(factor * amplitude.max() * 1e-5, 2 * factor * amplitude.max() or 1), ylabel=f"{station.name} ({unit})")
        axis.axvline(0, color=BLACK, linewidth=0.6)
        mark_orders(axis, mean_rates(part)[1])
    words = ("frequency (Hz): negative from $e_3$ to $e_2$, positive from $e_2$ to $e_3$", "dashed: orders of the spin")
    axes[-1, 0].set_xlabel((";\n" if is_narrow(width) else "; ").join(words))
    return figure


def draw_waterfall(orbits, width=TWO_COLUMNS):
    """Full spectra over the speed of the shaft, of the stations whose speed changes."""
    orbits = [station for station in orbits if is_run_up(station)] or orbits[:1]
    falls = [(station, waterfall(station)) for station in orbits]
    columns = 1 if is_narrow(width) else min(2, len(orbits))
    rows = -(-len(orbits) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(width * (0.6 if columns == 1 and not is_narrow(width) else 1), 3.8 * rows), squeeze=False)
    for axis in axes.flat[len(orbits) :]:
        axis.set_visible(False)
    for axis, (station, fall) in zip(axes.flat, falls):
        order = np.argsort(fall.spin_rate)
        level = np.log10(np.maximum(fall.amplitude[order], fall.amplitude.max() * 1e-4))
        limit = frequency_limit(station, fall.frequency, fall.amplitude.max(axis=0), orders=2.5, level=0.03)
        norm = matplotlib.colors.Normalize(level.max() - 4, level.max())
        mesh = axis.pcolormesh(fall.frequency, RPM * fall.spin_rate[order], level, shading="nearest", cmap="magma_r", norm=norm, rasterized=True)
        speed = np.array([fall.spin_rate.min(), fall.spin_rate.max()])
        for multiple in (-2, -1, 1, 2):
            axis.plot(multiple * speed / TURN, RPM * speed, color=ON_MAP, linestyle=DASHED, linewidth=0.7)
        axis.set(xlim=(-limit, limit), xlabel="frequency (Hz)", title=station.name, ylabel="speed (rpm)" if axis in axes[:, 0] else "")
        axis.grid(False)
        figure.colorbar(mesh, ax=axis, label="lg(amplitude in m)")
    return figure


def draw_bode(orbits, width=TWO_COLUMNS):
    """Bode and polar diagram of the tracked 1x component along axis 2, and the shaft centreline."""
    found = [(station, tracked(station)) for station in orbits]
    runs_up = any(np.ptp(track.spin_rate) > 0.01 * np.abs(track.spin_rate).max() for _, track in found)
    figure = plt.figure(figsize=(width, 6.2))
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
    bode = [figure.add_subplot(grid[row, 0]) for row in range(2)]
    polar, centre = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    factor, unit = prefixed(max(np.abs(track.along_2).max() for _, track in found), "m")
    least = 0.1 * max(station.radius.max() for station, _ in found)  # a centreline that moves less is not blown up
    shift, shift_unit = prefixed(max(least, max(np.abs(track.middle).max() for _, track in found)), "m")
    for station, track in found:
        over = RPM * track.spin_rate if runs_up else track.time
        line = bode[0].plot(over, factor * np.abs(track.along_2), label=station.name)[0]
        colour = line.get_color()
        bode[1].plot(over, np.degrees(np.unwrap(np.angle(track.along_2))), color=colour)
        polar.plot(factor * track.along_2.real, factor * track.along_2.imag, color=colour)
        centre.plot(shift * track.middle.real, shift * track.middle.imag, color=colour)
        for axis, z in ((polar, factor * track.along_2), (centre, shift * track.middle)):
            axis.plot(z.real[-1:], z.imag[-1:], "o", color=colour, markersize=4)
    bode[0].set(ylabel=f"amplitude of $u_2$ ({unit})", ylim=(0, None))
    bode[1].set(ylabel="phase (degrees)", xlabel="speed (rpm)" if runs_up else "time (s)")
    polar.set(aspect="equal", xlabel=f"$A\\,\\cos\\varphi$ ({unit})", ylabel=f"$A\\,\\sin\\varphi$ ({unit})")
    centre.set(aspect="equal", xlabel=f"mean $u_2$ ({shift_unit})", ylabel=f"mean $u_3$ ({shift_unit})")
    ends = [(min(part.min() for part in parts), max(part.max() for part in parts))
            for parts in zip(*((track.middle.real, track.middle.imag) for _, track in found))]
    half = max(least, max(high - low for low, high in ends) / 2)
    for limits, (low, high) in zip((centre.set_xlim, centre.set_ylim), ends):
        limits(shift * ((low + high) / 2 - 1.1 * half), shift * ((low + high) / 2 + 1.1 * half))
    polar.margins(0.1)
    for axis in (polar, centre):
        axis.set_adjustable("datalim")
    legend_above(bode[0])
    letter((bode[0], polar, bode[1], centre), ("1x amplitude", "1x polar, dot: end", "1x phase", "shaft centreline"))
    return figure


def shares(rub, flags, windows=60):
    """(centres of windows, share of their rows with the flag)."""
    edges = np.linspace(rub.time[0], rub.time[-1], windows + 1)
    total, _ = np.histogram(rub.time, edges)
    count, _ = np.histogram(rub.time[flags], edges)
    return (edges[1:] + edges[:-1]) / 2, np.divide(count, total, out=np.full(windows, np.nan), where=total > 0)


def draw_rubs(rubs, width=TWO_COLUMNS):
    """Forces, slip velocities, and the share of time in contact; of many contacts those that press most."""
    factor, label = time_axis(rubs[0].time[-1])
    pressing = sorted(rubs, key=lambda rub: -np.trapz(np.abs(rub.pressed), rub.time))[:MOST_LINES]
    shown = [rub for rub in rubs if rub in pressing]
    force = prefixed(max(np.abs(values).max() for rub in shown for values in (rub.normal, rub.friction)), "N")
    torque = prefixed(max((np.abs(rub.torque).max() for rub in shown if rub.torque is not None), default=0), "N m")
    panels = [("normal force", force, lambda rub: rub.normal), ("friction force", force, lambda rub: rub.friction),
              ("friction torque", torque, lambda rub: rub.torque), ("slip velocity", (1, "m/s"), lambda rub: np.where(rub.closed, rub.slip, np.nan))]  # fmt: skip
    panels = [panel for panel in panels if any(np.any(np.nan_to_num(panel[2](rub))) for rub in shown if panel[2](rub) is not None)] or panels[:1]
    figure, axes = plt.subplots(len(panels) + 1, 1, figsize=(width, 1.7 * (len(panels) + 1)), sharex=True)
    for number, rub in enumerate(shown):
        look = series(number)
        for axis, (title, (size, _), values) in zip(axes, panels):
            if values(rub) is not None:
                marks = {"marker": ".", "markersize": 1.5} if title == "slip velocity" else {}
                axis.plot(*envelope(factor * rub.time, size * values(rub)), label=rub.name, **look, **FINE, **marks)
        for flags, options in ((rub.closed, {"label": "in contact"}), (rub.impulsive, {"label": "with an impulse", "linestyle": DOTTED})):
            middle, share = shares(rub, flags)
            axes[-1].plot(factor * middle, 100 * share, **{**look, **options})
    say_rest(axes[0], len(rubs) - len(shown))
    for axis, (_, (_, unit), _) in zip(axes, panels):
        axis.set_ylabel(f"({unit})")
    axes[-1].set(xlabel=label, ylabel="(%)", ylim=(0, 105), xlim=(0, factor * rubs[0].time[-1]))
    legend_above(axes[0])
    if len(rubs) == 1:
        legend_above(axes[-1])
    letter(axes, [*(title for title, _, _ in panels), "share of steps"])
    figure.align_ylabels(axes)
    return figure
