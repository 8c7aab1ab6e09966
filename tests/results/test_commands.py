#!/usr/bin/python3
"""Help, man page and completion: whole, alike, and of use. Usage: test_commands.py PERCUSS"""
import functools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS, ROOT


def percuss(*words, **options):
    return subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=60, **options)


@functools.lru_cache(None)
def commands():
    """[name, ...] as the program lists them."""
    return re.findall(r"^  percuss (\w+) ", percuss("--help").stdout, re.M)


@functools.lru_cache(None)
def options(command):
    """{option: what its help says}"""
    found, last = {}, None
    for line in percuss(command, "--help").stdout.splitlines():
        match = re.match(r"  (--[\w-]+)( \S+)? {2,}(\S.*)", line) or re.match(r"  (--[\w-]+)( \S+)?( .*)", line)
        if match:
            last = match.group(1)
            found[last] = match.group(3).strip()
        elif last and line.startswith(" " * 20):
            found[last] += " " + line.strip()
        elif not line.strip():
            last = None
    return found


class Solids(unittest.TestCase):
    def test_size_of_solids(self):
        """Extents along x, y, z, not from the origin; one line for each solid."""
        config = """
bodies:
  a: {type: solid, mesh: {box: {from: [1 m, 2 m, 3 m], to: [1.1 m, 2.3 m, 3.5 m], cells: [1, 2, 2]}}, material: {density: 1000 kg/m^3, young: 1 GPa, poisson: 0.3}}
  line: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 2}}, material: {density: 1000 kg/m^3, young: 1 GPa}, section: {circle: {radius: 10 mm}}}
  b: {type: solid, mesh: {box: {from: [-1 m, -2 m, -3 m], to: [-0.5 m, -1.8 m, -2.9 m], cells: [2, 1, 1]}}, material: {density: 1000 kg/m^3, young: 1 GPa, poisson: 0.3}}
scheme: {type: half_explicit, step: 0.1 us}
time: {end: 1 us}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "solids.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(config)
            done = percuss("check", path, "--quick")
        lines = [line.split(None, 1)[1] for line in done.stdout.splitlines() if line.startswith("  solid ")]
        self.assertEqual(lines, ["a: 4 hex8, 0.1 x 0.3 x 0.5 m, 15 kg", "b: 2 hex8, 0.5 x 0.2 x 0.1 m, 10 kg"], done.stderr)


class Help(unittest.TestCase):
    def test_every_command_lists_its_arguments(self):
        self.assertGreater(len(commands()), 9)
        for command in commands():
            for word in ("--help", "-h"):
                done = percuss(command, word)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            usage = " ".join(done.stdout.split("\n\n")[0].split())
            self.assertTrue(usage.startswith("percuss " + command), usage)
            used = set(re.findall(r"--[\w-]+", usage))
            self.assertEqual(used, set(options(command)), "options in the usage of %s and below it" % command)
            for option, about in options(command).items():
                self.assertGreater(len(about), 10, "%s: .about of %s is missing in its table" % (command, option))
            for line in done.stdout.splitlines():
                self.assertEqual(line, line.rstrip())
                self.assertLessEqual(len(line), 132, line)

    def test_options_are_those_that_the_program_takes(self):
        """In the usage stands what is read: an option that is unknown gets the list of all."""
        for command in commands():
            if not options(command):
                continue
            said = percuss(command, "--none-such").stderr
            self.assertEqual(set(re.findall(r"--[\w-]+", said.split("options:")[1])), set(options(command)), said)

    def test_an_option_means_the_same_everywhere(self):
        about = {}
        for command in commands():
            for option, text in options(command).items():
                self.assertEqual(about.setdefault(option, text), text)

    def test_examples_of_help_are_commands(self):
        """What stands as an example begins with a command that is there, with options that it has."""
        for command in commands():
            for line in re.findall(r"^  percuss (.*)$", percuss(command, "--help").stdout.split("Example")[-1], re.M):
                self.assertIn(line.split()[0], commands())
                for option in re.findall(r" (--[\w-]+)", line.split(" -- ")[0]):
                    self.assertIn(option, options(line.split()[0]))


class Explain(unittest.TestCase):
    def test_words_of_users_find_their_pages(self):
        for word, page in (("stress", "stress"), ("belt", "contacts.between.plane.velocity"), ("lumped", "bodies.bar.mass"), ("static", "start"), ("dt", "scheme.half_explicit.step"),
                           ("gap", "contacts.gap_offset"), ("drum", "contacts.between.cylinder"), ("journal", "contacts.between.radius"), ("unbalance", "mass_eccentricity"),
                           ("Coulomb", "contacts.friction"), ("beams", "bodies.beam"), ("numerical", "energy.csv"), ("gap_rate", "contacts.csv"), ("contacts.csv", "gap_rate"), ("results", "contacts.csv")):
            done = percuss("explain", word)
            self.assertEqual((done.returncode, done.stderr), (0, ""), word)
            self.assertIn(page, done.stdout, word)

    def test_units_are_words(self):
        for word, meaning in (("ft", "a length: 1 ft = 0.3048 m"), ("psi", "a pressure: 1 psi = 6894.757293 Pa"), ("lbf", "a force: 1 lbf = 4.448221615 N"), ("in", "1 in = 0.0254 m"),
                              ("mm", "1 mm = 0.001 m"), ("N/mm", "1 N/mm = 1000 N/m"), ("rpm", "1 rpm = 0.1047197551 rad/s")):
            done = percuss("explain", word)
            self.assertEqual((done.returncode, done.stderr), (0, ""), word)
            self.assertIn(meaning, done.stdout)
        for word, page in (("bounce", "restitution"), ("clamped", "supports"), ("variable", "parameters"), ("overlap", "penetration"), ("animation", "frames"), ("Courant", "step"), ("Signorini", "contact"),
                           ("Delassus", "contact_solver"), ("log decrement", "damping"), ("mass lumping", "lumped"), ("coefficient of restitution", "restitution"), ("eigenvalue", "modal"),
                           ("whirl", "modes.csv"), ("amplification factor", "rho"), ("Rayleigh", "damping"), ("critical time step", "step"), ("semismooth Newton", "contact_solver"),
                           ("linear complementarity", "contact_solver"), ("degree of freedom", "DOF"), ("boundary condition", "supports")):
            done = percuss("explain", word)
            self.assertEqual((done.returncode, done.stderr), (0, ""), word)
            self.assertIn(page, done.stdout)

    def test_units_lists_every_unit(self):
        self.assertIn("see also: bodies.slider_crank_two_joints", percuss("explain", "joints").stdout)
        self.assertNotIn("see also", percuss("explain", "joints.revolute").stdout)  # what has been named is enough
        text = percuss("explain", "units").stdout
        for symbol in ("m", "g", "s", "N", "Pa", "Hz", "rpm", "in", "ft", "lbf", "psi"):
            self.assertRegex(text, r"(?m)^  %s  " % symbol)
        for quantity in ("a stiffness or force per length +N/m", "an unbalance +kg\\*m"):
            self.assertRegex(text, quantity)


class Check(unittest.TestCase):
    """A lattice of 6561 contacts with consistent mass: what takes long is foretold, and not waited for."""
    LATTICE = ["configs/lattice_drop.yaml", "--set", "bodies.lattice.mesh.lattice.cells=[80, 1, 80]", "--set", "bodies.lattice.mesh.lattice.to=[4, 0.051, 4]",
               "--set", "bodies.lattice.mass=consistent"]

    def solves(self, done):
        found = re.search(r"^KSPSolve +(\d+)", done.stdout, re.M)
        return int(found.group(1)) if found else 0

    def test_preparation_of_contacts_is_foretold(self):
        """One solve for each of 6561 degrees of freedom (of a node on a plane without friction, one of three), of which some are made."""
        done = percuss("check", *self.LATTICE, "--", "-log_view", cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\n  time .* us per step .*\n +and about \S+ s before the first step, for the 6561 degrees of freedom that contacts act on\n")
        self.assertTrue(0 < self.solves(done) < 5000, self.solves(done))
        self.assertRegex(done.stderr, r"percuss check: factoring matrices of 39366 degrees of freedom may take up to \S+ s; --quick leaves it out")

    def test_contacts_closed_at_the_start(self):
        done = percuss("check", *self.LATTICE, "--set", "bodies.lattice.mesh.lattice.from=[0, 0, 0]", "--set", "bodies.lattice.mesh.lattice.to=[4, 0.05, 4]",
                       "--", "-log_view", cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\n  time        not measured: closed contacts need the preparation that follows\n")
        self.assertLess(self.solves(done), 5000)

    def test_quick_factors_nothing(self):
        done = percuss("check", *self.LATTICE, "--quick", "--", "-log_view", cwd=ROOT)
        self.assertEqual((done.returncode, self.solves(done)), (0, 0), done.stderr)
        self.assertNotIn("FctrNum", done.stdout)
        self.assertIn("\n  stability   critical time step at least ", done.stdout)
        self.assertIn("\n  time        not measured\n", done.stdout)

    def test_what_building_takes_is_known_before(self):
        """50 million elements would take minutes and more memory than there is: with --quick they are not built."""
        many = ["configs/beam_drop.yaml", "--quick", "--set", "bodies.beam.mesh={line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 50000000}}"]
        done = percuss("check", *many, cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"model +5e\+07 elements; building them takes about 550 s and 280 GB of memory\n +not built")
        figures = json.loads(percuss("check", *many, "--json", cwd=ROOT).stdout)["figures"]
        self.assertEqual((figures["elements"], figures["built"], figures["building_seconds"]), (50000000, False, 550))
        self.assertEqual(percuss("check", *many, "--set", "bodies.beam.mesh.line.elements=0", cwd=ROOT).returncode, 2)
        for config, key, cells, elements, seconds in (("solid_bar", "bodies.bar.mesh.box.cells", "[100, 100, 100]", 1000000, 12),
                                                      ("lattice_drop", "bodies.lattice.mesh.lattice.cells", "[100, 100, 100]", 6090300, 12.18)):
            figures = json.loads(percuss("check", f"configs/{config}.yaml", "--quick", "--json", "--set", f"{key}={cells}", cwd=ROOT).stdout)["figures"]
            self.assertEqual(figures["elements"], elements)
            self.assertAlmostEqual(figures["building_seconds"], seconds, delta=0.01)

    def test_quick_does_not_judge_what_bounds_leave_open(self):
        words = ["configs/elastic_bar.yaml", "--set", "scheme.step=2.3 us"]
        self.assertEqual(percuss("check", *words, cwd=ROOT).returncode, 2)
        done = percuss("check", *words, "--quick", cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"the step is at most 1\d\d")

    def test_size_of_results(self):
        """What `check` foretells is what `run` writes, within a quarter."""
        for name, end in (("elastic_bar", "0.1 ms"), ("lattice_drop", "0.2 ms"), ("solid_bar", "20 us"), ("spinning_top", "20 ms")):
            words = [f"configs/{name}.yaml", "--set", "time.end=" + end, "--set", "output.frames.every=5"]
            said = json.loads(percuss("check", *words, "--json", "--quick", cwd=ROOT).stdout)["figures"]["bytes"]
            with tempfile.TemporaryDirectory() as out:
                done = percuss("run", *words, "--quiet", "--out", out, cwd=ROOT)
                self.assertEqual(done.returncode, 0, done.stderr)
                wrote = sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(out) for file in files)
            self.assertTrue(0.75 < said / wrote < 1.25, f"{name}: {said} bytes foretold, {wrote} written")

    def test_results_larger_than_the_disk_are_warned_of(self):
        huge = ["configs/elastic_bar.yaml", "--set", "output.frames.every=1", "--set", "scheme.step=1e-14 s", "--set", "time.end=1 s"]
        warning = r"warning: the results will be about \S+ GB, but the disk of \S+/not/there has \S+ GB free"
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "not", "there")
            done = percuss("check", *huge, "--set", "output.directory=" + out, cwd=ROOT)
            self.assertRegex(done.stderr, warning)
            done = percuss("run", *huge, "--out", out, "--quiet", "--wall-limit", "0.2 s", cwd=ROOT)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, warning)


class Manual(unittest.TestCase):
    def test_every_command_and_option_is_in_it(self):
        synopsis, rest = percuss("--man").stdout.split(".SH DESCRIPTION")
        described, told = rest.split(".SH EXIT")[0].split(".SH OPTIONS")
        plain = re.sub(r"\\f.", "", synopsis).replace("\\-", "-")
        for command in commands():
            self.assertRegex(described, r"(?m)^\.B %s$" % command)
            part = re.search(r"(?ms)^\.B percuss %s$(.*?)^\.br$" % command, plain).group(1)
            self.assertEqual(set(re.findall(r"--[\w-]+", part)), set(options(command)), command)
        tags = set(re.findall(r"(?m)^(?:\\fB|\.BR? ).*?(--[\w-]+)", told.replace("\\-", "-")))
        self.assertEqual(tags, {option for command in commands() for option in options(command)} | {"--help", "--version", "--man"})

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_reports_nothing(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n"], input=percuss("--man").stdout, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("percuss", done.stdout)


class Registration(unittest.TestCase):
    def test_every_file_of_a_command_has_its_line(self):
        """A table NsCommand_Name that list.h does not name is a command that cannot be called."""
        folder = os.path.join(ROOT, "src/cli")
        found = {}
        for file in os.listdir(folder):
            if file.endswith(".c"):
                with open(os.path.join(folder, file)) as source:
                    found.update({name: file for name in re.findall(r"(?m)^const NsCommand NsCommand_(\w+) =", source.read())})
        with open(os.path.join(folder, "list.h")) as listed:
            listed = set(re.findall(r"NS_COMMAND\((\w+)\)", listed.read()))
        for name in sorted(set(found) - listed):
            self.fail("src/cli/%s has a table NsCommand_%s; add the line NS_COMMAND(%s) to src/cli/list.h" % (found[name], name, name))

    def test_every_command_says_what_it_does(self):
        for command in commands():
            text = percuss(command, "--help").stdout
            self.assertGreater(len(text.splitlines()[1].strip()), 10, "%s: .about is missing in its table" % command)
            paragraphs = [part for part in text.split("\n\n")[1:] if not part.startswith(("  ", "Example"))]
            self.assertGreater(len("".join(paragraphs)), 20, "%s: .description is missing in its table" % command)
            self.assertIn("\nExample", text, "%s: .examples is missing in its table" % command)


class Completion(unittest.TestCase):
    """What the program offers, and what bash makes of it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        for name in ("out/one/run.json", "out/two/run.json", "out/two/frames/x.vtk", "out/notes/mine.txt", "my.yaml", "your.yml", "notes.txt", ".hidden.yaml", "a b.yaml"):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w").close()
        shutil.copy(os.path.join(ROOT, "configs/elastic_bar.yaml"), os.path.join(self.folder, "my.yaml"))
        shutil.copy(os.path.join(ROOT, "configs/elastic_bar.yaml"), os.path.join(self.folder, "out/one/config.yaml"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def offered(self, line):
        done = percuss("complete", line, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        kind, *words = done.stdout.splitlines()
        self.assertIn(kind, ("words", "files"))
        self.assertEqual(words, sorted(words))
        return words

    def in_bash(self, line):
        """COMPREPLY as bash gets it, which breaks words at = and : and takes what follows."""
        script = 'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _percuss "$3" x y; for w in "${COMPREPLY[@]}"; do printf "%s\\n" "$w"; done'
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", os.path.join(ROOT, "src/cli/percuss.bash"), line, PERCUSS], capture_output=True, text=True,
                              timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_commands_and_options(self):
        self.assertEqual(set(self.offered("percuss ")), set(commands()) | {"--help", "--version", "--man"})
        self.assertEqual(self.offered("percuss re"), ["response"])
        for command in commands():
            self.assertEqual(set(self.offered("percuss %s -" % command)), set(options(command)) | {"--help"})
        self.assertNotIn("--quiet", self.offered("percuss run my.yaml --quiet -"))  # given already
        self.assertIn("--set", self.offered("percuss run my.yaml --set a=b -"))  # may be given again
        self.assertEqual(self.offered("percuss none "), [])
        self.assertEqual(self.offered("percuss run my.yaml -- -ksp"), [])
        self.assertEqual(self.offered("percuss"), [])
        self.assertEqual(self.offered(""), [])

    def test_files(self):
        self.assertEqual(self.offered("percuss run "), ["a b.yaml", "my.yaml", "out", "your.yml"])
        self.assertEqual(self.offered("percuss check .h"), [".hidden.yaml"])
        self.assertEqual(self.offered("percuss run 'a "), ["a b.yaml"])
        self.assertEqual(self.offered("percuss run a\\ "), ["a b.yaml"])
        self.assertEqual(self.offered("percuss run out/one/"), ["out/one/config.yaml", "out/one/run.json"])
        self.assertEqual(self.offered("percuss run my.yaml --out o"), ["out"])
        self.assertEqual(self.offered("percuss run my.yaml --out=out/"), ["--out=out/notes", "--out=out/one", "--out=out/two"])
        self.assertEqual(self.offered("percuss run my.yaml o"), [])  # one config is enough
        self.assertIn("notes.txt", self.offered("percuss compare a b --csv "))

    def test_runs(self):
        self.assertEqual(self.offered("percuss compare "), ["out"])
        self.write_manifest("out/one")
        self.write_manifest("out/two")
        self.assertEqual(self.offered("percuss compare out/"), ["out/one", "out/two"])
        self.assertEqual(self.offered("percuss compare out/one out/tw"), ["out/two"])
        self.assertEqual(self.offered("percuss compare out/two/"), [])

    def write_manifest(self, directory):
        with open(os.path.join(self.folder, directory, "run.json"), "w") as file:
            file.write('{\n  "name": "x",\n  "exit_status": "done",\n  "program": {\n    "name": "percuss"\n  }\n}\n')

    def test_keys_and_values(self):
        self.assertIn("scheme.", self.offered("percuss run my.yaml --set "))
        self.assertEqual(self.offered("percuss run my.yaml --set bodies."), ["bodies.bar."])  # names of the config
        self.assertEqual(self.offered("percuss run out/one --set bodies."), ["bodies.bar."])  # and of results
        self.assertEqual(self.offered("percuss run none.yaml --set bodies."), [])
        self.assertEqual(self.offered("percuss run my.yaml --set bodies.bar.material.y"), ["bodies.bar.material.young="])
        self.assertEqual(self.offered("percuss run my.yaml --set bodies.bar.mass=c"), ["bodies.bar.mass=consistent"])
        self.assertEqual(self.offered("percuss run my.yaml --set=scheme.type=ggl_u"), ["--set=scheme.type=ggl_unified"])
        self.assertEqual(self.offered("percuss run my.yaml --set output.events="), ["output.events=false", "output.events=true"])
        self.assertEqual(self.offered("percuss run my.yaml --set scheme.step=1"), [])
        self.assertNotIn("scheme.theta=", self.offered("percuss run my.yaml --set scheme."))  # of another scheme than the config's
        self.assertIn("scheme.theta=", self.offered("percuss run --set scheme."))  # no config: of any
        self.assertEqual(self.offered("percuss run my.yaml --set none.x"), [])
        self.assertEqual(self.offered("percuss explain scheme.modal.st"), ["scheme.modal.step"])
        self.assertEqual(self.offered("percuss explain scheme.modla.st"), [])

    def test_offered_completions_are_accepted(self):
        """Each key that is offered for --set has a page in explain."""
        for key in self.offered("percuss run my.yaml --set ") + self.offered("percuss run my.yaml --set bodies.bar.") + self.offered("percuss run my.yaml --set output."):
            if key.endswith(".type="):
                continue  # whose values are the pages
            self.assertEqual(percuss("explain", key.rstrip("=.")).returncode, 0, key)
        for key in self.offered("percuss explain ") + self.offered("percuss explain bodies.") + self.offered("percuss explain scheme."):
            self.assertEqual(percuss("explain", key).returncode, 0, key)

    def test_kinds(self):
        for kind in self.offered("percuss init "):
            self.assertEqual(percuss("init", kind).returncode, 0)
        self.assertEqual(self.offered("percuss init b"), ["bar", "beam"])
        self.assertIn("schemes", self.offered("percuss explain sch"))

    def test_bash(self):
        self.assertEqual(self.in_bash("percuss re"), ["response"])
        self.assertEqual(self.in_bash("percuss run 'a "), ["a b.yaml"])
        self.assertEqual(self.in_bash("percuss run my.yaml --set scheme.type=ggl_u"), ["ggl_unified"])
        self.assertEqual(self.in_bash("percuss run my.yaml --set=bodies.bar.mass=c"), ["consistent"])
        self.assertEqual(self.in_bash("percuss run my.yaml --out=o"), ["out"])
        self.assertEqual(self.in_bash("percuss none "), [])

    def test_the_program_has_the_script(self):
        with open(os.path.join(ROOT, "src/cli/percuss.bash")) as file:
            self.assertEqual(percuss("complete").stdout, file.read())
        done = subprocess.run(["bash", "--norc", "-c", 'eval "$("$1" complete)"; complete -p percuss', "bash", PERCUSS], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.strip(), "complete -F _percuss percuss")
        self.assertEqual(percuss("complete", "percuss ", "run").returncode, 2)

    def test_hostile_lines(self):
        for line in ("percuss run " + "x/" * 3000, "percuss run --set " + "a." * 5000, "percuss run --set scheme..=", "percuss run \xff\x01 --set =", "percuss run --set bodies.bar.type.type=",
                     "percuss run ~nobody/", "percuss " + "a " * 2000, "percuss run '", "percuss run \\", "percuss run --set contacts.wall.between.0."):
            self.offered(line)


if __name__ == "__main__":
    unittest.main()
