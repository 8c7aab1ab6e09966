#!/usr/bin/env python3
"""Draws which room (folder of src) uses which, and fails on an arrow that does not point down.

    rooms.py BUILD            check the objects of BUILD and the #include lines; print the drawing
    rooms.py BUILD --update   write the drawing into CONTRIBUTING.md, between its markers

A room may use only the rooms below it in ORDER; rooms of one line do not use each other. An arrow is a symbol that an object
file of one room needs and an object file of another defines (nm), or an #include of a header of another room. A header of
include/percuss belongs to the room that defines the functions it declares; one that declares none is listed in TYPES. A header
declares functions of its own room only. main.c counts as the room cli. EXCEPTIONS are arrows that are still to be removed: one that does not occur any more fails,
too.
"""
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ORDER = [("api", "cli"), ("study",), ("results",), ("orbit",), ("run",), ("analysis",), ("output",), ("scheme",), ("dae",), ("fe", "mechanism", "multibody"),
         ("contact",), ("mesh",), ("model",), ("core",)]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
TYPES = {"include/percuss/mechanism.h": "mechanism", "include/percuss/settings.h": "model", "include/percuss/percuss.h": "api"}  # headers of types alone, or of names without Ns: room
EXCEPTIONS = []  # (file, symbol or #include)
BEGIN, END = "<!-- rooms: written by tests/tools/rooms.py --update -->\n", "<!-- rooms: end -->\n"


def room_of(path):
    """src/ROOM/... -> ROOM; files in src itself are the program, which is of cli"""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "cli"


def sources(*endings):
    found = []
    for top in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(endings)]
    return sorted(found)


def objects(build):
    """{source: [its object files]}: the kernels of chains are compiled several times; objects of files that are gone are not taken"""
    found = collections.defaultdict(list)
    for target in os.listdir(os.path.join(build, "CMakeFiles")):
        if re.fullmatch(r"percuss(_lib|_lanes_\w+)?\.dir", target):
            for folder, _, names in os.walk(os.path.join(build, "CMakeFiles", target)):
                for name in names:
                    path = os.path.join(folder, name)
                    source = path[path.index(".dir/") + 5:-2]
                    if name.endswith(".c.o") and os.path.exists(os.path.join(ROOT, source)):
                        found[source].append(path)
    return found


def symbols(build):
    """({symbol: file that defines it}, {file: {symbols it needs}})"""
    defined, needed = {}, collections.defaultdict(set)
    source_of = {path: source for source, paths in objects(build).items() for path in paths}
    text = subprocess.run(["nm", "-A", "-g"] + sorted(source_of), stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in text.splitlines():
        path, _, rest = line.rpartition(":")
        words = rest.split()
        if len(words) == 2 and words[0] in "Uwv":
            needed[source_of[path]].add(words[1])
        elif len(words) == 3:
            defined[words[2]] = source_of[path]
    return defined, needed


def declarations(defined):
    """{header: {symbol that it declares: room that defines it}}"""
    found = {}
    for header in sources(".h"):
        with open(os.path.join(ROOT, header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.S)
        names = re.findall(r"^(?!static|typedef|#)[A-Za-z_][\w \*]*?\b(Ns\w+)(?=\(|;|\[)", text, flags=re.M)
        found[header] = {name: room_of(defined[name]) for name in names if name in defined}
    return found


def header_rooms(declared):
    """{header: room}"""
    rooms = {header: room_of(header) for header in declared if header.startswith("src/")}
    for header, names in declared.items():
        if header not in rooms:
            rooms[header] = TYPES.get(header) or max(names.values(), key=list(names.values()).count, default="no room")
    return rooms


def arrows_of_symbols(defined, needed):
    """[(using file, defining file, its room, symbol)]"""
    return [(user, defined[name], room_of(defined[name]), name) for user, names in needed.items() for name in names if name in defined]


def arrows_of_includes(rooms):
    """[(including file, header, its room, the line)]"""
    found = []
    for path in sources(".c", ".h", ".inc"):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read(), flags=re.M)
        for name in names:
            for candidate in (os.path.normpath(os.path.join(os.path.dirname(path), name)), "src/" + name, "include/" + name):
                if os.path.exists(os.path.join(ROOT, candidate)):
                    found.append((path, candidate, rooms.get(candidate) or room_of(candidate), '#include "%s"' % name))
                    break
    return found


def drawing(used):
    """A line for each room: which rooms it uses."""
    lines = []
    for rooms in ORDER:
        for room in rooms:
            others = sorted((other for other in used[room]), key=lambda other: (LEVEL.get(other, 0), other))
            lines.append("    %-10s uses  %s\n" % (room, ", ".join(others) or "none"))
    return "".join(lines)


def main(arguments):
    if not arguments or not os.path.isdir(os.path.join(arguments[0], "CMakeFiles")):
        print("which build? Such as: rooms.py build/release", file=sys.stderr)
        return 2
    defined, needed = symbols(arguments[0])
    declared = declarations(defined)
    rooms = header_rooms(declared)
    missing = set(sources(".c")) - set(objects(arguments[0]))
    complaints = ["%s has no object file: build first" % path for path in sorted(missing)]
    complaints += ["%s declares nothing that a room defines: name its room in TYPES" % header for header in rooms if rooms[header] == "no room"]
    used = collections.defaultdict(lambda: collections.defaultdict(set))
    excused = set()

    def fault(path, name, text):
        if (path, name) in EXCEPTIONS:
            excused.add((path, name))
        else:
            complaints.append(text)

    for header, names in declared.items():
        for name, room in names.items():
            if room != rooms[header]:
                fault(header, name, "%s (%s) declares %s, which %s (%s) defines" % (header, rooms[header], name, defined[name], room))
    for path, other, room, name in sorted(arrows_of_symbols(defined, needed)) + sorted(arrows_of_includes(rooms)):
        own = rooms.get(path) or room_of(path)
        if own != room:
            used[own][room].add(name)
            if LEVEL.get(own, -1) >= LEVEL.get(room, -1):
                fault(path, name, "%s (%s) uses %s of %s (%s), which is not below it" % (path, own, name, other, room))
    complaints += ["exception %s: %s does not occur any more: delete it" % key for key in EXCEPTIONS if key not in excused]
    complaints += ["src/%s is no room of ORDER" % room for room in sorted(os.listdir(os.path.join(ROOT, "src")))
                   if room not in LEVEL and os.path.isdir(os.path.join(ROOT, "src", room))]
    now = drawing(used)
    print(now + "\nsymbols used of each:")
    for room in sorted(used, key=LEVEL.get):
        print("    %s: %s" % (room, ", ".join("%s %d" % (other, sum(not name.startswith("#") for name in names)) for other, names in used[room].items())))
    path = os.path.join(ROOT, "CONTRIBUTING.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if BEGIN not in text or END not in text:
        complaints.append("CONTRIBUTING.md has no lines %s and %s" % (BEGIN.strip(), END.strip()))
    else:
        head, rest = text.split(BEGIN)
        shown, tail = rest.split(END)
        if "--update" in arguments:
            with open(path, "w", encoding="utf-8") as file:
                file.write(head + BEGIN + now + END + tail)
        elif shown != now:
            complaints.append("CONTRIBUTING.md shows another drawing: rooms.py BUILD --update writes this one")
    for complaint in complaints:
        print(complaint)
    print("%d faults" % len(complaints) if complaints else "all arrows point down, but for %d exceptions" % len(EXCEPTIONS))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
