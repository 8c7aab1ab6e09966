#!/usr/bin/env python3
"""Counts calls, and calls from one room (folder of src) into another, in a step of configs/elastic_bar.yaml.

    crossings.py [BUILD]      BUILD: build/release without it

One step of free flight and one with the contact closed, inside NsSchemeStep: with valgrind (callgrind), by the addresses of the
ordinary program, so that calls the compiler has inlined are not counted. Each call counts once, when it is made, whichever way the
arrow points: calls down to a room that it uses, and calls back up through a table of operations (a pair's `gap` called by the model that
a contact asks for rates). Returns do not count, nor do functions of libraries. By hand; build the target bench_step first.
"""
import bisect
import collections
import os
import re
import subprocess
import sys
import tempfile

import rooms

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1", "HWLOC_COMPONENTS": "-gl"}
STEPS = (100, 200)  # figures are those of the steps between


def names_of_objects(build):
    """{name of the file without folder: [(source, names of functions in its object)]}"""
    found = collections.defaultdict(list)
    for source, paths in rooms.objects(build).items():
        for path in paths:
            text = subprocess.run(["nm", "--defined-only", path], stdout=subprocess.PIPE, check=True, text=True).stdout
            found[os.path.basename(source)].append((source, {line.split()[2] for line in text.splitlines() if line.split()[1] in "tT"}))
    return found


def functions(program, build):
    """(addresses, [(size, source, function)]) of the program, in order. Its table of symbols has the local ones of an object after the name of its file."""
    objects = names_of_objects(build)
    defined = {name: source for sources in objects.values() for source, names in sources for name in names if name.startswith("Ns")}
    text = subprocess.run(["readelf", "-sW", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    groups, current = [], None
    for line in text[text.index(".symtab"):].splitlines():
        words = line.split()
        if len(words) < 8 or words[3] not in ("FILE", "FUNC"):
            continue
        if words[3] == "FILE":
            current = (words[7], [])
            groups.append(current)
        elif words[6] != "UND":
            if words[4] == "LOCAL":
                current[1].append((int(words[1], 16), int(words[2]), words[7]))
            else:
                groups.append((None, [(int(words[1], 16), int(words[2]), words[7])]))
    table = []
    for file, symbols in groups:
        names = {name for _, _, name in symbols}
        fit = [source for source, known in objects.get(file, []) if names <= known]
        table += [(address, size, fit[0] if fit else defined.get(name), name) for address, size, name in symbols]
    table.sort(key=lambda row: row[0])
    return [row[0] for row in table], [row[1:] for row in table]


def calls(program, build, words):
    """Counter of (source and function that calls, source and function that is called)"""
    addresses, known = functions(program, build)
    with tempfile.TemporaryDirectory(prefix="percuss_") as folder:
        out = os.path.join(folder, "out")
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no", "--toggle-collect=NsSchemeStep",
                        "--callgrind-out-file=" + out, program] + words, env=dict(os.environ, **ENVIRONMENT), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(out, encoding="utf-8") as file:
            lines = file.read().splitlines()
    # addresses count from the beginning of each object, the program's from where it was loaded: any function with a unique name shows the offset
    place = {name: address for address, (_, source, name) in zip(addresses, known) if source and name.startswith("Ns")}
    base = next((int(line.split()[0], 16) - place[above[3:]]) & ~0xfff for above, line in zip(lines, lines[1:])
                if above.startswith("fn=") and above[3:] in place and line.startswith("0x"))
    found, count, target, own, called = collections.Counter(), 0, 0, "", ""

    def at(name, address):
        number = bisect.bisect_right(addresses, address - base) - 1
        if name != program or number < 0 or address - base - addresses[number] >= known[number][0]:
            return None  # of a library
        return known[number][1:] if known[number][1] else None

    for line in lines:
        words = line.split("=", 1)
        if words[0] == "ob":
            own = called = words[1]
        elif words[0] == "cob":
            called = words[1]
        elif words[0] == "calls":
            count, target = int(words[1].split()[0]), int(words[1].split()[1], 16)
        elif line.startswith("0x"):
            if count:
                pair = at(own, int(line.split()[0], 16)), at(called, target)
                if all(pair):
                    found[pair] += count
            count, called = 0, own
    return found


def a_step(program, build, what, sets):
    config = os.path.join(rooms.ROOT, "configs", "elastic_bar.yaml")
    short, long = (calls(program, build, [config, str(steps), "0"] + sets) for steps in STEPS)
    each = {pair: (count - short[pair]) / (STEPS[1] - STEPS[0]) for pair, count in long.items()}
    crossed = {pair: count for pair, count in each.items() if rooms.room_of(pair[0][0]) != rooms.room_of(pair[1][0]) and count > 0}
    print("%s: %.0f calls a step, %.0f of them from one room into another" % (what, sum(each.values()), sum(crossed.values())))
    for (caller, called), count in sorted(crossed.items(), key=lambda item: item[0]):
        print("    %5.2f  %s: %s -> %s: %s" % (count, rooms.room_of(caller[0]), caller[1], rooms.room_of(called[0]), called[1]))


def main(arguments):
    build = arguments[0] if arguments else os.path.join(rooms.ROOT, "build", "release")
    program = os.path.abspath(os.path.join(build, "tests", "bench_step"))
    if not os.path.exists(program):
        print("build it first: cmake --build %s --target bench_step" % build, file=sys.stderr)
        return 2
    a_step(program, build, "free flight", ["bodies.bar.initial.velocity=[0.1 m/s, 0, 0]"])
    a_step(program, build, "closed contact", ["bodies.bar.mesh.line.from=[0, 0, 0]", "bodies.bar.mesh.line.to=[1 m, 0, 0]"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
