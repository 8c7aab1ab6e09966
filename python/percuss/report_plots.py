"""Sections of a report with figures: for any run, and for bars, rotors, mechanisms and frameworks."""

from percuss import bar_figures
from percuss import bar_table
from percuss import pressure_figures
from percuss import rotor_figures
from percuss import run_figures
from percuss.bar_impact import NoTheory, impact_of, read_bar_frames
from percuss.style import REPORT_COLUMN as WIDTH
from percuss.results import ResultsError
from percuss.report_page import SPACE, escape, figure, left_out, pair, paragraph, section, sentence, table, typeset
from percuss.report_tables import body_types, closing_contacts, contact_table, ledger_table, strongest
from percuss.rotor_orbit import is_run_up, rubs_of, stations
from percuss.rotor_table import drive_rows, rub_rows, station_rows

DRAWN_CONTACTS, DRAWN_QUANTITIES = 6, 3  # contacts with their own figures; panels in a figure of probes
UNITS = {"us": "µs", "um": "µm"}  # of tables that are also printed as ASCII text


def tried(make, *arguments):
    """The result of `make`, or a paragraph with the reason of its failure."""
    try:
        return make(*arguments)
    except (ResultsError, NoTheory) as reason:
        return left_out(reason)


# Any run -----------------------------------------------------------------------------------------------------------------------------------------


def energy_section(run, impact):
    """Energy balance, as a table and over time; for a bar also the exact solution."""
    return section("energy", "Energy", pair(f"<div>{tried(ledger_table, run)}</div>", tried(energy_figure, run, impact)))


def energy_figure(run, impact):
    """Energy balance over time."""
    if len(run.energy["time"]) < 2:
        raise ResultsError("energy.csv has fewer than two rows")
    drawing = bar_figures.draw_energy(run, impact, WIDTH) if impact else run_figures.draw_energy(run, WIDTH)
    last = run.energy["numerical"][-1]
    alt = f"Energy over time: parts and total, dissipated energy, and numerical energy error, {last:.3g} J at the end."
    words = "Energy over time; below, the numerical energy error."
    return figure(drawing, "energy-figure", alt, words + (" Dashed: d'Alembert's solution." if impact else ""))


MOST_SETS = 4  # resultants


def bodies_section(run):
    """Energies of bodies and force elements: a table of those with the largest values, and their kinetic and elastic energies over time."""
    energies, kinds = run.body_energies, ("kinetic", "elastic", "potential", "damping")
    cell = lambda owner, kind: f"{energies[f'{owner}.{kind}'][-1]:.4g} J" if f"{owner}.{kind}" in energies else ""
    rows = [[escape(owner), *(cell(owner, kind) for kind in kinds)] for owner in run_figures.energy_owners(run)]
    words = "Kinetic and elastic energies of bodies and force elements."
    at_end = table("At the end (rows of body_energies.csv)", ["", *kinds], rows, set(range(1, 5)))
    return section("bodies", "Energies of bodies", pair(f"<div>{at_end}</div>", figure(run_figures.draw_bodies(run, WIDTH), "bodies-figure", words, words)))


def resultant_section(run):
    """Resultant forces of contacts over time."""
    names = run_figures.resultant_names(run)
    drawn = [(name, run_figures.draw_resultant(run, name, WIDTH)) for name in names[:MOST_SETS]]
    words = "Resultant of contact {} on its first partner."
    figures = [figure(drawing, f"resultant-{number}", words.format(name), words.format(name)) for number, (name, drawing) in enumerate(drawn) if drawing]
    rest = paragraph(f"{len(names) - MOST_SETS} more contacts are in resultants.csv.", "soft") if len(names) > MOST_SETS else ""
    return section("resultants", "Resultants of contacts", pair(*figures) if figures else paragraph("No contact closes."), rest)


def contact_section(run):
    """A table of all contacts, and figures of those with the largest impulses."""
    if len(run.contacts["time"]) < 2:
        raise ResultsError("contacts.csv has fewer than two rows")
    names = closing_contacts(run)
    if not names:
        return section("contacts", "Contacts", paragraph(f"None of the {len(run.contact_names())} contact candidates closes."))
    figures = []
    for number, name in enumerate(strongest(run, names, DRAWN_CONTACTS)):
        drawing = run_figures.draw_contact(run, name, WIDTH)
        held = run_figures.is_held(run, name)
        drawn = [word for word, kind in (("forces during contact", "force"), ("impulses", "impulse")) if run_figures.columns_of(run, name, kind)]
        shown = ", ".join(["drift" if held else "gap", *drawn])
        alt = f"Contact {name} over time: {shown}; largest normal force {run.contacts[f'{name}.force'].max():.4g} N."
        words = f"Contact {name}{', closed throughout, so that its gap is drift' if held else ''}: {shown}."
        figures.append(figure(drawing, f"contact-{number}", alt, words))
    rest = paragraph(f"Figures show the {DRAWN_CONTACTS} contacts with the largest impulses.", "soft") if len(names) > DRAWN_CONTACTS else ""
    return section("contacts", "Contacts", contact_table(run, names), pair(*figures), rest)


def history_section(run):
    """Quantities at the probes; for mechanisms the coordinates."""
    if len(run.history.get("time", ())) < 2:
        raise ResultsError("no history.csv with at least two rows; `history: {probes: [...], every: 1}` under output: enables it")
    panels = list(run_figures.history_panels(run).items())
    if not panels:
        return section("history", "Probes", paragraph("All columns of history.csv are zero."))
    figures, cut = [], False
    for number in range(0, len(panels), DRAWN_QUANTITIES):
        some = dict(panels[number : number + DRAWN_QUANTITIES])
        cut = cut or any(len(columns) > run_figures.MOST_LINES for columns in some.values())
        names = ", ".join(quantity_name for quantity_name, _ in some)
        alt = f"{names} over time of {', '.join(column for columns in some.values() for column in columns[: run_figures.MOST_LINES])}."
        figures.append(figure(run_figures.draw_history(run, some, WIDTH), f"history-{number}", alt, f"Probes: {names}."))
    rest = paragraph(f"The first {run_figures.MOST_LINES} columns of each quantity are shown; history.csv has all.", "soft") if cut else ""
    return section("history", "Coordinates" if run.info["model"]["kind"] != "finite elements" else "Probes", pair(*figures), rest)


def shape_section(run):
    """The model with magnified displacements."""
    drawing, time, scale = run_figures.draw_shape(run, WIDTH)
    words = f"The model at its largest displacement, t = {time:.4g} s" + (f"; displacements × {scale:g}, undeformed in grey." if scale > 1 else "; other times in grey.")
    return section("shape", "Shape", pair(figure(drawing, "shape-figure", f"Drawing of the model, undeformed and at {time:.4g} s.", words)))


def pressure_section(run):
    """Contact pressure on sides of solids."""
    drawing, words = pressure_figures.draw_pressure(run, WIDTH)
    return section("pressure", "Contact pressure", pair(figure(drawing, "pressure-figure", words, words)))


# Bars --------------------------------------------------------------------------------------------------------------------------------------------


def bar_theory(run):
    """(impact, frames, reason) of a bar that hits a wall, with d'Alembert's solution; (None, None, reason) if it does not apply."""
    try:
        frames = read_bar_frames(run, bar_figures.MOST_FRAMES)
        return impact_of(run, frames), frames, ""
    except (NoTheory, ResultsError) as reason:
        return None, None, str(reason)


def bar_section(run, impact, frames, reason):
    """x-t diagram; results compared with theory."""
    drawing = bar_figures.draw_wave(run, impact, frames, WIDTH)
    alt = "Axial stress over position and time" + (", computed and exact (d'Alembert): a compression wave to the free end and back." if impact else ".")
    words = "x-t diagram of the axial stress" + ("; dashed: wave front." if impact else f". No comparison with theory: {sentence(reason)}")
    parts = [figure(drawing, "wave", alt, words)]
    if impact:
        parts.append(figure(bar_figures.draw_reaction(run, impact, frames, WIDTH), "reaction", "Contact force, impulse, velocities and gap over time, computed "
                            "and exact.", "Computed and exact (dashed); the exact contact time is shaded."))  # fmt: skip
    tables = [tried(theory_tables, run, impact, frames)] if impact else []
    return section("wave-section", "Stress wave", pair(*parts), *tables)


def theory_tables(run, impact, frames):
    """Rows of bar_table.py."""
    made = []
    for title, rows in bar_table.table(run, impact, frames):
        cells = [(escape(row.name), f"{typeset(row.measured)}{SPACE}{UNITS.get(row.unit, row.unit)}", escape(row.exact), typeset(row.verdict), escape(row.why))
                 for row in rows if not isinstance(row, str)]  # fmt: skip
        if cells:
            made.append(table(title, ("quantity", "computed", "exact", "difference", "reason"), cells, {1, 2, 3}))
        made += [paragraph(escape(row), "soft") for row in rows if isinstance(row, str)]
    return "".join(made).replace("<td>", "<td class=why>")


# Rotors ------------------------------------------------------------------------------------------------------------------------------------------


def rotor_section(run):
    """Orbits, whirl, spectra, rubs."""
    orbits, rubs = stations(run), tried(rubs_of, run)
    rubs = [] if isinstance(rubs, str) else rubs
    names = ", ".join(station.name for station in orbits)
    figures = [
        figure(rotor_figures.draw_orbits(run, orbits, WIDTH), "orbits", f"Orbits of {names} in the plane across the shaft, with clearance.",
               "Orbits across the shaft; dashed: clearance; dots: once per revolution, last quarter of the run."),
        figure(rotor_figures.draw_whirl(run, orbits, WIDTH), "whirl", f"Spin, mean whirl rate and radius of {names} over time.",
               "Spin, whirl rate (means over one revolution or a fiftieth of the run) and radius; dashed: clearance."),
    ]  # fmt: skip
    spectrum = tried(rotor_figures.draw_spectrum, orbits, WIDTH)
    words = "Full spectra of the last quarter of the run."
    figures.append(spectrum if isinstance(spectrum, str) else figure(spectrum, "spectrum", f"Full spectra of {names}: forward and backward whirl.", words))
    if any(is_run_up(station) for station in orbits):
        drawn = tried(rotor_figures.draw_waterfall, orbits, WIDTH)
        words = "Full spectra over speed; dashed: orders -2 to 2 of the spin."
        figures.append(drawn if isinstance(drawn, str) else figure(drawn, "waterfall", f"Spectra of {names} over speed.", words))
    if rubs:
        words = "Rubs: forces, slip velocity while closed, and share of the steps in contact."
        figures.append(figure(rotor_figures.draw_rubs(rubs, WIDTH), "rubs", "Forces, slip velocity and share of time in contact of each rub.", words))
    lists = [(f"Station {station.name}", station_rows(run, station)) for station in orbits]
    lists += [(f"Contact {rub.name}", rub_rows(run, rub)) for rub in rubs]
    if rows := drive_rows(run, orbits[0]):
        lists.append(("Drive", rows))
    return section("rotor", "Rotor", pair(*(key_table(title, rows) for title, rows in lists)), pair(*figures))


def key_table(title, rows):
    """Rows of rotor_table.py."""
    cells = [(escape(name), f"{typeset(value)}{SPACE}{UNITS.get(unit, unit)}", escape(note).replace(" um", " µm")) for name, value, unit, note in rows]
    return table(title, ("quantity", "value", "remark") if any(row[3] for row in rows) else ("quantity", "value"),
                 cells if any(row[3] for row in rows) else [cell[:2] for cell in cells], {1})  # fmt: skip


# Which -------------------------------------------------------------------------------------------------------------------------------------------


def model_sections(run, impact, frames, reason):
    """[(title, function)]: the sections that suit the kind of model."""
    kinds = set(body_types(run).values())
    made = []
    if kinds and kinds <= {"bar"}:
        made.append(("Stress wave", lambda: bar_section(run, impact, frames, reason)))
    if "rotor" in kinds:
        made.append(("Rotor", lambda: rotor_section(run)))
    if not kinds <= {"bar"}:
        made.append(("Shape", lambda: shape_section(run)))
    if "solid" in kinds and pressure_figures.has_pressure(run):
        made.append(("Contact pressure", lambda: pressure_section(run)))
    return made
