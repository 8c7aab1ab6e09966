#!/usr/bin/python3
"""Follows the hints: a wrong config, what percuss says, the config mended as the hint says, which must then pass `percuss check`.

    test_hints.py PERCUSS

A row of WARNINGS: the same, of what is not refused: the mended config has no warning. A row of ROWS: name, what is replaced in CONFIG by the mistake, a pattern in the message from which the mend is taken (group 1) or a word that must be there, and the mend ("\\1" stands for
group 1). Expectations of whole messages are in cases/; this table says that they help.
"""
import os
import re
import subprocess
import sys
import tempfile

CONFIG = """title: ball
bodies:
  b:
    type: bar
    mesh: {line: {from: [1 mm, 0, 0], to: [1.001 m, 0, 0], elements: 8}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 10 mm}}
  c:
    type: bar
    mesh: {line: {from: [-1 m, 0, 0], to: [-1 mm, 0, 0], elements: 8}}
    material: {density: 7800 kg/m^3, young: 210 GPa}
    section: {circle: {radius: 10 mm}}
contacts:
  wall: {between: [b.left, c.right]}
springs:
  s: {between: [b.right, ground], stiffness: 1 N/m}
loads:
  push: {at: b.right, force: [1 N, 0, 0]}
scheme: {type: half_explicit, step: 1 us}
time: {end: 10 us}
"""
TOP = CONFIG[:CONFIG.index("\n    section")]  # up to the first material
BY_NAME = re.sub(r"material: .*", "material: steel", TOP)
HARMONIC = "force: [1 N, 0, 0]}", "force: [1 N, 0, 0], time: {harmonic: {frequency: %s}}}"
ROWS = [
    ("a body where a node is wanted", "c.right", "c", r"such as [^=]*?(c\.right)", r"\1"),
    ("a set where a node is wanted", "c.right", "c.all", r"such as [^=]*?(c\.right)", r"\1"),
    ("ground in a contact", "c.right", "ground", r"(\{plane: \{point: \[.*?\], normal: \[.*?\]\}\})", r"\1"),
    ("a set in a spring", "between: [b.right, ground]", "between: [b.all, ground]", r"such as [^=]*?(b\.right)", r"between: [\1, ground]"),
    ("no dot in a load", "at: b.right", "at: bright", r"such as [^=]*?(b\.right)", r"at: \1"),
    ("a title with a colon", "title: ball", "title: ball: my first", "needs quotes", 'title: "ball: my first"'),
    ("time without its key", "time: {end: 10 us}", "time: 10 us", r"such as (time: \{.*?\})", r"\1"),
    ("a material by name", TOP, BY_NAME, r"(materials: \{.*\}), at the top", r"\1" + "\n" + BY_NAME),
    ("no blank before a unit", "step: 1 us", "step: 1us", "put a blank between number and unit", "step: 1 us"),
    ("a decimal comma", "step: 1 us", "step: 0,5 us", r"decimal point: ([\d.]+), not", r"step: \1 us"),
    ("an unknown key", "stiffness", "stifness", r"did you mean '(\w+)'", r"\1"),
    ("a point with two numbers", "c.right", "{plane: {point: [0, 0], normal: [1, 0, 0]}}", r"point: a point of the plane, for example (\[.*?\])", r"{plane: {point: \1, normal: [1, 0, 0]}}"),
    ("a plane without a point", "c.right", "{plane: {normal: [1, 0, 0]}}", r"point: a point of the plane, for example (\[.*?\])", r"{plane: {point: \1, normal: [1, 0, 0]}}"),
    ("a frequency without unit", HARMONIC[0], HARMONIC[1] % "2e4", r"or (2e4 rad/s)\n", HARMONIC[1] % r"\1"),
]
MESH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "unit", "meshes", "groups_22.msh")
OTHER = """bodies:
  b:
    type: {type}
    {mesh}
    material: {{density: 7800 kg/m^3, young: 210 GPa{poisson}}}
    {section}
supports: {{s: {{at: b.all}}}}
scheme: {{type: half_explicit, step: 0.1 us}}
time: {{end: 10 us}}
"""
LINES = OTHER.format(type="truss", mesh="mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 1}}", poisson="", section="section: {circle: {radius: 10 mm}}").replace("b.all", "b.left")
SOLID = OTHER.format(type="solid", mesh="mesh: {box: {from: [0, 0, 0], to: [300 mm, 20 mm, 20 mm], cells: [3, 2, 2]}}", poisson=", poisson: 0.3", section="").replace("b.all", "b.left")
GROUP = OTHER.format(type="bar", mesh="mesh: {file: %s, group: one}" % MESH, poisson="", section="section: {circle: {radius: 10 mm}}")
GROUP = GROUP[:GROUP.index("supports")] + GROUP[GROUP.index("scheme"):]
# config, right, mistake, pattern, mend, refused: as ROWS, of other configs
OTHERS = [
    ("a group that the mesh does not have", GROUP, "group: one", "group: wan", r"(?:did you mean '|valid groups: )(\w+)", r"group: \1", True),
    ("a truss whose bar is divided", LINES, "elements: 1", "elements: 4", r"in the direction \(0, 1, 0\).*bars of a truss are single elements", "elements: 1", False),
    ("a divided truss that should bend", LINES.replace("elements: 1", "elements: 4"), "type: truss", "type: truss", "of `type: (beam)`", r"type: \1", False),
    ("a solid of 300 m", SOLID, "to: [300 mm, 20 mm, 20 mm]", "to: [300, 20, 20]", "write (300 mm) for", r"to: [\1, 20 mm, 20 mm]", False),
]
WARNINGS = [
    ("300 for 300 mm", "to: [1.001 m, 0, 0]", "to: [300, 0, 0]", "write (300 mm) for", r"to: [\1, 0, 0]"),
    ("steel of 210 MPa", "young: 210 GPa", "young: 210 MPa", r"such as 7800 kg/m\^3 and (210 GPa)", r"young: \1"),
    ("petabytes of output", "time: {end: 10 us}", "time: {end: 1e6 s}\noutput: {frames: {every: 1}}", "raise `every` of the outputs",
     "time: {end: 1e6 s}\noutput: {frames: {every: 100000000}, history: {every: 100000000}, contacts: {every: 100000000}, energy: {every: 100000000}}"),
    ("revolutions without rpm", HARMONIC[0], HARMONIC[1] % "200000 1/min", r"else Hz or (rpm)", HARMONIC[1] % r"200000 \1"),
    ("a part of a load that nothing feels", "[1 N, 0, 0]", "[1 N, 0, 5 N]", r"the part \((0, 0), 5\)", r"[1 N, \1]"),
    ("a load across a bar", "[1 N, 0, 0]", "[0, 0, 5 N]", r"have no DOF in its direction", "[5 N, 0, 0]"),
]


def check(percuss, text):
    with tempfile.TemporaryDirectory(prefix="percuss_hints_") as folder:
        path = os.path.join(folder, "config.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([percuss, "check", path], capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, done.stderr


def follow(percuss, row, refused, config=CONFIG):
    """True if the hint is there, and followed leaves nothing to say."""
    name, right, mistake, hint, mend = row
    code, said = check(percuss, config.replace(right, mistake, 1))
    found = re.search(hint, said, re.DOTALL)
    if code != (2 if refused else 0) or not found:
        print(f"{name}: exit code {code}, and no hint {hint!r} in:\n{said}")
        return False
    code, said = check(percuss, config.replace(right, found.expand(mend), 1))
    if code or (said and not refused):
        print(f"{name}: the hint was followed, {found.expand(mend)!r}, and percuss says:\n{said}")
        return False
    return True


def commands(percuss):
    """Hints about the command line; the names of those that are of no help."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="percuss_hints_") as folder:
        with open(os.path.join(folder, "a.yaml"), "w", encoding="utf-8") as file:
            file.write(CONFIG)

        def call(*words):
            done = subprocess.run([percuss, *words], capture_output=True, text=True, timeout=100, check=False, cwd=folder)
            return done.returncode, done.stderr

        key = re.search(r"from 0: (\S+)", call("check", "a.yaml", "--set", "contacts.wall.between[1]=c.left")[1])
        if not key or call("check", "a.yaml", "--set", f"{key[1]}=c.left")[0]:
            wrong.append("an item of a list in brackets")
        if call("run", "a.yaml", "--overwrite", "--resume")[0] != 2 or "give one of them" not in call("run", "a.yaml", "--overwrite", "--resume")[1]:
            wrong.append("--overwrite with --resume")
        call("run", "a.yaml", "--quiet")
        code, said = call("run", "a.yaml", "--quiet")
        other = re.search(r"(--overwrite) replaces it, (--out \S+) keeps it", said)
        if code != 2 or not other or call("run", "a.yaml", "--quiet", *other[2].split())[0] or call("run", "a.yaml", "--quiet", other[1])[0]:
            wrong.append("results that exist")
    for name in wrong:
        print(f"{name}: no hint, or it does not help")
    return wrong


def main():
    percuss = os.path.abspath(sys.argv[1])
    wrong = [row[0] for rows, refused in ((ROWS, True), (WARNINGS, False)) for row in rows if not follow(percuss, row, refused)]
    wrong += [name for name, config, *row, refused in OTHERS if not follow(percuss, (name, *row), refused, config)]
    wrong += commands(percuss)
    code, said = check(percuss, "\0ELF" * 1000)
    if code != 2 or said.count("\n") > 2 or "not a text file" not in said:
        print(f"a binary file: exit code {code}, and:\n{said}")
        wrong.append("a binary file")
    print(f"{len(ROWS) + len(WARNINGS) + len(OTHERS) + 4} hints followed, {len(wrong)} of them of no help")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
