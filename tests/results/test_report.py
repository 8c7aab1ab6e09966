#!/usr/bin/python3
"""report.html: whole, true to run.json, without references to others, of every kind of run and however it ended; read by a browser where there is one.
Usage: test_report.py PERCUSS"""
import html
import html.parser
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

from tested import PERCUSS, ROOT

SCRIPT = os.path.join(ROOT, "postprocess/report.py")
NODE = shutil.which("node") or shutil.which("nodejs")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
sys.path.insert(0, os.path.join(ROOT, "python"))

from percuss.style import envelope

OFF = "output={history: {every: 0}, contacts: {every: 0}, energy: {every: 0}, frames: {every: 0}, events: false}"
VOID = {"meta", "link", "br", "img", "hr", "input"}


def percuss(*words, code=0, env=None):
    done = subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=300, env={**os.environ, **(env or {})})
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


def config(name):
    return os.path.join(ROOT, "configs", name + ".yaml")


class Page(html.parser.HTMLParser):
    """A report, taken apart: every element must be closed in its turn."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.faults, self.words = [], [], [], [], []
        self.tables, self.figures, self.headings = [], [], []
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.feed(self.text)
        self.close()
        if self.open:
            self.faults.append(f"left open: {self.open}")

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if len(known) < len(attributes):
            self.faults.append(f"{tag}: an attribute twice")
        self.ids += [known["id"]] if "id" in known else []
        self.links += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data", "action", "srcset", "poster")]
        self.links += re.findall(r"url\(([^)]*)\)", " ".join(value or "" for value in known.values()))
        if tag == "table":
            self.tables.append({"caption": "", "rows": []})
        elif tag == "tr":
            self.tables[-1]["rows"].append([])
        elif tag in ("td", "th"):
            self.tables[-1]["rows"][-1].append({"text": "", "value": None})
        elif tag == "data" and "td" in self.open:
            self.tables[-1]["rows"][-1][-1]["value"] = known["value"]
        elif tag == "svg":
            self.figures.append(known.get("aria-label", "") if known.get("role") == "img" else "")
        elif tag in ("h1", "h2", "h3"):
            self.headings.append([tag, ""])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}, open: {self.open[-3:]}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if "script" in self.open:
            return
        if "style" in self.open:
            self.links += re.findall(r"@import|url\(([^)]*)\)", data)
            return
        self.words.append(data)
        if "caption" in self.open:
            self.tables[-1]["caption"] += data
        if self.open and ("td" in self.open or "th" in self.open):
            self.tables[-1]["rows"][-1][-1]["text"] += data
        if self.headings and self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings[-1][1] += data

    def row(self, caption, name):
        """The cells of the row that begins with `name`, of the table with that caption."""
        rows = [row for table in self.tables if caption in table["caption"] for row in table["rows"] if row and row[0]["text"] == name]
        assert len(rows) == 1, (caption, name, len(rows))
        return rows[0]

    def said(self):
        return " ".join("".join(self.words).split())


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="percuss_test_")
        cls.bar = cls.make("bar", "elastic_bar")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def make(cls, name, which, *sets, code=0, words=()):
        """A run of a config with its report, by the program."""
        out = os.path.join(cls.folder, name)
        options = [word for each in sets for word in ("--set", each)]
        done = percuss("run", config(which), *options, "--out", out, "--report", *words, code=code)
        assert f"  report: {out}/report.html\n" in done.stdout, done.stdout
        assert "report.py" not in done.stderr and "Traceback" not in done.stderr, done.stderr
        return out

    def page(self, out):
        """The page of a run, with what is true of every one."""
        page = Page(os.path.join(out, "report.html"))
        self.assertEqual(page.faults, [])
        self.assertTrue(page.text.startswith("<!DOCTYPE html>\n<html lang="))
        self.assertEqual(len(set(page.ids)), len(page.ids), [name for name in page.ids if page.ids.count(name) > 1][:5])
        for link in page.links:
            self.assertTrue(link.startswith(("#", "data:")), link)
            self.assertTrue(not link.startswith("#") or link[1:] in page.ids, link)
        self.assertEqual(page.text.count("<script"), 1)  # report.js
        self.assertEqual([tag for tag, _ in page.headings].count("h1"), 1)
        self.assertTrue(all(page.figures) and all(table["caption"] for table in page.tables))
        self.assertLess(len(page.text), 4e6)
        self.check_summary(page, out)
        return page

    def check_summary(self, page, out):
        """Every figure of the summary's tables is that of run.json, with all its digits."""
        with open(os.path.join(out, "run.json")) as file:
            info = json.load(file)
        self.assertIn(info["title"], page.headings[0][1])
        summary = info.get("summary")
        if not summary:
            return
        energy, checked = summary["energy"], 0
        expected = {"simulated time": summary["time"], "steps": summary["steps"], "steps with an impulse": summary["impulsive_steps"], "step": info["step"],
                    "energy at the start": energy["initial"], "numerical energy error at the end": energy["numerical"],
                    "numerical energy error, largest": summary["energy_numerical_max"]}
        if info["model"]["contacts"]:
            expected["deepest penetration"] = summary["max_penetration"]
        for name, orbit in summary.get("orbits", {}).items():
            expected |= {f"{name}: largest radius": orbit["largest_radius"], f"{name}: whirl rate": orbit["whirl_rate"]}
        for name, value in expected.items():
            self.check_cell(page.row("Summary of the run", name)[1], value)
            checked += 1
        ledger = {"energy at the start": ("initial", 1), "external work": ("load", 1), "dissipated by damping": ("damping", -1), "dissipated by impacts": ("impact", -1),
                  "dissipated by friction": ("friction", -1), "numerical energy error": ("numerical", 1)}
        total = 0.0
        for name, (key, sign) in ledger.items():
            value = energy[key]
            self.check_cell(page.row("Energy balance", name)[1], value if value is None else sign * value)
            total += sign * (value or 0)
        end = page.row("Energy balance", "energy at the end")[1]["value"]
        if None not in energy.values():
            self.assertAlmostEqual(float(end), total, delta=1e-9 * max(abs(energy[key]) for key in ("initial", "load", "kinetic")) + 1e-300)
        self.assertGreaterEqual(checked, 7)

    def check_cell(self, cell, value):
        if value is None:
            self.assertEqual(cell["text"], "–")
        else:
            self.assertEqual(float(cell["value"]), value)

    def titles(self, page):
        return [text for tag, text in page.headings if tag == "h2"]

    def assert_whole(self, page):
        self.assertNotIn("Not shown", page.said())
        self.assertNotIn("This section failed", page.said())

    def test_bar(self):
        page = self.page(self.bar)
        self.assert_whole(page)
        self.assertEqual(self.titles(page), ["Key figures", "Stress wave", "Energy", "Contacts", "Events", "Probes", "Setup", "Config", "Files"])
        self.assertEqual(page.row("Summary of the run", "deepest penetration")[1]["text"], "5\u00a0nm")
        self.assertIn("d'Alembert", page.said())
        mean = page.row("Continuous bar", "mean contact force")
        self.assertAlmostEqual(float(mean[1]["text"].split()[0]), 1266.65, delta=2)
        self.assertEqual(page.row("Events by contact and kind", "wall")[1]["text"], "1")
        events = next(table for table in page.tables if table["caption"].startswith("All events"))
        self.assertEqual([row[2]["text"] for row in events["rows"][1:]], ["impact", "opening"])
        with open(os.path.join(self.bar, "events.csv")) as file:
            impulse = float(file.read().splitlines()[1].split(",")[5])
        self.assertEqual(float(events["rows"][1][5]["value"]), impulse)
        self.assertEqual(float(page.row("Contacts that close", "wall")[7]["value"]), impulse)
        self.assertIn("half_explicit, step: 0.1 us", page.row("Model, scheme", "Scheme")[1]["text"].replace("type: ", ""))
        self.assertEqual(page.row("Model, scheme", "Bodies")[1]["text"], "bar (bar)")

    def test_two_bars_have_a_wave_but_no_theory(self):
        page = self.page(self.make("two", "two_bars"))
        self.assert_whole(page)
        self.assertIn("No comparison with theory: there is more than one body.", page.said())
        self.assertEqual(page.row("Model, scheme", "Bodies")[1]["text"], "short (bar), long (bar)")

    def test_rotor_with_orbits_and_a_warning(self):
        out = self.make("rotor", "rotor_adaptive", "time.end=60 ms")
        page = self.page(out)
        self.assert_whole(page)
        self.assertIn("Rotor", self.titles(page))
        for words in ("Orbits of journal, wheel", "Spin, mean whirl rate", "Full spectra", "Forces, slip velocity"):
            self.assertTrue(any(label.startswith(words) for label in page.figures), words)
        with open(os.path.join(out, "run.json")) as file:
            warnings = json.load(file)["warnings"]
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], r"rotor_adaptive\.yaml:\d+:\d+: these moments of inertia are impossible")
        self.assertIn(warnings[0], page.said())

    def test_rotor_without_orbits_says_so(self):
        page = self.page(self.make("no_orbits", "rotor_adaptive", "time.end=10 ms", "output={energy: {every: 1}}"))
        self.assertIn("no orbits.csv; put `orbits: {stations:", page.said())

    def test_slider_crank(self):
        page = self.page(self.make("crank", "slider_crank"))
        self.assert_whole(page)
        titles = self.titles(page)
        self.assertLess(titles.index("Coordinates"), titles.index("Energy"))
        self.assertTrue(any(label.startswith("angle, angular velocity, position over time of crank.theta1") for label in page.figures))
        self.assertEqual([row[0]["text"] for row in next(t for t in page.tables if t["caption"].startswith("Contacts that close"))["rows"][1:]],
                         ["corner1", "corner2", "corner3", "corner4"])  # fmt: skip

    def test_a_scheme_of_impulses_alone_has_no_empty_panel(self):
        page = self.page(self.make("impulses", "slider_crank", "scheme={type: moreau_midpoint, step: 100 us}", "time.end=50 ms"))
        self.assert_whole(page)
        self.assertTrue(any(label.startswith("Contact corner1 over time: gap, impulses; largest normal force 0 N") for label in page.figures))

    def test_joint_drifts(self):
        page = self.page(self.make("joint", "slider_crank_bilateral", "time.end=0.1 s"))
        self.assert_whole(page)
        self.assertEqual(page.row("Contacts that close", "guide")[1]["text"], "closed throughout")
        self.assertTrue(any(label.startswith("Contact guide over time: drift") for label in page.figures))

    def test_failed_run(self):
        page = self.page(self.make("failed", "elastic_bar", "scheme.step=3 us", "time.end=50 ms", code=1, words=["--force"]))
        self.assertIn("Reason: at t = 0.000519 s (step 173) the numerical energy error is 70.4 J", page.said())
        self.assertIn("is above the critical time step of half_explicit", page.said())
        self.assertEqual(page.row("Summary of the run", "energy at the end")[1]["text"], "70.43\xa0J")

    def test_stopped_run(self):
        out = os.path.join(self.folder, "stopped")
        words = ["run", config("elastic_bar_1000"), "--set", "time.end=100 s", "--set", "output.frames.every=0", "--out", out, "--report", "--quiet"]
        with subprocess.Popen([PERCUSS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            for _ in range(600):
                if os.path.exists(os.path.join(out, "energy.csv")) and os.path.getsize(os.path.join(out, "energy.csv")) > 1000:
                    break
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=300)
        self.assertEqual((process.returncode, output), (3, ""), errors)
        page = self.page(out)
        self.assertIn("Reason: stopped by signal SIGINT", page.said())
        self.assertIn("of 100\u00a0s planned", page.row("Summary of the run", "simulated time")[2]["text"])

    def test_outputs_off(self):
        page = self.page(self.make("off", "elastic_bar", OFF))
        for name in ("frames", "energy.csv", "contacts.csv", "events.csv", "history.csv"):
            self.assertIn(f"no {name}", page.said())
        self.assertEqual(page.figures, [])
        self.assertNotIn("This section failed", page.said())

    def test_unfinished_run(self):
        out = os.path.join(self.folder, "unfinished")
        shutil.copytree(self.bar, out)
        with open(os.path.join(out, "run.json")) as file:
            info = json.load(file)
        del info["summary"]
        dead = subprocess.Popen(["true"])
        dead.wait()
        info |= {"exit_status": "running", "ended": None, "pid": dead.pid}
        with open(os.path.join(out, "run.json"), "w") as file:
            json.dump(info, file)
        with open(os.path.join(out, "energy.csv"), "r+") as file:
            file.truncate(3000)  # within a row
        with open(os.path.join(out, "contacts.csv"), "w"):
            pass
        done = self.script(out)
        self.assertEqual(done.stderr, "")
        page = self.page(out)
        said = page.said()
        self.assertIn("killed", said)
        self.assertIn("energy.csv: the last row is incomplete", said)
        self.assertIn("contacts.csv: empty", said)
        self.assertIn("The run has not ended", said)
        self.assertIn("x-t diagram", said)  # what is there is shown

    def script(self, *words, code=0):
        done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_errors(self):
        self.assertIn("no such directory", self.script(os.path.join(self.folder, "nowhere"), code=2).stderr)
        self.assertIn("it has no run.json", self.script(self.folder, code=2).stderr)
        modes = os.path.join(self.folder, "modes")
        percuss("modes", config("elastic_bar"), "--out", modes)
        self.assertIn("results of `percuss modes`", self.script(modes, code=2).stderr)
        self.assertIn("cannot/be", self.script(self.bar, "--out", os.path.join(self.folder, "cannot/be/written.html"), code=2).stderr)

    def test_words_of_the_user_are_words(self):
        title = '<script>alert("1")</script> & co'
        page = self.page(self.make("title", "elastic_bar", f"title='{title}'", "time.end=20 us", OFF))
        self.assertEqual(page.headings[0][1], title)

    def test_the_same_results_make_the_same_page(self):
        again = os.path.join(self.folder, "again.html")
        self.script(self.bar, "--out", again)
        with open(again) as one, open(os.path.join(self.bar, "report.html")) as other:
            self.assertEqual(one.read(), other.read())

    def test_overwrite_removes_it(self):
        out = self.make("overwritten", "elastic_bar", "time.end=20 us", OFF)
        percuss("run", config("elastic_bar"), "--set", "time.end=20 us", "--out", out, "--overwrite", "--quiet")
        self.assertFalse(os.path.exists(os.path.join(out, "report.html")))

    def test_without_matplotlib_the_run_is_done_all_the_same(self):
        fake = os.path.join(self.folder, "fake")
        os.makedirs(fake)
        with open(os.path.join(fake, "matplotlib.py"), "w") as file:
            file.write("raise ImportError('not here', name='matplotlib')\n")
        out = os.path.join(self.folder, "poor")
        done = percuss("run", config("elastic_bar"), "--set", "time.end=20 us", "--out", out, "--report", env={"PYTHONPATH": fake})
        self.assertIn("matplotlib is missing; on Debian: apt install python3-numpy python3-matplotlib", done.stderr)
        self.assertRegex(done.stderr, rf"warning: no report was made; the results are unchanged\. To make it later: \S*python3 {re.escape(SCRIPT)} {re.escape(out)}\n")
        self.assertNotIn("report.html", done.stdout)
        self.assertTrue(os.path.exists(os.path.join(out, "energy.csv")))

    def test_ctrl_c_ends_the_report_and_not_the_run(self):
        out = os.path.join(self.folder, "impatient")
        words = [PERCUSS, "run", config("elastic_bar"), "--set", "time.end=20 us", "--out", out, "--report"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
            for line in process.stdout:
                if line.startswith("  results: "):
                    break
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to both
            output, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, errors)
        self.assertNotIn("Traceback", errors)
        self.assertEqual("report.html" in output, os.path.exists(os.path.join(out, "report.html")))

    def test_installed_program_takes_the_installed_script(self):
        prefix = os.path.join(self.folder, "prefix")
        shared = os.path.join(prefix, "share/percuss/postprocess")
        os.makedirs(os.path.join(prefix, "bin"))
        os.makedirs(shared)
        program = shutil.copy(PERCUSS, os.path.join(prefix, "bin/percuss"))
        with open(os.path.join(shared, "report.py"), "w") as file:
            file.write("import sys\nopen(sys.argv[-1] + '/report.html', 'w').write('the installed one')\n")
        out = os.path.join(self.folder, "installed")
        subprocess.run([program, "run", config("elastic_bar"), "--set", "time.end=20 us", "--out", out, "--report", "--quiet"], check=True, timeout=100)
        with open(os.path.join(out, "report.html")) as file:
            self.assertEqual(file.read(), "the installed one")

    def test_envelope_keeps_every_peak(self):
        random = np.random.default_rng(1)
        x = np.linspace(0, 1, 100003)
        y = random.normal(size=x.size)
        y[[7, 54321, 99990]] = (50, -60, 70)
        y[2000:2600] = np.nan
        few_x, few_y = envelope(x, y, 500)
        self.assertLessEqual(len(few_x), 2000)
        self.assertTrue(np.all(np.diff(few_x) > 0))
        self.assertEqual((few_x[0], few_x[-1], np.nanmin(few_y), np.nanmax(few_y)), (0, 1, -60, 70))
        for begin in range(0, 100000, 10000):  # in each part the least and the largest are those of all rows
            part, shown = y[(x >= x[begin]) & (x <= x[begin + 9999])], few_y[(few_x >= x[begin]) & (few_x <= x[begin + 9999])]
            self.assertLessEqual(abs(np.nanmax(part) - np.nanmax(shown)) + abs(np.nanmin(part) - np.nanmin(shown)), 0.5)
        self.assertTrue(np.isin(few_y[np.isfinite(few_y)], y).all())

    # Under the pointer -----------------------------------------------------------------------------------------------------------------------------

    @unittest.skipUnless(NODE, "no node here: report.js was not run")
    def test_values_under_the_pointer(self):
        """The curves of the page, read as report.js reads them, have the values of energy.csv."""
        text = Page(os.path.join(self.bar, "report.html")).text
        panels = next(json.loads(html.unescape(panels)) for panels in re.findall(r'data-panels="([^"]*)"', text) if "energy-figure-curve" in panels)
        self.assertEqual([panel["x"]["name"] for panel in panels], ["time (ms)"] * len(panels))
        panel = panels[0]
        kinetic = next(curve for curve in panel["curves"] if curve["name"] == "kinetic")
        paths = {curve["id"]: re.search(rf'id="{curve["id"]}">\s*<path d="([^"]*)"', text)[1] for curve in panel["curves"]}
        left, _, right, bottom = panel["box"]
        table = np.genfromtxt(os.path.join(self.bar, "energy.csv"), delimiter=",", names=True)
        reach = abs(panel["y"]["to"] - panel["y"]["from"])
        for time in (0.45, 0.6, 0.9):
            x = left + (right - left) * (time - panel["x"]["from"]) / (panel["x"]["to"] - panel["x"]["from"])
            work = f"""const hover = require({json.dumps(os.path.join(ROOT, "python/percuss/report.js"))}), paths = {json.dumps(paths)};
            const lines = hover.linesAt({json.dumps(panel)}, {x}, {bottom - 1}, (curve) => hover.pointsOf(paths[curve.id]));
            console.log(JSON.stringify(lines.map(([curve, text]) => [curve.id || curve.name, text])));"""
            done = subprocess.run([NODE, "-e", work], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = dict(json.loads(done.stdout))
            self.assertAlmostEqual(float(said["time (ms)"]), time, delta=5e-4)
            wanted = np.interp(1e-3 * time, table["time"], table["kinetic"]) * 1e3
            self.assertIn("mJ", panel["y"]["name"])
            self.assertAlmostEqual(float(said[kinetic["id"]]), wanted, delta=2e-3 * reach)

    @unittest.skipUnless(NODE, "no node here: report.js was not run")
    def test_zoom_and_logarithms(self):
        work = f"""const hover = require({json.dumps(os.path.join(ROOT, "python/percuss/report.js"))});
        console.log(JSON.stringify([hover.valueAt({{from: 1, to: 100, log: true}}, 0.5), hover.shown(-1.23456e-7), hover.zoomTo([0, 0, 200, 100], [10, 10], [60, 20]),
          hover.zoomTo([0, 0, 200, 100], [10, 10], [12, 11]), hover.atX([[0, 0, true], [1, 1, false], [3, 0, true]], 2), hover.rises([[0, 0], [2, 1], [1, 1]]),
          hover.closest([[0, 0], [5, 5]], 5, 6, 8), hover.closest([[0, 0]], 50, 60, 8)]));"""
        done = subprocess.run([NODE, "-e", work], capture_output=True, text=True, timeout=60)
        self.assertEqual(json.loads(done.stdout), [10, "\u22121.235e-7", [10, 2.5, 50, 25], None, None, False, [5, 5], None], done.stderr)

    # In a browser ----------------------------------------------------------------------------------------------------------------------------------

    def browse(self, page, *flags):
        """Loads a page in headless Chromium; what it wrote, and what it complained of."""
        with tempfile.TemporaryDirectory(prefix="percuss_browser_", ignore_cleanup_errors=True) as profile:
            words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", f"--user-data-dir={profile}", *flags]
            done = subprocess.run([*words, "file://" + page], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        return done.stdout

    @unittest.skipUnless(CHROMIUM, "no chromium here: the page was not looked at by a browser")
    def test_in_a_browser(self):
        crank = self.make("browsed", "slider_crank", "time.end=50 ms")
        look = """<script>const all = [...document.querySelectorAll("figure svg")];
        document.body.dataset.seen = JSON.stringify({wide: document.documentElement.scrollWidth, window: innerWidth, figures: all.length,
          flat: all.filter(svg => svg.getBoundingClientRect().height < 60 || svg.getBoundingClientRect().width < 150).length,
          paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(all[0].querySelector("text")).fill});</script></body>"""
        for out in (self.bar, crank):
            file = os.path.join(out, "report.html")
            with open(file) as page:
                text = page.read().replace("</body>", look)
            copy = os.path.join(out, "looked_at.html")
            with open(copy, "w") as page:
                page.write(text)
            for width in (390, 1280):
                for scheme, paper in ((1, 255), (0, 22)):
                    said = self.browse(copy, f"--window-size={width},900", f"--blink-settings=preferredColorScheme={scheme}", "--dump-dom")
                    seen = json.loads(html.unescape(re.search(r'data-seen="([^"]*)"', said)[1]))
                    self.assertLessEqual(seen["wide"], seen["window"], (out, seen))
                    self.assertLessEqual(seen["window"], max(width, 500))
                    self.assertGreaterEqual(seen["figures"], 4)
                    self.assertEqual(seen["flat"], 0)
                    self.assertTrue(seen["paper"].startswith(f"rgb({paper},"), seen)
                    ink = int(re.match(r"rgb\((\d+)", seen["ink"])[1])
                    self.assertGreater(abs(ink - paper), 150)
            picture, paper = os.path.join(self.folder, "page.png"), os.path.join(self.folder, "page.pdf")
            self.browse(file, "--window-size=1280,3000", f"--screenshot={picture}")
            self.browse(file, "--no-pdf-header-footer", f"--print-to-pdf={paper}")
            with open(paper, "rb") as page:
                self.assertEqual(page.read(5), b"%PDF-")
            self.assertGreater(os.path.getsize(picture), 50000)


if __name__ == "__main__":
    unittest.main()
