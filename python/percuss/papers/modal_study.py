"""Modal integration compared with the whole mesh: error and time of the schemes modal and half_explicit for a bar that hits a wall and a rotor that rubs.

    python3 postprocess/modal_study.py [--percuss BIN] [--out DIR]

Prints two tables. Bar (configs/elastic_bar.yaml, N = 50 and 1000): contact time over T, mean contact force and its noise over tau, energy loss, rms
error of the velocity at 0.75 T relative to d'Alembert's solution (over v0), computing time for a microsecond of simulated time in us, without output.
Rotor (configs/rotor_rub_modal.yaml): largest difference of the fan and of the right end, each millisecond, from a run of half_explicit with steps of
0.1 us, energy dissipated by friction, and computing time for a second of simulated time in ms. Takes about a minute on one core.
"""

import numpy as np

from percuss.bar_impact import read_bar_frames
from percuss.papers import command, run_with

LENGTH, WAVE_SPEED, SPEED, GAP = 1.0, np.sqrt(210e9 / 7800), 0.1, 5.0005e-5
DURATION, REACTION = 2 * LENGTH / WAVE_SPEED, 210e9 * 3.14159265358979e-4 * SPEED / WAVE_SPEED
COMPARED_AT = GAP / SPEED + 0.75 * DURATION

BAR = {
    50: (("half_explicit", 0.1e-6, 0), ("modal", 2e-6, 10), ("modal", 1e-6, 15), ("modal", 1e-6, 25), ("modal", 0.5e-6, 51)),
    1000: (("half_explicit", 0.1e-6, 0), ("modal", 1e-6, 20), ("modal", 0.5e-6, 40), ("modal", 0.2e-6, 100), ("modal", 0.1e-6, 300)),
}
ROTOR = (("half_explicit", 1e-6, 0), ("half_explicit", 0.5e-6, 0), ("modal", 100e-6, 10), ("modal", 20e-6, 10), ("modal", 20e-6, 20), ("modal", 5e-6, 20), ("modal", 5e-6, 40))


def scheme(name, step, modes):
    """The value of the key `scheme`."""
    return {"type": name, "step": step, **({"modes": modes} if modes else {})}


def seconds(config, directory, settings):
    """Time of the loop without output, the minimum of three runs."""
    silent = settings | {f"output.{kind}.every": 0 for kind in ("frames", "history", "contacts", "energy")}
    infos = [run_with(config, directory, silent).info["summary"] for _ in range(3)]
    return min(info["loop_seconds"] - info["writing_seconds"] for info in infos)


def velocity_error(found):
    """Error against d'Alembert's solution at the frame next to COMPARED_AT."""
    frame = min(read_bar_frames(found), key=lambda frame: abs(frame.time - COMPARED_AT))
    back = 2 * LENGTH - (frame.time - GAP / SPEED) * WAVE_SPEED
    position = frame.position - frame.position.min()
    return np.sqrt(np.mean((np.abs(frame.velocity) / SPEED - (position > back)) ** 2))


def bar_row(out, elements, choice):
    """One line of the table of the bar."""
    settings = {"bodies.bar.mesh.line.elements": elements, "scheme": scheme(*choice), "output.energy.every": 1000, "output.history.every": 0}
    every = round(COMPARED_AT / choice[1])
    found = run_with("elastic_bar.yaml", out / "bar", settings | {"output.frames.every": every, "output.contacts.every": 1})
    force = found.contacts["wall.force"]
    closed = np.flatnonzero(force > 0)
    first, last = closed[0], closed[-1]
    middle = force[first + (last - first) // 20 : first + (last - first) * 19 // 20]
    time = seconds("elastic_bar.yaml", out / "time", settings) / 1e-3
    figures = ((last - first) * found.step / DURATION, force[first : last + 1].mean() / REACTION, middle.std() / REACTION)
    lost = found.energy["impact"][-1] / found.energy["kinetic"][0]
    return "".join(f"{figure:9.4f}" for figure in figures) + f"{max(lost, 0):10.1e}{velocity_error(found):9.4f}{time:11.3f}"


def print_bar(out):
    """The bar, N = 50 and 1000."""
    for elements, choices in BAR.items():
        print(f"bar, N = {elements}")
        print("  scheme          step, us   modes   time/T     mean    noise      lost    error      us/us")
        for choice in choices:
            name, step, modes = choice
            print(f"  {name:<14}{step * 1e6:10g}{modes or '':>8}{bar_row(out, elements, choice)}")
        print()


def orbit(found):
    """Displacements of the fan and the right end at each millisecond."""
    columns = [column for column in found.history if column.endswith((".uy", ".uz")) and not column.startswith("shaft@0.8")]
    rows = np.searchsorted(found.history["time"], np.arange(1, round(found.history["time"][-1] / 1e-3) + 1) * 1e-3 - 1e-9)
    return np.column_stack([found.history[column][rows] for column in columns])


def print_rotor(out):
    """The rotor in its catcher bearing."""

    def settings(choice):
        return {"scheme": scheme(*choice), "output.history.every": round(1e-3 / choice[1]), "output.frames.every": 0, "output.contacts.every": 0, "output.orbits.every": 0}

    reference = run_with("rotor_rub_modal.yaml", out / "rotor", settings(("half_explicit", 0.1e-6, 0)))
    exact = orbit(reference)
    print("rotor, 40 elements; reference: half_explicit, 0.1 us: friction " f"{reference.energy['friction'][-1] * 1e3:.3f} mJ, largest displacement {np.abs(exact).max() * 1e3:.3f} mm")
    print("  scheme          step, us   modes error, um   friction, mJ      ms/s")
    for choice in ROTOR:
        found = run_with("rotor_rub_modal.yaml", out / "rotor", settings(choice))
        off = np.abs(orbit(found) - exact).max() * 1e6
        time = seconds("rotor_rub_modal.yaml", out / "time", settings(choice)) / found.info["summary"]["time"] * 1e3
        print(f"  {choice[0]:<14}{choice[1] * 1e6:10g}{choice[2] or '':>8}{off:10.4f}{found.energy['friction'][-1] * 1e3:15.3f}{time:10.0f}")


def tables(arguments):
    """Both."""
    print_bar(arguments.out)
    print_rotor(arguments.out)


def main():
    """The command line."""
    return command("modal_study", __doc__, tables)
