"""Sections of the report of `percuss orbit`: branches with their bifurcations, the last orbit with its events and multipliers."""

import numpy as np

from percuss.orbit_figures import draw_branch, draw_motion
from percuss.report_page import escape, figure, paragraph, quantity, section, table

MOST = 100  # rows of a table
SHOWN = 12  # multipliers


def branch_section(run):
    """Figure of the branches, and a table with one row per branch."""
    points = run.analysis("branch.csv")
    rows = []
    for number in dict.fromkeys(points["branch"]):
        here = points["branch"] == number
        stable = int(np.sum(points["stable"][here] == 1))
        rows.append((f"{number:g}", quantity(int(here.sum())), quantity(stable), quantity(points["parameter"][here][0], "", 9), quantity(points["parameter"][here][-1], "", 9),
                     quantity(points["period"][here][-1], "s", 6)))
    parts = [table("Branches", ("branch", "points", "stable", "from", "to", "period at its end"), rows, {1, 2, 3, 4, 5})]
    if len(points["parameter"]) > 1:
        parts.insert(0, figure(draw_branch(run), "branch", "Largest and least value of a probe over the parameter", "Largest and least value of the first probe over the parameter: solid where the orbit is "
                               "stable, dashed where it is not, with bifurcations."))
    return section("branches", "Branches", *parts)


def bifurcation_section(run):
    """A row for each."""
    found = run.analysis("bifurcations.csv")
    names = found["name"]
    if not len(names):
        return section("bifurcations", "Bifurcations", paragraph("None was found."))
    rows = [(escape(str(names[k])), f"{found['branch'][k]:g}", quantity(found["parameter"][k], "", 12), quantity(found["period"][k], "s", 9), quantity(np.degrees(found["angle"][k]), "°", 6), escape(str(found["contact"][k])))
            for k in range(min(len(names), MOST))]
    return section("bifurcations", "Bifurcations", table("Bifurcations", ("name", "branch", "parameter", "period", "angle of the multipliers", "contact"), rows, {1, 2, 3, 4}))


def orbit_section(run):
    """The last orbit: motion, multipliers, events."""
    numbers = run.analysis("multipliers.csv")
    last = np.flatnonzero(numbers["point"] == numbers["point"][-1])[:SHOWN]
    rows = [(f"{k + 1}", quantity(numbers["re"][at], "", 9), quantity(numbers["im"][at], "", 9), quantity(numbers["modulus"][at], "", 9)) for k, at in enumerate(last)]
    parts = [figure(draw_motion(run), "motion", "Motion over a period of the last orbit", "The last orbit over its period."),
             table("Floquet multipliers of the last orbit, largest first", ("", "real part", "imaginary part", "modulus"), rows, {1, 2, 3})]
    events = run.analysis("orbit_events.csv")
    if len(events["time"]):
        rows = [(quantity(events["time"][k], "s", 9), escape(str(events["event"][k])), escape(str(events["contact"][k])), quantity(events["velocity_before"][k], "m/s", 6), quantity(events["velocity_after"][k], "m/s", 6))
                for k in range(min(len(events["time"]), MOST))]
        parts.append(table("Events of the last orbit", ("time", "event", "contact", "velocity before", "velocity after"), rows, {0, 3, 4}))
    return section("last-orbit", "Last orbit", *parts)
