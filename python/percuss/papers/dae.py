"""Three DAE solvers on two mechanisms, after Haddouni, Acary and Beley [E]: work, precision, orders and drift of the event-driven schemes between events.

    python3 postprocess/dae.py [--only e03b ...] [--percuss BIN] [--out DIR]

The slider-crank with two joints for 2 s, and the block that falls on its left corner for 0.5 s; no event in either. Tolerances are absolute, as in the paper.
The error is the 2-norm of all coordinates and velocities at the end, against HEM5 with a tolerance of 1e-13, which is accurate to 1e-12 (crank) and 5e-14 (block).
Takes half a minute; e03b and eorder alone ten seconds.

Work is counted as in the paper's Table 2, for the solver alone: evaluations of F, G, G_q, K_t, C_t and linear equations.

    hem5     26 a tried step (8 F, 8 G, 1 G_q, 9 linear equations)
    rkf45    30 a tried step (6 F, 6 G, 6 G_q, 12 linear equations)
    alpha    5 an iteration of Newton's method; with projected rates 2 more a tried step (G, a linear equation). The paper adds Newmark's method for the
             error, which costs nothing here; K_t and C_t count in each iteration, as in the paper, although they are evaluated once a step here.

Tried steps are `steps_tried` of scheme_work in run.json. Iterations are forces - row_rates - 1: an index-1 system counts one of both, except the one at the
start, where nothing is held yet and no rates are needed. `evaluations` is the work of the whole run, including event location and energy balance:
forces + contact_rows + row_rates + solves + 2 tangents.

Results: the orders are 5, 4 and 2. HEM5 satisfies velocities to rounding, generalised-alpha positions, RKF45 neither.
  - The work of HEM5 for the block is 0.5 to 0.9 times the published one. The published average steps are inconsistent: times the tried steps they are 6 to
    12 times the duration.
  - For the crank, HEM5 needs 3.6 to 5.2 times the published work; the paper does not give the inertias of the rods, nor its norms.
  - RKF45 needs 0.06 to 0.8 times the published work. Rule (12) of the paper has tolerances per second, here they are per step, which explains a factor of
    at most 4. Two of its average steps for the block are also too short for its work.
  - Alpha, with free rates as in the paper, needs 0.8 to 4.8 times the published work; with projected rates 3 to 8 times less at the same error.
  - The paper ends steps whose drift exceeds 1e-3, and has no steps below 1e-6 s; percuss does neither. Therefore the coarse steps of RKF45 for the crank
    drift less in the paper.
  - HEM5 costs more than RKF45 at the same tolerance, because its error is smaller; at the same error it costs 1.3 to 3.2 times less. The ratio of alpha to
    HEM5 is not a constant 9, as published: it grows from 20 as the error decreases. At 1e-8, rounding keeps the steps of alpha for the crank longer than
    the tolerance would.
"""

import functools

import matplotlib.pyplot as plt
import numpy as np

from percuss.style import BLUE, GREEN, GREY, ORANGE, PURPLE, TWO_COLUMNS, legend_below, letter
from percuss.papers import Figure, Study
from percuss.papers import main as command

# Name of a solver: (label, settings of the scheme, order, colour, marker, smallest power of ten of its tolerances, because alpha takes minutes for the others)
SOLVERS = {
    "hem5": ("event_driven_hem5", {"type": "event_driven_hem5"}, 5, BLUE, "o", -10),
    "rkf45": ("event_driven_rkf45", {"type": "event_driven_rkf45"}, 4, ORANGE, "s", -10),
    "projected": ("event_driven_alpha, rates projected", {"type": "event_driven_alpha", "rates": "projected"}, 2, GREEN, "^", -8),
    "free": ("event_driven_alpha, rates free", {"type": "event_driven_alpha", "rates": "free"}, 2, PURPLE, "v", -8),
}

# Name of a mechanism: (label, body, end in s, held contacts)
MECHANISMS = {
    "crank": ("Slider-crank with two joints", {"type": "slider_crank_two_joints"}, 2, ("guide", "slider")),
    "block": (
        "Block on one corner",
        {"type": "rocking_block", "contact": {"restitution": 0}, "initial": {"x": 0.033493649053890406, "y": 0.5580127018922193, "theta": "60 deg"}},
        0.5,
        ("left",),
    ),
}

# Numbers of constant steps; the second row of the crank is for the solvers that are still far from rounding there.
COUNTS = {"block": (20, 40, 80, 160, 320), "crank": (160, 320, 640, 1280, 2560)}
MORE_COUNTS = (320, 640, 1280, 2560, 5120)
# [E] has no errors; these are from an independent computation with HEM5 for the block.
KNOWN = dict(zip(COUNTS["block"], (2.16e-7, 7.39e-9, 2.42e-10, 7.73e-12, 2.47e-13)))

# Tables 3 and 4 of [E]: power of ten of the tolerance, average step (s), work, largest |g| (m) and |g'| (m/s); for the crank the larger of both joints.
PUBLISHED = {
    "crank": {
        "hem5": """
            -2 0.117 364 1.24e-5 1.02e-15
            -4 0.061 884 4.45e-7 1.34e-15
            -6 0.027 1820 1.20e-8 1.02e-15
            -8 0.011 4472 4.85e-10 1.24e-15
            -10 5.25e-3 8944 2.91e-11 1.33e-15
        """,
        "rkf45": """
            -2 0.037 1890 9.39e-4 9.89e-4
            -4 0.036 2100 8.97e-4 6.73e-4
            -6 0.021 6450 1.44e-6 3.94e-6
            -8 7.50e-3 18420 1.53e-7 1.19e-7
            -10 2.85e-3 48480 4.99e-9 4.49e-9
        """,
        "alpha": """
            -2 7.16e-3 6915 4.44e-16 9.76e-4
            -4 1.79e-3 40925 6.66e-16 9.98e-4
            -6 1.71e-4 570895 6.66e-16 3.74e-4
            -8 2.90e-5 3077300 6.66e-16 3.54e-6
            -10 1.00e-6 4000000 6.66e-16 8.36e-8
        """,
    },
    "block": {
        "hem5": """
            -2 0.336 234 3.47e-5 4.81e-16
            -3 0.260 460 1.13e-7 3.34e-16
            -4 0.179 624 6.34e-8 6.72e-16
            -5 0.104 988 3.16e-9 6.97e-16
            -6 0.056 1924 4.76e-10 4.58e-16
            -7 0.054 2524 3.78e-10 6.45e-16
            -8 0.046 3120 6.00e-11 6.13e-16
            -9 0.026 5824 8.01e-11 6.84e-16
            -10 0.018 8580 1.29e-11 7.14e-16
        """,
        "rkf45": """
            -2 0.065 390 1.70e-4 9.50e-5
            -3 0.063 450 2.21e-5 8.07e-5
            -4 0.051 630 1.21e-5 8.07e-5
            -5 0.039 840 2.02e-6 2.38e-6
            -6 0.0009 3036 5.62e-7 9.98e-7
            -7 0.017 2700 4.93e-8 9.75e-8
            -8 0.0029 13560 7.13e-9 1.00e-8
            -9 0.0008 5910 4.17e-10 9.96e-10
            -10 7.6e-4 48510 5.30e-11 1.00e-10
        """,
        "alpha": """
            -2 7.11e-3 2180 8.33e-17 9.33e-5
            -3 7.11e-3 2180 8.33e-17 9.33e-5
            -4 1.26e-3 19815 8.33e-17 1.43e-3
            -5 6.52e-4 30870 8.33e-17 2.28e-4
            -6 3.12e-4 55725 8.33e-17 2.79e-5
            -7 1.28e-4 129555 8.33e-17 5.77e-6
            -8 4.86e-5 303435 8.33e-17 4.12e-7
            -9 1.97e-5 667055 8.33e-17 5.30e-8
            -10 6.48e-6 1241790 1.11e-16 7.50e-9
        """,
    },
}
A_STEP = {"hem5": 26, "rkf45": 30}  # Table 2


# Runs ------------------------------------------------------------------------------------------------------------------------------------------


def config(mechanism, solver, step, tolerance):
    """A run without events; its history has the start and the end."""
    title, body, end, _ = MECHANISMS[mechanism]
    return {
        "title": title,
        "gravity": [0, -9.81, 0],
        "bodies": {mechanism: body},
        "scheme": {**SOLVERS[solver][1], "step": step, "tolerance": 0, "absolute_tolerance": tolerance},
        "time": {"end": end},
        "output": {"frames": {"every": 0}, "history": {"every": 1000000000}, "contacts": {"every": 1}, "energy": {"every": 0}},
    }


def powers(solver):
    """Powers of ten of the tolerances of a solver."""
    return range(-2, SOLVERS[solver][5] - 1, -1)


def counts(mechanism, solver):
    """Numbers of constant steps."""
    return COUNTS[mechanism] if mechanism == "block" or solver == "hem5" else MORE_COUNTS


def tolerance_runs(mechanism):
    """Runs of Fig. 3 and of Table 3 or 4: {name: config}."""
    end = MECHANISMS[mechanism][2]
    found = {f"{mechanism}_{solver}_1e{power}": config(mechanism, solver, end, 10.0**power) for solver in SOLVERS for power in powers(solver)}
    return found | {f"{mechanism}_reference": config(mechanism, "hem5", end, 1e-13)}


def order_runs(mechanism):
    """Runs with constant steps: {name: config}."""
    end = MECHANISMS[mechanism][2]
    found = {f"{mechanism}_{solver}_{count}": config(mechanism, solver, end / count, 0) for solver in SOLVERS for count in counts(mechanism, solver)}
    return found | {f"{mechanism}_reference": config(mechanism, "hem5", end, 1e-13)}


# Results -----------------------------------------------------------------------------------------------------------------------------------------


def final_state(run):
    """Coordinates and velocities at the end."""
    return np.array([values[-1] for values in list(run.history.values())[1:7]])


def work(run, solver):
    """Work of the solver, as in Table 2 of the paper."""
    counted = run.info["summary"]["scheme_work"]
    if solver in A_STEP:
        return A_STEP[solver] * counted["steps_tried"]
    rounds = counted["forces"] - counted["row_rates"] - 1
    return 5 * rounds + (2 * counted["steps_tried"] if solver == "projected" else 0)


def evaluations(run):
    """All evaluations and solves of the run."""
    counted = run.info["summary"]["scheme_work"]
    return sum(counted[key] for key in ("forces", "contact_rows", "row_rates", "solves")) + 2 * counted["tangents"]


def largest(run, mechanism, column):
    """The largest gap or gap rate of held contacts in any step."""
    return max(np.max(np.abs(run.contacts[f"{name}.{column}"])) for name in MECHANISMS[mechanism][3])


def results(runs, mechanism, name, solver):
    """Key figures of a run."""
    run, reference = runs[f"{mechanism}_{name}"], runs[f"{mechanism}_reference"]
    counted = run.info["summary"]["scheme_work"]
    return {
        "steps": counted["steps"],
        "tried": counted["steps_tried"],
        "step": MECHANISMS[mechanism][2] / counted["steps"],
        "error": np.linalg.norm(final_state(run) - final_state(reference)),
        "gap": largest(run, mechanism, "gap"),
        "rate": largest(run, mechanism, "gap_rate"),
        "work": work(run, solver),
        "evaluations": evaluations(run),
    }


def over_tolerance(runs, mechanism, solver):
    """{power of ten of the tolerance: numbers}"""
    return {power: results(runs, mechanism, f"{solver}_1e{power}", solver) for power in powers(solver)}


def over_count(runs, mechanism, solver):
    """{number of steps: numbers}"""
    return {count: results(runs, mechanism, f"{solver}_{count}", solver) for count in counts(mechanism, solver)}


def published(mechanism, solver):
    """{power of ten of the tolerance: (average step, work, |g|, |g'|)} of the paper; generalised-alpha for both variants."""
    rows = [[float(word) for word in row.split()] for row in PUBLISHED[mechanism][solver if solver in A_STEP else "alpha"].strip().splitlines()]
    return {int(row[0]): row[1:] for row in rows}


# Figures -----------------------------------------------------------------------------------------------------------------------------------------


THEIRS = {"markerfacecolor": "white", "linestyle": (0, (1.2, 1.4)), "linewidth": 0.9}


def draw_work(runs, mechanism):
    """Error over tolerance and over work; tolerance over work with the values of the paper, its Fig. 3."""
    figure, (by_tolerance, by_work, paper) = plt.subplots(1, 3, figsize=(TWO_COLUMNS, 2.7))
    by_work.sharey(by_tolerance)
    for solver, (label, _, _, colour, marker, _) in SOLVERS.items():
        found = over_tolerance(runs, mechanism, solver)
        tolerance, error, cost = 10.0 ** np.array(list(found)), [row["error"] for row in found.values()], [row["work"] for row in found.values()]
        look = {"color": colour, "marker": marker, "markersize": 3.2, "label": label}
        by_tolerance.loglog(tolerance, error, **look)
        by_work.loglog(cost, error, **look)
        paper.loglog(cost, tolerance, **look)
        if solver != "projected":
            theirs = published(mechanism, solver)
            paper.loglog([row[1] for row in theirs.values()], 10.0 ** np.array(list(theirs)), **{**look, **THEIRS, "label": None})
    by_tolerance.loglog([1e-10, 1e-2], [1e-10, 1e-2], color=GREY, linewidth=0.7, zorder=1)
    by_work.loglog([], [], color=GREY, marker="o", markersize=3.2, **THEIRS, label="published, in (c)")
    by_tolerance.set(xlabel="tolerance (SI units)", ylabel="error at the end (SI units)", xlim=(3e-2, 3e-11))
    by_work.set(xlabel="work (evaluations)")
    paper.set(xlabel="work (evaluations)", ylabel="tolerance (SI units)")
    legend_below(figure, by_work, ncol=3)
    letter((by_tolerance, by_work, paper))
    return figure


def draw_orders(runs):
    """Error over the step, and the slopes of the orders through the finest step."""
    figure, axes = plt.subplots(1, 2, figsize=(TWO_COLUMNS, 3.0))
    for axis, mechanism in zip(axes, MECHANISMS):
        for solver, (label, _, order, colour, marker, _) in SOLVERS.items():
            found = over_count(runs, mechanism, solver).values()
            step, error = np.array([row["step"] for row in found]) * 1e3, np.array([row["error"] for row in found])
            look = {"markersize": 6, "markerfacecolor": "none"} if solver == "projected" else {"markersize": 3.5}  # hidden below the variant with free rates
            axis.loglog(step, error, color=colour, marker=marker, linestyle="none", label=label, **look)
            axis.loglog(step, error[-1] * (step / step[-1]) ** order, color=GREY, linewidth=0.8, zorder=1)
            if solver != "free":
                axis.annotate(f"{order}", (step[0], error[-1] * (step[0] / step[-1]) ** order), (5, -3), textcoords="offset points", color=GREY)
        axis.loglog([], [], color=GREY, linewidth=0.8, label="slopes of 5, 4, 2 through the finest")
        axis.set(xlabel="step (ms)", ylabel="error at the end (SI units)")
        axis.set_title(MECHANISMS[mechanism][0], fontsize=8.5)
        ticks = [tick for tick in (0.5, 1, 2, 5, 10, 20) if axis.get_xlim()[0] <= tick <= axis.get_xlim()[1]]
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_xticks([], minor=True)
    legend_below(figure, axes[0], ncol=3)
    letter(axes)
    return figure


# Tables ------------------------------------------------------------------------------------------------------------------------------------------


def print_tolerances(runs, mechanism):
    """Table 3 or 4 with the values of the paper; then the cost of a given error."""
    title, _, end, _ = MECHANISMS[mechanism]
    for solver, (label, *_) in SOLVERS.items():
        print(f"{title}, {label}: {end:g} s; computed, published, and their ratio")
        print(
            f"  {'tolerance':>9}{'steps':>8}{'rejected':>9}{'average h, s':>14}{'publ.':>9}{'ratio':>7}{'work':>9}{'publ.':>9}{'ratio':>7}"
            f"{'tried h/time':>14}{'publ.':>7}{'evaluations':>13}{'error':>10}{'|g|, m':>10}{'publ.':>9}{'|dg/dt|, m/s':>14}{'publ.':>9}"
        )
        theirs = published(mechanism, solver)
        for power, row in over_tolerance(runs, mechanism, solver).items():
            print_tolerance(power, row, theirs.get(power), A_STEP.get(solver), end)
        print()
    print_equal_errors(runs, mechanism)


def print_tolerance(power, row, theirs, a_step, end):
    """A row of a table; `theirs`: values of the paper, or None; `a_step`: work a step, None if it varies."""
    step, _, gap, rate = ([f"{value:9.2e}" for value in theirs] if theirs else ["-"] * 4)
    ratio = [f"{row['step'] / theirs[0]:.2f}", f"{row['work'] / theirs[1]:.2f}"] if theirs else ["-"] * 2
    tried = f"{theirs[1] / a_step * theirs[0] / end:.2f}" if theirs and a_step else "-"
    print(
        f"  {10.0**power:9.0e}{row['steps']:8d}{row['tried'] - row['steps']:9d}{row['step']:14.2e}{step:>9}{ratio[0]:>7}{row['work']:9d}"
        f"{f'{theirs[1]:.0f}' if theirs else '-':>9}{ratio[1]:>7}{row['tried'] * row['step'] / end:14.2f}{tried:>7}{row['evaluations']:13d}"
        f"{row['error']:10.1e}{row['gap']:10.1e}{gap:>9}{row['rate']:14.1e}{rate:>9}"
    )


def cost_of_error(found, error):
    """Work for an error, by linear interpolation between the runs of the diagram; None outside."""
    errors, costs = (np.log10([row[key] for row in found.values()])[::-1] for key in ("error", "work"))
    errors = np.maximum.accumulate(errors)  # at rounding level errors do not decrease
    return 10 ** np.interp(np.log10(error), errors, costs) if errors[0] <= np.log10(error) <= errors[-1] else None


def print_equal_errors(runs, mechanism):
    """Work of each solver for the same error, and its ratio to HEM5."""
    print(f"{MECHANISMS[mechanism][0]}: work for the same error, and its ratio to hem5 ([E]: alpha 9 times hem5, 3 times rkf45)")
    print(f"  {'error':>9}" + "".join(f"{solver:>20}" for solver in SOLVERS))
    found = {solver: over_tolerance(runs, mechanism, solver) for solver in SOLVERS}
    for power in range(-3, -11, -1):
        costs = {solver: cost_of_error(found[solver], 10.0**power) for solver in SOLVERS}
        words = [f"{cost:11.0f} ({cost / costs['hem5']:6.2f})" if cost and costs["hem5"] else "-" for cost in costs.values()]
        print(f"  {10.0**power:9.0e}" + "".join(f"{word:>20}" for word in words))


def print_orders(runs):
    """Errors and orders with constant steps."""
    for mechanism, (title, *_) in MECHANISMS.items():
        for solver, (label, _, order, *_) in SOLVERS.items():
            print(f"{title}, {label}: order {order}, constant steps")
            print(f"  {'steps':>9}{'h, ms':>10}{'error':>12}{'order':>7}{'known error':>13}{'|g|, m':>10}{'|dg/dt|, m/s':>14}")
            last = None
            for count, row in over_count(runs, mechanism, solver).items():
                known = f"{KNOWN[count]:.2e}" if mechanism == "block" and solver == "hem5" else "-"
                seen = f"{np.log2(last / row['error']):.2f}" if last else "-"
                print(f"  {count:9d}{row['step'] * 1e3:10.4f}{row['error']:12.3e}{seen:>7}{known:>13}{row['gap']:10.1e}{row['rate']:14.1e}")
                last = row["error"]
            print()


CRANK, BLOCK, ORDERS = tolerance_runs("crank"), tolerance_runs("block"), order_runs("crank") | order_runs("block")

FIGURES = tuple(
    Figure(
        key,
        f"work_{name}",
        f"work and precision, {MECHANISMS[name][0].lower()}",
        tuple(made),
        functools.partial(draw_work, mechanism=name),
        functools.partial(print_tolerances, mechanism=name),
    )
    for key, name, made in (("e03a", "crank", CRANK), ("e03b", "block", BLOCK))
) + (
    Figure("eorder", "order", "orders of the three solvers, constant steps", tuple(ORDERS), draw_orders, print_orders),
)

STUDY = Study(
    name="dae",
    title="DAE solvers between events: work, precision, orders, drift",
    papers="e03: Fig. 3, Tables 3 and 4 of [E], Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers\n"
    "tried h/time: tried steps times average step over duration; consistent values are at least 1",
    configs=CRANK | BLOCK | ORDERS,
    figures=FIGURES,
)


def main():
    """The command line."""
    return command(STUDY)
