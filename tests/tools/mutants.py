#!/usr/bin/python3
"""Deliberate errors, one at a time, in a scratch copy of the source: do the tests detect them? Run by hand, because it takes hours.

    tests/tools/mutants.py SCRATCH [--count 150] [--seed 1] [--room ROOM ...] [--minutes M] [--stages N] [--retry]
    tests/tools/mutants.py SCRATCH --report [--table FILE]

makes SCRATCH (a copy of the tracked files, built once, with a shared library: a mutant costs one compilation and one link), draws `count` mutants over all rooms, each room by its share of
lines of code, and runs tests for each until one fails: first, for all mutants, those of the room (TESTS) that take less than SHORT seconds; then, for those that are left, the longer
ones of the room; then the programs of other rooms. Tests that fail without a mutant are left out, and named. What was found is appended to SCRATCH/mutants.jsonl; the same command again goes on from there.
--retry copies the tests as they are now, not the source, and tries the survivors again. The end is a table: killed, survived, equivalent (the same machine code), and how many did not compile.
tests/tools/mutants.txt lists the survivors that were looked at, and why no test can find them.

A mutant is an operator, a sign, a constant, a comparison or a truth value in a line of a function; comments, texts, tables, headers, error checks and reports of PETSc are left alone.
"""
import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt")
BUILD = "build/mutants"
LIBRARY = "libpercuss_mutant.so"
OPTIONS = ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"]
SHORT = 1.5  # s of the processor
# A program in C is a process alone, as `percuss` sets itself up: otherwise each starts a daemon first. Scripts start mpiexec, too.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_create_session_dirs": "0", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self"}

# The tests that know a room best: programs of the build, or scripts, which get the program.
ERRORS, RESULTS, COMMANDS = "tests/errors/run_errors.py", "tests/results/test_results.py", "tests/results/test_commands.py"
ASSUMPTIONS, LIMITS, RESTART = "tests/results/test_assumptions.py", "tests/results/test_limits.py", "tests/restart/test_restart.py"
MODES, ROTOR, COMPARE, STUDY = "tests/results/test_modes.py", "tests/results/test_rotor.py", "tests/results/test_compare.py", "tests/results/test_study.py"
MULTIBODY, FAULTS, REPEAT, ORBIT, SECTIONS = "tests/multibody/test_multibody.py", "tests/faults/test_surroundings.py", "tests/results/test_repeat.py", "tests/results/test_orbit.py", "tests/results/test_sections.py"
REDUCED, STATIC, CIRCULAR = "tests/results/test_reduced.py", "tests/results/test_static.py", "tests/results/test_orbit_circular.py"
BODIES, REACTIONS, HISTORY, VIEW = "tests/results/test_bodies.py", "tests/results/test_reactions.py", "tests/results/test_history.py", "tests/results/test_view.py"
PUBLISHED = ["published_elastic_bar", "published_bouncing_ball", "published_slider_crank", "published_oscillator", "published_two_bars", "published_theta_scheme"]
EVENTS = ["published_event_driven", "published_event_driven_time", "published_event_driven_friction", "robustness_event_driven", "published_adaptive_steps"]
TESTS = {
    "core": ["unit_keys", "unit_tree", "unit_units", "unit_diag", "unit_exact_sum", "unit_layout", "unit_pool", "unit_explain", "conformance_loads", "conformance_serialization", ERRORS, COMMANDS],
    "model": ["unit_contact", "unit_fe", "conformance_contact_laws", "conformance_serialization", "conformance_schemes", ASSUMPTIONS],
    "mesh": ["unit_mesh", "unit_lattice", "unit_partition", ERRORS],
    "fe": ["unit_fe", "unit_beam_matrices", "unit_beam", "unit_section", "unit_rotor", "unit_lumped", "unit_lanes", "unit_back_ends", "unit_redistribution", "unit_modes", "unit_variational",
           "conformance_elements", "conformance_forces", "published_rotor", "published_massless_contact", "published_modal", ASSUMPTIONS, ERRORS, MODES, ROTOR, RESULTS],
    "mechanism": ["unit_mechanism", *PUBLISHED, "published_ball_in_box", "published_rocking_block", "published_pendulum_in_ring", "published_edge", ERRORS],
    "multibody": ["unit_manifold", "unit_touches", "unit_pairs", "conformance_pairs", MULTIBODY, "conformance_schemes", ERRORS, RESULTS],
    "contact": ["unit_contact", "unit_pairs", "unit_local", "conformance_pairs", "conformance_contact_laws", "robustness_local_random", "robustness_many_contacts", "conformance_schemes",
                "published_modal", "published_ball_chain", "published_bouncing_ball", ASSUMPTIONS, ERRORS, RESULTS],
    "dae": ["unit_dae", "published_dae_mechanisms", *EVENTS, "conformance_schemes", ERRORS],
    "scheme": ["conformance_loads", "conformance_contact_laws", "conformance_serialization", "unit_variational", *PUBLISHED, "published_held_positions", "published_massless_contact",
               "published_modal", "published_projection", "published_spring_pendulum", *EVENTS, "conformance_schemes", ASSUMPTIONS, ERRORS, RESULTS],
    "orbit": ["conformance_law_kinds", CIRCULAR, ORBIT, ERRORS],
    "analysis": ["unit_modes", "published_rotor_modes", "published_rotor_verification", MODES, ROTOR],
    "output": ["unit_output", "unit_vtk", "conformance_writers", "conformance_serialization", HISTORY, BODIES, RESULTS, ERRORS, RESTART, FAULTS],
    "run": ["unit_advice", "conformance_rollback", ASSUMPTIONS, ERRORS, LIMITS, RESTART, RESULTS, COMMANDS, REPEAT],
    "results": ["unit_compare", "unit_result_table", COMPARE, RESULTS],
    "study": ["unit_study", STUDY, ERRORS],
    "cli": ["unit_explain", COMMANDS, MODES, COMPARE, ERRORS, REPEAT, STUDY, RESULTS],
}
# Parts of rooms, for --room, with fewer tests than the room has.
PARTS = {
    "contact/elimination": ["unit_local", MULTIBODY],
    "contact/lasting": ["published_held_positions", MULTIBODY],
    "contact/planes": ["conformance_writers", VIEW],
    "multibody/manifold": ["unit_manifold", "unit_touches", MULTIBODY],
    "multibody/shapes": ["unit_manifold", "unit_touches", "unit_convex", VIEW, MULTIBODY],
    "fe/forces": ["unit_laws", "conformance_forces", "unit_rotor", "unit_bearings", BODIES, MODES],
    "orbit/circular": [CIRCULAR],
    "fe/model": ["unit_fe", "unit_step_bounds", "unit_modes", "unit_balls", "unit_redistribution", "unit_beam", "unit_rotor", "conformance_motion", "conformance_loads", "conformance_links",
                 REACTIONS, SECTIONS, BODIES, STATIC, ASSUMPTIONS],
    "output/body_energies": [BODIES], "output/resultants": [BODIES, HISTORY],
    "contact/laws": ["conformance_law_kinds", "conformance_contact_laws", MULTIBODY],
    "fe/elements": ["unit_solid", "unit_shapes", "unit_beam_matrices", "unit_beam", "unit_section", "conformance_elements", "published_solid_impact", ASSUMPTIONS],
    "fe/model/moving": ["conformance_motion", "unit_fe", "conformance_loads", SECTIONS],
    "fe/attach/links": ["conformance_links", ERRORS],
    "fe/model/static_contact": [STATIC, ERRORS],
    "fe/model/static_results": [STATIC, SECTIONS],
    "fe/reduce": [REDUCED, ERRORS],
    "fe/surface/faces": ["unit_sliding", "unit_surfaces", "published_finite_sliding", "published_surfaces"],
    "fe/surface/sliding": ["unit_sliding", "unit_surfaces", "published_finite_sliding", "published_surfaces"],
    "multibody/candidates": ["unit_passage", "unit_touches", "conformance_pairs", MULTIBODY],
    "multibody/clearance": [MULTIBODY, ERRORS],
    "multibody/joints": [MULTIBODY, ERRORS],
    "run/switch": ["conformance_switches", ERRORS],
    "contact/passage": ["unit_passage"],
    "fe/model/solids": ["unit_solid", "unit_solid_mesh", "conformance_elements", "published_solid_impact", ASSUMPTIONS, COMMANDS],
    "fe/bodies/solid": ["unit_solid", "unit_solid_mesh", "conformance_elements", "published_solid_impact", ASSUMPTIONS],
}
ALL = {**TESTS, **PARTS}
SWAPS = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r" -= ", " += "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
         (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r"PetscMax\(", "PetscMin("), (r"PetscMin\(", "PetscMax("), (r"\bPETSC_TRUE\b", "PETSC_FALSE"),
         (r"\bPETSC_FALSE\b", "PETSC_TRUE"), (r"(?<=[ (])-(?=[a-zA-Z(])", ""), (r"\b0\.5\b", "0.25"), (r"(?<!\[)\b2\b(?!\])", "3"), (r"(?<!\[)\b1\b(?!\])", "2"), (r"= 0;", "= 1;")]
LEFT_ALONE = re.compile(r'"|^#|PetscCheck|PetscFunction|PetscMalloc|PetscCalloc|PetscFree|NsArena|snprintf|^static const|^const|^extern|^  \.|^  \{|\bfor \(|PetscBLASIntCast|typedef|^enum')


def sites(scratch, room):
    """(file, line, column, old, new) of all mutants of a room."""
    found, lines = [], 0
    for folder, _, files in sorted(os.walk(os.path.join(scratch, "src"))):
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), scratch)
            if not name.endswith(".c") or not (path == f"src/{room}.c" or path.startswith(f"src/{room}/")):
                continue
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
    """Seconds of the processor that it took; None if it did not end well, or not in time. What it started ends with it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(words, cwd=folder, env=dict(os.environ, **({} if words[0] == sys.executable else ALONE)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        well = process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        well = False
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if well else None


def ninja(scratch, *targets):
    return run(["ninja", "-C", BUILD, "-j1", *targets], scratch, 3600) is not None


def copy_tree(scratch, *folders):
    """Only what has changed is written: ninja goes by times."""
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files", *folders], capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, tracked):
        source, copy = os.path.join(ROOT, name), os.path.join(scratch, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(source, "rb") as file:
            text = file.read()
        if not os.path.exists(copy) or open(copy, "rb").read() != text:
            shutil.copy(source, copy)


def share_library(scratch):
    """In the copy, the library that all programs are linked with is a shared one; what is installed of it does not matter."""
    changes = {"CMakeLists.txt": (("add_library(percuss_lib STATIC", "add_library(percuss_lib SHARED"),
                                  ("set_target_properties(percuss_lib PROPERTIES OUTPUT_NAME percuss ", "set_target_properties(percuss_lib PROPERTIES OUTPUT_NAME percuss_mutant ")),
               "cmake/package.cmake": (("install(EXPORT percuss", "# install(EXPORT percuss"),)}
    for name, pairs in changes.items():
        path = os.path.join(scratch, name)
        with open(path) as file:
            text = file.read()
        for old, new in pairs:
            if new in text:
                continue
            if old not in text:
                sys.exit(f"{name} has changed: '{old}' is not in it")
            text = text.replace(old, new)
        if text != open(path).read():
            with open(path, "w") as file:
                file.write(text)


def make_scratch(scratch, anew):
    if anew or not os.path.exists(os.path.join(scratch, "src")):
        copy_tree(scratch, *(["tests"] if anew else []))
    share_library(scratch)
    if not os.path.exists(os.path.join(scratch, BUILD)):
        linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld", "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") else []
        cache = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        subprocess.run(["cmake", "-G", "Ninja", "-B", BUILD, *OPTIONS, *linker, *cache], cwd=scratch, stdout=subprocess.DEVNULL, check=True)
    if not ninja(scratch):
        sys.exit(f"ninja -C {scratch}/{BUILD} fails")


def find_sound(scratch, stage, anew, rooms):
    """{test: seconds} of those of the rooms (in the first stage, programs; in the third, programs of all) that pass as the source stands: what fails anyway would find every mutant."""
    state, sound = os.path.join(scratch, "sound.json"), {}
    if os.path.exists(state):
        with open(state) as file:
            sound = json.load(file)
    programs = [name for name in os.listdir(os.path.join(scratch, BUILD, "tests")) if re.match(r"(unit|conformance|robustness|published)_\w+$", name)]
    mine = {test for room in rooms for test in ALL[room]}
    for name in sorted(programs) if stage == 3 else sorted(test for test in mine if test.endswith(".py") == (stage == 2)):
        if name not in sound or (anew and sound[name] is None):
            sound[name] = run(words_of(name), scratch, 1200)
            with open(state, "w") as file:
                json.dump(sound, file)
        if sound[name] is None:
            print(f"{name} fails without a mutant: left out", flush=True)
    return {name: seconds for name, seconds in sound.items() if seconds is not None}


def words_of(name):
    if not name.endswith(".py"):
        return [BUILD + "/tests/" + name]
    return [sys.executable, name, *([] if name == ROTOR else [BUILD + "/percuss"]), "-f"]  # that one goes by PERCUSS


def tests_of(room, sound):
    """(the short ones of the room; the longer ones of the room; programs of other rooms)"""
    mine = [name for name in ALL[room] if name in sound]
    others = [name for name in sound if name not in ALL[room] and not name.endswith(".py")]
    return [name for name in mine if sound[name] < SHORT], sorted((name for name in mine if sound[name] >= SHORT), key=sound.get), sorted(others, key=sound.get)


def digest(scratch):
    with open(os.path.join(scratch, BUILD, LIBRARY), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def test(scratch, tests, sound, plain):
    """(verdict, the first test that fails)"""
    if not ninja(scratch, LIBRARY):
        return "did not compile", ""
    if digest(scratch) == plain:
        return "equivalent", ""
    for name in tests:
        if run(words_of(name), scratch, 60 + 20 * sound[name]) is None:
            return "killed", name
    return "survived", ""


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


def report(done, table):
    counts = {verdict: sum(entry["verdict"] == verdict for entry in done) for verdict in ("killed", "survived", "equivalent", "did not compile")}
    print(f"{len(done)} mutants: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    for room in ALL:
        mine = [entry for entry in done if entry["mutant"][0] == room and entry["verdict"] in ("killed", "survived")]
        if mine:
            print(f"  {room:10s} killed {sum(entry['verdict'] == 'killed' for entry in mine):3d} of {len(mine)}")
    known = excused()
    left = [entry["what"] for entry in done if entry["verdict"] == "survived"]
    for what in left:
        print(("  cannot be found: " if what in known else "  SURVIVED: ") + what)
    wrong = sum(what not in known for what in left)
    print(f"killed of those that are not equivalent: {counts['killed']} of {counts['killed'] + wrong}, {100 * counts['killed'] / max(1, counts['killed'] + wrong):.1f} %")
    if table:
        with open(table, "w") as file:
            file.write("verdict,by,mutant\n")
            for entry in done:
                quoted = entry["what"].replace('"', '""')
                file.write(f'{entry["verdict"]},{entry["by"]},"{quoted}"\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scratch", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", choices=ALL)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no new mutant after so long")
    parser.add_argument("--stages", type=int, default=3, choices=(1, 2, 3), help="1: only the short tests of the room, 2: only those of the room")
    parser.add_argument("--retry", action="store_true", help="copy the tests anew, not the source, and try the survivors again")
    parser.add_argument("--report", action="store_true", help="only print what was found")
    parser.add_argument("--table", help="write a line for each mutant to this file (CSV)")
    words = parser.parse_args()
    scratch, start, done = words.scratch, time.time(), {}
    state = os.path.join(scratch, "mutants.jsonl")
    if os.path.exists(state):
        with open(state) as file:
            done = {json.dumps(entry["mutant"]): entry for entry in map(json.loads, file)}
    if not words.report:
        os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg",
                          PERCUSS=os.path.join(scratch, BUILD, "percuss"))
        os.makedirs(scratch, exist_ok=True)
        make_scratch(scratch, words.retry)
        plain = digest(scratch)
        if LIBRARY not in subprocess.run(["ldd", os.path.join(scratch, BUILD, "percuss")], capture_output=True, text=True, check=True).stdout:
            sys.exit(f"the programs are not linked with {LIBRARY}: no test would find a mutant")
        drawn = [list(mutant) for mutant in draw(scratch, words.count, words.seed, words.room or list(TESTS))]
        for stage in range(1, words.stages + 1):
            ninja(scratch, LIBRARY)  # without the last mutant
            sound = find_sound(scratch, stage, words.retry, sorted({mutant[0] for mutant in drawn}))
            for mutant in drawn:
                entry = done.get(json.dumps(mutant), {"verdict": "", "stage": 0})
                again = entry["verdict"] == "survived" and (entry["stage"] < stage or (words.retry and entry.get("start", 0) < start))
                if (entry["verdict"] and not again) or time.time() - start > 60 * words.minutes:
                    continue
                what, original = describe(scratch, mutant), mutate(scratch, mutant)
                try:
                    verdict, killer = test(scratch, tests_of(mutant[0], sound)[stage - 1], sound, plain)
                finally:
                    with open(os.path.join(scratch, mutant[1]), "w") as file:
                        file.write(original)
                entry = {"mutant": mutant, "verdict": verdict, "by": killer, "stage": stage, "start": time.time(), "what": what}
                done[json.dumps(mutant)] = entry
                with open(state, "a") as file:
                    file.write(json.dumps(entry) + "\n")
                print(f"{verdict:16s}{killer:34s}{what}", flush=True)
        ninja(scratch, LIBRARY)
    report(list(done.values()), words.table)


if __name__ == "__main__":
    main()
