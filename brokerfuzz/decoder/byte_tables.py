"""Defines tables that map each possible byte to a value.

The decoder reads an object from a record, which is a byte string with a fixed length (see `record_layout`). Each property has one
byte in the record, and a table with an entry for each of the 256 possible bytes. An entry can be:

- `ABSENT`: the property is omitted.
- a constant.
- `Free`: any value; the decoder computes it from the last bytes of the record.
- `Nested`: an array or an object; the decoder reads it from the bytes that the record reserves for the property.

Simple values are at the beginning of the table. Hypothesis prefers low bytes, so it finds simple messages.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol


class Source(Protocol):
    """Provides the bytes of a message. The bytes can come from Hypothesis, a seed, a list of records, or a fuzzer."""

    def take(self, size: int, /) -> bytes:
        """Returns the next `size` bytes."""
        ...

    def choose(self, count: int, /) -> int:
        """Returns a number from 0 to `count` - 1. `count` is at most 256. Hypothesis shrinks the number towards 0."""
        ...

    def draw(self, site: str, /) -> Any:
        """Returns a value from the strategy that the user gave for a pinned site."""
        ...


Inline = Callable[[Source, bytes, int], Any]
"""A function that reads a nested value from a record. The integer is the position of the first byte of the value.

If the record does not have enough bytes, the function takes more bytes from the source.
"""


class Nested:
    """A table entry for an array or an object."""

    __slots__ = ("read",)

    def __init__(self, read: Inline) -> None:
        self.read = read


FREE_BYTES = 10
"""The number of bytes at the end of each record from which `Free` values are computed."""


class Free:
    """A table entry for values that cannot be listed, such as arbitrary strings.

    All free values of a record are computed from the same bytes, but each value starts at another byte. If each value had its own
    bytes, removing a value would move all later bytes, and Hypothesis could not shrink the message.
    """

    __slots__ = ("_decode",)

    def __init__(self, decode: Callable[[bytes], Any]) -> None:
        self._decode = decode

    def read(self, record: bytes, index: int) -> Any:
        start = len(record) - index % FREE_BYTES
        return self._decode(record[start:] + record[len(record) - FREE_BYTES : start])


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()

Table = Sequence[Any]

ABSENT_SHARE, NULL_SHARE, PLAIN_SHARE, FREE_SHARE = 150, 14, 18, 16
"""The number of table entries, out of 256, for an absent property, null, the simplest value, and free values.

About half of the optional properties are absent, so that messages stay small. Nevertheless, any two properties often occur
together.
"""


class Values(NamedTuple):
    """The possible values of a property or an array item, sorted by how often they should occur.

    - `ordinary`: common values, simplest first.
    - `rare`: large values, such as long strings and long arrays.
    - `free`: computes any other value.
    """

    ordinary: Sequence[Any]
    rare: Sequence[Any] = ()
    free: Free | None = None


def together(parts: Sequence[Values]) -> Values:
    ordinary, rare = [value for part in parts for value in part.ordinary], [value for part in parts for value in part.rare]
    return Values(ordinary, rare, next((part.free for part in parts if part.free), None))


def table(values: Values, *, optional: bool, nullable: bool, rich: bool = False) -> Table:
    """Returns a table with 256 entries for the given values.

    Each value has one entry at the beginning. After that, common values are repeated, and free values have the last entries. If
    `rich` is true, only one entry is absent and only one is null.
    """
    ordinary = list(values.ordinary)
    firsts = [*([ABSENT] if optional else []), *ordinary[:1], *([None] if nullable else []), *ordinary[1:], *values.rare]
    absent, null = (0, 0) if rich else (ABSENT_SHARE * optional, NULL_SHARE * nullable)
    shares = [ABSENT] * absent + [None] * null + ordinary[:1] * PLAIN_SHARE
    tail = [values.free] * FREE_SHARE if values.free else []
    head = [*firsts, *shares][: 256 - len(tail)]
    often = ordinary or firsts
    return tuple(head + [often[i % len(often)] for i in range(256 - len(head) - len(tail))] + tail)
