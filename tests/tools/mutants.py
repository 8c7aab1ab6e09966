#!/usr/bin/python3
"""Deliberate mistakes, one at a time, in a scratch copy of the source: do the tests find them? By hand, for it takes hours.

    tests/tools/mutants.py SCRATCH [--count 150] [--seed 1] [--room ROOM ...] [--minutes M]

makes SCRATCH (a copy of the tracked files, built once), draws `count` mutants over all rooms, each room by its share of lines of code, and for each builds what changed and runs the tests of
the room (TESTS, quick ones first) until one fails. Tests that fail without a mutant are left out, and named. What was found is appended to SCRATCH/mutants.jsonl; the same command again goes on from there. The end is a table: killed, survived, and how
many did not compile (these are left out). tests/tools/mutants.txt has survivors that were looked at, and why they cannot be found.

A mutant is an operator, a sign, a constant, a comparison or a truth value in a line of a function; comments, texts, tables, headers, error checks and reports of PETSc are left alone.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt")

# What runs for a room, in this order: programs of the build, or scripts, which get the program.
PUBLISHED = ["published_elastic_bar", "published_bouncing_ball", "published_slider_crank", "published_oscillator", "published_two_bars", "published_theta_scheme"]
TESTS = {
    "core": ["unit_keys", "unit_tree", "unit_units", "unit_diag", "unit_exact_sum", "unit_layout", "unit_pool", "unit_explain", "conformance_loads", "conformance_serialization",
             "tests/errors/run_errors.py"],
    "model": ["unit_contact", "unit_fe", "conformance_contact_laws", "conformance_serialization", "conformance_schemes"],
    "mesh": ["unit_mesh", "unit_lattice", "unit_partition", "tests/errors/run_errors.py"],
    "fe": ["unit_fe", "unit_beam_matrices", "unit_beam", "unit_section", "unit_rotor", "unit_lumped", "unit_lanes", "unit_back_ends", "unit_redistribution", "unit_modes", "unit_variational",
           "conformance_elements", "conformance_forces", "published_rotor_closed_forms", "published_rotor", "published_rotor_modes", "published_massless_contact", "published_modal",
           "tests/results/test_assumptions.py", "tests/errors/run_errors.py", "tests/results/test_modes.py", "tests/results/test_rotor.py"],
    "mechanism": ["unit_mechanism", *PUBLISHED, "published_ball_in_box", "published_rocking_block", "published_pendulum_in_ring", "published_edge", "tests/errors/run_errors.py"],
    "contact": ["unit_contact", "unit_pairs", "unit_local", "conformance_pairs", "conformance_contact_laws", "robustness_local_random", "conformance_schemes", "published_modal",
                "published_ball_chain", "tests/errors/run_errors.py"],
    "dae": ["unit_dae", "published_dae_mechanisms", "published_event_driven", "published_event_driven_time", "robustness_event_driven", "published_adaptive_steps"],
    "scheme": ["conformance_loads", "conformance_contact_laws", "conformance_serialization", "unit_variational", *PUBLISHED, "published_held_positions", "published_massless_contact",
               "published_modal", "published_projection", "published_spring_pendulum", "published_event_driven", "published_event_driven_friction", "published_event_driven_time",
               "conformance_schemes", "tests/results/test_assumptions.py", "tests/errors/run_errors.py"],
    "analysis": ["unit_modes", "published_rotor_modes", "published_rotor_verification", "tests/results/test_modes.py", "tests/results/test_rotor.py"],
    "output": ["unit_output", "unit_vtk", "conformance_writers", "conformance_serialization", "tests/results/test_results.py", "tests/errors/run_errors.py"],
    "run": ["unit_advice", "conformance_rollback", "tests/results/test_assumptions.py", "tests/errors/run_errors.py", "tests/results/test_limits.py", "tests/restart/test_restart.py",
            "tests/results/test_results.py", "tests/results/test_commands.py"],
    "results": ["unit_compare", "unit_result_table", "tests/results/test_compare.py"],
    "study": ["unit_study", "tests/results/test_study.py", "tests/errors/run_errors.py"],
    "cli": ["unit_explain", "tests/errors/run_errors.py", "tests/results/test_commands.py", "tests/results/test_modes.py", "tests/results/test_compare.py"],
}
SWAPS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r" -= ", " += "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
         (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r"PetscMax\(", "PetscMin("), (r"PetscMin\(", "PetscMax("), (r"\bPETSC_TRUE\b", "PETSC_FALSE"),
         (r"\bPETSC_FALSE\b", "PETSC_TRUE"), (r"(?<=[ (])-(?=[a-zA-Z(])", ""), (r"\b0\.5\b", "0.25"), (r"(?<!\[)\b2\b(?!\])", "3"), (r"(?<!\[)\b1\b(?!\])", "2"), (r"= 0;", "= 1;")]
LEFT_ALONE = re.compile(r'"|^#|PetscCheck|PetscFunction|PetscMalloc|PetscCalloc|PetscFree|NsArena|snprintf|^static const|^const|^extern|^  \.|^  \{|\bfor \(|PetscBLASIntCast|typedef|^enum')


def sites(scratch, room):
    """(file, line, column, old, new) of all mutants of a room."""
    found, lines = [], 0
    for folder, _, files in sorted(os.walk(os.path.join(scratch, "src", room))):
        for name in sorted(files):
            if not name.endswith(".c"):
                continue
            path = os.path.relpath(os.path.join(folder, name), scratch)
            inside = comment = False
            with open(os.path.join(scratch, path)) as file:
                for number, line in enumerate(file):
                    if line.startswith("{"):
                        inside = True
                    elif line.startswith("}"):
                        inside = False
                    if "/*" in line and "*/" not in line:
                        comment = True
                    code = re.sub(r"/\*.*?\*/", lambda match: " " * len(match.group()), line)
                    if inside and not comment and not LEFT_ALONE.search(code):
                        lines += 1
                        for pattern, new in SWAPS:
                            for match in re.finditer(pattern, code):
                                found.append((path, number, match.start(), match.group(), new))
                    if "*/" in line:
                        comment = False
    return found, lines


def draw(scratch, count, seed, rooms):
    """At least three of each room, else by lines; the same for the same seed and source."""
    chance, all_sites, size = random.Random(seed), {}, {}
    for room in rooms:
        all_sites[room], size[room] = sites(scratch, room)
    total, drawn = sum(size.values()), []
    for room in rooms:
        wanted = min(len(all_sites[room]), max(3, round(count * size[room] / total)))
        drawn += [(room, *site) for site in chance.sample(all_sites[room], wanted)]
    chance.shuffle(drawn)
    return drawn


def run(words, folder, seconds):
    """True: it ended well in time. What it started ends with it."""
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def make_scratch(scratch):
    if not os.path.exists(scratch):
        os.makedirs(scratch)
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
        for name in filter(None, tracked):
            os.makedirs(os.path.dirname(os.path.join(scratch, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(scratch, name))
        subprocess.run(["cmake", "--preset", "release"], cwd=scratch, stdout=subprocess.DEVNULL, check=True)
    programs = sorted({test for tests in TESTS.values() for test in tests if not test.endswith(".py")})
    subprocess.run(["ninja", "-C", "build/release", "-j1", "percuss", *programs], cwd=scratch, stdout=subprocess.DEVNULL, check=True)


def find_sound(scratch, seconds, rooms):
    """Tests that pass as the source stands: what fails anyway would find every mutant."""
    state = os.path.join(scratch, "sound.json")
    sound = {}
    if os.path.exists(state):
        with open(state) as file:
            sound = json.load(file)
    for name in sorted({test for room in rooms for test in TESTS[room]} - set(sound)):
        sound[name] = run(words_of(name), scratch, seconds)
        if not sound[name]:
            print(f"{name} fails without a mutant: left out", flush=True)
        with open(state, "w") as file:
            json.dump(sound, file)
    return {name for name, well in sound.items() if well}


def words_of(name):
    return [sys.executable, name, "build/release/percuss"] if name.endswith(".py") else ["build/release/tests/" + name]


def test(scratch, room, seconds, sound):
    """The first test that fails, "" if none does, None if the mutant does not compile."""
    if not run(["ninja", "-C", "build/release", "-j1", "libpercuss.a"], scratch, 600):
        return None
    for name in filter(sound.__contains__, TESTS[room]):
        if not run(["ninja", "-C", "build/release", "-j1", "percuss" if name.endswith(".py") else name], scratch, 600):
            return name + " (does not link)"
        if not run(words_of(name), scratch, seconds):
            return name
    return ""


def mutate(scratch, mutant):
    """The original text of the file."""
    _, path, number, column, old, new = mutant
    with open(os.path.join(scratch, path)) as file:
        text = file.read()
    lines = text.split("\n")
    assert lines[number][column:column + len(old)] == old, mutant
    lines[number] = lines[number][:column] + new + lines[number][column + len(old):]
    with open(os.path.join(scratch, path), "w") as file:
        file.write("\n".join(lines))
    return text


def excused():
    """"FILE: the line as it stands: old -> new" of survivors that mutants.txt has a reason for."""
    if not os.path.exists(REASONS):
        return set()
    with open(REASONS) as file:
        return {line.strip() for line in file if line.startswith("src/")}


def describe(scratch, mutant):
    _, path, number, _, old, new = mutant
    with open(os.path.join(scratch, path)) as file:
        return f"{path}: {file.read().split(chr(10))[number].strip()}: {old.strip() or old} -> {new.strip() or 'nothing'}"


def report(done):
    for verdict in ("killed", "survived", "did not compile"):
        print(f"{verdict}: {sum(entry['verdict'] == verdict for entry in done.values())}")
    for room in TESTS:
        mine = [entry for entry in done.values() if entry["mutant"][0] == room]
        if mine:
            print(f"  {room}: {sum(entry['verdict'] == 'killed' for entry in mine)} of {sum(entry['verdict'] != 'did not compile' for entry in mine)}")
    known = excused()
    for entry in done.values():
        if entry["verdict"] == "survived":
            print(("  excused: " if entry["what"] in known else "  SURVIVED: ") + entry["what"])
    counted = [entry for entry in done.values() if entry["verdict"] != "did not compile" and entry["what"] not in known]
    if counted:
        print(f"killed of those without an excuse: {100 * sum(entry['verdict'] == 'killed' for entry in counted) / len(counted):.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scratch")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", choices=TESTS)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no new mutant after so long")
    parser.add_argument("--seconds", type=float, default=600, help="a test that takes longer has found the mutant")
    parser.add_argument("--report", action="store_true", help="only print what was found")
    arguments = parser.parse_args()
    scratch, start, done = os.path.abspath(arguments.scratch), time.time(), {}
    state = os.path.join(scratch, "mutants.jsonl")
    if os.path.exists(state):
        with open(state) as file:
            done = {json.dumps(entry["mutant"]): entry for entry in map(json.loads, file)}
    if not arguments.report:
        rooms = arguments.room or list(TESTS)
        os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PYTHONDONTWRITEBYTECODE="1",
                          PERCUSS=os.path.join(scratch, "build/release/percuss"))
        make_scratch(scratch)
        sound = find_sound(scratch, arguments.seconds, rooms)
        for mutant in draw(scratch, arguments.count, arguments.seed, rooms):
            if json.dumps(list(mutant)) in done or time.time() - start > 60 * arguments.minutes:
                continue
            original = mutate(scratch, mutant)
            try:
                killer = test(scratch, mutant[0], arguments.seconds, sound)
            finally:
                with open(os.path.join(scratch, mutant[1]), "w") as file:
                    file.write(original)
            entry = {"mutant": list(mutant), "verdict": "did not compile" if killer is None else "killed" if killer else "survived", "by": killer, "what": describe(scratch, mutant)}
            done[json.dumps(list(mutant))] = entry
            with open(state, "a") as file:
                file.write(json.dumps(entry) + "\n")
            print(f"{entry['verdict']:16s}{killer or '':40s}{entry['what']}", flush=True)
    report(done)


if __name__ == "__main__":
    main()
