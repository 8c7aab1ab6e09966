#!/usr/bin/env python3
"""Feeds percuss the wrong input of cases/ and compares what it reports, to the letter.

    run_errors.py [BINARY] [NAME]...          compare; BINARY, or the environment's PERCUSS
    run_errors.py --update [BINARY] [NAME]... write the expectations anew, in place; then read the diff
    run_errors.py -f [BINARY] [NAME]...       stop at the first that fails

cases/TOPIC.txt holds the cases of one topic. A case is a title line, the config, a separator line and the expectation: the
whole of stderr, then `exit: CODE`.

    ==== unit_case
    bodies:
      ball: {type: bouncing_ball, initial: {y: 1 M}}
    ...
    ---- percuss says
    unit_case.yaml:2:46: error: unknown unit 'M'; did you mean 'm'?
    ...
    exit: 2

To add a case, write its title and its config at the end of a topic, run `run_errors.py --update BINARY TOPIC/NAME`, and read
what has been added. Names are unique within a topic. A config that is no readable text (bytes that are not UTF-8, CR, no
newline at the end) is a file in raw/, named in the title: `==== latin1 < raw/latin1.yaml`. Text before the first title is a
comment. With NAME only the cases run whose TOPIC/NAME contains it.

percuss is started in a fresh folder that holds the config as NAME.yaml, the files of given/ (good.yaml, meshes) and
`percuss`, the source tree. The leading comment lines of a config may hold directives; in their values {case} is the config,
{tmp} a fresh empty folder elsewhere (shown as TMP in the expectation):

    # command: check {case} --set time.end=0     what to run; without it `check {case}`
    # before: run {case} --out {tmp}/a           run first and must succeed
    # file: {tmp}/notes                          made first, empty, with its folders; in turn with `before`
    # repeat: 50000 x y\n                        {tmp}/config.yaml: this config and then N times the text (\n, \t, \" as in JSON)
    # stdout: TEXT                               a line that begins with TEXT must be on stdout, whatever the exit code
    # kept: {tmp}/notes                          a file that must be there afterwards

In expectations TMP stands for that folder, and SCHEMES, BODIES, SURFACES, SECTIONS, OUTPUTS and COMMANDS for the names of all
of them, as messages list them (HELP: a line for each command): a new one changes no expectation.

Beyond the comparison no case may take 10 s, die of a signal, mention PETSC ERROR, write to stdout when it exits with 2 or
leave a file beside its config; --update does not accept such an answer. Only the Python standard library is used.
"""
import concurrent.futures
import difflib
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GIVEN = os.path.join(HERE, "given")
LIMIT = 10
DIRECTIVE = re.compile(rb"#\s*(command|before|file|repeat|stdout|kept):\s?(.*)")
TITLE = re.compile(rb"==== (\w+)(?: < (raw/\w+\.yaml))?\n")
SEPARATOR = b"---- percuss says\n"


class Case:
    def __init__(self, topic, name, raw):
        self.topic, self.name, self.raw = topic, name, raw
        self.config = b""
        self.expected = None

    def label(self):
        return self.topic + "/" + self.name

    def written(self):
        title = "==== " + self.name + (" < " + self.raw if self.raw else "") + "\n"
        config = b"" if self.raw else self.config
        answer = b"" if self.expected is None else SEPARATOR + self.expected.encode()
        return title.encode() + config + answer


def read_topic(topic):
    """(the comment before the first case, the cases)"""
    path = os.path.join(HERE, "cases", topic + ".txt")
    comment = b""
    cases = []
    target = "comment"
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        title = TITLE.fullmatch(line)
        if title:
            cases.append(Case(topic, title.group(1).decode(), (title.group(2) or b"").decode()))
            target = "config"
        elif line.startswith(b"===="):
            sys.exit("%s:%d: a title is `==== NAME` or `==== NAME < raw/FILE.yaml`" % (path, number))
        elif line == SEPARATOR and target == "config":
            cases[-1].expected = ""
            target = "expected"
        elif line.startswith(b"----"):
            sys.exit("%s:%d: one line `%s` separates config and expectation" % (path, number, SEPARATOR.decode().strip()))
        elif target == "comment":
            comment += line
        elif target == "config":
            cases[-1].config += line
        else:
            cases[-1].expected += line.decode()
    names = [case.name for case in cases]
    for case in cases:
        if names.count(case.name) > 1:
            sys.exit("%s: two cases are named '%s'" % (path, case.name))
        if case.raw:
            with open(os.path.join(HERE, case.raw), "rb") as file:
                case.config = file.read()
        if case.expected is None:
            case.config = case.config.rstrip(b"\n") + b"\n"
        else:
            case.expected = case.expected.rstrip("\n") + "\n"
    return comment, cases


def all_topics():
    """{topic: (the comment before the first case, the cases)}"""
    names = sorted(os.listdir(os.path.join(HERE, "cases")))
    return {name[:-4]: read_topic(name[:-4]) for name in names if name.endswith(".txt")}


def all_cases():
    return [case for _, cases in all_topics().values() for case in cases]


def environment():
    env = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "PETSC_OPTIONS"))}
    env.update(LANG="C", NO_COLOR="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    env.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    return env


def directives(text):
    """The directives of the leading comment lines: [(word, value), ...]."""
    found = []
    for line in text.split(b"\n"):
        if not line.startswith(b"#"):
            break
        match = DIRECTIVE.fullmatch(line.rstrip(b"\r"))
        if match:
            found.append((match.group(1).decode(), match.group(2).decode()))
    return found


def listing(top):
    return {os.path.relpath(os.path.join(folder, name), top) for folder, folders, files in os.walk(top) for name in folders + files}


def percuss(binary, arguments, folder):
    """(exit code or a word, stdout, stderr)"""
    try:
        done = subprocess.run([binary] + arguments, cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "none after %d s" % LIMIT, "", ""
    return done.returncode, done.stdout.decode("utf-8", "backslashreplace"), done.stderr.decode("utf-8", "backslashreplace")


@functools.lru_cache(maxsize=None)
def all_names(binary):
    """[(names as messages list them, what stands for them)], from the lists that the program prints: a new name changes no expectation."""
    def names(page, section):
        text = "\n" + percuss(binary, ["explain"] + page, ROOT)[1]
        return re.findall(r"^  (\w+) ", text.partition("\n" + section + "\n")[2].partition("\nkeys\n")[0], re.MULTILINE)

    commands = re.findall(r"^  percuss (\w+) .*\n", percuss(binary, ["--help"], ROOT)[1], re.MULTILINE)
    lines = re.search(r"(?:^  percuss \w+ .*\n)+", percuss(binary, ["--help"], ROOT)[1], re.MULTILINE)
    surfaces = [name for name in names(["contacts.between"], "keys") if name not in ("node", "surface", "radius", "offset", "material")]
    return [(", ".join(sorted(names(["scheme"], "types"))), "SCHEMES"),
            (", ".join(sorted(names(["bodies"], "types"))), "BODIES"),
            (", ".join(sorted(names(["output"], "keys"))), "OUTPUTS"),
            (", ".join(sorted(names([], "keys of a config"))), "SECTIONS"),
            (", ".join(surfaces), "SURFACES"),
            (" ".join(commands), "COMMANDS"),
            (lines[0], "HELP\n")]


def without_names(binary, text):
    for names, stands in all_names(binary):
        text = text.replace(names, stands)
    return text


def run(binary, case):
    """(what percuss says to the case, [complaints that no expectation excuses])"""
    with tempfile.TemporaryDirectory(prefix="percuss_") as top:
        folder = os.path.join(top, "case")
        tmp = os.path.join(top, "tmp")
        os.mkdir(tmp)
        shutil.copytree(GIVEN, folder, copy_function=os.symlink)
        os.symlink(ROOT, os.path.join(folder, "percuss"))
        with open(os.path.join(folder, case.name + ".yaml"), "wb") as file:
            file.write(case.config)
        before = listing(folder)
        said, complaints = answer(binary, case, folder, tmp)
        return said, complaints + ["left behind: %s" % path for path in sorted(listing(folder) - before)]


def answer(binary, case, folder, tmp):
    complaints = []
    config = case.name + ".yaml"
    words = directives(case.config)

    def filled(value):
        return value.replace("{case}", config).replace("{tmp}", tmp)

    def started(value):
        return percuss(binary, [filled(part) for part in shlex.split(value)], folder)

    command = "check {case}"
    for word, value in words:
        if word == "command":
            command = value
        elif word == "file":
            path = filled(value)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb"):
                pass
        elif word == "repeat":
            count, _, what = value.partition(" ")
            with open(os.path.join(tmp, "config.yaml"), "wb") as file:
                file.write(case.config + int(count) * json.loads('"' + what + '"').encode())
        elif word == "before":
            code, _, stderr = started(value)
            if code != 0:
                complaints.append("before: %s: exit %s: %s" % (value, code, stderr))
    code, stdout, stderr = started(command)
    stderr = without_names(binary, stderr.replace(tmp, "TMP"))
    complaints += ["gone: %s" % value for word, value in words if word == "kept" and not os.path.exists(filled(value))]
    if isinstance(code, str) or code < 0:
        complaints.append("exit: %s" % code)
    if "PETSC ERROR" in stderr or "Sanitizer" in stderr or "runtime error:" in stderr:
        complaints.append("a message of a library, not of percuss")
    if code == 2 and stdout and not any(word == "stdout" for word, _ in words):
        complaints.append("stdout is not empty: %r" % stdout[:200])
    for word, value in words:
        if word == "stdout" and not any(line.startswith(value) for line in stdout.splitlines()):
            complaints.append("no line of stdout begins with %r" % value)
    if stderr and not stderr.endswith("\n"):
        stderr += "\n(no newline at the end)\n"
    return stderr + "exit: %s\n" % code, complaints


def main(arguments):
    update, first = "--update" in arguments, "-f" in arguments
    arguments = [word for word in arguments if word not in ("--update", "-f")]
    binary = None
    if arguments and os.path.isfile(arguments[0]) and os.access(arguments[0], os.X_OK):
        binary = os.path.abspath(arguments.pop(0))
    elif "PERCUSS" in os.environ:
        binary = os.path.abspath(os.environ["PERCUSS"])
    if not binary or not os.access(binary, os.X_OK):
        print("which program? Such as: run_errors.py build/release/percuss", file=sys.stderr)
        return 2
    topics = all_topics()
    cases = [case for _, found in topics.values() for case in found]
    wanted = [case for case in cases if not arguments or any(word in case.label() for word in arguments)]
    if not wanted:
        print("no case of this name", file=sys.stderr)
        return 2
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        answers = []
        for case, answer in zip(wanted, pool.map(lambda case: run(binary, case), wanted)):
            answers.append(answer)
            if first and (answer[1] or answer[0] != without_names(binary, case.expected or "")):
                pool.shutdown(wait=False, cancel_futures=True)
                break
    failed = 0
    changed = set()
    for case, (said, complaints) in zip(wanted, answers):
        label = case.label()
        if case.expected is not None:
            case.expected = without_names(binary, case.expected)
        if update:
            if said != case.expected and not complaints:
                print("updated %s" % label)
                case.expected = said
                changed.add(case.topic)
        elif case.expected is None:
            complaints = complaints + ["no expectation yet: --update writes it"]
        elif said != case.expected:
            complaints = complaints + ["not what was expected"]
            sys.stdout.writelines(difflib.unified_diff(case.expected.splitlines(True), said.splitlines(True),
                                                       label + " expected", label + " now"))
        for complaint in complaints:
            print("%s: %s" % (label, complaint))
        failed += bool(complaints)
    for topic in changed:
        comment, found = topics[topic]
        with open(os.path.join(HERE, "cases", topic + ".txt"), "wb") as file:
            file.write(comment + b"\n".join(case.written() for case in found))
    used = {case.raw for case in cases}
    for path in sorted("raw/" + name for name in os.listdir(os.path.join(HERE, "raw"))):
        if path not in used:
            print("%s: no case uses it" % path)
            failed += 1
    print("%d passed, %d failed" % (len(wanted) - min(failed, len(wanted)), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
