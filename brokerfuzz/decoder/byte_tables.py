"""Defines the tables that map each byte to a kind of value. The decoder reads an object from a record, a byte string of fixed
length (see `record_layout`). Each property has one byte at a fixed position of the record. Each property also has a table. The
table contains one entry for each of the 256 values of the byte. Simpler entries come first. Equal entries are next to each other.
One exception: null can be in the middle of the entries for the first kind of value (here `"a"`).

    byte     0 ... 141   142 ... 157   158 ... 185   186 ... 191   192 ... 195   196 ... 214   215 ... 250
    entry    ABSENT      "a"           null          "a"           ""            any string    an edge, such as "é"

To simplify a message, Hypothesis replaces its bytes with lower bytes.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

Value = TypeVar("Value")
Literal = TypeVar("Literal", str, int, float)


class Source(Protocol):
    """A source of bytes and values: Hypothesis, or a seeded generator."""

    def take(self, size: int, /) -> bytes: ...

    def choose(self, count: int, /) -> int:
        """Returns an integer from 0 (the simplest choice) to `count` - 1. `count` is at most 256."""
        ...

    def item(self, read: "Callable[[Source], Value]", /) -> Value:
        """Calls `read` with this source, and returns the decoded object or array. Hypothesis can remove all bytes and values of
        this object or array in one step.
        """
        ...

    def integer(self, low: int, high: int, /, *, digits: bool = False) -> int:
        """Returns any integer from `low` to `high`. If `digits` is true, a source may return the integers from 1 to 9 more
        often.
        """
        ...

    def number(self, low: float, high: float, /) -> float:
        """Returns any finite double from `low` to `high`."""
        ...

    def string(self, shortest: int, longest: int, /) -> str:
        """Returns any string with `shortest` to `longest` code points, without NUL and lone surrogates."""
        ...

    def literal(self, value: Literal, /) -> Literal:
        """Returns `value`. If the source is Hypothesis, it can record `value` as if it had chosen `value` itself. Then
        Hypothesis can shrink an edge (an unusual value) like any other value.
        """
        ...

    def draw(self, site: str, /) -> Any:
        """Returns a value from the strategy that the user specified for this site."""
        ...


Inline = Callable[[Source, bytes, int], Any]
"""A function that decodes a value. The arguments are a source, a record, and the position in the record where the bytes for the
value begin. If the value needs more bytes than the record contains, the function takes bytes from the source.
"""


class Nested:
    """A table entry for an array or an object. The function `read` decodes and returns this array or object."""

    __slots__ = ("read",)

    def __init__(self, read: Inline) -> None:
        self.read = read


class Scalar:
    """A table entry for a string or a number. The arguments of `read` are a source, and an integer that selects one of several fixed values."""

    __slots__ = ("read",)

    def __init__(self, read: Callable[[Source, int], Any]) -> None:
        self.read = read


SELECTOR_BYTES: Final = 2
"""The function `selector` uses this number of bytes at the end of each record."""


def selector(record: bytes, position: int) -> int:
    """Returns an integer that selects one of several values (for example, edges) for the property whose byte is at `position`.
    The integer depends on `position` and on the last two bytes of the record. If both bytes are zero, the integer is zero,
    which selects the first value.
    """
    return record[-2] + position * record[-1]


def one_of(values: Sequence[Any]) -> Scalar:
    return Scalar(lambda source, number: values[number % len(values)])


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The table entry for a property that is omitted."""

Table = Sequence[Any]


class Shares(NamedTuple):
    """How often a property is absent, null or an empty array. `absent` and `null` are numbers of entries in a table with 256
    entries. `empty` is the weight of empty arrays (see `Kind`). Arrays with items have the weight 75.
    """

    absent: int
    null: int
    empty: int


ORDINARY = Shares(142, 28, 25)
"""The usual `Shares`. More than half of the optional properties are absent, so messages are small. For any two properties, each
combination of present, absent and null occurs often.
"""
NESTED = Shares(64, 112, 25)
"""The `Shares` for the properties of nested objects and of array items. A property is more often null than absent, because
programs often fail if a nested property is null.
"""
SELDOM_EMPTY = Shares(1, 12, 1)
NESTED_IN_FULL = Shares(1, 72, 1)
"""Like `NESTED`, but for messages in which nearly all properties are present."""
_ENTRIES_BEFORE_NULL = 16
"""The maximum number of entries that a table contains between `ABSENT` and null. Most tables contain exactly this number, so
the same bytes mean null in most tables. If Hypothesis moves one of these bytes to another property, this property usually
becomes null too.
"""


class Kind(NamedTuple):
    """A kind of value. `entry` is a value, or decodes a value. `weight` is the frequency relative to the other kinds in the table."""

    entry: Any
    weight: float


def table(kinds: Sequence[Kind], shares: Shares, *, optional: bool, nullable: bool) -> Table:
    """Returns the 256 entries of a table, in this order: absent (if `optional`), the first kind, null (if `nullable`), and the other kinds."""
    left = 256 - shares.absent * optional - shares.null * nullable
    total = sum(kind.weight for kind in kinds) or 1
    parts: list[tuple[Any, int]] = [(kind.entry, max(1, int(left * kind.weight / total))) for kind in kinds]
    if nullable and parts:
        (first, number), *others = parts
        parts = [(first, min(number, _ENTRIES_BEFORE_NULL)), (None, shares.null), (first, max(0, number - _ENTRIES_BEFORE_NULL)), *others]
    elif nullable:
        parts = [(None, shares.null)]
    parts[:0] = [(ABSENT, shares.absent)] * optional
    entries: list[Any] = []
    for entry, number in parts:
        entries += [entry] * number
    return tuple(entries[:256] + entries[-1:] * (256 - len(entries)))
