#!/usr/bin/python3
"""The Python package: examples in its texts, errors of a config as exceptions, every figure, models as dicts, notebooks executed, a wheel built offline.
Usage: test_python.py PERCUSS [--update]     --update writes python/percuss/columns.json anew
"""
import ast
import contextlib
import ctypes
import dataclasses
import doctest
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
UPDATE = "--update" in sys.argv
sys.argv = [word for word in sys.argv if word != "--update"]
PERCUSS = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else str(ROOT / "build/release/percuss")
os.environ["PERCUSS"] = PERCUSS
os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(ROOT / "python"))

import numpy as np

import percuss
import percuss.model
import percuss.program
import percuss.stepper
from figure_rules import faults

SANITIZED = "ASAN_OPTIONS" in os.environ
BRIEF = {"time.end": "0.6 ms", "output.frames.every": 100}


class InFolder(unittest.TestCase):
    """Tests run in a folder with the configs, as a reader has it."""

    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        for name in ("configs", "meshes"):
            os.symlink(ROOT / name, name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()


class Doors(InFolder):
    """What the program can do, from Python."""

    def test_every_option_of_a_command_is_an_argument(self):
        import inspect

        for name in ("run", "check", "modes", "response", "static", "orbit", "study"):
            said = subprocess.run([PERCUSS, name, "--help"], capture_output=True, text=True, check=True).stdout
            known = set(inspect.signature(getattr(percuss, name)).parameters) | {"json", "progress" if name != "check" else ""}
            options = {word.replace("-", "_") for word in re.findall(r"^  --([a-z-]+)", said, re.MULTILINE)} | ({"petsc"} if "[-- PETSc options]" in said else set())
            self.assertGreater(len(options), 2)
            self.assertEqual(options - known - {"quiet"}, set(), name)

    def test_tables_of_orbits(self):
        key = "loads.shaker.time.harmonic.frequency"
        found = percuss.orbit("configs/impact_oscillator.yaml", {"output.units": True, "orbit.settle": 20}, "out/orbit", over=f"{key}=2.2 rad/s:2.22 rad/s", points=3)
        self.assertGreaterEqual(set(found.tables()), {"bifurcations.csv", "branch.csv", "branch_probes.csv", "multipliers.csv", "orbit.csv", "orbit_events.csv"})
        for name in set(found.tables()) - {"orbit_state.csv"}:  # of different degrees of freedom
            self.assertNotIn("?", found.analysis(name).units.values(), name)
        if "orbit_state.csv" in found.tables():
            self.assertEqual(found.analysis("orbit_state.csv")["coordinate"].tolist(), ["mass at (0, 0, 0) m, displacement along (1, 0, 0)"])
        self.assertEqual((found.varied(), found.analysis("branch.csv").units["parameter"]), ((key, "rad/s"), "rad/s"))
        self.assertEqual(found.analysis("branch_probes.csv").units["mass.center.vx.max"], "m/s")
        with open(found.directory / "branch_probes.csv", encoding="utf-8") as file:
            self.assertEqual(file.readline(), "point,mass.center.ux.min [m],mass.center.ux.max [m],mass.center.vx.min [m/s],mass.center.vx.max [m/s]\n")
        with open(found.directory / "branch.csv", encoding="utf-8") as file:
            self.assertIn(",parameter [rad/s],", file.readline())
        for figure in (found.plot.branch(), found.plot.motion()):
            self.assertEqual(faults(figure), [])

    def test_studies_as_tables(self):
        pathlib.Path("study.yaml").write_text("config: configs/oscillator.yaml\nset: {time.end: 0.1 s}\nvary: {scheme.step: [2 ms, 1 ms], scheme.type: [half_explicit, moreau_jean]}\n"
                                              "record: {reach: {column: history.mass.x, value: max}}\n")  # fmt: skip
        found = percuss.study("study.yaml", out="out/study")
        table = found.table()
        self.assertEqual((table.units["reach"], table.units["scheme.step"], table.units["scheme.type"]), ("m", "s", None))
        self.assertEqual(table["scheme.step"].tolist(), [2e-3, 2e-3, 1e-3, 1e-3])
        self.assertEqual([run.step for run in found.runs()], [2e-3, 2e-3, 1e-3, 1e-3])
        self.assertEqual(faults(found.plot()), [])

    def test_published_studies(self):
        from percuss import papers

        (figure,) = papers.draw("ball_in_box", only=["a18"], out="out/ball").values()
        self.assertEqual(faults(figure), [])
        with self.assertRaisesRegex(percuss.ResultsError, "a99: no such figure; the figures are a15, a16"):
            papers.draw("ball_in_box", only=["a99"])


LONG = "a_bar_with_a_very_long_name_that_somebody_typed_in_full"


def bars(count=1, name="bar", length=1.0, speed=0.1, **settings):
    """Bars that fly against a wall, half a millisecond before it for a metre."""
    gap = 5e-4 * speed * length
    body = lambda k: {"type": "bar", "mesh": {"line": {"from": [gap, 0.1 * k, 0], "to": [gap + length, 0.1 * k, 0], "elements": 10}},
                      "material": {"density": 7800, "young": "210 GPa"}, "section": {"circle": {"radius": 0.01}}, "initial": {"velocity": [-speed, 0, 0]}}  # fmt: skip
    names = [f"{name}_{k}" for k in range(count)]
    wall = lambda one: {"between": [f"{one}.left", {"plane": {"point": [0, 0, 0], "normal": [1, 0, 0]}}]}
    output = {"frames": {"every": 20}, "history": {"probes": [f"{one}.left" for one in names]}, "body_energies": {"every": 5}, "resultants": {"every": 5}}
    return percuss.Model({"bodies": {one: body(k) for k, one in enumerate(names)}, "contacts": {f"wall_{one}": wall(one) for one in names},
                          "scheme": {"type": "half_explicit", "step": 4e-6 * length}, "time": {"end": 1e-3 * length}, "output": output, **settings})  # fmt: skip


class OddRuns(InFolder):
    """Every figure of runs that nobody plans for is drawn by the rules, or there is a reason in one line."""

    ODD = {
        "one sample, a long name": bars(name=LONG, time={"end": 4e-6}),
        "kilometres, letters with accents": bars(name="Stäbe_größer", length=1e6, title="Price $5 and $6, <b>100 %</b>"),
        "picometres": bars(speed=1e-9),
        "at rest": bars(speed=0.0),
        "many": bars(8),
    }

    def test_all_figures(self):
        for number, (what, model) in enumerate(self.ODD.items()):
            run = percuss.run(model, out=f"out/odd_{number}")
            contact = run.contact_names()[0]
            draws = {name: getattr(run.plot, name) for name in ("energy", "history", "shape", "reaction", "wave", "rub", "bodies", "orbit", "pressure", "branch")}
            draws |= {"contact": lambda: run.plot.contact(contact), "resultant": lambda: run.plot.resultant(contact)}
            drawn = set()
            for name, draw in draws.items():
                with self.subTest(run=what, figure=name), contextlib.suppress(percuss.ResultsError):
                    self.assertEqual(faults(draw()), [])
                    drawn.add(name)
            expected = {"energy", "contact", "history", "shape", "reaction", "wave", "rub", "bodies", "resultant"}
            expected -= {"one sample, a long name": {"reaction", "wave", "rub", "resultant"}, "at rest": {"energy", "history", "reaction", "wave", "rub", "bodies", "resultant"}, "many": {"wave"}}.get(what, set())
            self.assertEqual(expected - drawn, set(), what)
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                run.report()
            self.assertEqual(said.getvalue(), "", what)


    def test_report_of_a_config_in_json(self):
        """Its sections follow from the types of the bodies, however they are written."""
        pathlib.Path("bar.json").write_text(json.dumps({"title": "Bar", **bars()}))
        with open(percuss.run("bar.json", out="out/json").report(), encoding="utf-8") as page:
            self.assertIn("Stress wave", page.read())


class Texts(InFolder):
    def test_examples_in_texts(self):
        for module in (percuss.model, percuss.program, *([] if SANITIZED else [percuss.stepper])):
            found = doctest.testmod(module)
            self.assertEqual(found.failed, 0, module.__name__)
            self.assertGreater(found.attempted, 0)

    def test_units_are_those_of_the_program(self):
        said = subprocess.run([PERCUSS, "explain", "results", "--json"], capture_output=True, text=True, check=True).stdout
        kept = ROOT / "python/percuss/columns.json"
        if UPDATE:
            kept.write_text(said, encoding="utf-8")
        self.assertEqual(kept.read_text(encoding="utf-8"), said, "run tests/python/test_python.py PERCUSS --update")

    def test_version_is_that_of_the_program(self):
        self.assertEqual(re.search(r"project\(percuss VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1], percuss.__version__)

    def test_public_functions_have_types_and_texts(self):
        for path in [ROOT / "python/percuss" / f"{name}.py" for name in ("__init__", "model", "plots", "program", "results")]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_") or path.name == "results.py" and isinstance(node, ast.FunctionDef) and node.lineno < 60:
                    continue
                self.assertTrue(ast.get_docstring(node) or path.name == "results.py", f"{path.name}:{node.lineno}: {node.name} has no text")
                if isinstance(node, ast.FunctionDef) and path.name != "results.py":
                    self.assertIsNotNone(node.returns, f"{path.name}:{node.lineno}: {node.name} has no return type")


class Errors(InFolder):
    def test_place_and_hint(self):
        pathlib.Path("bar.yaml").write_text(pathlib.Path("configs/elastic_bar.yaml").read_text().replace("    mass: consistent", "    mas: consistent"))
        with self.assertRaises(percuss.ConfigError) as caught:
            percuss.run("bar.yaml")
        error = caught.exception
        line = pathlib.Path("bar.yaml").read_text().splitlines().index("    mas: consistent") + 1
        self.assertEqual((error.file, error.line, error.column), ("bar.yaml", line, 5))
        self.assertEqual(error.text, "unknown key 'mas' in bodies.bar; did you mean 'mass'?")
        self.assertIn("valid keys: ", error.hint)
        self.assertEqual(error.messages[0].source, "    mas: consistent")
        self.assertFalse(os.path.exists("out"))

    def test_all_errors_at_once(self):
        with self.assertRaises(percuss.ConfigError) as caught:
            percuss.check("configs/elastic_bar.yaml", set={"scheme.stepp": 1, "bodies.bar.mesh.line.elements": -1})
        self.assertEqual([(message.file, message.line) for message in caught.exception.messages], [("--set", 1), ("--set", 1)])

    def test_a_file_that_is_not_there(self):
        with self.assertRaisesRegex(percuss.ConfigError, "no_such.yaml"):
            percuss.run("no_such.yaml")

    def test_existing_results_are_kept(self):
        percuss.run("configs/elastic_bar.yaml", set=BRIEF, out="out/a")
        with self.assertRaisesRegex(percuss.ConfigError, "exists already"):
            percuss.run("configs/elastic_bar.yaml", set=BRIEF, out="out/a")

    def test_a_run_that_fails_has_its_results(self):
        with self.assertRaises(percuss.RunError) as caught:
            percuss.run("configs/elastic_bar.yaml", set={**BRIEF, "scheme.step": "4 us", "time.end": "2 ms"}, force=True, out="out/grows")
        self.assertEqual(caught.exception.run.status, "failed")

    def test_warnings(self):
        """What the program says on stderr is not lost."""
        with self.assertWarnsRegex(percuss.PercussWarning, "penetration of contact .floor. is"):
            percuss.run("configs/bouncing_ball.yaml", {"scheme": {"type": "moreau_jean", "step": "20 ms"}, "limits": {"penetration": "1 um"}}, out="out/deep")

    def test_messages_of_the_error_suite_are_read(self):
        """Each expected message of tests/errors, read back: as many errors, and none without its text."""
        count = 0
        for path in sorted((ROOT / "tests/errors/cases").glob("*.txt")):
            for said in re.findall(r"^---- percuss says\n(.*?)^exit: 2", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
                found = percuss.program.parse_messages(said)
                heads = re.findall(r"^(?:\S[^\n]*?: )?(?:error|warning): ", said, re.MULTILINE)
                self.assertEqual(len(found), len(heads), said)
                hints = re.findall(r"^      = ", said, re.MULTILINE)
                self.assertEqual(sum(len(message.hints) for message in found), len(hints) if found else 0, said)
                count += len(found)
        self.assertGreater(count, 500)


class Results(InFolder):
    def test_tables(self):
        run = percuss.run("configs/elastic_bar.yaml", set=BRIEF, out="out/bar")
        wall = run.contacts["wall"]
        self.assertEqual(list(wall), ["gap", "gap_rate", "force", "impulse", "state"])
        self.assertEqual([wall.units[name] for name in wall], ["m", "m/s", "N", "N s", None])
        np.testing.assert_array_equal(wall["force"], run.contacts["wall.force"])
        array = run.history.array
        self.assertEqual(array.dtype.names[:3], ("time", "bar.left.ux", "bar.left.vx"))
        self.assertEqual(len(array), run.history.rows)
        self.assertEqual(array["bar.left.ux"].tolist(), run.history["bar.left.ux"].tolist())
        self.assertNotIn("?", run.history.units.values())
        with self.assertRaisesRegex(KeyError, "no column 'wal'; the columns are time, wall.gap"):
            run.contacts["wal"]
        self.assertEqual(run.frame(-1).points.shape, (51, 3))
        for shown in (run._repr_html_(), run.contacts._repr_html_(), percuss.check("configs/elastic_bar.yaml")._repr_html_()):
            self.assertTrue(shown.startswith("<table>") and shown.endswith("</table>"))
        with open(run.report(), encoding="utf-8") as page:
            self.assertIn("Elastic bar hits a rigid wall", page.read())

    def test_events_without_friction_beside_others_with_it(self):
        """Their tangential columns are empty: those of the slide of a piston whose pin rubs."""
        run = percuss.run("configs/elastic_slider_crank.yaml", set={"time.end": "0.4 ms", "output.frames.every": 0}, out="out/crank")
        rubs = run.events["contact"] == "pin"
        self.assertTrue(0 < rubs.sum() < len(rubs))
        np.testing.assert_array_equal(np.isnan(run.events["tangential_velocity_before"]), ~rubs)
        with open(run.report(), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("Events by contact and kind", page)
        self.assertNotIn("incomplete", page)

    def test_every_column_of_every_config_has_a_unit(self):
        """Of the configs with most kinds of columns."""
        for name in ("box_on_belt", "rotor_rub_modal", "crank_in_space", "solid_bar"):
            run = percuss.run(f"configs/{name}.yaml", set={"time.end": "20 us", "scheme.step": "0.5 us"}, out=f"out/{name}")
            for table in (run.contacts, run.energy, run.history):
                self.assertEqual([column for column, unit in table.units.items() if unit == "?"], [], name)

    def test_figures(self):
        bar = percuss.run("configs/elastic_bar.yaml", set=BRIEF, out="out/bar").plot
        rotor = percuss.run("configs/rotor_rub_modal.yaml", set={"time.end": "0.2 s"}, out="out/rotor").plot
        modes = percuss.modes("configs/rotor_rub_modal.yaml", campbell="0 rpm:6000 rpm:7", out="out/modes").plot
        response = percuss.response("configs/pump_shaft.yaml", "500 rpm:6000 rpm:12", out="out/response").plot
        drawn = [bar.energy(), bar.contact("wall"), bar.history(), bar.history("bar.left.ux"), bar.shape(), bar.wave(), bar.reaction(), modes.campbell(),
                 response.response(), rotor.orbit(), rotor.whirl(), rotor.spectrum(), rotor.rub(), rotor.energy(width=4.6)]  # fmt: skip
        for number, figure in enumerate(drawn):
            self.assertEqual(faults(figure), [], number)
            figure.savefig(f"{number}.png")
            self.assertGreater(os.path.getsize(f"{number}.png"), 5000)
        with self.assertRaisesRegex(percuss.ResultsError, "no contact 'wal'; the contacts are wall"):
            bar.contact("wal")
        with self.assertRaisesRegex(percuss.ResultsError, "no station 'x'"):
            rotor.orbit("x")


# A stiff shaft of 50 kg that only moves across its axis.
STIFF_ROTOR = {
    "bodies": {"shaft": {"type": "rotor", "mesh": {"line": {"from": [0, 0, 0], "to": [0.1, 0, 0], "elements": 2}}, "material": {"density": 7800, "young": "210 GPa"},
                         "section": {"circle": {"radius": 0.05}}, "spin": "3000 rpm"}},
    "discs": {"wheel": {"at": "shaft@0.5", "mass": 43.873894325499903}},
    "supports": {"tilt": {"at": ["shaft.left", "shaft.right"], "fix": ["ry", "rz"]}},
    "bearings": {"middle": {"between": ["shaft@0.5", "ground"], "stiffness": 2e6, "damping": 500.0}},
}  # fmt: skip


class RotorMaps(InFolder):
    """Analyses of python/percuss/rotor_maps.py against closed forms."""

    def test_amplification_factor(self):
        from percuss.rotor_maps import margins, peaks

        speed, damping = np.linspace(1, 400, 4000), 0.05
        ratio = speed / 200
        amplitude = lambda r: r**2 / np.hypot(1 - r**2, 2 * damping * r)
        (peak,) = peaks({"speed": speed, "disc.major": 1e-4 * amplitude(ratio)})
        top = 1 / np.sqrt(1 - 2 * damping**2)
        # r^4/((1 - r^2)^2 + (2 z r)^2) = top^2/2 is quadratic in r^2
        half = amplitude(top) ** 2 / 2
        low, high = np.sqrt(np.sort(np.roots([half - 1, half * (4 * damping**2 - 2), half])))
        self.assertAlmostEqual(peak.speed, 200 * top, delta=1e-3)
        self.assertAlmostEqual(peak.amplitude, 1e-4 * amplitude(top), delta=1e-9)
        self.assertAlmostEqual(peak.amplification, top / (high - low), delta=2e-3)
        self.assertTrue(peak.is_critical and peak.is_resolved)
        rows = margins([peak], 300, 310)
        self.assertAlmostEqual(rows[0]["margin"], (300 - peak.speed) / 300)
        self.assertAlmostEqual(rows[0]["required"], 0.17 * (1 - 1 / (peak.amplification - 1.5)))
        self.assertTrue(rows[0]["enough"])
        self.assertFalse(margins([peak], 180, 190)[0]["enough"])
        self.assertEqual(peaks({"speed": speed, "disc.major": speed}), [])

    def test_maps(self):
        from percuss.rotor_maps import critical_map, draw_critical_map, draw_stability_map, onset, stability_map
        from percuss.style import STYLE, arrange
        from matplotlib import rc_context

        model, out = percuss.Model(STIFF_ROTOR), pathlib.Path("maps")
        rows = critical_map(model, [1e6, 4e6], 400, out)
        self.assertEqual(len(rows), 4)  # forward and backward
        for stiffness, speed, _ in rows:
            self.assertAlmostEqual(speed, np.sqrt(stiffness / 50), delta=0.2)
        stable = stability_map(model, "shaft@0.5", np.linspace(0, 2e5, 5), out, count=2)
        self.assertAlmostEqual(stable[0][1], 2 * np.pi * 5 / np.sqrt(200**2 - 5**2), delta=1e-3)
        self.assertAlmostEqual(onset(stable), 500 * 200, delta=200)  # damping times frequency
        with rc_context(STYLE):
            for figure in (draw_critical_map(rows, [2e6]), draw_stability_map(stable)):
                self.assertEqual(faults(arrange(figure)), [])
        with self.assertRaisesRegex(percuss.ResultsError, "there is no bearing 'x'; bearings: middle"):
            critical_map(model, [1e6], 400, out, ["x"])


class FigureRules(unittest.TestCase):
    """The rules of python/percuss/style.py on cases that broke them once."""

    def setUp(self):
        from matplotlib import rc_context

        from percuss.style import STYLE

        self.style = rc_context(STYLE)
        self.style.__enter__()

    def tearDown(self):
        import matplotlib.pyplot as plt

        plt.close("all")
        self.style.__exit__(None, None, None)

    def test_the_rules_find_faults(self):
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 2)
        axes[0].plot([0, 1], [0, 1], color="k", label="a")
        axes[0].plot([0, 1], [1, 0], color="k", label="b")
        axes[0].text(0.5, 0.5, "one text")
        axes[0].text(0.5, 0.5, "another text")
        found = " ".join(faults(figure))
        for word in ("overlap", "look the same", "empty panel"):
            self.assertIn(word, found)

    def test_many_contacts(self):
        from percuss.rotor_figures import draw_rubs
        from percuss.rotor_orbit import Rub
        from percuss.style import arrange

        time = np.linspace(0, 1, 500)
        rub = lambda k: Rub(f"contact_with_a_long_name.{k}", time, time, time > 0.5, time > 0.9, 1e5 * k * (time > 0.5), time, time + k, 1e5 * k * (time > 0.5))
        figure = arrange(draw_rubs([rub(k) for k in range(1, 20)]))
        self.assertEqual(faults(figure), [])
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        self.assertEqual(labels, [f"contact_with_a_long_name.{k}" for k in range(14, 20)] + ["13 more, not drawn"])
        self.assertEqual(figure.axes[0].get_ylabel(), "(MN)")

    def test_covered_curves_are_dashed(self):
        from percuss.response_figures import draw_response, response_columns
        from percuss.style import arrange

        speed = np.linspace(10, 100, 50)
        table = {"speed": speed}
        for name in ("disc.uy", "disc.uz"):
            table |= {f"{name}.amplitude": 1e-3 / (1 + (speed - 50) ** 2), f"{name}.phase": 0 * speed}
        figure = arrange(draw_response(table, response_columns(table)))
        self.assertEqual([line.get_linestyle() for line in figure.axes[0].lines], ["-", "--"])
        self.assertEqual(faults(figure), [])

    def test_waterfall_of_a_ramp_and_a_hold(self):
        from percuss.rotor_orbit import Station, one_way

        time = np.linspace(0, 10, 4001)
        spin = np.minimum(100 * time, 200)  # two seconds of ramp, eight of hold
        names = {field.name: np.zeros_like(time) for field in dataclasses.fields(Station)}
        part = one_way(Station(**{**names, "name": "disc", "time": time, "spin_rate": spin}))
        self.assertGreater(np.ptp(part.spin_rate), 199)
        self.assertLess(part.time[-1], 2.1)
        through_zero = one_way(Station(**{**names, "name": "disc", "time": time, "spin_rate": 200 - 40 * time}))
        self.assertGreater(np.ptp(np.abs(through_zero.spin_rate)), 199)
        self.assertLess(np.diff(np.abs(through_zero.spin_rate)).max(), 0)

    def test_long_labels(self):
        import matplotlib.pyplot as plt

        from percuss.style import arrange

        figure, axes = plt.subplots(2, 1, figsize=(3, 2.4))
        axes[0].plot([0, 1])
        axes[1].plot([0, 1])
        axes[0].set_ylabel("a quantity with a long name that goes on (J)")
        self.assertIn("outside of its panel", " ".join(faults(figure)))
        self.assertEqual(faults(arrange(figure)), [])

    def test_spectrum_without_motion(self):
        from percuss.rotor_figures import draw_spectrum
        from percuss.rotor_orbit import Station

        time = np.linspace(0, 1, 101)
        with self.assertRaisesRegex(percuss.ResultsError, "no station moves"):
            draw_spectrum([Station("still", time, 0j * time, 0 * time, 0 * time, 0 * time)])

    def test_a_waterfall_needs_a_run_up(self):
        """Of two rotors only one of which runs up, that one is drawn."""
        from percuss.rotor_figures import draw_waterfall
        from percuss.rotor_orbit import Station

        time = np.linspace(0, 10, 4001)
        at = lambda name, spin: Station(name, time, 1e-4 * np.exp(1j * 100 * time), 0 * time, np.cumsum(spin) * time[1], spin)
        constant, ramp = at("constant", 0 * time + 300), at("ramp", 30 * time)
        with self.assertRaisesRegex(percuss.ResultsError, "station constant: the speed hardly changes"):
            draw_waterfall([constant])
        with self.assertRaisesRegex(percuss.ResultsError, "station slow: 2.4 revolutions"):
            draw_waterfall([at("slow", 0.3 * time)])
        self.assertEqual([axis.get_title() for axis in draw_waterfall([constant, ramp]).axes if axis.get_title()], ["ramp"])

    def test_numbers_along_small_axes(self):
        import matplotlib.pyplot as plt

        from percuss.style import arrange, legend_above

        figure, axes = plt.subplots(1, 2, figsize=(7, 2))
        for axis, height in zip(axes, (0.03, 0.2)):
            axis.plot([0, 1], [0, height])
            axis.set_aspect("equal")
            axis.locator_params(axis="y", nbins=6)
            legend_above(axis)  # of nothing
        self.assertNotEqual(faults(figure), [])
        self.assertEqual(faults(arrange(figure)), [])

    def test_every_quantity_of_a_probe_has_a_name(self):
        """No panel is called `awx`; coordinates of plugins keep their names."""
        import itertools

        from percuss.results import patterns
        from percuss.run_figures import QUANTITIES

        for pattern, _ in patterns()["history.csv"]:
            parts = [part if number % 2 else [part] for number, part in enumerate(re.split(r"\[(.*?)\]", pattern.replace("0-3", "0123").replace("*", "")))]
            for column in map("".join, itertools.product(*parts)):
                if column not in ("time", ""):  # time has its axis
                    self.assertTrue(column in QUANTITIES or column.rstrip("0123456789") in QUANTITIES, column)

    def test_prefixes(self):
        from percuss.style import prefixed

        for value, unit, expected in ((2e-3, "J", (1e3, "mJ")), (2e6, "m", (1e-3, "km")), (3e-12, "m", (1e12, "pm")), (1e-20, "J", (1, "J")), (1271, "N", (1, "N")), (8e4, "N", (1e-3, "kN")), (2e6, "Pa", (1e-6, "MPa")), (5e4, "s", (1, "s")), (0, "m", (1, "m"))):
            self.assertEqual(prefixed(value, unit), expected)


class Models(InFolder):
    def test_a_model_is_the_config(self):
        """Every shipped config, read, written and checked: the same figures."""
        for name in ("elastic_bar", "pump_shaft", "truss_on_stop", "slider_crank", "solid_bar"):
            model = percuss.Model.load(f"configs/{name}.yaml")
            mine, theirs = percuss.check(model).figures, percuss.check(f"configs/{name}.yaml").figures
            for key in ("dof", "title", "contacts", "step", "critical_step", "end", "frames"):
                self.assertEqual(mine[key], theirs[key], f"{name}: {key}")

    def test_words_that_need_quotes(self):
        import yaml

        for text in ("", "a: b", "- a", "*x", "@a", "%", "true", "no", "210 GPa", "-9.81 m/s^2", "a, b", "{a}", "[1]", "# no", "x #y", "${2*a}", "'", '"', "null", "1e-6 kg m", "ü"):
            self.assertEqual(str(yaml.safe_load(f"key: {percuss.model.scalar(text)}")["key"]), text)
        self.assertEqual(percuss.model.scalar(np.array([1.5, 2.0])), "[1.5, 2.0]")
        with self.assertRaises(TypeError):
            percuss.model.scalar(object())


@unittest.skipIf(SANITIZED, "the library has sanitizers, which Python has not")
class Steps(InFolder):
    """The library: the same states as the program; inputs; errors; the example in C."""

    def test_states_are_those_of_the_program(self):
        for name, probes, schemes in (
            ("elastic_bar", ("bar.left.ux", "bar.right.vx", "bar@0.5.stress"), ("half_explicit", "moreau_jean", "generalised_alpha_velocity", "modal", "half_explicit_two_step")),
            ("slider_crank", ("crank.theta1", "crank.omega2", "crank.slider.x"), ("half_explicit", "event_driven_rkf45")),
            ("crank_in_space", ("rod.vx", "rod.p0"), ("half_explicit",)),
        ):
            for scheme in schemes:
                model = percuss.Model.load(f"configs/{name}.yaml")
                step = {"elastic_bar": "0.5 us", "slider_crank": "0.1 ms", "crank_in_space": "0.5 ms"}[name]
                settings = {"scheme": {"type": scheme, "step": step}, "time.end": {"elastic_bar": "0.6 ms", "slider_crank": "20 ms", "crank_in_space": "20 ms"}[name]}
                points = list(dict.fromkeys(probe if name == "slider_crank" and "slider" not in probe else probe.rsplit(".", 1)[0] for probe in probes))
                settings |= {"output": {"history": {"probes": points, "every": 1}, "contacts": {"every": 1}, "energy": {"every": 1}}}
                run = percuss.run(model, settings, out=f"out/{name}_{scheme}")
                with self.subTest(config=name, scheme=scheme), percuss.Stepper(model, settings) as stepper:
                    rows = [[stepper.time, *map(stepper.probe, probes), stepper.contact(stepper.contact_names[0]).gap]]
                    more = True
                    while more:
                        more = stepper.step()
                        rows.append([stepper.time, *map(stepper.probe, probes), stepper.contact(stepper.contact_names[0]).gap])
                    expected = [run.history["time"], *(run.history[probe] for probe in probes), run.contacts[f"{run.contact_names()[0]}.gap"]]
                    np.testing.assert_array_equal(np.array(rows).T, np.array(expected))
                    self.assertEqual(stepper.energy["numerical"], run.energy["numerical"][-1])
                    self.assertEqual(stepper.steps, run.summary["steps"])

    def test_states_stay_where_they_are(self):
        """Arrays of the C interface are valid until the end, and hold the state after each step."""
        with percuss.Stepper("configs/elastic_bar.yaml") as stepper:
            places = set()
            for _ in range(3):
                stepper.step()
                places.add(tuple(ctypes.addressof(get(stepper._open).contents) for get in (stepper._library.percuss_q, stepper._library.percuss_v)))  # pylint: disable=protected-access
            self.assertEqual(len(places), 1)

    def test_energy_of_moving_supports(self):
        """The balance as percuss.h states it, with work of a support that moves."""
        with percuss.Stepper("configs/shaken_beam.yaml") as stepper:
            stepper.step(50)
            e = stepper.energy
            left = e["kinetic"] + e["elastic"] + e["potential"]
            self.assertGreater(abs(left), 0)
            self.assertAlmostEqual(left, e["initial"] + e["load"] - e["damping"] - e["impact"] - e["friction"] + e["numerical"], delta=1e-9 * abs(left))

    def test_inputs(self):
        """A ramp that is set step by step is the ramp of a table."""
        ramp = {"loads.push.time": {"table": [["-1 ms", -50], ["1 ms", 50]]}, "time.end": "0.2 ms", "output": {"history": {"probes": ["bar.right"], "every": 2000}}}
        expected = percuss.run("configs/library/pushed_bar.yaml", ramp, out="out/ramp")
        with percuss.Stepper("configs/library/pushed_bar.yaml", {"time.end": "0.2 ms"}) as stepper:
            self.assertEqual(stepper.input_names, ["push"])
            while not stepper.at_end:
                stepper.apply("push", (stepper.steps + 1) * stepper.time_step / 1e-3 * 50)
                stepper.step()
            self.assertAlmostEqual(stepper.probe("bar.right.ux"), expected.history["bar.right.ux"][-1], delta=1e-12 * abs(expected.history["bar.right.ux"][-1]))
            self.assertGreater(stepper.energy["load"], 0)
            self.assertLess(abs(stepper.energy["numerical"]), 1e-6 * stepper.energy["load"])
            for wrong in (("pull", 1.0), ("push", float("nan"))):
                with self.assertRaises(percuss.ResultsError):
                    stepper.apply(*wrong)

    def test_errors(self):
        with self.assertRaises(percuss.ConfigError) as caught:
            percuss.Stepper("configs/elastic_bar.yaml", {"scheme.stepp": 1})
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), ("--set", 1, 8))
        with percuss.Stepper("configs/elastic_bar.yaml") as stepper, self.assertRaisesRegex(percuss.ResultsError, "bar.middle"):
            stepper.probe("bar.middle.ux")
        with self.assertRaisesRegex(percuss.ResultsError, "closed"):
            stepper.step()

    def test_several_at_once(self):
        with percuss.Stepper("configs/elastic_bar.yaml") as one, percuss.Stepper("configs/oscillator.yaml") as other:
            one.step(5000)
            other.step(10)
            before = one.q
            other.step(100)
            one.step(0)
            np.testing.assert_array_equal(one.q, before)
            self.assertIn("displacement along (1, 0, 0)", one.dof_name(0))

    def test_exported_symbols(self):
        """Those of the header, no others."""
        said = subprocess.run(["nm", "-D", "--defined-only", percuss.stepper.library()._name], capture_output=True, text=True, check=True).stdout
        exported = {line.split()[-1].split("@")[0] for line in said.splitlines()} - {"PERCUSS_1"}
        declared = set(re.findall(r"^PERCUSS_EXPORT .*?\b(percuss_\w+)\(", (ROOT / "include/percuss/percuss.h").read_text(), re.MULTILINE))
        self.assertEqual(exported, declared)
        self.assertEqual({f"percuss_{name}" for name in percuss.stepper.FUNCTIONS}, declared)

    def test_example_in_c(self):
        build = os.path.dirname(percuss.stepper.library()._name)
        words = ["cc", "-Wall", "-Wextra", "-Werror", str(ROOT / "configs/library/step.c"), f"-I{ROOT}/include", f"-L{build}", "-lpercuss", f"-Wl,-rpath,{build}", "-o", "step"]
        subprocess.run(words, check=True)
        said = subprocess.run(["./step", "configs/library/pushed_bar.yaml"], capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "de_DE.UTF-8"}).stdout
        self.assertEqual(len(said.splitlines()), 101)
        self.assertRegex(said.splitlines()[-1], r"^external work \S+ J, numerical energy error \S+ J$")
        wrong = subprocess.run(["./step", "no_such.yaml"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("no_such.yaml", wrong.stderr)


class Notebooks(InFolder):
    def test_notebooks(self):
        found = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
        self.assertGreaterEqual(len(found), 4)
        for path in found:
            if SANITIZED and path.stem == "stepper":
                continue
            with self.subTest(notebook=path.name):
                execute(self, json.loads(path.read_text(encoding="utf-8")))


def execute(test, book):
    """Runs the cells in their order; the value of a cell's last line has to be shown without an error."""
    test.assertEqual((book["nbformat"], book["metadata"]["language_info"]["name"]), (4, "python"))
    names = {"__name__": "__main__", "print": lambda *words, **options: None}
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        test.assertEqual(cell["outputs"], [])
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        if hasattr(shown, "_repr_html_"):
            shown._repr_html_()
        elif hasattr(shown, "savefig"):
            shown.savefig("cell.png")


class Package(InFolder):
    def test_pip_install_without_a_network(self):
        source = shutil.copytree(ROOT / "python", "source", ignore=shutil.ignore_patterns("__pycache__"))
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index", "--no-deps", "--target", "site", f"./{source}"]
        if not all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "wheel")):
            self.skipTest("pip, setuptools or wheel is missing")
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        look = "import percuss; print(percuss.__file__, percuss.check('configs/elastic_bar.yaml').figures['dof'])"
        said = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "site"}, check=True).stdout.split()
        self.assertEqual(said, [os.path.join(os.path.realpath("."), "site/percuss/__init__.py"), "51"])


if __name__ == "__main__":
    unittest.main()
