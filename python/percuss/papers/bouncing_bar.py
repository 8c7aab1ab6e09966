"""The bouncing bar of Doyen, Ern and Piperno over ten periods: error of the motion and noise of the contact force of every scheme.

    python3 postprocess/bouncing_bar.py [--percuss BIN] [--out DIR] [--only WORD]...

A vertical bar (L = 10 m, E = 900 Pa, rho = 1 kg/m^3, A = 1 m^2) falls 5 m under g = 10 m/s^2. The exact solution has a period of 16 L/c: flight, contact for 2 L/c with the force
300 N + 300 N/s t, flight with a vibration, contact, flight. Prints for each scheme and its settings: rms error of the lower end over 5 m in the periods 1, 2, 5 and 10, and the rms error of the
force in the middle 80 % of the first contact over its mean, 400 N (schemes with impulses: percussions over the step). Takes some minutes.

D. Doyen, A. Ern, S. Piperno, "Time-integration schemes for the finite element dynamic Signorini problem", SIAM J. Sci. Comput. 33 (2011)."""

import numpy as np

from percuss import program
from percuss.papers import command

CONFIG = """title: Bouncing bar
bodies:
  bar:
    type: bar
    mesh: {{line: {{from: [0, 5, 0], to: [0, 15, 0], elements: {elements}}}}}
    material: {{density: 1 kg/m^3, young: 900 Pa}}
    section: {{rectangle: {{width: 1 m, height: 1 m}}}}
    mass: {mass}
gravity: [0, -10 m/s^2, 0]
contacts: {{ground: {{between: [bar.left, {{plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]}}}}
scheme: {{type: {scheme}}}
time: {{end: {end}}}
output: {{frames: {{every: 0}}, energy: {{every: 0}}, history: {{probes: [bar.left], every: {every}}}, contacts: {{every: {every}}}}}
"""
C, L, G, FALL = 30.0, 10.0, 10.0, 5.0
PERIOD, MEAN = 16 * L / C, 400.0
SHOWN = (1, 2, 5, 10)

ROWS = (
    [("modal", f"modes: {modes}, fade: {fade}", "consistent", 1500, step) for fade in ("2", "balanced", "2.7", "off") for modes, step in ((15, 0.5e-3), (30, 0.5e-3), (60, 0.125e-3))]
    + [("modal", "modes: 30, fade: balanced", "consistent", 6000, 0.25e-3)]
    + [("massless_contact", "", "redistributed", 100, 3.2e-3), ("massless_contact", "", "redistributed", 400, 0.8e-3), ("massless_contact", "", "redistributed", 400, 0.4e-3)]
    + [(name, "", "lumped", 400, step) for name in ("half_explicit", "half_explicit_acceleration", "explicit_velocity", "schatzman_paoli", "variational") for step in (0.8e-3, 0.4e-3)]
    + [("half_explicit_two_step", "", "lumped", 400, 0.4e-3)]
    + [(name, "", "consistent", 400, step) for name in ("moreau_jean", "generalised_alpha", "generalised_alpha_velocity", "implicit_split") for step in (1e-3, 0.25e-3)]
)


def exact(t):
    """Height of the lower end."""
    s = np.mod(t, PERIOD)
    x = s - 5 / 3
    wave = np.mod(C * x / L, 2)
    after = FALL - G / 2 * (x - 1) ** 2 + G * L**2 / C**2 * (wave**2 - 2 * wave)
    y = s - 13 / 3
    return np.select([s < 1, s < 5 / 3, s < 11 / 3, s < 13 / 3], [FALL - G / 2 * s**2, 0 * s, after, 0 * s], 10 * y - G / 2 * y**2)


def measure(run, step):
    """Errors of the shown periods, and the noise of the force."""
    t, height = run.history["time"], FALL + run.history["bar.left.uy"]
    error = (height - exact(t)) / FALL
    rms = [np.sqrt(np.mean(error[(t >= (p - 1) * PERIOD) & (t < p * PERIOD)] ** 2)) for p in SHOWN]
    table = run.contacts
    force = table["ground.force"] + table["ground.impulse"] / step
    t = table["time"]
    inside = (t > 1 + 0.1 * 2 / 3) & (t < 1 + 0.9 * 2 / 3)
    return rms, np.sqrt(np.mean(((force - 300 - 300 * (t - 1)) / MEAN)[inside] ** 2))


def row(out, name, more, mass, elements, step):
    """A line of the table."""
    config = out / "bouncing_bar.yaml"
    scheme = f"{name}, step: {step!r} s" + (f", {more}" if more else "")
    config.write_text(CONFIG.format(elements=elements, mass=mass, scheme=scheme, end=10 * PERIOD, every=1))
    label = f"| {name}{', ' + more if more else ''} | {elements} | {1e3 * step:g} |"
    try:
        rms, noise = measure(program.run(config, out=out / "run", overwrite=True, force=True), step)
    except program.ConfigError as error:
        return f"{label} {error.text.split(': ')[-1]} |"
    return f"{label} " + " | ".join(f"{100 * value:.2g}" for value in [*rms, noise]) + " |"


def table(arguments):
    """All rows."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    print("| scheme | elements | step, ms | " + " | ".join(f"period {p}, %" for p in SHOWN) + " | force, % |")
    print("|---|---|---|" + "---|" * (len(SHOWN) + 1))
    for entry in ROWS:
        if not arguments.only or any(word in f"{entry[0]} {entry[1]}" for word in arguments.only):
            print(row(arguments.out, *entry), flush=True)


def main():
    """The command line."""
    return command("bouncing_bar", __doc__, table, only={"action": "append", "help": "only schemes whose name or settings contain this word"})
