"""Tables that map each byte to a kind of value.

The decoder reads an object from a record, a byte string of fixed length (see `record_layout`). Each property has one byte at a
fixed position of the record, and a table of 256 entries. Equal entries are neighbours, and simpler entries come first:

    byte     0 ... 99   100 ... 144   145 ... 174   175 ... 206   207 ... 255
    entry    ABSENT     "a"           null          any string    an edge, such as "é"

So Hypothesis shrinks a message when it lowers a byte, one step at a time.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

Value = TypeVar("Value")
Literal = TypeVar("Literal", str, int, float)


class Source(Protocol):
    """A source of bytes and values: Hypothesis, or a seeded generator."""

    def take(self, size: int, /) -> bytes:
        """Returns the next `size` bytes."""
        ...

    def choose(self, count: int, /) -> int:
        """Returns a number below `count`, which is at most 256. The number 0 is the simplest choice."""
        ...

    def item(self, read: "Callable[[Source], Value]", /) -> Value:
        """Returns an array item that the function decodes from this source. Hypothesis can remove all draws of an item in one step."""
        ...

    def integer(self, low: int, high: int, /) -> int:
        """Returns any integer from `low` to `high`."""
        ...

    def number(self, low: float, high: float, /) -> float:
        """Returns any finite double from `low` to `high`."""
        ...

    def string(self, shortest: int, longest: int, /) -> str:
        """Returns any string within these lengths (in code points), without NUL and lone surrogates."""
        ...

    def literal(self, value: Literal, /) -> Literal:
        """Returns the value itself. Hypothesis records it like a value that it drew.

        So when Hypothesis lowers the byte of an edge to the byte of any value, the value stays the same, and then shrinks freely.
        """
        ...

    def draw(self, site: str, /) -> Any:
        """Returns a value for a pinned site, from the strategy that the user gave for this site."""
        ...


Inline = Callable[[Source, bytes, int], Any]
"""A function that decodes a value from the bytes of a record that are reserved for it. The integer is the position of the first of
these bytes. If the value needs more bytes, the source provides them.
"""


class Nested:
    """A table entry for an array or an object, which is decoded from more bytes of the record."""

    __slots__ = ("read",)

    def __init__(self, read: Inline) -> None:
        self.read = read


class Scalar:
    """A table entry for a value that the source provides. The integer selects one of several values, such as an edge."""

    __slots__ = ("read",)

    def __init__(self, read: Callable[[Source, int], Any]) -> None:
        self.read = read


SELECTOR_BYTES: Final = 2
"""The number of bytes at the end of each record from which `selector` is computed."""


def selector(record: bytes, position: int) -> int:
    """Returns the integer that selects a value for the property whose byte is at this position.

    All properties of a record share two bytes, so no bytes move if a property changes. Zeros select the first value.
    """
    return record[-2] + position * record[-1]


def one_of(values: Sequence[Any]) -> Scalar:
    """Returns an entry for one of several fixed values."""
    return Scalar(lambda source, number: values[number % len(values)])


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The table entry for a property that is omitted."""

Table = Sequence[Any]

ABSENT_SHARE, NULL_SHARE = 116, 30
"""The number of entries, out of 256, that are absent or null. With these shares, messages stay small, but every pair of properties often
occurs in every pair of states.
"""
RICH_ABSENT_SHARE, RICH_NULL_SHARE = 1, 12
"""The same for sites that are seldom absent or null."""


class Kind(NamedTuple):
    """A kind of value: its table entry, and how often it occurs compared to the other kinds of the table."""

    entry: Any
    weight: float


def table(kinds: Sequence[Kind], *, optional: bool, nullable: bool, rich: bool = False) -> Table:
    """Returns the 256 entries of a table: absent (if `optional`), the first kind, null (if `nullable`), and the other kinds. If `rich` is true, the
    property is seldom absent or null.
    """
    absent, null = (RICH_ABSENT_SHARE, RICH_NULL_SHARE) if rich else (ABSENT_SHARE, NULL_SHARE)
    left = 256 - absent * optional - null * nullable
    total = sum(kind.weight for kind in kinds) or 1
    shares = [max(1, int(left * kind.weight / total)) for kind in kinds]
    parts = [(kind.entry, share) for kind, share in zip(kinds, shares, strict=True)]
    parts[1:1] = [(None, null)] * nullable
    parts[:0] = [(ABSENT, absent)] * optional
    entries = [entry for entry, share in parts for _ in range(share)]
    return tuple(entries[:256] + entries[-1:] * (256 - len(entries)))
