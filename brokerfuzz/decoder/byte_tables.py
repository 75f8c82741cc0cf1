"""Tables that map each byte to a value.

Each property has one byte at a fixed position of a record, and a table of 256 entries. An entry is `ABSENT` (the property is left out), a ready
value, a `Free` value, which is decoded from the last bytes of the record, or a `Spelling`, which reads more bytes. Simpler entries come first, so
that lower bytes give simpler messages: this is how Hypothesis shrinks them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol


class Source(Protocol):
    """A source of bytes: Hypothesis, a seeded generator, a list of records, or the input of a fuzzer."""

    def take(self, size: int, /) -> bytes:
        """Returns the next `size` bytes."""
        ...

    def choose(self, count: int, /) -> int:
        """Returns a number below `count` (at most 256); 0 is the simplest."""
        ...

    def draw(self, site: str, /) -> Any:
        """Returns a value for a pinned site. Called only for decoders with pinned sites."""
        ...


Inline = Callable[[Source, bytes, int], Any]
"""Decodes a value from its window in a record, which begins at the given position. The source provides the bytes that do not fit there."""


class Spelling:
    """A table entry for a value that is decoded from more bytes: an array or an object."""

    __slots__ = ("read",)

    def __init__(self, read: Inline) -> None:
        self.read = read


FREE_BYTES = 10
"""Number of bytes at the end of each record, from which `Free` values are decoded."""


class Free:
    """A table entry for an arbitrary value that is decoded from `FREE_BYTES` bytes.

    All free values of a record share its last bytes, each starting at a different one. If each value had bytes of its own, removing a
    value would shift all later bytes, and Hypothesis could not shrink the message.
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
"""The table entry for a property that is left out."""

Table = Sequence[Any]

ABSENT_SHARE, NULL_SHARE, PLAIN_SHARE, FREE_SHARE = 150, 14, 18, 16
"""How many of the 256 entries, in addition to the first of each kind, are absent, null, the plainest value, or free.

About half of the optional properties are absent, so that messages stay small, but every pair of properties still occurs often.
"""


class Values(NamedTuple):
    """The possible values of a place.

    - `ordinary`: common values, plainest first.
    - `rare`: values that are used seldom because they are large (long strings, long arrays).
    - `free`: decodes an arbitrary value.
    """

    ordinary: Sequence[Any]
    rare: Sequence[Any] = ()
    free: Free | None = None


def together(parts: Sequence[Values]) -> Values:
    """Combines the values of all parts."""
    ordinary, rare = [value for part in parts for value in part.ordinary], [value for part in parts for value in part.rare]
    return Values(ordinary, rare, next((part.free for part in parts if part.free), None))


def table(values: Values, *, optional: bool, nullable: bool, rich: bool = False) -> Table:
    """Returns 256 entries.

    First comes one entry of each kind: absent (if `optional`), the plainest value, null (if `nullable`), the other values, and the rare
    values, which are not repeated. Repetitions of the others follow, and free values come last. If `rich`, absent and null have only one entry.
    """
    ordinary = list(values.ordinary)
    firsts = [*([ABSENT] if optional else []), *ordinary[:1], *([None] if nullable else []), *ordinary[1:], *values.rare]
    absent, null = (0, 0) if rich else (ABSENT_SHARE * optional, NULL_SHARE * nullable)
    shares = [ABSENT] * absent + [None] * null + ordinary[:1] * PLAIN_SHARE
    tail = [values.free] * FREE_SHARE if values.free else []
    head = [*firsts, *shares][: 256 - len(tail)]
    often = ordinary or firsts
    return tuple(head + [often[i % len(often)] for i in range(256 - len(head) - len(tail))] + tail)
