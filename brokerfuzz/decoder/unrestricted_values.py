"""Computes arbitrary strings, integers, numbers and timestamps from the last bytes of a record."""

import math
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from brokerfuzz.decoder.byte_tables import FREE_BYTES, Free
from brokerfuzz.decoder.value_pools import EARLIEST_NOW, beyond_decimal
from brokerfuzz.schemas.instants import spell

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = int((EARLIEST_NOW - _EPOCH).total_seconds()) - 3600


def _letters() -> Iterator[str]:
    """Yields Unicode characters from many scripts, simplest first. Surrogates and NUL are not included."""
    yield from "ab01 AZ-_.~/"
    yield from (chr(code) for code in range(0x21, 0x7F) if chr(code) not in "ab01 AZ-_.~/")
    yield from (chr(0xA1 + 3 * i) for i in range(60))
    yield from (chr(code) for code in (0x01, 0x09, 0x0A, 0x0D, 0x1F, 0x7F, 0x85, 0x300, 0x200B, 0x200D, 0x202E, 0x2028, 0xFEFF, 0xFFFD, 0xFFFF))
    yield from (chr(0x370 + 97 * i) for i in range(47))
    yield from (chr(0x10000 + 0xF1B * i) for i in range(256))


_ALPHABET = dict(enumerate(list(dict.fromkeys(_letters()))[:256]))


def text(shortest: int, longest: int | None) -> Free:
    """Computes strings with up to nine characters, or with up to `shortest` characters if `shortest` is larger."""
    top = max(FREE_BYTES - 1, shortest) if longest is None else longest
    fill = "b" * shortest

    def decode(record: bytes) -> str:
        size = record[0]
        letters = record[1 : 1 + size % FREE_BYTES].decode("latin-1").translate(_ALPHABET) if size < 192 else _code_points(record)
        return (letters + fill[len(letters) :])[:top]

    return Free(decode)


def _code_points(record: bytes) -> str:
    codes = (int.from_bytes(record[i : i + 3]) % 0x10F7FF + 1 for i in range(1, FREE_BYTES, 3))
    return "".join(chr(code if code < 0xD800 else code + 0x800) for code in codes)


def integer(low: int, high: int, plain: int, step: int = 1) -> Free:
    """Computes integers from `low` to `high` that are multiples of `step`. Low bytes give integers close to `plain`."""
    first = -(-low // step)
    span = high // step - first + 1
    size = min(FREE_BYTES, max(4, (span.bit_length() + 7) // 8))

    def decode(record: bytes) -> int:
        number = int.from_bytes(record[:size])
        away = (number + 1) // 2 if number % 2 else -number // 2
        return (first + (plain // step - first + away) % span) * step

    return Free(decode)


def number(low: float, high: float, *, decimal: bool) -> Free:
    """Computes numbers from `low` to `high`. Most of the numbers have at most four decimal places."""

    def decode(record: bytes) -> float:
        kind = record[0]
        value = int.from_bytes(record[1:5], signed=True) / 10 ** (kind % 5) if kind < 160 else struct.unpack(">d", record[1:9])[0]
        return _within(value, low, high, decimal=decimal)

    return Free(decode)


def _within(value: float, low: float, high: float, *, decimal: bool) -> float:
    if not math.isfinite(value) or (decimal and beyond_decimal(value)):
        value = 0.0
    if low <= value <= high:
        return value
    return -value if low <= -value <= high else low if value < low else high


def instant() -> Free:
    """Computes timestamps of the years 1970 to 2000, such as `1985-04-12T23:20:50Z`."""

    def decode(record: bytes) -> str:
        return spell(_EPOCH + timedelta(seconds=int.from_bytes(record[:4]) % _SECONDS))

    return Free(decode)
