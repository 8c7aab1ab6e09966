"""Tables of a report: setup, key figures, energy balance, contacts, events. Cells are HTML (report_page.py)."""

import os
import re
import socket

import numpy as np

from percuss.results import ResultsError
from percuss.report_page import escape, paragraph, quantity, section, table
from percuss.rotor_orbit import rub_of
from percuss.run_figures import is_held, strength

MOST_CONTACTS, MOST_EVENTS = 40, 10  # rows of contacts; events shown at the start, and at the end

# Columns of events.csv and their units.
EVENT_UNITS = {"time": "s", "velocity_before": "m/s", "velocity_after": "m/s", "impulse": "N s", "energy_lost": "J", "tangential_velocity_after": "m/s",
               "tangential_impulse": "N s"}  # fmt: skip

# Content of each file of a run.
FILES = {"history.csv": "displacements, velocities and section forces at the probes", "contacts.csv": "gap, force, impulse and state of each contact", "events.csv": "impacts, closing, opening, stick and slip",
         "energy.csv": "energy balance over time", "body_energies.csv": "energies of each body, spring and bearing", "resultants.csv": "resultant force, moment and impulse of all contacts of one name", "orbits.csv": "orbits of rotors", "poincare.csv": "positions once per revolution",
         "config.yaml": "the config as run", "run.json": "program, inputs, exit status and summary", "status.json": "progress of the run",
         "view.py": "the scene: pvpython view.py, or python3 view.py --png FILE"}  # fmt: skip


# The config --------------------------------------------------------------------------------------------------------------------------------------


def config_text(run):
    """The config as run."""
    path = run.directory / "config.yaml"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def block(config, key):
    """The value of a top-level key of the config, with all its lines."""
    found = re.search(rf"^{key}:(.*(?:\n[ #].*|\n(?=\n))*)", config, re.M)
    return found[1] if found else ""


def body_types(run):
    """{name: type} of the bodies."""
    return run.info.get("model", {}).get("body_types", {})


def config_section(run):
    """The config, keys in bold and numbers in colour."""
    text = config_text(run)
    if not text:
        raise ResultsError("the results have no config.yaml")
    keys_bold = re.sub(r"(?m)(^\s*(?:- )?|[{,] ?)([A-Za-z_][\w.@-]*)(?=:(?:\s|$))", r"\1<b>\2</b>", escape(text))
    numbers = re.sub(r"(?<![\w.#&;@-])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w;])", r"<i>\1</i>", keys_bold)
    return section("config", "Config", f'<pre tabindex="0" aria-label="config.yaml">{numbers}</pre>\n')


# Setup -------------------------------------------------------------------------------------------------------------------------------------------


def is_alive(info):
    """Whether the process of a run with status `running` exists; None if it is on another machine."""
    if info.get("host") != socket.gethostname():
        return None
    try:
        os.kill(info["pid"], 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # process of another user
    return True


def status_of(run):
    """(CSS class, text): how the run ended."""
    status = run.info.get("exit_status", "done")
    if status == "running":
        alive = is_alive(run.info)
        return "running", {True: "in progress", False: "killed", None: "not finished"}[alive]
    return status, status


def seconds(value):
    """A wall-clock time."""
    return quantity(value, "s", 3)


def known(rows):
    """Rows with a value."""
    return [(name, text) for name, text in rows if text not in (None, "", "–")]


def setup_section(run):
    """Model, scheme, program, machine and times."""
    info, summary = run.info, run.info.get("summary", {})
    model, program, config = (info.get(key, {}) for key in ("model", "program", "config"))
    scheme = " ".join(block(config_text(run), "scheme").split()).strip("{} ")
    counters = " · ".join(f"{name.replace('_', ' ')} {quantity(value)}" for name, value in summary.get("scheme_work", {}).items())
    solver = summary.get("contact_solver", {})
    solved = " · ".join(f"{name.replace('_', ' ')} {quantity(value)}" for name, value in solver.get("solved_by", {}).items() if value)
    bodies = ", ".join(f"{escape(name)} ({escape(kind)})" for name, kind in body_types(run).items())
    rows = [
        ("Config", f"<code>{escape(config.get('path', run.name))}</code>"),
        ("Overrides", " ".join(f"<code>{escape(word)}</code>" for word in config.get("set", []))),
        ("Further inputs", "<br>".join(f"<code>{escape(file['path'])}</code>" for file in info.get("inputs", []))),
        ("Model", escape(model.get("kind", ""))),
        ("Bodies", bodies),
        ("Degrees of freedom", quantity(model.get("unknowns"))),
        ("Contacts", quantity(model.get("contacts"))),
        ("Scheme", f"<code>{escape(scheme)}</code>" if scheme else escape(info.get("scheme", ""))),
        ("Step", quantity(info.get("step"), "s")),
        ("Critical time step", quantity(info.get("step_limit"), "s")),
        ("Highest frequency", quantity(info.get("omega_max"), "rad/s")),
        ("Free dynamics", escape(model.get("free_dynamics", ""))),
        ("Local contact problems", quantity(solver["calls"]) + (f", solved by {solved}" if solved else "") if solver else ""),
        ("Contact problems not solved", quantity(solver.get("failures")) if solver.get("failures") else ""),
        ("Work of the scheme", counters),
        ("Program", escape("percuss {version}, commit {commit}, {compiler}, {build}".format(**program)) if program else ""),
        ("Libraries", escape(", ".join(f"{name} {version}" for name, version in info.get("libraries", {}).items()))),
        ("Processes", quantity(info.get("ranks"))),
        ("Machine", escape(info.get("host", ""))),
        ("Start, end", escape(", ".join(time for time in (info.get("started"), info.get("ended")) if time))),
        ("Time: set-up", seconds(summary.get("setup_seconds"))),
        ("Time: all steps", seconds(summary.get("loop_seconds"))),
        ("Time: output", seconds(summary.get("writing_seconds"))),
        ("Time: one step", seconds(summary.get("seconds_per_step"))),
    ]
    return section("setup", "Setup", table("Model, scheme, program and machine", None, known(rows)))


def key_figures(run):
    """Key figures of the summary in run.json."""
    info, summary = run.info, run.info.get("summary")
    if not summary:
        return section("figures", "Key figures", paragraph("The run has not ended, so run.json has no summary yet. The sections below show the results written so far."))
    end, energy = info.get("end"), summary.get("energy", {})
    largest = max(abs(energy.get(key) or 0) for key in ("initial", "kinetic", "elastic", "load")) if energy else 0
    of_largest = lambda value: f"{typeset_share(value, largest)} of the largest energy" if largest and value is not None else ""
    reached = end is not None and summary["time"] >= end * (1 - 1e-6)
    rows = [
        ("simulated time", quantity(summary["time"], "s", 6), "" if reached or end is None else f"of {quantity(end, 's')} planned"),
        ("steps", quantity(summary["steps"]), f"{quantity(summary['short_steps'])} shorter than `step`" if summary.get("short_steps") else ""),
        ("steps with an impulse", quantity(summary["impulsive_steps"]), ""),
        ("step", quantity(info["step"], "s"), f"critical: {quantity(info['step_limit'], 's')}" if info.get("step_limit") else "no critical time step known"),
    ]
    if info["model"]["contacts"]:
        rows.append(("deepest penetration", quantity(summary["max_penetration"], "m"), "or gap of a joint, in all steps"))
    if energy:
        rows += [
            ("energy at the start", quantity(energy["initial"], "J"), ""),
            ("energy at the end", quantity(stored(energy), "J"), ""),
            ("numerical energy error at the end", quantity(energy["numerical"], "J"), of_largest(energy["numerical"])),
            ("numerical energy error, largest", quantity(summary["energy_numerical_max"], "J"), of_largest(summary["energy_numerical_max"])),
        ]
    for name, orbit in summary.get("orbits", {}).items():
        whirl = f"{escape(orbit['whirl'])} whirl" if orbit["whirl"] else "no whirl"
        ratio = f", {quantity(orbit['whirl_ratio'])} of the spin" if orbit["whirl_ratio"] is not None else ""
        rows += [
            (f"{escape(name)}: largest radius", quantity(orbit["largest_radius"], "m"), "in all steps"),
            (f"{escape(name)}: whirl rate", quantity(orbit["whirl_rate"], "rad/s"), f"{whirl}{ratio}; about the axis, mean over the last quarter"),
        ]
    return section("figures", "Key figures", table("Summary of the run (run.json)", ("quantity", "value", "remark"), rows, {1}))


def stored(energy):
    """Energy of the model at the end; None if it is not finite."""
    parts = [energy[key] for key in ("kinetic", "elastic", "potential")]
    return None if None in parts else sum(parts)


def typeset_share(value, whole):
    """A share in per cent."""
    share = 100 * abs(value) / whole
    return "under 0.001 %" if 0 < share < 1e-3 else quantity(share, "%", 3)


# Energy ------------------------------------------------------------------------------------------------------------------------------------------


def ledger_table(run):
    """Energy balance from the start to the end of the run."""
    energy = run.info.get("summary", {}).get("energy")
    if not energy:
        raise ResultsError("run.json has the energy balance when the run has ended")
    minus = lambda value: None if value is None else 0.0 - value
    lines = [
        ("energy at the start", energy["initial"]),
        ("external work", energy["load"]),
        ("dissipated by damping", minus(energy["damping"])),
        ("dissipated by impacts", minus(energy["impact"])),
        ("dissipated by friction", minus(energy["friction"])),
        ("numerical energy error", energy["numerical"]),
        ("energy at the end", stored(energy)),
    ]
    scale = max(abs(value or 0) for _, value in lines)
    share = lambda value: quantity(100 * value / scale, "%", 3) if scale and value is not None else "–"
    rows = [(name, quantity(value, "J", 6), share(value)) for name, value in lines]
    parts = ", ".join(f"{name} {quantity(energy[name], 'J')}" for name in ("kinetic", "elastic", "potential"))
    note = paragraph(f"At the end: {parts}.")
    return table("Energy balance from the start to the end of the run", ("", "energy", "share of the largest"), rows, {1, 2}, last_is_sum=True) + note


# Contacts ----------------------------------------------------------------------------------------------------------------------------------------


def closing_contacts(run):
    """Names of the contacts that close at some time."""
    return [name for name in run.contact_names() if np.any(run.contacts[f"{name}.state"] != "open") or np.any(run.contacts[f"{name}.impulse"])]


def strongest(run, names, most):
    """At most `most` of these contacts, those with the largest impulses, in the order of the config."""
    chosen = sorted(names, key=lambda name: -strength(run, name))[:most]
    return [name for name in names if name in chosen]


def events_of(run):
    """events.csv; empty if it was switched off."""
    return run.events if (run.directory / "events.csv").exists() else {"time": [], "contact": np.array([]), "event": np.array([])}


def contact_rows(run, names):
    """A row of figures for each contact."""
    events, time = events_of(run), run.contacts["time"]
    for name in names:
        rub = rub_of(run, name)
        force, impulse = run.contacts[f"{name}.force"], run.contacts[f"{name}.impulse"]
        struck = (events["contact"] == name) & (events["event"] == "impact")
        yield (
            escape(name),
            "closed throughout" if is_held(run, name) else quantity(rub.first, "s"),
            quantity(100 * rub.closed_share, "%", 3) if len(time) > 1 else "–",
            quantity(int(np.count_nonzero(struck))) if len(events["contact"]) else "–",
            quantity(float(np.abs(force).max()), "N"),
            quantity(float(np.trapz(force, time)), "N s"),
            quantity(float(impulse.max()), "N s"),
            quantity(float(impulse.sum()), "N s"),
            quantity(max(0.0, -float(run.contacts[f"{name}.gap"].min())), "m", 3),
            quantity(float(events["energy_lost"][struck].sum()), "J") if len(events["contact"]) else "–",
        )


def contact_table(run, names):
    """Table of the contacts; if there are many, those with the largest impulses."""
    head = ("contact", "first closed", "time closed", "impacts", "largest force", "integral of force", "largest impulse", "sum of impulses", "penetration", "dissipated in impacts, with friction")
    rest = f"{MOST_CONTACTS} of {len(names)} contacts that close, those with the largest impulses" if len(names) > MOST_CONTACTS else "Contacts that close"
    return table(f"{rest} (rows of contacts.csv)", head, list(contact_rows(run, strongest(run, names, MOST_CONTACTS))), set(range(1, len(head))))


# Events ------------------------------------------------------------------------------------------------------------------------------------------


def event_section(run):
    """Counts by contact and kind; the first and the last events."""
    if not (run.directory / "events.csv").exists():
        raise ResultsError("no events.csv; `events: true` under output: enables it")
    events = run.events
    count = len(events["time"])
    if not count:
        return section("events", "Events", paragraph("There are no events: no contact closed or opened."))
    kinds, names = ([str(word) for word in dict.fromkeys(events[column])] for column in ("event", "contact"))
    number = {(name, kind): int(np.count_nonzero((events["contact"] == name) & (events["event"] == kind))) for name in names[:MOST_CONTACTS] for kind in kinds}
    rows = [(escape(name), *(quantity(number[name, kind]) for kind in kinds)) for name in names[:MOST_CONTACTS]]
    rows.append(("all", *(quantity(int(np.count_nonzero(events["event"] == kind))) for kind in kinds)))
    of = f", {MOST_CONTACTS} of {len(names)} contacts" if len(names) > MOST_CONTACTS else ""
    counts = table(f"Events by contact and kind{of}", ("contact", *kinds), rows, set(range(1, len(kinds) + 1)), last_is_sum=True)
    shown = range(count) if count <= 2 * MOST_EVENTS else [*range(MOST_EVENTS), *range(count - MOST_EVENTS, count)]
    columns = [name for name in events if name in EVENT_UNITS or name in ("contact", "event")]
    digits = lambda name: 9 if name == "time" else 4
    value = lambda name, k: quantity(float(events[name][k]), EVENT_UNITS[name], digits(name)) if name in EVENT_UNITS else escape(events[name][k])
    cells = [[value(name, k) for name in columns] for k in shown]
    words = f"The first and the last {MOST_EVENTS} of {count} events" if count > 2 * MOST_EVENTS else "All events"
    numeric = {k for k, name in enumerate(columns) if name in EVENT_UNITS}
    return section("events", "Events", counts, table(f"{words} (events.csv)", [name.replace("_", " ") for name in columns], cells, numeric))


# Files -------------------------------------------------------------------------------------------------------------------------------------------


def file_section(run):
    """Files of the run."""
    outputs = run.info.get("outputs", [])
    if not outputs:
        raise ResultsError("run.json lists no files")
    about = lambda name: FILES.get(name, "frames for ParaView" if name.endswith((".vtk.series", ".pvd")) else "")
    rows = [(f"<code>{escape(name)}</code>", about(name)) for name in outputs]
    digits = "All values are in SI units, with all digits."
    drawn = "Figures show long lines by the first, last, smallest and largest value of each short interval, so that all peaks are visible."
    note = paragraph(f"{digits} {drawn}")
    return section("files", "Files", table("In the directory of this report", None, rows), note)
