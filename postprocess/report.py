"""One page on a run of percuss: report.html in its directory, with all that it shows within it.

    python3 postprocess/report.py RUNDIR [--out FILE]

Made from what lies in RUNDIR alone, of runs that are done, failed, stopped or still going on. What was not written is left out with a word.
"""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is no traceback, also while the libraries below are loaded; and percuss ignores it until here

import argparse
import pathlib
import sys
import traceback
try:
    import matplotlib  # noqa: F401 (asked for here, so that a word is said)
    import numpy
except ImportError as error:
    print(f"report.py: needs {error.name}; on Debian: apt install python3-numpy python3-matplotlib", file=sys.stderr)
    sys.exit(2)

from percuss_figures import style
from percuss_results import ResultsError, Run
from report_page import escape, left_out, page, paragraph, quantity, section
from report_plots import bar_theory, contact_section, energy_section, history_section, model_sections
from report_tables import body_types, config_section, event_section, file_section, key_figures, setup_section, status_of

ANALYSES = {"modes.csv": "modes", "response.csv": "response"}


def header(run):
    """Title, how the run ended, why, and warnings."""
    info, summary = run.info, run.info.get("summary", {})
    kind, words = status_of(run)
    line = [f'<span class="status {kind}">{escape(words)}</span>', f"<code>{escape(info.get('scheme', ''))}</code>"]
    line.append(f"step {quantity(info.get('step'), 's')}")
    if summary:
        line.append(f"{quantity(summary['steps'])} steps to t = {quantity(summary['time'], 's')} in {quantity(summary['loop_seconds'], 's', 3)}")
    parts = [f"<h1>{escape(info.get('title') or run.name)}</h1>\n", paragraph(" · ".join(line))]
    if info.get("failure"):
        parts.append(f'<div class="notice failed" role="note"><strong>Why it ended:</strong> {escape(info["failure"])}</div>\n')
    if info.get("warnings"):
        items = "".join(f"<li>{escape(warning)}</li>" for warning in info["warnings"])
        parts.append(f'<div class="notice" role="note"><strong>Warnings</strong><ul>{items}</ul></div>\n')
    return "".join(parts)


def part(title, make, *arguments):
    """A section; where its data are missing or damaged a word, so that the others are there."""
    key = title.lower().replace(" ", "-")
    try:
        return make(*arguments)
    except ResultsError as reason:
        return section(key, title, left_out(reason))
    except Exception as error:  # a page without this section is better than none
        place = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({pathlib.Path(place.filename).name}:{place.lineno})"
        print(f"report.py: warning: section '{title}' could not be made: {why}", file=sys.stderr)
        return section(key, title, paragraph(escape(f"Could not be made: {why}."), "soft"))


def sections(run):
    """All of them, in order."""
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
        *([part("Contacts", contact_section, run), part("Events", event_section, run)] if contacts else []),
        *([] if mechanism else [probes]),
        part("What was run", setup_section, run),
        part("Config as run", config_section, run),
        part("Files", file_section, run),
    ]


def make_report(directory, file):
    """Writes the page, whole or not at all."""
    run = Run(directory)
    for name, command in ANALYSES.items():
        if name in run.info.get("outputs", []):
            raise ResultsError(f"{directory}: results of `percuss {command}`; a report is of a run")
    style()
    title = run.info.get("title") or run.name
    program = run.info.get("program", {})
    footer = paragraph(escape(f"Made by percuss's report.py from the results of {run.name}, percuss {program.get('version', '')} ({program.get('commit', '')})."))
    with numpy.errstate(all="ignore"):  # of a run that blew up
        text = page(title, header(run), sections(run), footer)
    half = file.with_name(file.name + ".part")
    half.write_text(text, encoding="utf-8")
    half.replace(file)


def main():
    """Exit code 0, or 2 where the input is wrong."""
    parser = argparse.ArgumentParser(description="One page on a run of percuss: RUNDIR/report.html.")
    parser.add_argument("rundir", metavar="RUNDIR", type=pathlib.Path, help="a results directory of `percuss run`")
    parser.add_argument("--out", metavar="FILE", type=pathlib.Path, help="where the page goes; default RUNDIR/report.html")
    arguments = parser.parse_args()
    file = arguments.out or arguments.rundir / "report.html"
    try:
        make_report(arguments.rundir, file)
    except (ResultsError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    print(f"report: {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
