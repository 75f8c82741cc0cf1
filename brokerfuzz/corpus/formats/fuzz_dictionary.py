"""Dictionaries of tokens in the syntax that AFL++ and libFuzzer have in common: what a message is made of, for fuzzers to put in.

A line is a token in quotes, with `\\\\` and `\\"` for these two, and `\\xNN` for what is no printable ASCII; `#` begins a comment.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema, conditions_of

LONGEST_TOKEN = 128
"""Bytes that AFL++ takes; a file with a longer token is rejected whole."""

_PUNCTUATION = ("{", "}", "[", "]", ":", ",", '"', "{}", "[]", '""', "null", "true", "false")
_NUMBERS = ("0", "-0", "-1", "1.0", "1e0", "0.1", "1e400", "-2147483649", "2147483648", "9007199254740993", "18446744073709551616", "NaN", "Infinity")
_TEXTS = ("\\u0000", "\\ud800", "\\\\", '\\"', "\\n", "\ufeff", "2025-06-15T12:00:00Z")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def dictionary(contract: Contract, message_type: MessageType) -> bytes:
    """The dictionary of a message type: its properties, the values that it lists, the numbers at its bounds, and what JSON is written with."""
    schemas = list(_below(contract.flat[message_type]))
    kinds: dict[str, Iterable[bytes]] = {
        "properties": (orjson.dumps(name) + b":" for schema in schemas for name in schema.get("properties", {})),
        "listed values": (orjson.dumps(value) for schema in schemas for value in schema.get("enum", ())),
        "numbers at the bounds": (orjson.dumps(number) for schema in schemas for number in _at_bounds(schema)),
        "other numbers": (text.encode() for text in _NUMBERS),
        "texts": (text.encode() for text in _TEXTS),
        "punctuation": (text.encode() for text in _PUNCTUATION),
    }
    seen: set[bytes] = set()
    lines: list[str] = []
    for kind, tokens in kinds.items():
        new = [token for token in dict.fromkeys(tokens) if token not in seen and len(token) <= LONGEST_TOKEN]
        seen.update(new)
        lines += [f"# {kind}", *map(quoted, new)] if new else []
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def quoted(token: bytes) -> str:
    """A token as a line of a dictionary."""
    return '"' + "".join(_spelled(byte) for byte in token) + '"'


def _spelled(byte: int) -> str:
    char = chr(byte)
    if char in '\\"':
        return f"\\{char}"
    return char if " " <= char <= "~" else f"\\x{byte:02x}"


def _below(schema: Schema) -> Iterator[Schema]:
    """A flat schema and all that it demands of properties, of items and under conditions."""
    yield schema
    for prop in schema.get("properties", {}).values():
        yield from _below(prop)
    if "items" in schema:
        yield from _below(schema["items"])
    for condition in conditions_of(schema):
        for demanded in condition.values():
            yield from _below(demanded)


def _at_bounds(schema: Schema) -> Iterator[Any]:
    """The numbers at each bound and beside it."""
    for bound in (schema[keyword] for keyword in _BOUNDS if keyword in schema):
        yield from (
            (bound - 1, bound, bound + 1) if isinstance(bound, int) else (math.nextafter(bound, -math.inf), bound, math.nextafter(bound, math.inf))
        )
