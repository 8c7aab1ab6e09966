"""Figures and a table of a rotor that whirls, and rubs where it has contacts.

    python3 postprocess/rotor.py RUNDIR [--out FIGURES]

Needs `output: {orbits: {stations: ...}}` in the config. Draws orbit.png (orbits with clearance and Poincare points), whirl.png (spin, whirl rate and
radius over time), spectrum.png (full spectrum: forward and backward whirl apart), waterfall.png (the same over the speed, where the spin changes) and
rub.png (forces, slip and impulses of each contact that closes) and energy.png (where each joule is), by default into RUNDIR/figures.
"""

import argparse
import pathlib
import sys

import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np

from percuss_figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, TWO_COLUMNS
from percuss_figures import legend_above, legend_below, letter, prefixed, save, style, total_energy
from percuss_results import ResultsError, Run
from rotor_orbit import TURN, clearance_of, direction, mean_rates, poincare_points, rub_of, smooth_whirl, stations
from rotor_orbit import dominant, full_spectrum, is_run_up, resample, waterfall

MOST_POINTS = 20000  # of a line; more are not to be seen, and slow
RPM = 60 / TURN
DASHED, FINE = (0, (5, 2)), {"linewidth": 0.6}


def thinned(*columns):
    """Every n-th row, so that a figure stays small."""
    step = max(1, len(columns[0]) // MOST_POINTS)
    return [column[::step] for column in columns]


def time_axis(end):
    """(factor, label) for an axis of time."""
    factor, unit = prefixed(end, "s")
    return factor, f"time ({unit})"


# Figures -----------------------------------------------------------------------------------------------------------------------------------------


def draw_orbits(run, orbits):
    """Orbits in the plane across the shaft: the whole run, its last quarter, clearance, Poincare points."""
    columns = min(2 if len(orbits) == 4 else 3, len(orbits))
    rows = -(-len(orbits) // columns)
    side = TWO_COLUMNS / max(columns, 2)
    figure, axes = plt.subplots(rows, columns, figsize=(side * columns, side * rows), squeeze=False)
    for axis in axes.flat[len(orbits) :]:
        axis.axis("off")
    for axis, station in zip(axes.flat, orbits):
        orbit_panel(axis, run, station)
    most = max(axes.flat, key=lambda axis: len(axis.get_legend_handles_labels()[1]))
    legend_below(figure, most, columnspacing=1.2, **({"ncol": 2} if columns == 1 else {}))
    return figure


def orbit_panel(axis, run, station):
    """One orbit."""
    clearance = clearance_of(run, station)
    factor, unit = prefixed(max(station.radius.max(), clearance[1] if clearance else 0), "m")
    for part, options in ((station, {"color": "#C4C4C4", "label": "whole run"}), (station.last_quarter(), {"color": BLUE, "label": "last quarter"})):
        z = factor * thinned(part.z)[0]
        axis.plot(z.real, z.imag, **FINE, **options)
    if clearance:
        circle = factor * clearance[1] * np.exp(1j * np.linspace(0, TURN, 181))
        axis.plot(circle.real, circle.imag, color=BLACK, linestyle=DASHED, linewidth=0.9, label="clearance", zorder=2.5)
    _, points = poincare_points(run, station.name)
    if len(points):
        points = factor * points[-max(1, len(points) // 4) :]
        axis.plot(points.real, points.imag, ".", color=ORANGE, markersize=3, label="once a turn", zorder=3)
    axis.set(aspect="equal", xlabel=f"$u_2$ ({unit})", ylabel=f"$u_3$ ({unit})", title=station.name)
    axis.margins(0.08)


def draw_whirl(run, orbits):
    """Spin, whirl rate and radius over time."""
    factor, label = time_axis(orbits[0].time[-1])
    figure, axes = plt.subplots(3, 1, figsize=(TWO_COLUMNS, 6.0), sharex=True)
    for station in orbits:
        time, spin, radius = thinned(station.time, station.spin_rate, station.radius)
        line = axes[0].plot(factor * time, spin, label=station.name)[0]
        time_mean, mean = smooth_whirl(station)
        axes[1].plot(factor * time_mean, mean, color=line.get_color(), label=station.name)
        size, unit = prefixed(max(s.radius.max() for s in orbits), "m")
        axes[2].plot(factor * time, size * radius, color=line.get_color(), label=station.name, **FINE)
        clearance = clearance_of(run, station)
        if clearance:
            axes[2].axhline(size * clearance[1], color=line.get_color(), linestyle=DASHED, linewidth=0.8)
    axes[0].set_ylabel("spin (rad/s)")
    axes[1].set_ylabel("mean whirl rate\n(rad/s)")
    axes[2].set(ylabel=f"radius ({unit})", xlabel=label, xlim=(0, factor * orbits[0].time[-1]))
    axes[2].set_ylim(bottom=0)
    legend_above(axes[0])
    letter(axes)
    figure.align_ylabels(axes)
    return figure


def frequency_limit(station, frequency, amplitude, orders=4, level=1e-3):
    """How far to show a spectrum: some orders of the spin, and all peaks above this part of the largest."""
    seen = np.abs(frequency[amplitude > level * amplitude.max()])
    return min(frequency.max(), max(orders * np.abs(station.spin_rate).max() / TURN, 1.1 * seen.max(initial=0.0)))


def mark_orders(axis, spin):
    """Multiples of the spin's frequency, backward and forward."""
    limit = axis.get_xlim()[1]
    for order in (-3, -2, -1, 1, 2, 3):
        frequency = order * spin / TURN
        if spin and abs(frequency) < limit:
            axis.axvline(frequency, color=GREY, linestyle=DASHED, linewidth=0.7, zorder=0)
            if abs(order) > 1 and abs(spin) / TURN < 0.05 * limit:
                continue  # no room for more than +1 and -1
            where = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            axis.annotate(f"{order:+d}", (frequency, 1), (0, 2), ha="center", fontsize=7, **where)


def draw_spectrum(orbits):
    """Full spectra of the last quarter."""
    figure, axes = plt.subplots(len(orbits), 1, figsize=(TWO_COLUMNS, 0.6 + 1.9 * len(orbits)), squeeze=False)
    for axis, station in zip(axes[:, 0], orbits):
        part = station.last_quarter()
        step, (u2, u3) = resample(part.time, part.z.real, part.z.imag)
        frequency, amplitude = full_spectrum(step, u2 + 1j * u3)
        limit = frequency_limit(part, frequency, amplitude)
        factor, unit = prefixed(amplitude.max(), "m")
        axis.semilogy(frequency, factor * np.maximum(amplitude, 1e-300), color=BLUE, linewidth=0.8)
        axis.set(xlim=(-limit, limit), ylim=(factor * amplitude.max() * 1e-5, 2 * factor * amplitude.max() or 1), ylabel=f"{station.name} ({unit})")
        axis.axvline(0, color=BLACK, linewidth=0.6)
        mark_orders(axis, mean_rates(part)[1])
    axes[-1, 0].set_xlabel("frequency (Hz): negative from $e_3$ to $e_2$, positive from $e_2$ to $e_3$; orders of the spin dashed")
    return figure


def draw_waterfall(orbits):
    """Full spectra over the speed of the shaft."""
    width = TWO_COLUMNS * (0.6 if len(orbits) == 1 else 1)
    figure, axes = plt.subplots(1, len(orbits), figsize=(width, 4.2), squeeze=False, sharey=True)
    for axis, station in zip(axes[0], orbits):
        fall = waterfall(station)
        order = np.argsort(fall.spin_rate)
        level = np.log10(np.maximum(fall.amplitude[order], fall.amplitude.max() * 1e-4))
        limit = frequency_limit(station, fall.frequency, fall.amplitude.max(axis=0), orders=2.5, level=0.03)
        norm = matplotlib.colors.Normalize(level.max() - 4, level.max())
        mesh = axis.pcolormesh(fall.frequency, RPM * fall.spin_rate[order], level, shading="nearest", cmap="magma_r", norm=norm, rasterized=True)
        speed = np.array([fall.spin_rate.min(), fall.spin_rate.max()])
        for multiple in (-2, -1, 1, 2):
            axis.plot(multiple * speed / TURN, RPM * speed, color=BLUE, linestyle=DASHED, linewidth=0.7)
        axis.set(xlim=(-limit, limit), xlabel="frequency (Hz)", title=station.name)
        axis.grid(False)
        figure.colorbar(mesh, ax=axis, label="lg(amplitude in m)")
    axes[0, 0].set_ylabel("speed (rpm)")
    return figure


def shares(rub, flags, windows=60):
    """(middles of windows, part of their rows with the flag)."""
    edges = np.linspace(rub.time[0], rub.time[-1], windows + 1)
    total, _ = np.histogram(rub.time, edges)
    count, _ = np.histogram(rub.time[flags], edges)
    return (edges[1:] + edges[:-1]) / 2, np.divide(count, total, out=np.full(windows, np.nan), where=total > 0)


def draw_rubs(rubs):
    """Forces, slip and how much of the time there is contact."""
    factor, label = time_axis(rubs[0].time[-1])
    figure, axes = plt.subplots(5, 1, figsize=(TWO_COLUMNS, 8.4), sharex=True)
    for rub, colour in zip(rubs, (BLUE, ORANGE, GREEN, PURPLE)):
        torque = np.full_like(rub.time, np.nan) if rub.torque is None else rub.torque
        time, normal, friction, torque, slip, closed = thinned(rub.time, rub.normal, rub.friction, torque, rub.slip, rub.closed)
        axes[0].plot(factor * time, normal, color=colour, label=rub.name, **FINE)
        axes[1].plot(factor * time, friction, color=colour, **FINE)
        axes[2].plot(factor * time, torque, color=colour, **FINE)
        axes[3].plot(factor * time, np.where(closed, slip, np.nan), color=colour, **FINE)
        for flags, options in ((rub.closed, {"label": "in contact"}), (rub.impulsive, {"label": "with an impulse", "linestyle": DASHED})):
            middle, share = shares(rub, flags)
            axes[4].plot(factor * middle, 100 * share, color=colour, **options)
    for axis, name in zip(axes, ("normal force\n(N)", "friction force\n(N)", "friction torque\n(N m)", "slip velocity\n(m/s)", "share of\nsteps (%)")):
        axis.set_ylabel(name)
    axes[4].set(xlabel=label, ylim=(0, 105), xlim=(0, factor * rubs[0].time[-1]))
    legend_above(axes[0])
    if len(rubs) == 1:
        legend_above(axes[4])
    letter(axes)
    figure.align_ylabels(axes)
    return figure


def draw_energy(run):
    """Where each joule is: the energy of the motion beside the work of loads, and what is lost; what the scheme itself makes."""
    energy = run.energy
    factor, label = time_axis(energy["time"][-1])
    figure, axes = plt.subplots(3, 1, figsize=(TWO_COLUMNS, 5.6), sharex=True)
    stored = total_energy(run)
    lines = [
        [("stored", stored - stored[0]), ("work of loads", energy["load"])],
        [("damping", energy["damping"]), ("friction", energy["friction"]), ("impact", energy["impact"])],
        [("of the scheme", energy["numerical"])],
    ]
    for axis, curves, name in zip(axes, lines, ("gained", "lost", "numerical")):
        size, unit = prefixed(max(np.abs(values).max() for _, values in curves), "J")
        for title, values in curves:
            axis.plot(factor * energy["time"], size * values, label=title)
        axis.set_ylabel(f"{name} ({unit})")
        legend_above(axis)
    axes[2].set(xlabel=label, xlim=(0, factor * energy["time"][-1]))
    letter(axes)
    figure.align_ylabels(axes)
    return figure


# Table -------------------------------------------------------------------------------------------------------------------------------------------


def row(name, value, unit="", note=""):
    """One aligned row."""
    print(f"  {name:<34}{value:>14} {unit:<7}{note}")


def print_station(run, station):
    """Key figures of an orbit, over the last quarter of the run."""
    part = station.last_quarter()
    whirl, spin = mean_rates(part)
    duration = part.time[-1] - part.time[0]
    step, (u2, u3) = resample(part.time, part.z.real, part.z.imag)
    frequency, amplitude = dominant(*full_spectrum(step, u2 + 1j * u3))
    clearance = clearance_of(run, station)
    print(f"Station {station.name}")
    largest = station.radius.max()
    row("largest radius", f"{1e6 * largest:.4g}", "um", f"{100 * largest / clearance[1]:.4g} % of the clearance" if clearance else "")
    row("spin at the end", f"{station.spin_rate[-1]:.6g}", "rad/s", f"{RPM * station.spin_rate[-1]:.6g} rpm")
    row("spin, last quarter", f"{spin:.6g}", "rad/s")
    row("whirl, last quarter", f"{whirl:.6g}", "rad/s", direction(whirl, spin, duration))
    row("whirl / spin", f"{whirl / spin:.4g}" if spin else "-")
    order = f", {frequency * TURN / spin:+.4g} times the spin" if spin else ""
    row("largest line of the spectrum", f"{frequency:.5g}", "Hz", f"{1e6 * amplitude:.4g} um{order}")


def first_contact(run, rub):
    """Its time, from events.csv where there is one: contacts.csv need not have a row each step."""
    if not (run.directory / "events.csv").exists():
        return rub.first
    times = run.events["time"][run.events["contact"] == rub.name]
    return min([rub.first, *times[:1]])


def print_rub(run, rub):
    """Key figures of a contact."""
    quarter = rub.time >= rub.time[0] + 0.75 * (rub.time[-1] - rub.time[0])
    print(f"Contact {rub.name}")
    row("first contact", f"{1e3 * first_contact(run, rub):.5g}", "ms")
    row("time in contact", f"{100 * rub.closed_share:.4g}", "%")
    row("largest normal force", f"{rub.normal.max():.5g}", "N")
    row("mean normal force, last quarter", f"{rub.normal[quarter].mean():.5g}", "N")
    row("mean friction power, last quarter", f"{rub.power[quarter].mean():.5g}", "W")
    if rub.torque is not None:
        row("mean friction torque, last quarter", f"{rub.torque[quarter].mean():.5g}", "N m")
    row("total normal impulse beside force", f"{run.contacts[rub.name + '.impulse'].sum():.5g}", "N s")
    row("deepest penetration", f"{1e6 * max(0.0, -rub.gap.min()):.4g}", "um")


def print_table(run, orbits, rubs):
    """What the run says in numbers."""
    print(f"{run.info['title'] or run.name}: {run.info['scheme']}, step {1e6 * run.step:.4g} us, {orbits[0].time[-1]:.6g} s\n")
    for station in orbits:
        print_station(run, station)
    for rub in rubs:
        print_rub(run, rub)
    summary = run.info.get("summary")
    if summary and summary["steps"]:
        print("Run")
        impulsive, steps = summary["impulsive_steps"], summary["steps"]
        row("impulsive steps", f"{100 * impulsive / steps:.4g}", "%", f"{impulsive} of {steps}")
        if "short_steps" in summary:
            row("short steps", f"{100 * summary['short_steps'] / steps:.4g}", "%", "around impacts")
    print()


# Command -----------------------------------------------------------------------------------------------------------------------------------------


def analyse(directory, out):
    """Draws the figures, prints the table."""
    run = Run(directory)
    orbits = stations(run)
    rubs = [rub_of(run, name) for name in run.contact_names()] if (run.directory / "contacts.csv").exists() else []
    rubs = [rub for rub in rubs if rub.closed.any() or rub.impulsive.any()]
    style()
    print_table(run, orbits, rubs)
    figures = {"orbit": draw_orbits(run, orbits), "whirl": draw_whirl(run, orbits), "spectrum": draw_spectrum(orbits)}
    if any(is_run_up(station) for station in orbits):
        figures["waterfall"] = draw_waterfall(orbits)
    if rubs:
        figures["rub"] = draw_rubs(rubs)
    if (run.directory / "energy.csv").exists():
        figures["energy"] = draw_energy(run)
    print("figures: " + ", ".join(str(save(figure, out, name)) for name, figure in figures.items()))


def main():
    """Exit code 0, or 2 where the input is wrong."""
    parser = argparse.ArgumentParser(description="Figures and a table of a rotor that whirls and rubs.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss run`")
    parser.add_argument("--out", metavar="FIGDIR", type=pathlib.Path, help="where figures go; default RUNDIR/figures")
    arguments = parser.parse_args()
    try:
        analyse(arguments.rundir, arguments.out or arguments.rundir / "figures")
    except (ResultsError, OSError) as error:
        print(f"rotor.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
