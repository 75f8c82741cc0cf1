"""Tables that map each byte to a value.

The decoder reads an object from a record, a byte string of fixed length (see `record_layout`). Each property has one byte at a
fixed position of the record, and a table of 256 entries. An entry is `ABSENT` (the property is omitted), a fixed value, a `Free`
value, or a `Spelling`. A `Free` value is decoded from the last bytes of the record. A `Spelling` is decoded from bytes that are
reserved for the property. Simpler entries come first. So Hypothesis shrinks a message when it lowers its bytes.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol


class Source(Protocol):
    """A source of bytes: Hypothesis, a seeded generator, a list of records, or the input of a fuzzer."""

    def take(self, size: int, /) -> bytes:
        """Returns the next `size` bytes."""
        ...

    def choose(self, count: int, /) -> int:
        """Returns a number below `count`, which is at most 256. The number 0 is the simplest choice."""
        ...

    def draw(self, site: str, /) -> Any:
        """Returns a value for a pinned site, from the strategy that the user gave for this site."""
        ...


Inline = Callable[[Source, bytes, int], Any]
"""A function that decodes a value from the bytes of a record that are reserved for it. The integer is the position of the first of
these bytes. If the value needs more bytes, the source provides them.
"""


class Spelling:
    """A table entry for a value that is decoded from more bytes: an array or an object."""

    __slots__ = ("read",)

    def __init__(self, read: Inline) -> None:
        self.read = read


FREE_BYTES = 10
"""The number of bytes at the end of each record. `Free` values are decoded from these bytes."""


class Free:
    """A table entry for an arbitrary value that is decoded from `FREE_BYTES` bytes.

    All free values of a record share the record's last bytes, but each value starts at a different byte. If each value had bytes of its own, removing
    a value would shift all later bytes, and Hypothesis could not shrink the message.
    """

    __slots__ = ("_spell",)

    def __init__(self, spell: Callable[[bytes], Any]) -> None:
        self._spell = spell

    def read(self, record: bytes, index: int) -> Any:
        """Returns the value of the property whose byte is at this position of the record."""
        start = len(record) - index % FREE_BYTES
        return self._spell(record[start:] + record[len(record) - FREE_BYTES : start])


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The table entry for a property that is omitted."""

Table = Sequence[Any]

ABSENT_SHARE, NULL_SHARE, PLAIN_SHARE, FREE_SHARE = 150, 14, 18, 16
"""The number of entries, out of 256, that are absent, null, the plainest value, or free. The first entry of each kind is not counted.

About half of the optional properties are absent, so that messages stay small, but every pair of properties still occurs often.
"""


class Values(NamedTuple):
    """The possible values of a place.

    - `ordinary`: common values, plainest first.
    - `rare`: values that are seldom used because they are large (long strings, long arrays).
    - `free`: decodes an arbitrary value.
    """

    ordinary: Sequence[Any]
    rare: Sequence[Any] = ()
    free: Free | None = None


def together(parts: Sequence[Values]) -> Values:
    """Combines the values of all parts into one object."""
    ordinary, rare = [value for part in parts for value in part.ordinary], [value for part in parts for value in part.rare]
    return Values(ordinary, rare, next((part.free for part in parts if part.free), None))


def table(values: Values, *, optional: bool, nullable: bool, rich: bool = False) -> Table:
    """Returns the 256 entries of a table.

    The first entries are absent (if `optional`), the plainest value, null (if `nullable`), the other values and the rare values.
    Then all of them except the rare values are repeated. Free values come last. If `rich` is true, absent and null have only one
    entry each.
    """
    ordinary = list(values.ordinary)
    firsts = [*([ABSENT] if optional else []), *ordinary[:1], *([None] if nullable else []), *ordinary[1:], *values.rare]
    absent, null = (0, 0) if rich else (ABSENT_SHARE * optional, NULL_SHARE * nullable)
    shares = [ABSENT] * absent + [None] * null + ordinary[:1] * PLAIN_SHARE
    tail = [values.free] * FREE_SHARE if values.free else []
    head = [*firsts, *shares][: 256 - len(tail)]
    often = ordinary or firsts
    return tuple(head + [often[i % len(often)] for i in range(256 - len(head) - len(tail))] + tail)
