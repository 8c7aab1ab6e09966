"""Report of a run: report.html in its directory, one self-contained page. It uses only the files there, works for runs that are done, failed, stopped or in
progress, and states what is missing.
"""

import pathlib
import sys
import traceback

import matplotlib
import numpy

from percuss.results import ResultsError, Run, write_result
from percuss.report_page import escape, left_out, page, paragraph, quantity, section
from percuss.report_orbit import bifurcation_section, branch_section, orbit_section
from percuss.report_plots import bar_theory, bodies_section, contact_section, energy_section, history_section, model_sections, resultant_section
from percuss.report_tables import body_types, config_section, event_section, file_section, key_figures, setup_section, status_of
from percuss.style import STYLE

ANALYSES = {"modes.csv": "modes", "response.csv": "response"}


def header(run):
    """Title, exit status, reason of a failure, and warnings."""
    info, summary = run.info, run.info.get("summary", {})
    kind, words = status_of(run)
    line = [f'<span class="status {kind}">{escape(words)}</span>', f"<code>{escape(info.get('scheme', ''))}</code>"]
    line.append(f"step {quantity(info.get('step'), 's')}")
    if summary:
        line.append(f"{quantity(summary['steps'])} steps to t = {quantity(summary['time'], 's')} in {quantity(summary['loop_seconds'], 's', 3)}")
    parts = [f"<h1>{escape(info.get('title') or run.name)}</h1>\n", paragraph(" · ".join(line))]
    if info.get("failure"):
        parts.append(f'<div class="notice failed" role="note"><strong>Reason:</strong> {escape(info["failure"])}</div>\n')
    if info.get("warnings"):
        items = "".join(f"<li>{escape(warning)}</li>" for warning in info["warnings"])
        parts.append(f'<div class="notice" role="note"><strong>Warnings</strong><ul>{items}</ul></div>\n')
    return "".join(parts)


def part(title, make, *arguments):
    """A section; if its data are missing or damaged, a note instead, so that the other sections are still made."""
    key = title.lower().replace(" ", "-")
    try:
        return make(*arguments)
    except ResultsError as reason:
        return section(key, title, left_out(reason))
    except Exception as error:  # a report without this section is better than no report
        place = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({pathlib.Path(place.filename).name}:{place.lineno})"
        print(f"report.py: warning: section '{title}' failed: {why}", file=sys.stderr)
        return section(key, title, paragraph(escape(f"This section failed: {why}."), "soft"))


def sections(run):
    """All sections, in order."""
    only_bars = set(body_types(run).values()) == {"bar"}
    impact, frames, reason = bar_theory(run) if only_bars else (None, None, "")
    model = run.info.get("model", {})
    contacts, probes = model.get("contacts"), part("Probes", history_section, run)
    mechanism = model.get("kind") != "finite elements"
    return [
        part("Key figures", key_figures, run),
        *(part(title, make) for title, make in model_sections(run, impact, frames, reason)),
        *([probes] if mechanism else []),
        part("Energy", energy_section, run, impact),
        *([part("Energies of bodies", bodies_section, run)] if (run.directory / "body_energies.csv").exists() else []),
        *([part("Contacts", contact_section, run), part("Events", event_section, run)] if contacts else []),
        *([part("Resultants of contacts", resultant_section, run)] if (run.directory / "resultants.csv").exists() else []),
        *([] if mechanism else [probes]),
        part("Setup", setup_section, run),
        part("Config", config_section, run),
        part("Files", file_section, run),
    ]


def orbit_sections(run):
    """Report of the results of `percuss orbit`."""
    return [part("Branches", branch_section, run), part("Bifurcations", bifurcation_section, run), part("Last orbit", orbit_section, run), part("Config", config_section, run), part("Files", file_section, run)]


def write_report(directory, file=None):
    """Writes the page, by default into the directory, and returns its path; an incomplete page is never left under its name."""
    file = pathlib.Path(file or pathlib.Path(directory) / "report.html")
    run = Run(directory)
    for name, command in ANALYSES.items():
        if name in run.info.get("outputs", []):
            raise ResultsError(f"{directory}: results of `percuss {command}`; reports are for results of `percuss run` and `percuss orbit`")
    title = run.info.get("title") or run.name
    program = run.info.get("program", {})
    footer = paragraph(escape(f"Written by report.py from the results of {run.name}, percuss {program.get('version', '')} ({program.get('commit', '')})."))
    with matplotlib.rc_context(STYLE), numpy.errstate(all="ignore"):  # values of a diverged run overflow
        text = page(title, header(run), orbit_sections(run) if "branch.csv" in run.info.get("outputs", []) else sections(run), footer)
    write_result(file, text.encode())
    return file
