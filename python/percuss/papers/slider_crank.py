"""The slider-crank mechanism with every scheme: figures of two papers recomputed with percuss, and a comparison of the schemes.

    python3 postprocess/slider_crank.py [--only a10 b03 ...] [--percuss BIN] [--out DIR]

    aNN is Fig. NN of [A] Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level
    bNN is Fig. NN of [B] Schoeder, Ulbrich, Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems

The slider moves in a notch with 1 mm of clearance above and below; its corners hit the walls, without friction. [A]: steps of 0.1 ms, e = 0.4;
[B]: steps of 10 us, e = 0.1 to 0.9. Takes about half a minute. [A]'s Figs. 15 to 18 are drawn by ball_in_box.py, 20 to 22 by bar.py.
"""

import numpy as np

from percuss.papers import slider_crank_figures as figures
from percuss.style import total_energy
from percuss.papers import Figure, Study
from percuss.papers import main as command

RESTITUTIONS = (0.1, 0.4, 0.5, 0.9)

# In an impact all closed contacts rebound, not only those that have just closed: the rule of [A].
ALL = {"restitution_of": "all_closed"}

# Compared schemes with their settings.
SCHEMES = {
    "half_explicit": {"type": "half_explicit", **ALL},
    "half_explicit_two_step": {"type": "half_explicit_two_step", **ALL},
    "half_explicit_acceleration": {"type": "half_explicit_acceleration", **ALL},
    "explicit_velocity": {"type": "explicit_velocity", "free_force": "left_out", **ALL},
    "explicit_velocity_h": {"type": "explicit_velocity", "free_force": "included", **ALL},
    "moreau_midpoint": {"type": "moreau_midpoint"},
    "moreau_jean_explicit": {"type": "moreau_jean_explicit"},
    "ggl_decoupled": {"type": "ggl_decoupled"},
    "ggl_unified": {"type": "ggl_unified", "project": "all"},
    "ggl_unified_active": {"type": "ggl_unified", "project": "active"},
    "ggl_unified_none": {"type": "ggl_unified", "project": "none"},
}
LONG = ("half_explicit", "moreau_midpoint", "ggl_decoupled", "ggl_unified", "ggl_unified_none", "ggl_unified_active")
LEVELS = ("position_level", "half_explicit", "half_explicit_acceleration", "ggl_decoupled")


# Runs ------------------------------------------------------------------------------------------------------------------------------------------


def crank(scheme, step, end, every, restitution=None):
    """A config of the mechanism with the parameters of Table 1, which are the defaults; without restitution, with a joint instead of the clearance."""
    body = {"type": "slider_crank_bilateral"} if restitution is None else {"type": "slider_crank", "contact": {"restitution": restitution}}
    tables = {name: {"every": every} for name in ("history", "contacts", "energy")}
    return {
        "title": f"Slider-crank mechanism with {'a joint' if restitution is None else 'clearance'}",
        "gravity": [0, -9.81, 0],
        "bodies": {"crank": body},
        "scheme": {**scheme, "step": step},
        "time": {"end": end},
        "output": {"frames": {"every": 0}, "events": False, **tables},
    }


def configs():
    """All runs by name."""
    found = {f"a_{name}": crank(scheme, 1e-4, 0.2, 1, 0.4) for name, scheme in SCHEMES.items()}
    found |= {f"a_e{e}": crank(SCHEMES["half_explicit"], 1e-4, 0.2, 1, e) for e in RESTITUTIONS}
    found["a_fine"] = crank(SCHEMES["half_explicit"], 1e-7, 0.2, 1000, 0.4)
    for scheme in ("moreau_midpoint", "ggl_unified"):
        found |= {f"b_{scheme}_e{e}": crank(SCHEMES[scheme], 1e-5, 0.2, 2, e) for e in RESTITUTIONS}
    found |= {f"b_{name}": crank(SCHEMES[name], 1e-5, 4, 100, 0.1) for name in LONG}
    found |= {f"b_joint_{scheme}": crank({"type": scheme}, 1e-4, 1, 2) for scheme in LEVELS}
    return found


def names(prefix, members):
    """Names of runs."""
    return tuple(f"{prefix}{member}" for member in members)


# Tables ----------------------------------------------------------------------------------------------------------------------------------------


def drift(run):
    """Drift of the slider into a wall during contact: penetration relative to the first closed step of a contact phase, the largest of all phases, m."""
    worst = 0.0
    for name in run.contact_names():
        gap = run.contacts[f"{name}.gap"]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], gap <= 0, [False]]).astype(int)))
        worst = max([worst] + [gap[begin] - gap[begin:end].min() for begin, end in edges.reshape(-1, 2)])
    return worst


def print_tables(runs):
    """Energy at the end, deepest penetration and impulsive steps of each scheme; the rows are those of the figures schemes and b10."""
    print("drift: growth of the penetration of a closed contact; impulsive steps: steps in which a contact closes with an impulse\n")
    short = {name: runs[f"a_{name}"] for name in SCHEMES}
    print_schemes("e = 0.4, step 0.1 ms, 0.2 s; the last row is half_explicit with a step of 0.1 us", short | {"converged": runs["a_fine"]}, True)
    print()
    print_schemes("e = 0.1, step 10 us, 4 s", {name: runs[f"b_{name}"] for name in LONG}, False)


def print_schemes(heading, runs, with_drift):
    """One table: scheme, energy, gap, drift, impulsive steps. The drift is from the rows of contacts.csv."""
    print(f"{heading}\n  {'scheme':<28}{'E(end), J':>12}{'min gap, um':>14}" + f"{'drift, um':>12}" * with_drift + f"{'impulsive steps':>18}")
    for name, run in runs.items():
        summary = run.info["summary"]
        lowest = round(-summary["max_penetration"] * 1e6, 2) + 0.0  # no -0.00
        depth = f"{drift(run) * 1e6:12.2f}" * with_drift
        print(f"  {name:<28}{total_energy(run)[-1]:12.4f}{lowest:14.2f}{depth}{summary['impulsive_steps']:18d}")


# Study -----------------------------------------------------------------------------------------------------------------------------------------

ACCELERATION, VELOCITY = names("a_", ["half_explicit_acceleration"]), names("a_", ["half_explicit"])
MIDPOINT, UNIFIED = names("b_moreau_midpoint_e", RESTITUTIONS), names("b_ggl_unified_e", RESTITUTIONS)

FIGURES = (
    Figure("a05", "gaps", "gaps, acceleration level: drift while closed", ACCELERATION, figures.draw_gaps),
    Figure("a06", "energy", "energy, acceleration level: not monotonic", ACCELERATION, figures.draw_energy),
    Figure("a08", "gaps", "gaps, explicit velocity level: more drift", names("a_", ["explicit_velocity"]), figures.draw_gaps),
    Figure("a10", "gaps", "gaps, velocity level against acceleration level (dotted)", VELOCITY + ACCELERATION, figures.draw_gaps),
    Figure("a11", "movement", "slider in the notch, velocity level, four e", names("a_e", RESTITUTIONS), figures.draw_movement),
    Figure("a12", "angles", "angles and angular velocities, velocity level", VELOCITY, figures.draw_angles),
    Figure("a13", "multipliers", "contact forces and impact impulses separate, velocity level", VELOCITY, figures.draw_multipliers),
    Figure("b03", "movement", "slider in the notch, midpoint, four e: penetrates the walls", MIDPOINT, figures.draw_movement),
    Figure("b04", "gaps", "gaps and rates, midpoint, e = 0.1: drift", MIDPOINT[:1], figures.draw_gaps_and_rates),
    Figure("b06", "drift", "joint on position, velocity, acceleration level, and GGL", names("b_joint_", LEVELS), figures.draw_joint_drift),
    Figure("b08", "movement", "slider in the notch, unified GGL, four e: no penetration", UNIFIED, figures.draw_movement),
    Figure("b09", "gaps", "gaps and rates, unified GGL, e = 0.1: no drift", UNIFIED[:1], figures.draw_gaps_and_rates),
    Figure("b10", "energy", "energy over 4 s, e = 0.1", names("b_", LONG[:-1]), figures.draw_long_energy),
    Figure("schemes", "energy", "energy of all schemes, e = 0.4", ("a_fine", *names("a_", SCHEMES)), figures.draw_schemes),
)

STUDY = Study(
    name="slider_crank",
    title="Slider-crank mechanism with clearance, without friction",
    papers="aNN, bNN: Fig. NN of [A] Half-explicit timestepping schemes on velocity level, [B] Discussion of the Gear-Gupta-Leimkuhler method\n"
    "[A] Figs. 15 to 18: ball_in_box.py; 20 to 22: bar.py on runs of configs/elastic_bar.yaml, elastic_bar_1000.yaml, elastic_bar_damped.yaml",
    configs=configs(),
    figures=FIGURES,
    print_tables=print_tables,
    table_runs=("a_fine", *names("a_", SCHEMES), *names("b_", LONG)),
)


def main():
    """The command line."""
    return command(STUDY)
