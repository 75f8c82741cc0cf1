"""Creates dictionaries for fuzzers: tokens that fuzzers insert into their inputs.

AFL++ and libFuzzer use the same syntax. Each line is a token in quotes. `\\\\` and `\\"` are escapes, and `\\xNN` is a
byte that is not printable ASCII. A comment begins with `#`.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema, conditions_of

LONGEST_TOKEN = 128
"""The maximum length of a token, in bytes. AFL++ rejects files with longer tokens."""

_PUNCTUATION = ("{", "}", "[", "]", ":", ",", '"', "{}", "[]", '""', "null", "true", "false")
_NUMBERS = (
    "0", "-0", "-1", "1.0", "1e0", "0.1", "1e400", "-2147483649", "2147483648", "9007199254740993",
    "18446744073709551616", "NaN", "Infinity",
)  # fmt: skip
_STRINGS = ("\\u0000", "\\ud800", "\\\\", '\\"', "\\n", "\ufeff", "2025-06-15T12:00:00Z")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def dictionary(contract: Contract, message_type: MessageType) -> bytes:
    """Returns the dictionary for a message type: property names, enumeration values, numbers near bounds, and the
    syntax of JSON.
    """
    schemas = list(_below(contract.flat[message_type]))
    kinds: dict[str, Iterable[bytes]] = {
        "properties": (orjson.dumps(name) + b":" for schema in schemas for name in schema.get("properties", {})),
        "listed values": (orjson.dumps(value) for schema in schemas for value in schema.get("enum", ())),
        "numbers at the bounds": (orjson.dumps(number) for schema in schemas for number in _at_bounds(schema)),
        "other numbers": (text.encode() for text in _NUMBERS),
        "strings": (text.encode() for text in _STRINGS),
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
    return '"' + "".join(_escaped(byte) for byte in token) + '"'


def _escaped(byte: int) -> str:
    char = chr(byte)
    if char in '\\"':
        return f"\\{char}"
    return char if " " <= char <= "~" else f"\\x{byte:02x}"


def _below(schema: Schema) -> Iterator[Schema]:
    """Yields a schema and all schemas inside this schema."""
    yield schema
    for prop in schema.get("properties", {}).values():
        yield from _below(prop)
    if "items" in schema:
        yield from _below(schema["items"])
    for condition in conditions_of(schema):
        for demanded in condition.values():
            yield from _below(demanded)


def _at_bounds(schema: Schema) -> Iterator[Any]:
    """Yields each bound of a number, and the numbers directly below and above it."""
    for bound in (schema[keyword] for keyword in _BOUNDS if keyword in schema):
        yield from (
            (bound - 1, bound, bound + 1)
            if isinstance(bound, int)
            else (math.nextafter(bound, -math.inf), bound, math.nextafter(bound, math.inf))
        )
