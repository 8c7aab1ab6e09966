"""Key figures of a rotor: rows of (name, value, unit, note), for rotor.py and report.py."""

import numpy as np
from percuss.rotor_orbit import TURN, about_its_middle, clearance_of, direction, dominant, full_spectrum, mean_rates, resample

RPM = 60 / TURN


def station_rows(run, station):
    """Rows of an orbit, over the last quarter of the run."""
    part = station.last_quarter()
    circling, middle = about_its_middle(part)
    whirl, spin = mean_rates(circling)
    duration = part.time[-1] - part.time[0]
    step, (u2, u3) = resample(part.time, part.z.real, part.z.imag)
    frequency, amplitude = dominant(*full_spectrum(step, u2 + 1j * u3))
    clearance = clearance_of(run, station)
    largest = station.radius.max()
    order = f", {frequency * TURN / spin:+.4g} times the spin" if spin else ""
    return [
        ("largest radius", f"{1e6 * largest:.4g}", "um", f"{100 * largest / clearance[1]:.4g} % of the clearance" if clearance else ""),
        ("spin at the end", f"{station.spin_rate[-1]:.6g}", "rad/s", f"{RPM * station.spin_rate[-1]:.6g} rpm"),
        ("spin, last quarter", f"{spin:.6g}", "rad/s", ""),
        ("whirl, last quarter", f"{whirl:.6g}", "rad/s", direction(whirl, spin, duration) + (f", about its mean, {1e6 * abs(middle):.4g} um off the axis" if middle else "")),
        ("whirl / spin", f"{whirl / spin:.4g}" if spin else "-", "", ""),
        ("largest line of the spectrum", f"{frequency:.5g}", "Hz", f"{1e6 * amplitude:.4g} um{order}"),
    ]


def first_contact(run, rub):
    """Time of the first contact, from events.csv if it exists, because contacts.csv may not have every step. nan: no contact."""
    if not (run.directory / "events.csv").exists():
        return rub.first
    times = run.events["time"][run.events["contact"] == rub.name]
    return min([rub.first, *times[:1]], key=lambda time: (time != time, time))  # nan last


def rub_rows(run, rub):
    """Rows of a contact."""
    quarter = rub.time >= rub.time[0] + 0.75 * (rub.time[-1] - rub.time[0])
    first = first_contact(run, rub)
    rows = [
        ("first contact", f"{1e3 * first:.5g}", "ms", "") if first == first else ("first contact", "none", "", ""),
        ("time in contact", f"{100 * rub.closed_share:.4g}", "%", ""),
        ("largest normal force", f"{rub.normal.max():.5g}", "N", ""),
        ("mean normal force, last quarter", f"{rub.pressed[quarter].mean():.5g}", "N", "including impulses"),
    ]
    if rub.torque is not None:
        rows.append(("mean friction torque, last quarter", f"{rub.torque[quarter].mean():.5g}", "N m", "including impulses"))
    return [
        *rows,
        ("sum of normal impulses", f"{run.contacts[rub.name + '.impulse'].sum():.5g}", "N s", ""),
        ("deepest penetration", f"{1e6 * max(0.0, -rub.gap.min()):.4g}", "um", ""),
    ]


def run_rows(run):
    """Rows of the whole run, from its summary; empty if the run is not finished."""
    summary = run.info.get("summary")
    if not summary or not summary["steps"]:
        return []
    impulsive, steps = summary["impulsive_steps"], summary["steps"]
    rows = [("impulsive steps", f"{100 * impulsive / steps:.4g}", "%", f"{impulsive} of {steps}")]
    if "short_steps" in summary:
        rows.append(("short steps", f"{100 * summary['short_steps'] / steps:.4g}", "%", "at impacts"))
    return rows + friction_rows(run)


def drive_rows(run, station):
    """Power and torque of the drive that keeps the spin constant, from the external work of the last quarter; empty if no energies were written, if the spin changes, or if nothing does work."""
    if not (run.directory / "energy.csv").exists():
        return []
    time, work = run.energy["time"], run.energy["load"]
    first = np.searchsorted(time, time[0] + 0.75 * (time[-1] - time[0]))
    part = station.last_quarter()
    spin = part.spin_rate[-1]
    if not time[-1] > time[first] or spin == 0 or np.ptp(part.spin_rate) > 1e-9 * abs(spin) or work[-1] == work[first]:
        return []
    power = (work[-1] - work[first]) / (time[-1] - time[first])
    return [
        ("external power, last quarter", f"{power:.5g}", "W", "of drives, loads and moving surfaces, from the energy balance"),
        ("torque of the drive, last quarter", f"{power / spin:.5g}", "N m", f"the power over the spin of {station.name}, if nothing else does external work"),
    ]


def friction_rows(run):
    """Energy dissipated by friction; empty if it was not written, or if there is no friction."""
    if not (run.directory / "energy.csv").exists():
        return []
    time, taken = run.energy["time"], run.energy["friction"]
    first = np.searchsorted(time, time[0] + 0.75 * (time[-1] - time[0]))
    if taken[-1] == 0 or not time[-1] > time[first]:
        return []
    return [("friction power, last quarter", f"{(taken[-1] - taken[first]) / (time[-1] - time[first]):.5g}", "W", "of all contacts, from the energy balance")]
