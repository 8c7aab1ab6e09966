#!/usr/bin/python3
"""The same config gives the same bytes, wherever, by whomever and in whatever language it is run; and results say enough to be run again. Usage: test_repeat.py PERCUSS"""
import filecmp
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from tested import PERCUSS, ROOT

CRANK = os.path.join(ROOT, "configs/slider_crank.yaml")
ROTOR = os.path.join(ROOT, "configs/rotor_in_safety_bearing.yaml")
STEPPED = os.path.join(ROOT, "configs/stepped_bar.yaml")
BAR = os.path.join(ROOT, "configs/elastic_bar.yaml")
TIMES = {"started", "ended", "pid", "host", "setup_seconds", "loop_seconds", "writing_seconds", "seconds_per_step"}


def percuss(*words, env=None, **options):
    return subprocess.run([PERCUSS, *words], capture_output=True, text=True, timeout=200, env={**os.environ, **(env or {})}, **options)


def without(tree, names):
    return {key: without(value, names) if isinstance(value, dict) else value for key, value in tree.items() if key not in names}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="percuss_test_")
        self.first = os.path.join(self.folder, "first")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_well(self, *words, **options):
        done = percuss("run", "--quiet", *words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def manifest(self, directory):
        with open(os.path.join(directory, "run.json")) as file:
            return json.load(file)

    def assert_same(self, one, other, but=()):
        """Every file byte for byte; run.json without times and without the keys `but`; status.json and the checkpoint have computing times."""
        files = {os.path.relpath(os.path.join(folder, name), one) for folder, _, names in os.walk(one) for name in names}
        self.assertEqual(files, {os.path.relpath(os.path.join(folder, name), other) for folder, _, names in os.walk(other) for name in names})
        self.assertGreater(len(files), 5)
        for name in sorted(name for name in files - {"run.json", "status.json"} if not name.startswith("checkpoint/")):
            self.assertTrue(filecmp.cmp(os.path.join(one, name), os.path.join(other, name), shallow=False), name)
        self.assertEqual(without(self.manifest(one), TIMES | set(but)), without(self.manifest(other), TIMES | set(but)))


class SameBytes(Case):
    """Twice the same command, and nothing around it matters."""

    def locale(self):
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(self.folder, "de_DE.UTF-8")], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, "localedef needs Debian's package locales: " + made.stderr)
        env = {"LOCPATH": self.folder, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        self.assertEqual(subprocess.run(["printf", "%.1f", "0,5"], capture_output=True, text=True, env={**os.environ, **env}).stdout, "0,5", "no decimal comma")
        return env

    def check(self, config, *words):
        other = os.path.join(self.folder, "other")
        work = os.path.join(self.folder, "work")
        os.mkdir(work)
        with open(os.path.join(work, ".petscrc"), "w") as file:
            file.write("-ksp_type cg\n-ksp_rtol 0.5\n-pc_type none\n")
        home = {**self.locale(), "HOME": work, "TZ": "Asia/Kathmandu", "PETSC_OPTIONS": "-ksp_type cg -ksp_rtol 0.5 -pc_type none",
                "PETSC_OPTIONS_YAML": "ksp_type: cg", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "COLUMNS": "20"}
        self.run_well(config, "--out", self.first, *words)
        done = self.run_well(config, "--out", other, *words, cwd=work, env=home, umask=0o077)
        self.assert_same(self.first, other)
        self.assertIn("PETSC_OPTIONS_YAML='ksp_type: cg' in the environment is not used; options of PETSc go after '--'", done.stderr)
        self.assertEqual(os.stat(os.path.join(other, "history.csv")).st_mode & 0o077, 0)

    def test_bar_that_petsc_steps(self):
        self.check(BAR, "--set", "time.end=540 us", "--set", "free_dynamics=petsc")

    def test_bar_that_petsc_solves(self):
        self.check(BAR, "--set", "time.end=540 us", "--set", "scheme={type: moreau_jean, step: 1 us}", "--set", "free_dynamics=petsc")

    def test_mechanism(self):
        self.check(CRANK, "--set", "time.end=50 ms")

    def test_rotor(self):
        self.check(ROTOR, "--set", "time.end=10 ms")

    def test_modes(self):
        self.check(os.path.join(ROOT, "configs/elastic_bar_modal.yaml"))

    def test_the_options_would_have_mattered(self):
        """So that the tests above can fail: the same options after -- do change these results."""
        self.run_well(BAR, "--out", self.first, "--set", "time.end=540 us", "--set", "free_dynamics=petsc")
        other = os.path.join(self.folder, "other")
        self.run_well(BAR, "--out", other, "--set", "time.end=540 us", "--set", "free_dynamics=petsc", "--", "-ksp_type", "cg", "-ksp_rtol", "0.5", "-pc_type", "none")
        self.assertFalse(filecmp.cmp(os.path.join(self.first, "history.csv"), os.path.join(other, "history.csv"), shallow=False))


class Again(Case):
    """Results are run again: by their directory, run.json or config.yaml."""

    OTHERWISE = ("config", "warnings")

    def test_directory_and_its_files(self):
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=20 ms", "--set", "bodies.crank.contact.restitution=0.3")
        for number, (words, options) in enumerate((((self.first,), {}), ((self.first + "/",), {}), ((os.path.join(self.first, "run.json"),), {}),
                                                   ((os.path.join(self.first, "config.yaml"),), {}), ((".",), {"cwd": self.first}),
                                                   (("config.yaml",), {"cwd": self.first})), 2):
            done = self.run_well(*words, **options)
            self.assertEqual(done.stderr, "")
            self.assert_same(self.first, self.first + "_%d" % number, self.OTHERWISE)
        other = os.path.join(self.folder, "elsewhere")
        self.run_well(self.first, "--out", other)
        self.assert_same(self.first, other, self.OTHERWISE)
        self.run_well(other, "--overwrite")  # in its own place
        self.assert_same(self.first, other, self.OTHERWISE)
        self.run_well(other + "/run.json", "--overwrite", "--out", self.first + "_2")
        self.assert_same(other, self.first + "_2", self.OTHERWISE)
        self.assertEqual(percuss("check", self.first).returncode, 0)

    def test_paths_that_are_relative(self):
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=2 ms")
        for number, (word, below) in enumerate((("run.json", ""), ("..", "frames"), ("./run.json", ""), ("../config.yaml", "frames")), 2):
            self.run_well(word, cwd=os.path.join(self.first, below))
            self.assert_same(self.first, self.first + "_%d" % number, self.OTHERWISE)
        done = percuss("modes", os.path.join(ROOT, "configs/rotor_friswell.yaml"), "--count", "2", "--out", "here", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = percuss("modes", "here", "--count", "2", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out/rotor_friswell_modes/run.json")))

    def test_names_that_end_alike(self):
        """my_config.yaml and my_run.json are no files of results, wherever they lie."""
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=2 ms")
        shutil.copy(os.path.join(self.first, "config.yaml"), os.path.join(self.first, "my_config.yaml"))
        self.run_well("first/my_config.yaml", cwd=self.folder)
        self.assertEqual(self.manifest(os.path.join(self.folder, "out/my_config"))["name"], "my_config")
        shutil.copy(os.path.join(self.first, "run.json"), os.path.join(self.first, "my_run.json"))
        done = percuss("run", "first/my_run.json", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("my_run.json", done.stderr)
        self.assertFalse(os.path.exists(self.first + "_2"))

    def test_force_is_that_of_the_run(self):
        """What was not forced is not forced when it is repeated with a step that is too large."""
        self.run_well(BAR, "--out", self.first, "--set", "time.end=2 us")
        done = percuss("run", self.first, "--set", "scheme.step=20 us")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is above the critical time step", done.stderr)

    def test_a_directory_in_the_config(self):
        config = os.path.join(self.folder, "ball.yaml")
        with open(os.path.join(ROOT, "configs/bouncing_ball.yaml")) as source, open(config, "w") as file:
            file.write(source.read() + "  directory: here\n")
        self.run_well(config, cwd=self.folder)
        self.run_well("here", cwd=self.folder)
        self.assert_same(os.path.join(self.folder, "here"), os.path.join(self.folder, "here_2"), self.OTHERWISE)

    def test_options_of_petsc_and_force(self):
        words = ("--set", "time.end=540 us", "--set", "free_dynamics=petsc")
        self.run_well(BAR, "--out", self.first, *words, "--", "-ksp_type", "cg", "-pc_type", "none", "-ksp_rtol", "1e-3")
        self.assertEqual(self.manifest(self.first)["command"], {"force": False, "petsc_options": ["-ksp_type", "cg", "-pc_type", "none", "-ksp_rtol", "1e-3"]})
        for command in ("run", "check", "modes"):  # options can load a library: results of others are not trusted
            refused = percuss(command, self.first)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("name PETSc options: -ksp_type cg -pc_type none -ksp_rtol 1e-3", refused.stderr)
            self.assertIn("add --trust", refused.stderr)
        self.run_well(self.first, "--trust")
        self.assert_same(self.first, self.first + "_2", self.OTHERWISE)
        self.run_well(self.first, "--", "-ksp_type", "cg", "-pc_type", "none", "-ksp_rtol", "1e-1")  # others in their place
        self.assertEqual(self.manifest(self.first + "_3")["command"]["petsc_options"][-1], "1e-1")
        self.assertFalse(filecmp.cmp(os.path.join(self.first, "history.csv"), os.path.join(self.first + "_3", "history.csv"), shallow=False))
        forced = os.path.join(self.folder, "forced")
        done = percuss("run", BAR, "--out", forced, "--quiet", "--force", "--set", "scheme.step=2 us", "--set", "time.end=20 us")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_well(forced)
        self.assert_same(forced, forced + "_2", self.OTHERWISE)

    def test_a_variation(self):
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=20 ms")
        self.run_well(self.first, "--set", "scheme.step=50 us")
        self.assertEqual(self.manifest(self.first + "_2")["step"], 5e-5)
        self.assertEqual(self.manifest(self.first + "_2")["name"], "slider_crank")

    def test_results_of_a_run_that_failed(self):
        done = percuss("run", BAR, "--out", self.first, "--quiet", "--force", "--set", "scheme.step=4 us", "--set", "time.end=4 ms")
        self.assertEqual(done.returncode, 1)
        again = percuss("run", self.first, "--quiet")
        self.assertEqual((again.returncode, again.stderr.splitlines()[-1]), (1, done.stderr.splitlines()[-1]))
        self.assert_same(self.first, self.first + "_2", self.OTHERWISE)

    def test_a_config_that_changed(self):
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=2 ms")
        with open(os.path.join(self.first, "config.yaml"), "a") as file:
            file.write("# mine\n")
        for path in (self.first, os.path.join(self.first, "run.json")):
            done = percuss("run", path)
            self.assertEqual(done.returncode, 2)
            self.assertIn("config.yaml has changed since these results were made", done.stderr)
            self.assertIn("to run the changed config: percuss run %s/config.yaml" % self.first, done.stderr)
            self.assertFalse(os.path.exists(self.first + "_2"))
        done = self.run_well(os.path.join(self.first, "config.yaml"))
        self.assertIn("warning: %s/config.yaml has changed" % self.first, done.stderr)
        self.assertIn("will differ from those in", done.stderr)
        os.remove(os.path.join(self.first, "config.yaml"))
        done = percuss("run", self.first, "--trust")
        self.assertEqual(done.returncode, 2)
        self.assertIn("config.yaml is missing", done.stderr)

    def check_input(self, path, change):
        """A mesh or plugin that is not what it was."""
        change(path)
        done = percuss("run", self.first, "--trust")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: %s has changed since these results were made" % path, done.stderr)
        done = self.run_well(os.path.join(self.first, "config.yaml"), "--trust")
        self.assertIn("warning: %s has changed since these results were made" % path, done.stderr)
        os.remove(path)
        done = percuss("run", self.first, "--trust")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: %s: No such file or directory; it existed when these results were made" % path, done.stderr)

    def test_a_mesh_that_changed(self):
        for folder in ("configs", "meshes"):
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(self.folder, folder))
        self.run_well("configs/stepped_bar.yaml", "--out", "first", "--set", "time.end=10 us", cwd=self.folder)
        mesh = self.manifest(self.first)["inputs"][0]["path"]
        self.assertTrue(os.path.isabs(mesh), mesh)
        self.run_well(self.first)  # from another directory
        self.assert_same(self.first, self.first + "_2", self.OTHERWISE)

        with open(os.path.join(self.first, "config.yaml"), "a") as file:
            file.write("# mine\n")
        self.assertIn("to run the changed config: percuss run", percuss("run", self.first).stderr)  # the mesh is the same
        with open(os.path.join(self.first, "config.yaml")) as file:
            text = file.read()
        with open(os.path.join(self.first, "config.yaml"), "w") as file:
            file.write(text.replace("# mine\n", ""))

        def move_a_node(path):
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text + "\n")
        self.check_input(mesh, move_a_node)

    def test_a_plugin_that_changed(self):
        plugin = os.path.join(self.folder, "belt_block.so")
        shutil.copy(os.path.join(os.path.dirname(PERCUSS), "plugin", "belt_block.so"), plugin)
        with open(os.path.join(ROOT, "configs/plugin/belt_block.yaml")) as file:
            text = file.read()
        library = [line.split("library:")[1].split(",")[0].strip(" }\n") for line in text.splitlines() if "library:" in line and not line.startswith("#")][0]
        config = os.path.join(self.folder, "belt.yaml")
        with open(config, "w") as file:
            file.write(text.replace(library, plugin))
        self.run_well(config, "--out", self.first, "--set", "time.end=10 ms")
        refused = percuss("check", self.first)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn(f"name a plugin: {os.path.realpath(plugin)}", refused.stderr)
        self.run_well(self.first, "--trust")
        self.assert_same(self.first, self.first + "_2", self.OTHERWISE)

        study = os.path.join(self.folder, "study.yaml")  # of a config that belongs to results
        with open(study, "w") as file:
            file.write(f"config: {self.first}/config.yaml\nvary: {{scheme.step: [1 ms, 2 ms]}}\nrecord: {{t: {{summary: time}}}}\n")
        refused = percuss("study", study, "--out", os.path.join(self.folder, "many"))
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("name a plugin", refused.stderr)
        done = percuss("study", study, "--out", os.path.join(self.folder, "many"), "--trust", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

        def append(path):
            with open(path, "ab") as file:
                file.write(b"\0")
        self.check_input(os.path.realpath(plugin), append)

    def test_hidden_plugins(self):
        """A library whose code would run as soon as it is loaded, wherever a config can name it: results do not load it, nor does a run that starts from them."""
        code, library, ran = (os.path.join(self.folder, name) for name in ("code.c", "code.so", "ran"))
        with open(code, "w") as file:
            file.write(f'#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen("{ran}", "w")); }}\n')
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, code], check=True)
        rest = "scheme: {type: half_explicit, step: 1 ms}\ntime: {end: 5 ms}\n"
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=2 ms")
        config, part = os.path.join(self.first, "config.yaml"), os.path.join(self.first, "part.yaml")
        other = os.path.join(self.folder, "other.yaml")
        with open(other, "w") as file:
            file.write(f"bodies: {{ball: {{type: bouncing_ball}}}}\nstart: {{from: {self.first}}}\n" + rest)
        with open(part, "w") as file:
            file.write(f"bodies: {{ball: {{type: plugin, library: {library}}}}}\n")
        for text, word in (("include: part.yaml\n", "include files: part.yaml"),
                           (f"bodies: {{ball: {{<<: {{type: plugin, library: {library}}}}}}}\n", "name a plugin"),
                           (f"copies: {{a: {{row: 2, bodies: {{ball_$i: {{type: plugin, library: {library}}}}}}}}}\n", "name a plugin"), (f"bodies: {{ball: {{type: plugin, library: {library}}}}}\n", "name a plugin")):
            with open(config, "w") as file:
                file.write(text + rest)
            with open(config, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            manifest = self.manifest(self.first)
            manifest["config"]["as_run_sha256"] = digest
            with open(os.path.join(self.first, "run.json"), "w") as file:
                json.dump(manifest, file)
            for words in (("check", self.first), ("run", config), ("modes", self.first), ("static", self.first)):
                done = percuss(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), text)
                self.assertIn(word, done.stderr)
            self.assertIn("uses a plugin that this config does not load", percuss("check", other).stderr)
            self.assertFalse(os.path.exists(ran), text)
        self.assertEqual(percuss("check", config, "--trust").returncode, 2)  # it is no mechanism,
        self.assertTrue(os.path.exists(ran))  # which is seen after it has run

    def test_names_that_lead_elsewhere(self):
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=2 ms")
        manifest = self.manifest(self.first)
        for name in ("../../escape", "..", ".hidden", "", "a b", "a\x1b[31m"):
            manifest["name"] = name
            with open(os.path.join(self.first, "run.json"), "w") as file:
                json.dump(manifest, file)
            for command in ("run", "check", "compare"):
                done = percuss(command, *[self.first] * (2 if command == "compare" else 1))
                self.assertEqual((done.returncode, done.stdout), (2, ""), name)
                self.assertIn("cannot name files", done.stderr)
                self.assertNotIn("\x1b", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["first"])

    def test_no_escape_sequences(self):
        """Titles and names of others reach the terminal without what would drive it."""
        config, study = os.path.join(self.folder, "ball.yaml"), os.path.join(self.folder, "study.yaml")
        with open(os.path.join(ROOT, "configs/bouncing_ball.yaml")) as source, open(config, "w") as file:
            file.write(re.sub("^title:.*", "", source.read(), flags=re.MULTILINE) + '\ntitle: "\\e[31mred\\e]0;x\\a \\u009b31m \\u202eevil"\n')
        with open(study, "w") as file:
            file.write('title: "\\e[2J"\nconfig: ball.yaml\nset: {time.end: 10 ms, output: {frames: {every: 0}}}\ncases: {"a\\e[31m": {scheme.step: 1 ms}, b: {scheme.step: 2 ms}}\n'
                       'record: {t: {summary: time}}\n')
        self.run_well(config, "--out", self.first, "--set", "time.end=10 ms", "--report")
        for words in (("check", config), ("run", self.first), ("compare", self.first, self.first), ("study", study, "--out", os.path.join(self.folder, "many"))):
            done = percuss(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            for text in ("\x1b", "\x07", "\x9b", "\u202e"):
                self.assertNotIn(text, done.stdout + done.stderr)

    def test_a_large_config(self):
        """What is read can be written and read again, however large: written, a config grows."""
        config = os.path.join(self.folder, "large.yaml")
        with open(os.path.join(ROOT, "configs/bouncing_ball.yaml")) as source, open(config, "w") as file:
            file.write(source.read() + "# " + 900000 * "x" + "\n")
        rotor = os.path.join(self.folder, "rotor.yaml")
        with open(os.path.join(ROOT, "configs/rotor_in_two_bearings.yaml")) as source, open(rotor, "w") as file:
            points = ",".join(f"[{i}.00000000000001 s,{i % 7}.0000000000 rpm]" for i in range(24000))
            file.write(re.sub(r"spin: \{table: .*\]\}", "spin: {table: [" + points + "]}", source.read(), count=1))
        self.assertGreater(os.path.getsize(rotor), 850000)
        for path in (config, rotor):
            shutil.rmtree(self.first, ignore_errors=True)
            done = percuss("run", path, "--out", self.first, "--quiet", "--wall-limit", "1 ms", "--set", "time.end=10 ms", "--set", "output={frames: {every: 0}}")
            self.assertIn(done.returncode, (0, 3), done.stderr[:1000])
            self.run_well(path, "--out", self.first, "--resume", "--set", "time.end=10 ms", "--set", "output={frames: {every: 0}}")
            shutil.rmtree(self.first + "_2", ignore_errors=True)
            self.run_well(self.first)
            self.assert_same(self.first, self.first + "_2", self.OTHERWISE)
        self.assertGreater(os.path.getsize(os.path.join(self.first, "config.yaml")), 1 << 20)

    def test_another_program_or_machine(self):
        self.run_well(CRANK, "--out", self.first, "--set", "time.end=2 ms")
        path = os.path.join(self.first, "run.json")
        manifest = self.manifest(self.first)
        self.assertIn("kernels", manifest["program"])
        manifest["program"].update(version="0.0.9", kernels="abacus")
        manifest["ranks"] = 3
        with open(path, "w") as file:
            json.dump(manifest, file)
        done = self.run_well(self.first)
        self.assertRegex(done.stderr, r"warning: the results in .* were produced in a different environment, so that the last digits may differ: program.version 0.0.9 \(here 0.1.0\), program.kernels abacus")
        self.assertRegex(done.stderr, "were produced on 3 processes, and this run uses 1: the last digits may differ")
        self.assert_same(self.first, self.first + "_2", self.OTHERWISE + ("program", "ranks"))

    def test_directories_without_a_run(self):
        os.mkdir(self.first)
        for text in ("{}", "{", "null", '{"name": "x"}', ""):
            with open(os.path.join(self.first, "run.json"), "w") as file:
                file.write(text)
            for path in (self.first, os.path.join(self.first, "run.json")):
                done = percuss("run", path)
                self.assertEqual(done.returncode, 2, text)
                self.assertRegex(done.stderr, r"run.json(: not written by percuss|:1:\d)", text)
        os.remove(os.path.join(self.first, "run.json"))
        self.assertIn("is a directory; a config is a file", percuss("run", self.first).stderr)
        config = os.path.join(self.first, "config.yaml")  # of somebody who calls his configs so
        shutil.copy(CRANK, config)
        out = os.path.join(self.folder, "out")
        self.run_well(config, "--out", out, "--set", "time.end=1 ms")
        self.assertEqual(self.manifest(out)["name"], "config")


if __name__ == "__main__":
    unittest.main()
