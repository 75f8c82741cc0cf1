"""Kinds of unknown properties that a lenient service accepts: for example, names that begin with `x-`, or null
values.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from brokerfuzz.schemas.flattening import Schema

_OF_JAVASCRIPT = ("constructor", "toString", "valueOf", "hasOwnProperty", "__proto__")


class Unlisted(NamedTuple):
    """A lenient service accepts unknown properties whose names match `pattern` (None: any name) and whose values match
    the schema `values`. `prop` and `value` are the name and the value of one such property.
    """

    name: str
    pattern: str | None
    values: Schema
    prop: str
    value: Any

    def opened(self, schema: Schema) -> Schema:
        """Returns the schema of an object, extended by properties that match `pattern` and `values`."""
        if self.pattern is None:
            return {**schema, "additionalProperties": self.values}
        return {**schema, "patternProperties": {self.pattern: self.values}}


def _named(name: str, pattern: str, prop: str) -> Unlisted:
    return Unlisted(name, pattern, {}, prop, "a")


def _valued(name: str, values: Schema, value: Any) -> Unlisted:
    return Unlisted(name, None, values, "unexpected", value)


ANYWHERE = (
    _valued("null", {"type": "null"}, None),
    _valued("strings", {"type": "string"}, "a"),
    _valued("numbers", {"type": "number"}, 1),
    _valued("scalars", {"type": ["string", "number", "boolean", "null"]}, 1),
    _valued("objects and arrays", {"type": ["object", "array"]}, {}),
    _named("names after x-", "^x-", "x-a"),
    _named("names after an underscore", "^_", "_a"),
    _named("names after a dollar", r"^\$", "$a"),
    _named("names after an at sign", "^@", "@type"),
    _named("names that JavaScript's objects have", f"^({'|'.join(_OF_JAVASCRIPT)})$", "constructor"),
    _named("only __proto__", "^__proto__$", "__proto__"),
    _named("the empty name", "^$", ""),
    _named("names of digits", "^[0-9]+$", "0"),
    _named("names with a space", r"\s", "a b"),
    _named("names with a dot", r"\.", "a.b"),
    _named("names beyond ASCII", r"[^\x00-\x7f]", "ä"),
    _named("names of more than 50 characters", "^.{51}", "a" * 60),
)


def by_names(own: Iterable[str], others: Iterable[str]) -> Iterable[Unlisted]:
    """`own` are the property names of an object, and `others` are those of other objects. Yields unknown properties
    whose names are similar to a name in `own`, or are in `others`.
    """
    known = sorted(own)
    if not known:
        return
    first = known[0]
    yield _named("listed names in another case", f"(?i)^({'|'.join(map(re.escape, known))})$", first.upper())
    yield _named(
        "listed names with a capital",
        _one_of([name[:1].upper() + name[1:] for name in known]),
        first[:1].upper() + first[1:],
    )
    yield _named(
        "listed names in lower case",
        _one_of([name.lower() for name in known if name.lower() != name] or ["a a"]),
        _lower(known),
    )
    yield _named("listed names with spaces around them", rf"^\s*({'|'.join(map(re.escape, known))})\s*$", f"{first} ")
    yield _named(
        "listed names with underscores",
        _one_of([_snake(name) for name in known if _snake(name) != name] or ["a a"]),
        _snake_of(known),
    )
    yield _named("listed names after an underscore", f"^_({'|'.join(map(re.escape, known))})$", f"_{first}")
    yield _named("listed names with a suffix", f"^({'|'.join(map(re.escape, known))}).", f"{first}2")
    if strange := sorted(set(others) - set(known)):
        yield _named("names of other objects' properties", _one_of(strange), strange[0])


def _one_of(names: Iterable[str]) -> str:
    return f"^({'|'.join(map(re.escape, names))})$"


def _snake(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def _snake_of(names: list[str]) -> str:
    return next((_snake(name) for name in names if _snake(name) != name), "a a")


def _lower(names: list[str]) -> str:
    return next((name.lower() for name in names if name.lower() != name), "a a")
