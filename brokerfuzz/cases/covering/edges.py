"""Finds out in which ways a valid value is unusual. Each of these ways is an edge: for example, a string is empty.

Each edge has a name, and a function that recognises the edge. A site can have an edge if its schema allows at least one
value with this edge.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from brokerfuzz.generation import value_pools
from brokerfuzz.generation.ambiguity_sites import notation_detector_at
from brokerfuzz.generation.nodes import values_at
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.flattening import KNOWN, Schema, types_of, unsupported_keywords_of

Test = Callable[[Any, Schema], bool]

SIZES = (0, 1, 2, 11, 100)
"""Sizes of arrays that programs may treat differently: no item, one item, several items, more than ten items, and very
many items.
"""


def _has(test: Callable[[str], bool]) -> Test:
    return lambda text, schema: any(map(test, text))


def _beyond_ascii(test: Callable[[str], bool]) -> Test:
    return lambda text, schema: not text.isascii() and any(map(test, text))


def _any_of(letters: str) -> Test:
    return lambda text, schema: any(letter in text for letter in letters)


_OF_TEXTS: Mapping[str, Test] = {
    "empty": lambda text, schema: not text,
    "blank": lambda text, schema: bool(text) and text.isspace(),
    "padded": lambda text, schema: bool(text.strip()) and text != text.strip(),
    "shortest": lambda text, schema: 0 < len(text) == schema.get("minLength", 0),
    "long": lambda text, schema: len(text) >= 255,
    "longest": lambda text, schema: len(text) == schema.get("maxLength", value_pools.LONGEST),
    "control-characters": _has(lambda letter: letter < " " or "\x7f" <= letter <= "\x9f"),
    "latin-letters": _beyond_ascii(lambda letter: "\xa0" < letter < "\u0250"),
    "combining-marks": _beyond_ascii(lambda letter: unicodedata.category(letter) in ("Mn", "Mc")),
    "letters-beyond-latin": _beyond_ascii(lambda letter: "\u0370" <= letter < "\ud800" and letter.isalpha()),
    "right-to-left": _beyond_ascii(lambda letter: unicodedata.bidirectional(letter) in ("R", "AL", "RLO")),
    "invisible-characters": _beyond_ascii(
        lambda letter: unicodedata.category(letter) in ("Cf", "Zl", "Zp", "Cn") or letter == "\xa0"
    ),
    "astral": _beyond_ascii(lambda letter: letter > "\uffff"),
    "quotes": _any_of("\"'`"),
    "back-slashes": _any_of("\\"),
    "markup": _any_of("<>&"),
    "formats": _any_of("%{}$#"),
    "queries": _any_of("*;=|()"),
    "paths": lambda text, schema: "../" in text or ":\\" in text,
    "numeric": lambda text, schema: text.lstrip("-").replace(".", "", 1).isdecimal(),
    "words-of-json": lambda text, schema: text in ("null", "true", "false", "NaN", "undefined", "None"),
}
_OF_NUMBERS: Mapping[str, Test] = {
    "zero": lambda number, schema: number == 0,
    "negative": lambda number, schema: number < 0,
    "lowest": lambda number, schema: number == schema.get("minimum"),
    "highest": lambda number, schema: number == schema.get("maximum"),
    "large": lambda number, schema: abs(number) >= 1e6,
}
_OF_FRACTIONS: Mapping[str, Test] = {
    "fraction": lambda number, schema: number % 1 != 0,
    "fine-fraction": lambda number, schema: abs(number) < 1e6 and round(number, 2) != number,
    "huge": lambda number, schema: abs(number) >= 1e15,
    "tiny": lambda number, schema: 0 < abs(number) < 1e-6,
}
_OF_INSTANTS: Mapping[str, Test] = {
    "fraction-of-a-second": lambda text, schema: "." in text,
    "leap-day": lambda text, schema: "-02-29T" in text,
    "end-of-a-day": lambda text, schema: "T23:59:59" in text,
    "before-1970": lambda text, schema: text < "1970",
    "beyond-2038": lambda text, schema: text > "2038-01-19T03:14:07",
}
_OF_CRONS: Mapping[str, Test] = {
    "steps": _any_of("/"),
    "ranges": _any_of("-"),
    "lists": _any_of(","),
    "every-minute": lambda text, schema: text[:1] == "*",
}
_OF_URLS: Mapping[str, Test] = {
    "no-path": lambda text, schema: text.count("/") == 2,
    "port": lambda text, schema: text.count(":") == 2,
    "query": _any_of("?"),
    "escapes": _any_of("%"),
    "unencrypted": lambda text, schema: text.startswith("http:"),
    "long": lambda text, schema: len(text) >= 200,
}
_OF_NAMES: Mapping[str, Test] = {
    "one-letter": lambda text, schema: len(text) == 1,
    "several-words": _any_of(" "),
    "small-letters": lambda text, schema: text.islower(),
    "digits": _has(str.isdigit),
}
_OF_SPELLING: Mapping[str, Mapping[str, Test]] = {
    "past": _OF_INSTANTS,
    "timestamp": _OF_INSTANTS,
    "cron": _OF_CRONS,
    "url": _OF_URLS,
    "name": _OF_NAMES,
}


_REMEMBERED = 10_000
"""The maximum number of values whose edges are cached."""


class Edges:
    """Lists the edges of each site of a message type, such as the empty string. Use `edges` to get an `Edges`
    object.
    """

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self.message_type: MessageType = message_type
        self._shown: dict[tuple[str, type, Any], list[str]] = {}
        self._at: dict[str, list[str]] = {}
        self._tests = {
            path: list(self._tests_at(path, site.schema)) for path, site in contract.sites[message_type].items()
        }

    def of(self, path: str, value: Any) -> list[str]:
        """Returns the names of the edges of a valid value. Null is also an edge."""
        if value is None:
            return ["null"]
        if path not in self._tests:  # a changed contract does not describe this value
            return []
        schema = self.contract.sites[self.message_type][path].schema
        if isinstance(value, list):
            return [f"{max(size for size in SIZES if size <= len(value))}-items"]
        if isinstance(value, dict):
            return list(_of_objects(value, schema))
        if "enum" in schema or isinstance(value, bool):
            return [spelled(value)]
        key = (path, type(value), value)
        if key not in self._shown:
            if len(self._shown) >= _REMEMBERED:
                self._shown.clear()
            self._shown[key] = [
                name for name, test, of in self._tests[path] if isinstance(value, of) and test(value, schema)
            ]
        return self._shown[key]

    def at(self, site: Site) -> list[str]:
        """Returns the names of all edges that a site can have."""
        if site.path not in self._at:
            self._at[site.path] = self._all_at(site)
        return self._at[site.path]

    def _all_at(self, site: Site) -> list[str]:
        schema, types = site.schema, types_of(site.schema)
        found = ["absent"] if site.name and not site.required else []
        if "enum" in schema:
            return [*found, *(spelled(value) for value in schema["enum"])]
        found += ["null"] if "null" in types and len(types) < 7 else []
        if unsupported_keywords_of(schema) or len(types - {"null"}) != 1:
            return found
        if "array" in types:
            least, most = max(schema.get("minItems", 0), 0), schema.get("maxItems", SIZES[-1])
            return [*found, *(f"{size}-items" for size in SIZES if least <= size <= most)]
        if "object" in types:
            return [*found, *_of_any_object(schema)]
        if "boolean" in types:
            return [*found, *(spelled(value) for value in schema.get(KNOWN, (True, False)))]
        shown = {name for value in self.values(site.path) for name in self.of(site.path, value)}
        return [*found, *(name for name, *_ in self._tests[site.path] if name in shown)]

    def values(self, path: str) -> Sequence[Any]:
        """Returns values that together have all edges of a site, simplest first."""
        schema = self.contract.sites[self.message_type][path].schema
        return (
            ()
            if unsupported_keywords_of(schema) or "enum" in schema
            else values_at(self.contract, self.message_type, path)
        )

    def _tests_at(self, path: str, schema: Schema) -> Iterator[tuple[str, Test, type | tuple[type, ...]]]:
        types = types_of(schema)
        if "string" in types:
            detector = notation_detector_at(self.contract, self.message_type, path)
            for name, test in (_OF_SPELLING[detector] if detector else _OF_TEXTS).items():
                yield name, test, str
        if types & {"integer", "number"}:
            for name, test in {**_OF_NUMBERS, **(_OF_FRACTIONS if "number" in types else {})}.items():
                yield name, test, (int, float)


def spelled(value: Any) -> str:
    """Returns the name of an edge for a boolean or for a value of an enumeration, such as `true` or `=Email`."""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else f"={value}"


def _of_any_object(schema: Schema) -> Iterator[str]:
    props, required = schema.get("properties", {}), schema.get("required", ())
    if len(props) > len(required):
        yield from ("only-required", "one-more", "every-property")


def _of_objects(value: dict[str, Any], schema: Schema) -> Iterator[str]:
    props, required = schema.get("properties", {}), schema.get("required", ())
    if len(props) > len(required):
        more = len(value) - len(required)
        yield from [
            name
            for name, holds in (
                ("only-required", more == 0),
                ("one-more", more == 1),
                ("every-property", len(value) == len(props)),
            )
            if holds
        ]


@lru_cache(maxsize=16)
def edges(contract: Contract, message_type: MessageType) -> Edges:
    return Edges(contract, message_type)
