#!/usr/bin/python3
"""Tests of the Markdown files of this repository: links, commands, configs, names of files and programs. Usage: test_docs.py PERCUSS

Blocks marked `sh` and `console` are run in order, in a scratch copy of the files that a reader has; so are indented blocks whose first word is a command.
README.md and the user guide share one copy, in reading order; every other file has its own. In `console` blocks, commands follow `$ `, and their output is
compared with the lines below them: ` ... ` within a line matches any text, as a line of its own any number of lines; numbers may differ by one in the last
digit, or by 1e-6. Commands that build, install or need a screen are not run, nor those below `<!-- by hand: reason -->`; both are counted.

Blocks marked `python` are run, too. Blocks marked `yaml` must pass `percuss check` if they are complete configs; for parts of a config, the keys are checked. Inline code: `percuss explain X` must
run; other commands, files and test programs must exist. The theory guide must have a heading for every scheme, body and pair, and the orders and levels of
the schemes that the program prints.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import markdown

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERCUSS = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else os.path.join(ROOT, "build/release/percuss")
GUIDE = "docs/theory"

LANGUAGES = {"", "sh", "console", "yaml", "math", "c", "python", "json", "text"}  # a block with a misspelt language would not be run
RUN = {"percuss", "mpiexec", "python3", "cc"}  # base names; also all programs in build/release/tests
NEVER = {"quickstart", "cmake", "ctest", "pvpython", "perf", "sudo", "apt"}  # build, install, or need programs that are not installed
READERS = ("configs", "include", "meshes", "postprocess", "python")  # folders that commands may read
PATIENCE = 120  # s
PATH = re.compile(r"^(src|tests|configs|postprocess|python|include|meshes|docs)/[\w./-]+$")
PROGRAM = re.compile(r"^(?:build/release/tests/)?(unit|published|conformance|robustness|bench)_(\w+)$")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")

counts = {}


def count(what, more=1):
    counts[what] = counts.get(what, 0) + more


def documents():
    """{path: document} of all Markdown files outside of build folders."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in ("build", "out") and not f.startswith("."))
        for name in sorted(f for f in files if f.endswith(".md")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                try:
                    found[os.path.relpath(path, ROOT)] = markdown.parse(file.read())
                except ValueError as error:
                    raise ValueError(f"{path}: {error}") from None
    return found


def percuss(*words, cwd=ROOT):
    return subprocess.run([PERCUSS, *words], capture_output=True, text=True, cwd=cwd, env=environment(), timeout=PATIENCE)


def environment(scratch=None):
    added = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "MPLBACKEND": "Agg", "COLUMNS": "100"}
    if scratch:
        added["PYTHONPATH"] = os.path.join(scratch, "python")
        added["PATH"] = os.path.join(scratch, "build/release") + os.pathsep + os.environ["PATH"]
    return {**os.environ, **added, "PERCUSS": PERCUSS}


def make_scratch(folder):
    """The files that a reader has after the build, and example files that texts name."""
    for name in READERS:
        shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
    release, built = os.path.join(folder, "build/release"), os.path.dirname(PERCUSS)
    os.makedirs(release)
    os.symlink(PERCUSS, os.path.join(release, "percuss"))
    for name in ("tests", "plugin", "libpercuss.so", "libpercuss.so.0"):
        if os.path.exists(os.path.join(built, name)):
            os.symlink(os.path.join(built, name), os.path.join(release, name))
    with open(os.path.join(folder, "my_frame.yaml"), "w", encoding="utf-8") as file:
        file.write(percuss("init", "truss").stdout)
    shutil.copy(os.path.join(ROOT, "configs/plugin/belt_block.c"), os.path.join(folder, "my_mechanism.c"))


def first_word(command):
    words = [w for w in command.split() if "=" not in w.split("/")[0]]  # VARIABLE=value in front
    return os.path.basename(words[0]) if words else ""


def commands_of(block):
    """[(command, expected lines or None)] of a block; None if it has no commands."""
    lines = [line.rstrip() for line in block.lines]
    if block.language == "console":
        found = []
        for line in lines:
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
        return [(command, expected or None) for command, expected in found]
    if block.language == "sh" or (block.language is None and is_command(lines[0])):
        return [(line, None) for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    return None


def is_command(line):
    word = first_word(line)
    return word in RUN | NEVER or bool(PROGRAM.match(word))


def matches(expected, said):
    """Whether the output matches the expected lines."""
    pattern, numbers = "", []
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
            continue
        for part in re.split(r"(\.\.\.)", line):
            if part == "...":
                pattern += r".*?"
                continue
            at = 0
            for number in NUMBER.finditer(part):
                pattern += plain(part[at : number.start()]) + f"({NUMBER.pattern})"
                numbers.append(number.group())
                at = number.end()
            pattern += plain(part[at:])
        pattern += r"[ \t]*\n"
    found = re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in said.splitlines()))
    return bool(found) and all(is_near(a, b) for a, b in zip(numbers, found.groups(), strict=True))


def plain(text):
    return re.sub(r"(?:\\ )+", " +", re.escape(text))


def is_near(a, b):
    digits, _, exponent = a.lower().partition("e")
    last = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    exact = "." not in digits and not exponent
    return a == b if exact else abs(float(a) - float(b)) <= max(1.001 * last, 1e-6 * abs(float(b)))


class Docs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.documents = documents()

    def setUp(self):
        self.wrong = []  # all errors of a test, reported together

    def tearDown(self):
        if self.wrong:
            self.fail("\n" + "\n".join(self.wrong))

    def expect(self, holds, where, what):
        if not holds:
            self.wrong.append(f"{where}: {what}")

    def test_links_lead_somewhere(self):
        for path, document in self.documents.items():
            for line, target in document.links():
                if re.match(r"[a-z]+:", target):
                    continue
                count("links")
                name, _, anchor = target.partition("#")
                there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
                where = f"{path}:{line}"
                self.expect(os.path.exists(os.path.join(ROOT, there)), where, f"no file {there}")
                if anchor:
                    self.expect(there in self.documents and anchor in self.documents[there].anchors, where, f"no heading {target}")

    def test_formulas_and_tables_hold_together(self):
        for path, document in self.documents.items():
            for line, formula, whole in document.formulas():
                count("formulas")
                error = markdown.formula_error(formula, whole)
                self.expect(not error, f"{path}:{line}", f"{error} in {formula}")
            for line, paragraph in document.paragraphs():
                self.expect(markdown.SPAN.sub("", paragraph).count("$") % 2 == 0, f"{path}:{line}", "unpaired $")
            for line, rows in document.tables():
                count("tables")
                for row in rows:
                    self.expect(len(row) == len(rows[0]), f"{path}:{line}", f"{len(row)} cells in the row of {row[0].strip()}, {len(rows[0])} in the first")

    def test_languages(self):
        for path, document in self.documents.items():
            for block in document.blocks:
                where = f"{path}:{block.line}"
                self.expect((block.language or "") in LANGUAGES, where, f"unknown language '{block.language}'; known: {', '.join(sorted(LANGUAGES - {''}))}")
                self.expect(block.by_hand is None or block.by_hand, where, "by hand without a reason")
                self.expect(block.by_hand is None or commands_of(block) is not None, where, "by hand, but without commands")

    def test_blocks(self):
        """Commands and configs, in the order of the text. README.md and the guide share a scratch copy: a reader follows them page by page."""
        guide = self.reading_order()
        for paths in [guide, *([path] for path in self.documents if path not in guide)]:
            if not any(block.language == "yaml" or commands_of(block) is not None for path in paths for block in self.documents[path].blocks):
                continue
            with tempfile.TemporaryDirectory() as scratch:
                make_scratch(scratch)
                for path in paths:
                    self.check_blocks(path, scratch)

    def reading_order(self):
        """README.md, then the pages of the user guide in the order of its index."""
        index = "docs/guide/README.md"
        pages = list(dict.fromkeys(f"docs/guide/{target}" for _, target in self.documents[index].links() if "/" not in target and target.endswith(".md")))
        self.assertEqual(set(pages), {path for path in self.documents if path.startswith("docs/guide/") and path != index}, "index of the user guide")
        return ["README.md", index, *pages]

    def check_blocks(self, path, scratch):
        for number, block in enumerate(self.documents[path].blocks):
            where = f"{path}:{block.line}"
            if block.file or block.append:
                with open(os.path.join(scratch, block.file or block.append), "w" if block.file else "a", encoding="utf-8") as file:
                    file.write("\n".join(block.lines) + "\n")
            if block.language == "yaml":
                self.check_yaml(where, "\n".join(block.lines) + "\n", scratch, number)
            if block.language == "python":
                with open(os.path.join(scratch, "block.py"), "w", encoding="utf-8") as file:
                    file.write("\n".join(block.lines) + "\n")
                self.run_command(where, block, f"{sys.executable} block.py", None, scratch)
            for command, expected in commands_of(block) or []:
                self.run_command(where, block, command, expected, scratch)

    def run_command(self, where, block, command, expected, scratch):
        if block.by_hand is not None or any(first_word(part) in NEVER for part in command.split("&&")):
            count("commands left to the reader")
            return
        if "ASAN_OPTIONS" in os.environ and re.search(r"Stepper|-lpercuss|\./step\b", "\n".join(block.lines)):
            count("commands that need a library without sanitizers")
            return
        count("commands run")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=scratch, env=environment(scratch),
                              timeout=PATIENCE)
        self.expect(done.returncode == 0, where, f"{command}\n{done.stdout}")
        if expected:
            count("outputs compared")
            self.expect(matches(expected, done.stdout), where, f"{command}\nsays\n{done.stdout}")

    def check_yaml(self, where, text, scratch, number):
        keys = re.findall(r"^([A-Za-z_]+):", text, re.MULTILINE)
        name = f"block_{number}.yaml"
        with open(os.path.join(scratch, name), "w", encoding="utf-8") as file:
            file.write(text)
        done = percuss("check", name, cwd=scratch)
        errors = [line for line in done.stderr.splitlines() if ": error: " in line]
        if {"bodies", "scheme", "time"} <= set(keys):
            count("configs checked")
            self.expect(done.returncode == 0, where, done.stderr)
        else:
            count("parts of configs read")
            part = bool(keys) and set(keys) <= self.top_keys()
            wrong = [e for e in errors if "not YAML" in e or (part and not re.search(r"missing key '(bodies|scheme|time)'", e))]
            self.expect(not wrong, where, "\n".join(wrong))

    @staticmethod
    @functools.cache
    def top_keys():
        return set(re.findall(r"^  (\w+)  ", percuss("explain").stdout, re.MULTILINE))

    def test_names_within_the_text(self):
        commands = set(re.findall(r"^  (?:percuss )?(\w+) ", percuss("--help").stdout, re.MULTILINE))
        self.assertIn("explain", commands)
        explained = {}
        for path, document in self.documents.items():
            for line, span in document.spans():
                words = span.split()
                where = f"{path}:{line}: {span}"
                if words[0] == "percuss" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
                    count("commands named")
                    self.expect(words[1] in commands, where, "no such command")
                    if words[1] == "explain" and len(words) == 3 and words[2] == words[2].lower():
                        explained[words[2]] = where
                if PATH.match(words[0]) and not re.search(r"NAME|[A-Z]{3}", words[0].replace("README", "").replace("CMakeLists", "")):
                    count("files named")
                    self.expect(os.path.exists(os.path.join(ROOT, words[0])), where, "no such file")
                program = PROGRAM.match(words[0])
                if program:
                    count("test programs named")
                    self.expect(os.path.exists(self.source(*program.groups())), where, "no such program")
            for line, paragraph in document.paragraphs():
                for kind, name, function in re.findall(r"`(unit|published|conformance|robustness)_(\w+)` \(`(\w+)`", paragraph):
                    with open(self.source(kind, name), encoding="utf-8") as file:
                        self.expect(f"cmocka_unit_test({function})" in file.read(), f"{path}:{line}", f"no test {function}")
        for key, where in explained.items():
            self.expect(percuss("explain", key).returncode == 0, where, "nothing is explained")

    @staticmethod
    def source(kind, name):
        return os.path.join(ROOT, "tests", kind, f"{name}.c" if kind == "bench" else f"test_{name}.c")


class Guide(unittest.TestCase):
    """The theory guide covers all registered schemes, bodies and pairs."""

    @classmethod
    def setUpClass(cls):
        cls.documents = {path: d for path, d in documents().items() if path.startswith(GUIDE)}
        cls.headings = [heading for document in cls.documents.values() for heading in document.headings]

    @staticmethod
    def schemes():
        """{name: {column: cell}} of the table that the program prints, with wrapped cells joined."""
        lines = percuss("explain", "schemes").stdout.split("\norder ")[0].splitlines()
        names = ["scheme", "order", "level", "flight", "energy"]
        starts = [lines[0].index(name) for name in names] + [lines[0].index("requires")]
        found, name = {}, None
        for line in lines[2:]:
            cells = [line[a:b].strip() for a, b in zip(starts, starts[1:])]
            name = cells[0] or name
            if not name or not line.strip():
                continue
            for column, cell in zip(names, cells):
                row = found.setdefault(name, {})
                row[column] = f"{row.get(column, '')} {cell}".strip()
        return found

    @staticmethod
    def keys(key, section):
        """Names in a section of an explain page."""
        return re.findall(r"^  (\w+)  ", percuss("explain", key).stdout.split(f"\n{section}\n")[1].split("\n\nkeys\n")[0], re.MULTILINE)

    def test_every_scheme_and_body_has_a_heading(self):
        schemes, bodies = list(self.schemes()), self.keys("bodies", "types")
        self.assertIn("half_explicit", schemes)
        self.assertIn("bar", bodies)
        for name in schemes + bodies:
            with self.subTest(name=name):
                count("headings of schemes and bodies")
                self.assertEqual(self.headings.count(f"`{name}`"), 1, f"docs/theory needs one section under the heading `{name}`")

    def test_every_pair_has_a_heading(self):
        partners = set(self.keys("contacts.between", "keys")) - {"radius", "offset", "material"}  # of a node
        self.assertIn("plane", partners)
        for name in partners:
            self.assertTrue(f"Node and {name}" in self.headings, f"docs/theory/contact.md has no section 'Node and {name}'")

    def test_table_of_schemes(self):
        page = self.documents[f"{GUIDE}/schemes.md"]
        _, rows = next(page.tables())
        told = {row[0].strip().strip("`"): (row[2].strip(), row[3].strip()) for row in rows[2:]}
        self.assertEqual(told, {name: (row["order"], row["level"]) for name, row in self.schemes().items()})


EXAMPLE = """# Two *words*, `code`

[there](a.md#b) ![picture](c.png) `[no](link)` and $x_1$, 5 $ of `$`

    percuss run a.yaml

1. an item

       goes on, and is no code

<!-- by hand: long -->
```sh
percuss run b.yaml
```

| a | b |
|---|---|
| `x\\|y` | 1 |
"""


class Reader(unittest.TestCase):
    """Tests of the Markdown parser: what it misses is not tested."""

    def test_what_is_found(self):
        document = markdown.parse(EXAMPLE)
        self.assertEqual(document.anchors, {"two-words-code"})
        self.assertEqual([target for _, target in document.links()], ["a.md#b", "c.png"])
        self.assertEqual([(b.line, b.language, b.lines, b.by_hand) for b in document.blocks],
                         [(5, None, ["percuss run a.yaml"], None), (12, "sh", ["percuss run b.yaml"], "long")])
        self.assertEqual([formula for _, formula, _ in document.formulas()], ["x_1"])
        self.assertEqual([len(row) for _, rows in document.tables() for row in rows], [2, 2, 2])
        self.assertEqual([span for _, span in document.spans()], ["code", "[no](link)", "$", "x\\|y"])

    def test_what_is_wrong(self):
        for text in ("```sh\nls\n", "<!-- by hand: long -->\nwords\n"):
            with self.assertRaises(ValueError):
                markdown.parse(text)
        for formula, whole in ((r"\frac{a}{b", True), (r"\left( x", True), (r"\begin{matrix} x", True), (r"a \, b", False)):
            self.assertIsNotNone(markdown.formula_error(formula, whole), formula)
        self.assertIsNone(markdown.formula_error(r"\left\{ a \, b \right\}", True))

    def test_what_is_a_command(self):
        for line, runs in (("percuss run x", True), ("A=1 build/release/percuss check x", True), ("build/release/tests/unit_keys", True), ("./quickstart test", True), ("out/my_bar/", False)):
            self.assertEqual(is_command(line), runs, line)
        block = markdown.Block(1, "console", ["$ percuss one", "said", "$ percuss two"])
        self.assertEqual(commands_of(block), [("percuss one", ["said"]), ("percuss two", None)])

    def test_what_matches(self):
        said = "first 1.2345 m\ntook 3.1 s\nlast   7\n"
        for expected, holds in ((["first 1.2345 m", "took ... s", "last 7"], True), (["first 1.2346 m", "...", "last   7"], True), (["first 1.2347 m", "..."], False),
                                (["...", "last   8"], False), (["first 1.2345 m"], False), (["...", "took ... m", "..."], False)):
            self.assertEqual(matches(expected, said), holds, expected)


def tearDownModule():
    print("; ".join(f"{number} {what}" for what, number in counts.items()))


if __name__ == "__main__":
    unittest.main(verbosity=1)
