"""A config as a nested dict, written as YAML with units."""

from __future__ import annotations

import copy
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")


class Model(dict):
    """A config. Values are numbers in SI units, texts with units ("210 GPa"), lists and mappings, as in the YAML file.

    >>> model = Model(title="A ball falls", bodies={"ball": {"type": "bouncing_ball"}})
    >>> model["scheme"] = {"type": "moreau_midpoint", "step": "1 ms"}
    >>> model.put("time.end", "2 s")
    >>> print(model.to_yaml(), end="")
    title: "A ball falls"
    bodies:
      ball: {type: bouncing_ball}
    scheme: {type: moreau_midpoint, step: 1 ms}
    time: {end: 2 s}

    `name` names the results (out/NAME). Relative names of files (meshes, plugins) are relative to `folder`.
    """

    def __init__(self, *arguments: Any, name: str = "model", folder: str | os.PathLike = ".", **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        self.name, self.folder = name, pathlib.Path(folder)

    @classmethod
    def starter(cls, kind: str) -> Model:
        """A starter config of `percuss init KIND`, such as "bar", "beam" or "rotor"; needs PyYAML."""
        from percuss import program

        code, text, said = program.call("init", kind)
        program.require(code, said)
        return cls.from_yaml(text, name=kind)

    @classmethod
    def from_yaml(cls, text: str, **options: Any) -> Model:
        """A config read from YAML; needs PyYAML. Values keep their units as text."""
        import yaml  # only reading needs it

        return cls(yaml.safe_load(text), **options)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Model:
        """A config read from a file; needs PyYAML."""
        path = pathlib.Path(path)
        return cls.from_yaml(path.read_text(encoding="utf-8"), name=path.stem, folder=path.parent)

    def put(self, key: str, value: Any) -> None:
        """Sets a key by its path, as --set does: model.put("contacts.wall.friction", 0.3)."""
        *above, last = key.split(".")
        inner: Any = self
        for word in above:
            inner = inner[int(word)] if isinstance(inner, list) else inner.setdefault(word, {})
        inner[int(last) if isinstance(inner, list) else last] = value

    def copy(self) -> Model:
        """A copy that shares nothing with this model."""
        return Model(copy.deepcopy(dict(self)), name=self.name, folder=self.folder)

    def to_yaml(self) -> str:
        """The config's text."""
        return "".join(lines_of(self, ""))

    def save(self, path: str | os.PathLike) -> None:
        """Writes the config."""
        pathlib.Path(path).write_text(self.to_yaml(), encoding="utf-8")

    def with_absolute_files(self) -> Model:
        """A copy whose files do not depend on the folder."""
        made = self.copy()
        absolute = lambda file: str((self.folder / file).resolve())
        bodies = made.get("bodies", {})
        for body in bodies.values() if isinstance(bodies, dict) else []:
            if not isinstance(body, dict):
                continue
            for owner, key in ((body, "library"), (body, "mesh"), (body.get("mesh"), "file")):
                if isinstance(owner, dict) and isinstance(owner.get(key), str):
                    owner[key] = absolute(owner[key])
        if isinstance(made.get("include"), (str, list)):
            files = made["include"]
            made["include"] = absolute(files) if isinstance(files, str) else [absolute(file) for file in files]
        return made

    def __repr__(self) -> str:
        return f"<percuss model {self.name}>\n{self.to_yaml()}"


def scalar(value: Any) -> str:
    """A value within one line of YAML.

    >>> scalar({"plane": {"point": [0, 0, "1 mm"], "normal": (0, 0, 1)}})
    '{plane: {point: [0, 0, 1 mm], normal: [0, 0, 1]}}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{word(str(key))}: {scalar(item)}" for key, item in value.items()) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return word(value)
    if hasattr(value, "tolist"):  # of numpy
        return scalar(value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(scalar, value)) + "]"
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"a config holds numbers, texts, lists and mappings, not {type(value).__name__}")


def word(text: str) -> str:
    """A text, in quotes unless it is a word or a quantity such as `210 GPa` or `9.81 m/s^2`."""
    parts = text.split(" ")
    number = parts[0].lstrip("+-.")[:1].isdigit()
    plain = text and set(text) <= PLAIN | set(" +-*/^@%") and all(parts) and (number or (len(parts) == 1 and text[0].isalpha()))
    return text if plain and text not in ("true", "false", "null", "yes", "no") else json.dumps(text, ensure_ascii=False)


def lines_of(mapping: Mapping, indent: str) -> list[str]:
    """A key a line; mappings that fit into a line are written in one."""
    lines = []
    for key, value in mapping.items():
        text = scalar(value)
        if isinstance(value, Mapping) and value and (len(text) > 100 or (not indent and any(isinstance(item, Mapping) for item in value.values()))):
            lines += [f"{indent}{word(str(key))}:\n", *lines_of(value, indent + "  ")]
        else:
            lines.append(f"{indent}{word(str(key))}: {text}\n")
    return lines
