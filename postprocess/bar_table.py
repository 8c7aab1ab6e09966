"""What was measured of a bar that hits a rigid wall beside what theory says, as rows with the reason for each difference; bar.py prints them, and
report.py sets them.
"""

import dataclasses

import numpy as np

from bar_impact import measure, reaction_of

MICRO, MILLI = 1e6, 1e3


@dataclasses.dataclass
class Compared:
    """A row: figures as they are to be shown."""

    name: str
    unit: str
    measured: str
    exact: str
    verdict: str  # difference, or whether a bound holds
    why: str


def heading(run, impact):
    """What was run, in a line."""
    return f"{run.info['title']}: {run.info['scheme']}, {impact.elements} elements, {mass_words(impact)}, step {run.step * MICRO:.4g} us"


def table(run, impact, frames):
    """[(title, rows)]; a row is a Compared, or a sentence that says why there is none."""
    reaction = reaction_of(run, run.contact_names()[0])
    found = measure(run, impact, frames, reaction)
    impacts = np.count_nonzero(run.events["event"] == "impact")
    return [
        ("The continuous bar (d'Alembert's solution)", wave_rows(run, impact, found, reaction)),
        ("The impact of the contact node, which a mesh has and a continuous bar has not", node_rows(impact, found, reaction, impacts)),
        ("How well contact is kept", kept_rows(run, impact, found, impacts)),
    ]


def wave_rows(run, impact, found, reaction):
    """Force, contact time, impulse and rebound."""
    why = "E S v0/c0. Force alone over the measured contact time; the impact's impulse is not in it"
    rows = [compare("mean reaction force", "N", found.mean_force, impact.reaction, why)]
    if not reaction.over:
        return [*rows, "the run ends while the bar is in contact: contact time, impulse and rebound are not known"]
    why = "2 M v0. It is M (v0 + rebound velocity): what it lacks, the rebound lacks"
    return [
        *rows,
        compare("contact time", "us", found.duration * MICRO, impact.duration * MICRO, f"2 L/c0. {dispersion(impact)}"),
        compare("total impulse", "mN s", found.total_impulse * MILLI, 2 * impact.mass * impact.speed * MILLI, why),
        compare("rebound velocity", "mm/s", found.rebound * MILLI, impact.speed * MILLI, rebound_words(run, impact, found)),
    ]


def node_rows(impact, found, reaction, impacts):
    """Impulse and loss of the first step of contact beside their formulas."""
    if not np.isfinite(impact.node_loss):
        return ["no formula for this mass matrix"]
    if impacts != 1:
        return [f"the run has {impacts} impacts: the formulas are for a single plastic one (restitution 0)"]
    consistent = impact.mass_matrix == "consistent"
    impulse, loss = ("sqrt(3)/6 rho S le v0", "sqrt(3)/(6 N)") if consistent else ("1/2 rho S le v0", "1/(2 N)")
    why = "The node's share of the bar stops at once; falls with 1/N"
    if not reaction.separate:
        why = "This scheme has no force of its own: a step of it is in the impulse"
    return [
        compare("reaction impulse", "mN s", found.impact_impulse * MILLI, impact.node_impulse * MILLI, f"{impulse}. {why}", 6),
        compare("energy lost", "% of E0", found.impact_loss * 100, impact.node_loss * 100, f"{loss}. The kinetic energy of that share", 6),
    ]


def kept_rows(run, impact, found, impacts):
    """Penetration and velocity while closed."""
    wander = 1.05 if run.info["scheme"] == "implicit_split" else 1  # of its gap while the force grows: percuss explain scheme.implicit_split
    bound = wander * impact.speed * run.step
    more = "" if wander == 1 else ", and 5 % for its numerical damping"
    why = f"v0 dt: contact is found at the end of the step in which it begins{more}"
    held = "holds" if found.penetration <= bound else "BROKEN"
    rows = [Compared("deepest penetration", "nm", f"{found.penetration * 1e9:.2f}", f"< {bound * 1e9:.2f}", held, why)]
    if impacts == 1:
        kept = "holds" if found.contact_velocity <= 1e-9 * impact.speed else "NOT KEPT"
        why = "the largest while closed: zero to rounding"
        rows.append(Compared("contact velocity", "mm/s", f"{found.contact_velocity * MILLI:.1g}", "0", kept, why))
    return rows


def compare(name, unit, measured, exact, why, digits=2):
    """Two figures and their relative difference."""
    difference = measured / exact - 1
    small = abs(difference) < 1e-5
    return Compared(name, unit, f"{measured:.{digits}f}", f"{exact:.{digits}f}", f"{difference:+.1e}" if small else f"{difference * 100:+.2f} %", why)


def mass_words(impact):
    """The mass matrix in words."""
    return {"other": "a mass matrix of its own kind"}.get(impact.mass_matrix, f"{impact.mass_matrix} mass")


def dispersion(impact):
    """Why contact ends early or late."""
    return {
        "consistent": "Short waves run faster than c0 in a mesh with consistent mass: relief comes early",
        "lumped": "Short waves run slower than c0 in a mesh with lumped mass: relief comes late",
    }.get(impact.mass_matrix, "Short waves do not run at c0 in a mesh")


def rebound_words(run, impact, found):
    """Where the energy is that the rebound lacks."""
    energy = {name: values[-1] for name, values in run.energy.items()}
    rest = (energy["kinetic"] + energy["elastic"] - impact.mass * found.rebound**2 / 2) / impact.energy * 100
    damped = f", damping took {energy['damping'] / impact.energy * 100:.2f} %" if energy["damping"] else ""
    return f"v0, centre of mass. {rest:.2f} % of the energy leaves as vibration, impacts took {found.impact_loss * 100:.2f} %{damped}"
