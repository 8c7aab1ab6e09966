"""Comparison of a bar that hits a rigid wall with theory, as rows with the reason of each difference, for bar.py and
report.py.
"""

import dataclasses

import numpy as np

from percuss.bar_impact import measure, reaction_of

MICRO, MILLI = 1e6, 1e3


@dataclasses.dataclass
class Compared:
    """A row with formatted values."""

    name: str
    unit: str
    measured: str
    exact: str
    verdict: str  # difference, or whether a bound is satisfied
    why: str


def heading(run, impact):
    """The run in one line."""
    return f"{run.info['title']}: {run.info['scheme']}, {impact.elements} elements, {mass_words(impact)}, step {run.step * MICRO:.4g} us"


def table(run, impact, frames):
    """[(title, rows)]; a row is a Compared, or a sentence with the reason why it cannot be compared."""
    reaction = reaction_of(run, run.contact_names()[0])
    found = measure(run, impact, frames, reaction)
    impacts = np.count_nonzero(run.events["event"] == "impact")
    return [
        ("Continuous bar (d'Alembert's solution)", wave_rows(run, impact, found, reaction)),
        ("Impact of the contact node (an effect of the mesh)", node_rows(impact, found, reaction, impacts)),
        ("Accuracy of the contact constraint", kept_rows(run, impact, found, impacts)),
    ]


def wave_rows(run, impact, found, reaction):
    """Force, contact time, impulse and rebound."""
    why = "E S v0/c0. Mean over the computed contact time, without the impulse of the impact"
    rows = [compare("mean contact force", "N", found.mean_force, impact.reaction, why)]
    if not reaction.over:
        return [*rows, "the run ends during contact: contact time, impulse and rebound are unknown"]
    why = "2 M v0. Equals M (v0 + rebound velocity), so it has the error of the rebound"
    return [
        *rows,
        compare("contact time", "us", found.duration * MICRO, impact.duration * MICRO, f"2 L/c0. {dispersion(impact)}"),
        compare("total impulse", "mN s", found.total_impulse * MILLI, 2 * impact.mass * impact.speed * MILLI, why),
        compare("rebound velocity", "mm/s", found.rebound * MILLI, impact.speed * MILLI, rebound_words(run, impact, found)),
    ]


def node_rows(impact, found, reaction, impacts):
    """Impulse and loss of the first step of contact, compared with formulas."""
    if not np.isfinite(impact.node_loss):
        return ["there is no formula for this mass matrix"]
    if impacts != 1:
        return [f"the run has {impacts} impacts; the formulas are for a single plastic impact (restitution 0)"]
    consistent = impact.mass_matrix == "consistent"
    impulse, loss = ("sqrt(3)/6 rho S le v0", "sqrt(3)/(6 N)") if consistent else ("1/2 rho S le v0", "1/(2 N)")
    why = "The mass of the contact node stops at once; proportional to 1/N"
    if not reaction.separate:
        why = "The impulse of this scheme includes the force of one step"
    return [
        compare("impact impulse", "mN s", found.impact_impulse * MILLI, impact.node_impulse * MILLI, f"{impulse}. {why}", 6),
        compare("energy loss", "% of E0", found.impact_loss * 100, impact.node_loss * 100, f"{loss}. Kinetic energy of the contact node", 6),
    ]


def kept_rows(run, impact, found, impacts):
    """Penetration and velocity during contact."""
    wander = 1.05 if run.info["scheme"] == "implicit_split" else 1  # growth of the gap with the force: percuss explain scheme.implicit_split
    bound = wander * impact.speed * run.step
    more = "" if wander == 1 else ", and 5 % for its numerical damping"
    why = f"v0 dt: contact is detected at the end of the step in which it begins{more}"
    held = "ok" if found.penetration <= bound else "VIOLATED"
    rows = [Compared("deepest penetration", "nm", f"{found.penetration * 1e9:.2f}", f"< {bound * 1e9:.2f}", held, why)]
    if impacts == 1:
        kept = "ok" if found.contact_velocity <= 1e-9 * impact.speed else "VIOLATED"
        why = "largest during contact: zero to rounding"
        rows.append(Compared("contact velocity", "mm/s", f"{found.contact_velocity * MILLI:.1g}", "0", kept, why))
    return rows


def compare(name, unit, measured, exact, why, digits=2):
    """Two values and their relative difference."""
    difference = measured / exact - 1
    small = abs(difference) < 1e-5
    return Compared(name, unit, f"{measured:.{digits}f}", f"{exact:.{digits}f}", f"{difference:+.1e}" if small else f"{difference * 100:+.2f} %", why)


def mass_words(impact):
    """Description of the mass matrix."""
    return {"other": "special mass matrix"}.get(impact.mass_matrix, f"{impact.mass_matrix} mass")


def dispersion(impact):
    """Reason why contact ends early or late."""
    return {
        "consistent": "Short waves travel faster than c0 in a mesh with consistent mass: the release wave is early",
        "lumped": "Short waves travel slower than c0 in a mesh with lumped mass: the release wave is late",
    }.get(impact.mass_matrix, "Short waves do not travel with c0 in a mesh")


def rebound_words(run, impact, found):
    """Where the energy missing in the rebound is."""
    energy = {name: values[-1] for name, values in run.energy.items()}
    rest = (energy["kinetic"] + energy["elastic"] - impact.mass * found.rebound**2 / 2) / impact.energy * 100
    damped = f", damping dissipated {energy['damping'] / impact.energy * 100:.2f} %" if energy["damping"] else ""
    return f"v0, centre of mass. {rest:.2f} % of the energy is vibration, impacts dissipated {found.impact_loss * 100:.2f} %{damped}"
