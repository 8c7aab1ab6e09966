"""Orbits, whirl, spectra and rubs of a rotor from the tables of a run, with numpy only.

An orbit is one complex signal, z = u2 + i u3 (along the lateral axes e2, e3 of the shaft; positive spin is from e2 to e3). Its two-sided spectrum,
the *full spectrum* of rotor dynamics, separates forward whirl (positive frequencies, for positive spin) from backward whirl (negative frequencies).
"""

import dataclasses

import numpy as np

from percuss.results import ResultsError, read_table

TURN = 2 * np.pi


@dataclasses.dataclass
class Station:
    """The orbit at one station; SI units, angles in rad."""

    name: str
    time: np.ndarray
    z: np.ndarray  # u2 + i u3
    whirl_rate: np.ndarray
    angle: np.ndarray  # of spin
    spin_rate: np.ndarray

    @property
    def radius(self):
        """Distance from the axis."""
        return np.abs(self.z)

    def rows(self, chosen):
        """The part of the orbit with these rows."""
        return Station(self.name, *(getattr(self, field.name)[chosen] for field in dataclasses.fields(self)[1:]))

    def since(self, start):
        """The part of the orbit from that time on."""
        return self.rows(self.time >= start)

    def until(self, end):
        """The part of the orbit up to that time."""
        return self.rows(self.time <= end)

    def last_quarter(self):
        """The part over which means are computed."""
        return self.since(self.time[0] + 0.75 * (self.time[-1] - self.time[0]))


def stations(run):
    """Orbits of all stations, in the order of the config."""
    table = run.table("orbits.csv", "orbits: {stations: {disc: {at: shaft@0.5}}}")
    if len(table["time"]) < 2:
        raise ResultsError(f"{run.directory}/orbits.csv: fewer than two rows")

    def station(name):
        u2, u3, *rest = (table[f"{name}.{word}"] for word in ("u2", "u3", "whirl_rate", "angle", "spin_rate"))
        return Station(name, table["time"], u2 + 1j * u3, *rest)

    return [station(name.removesuffix(".u2")) for name in table if name.endswith(".u2")]


def poincare_points(run, name):
    """(revolutions, z) of a station: its position once per revolution of the shaft."""
    table = read_table(run.directory / "poincare.csv")
    chosen = table["station"] == name
    return table["turn"][chosen], (table["u2"] + 1j * table["u3"])[chosen]


# Whirl -------------------------------------------------------------------------------------------------------------------------------------------


def whirled(station):
    """Angle of the orbit since the first row, unwrapped."""
    return np.unwrap(np.angle(station.z)) - np.angle(station.z[0])


def mean_rates(station):
    """(whirl, spin): total angle divided by time, rad/s."""
    duration = station.time[-1] - station.time[0]
    return whirled(station)[-1] / duration, (station.angle[-1] - station.angle[0]) / duration


def about_its_middle(station):
    """(station, middle): the orbit about its mean if it circles that more often than the axis, like the orbit of a sagging shaft; else the orbit itself and 0."""
    middle = station.z.mean()
    moved = dataclasses.replace(station, z=station.z - middle)
    more = abs(whirled(moved)[-1]) > abs(whirled(station)[-1]) + TURN / 2
    return (moved, middle) if more else (station, 0)


def direction(whirl, spin, duration):
    """Sense of a whirl relative to the spin; less than half a revolution is no whirl."""
    if abs(whirl) * duration < TURN / 2:
        return "none"
    return "forward" if whirl * spin > 0 else "backward" if whirl * spin < 0 else "no spin"


def smooth_whirl(station, turns=1.0):
    """(time, whirl rate), means over a number of revolutions of the shaft, or a fiftieth of the run if that is longer, because impacts make the rate itself jump."""
    duration = station.time[-1] - station.time[0]
    spin = np.abs(mean_rates(station)[1])
    width = max(duration / 50, turns * TURN / spin if spin else 0)
    middle = np.linspace(station.time[0] + width / 2, station.time[-1] - width / 2, 400)
    angle = whirled(station)
    ends = [np.interp(middle + side * width / 2, station.time, angle) for side in (-1, 1)]
    return middle, (ends[1] - ends[0]) / width


# Spectra -----------------------------------------------------------------------------------------------------------------------------------------


def resample(time, *columns):
    """(step, columns) with equal steps, by linear interpolation with the median step, because rows of a run may have unequal distances."""
    duration = time[-1] - time[0]
    count = int(round(duration / np.median(np.diff(time)))) + 1
    even = np.linspace(time[0], time[-1], count)
    return duration / (count - 1), [np.interp(even, time, column) for column in columns]


def full_spectrum(step, z):
    """(frequencies in Hz, rising; amplitudes) of a complex signal with equal steps, without its mean. With Hann's window, a circle of radius r has a peak of height r."""
    window = np.hanning(len(z) + 1)[:-1]
    transform = np.fft.fft(window * (z - np.mean(z))) / window.sum()
    return np.fft.fftshift(np.fft.fftfreq(len(z), step)), np.fft.fftshift(np.abs(transform))


def dominant(frequency, amplitude):
    """(frequency, amplitude) of the largest peak, from a parabola through the logarithms of three points."""
    k = int(np.clip(np.argmax(amplitude), 1, len(amplitude) - 2))
    a, b, c = np.log(np.maximum(amplitude[k - 1 : k + 2], 1e-300))
    shift = 0.5 * (a - c) / (a - 2 * b + c) if a - 2 * b + c < 0 else 0.0
    return frequency[k] + shift * (frequency[1] - frequency[0]), np.exp(b - 0.25 * (a - c) * shift)


@dataclasses.dataclass
class Waterfall:
    """Full spectra of intervals of a run."""

    time: np.ndarray  # [pieces] centres
    spin_rate: np.ndarray  # [pieces] means
    frequency: np.ndarray  # [frequencies] Hz
    amplitude: np.ndarray  # [pieces, frequencies]


def one_way(station):
    """The part before or after the largest speed, or, from there through zero, up to the least one, whichever covers more speeds, so that each speed occurs once; without a hold at the
    largest speed."""
    speed = np.abs(station.spin_rate)
    near = np.flatnonzero(speed >= speed.max() - 1e-3 * np.ptp(speed))
    up, down = station.until(station.time[near[0]]), station.since(station.time[near[-1]])
    slow = int(np.argmin(speed))
    parts = (up, down, station.rows(slice(near[0], slow + 1)), station.rows(slice(slow, near[-1] + 1)))
    return max(parts, key=lambda part: np.ptp(np.abs(part.spin_rate)) if len(part.time) > 1 else 0)


def waterfall(station, pieces=100, turns=8):
    """Spectra over a run-up from overlapping intervals, each at least six times as long as their distance, and a number of revolutions long, so that the orders are separate."""
    if not changes_speed(station):
        raise ResultsError(f"station {station.name}: the speed hardly changes; spectra over speed need a run-up or run-down")
    station = one_way(station)
    step, (u2, u3, spin) = resample(station.time, station.z.real, station.z.imag, station.spin_rate)
    count = len(u2)
    turned = revolutions(station)
    if turned < turns:
        raise ResultsError(f"station {station.name}: {turned:.1f} revolutions while the speed changes; spectra over speed need more than {turns}")
    size = max(16, 6 * count // (pieces + 5), min(count // 4, int(turns * count / turned)))
    if count < 2 * size:
        raise ResultsError(f"station {station.name}: too few rows for a waterfall plot")
    begins = np.linspace(0, count - size, pieces).astype(int)
    spectra = [full_spectrum(step, (u2 + 1j * u3)[begin : begin + size]) for begin in begins]
    time = station.time[0] + step * (begins + (size - 1) / 2)
    spins = np.array([spin[begin : begin + size].mean() for begin in begins])
    return Waterfall(time, spins, spectra[0][0], np.array([amplitude for _, amplitude in spectra]))


@dataclasses.dataclass
class Tracked:
    """The part of an orbit that turns once per revolution, and its mean, over windows of some revolutions."""

    time: np.ndarray  # [windows] centres
    spin_rate: np.ndarray  # [windows] means, rad/s
    forward: np.ndarray  # [windows] complex: z = forward exp(i psi) + backward exp(-i psi), psi the angle of spin; of displacements along axes 2 and 3, axis 2 has (forward + conj backward)
    backward: np.ndarray
    middle: np.ndarray  # [windows] mean of z: the shaft centreline

    @property
    def along_2(self):
        """A exp(i phase) of the displacement A cos(psi + phase) along axis 2."""
        return self.forward + np.conj(self.backward)

    @property
    def along_3(self):
        """The same along axis 3."""
        return -1j * (self.forward - np.conj(self.backward))


def can_be_tracked(station, turns=8):
    """Whether a station turns often enough in one direction, with enough rows for each revolution."""
    turned = np.abs(station.angle[-1] - station.angle[0]) / TURN
    return turned >= 2 * turns and bool(np.all(np.diff(np.abs(station.angle - station.angle[0])) >= 0)) and len(station.time) >= 8 * turned


def tracked(station, turns=8, windows=300):
    """The 1x component of a station as tracking filters and keyphasors give it: least squares over windows of whole revolutions, weighted by Hann's window, which keeps other frequencies out."""
    if not can_be_tracked(station, turns):
        raise ResultsError(f"station {station.name}: to track the 1x component it has to turn {2 * turns} times in one direction, with 8 rows for each revolution (output.orbits.every)")
    angle = np.abs(station.angle - station.angle[0])
    starts = np.linspace(0, angle[-1] - turns * TURN, windows)
    found = []
    for start in starts:
        rows = slice(*np.searchsorted(angle, (start, start + turns * TURN)))
        psi, z = station.angle[rows], station.z[rows]
        if len(psi) < 4 * turns:  # the rows are few where the speed is high
            continue
        columns = np.stack([np.exp(1j * psi), np.exp(-1j * psi), np.ones_like(psi)], axis=1)
        weight = np.sqrt(np.hanning(len(psi) + 2)[1:-1])
        values = np.linalg.lstsq(weight[:, None] * columns, weight * z, rcond=None)[0]
        found.append((station.time[rows].mean(), station.spin_rate[rows].mean(), *values))
    if len(found) < 2:
        raise ResultsError(f"station {station.name} has too few rows for each revolution: write orbits more often (output.orbits.every)")
    time, spin, forward, backward, middle = (np.array(column) for column in zip(*found))
    return Tracked(time.real, spin.real, forward, backward, middle)


def changes_speed(station):
    """Whether the spin changes by a fifth of its largest value."""
    return np.ptp(station.spin_rate) > 0.2 * np.abs(station.spin_rate).max()


def revolutions(station):
    """Of the shaft."""
    return np.abs(station.angle[-1] - station.angle[0]) / TURN


def is_run_up(station, turns=8):
    """Whether there are spectra over speed: the spin changes, over some revolutions."""
    return changes_speed(station) and revolutions(one_way(station)) >= turns


# Rubs --------------------------------------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Rub:
    """One contact, row by row; SI units."""

    name: str
    time: np.ndarray
    gap: np.ndarray
    closed: np.ndarray  # bool
    impulsive: np.ndarray  # bool: an impulse since the previous row
    normal: np.ndarray  # force; for schemes with impulses only, the impulse divided by the time since the previous row
    friction: np.ndarray  # signed with one tangent, magnitude with two
    slip: np.ndarray  # likewise
    pressed: np.ndarray  # mean of force and impulses since the previous row; its mean over time is the total impulse divided by time
    torque: np.ndarray = None  # likewise for the friction moment of a journal about the axis of its cylinder, N m; None: no journal

    @property
    def closed_share(self):
        """Share of time in contact: rows that end closed, weighted by the time since the previous row."""
        spans = np.diff(self.time)
        return (spans * self.closed[1:]).sum() / spans.sum()

    @property
    def first(self):
        """Time of the first contact, or nan."""
        return self.time[np.argmax(self.closed)] if self.closed.any() else np.nan

    @property
    def impulsive_share(self):
        """Share of the rows with an impulse."""
        return np.mean(self.impulsive[1:])


def signed_or_length(parts):
    """One tangent: its value; two: the magnitude; none: zero."""
    return parts[0] if len(parts) == 1 else np.sqrt(sum(part**2 for part in parts))


def rub_of(run, name):
    """A contact of a run."""
    table = run.contacts
    time = table["time"]
    tangents = [k for k in (1, 2) if f"{name}.friction_force_{k}" in table]
    spans = np.diff(time, prepend=2 * time[0] - time[1] if len(time) > 1 else time[0] - 1)

    def forces(force, impulse):
        return table[f"{name}.{force}"] if np.any(table[f"{name}.force"]) else table[f"{name}.{impulse}"] / spans

    def together(force, impulse):
        return table[f"{name}.{force}"] + table[f"{name}.{impulse}"] / spans

    frictions = [forces(f"friction_force_{k}", f"friction_impulse_{k}") for k in tangents]
    slips = [table[f"{name}.slip_velocity_{k}"] for k in tangents]
    zero = [np.zeros_like(time)]
    torque = together("friction_torque", "friction_torque_impulse") if f"{name}.friction_torque" in table else None
    return Rub(name, time, table[f"{name}.gap"], table[f"{name}.state"] != "open", table[f"{name}.impulse"] > 0, forces("force", "impulse"),
               signed_or_length(frictions or zero), signed_or_length(slips or zero), together("force", "impulse"), torque)  # fmt: skip


def rubs_of(run):
    """The contacts of a run that close."""
    rubs = [rub_of(run, name) for name in run.contact_names()] if (run.directory / "contacts.csv").exists() else []
    return [rub for rub in rubs if rub.closed.any() or rub.impulsive.any()]


def clearance_of(run, station):
    """(contact, clearance) of the contact around this station, for which radius + gap is constant; or None."""
    if not (run.directory / "contacts.csv").exists():
        return None
    _, mine, its = np.intersect1d(station.time, run.contacts["time"], return_indices=True)
    for name in run.contact_names():
        total = station.radius[mine] + run.contacts[f"{name}.gap"][its]
        if len(total) > 1 and np.ptp(total) <= 1e-6 * np.abs(total).max():
            return name, float(np.median(total))
    return None
