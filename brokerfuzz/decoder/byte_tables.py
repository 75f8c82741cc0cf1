"""What each value of a byte stands for.

A property of a record is one byte at a fixed position, and a table of 256 entries says what it spells: nothing (the property
is absent), a ready value, a `Free` value, which the bytes at the end of the record spell, or a `Spelling`, which takes more bytes.
Entry 0 is the simplest, and simpler entries come first, so that lowering bytes is shrinking.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol


class Source(Protocol):
    """Whatever gives bytes: Hypothesis, a seeded generator, a list of records, a fuzzer's input."""

    def take(self, size: int, /) -> bytes:
        """The next `size` bytes."""
        ...

    def choose(self, count: int, /) -> int:
        """A number below `count` (at most 256); 0 is the simplest."""
        ...

    def draw(self, site: str, /) -> Any:
        """A value for a pinned site; only sources of decoders with pins are asked."""
        ...


Inline = Callable[[Source, bytes, int], Any]
"""Reads a value from its window in a record, which begins at the position, and from the source what does not fit in there."""


class Spelling:
    """An entry that more bytes spell: an array, an object."""

    __slots__ = ("read",)

    def __init__(self, read: Inline) -> None:
        self.read = read


FREE_BYTES = 10
"""How many bytes follow the properties of a record, for whichever of them is spelled freely."""


class Free:
    """An entry that `FREE_BYTES` bytes spell.

    All free properties of a record share its last bytes, each beginning at another one: were each to take bytes of its own, removing one
    would shift all that follows, and Hypothesis could not shrink it away.
    """

    __slots__ = ("_spell",)

    def __init__(self, spell: Callable[[bytes], Any]) -> None:
        self._spell = spell

    def read(self, record: bytes, index: int) -> Any:
        """The value of the property at this position of the record."""
        start = len(record) - index % FREE_BYTES
        return self._spell(record[start:] + record[len(record) - FREE_BYTES : start])


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The entry of a property that is left out."""

Table = Sequence[Any]

ABSENT_SHARE, NULL_SHARE, PLAIN_SHARE, FREE_SHARE = 150, 14, 18, 16
"""Of 256, besides the first of each: how often a property is left out, is null, has its plainest value, is spelled freely.

About half of what is optional is absent: messages stay small enough to be many, and every pair of properties meets often.
"""


class Values(NamedTuple):
    """What a place can be spelled with: `ordinary` values, plainest first, values that are `rare` because they are slow to carry
    (long texts, long arrays), and how to spell one freely."""

    ordinary: Sequence[Any]
    rare: Sequence[Any] = ()
    free: Free | None = None


def together(parts: Sequence[Values]) -> Values:
    """The values of all parts."""
    ordinary, rare = [value for part in parts for value in part.ordinary], [value for part in parts for value in part.rare]
    return Values(ordinary, rare, next((part.free for part in parts if part.free), None))


def table(values: Values, *, optional: bool, nullable: bool, rich: bool = False) -> Table:
    """256 entries, one of each before any comes again: absent (where `optional`), the plainest value, null (where `nullable`), the
    other values, the rare ones, which never come again; free ones last. `rich` leaves absence and null with one entry."""
    ordinary = list(values.ordinary)
    firsts = [*([ABSENT] if optional else []), *ordinary[:1], *([None] if nullable else []), *ordinary[1:], *values.rare]
    absent, null = (0, 0) if rich else (ABSENT_SHARE * optional, NULL_SHARE * nullable)
    shares = [ABSENT] * absent + [None] * null + ordinary[:1] * PLAIN_SHARE
    tail = [values.free] * FREE_SHARE if values.free else []
    head = [*firsts, *shares][: 256 - len(tail)]
    often = ordinary or firsts
    return tuple(head + [often[i % len(often)] for i in range(256 - len(head) - len(tail))] + tail)
