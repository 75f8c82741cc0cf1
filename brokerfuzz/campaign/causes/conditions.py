"""Lists what can be true of a value in a message, so that a program may treat it differently: it is null, it contains a
slash, it is above a limit. A finding names such a condition as its cause.

The edges of the generator are conditions, so an edge that is added there also explains failures.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from brokerfuzz.generation import ABSENT
from brokerfuzz.generation.edge_values import Edge
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.verdicts import describe
from brokerfuzz.wording import counted, with_article

_LONGEST_LITERAL: Final = 12
_YEAR: Final = re.compile(r"[0-9]{4}-(?=[0-9])")
"""The year of a timestamp, which is longer than a literal."""
_BITS: Final = {31: "32 bits", 32: "32 bits", 53: "53 bits", 63: "64 bits", 64: "64 bits"}
"""The names of bounds that are powers of two, or next to one."""
_NAMES: Final = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


class Condition(Protocol):
    """`subject` is what can have the condition, in words: `string`. `str()` follows the word "if"."""

    @property
    def subject(self) -> str: ...

    def holds(self, value: Any, schema: Schema) -> bool:
        """`value` is a parsed value at a site with this schema, or `ABSENT`."""
        ...


@dataclass(frozen=True, slots=True)
class Absent:
    subject = "property"

    def holds(self, value: Any, schema: Schema) -> bool:
        return value is ABSENT

    def __str__(self) -> str:
        return "it is absent"


@dataclass(frozen=True, slots=True)
class Present:
    subject = "property"

    def holds(self, value: Any, schema: Schema) -> bool:
        return value is not ABSENT

    def __str__(self) -> str:
        return "it is present"


@dataclass(frozen=True, slots=True)
class HasValue:
    subject = "property"

    def holds(self, value: Any, schema: Schema) -> bool:
        return value is not ABSENT and value is not None

    def __str__(self) -> str:
        return "it has a value"


@dataclass(frozen=True, slots=True)
class Equals:
    value: Any
    subject = "value"

    def holds(self, value: Any, schema: Schema) -> bool:
        return type(value) is type(self.value) and bool(value == self.value)

    def __str__(self) -> str:
        return f"it is {describe(self.value)}"


@dataclass(frozen=True, slots=True)
class Differs:
    value: Any
    subject = "value"

    def holds(self, value: Any, schema: Schema) -> bool:
        return value is not ABSENT and value != self.value

    def __str__(self) -> str:
        return f"it is not {describe(self.value)}"


@dataclass(frozen=True, slots=True)
class OfType:
    """The value has a JSON type that the contract does not allow there."""

    name: str
    subject = "value"

    def holds(self, value: Any, schema: Schema) -> bool:
        allowed = types_of(schema)
        is_allowed = self.name in allowed or (self.name == "number" and "integer" in allowed)
        return _NAMES.get(type(value)) == self.name and not is_allowed

    def __str__(self) -> str:
        return f"it is {with_article(self.name)}"


@dataclass(frozen=True, slots=True)
class HasEdge:
    """`subject` is `string` or `number`, because the test of an edge only knows values of one of these types."""

    edge: Edge
    subject: str

    def holds(self, value: Any, schema: Schema) -> bool:
        return _NAMES.get(type(value)) == self.subject and self.edge.test(value, schema)

    def __str__(self) -> str:
        return self.edge.text


@dataclass(frozen=True, slots=True)
class Contains:
    literal: str
    subject = "string"

    def holds(self, value: Any, schema: Schema) -> bool:
        return isinstance(value, str) and self.literal in value

    def __str__(self) -> str:
        return f"it contains {describe(self.literal)}"


@dataclass(frozen=True, slots=True)
class LongerThan:
    length: int
    subject = "string"

    def holds(self, value: Any, schema: Schema) -> bool:
        return isinstance(value, str) and len(value) > self.length

    def __str__(self) -> str:
        return f"it is longer than {self.length:,} characters"


@dataclass(frozen=True, slots=True)
class MoreBytes:
    """Some programs and databases count the bytes of UTF-8, and not the characters."""

    size: int
    subject = "string"

    def holds(self, value: Any, schema: Schema) -> bool:
        return isinstance(value, str) and len(value.encode(errors="surrogatepass")) > self.size

    def __str__(self) -> str:
        return f"it is longer than {self.size:,} bytes in UTF-8"


@dataclass(frozen=True, slots=True)
class HasPoint:
    """Some readers reject 1.0 and 1e2 where they expect an integer."""

    subject = "number"

    def holds(self, value: Any, schema: Schema) -> bool:
        return isinstance(value, float)

    def __str__(self) -> str:
        return "it has a decimal point or an exponent"


@dataclass(frozen=True, slots=True)
class Above:
    """Some readers treat an integer and the same number with a fraction or an exponent differently."""

    bound: int
    only_integers: bool = False
    subject = "number"

    def holds(self, value: Any, schema: Schema) -> bool:
        return _is_number(value, self.only_integers) and value > self.bound

    def __str__(self) -> str:
        return f"it is {'an integer ' * self.only_integers}{_bits(self.bound) or f'above {self.bound:,}'}"


@dataclass(frozen=True, slots=True)
class Below:
    bound: int
    only_integers: bool = False
    subject = "number"

    def holds(self, value: Any, schema: Schema) -> bool:
        return _is_number(value, self.only_integers) and value < self.bound

    def __str__(self) -> str:
        return f"it is {'an integer ' * self.only_integers}{_bits(self.bound) or f'below {self.bound:,}'}"


@dataclass(frozen=True, slots=True)
class MoreItems:
    count: int
    subject = "array"

    def holds(self, value: Any, schema: Schema) -> bool:
        return isinstance(value, list) and len(value) > self.count

    def __str__(self) -> str:
        return f"it has more than {counted(self.count, 'item')}"


@dataclass(frozen=True, slots=True)
class ItemCount:
    count: int
    subject = "array"

    def holds(self, value: Any, schema: Schema) -> bool:
        return isinstance(value, list) and len(value) == self.count

    def __str__(self) -> str:
        return "it is empty" if not self.count else f"it has {counted(self.count, 'item')}"


def _bits(bound: int) -> str | None:
    if abs(bound) > 2**64:
        return "beyond 64 bits"
    return next((f"beyond {name}" for power, name in _BITS.items() if abs(abs(bound) - 2**power) <= 1), None)


def _is_number(value: Any, only_integers: bool) -> bool:
    return isinstance(value, int if only_integers else int | float) and not isinstance(value, bool)


def conditions_of(value: Any, schema: Schema, edges: list[Edge]) -> Iterator[Condition]:
    """Yields the conditions that hold for a value, the plainest first. `edges` are the edges of the value."""
    if value is ABSENT:
        yield Absent()
        return
    name = _NAMES.get(type(value), "null")
    if OfType(name).holds(value, schema):
        yield OfType(name)
    if isinstance(value, list):
        yield ItemCount(len(value))
        return
    if isinstance(value, dict):
        return
    is_short = not isinstance(value, str) or len(value) <= _LONGEST_LITERAL
    if isinstance(value, str) and value and is_short and "enum" not in schema:
        yield Contains(value)
    if isinstance(value, str) and (year := _YEAR.match(value)):
        yield Contains(year[0])
    yield from (HasEdge(edge, name) for edge in edges)
    if isinstance(value, float):
        yield HasPoint()
    if isinstance(value, int) and abs(value) > 1:  # a search has found the first one that fails
        for only_integers in (False, True):
            yield Above(value - 1, only_integers) if value > 0 else Below(value + 1, only_integers)
    if is_short:
        yield Equals(value)
