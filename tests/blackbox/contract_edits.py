"""Small edits of the built-in contract, as people make them who begin their own contract.

An edit changes one place of one file: it removes a keyword, a property or an entry of a list, renames a property, or
replaces a value. The edits follow from the files, so a new property gets its edits without further work.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import brokerfuzz

BUILT_IN = Path(brokerfuzz.__file__).parent / "schemas"
FILES = (
    "envelope.schema.json",
    *(f"{name}.schema.json" for name in brokerfuzz.MESSAGE_TYPES),
    "semantics.json",
    "ambiguities.json",
)
TEXTS = ("$schema", "$id", "title", "description", "question", "plain", "source", "demand")
"""Keywords that only people read. No edit changes them."""
REPLACEMENTS: dict[str, tuple[Any, ...]] = {
    "type": ("string", ["integer", "null"], "object", "array", ["string", "number", "array"]),
    "minimum": (0, 1, 2**31 - 1),
    "maximum": (1, 0.5),
    "minLength": (0, 3),
    "minItems": (0, 3),
    "additionalProperties": (True, {"type": "string"}),
    "required": (["nothing"],),
    "enum": (["Other"], [1, None], []),
    "const": ("Other", None),
    "items": (True, False, {}, {"type": "null"}),
    "properties": ({},),
    "$ref": ("#", "#/$defs/nothing"),
    "detector": (None, "distinct", "ordered_numbers", "timestamp", "arithmetic", "envelope", "near_now", 1, ["cron"]),
    "interpretations": ([], ["rejected"], {}, "rejected", [1], None, [["accepted"]]),
    "sites": ({}, [], {"offer-creation-request": []}, {"offer-creation-request": [[]]},
    {"offer-creation-request": None}, 1),
    "limit": ("1", -1, None),
    "spelling": (None, [1]),
    "keyword": (None, ["not-in-future"]),
    "id": (None, 1, "", ["a"]),
}  # fmt: skip
"""The values with which an edit replaces the value of a keyword."""

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Edit:
    """An edit of one file. `change` changes the content of the file."""

    file: str
    title: str
    change: Callable[[Any], None]

    def apply(self, folder: Path) -> None:
        content = json.loads((BUILT_IN / self.file).read_bytes())
        self.change(content)
        (folder / self.file).write_text(json.dumps(content))

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"


def edits() -> list[Edit]:
    return [edit for file in FILES for edit in _edits(file, json.loads((BUILT_IN / file).read_bytes()), ())]


def _edits(file: str, content: Any, steps: Steps) -> Iterator[Edit]:
    is_long_table = file == "ambiguities.json" and not steps
    for step in content if isinstance(content, dict) else range(0, len(content), 3 if is_long_table else 1):
        path = (*steps, step)
        names_a_property = steps[-1:] == ("properties",)
        if step in TEXTS and not names_a_property:
            continue
        yield Edit(file, f"remove {_shown(path)}", _removal(path))
        if names_a_property:
            yield Edit(file, f"rename {_shown(path)}", _renaming(path))
            yield Edit(file, f"remove {_shown(path)} everywhere", _removal_everywhere(path))
        for value in REPLACEMENTS.get(str(step), ()) if not names_a_property else ():
            yield Edit(file, f"replace {_shown(path)} with {json.dumps(value)}", _replacement(path, value))
        if isinstance(content[step], dict | list):
            yield from _edits(file, content[step], path)


def _shown(steps: Steps) -> str:
    return "/".join(map(str, steps))


def _parent(content: Any, steps: Steps) -> Any:
    for step in steps[:-1]:
        content = content[step]
    return content


def _removal(steps: Steps) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        del _parent(content, steps)[steps[-1]]

    return change


def _removal_everywhere(steps: Steps) -> Callable[[Any], None]:
    """Removes a property, and its name in `required`."""

    def change(content: Any) -> None:
        del _parent(content, steps)[steps[-1]]
        required = _parent(content, steps[:-1]).get("required", [])
        required[:] = [name for name in required if name != steps[-1]]

    return change


def _renaming(steps: Steps) -> Callable[[Any], None]:
    """Renames a property, also in `required`."""

    def change(content: Any) -> None:
        props, schema = _parent(content, steps), _parent(content, steps[:-1])
        schema["properties"] = {f"new{name}" if name == steps[-1] else name: prop for name, prop in props.items()}
        if "required" in schema:
            schema["required"] = [f"new{name}" if name == steps[-1] else name for name in schema["required"]]

    return change


def _replacement(steps: Steps, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        _parent(content, steps)[steps[-1]] = deepcopy(value)

    return change
