#!/usr/bin/env python3
"""Feeds percuss the wrong input of cases/ and compares what it says, to the letter.

    run_errors.py [BINARY] [NAME]...        compare; BINARY, or the environment's PERCUSS
    run_errors.py --update [BINARY] [NAME]... write the expectations anew; then read the diff

A case is cases/NNN_name.yaml and cases/NNN_name.expected: the whole of stderr, then `exit: CODE`. With NAME only the cases
whose file name contains it are run. percuss is started in cases/, so that paths are short and the same everywhere. The
leading comment lines of a config may hold directives; in their values {case} is the config, {tmp} a fresh empty folder
(shown as TMP in the expectation):

    # command: check {case} --set time.end=0     what to run; without it `check {case}`
    # before: run {case} --out {tmp}/a           run first and must succeed
    # file: {tmp}/notes                          made first, empty, with its folders; in turn with `before`
    # repeat: 50000 x y\n                        {tmp}/config.yaml: this config and then N times the text (\n, \t, \" as in JSON)
    # stdout: TEXT                               a line that begins with TEXT must be on stdout, whatever the exit code
    # kept: {tmp}/notes                          a file that must be there afterwards

Beyond the comparison no case may take 10 s, die of a signal, mention PETSC ERROR, write to stdout when it exits with 2 or
leave a file in cases/; --update does not accept such an answer. Only the Python standard library is used.
"""
import concurrent.futures
import difflib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases")
LIMIT = 10
DIRECTIVE = re.compile(rb"#\s*(command|before|file|repeat|stdout|kept):\s?(.*)")


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


def listing():
    return {os.path.join(folder, name) for folder, folders, files in os.walk(CASES) for name in folders + files}


def percuss(binary, arguments):
    """(exit code or a word, stdout, stderr)"""
    try:
        done = subprocess.run([binary] + arguments, cwd=CASES, env=environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "none after %d s" % LIMIT, "", ""
    return done.returncode, done.stdout.decode("utf-8", "backslashreplace"), done.stderr.decode("utf-8", "backslashreplace")


def run(binary, name):
    """(what the case says, [complaints that no expectation excuses])"""
    complaints = []
    config = name + ".yaml"
    with open(os.path.join(CASES, config), "rb") as file:
        text = file.read()
    words = directives(text)
    with tempfile.TemporaryDirectory(prefix="percuss_") as tmp:
        def filled(value):
            return value.replace("{case}", config).replace("{tmp}", tmp)

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
                    file.write(text + int(count) * json.loads('"' + what + '"').encode())
            elif word == "before":
                code, _, stderr = percuss(binary, [filled(part) for part in shlex.split(value)])
                if code != 0:
                    complaints.append("before: %s: exit %s: %s" % (value, code, stderr))
        code, stdout, stderr = percuss(binary, [filled(part) for part in shlex.split(command)])
        stderr = stderr.replace(tmp, "TMP")
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
    update = "--update" in arguments
    arguments = [word for word in arguments if word != "--update"]
    binary = None
    if arguments and os.sep in arguments[0]:
        binary = os.path.abspath(arguments.pop(0))
    elif "PERCUSS" in os.environ:
        binary = os.path.abspath(os.environ["PERCUSS"])
    if not binary or not os.access(binary, os.X_OK):
        print("which program? Such as: run_errors.py build/release/percuss", file=sys.stderr)
        return 2
    names = sorted(name[:-5] for name in os.listdir(CASES) if re.fullmatch(r"\d+_\w+\.yaml", name))
    wanted = [name for name in names if not arguments or any(word in name for word in arguments)]
    if not wanted:
        print("no case of this name", file=sys.stderr)
        return 2
    before = listing()
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        answers = list(pool.map(lambda name: run(binary, name), wanted))
    left = listing() - before
    failed = 0
    for name, (said, complaints) in zip(wanted, answers):
        path = os.path.join(CASES, name + ".expected")
        expected = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                expected = file.read()
        if update:
            if said != expected and not complaints:
                print("updated %s" % name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(said)
        elif said != expected:
            complaints = complaints + ["not what was expected"]
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), said.splitlines(True),
                                                       name + ".expected", name + " now"))
        for complaint in complaints:
            print("%s: %s" % (name, complaint))
        failed += bool(complaints)
    stale = [] if arguments else [name for name in sorted(os.listdir(CASES))
                                  if name.endswith(".expected") and name[:-9] not in names]
    for name in stale:
        print("%s: no config of this name" % name)
    for path in sorted(left):
        print("left behind: cases/%s" % os.path.relpath(path, CASES))
    failed += len(stale) + len(left)
    print("%d passed, %d failed" % (len(wanted) - min(failed, len(wanted)), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
