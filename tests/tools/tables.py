#!/usr/bin/env python3
"""Mistakes in tables and lists that the compiler cannot see, each with its place.

    tables.py [SOURCE]

- A key whose kind does not fit the C type of its field: NS_KEY_INTEGER over a double reads a number nobody has written.
- Settings that do not begin with `const NsNode *where`, and a table whose size is that of another struct than its keys fill.
- A column of a CSV table whose field is no PetscReal, or, of words (unit NULL), no const char *.
- A scheme, element, writer ... in a folder with a list.h, but without its line there: it would be compiled and never used.

Structs, keys, columns and lists are found by their text, as clang-format leaves it; a name that cannot be resolved is an error, too."""
import glob
import os
import re
import sys

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = {
    "NUMBER": r"double", "INTEGER": r"long", "BOOLEAN": r"bool", "STRING": r"const char \*", "CHOICE": r"int", "VECTOR": r"double\[3\]",
    "NUMBERS": r"NsNumbers", "STRINGS": r"NsStrings", "TABLE": r"const \w+ \*", "LIST": r"NsList", "NAMED": r"NsList",
    "NAMED_VARIANTS": r"NsList", "VARIANT": r"NsChosen", "NAMED_NUMBERS": r"NsNamedNumbers", "MAPPING": r"const NsNode \*",
}
KEY = re.compile(r'\{\s*"(\w+)",\s*NS_KEY_(\w+),\s*offsetof\((\w+), ([^)]+)\)')
COLUMN = re.compile(r'\{"([^"]+)",\s*("[^"]*"|NULL|NS_UNIT_UNKNOWN),\s*(?:"[^"]*"\s*)+,\s*offsetof\((\w+), ([^)]+)\)')
TABLE = re.compile(r'NsTable\)?\s*(\w*)[^;{]*\{\s*"(\w*)",\s*(?:"[^"]*"\s*)+,\s*(\w+),\s*sizeof\((\w+)\)')
STRUCT = re.compile(r"^(?:typedef )?struct\s*(\w*)\s*\{\n(.*?)^\}\s*(\w*);", re.MULTILINE | re.DOTALL)
mistakes = []
counted = {"keys": 0, "columns": 0, "tables": 0, "entries of lists": 0}


def read(path):
    """The text, with comments blanked and continued lines joined; lines keep their numbers."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment[0]), text, flags=re.DOTALL)
    return re.sub(r"\\\n", " \n", text)


def fields(body):
    """{name: C type} of the declarations of a struct."""
    found, last = {}, None
    while last != body:  # nested structs and unions are taken apart
        last = body
        body = re.sub(r"(?:struct|union)\s*\w*\s*\{([^{}]*)\}\s*(\w*)", lambda inner: inner[1] if not inner[2] else "nested " + inner[2], body)
    for declaration in re.sub(r"^\s*#.*$", "", body, flags=re.MULTILINE).split(";"):
        words = " ".join(declaration.split())
        match = re.match(r"((?:const |unsigned |struct |enum )*\w+) (.*)", words)
        if not match:
            continue
        for one in match[2].split(","):
            name = re.match(r"\s*(\*?)\s*(?:const )?(\w+)((?:\[\w*\])*)", one)
            if name:
                found[name[2]] = match[1] + (" *" if name[1] else "") + name[3]
    return found


class Sources:
    def __init__(self):
        paths = [path for pattern in ("src/**/*.[ch]", "include/percuss/*.h") for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)]
        self.text = {os.path.relpath(path, ROOT): read(os.path.relpath(path, ROOT)) for path in sorted(paths)}
        self.structs = {}  # {(path or None for headers, name): {field: type}}
        for path, text in self.text.items():
            for match in STRUCT.finditer(text):
                for name in {match[1], match[3]} - {""}:
                    self.structs[(None if path.endswith(".h") else path, name)] = fields(match[2])

    def fields(self, path, struct):
        return self.structs.get((path, struct)) or self.structs.get((None, struct))

    def beginnings(self, path, struct):
        """The struct itself, and those that it begins with."""
        found = {struct}
        while self.fields(path, struct):
            struct = next(iter(self.fields(path, struct).values()), None)
            found.add(struct)
        return found

    def type_of(self, path, struct, member):
        """The C type of a member such as ledger.now.kinetic or force[0]; None: it cannot be found."""
        kind = struct
        for part in member.split("."):
            name, index = re.match(r"(\w+)((?:\[[^\]]*\])*)$", part.strip()).groups()
            kind = (self.fields(path, kind) or {}).get(name)
            if kind is None:
                return None
            for _ in range(index.count("[")):
                kind = re.sub(r"\[\w*\]", "", kind, count=1)
        return kind


def complain(path, text, at, what):
    mistakes.append(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")


def check_keys(sources, path, text):
    for match in KEY.finditer(text):
        counted["keys"] += 1
        key, kind, struct, member = match.groups()
        if struct == "T":  # the parameter of a macro
            continue
        found = sources.type_of(path, struct, member)
        if kind not in KINDS:
            complain(path, text, match.start(), f"key '{key}': NS_KEY_{kind} is not known to tests/tools/tables.py")
        elif found is None:
            complain(path, text, match.start(), f"key '{key}': {struct} has no field {member}")
        elif not re.fullmatch(KINDS[kind], found):
            complain(path, text, match.start(), f"key '{key}' is NS_KEY_{kind}, and its field {struct}.{member} is '{found}', not '{KINDS[kind]}'".replace("\\", ""))


    for match in re.finditer(r'"\w+",\s*NS_KEY_', text):
        if "offsetof" in text[match.start():match.end() + 60] and not KEY.search(text, max(0, match.start() - 8), match.end() + 200):
            complain(path, text, match.start(), "a key is {\"name\", NS_KEY_KIND, offsetof(Struct, field), ...}")


def check_tables(sources, path, text):
    for match in TABLE.finditer(text):
        counted["tables"] += 1
        _, name, keys, struct = match.groups()
        if sources.fields(path, struct) and "const NsNode *" not in sources.beginnings(path, struct):
            complain(path, text, match.start(), f"table '{name}': {struct} does not begin with `const NsNode *where`")
        body = re.search(r"\b" + keys + r"\[\]\s*=\s*\{(.*?)\n?\};", text, re.DOTALL)
        for key in KEY.finditer(body[1] if body else ""):
            if key[3] not in sources.beginnings(path, struct) | {"T"}:
                complain(path, text, match.start(), f"table '{name}' has the size of {struct}, and its key '{key[1]}' fills {key[3]}")


def check_columns(sources, path, text):
    for match in COLUMN.finditer(text):
        counted["columns"] += 1
        column, unit, struct, member = match.groups()
        wanted = r"const char \*" if unit == "NULL" else r"PetscReal|double"
        found = sources.type_of(path, struct, member)
        if found is None:
            complain(path, text, match.start(), f"column '{column}': {struct} has no field {member}")
        elif not re.fullmatch(wanted, found):
            complain(path, text, match.start(),
                     f"column '{column}' has {'no unit, so it holds words' if unit == 'NULL' else 'a unit, so it is a number'}, and its field {struct}.{member} is '{found}'")


def check_lists(sources):
    for path, text in sources.text.items():
        if os.path.basename(path) != "list.h":
            continue
        folder = os.path.dirname(path) + "/"
        names = set(re.findall(r"^NS_\w+\(\s*(\w+)", text, re.MULTILINE))
        counted["entries of lists"] += len(names)
        defined = {}  # {prefix: {name: (path, position)}}
        for other, source in sources.text.items():
            if other.startswith(folder) and other.endswith(".c"):
                for match in re.finditer(r"^(?!static|extern)[a-zA-Z][\w ]*[ *](Ns[A-Z]\w*?)_([A-Z]\w*)(?:\s*=|\()", source, re.MULTILINE):
                    defined.setdefault(match[1], {})[match[2]] = (other, match.start())
        for prefix, found in defined.items():
            if prefix == "NsTable" or not names <= set(found):
                continue
            for name in set(found) - names:
                where, position = found[name]
                complain(where, sources.text[where], position, f"{prefix}_{name} has no line in {path}")


def main():
    sources = Sources()
    for path, text in sources.text.items():
        check_keys(sources, path, text)
        check_tables(sources, path, text)
        check_columns(sources, path, text)
    check_lists(sources)
    print("\n".join(sorted(mistakes)))
    print("; ".join(f"{number} {what}" for what, number in counted.items()))
    return 1 if mistakes or not all(counted.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
