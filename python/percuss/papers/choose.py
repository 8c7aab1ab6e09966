"""Choice of scheme and step: error against cost of the schemes for an elastic bar, a beam on a stop, a rotor in a safety bearing and a slider-crank.

    python3 postprocess/choose.py [--only CASE ...] [--percuss BIN] [--out DIR]

Each case is a config of configs/ with other schemes and steps. The error is the largest difference of some displacements from the reference, divided by
their largest value. The reference is d'Alembert's solution for the bar, else a run with a hundredth of the step. Schemes that serve only for comparison
with papers are left out, and so are schemes that do not support a model. Cost is the time of the loop without output, the minimum of three runs; compare
it only within one table. Takes some minutes, in which nothing else should run. Prints Markdown, and draws error over cost.
"""

import dataclasses
import sys
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np

from percuss.papers import command, run_with
from percuss.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, TWO_COLUMNS, save, style
from percuss.results import PercussError

TIMES = 3  # number of runs; the fastest counts
LOOK = 400  # number of times at which solutions are compared


@dataclasses.dataclass(frozen=True, eq=False)
class Method:
    """A scheme with its settings, other keys, and steps in s, or tolerances for an adaptive scheme. Without a colour it is only in the tables."""

    label: str
    scheme: dict
    steps: tuple
    colour: str | None = None
    marker: str = "o"
    keys: dict = dataclasses.field(default_factory=dict)
    adapts: bool = False


@dataclasses.dataclass(frozen=True)
class Case:
    """A config with its end time, the compared columns, and the reference."""

    title: str
    config: str
    end: float
    columns: tuple
    methods: tuple
    keys: dict = dataclasses.field(default_factory=dict)
    exact: Callable | None = None  # times -> [columns, times]
    reference: Method | None = None


def waves(times):
    """Displacements of both ends of the bar, by d'Alembert: it arrives with v0, and each end reverses its velocity when the wave reaches it."""
    speed, gap, c0, length = 0.1, 5.0005e-5, np.sqrt(2.1e11 / 7800), 1.0
    touch = gap / speed
    left = -speed * np.minimum(times, touch) + speed * np.maximum(0, times - touch - 2 * length / c0)
    turn = touch + length / c0
    right = -speed * np.minimum(times, turn) + speed * np.maximum(0, times - turn)
    return np.array([left, right])


def method(name, steps, colour=None, marker="o", label=None, keys=None, **settings):
    """One method of a table."""
    return Method(label or name, {"type": name, **settings}, tuple(steps), colour, marker, keys or {})


def implicit(*steps):
    """Three methods without a critical time step."""
    return tuple(method(name, steps, colour) for name, colour in (("moreau_jean", GREY), ("implicit_split", ORANGE), ("generalised_alpha", PURPLE)))


def adaptive(name, tolerances, step, colour=None, marker="D", label=None, **settings):
    """An adaptive scheme, with tolerances."""
    return Method(label or name, {"type": name, "step": step, **settings}, tuple(tolerances), colour, marker, adapts=True)


US = 1e-6
CASES = {
    "bar": Case(
        "Elastic bar on a wall, 200 elements, 1 ms",
        "elastic_bar.yaml",
        1e-3,
        ("bar.left.ux", "bar.right.ux"),
        (
            method("half_explicit", (0.25 * US, 0.5 * US), BLUE),
            method("half_explicit", (0.25 * US, 0.8 * US), BLUE, "s", "half_explicit, lumped", {"bodies.bar.mass": "lumped"}),
            method("massless_contact", (0.25 * US, 0.8 * US), SKY, "o", "massless_contact, redistributed", {"bodies.bar.mass": "redistributed"}),
            method("modal", (1 * US, 4 * US, 16 * US), GREEN, "o", "modal, 50 modes", modes=50),
            *implicit(0.5 * US, 2 * US, 8 * US),
            method("generalised_alpha_velocity", (0.5 * US, 2 * US, 8 * US)),
            method("projection_combined", (0.5 * US, 2 * US)),
            method("ggl_unified", (0.5 * US, 2 * US)),
            method("moreau_midpoint", (0.25 * US, 0.5 * US)),
            method("schatzman_paoli", (0.25 * US, 0.5 * US)),
            method("variational", (0.25 * US, 0.5 * US)),
            adaptive("half_explicit_adaptive", (1e-5, 1e-4, 1e-3), "1 ms"),
            adaptive("event_driven_hem5", (1e-8, 1e-6, 1e-4), "10 us"),
        ),
        keys={"bodies.bar.mesh.line.elements": 200},
        exact=waves,
    ),
    "beam": Case(
        "Beam on a stop, friction in space, to its first three impacts",
        "beam_on_stop.yaml",
        4e-3,
        ("beam.right.uy", "beam.right.uz"),
        (
            method("half_explicit", (0.1 * US, 0.5 * US), BLUE),
            *implicit(0.5 * US, 2 * US, 10 * US),
            method("generalised_alpha_velocity", (0.5 * US, 2 * US, 10 * US)),
            method("projection_combined", (0.5 * US, 2 * US)),
            method("moreau_midpoint", (0.1 * US, 0.4 * US)),
            method("half_explicit_two_step", (0.1 * US, 0.4 * US)),
            adaptive("half_explicit_adaptive", (1e-5, 1e-4, 1e-3), "1 ms"),
            method("modal", (0.5 * US, 2 * US, 10 * US), GREEN, "o", "modal, 30 modes", modes=30),
        ),
        reference=Method("half_explicit", {"type": "half_explicit"}, (0.02 * US,)),
    ),
    "rotor": Case(
        "Rotor in its safety bearing, 20 ms",
        "rotor_in_safety_bearing.yaml",
        20e-3,
        ("shaft.left.uy", "shaft.left.uz"),
        (
            method("half_explicit", (2 * US, 5 * US, 12 * US), BLUE),
            method("half_explicit_two_step", (2 * US, 5 * US, 12 * US), BLUE, "s"),
            adaptive("half_explicit_adaptive", (1e-4, 1e-3, 1e-2), "1 ms", SKY),
            method("moreau_midpoint", (2 * US, 5 * US), GREEN),
            *implicit(5 * US, 20 * US, 80 * US),
            method("generalised_alpha_velocity", (5 * US, 20 * US, 80 * US)),
            method("projection_combined", (5 * US, 20 * US)),
            method("ggl_unified", (5 * US, 20 * US)),
        ),
        reference=Method("half_explicit", {"type": "half_explicit"}, (0.05 * US,)),
    ),
    "crank": Case(
        "Slider-crank with clearance, 50 ms",
        "slider_crank.yaml",
        50e-3,
        ("crank.theta1", "crank.theta2"),
        (
            method("half_explicit", (1e-5, 1e-4), BLUE),
            method("moreau_midpoint", (1e-5, 1e-4), GREEN),
            *implicit(1e-5, 1e-4),
            method("ggl_unified", (1e-5, 1e-4), PURPLE, "s"),
            method("generalised_alpha_velocity", (1e-5, 1e-4)),
            method("projection_combined", (1e-5, 1e-4)),
            method("ggl_decoupled", (1e-5, 1e-4)),
            method("half_explicit_two_step", (1e-5, 1e-4)),
            adaptive("half_explicit_adaptive", (1e-7, 1e-6, 1e-5), "10 ms"),
            adaptive("event_driven_hem5", (1e-4, 1e-6, 1e-8), "10 ms", BLACK),
            adaptive("event_driven_rkf45", (1e-4, 1e-6, 1e-8), "10 ms", BLACK, "v"),
        ),
        reference=Method("event_driven_hem5", {"type": "event_driven_hem5", "step": "1 ms"}, (1e-12,), adapts=True),
    ),
}


@dataclasses.dataclass(frozen=True)
class Result:
    """One run: error, seconds, steps, relative numerical energy error."""

    error: float
    seconds: float
    steps: int
    made: float


def run(out, case, trial, step):
    """One run, repeated to measure its time: (run, seconds); None if it fails, with a message."""
    span = 1 if trial.adapts else max(1, int(case.end / LOOK / step))
    output = {"frames": {"every": 0}, "contacts": {"every": 0}, "energy": {"every": 0}, "history": {"every": span, "probes": probes(case)}}
    scheme = {**trial.scheme, "tolerance" if trial.adapts else "step": step}
    seconds = []
    for _ in range(TIMES):
        try:
            made = run_with(case.config, out, {**case.keys, **trial.keys, "scheme": scheme, "time": {"end": case.end}, "output": output})
        except PercussError as error:
            print(f"{case.title}: {trial.label} with {step:g}: {getattr(error, 'text', '') or error}", file=sys.stderr)
            return None
        seconds.append(made.summary["loop_seconds"] - made.summary["writing_seconds"])
    return made, min(seconds)


def probes(case):
    """Names of the probes of the columns."""
    return ["crank"] if case.config == "slider_crank.yaml" else sorted({column.rsplit(".", 1)[0] for column in case.columns})


def values(made, case, times):
    """The columns at the compared times."""
    return np.array([np.interp(times, made.history["time"], made.history[column]) for column in case.columns])


def measure(out, case):
    """{method: {step: result}}."""
    times = np.linspace(0, case.end, LOOK + 1)
    if case.exact:
        truth = case.exact(times)
    else:
        truth = values(run(out, case, case.reference, case.reference.steps[0])[0], case, times)
    size = np.max(np.abs(truth))
    results = {}
    for trial in case.methods:
        results[trial] = {}
        for step in trial.steps:
            found = run(out, case, trial, step)
            if not found:
                continue
            made, seconds = found
            summary = made.info["summary"]
            energy = summary["energy"]
            flow = max(abs(energy["initial"]), abs(energy["load"]), energy["kinetic"] + energy["elastic"])
            error = np.max(np.abs(values(made, case, times) - truth)) / size
            results[trial][step] = Result(error, seconds, summary["steps"], energy["numerical"] / flow)
    return results


def print_case(case, results):
    """A Markdown table."""
    print(f"\n{case.title} (`configs/{case.config}`)\n")
    print("| scheme | step or tolerance | steps | error | time, ms | numerical energy error |")
    print("|---|---|---|---|---|---|")
    for trial, found in results.items():
        for step, result in found.items():
            print(f"| `{trial.label}` | {words_of(step, trial.adapts)} | {result.steps} | {result.error:.1e} | {result.seconds * 1e3:.3g} | {result.made:+.0e} |")


def print_summary(results):
    """All cases in one Markdown table: error and time for the middle one of the steps or tolerances."""
    labels = list(dict.fromkeys(trial.label for found in results.values() for trial in found))
    print(f"\n| scheme | {' | '.join(results)} |\n|---|{'---|' * len(results)}")
    for label in labels:
        cells = []
        for found in results.values():
            tried = [list(of.items()) for trial, of in found.items() if trial.label == label and of]
            step, result = tried[0][len(tried[0]) // 2] if tried else (None, None)
            adapts = any(trial.adapts for trial in found if trial.label == label)
            cells.append(f"{result.error:.0e}, {result.seconds * 1e3:.2g} ms ({words_of(step, adapts)})" if tried else "")
        print(f"| `{label}` | {' | '.join(cells)} |")


def words_of(step, adapts):
    """Text for a step or a tolerance."""
    return f"{step:.0e}" if adapts else f"{step * 1e6:g} us"


def draw(cases, results):
    """Error over time, one panel for each case."""
    figure, axes = plt.subplots(2, 2, figsize=(TWO_COLUMNS, 6.2))
    for case, axis in zip(cases, axes.flat):
        for trial, found in results[case].items():
            points = sorted((result.seconds * 1e3, result.error) for result in found.values())
            if points and trial.colour:
                axis.loglog(*zip(*points), color=trial.colour, marker=trial.marker, label=trial.label, markerfacecolor="white")
        axis.set(xlabel="time of the loop, ms", ylabel="error")
        axis.set_title(CASES[case].title, loc="left", fontsize=8)
        axis.legend(fontsize=6)
    for axis in list(axes.flat)[len(cases) :]:
        axis.set_visible(False)
    return figure


def compare(arguments):
    """Runs, tables, figure."""
    style()
    results = {}
    for name in arguments.only:
        results[name] = measure(arguments.out / name, CASES[name])
        print_case(CASES[name], results[name])
    print_summary(results)
    print(f"\nfigure: {save(draw(arguments.only, results), arguments.out, 'choose')}")


def main():
    """The command line."""
    only = {"metavar": "CASE", "nargs": "+", "choices": sorted(CASES), "default": list(CASES), "help": f"of {', '.join(CASES)}"}
    return command("choose", __doc__, compare, only=only)
