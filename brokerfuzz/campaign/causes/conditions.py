"""Lists what can be true of a value in a message, so that a program may treat it differently: it is null, it contains a
slash, it is above a limit. A finding names such a condition as its cause.

The edges of the generator are conditions, so an edge that is added there also explains failures.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from brokerfuzz.campaign.shrinking import MOST_CUT
from brokerfuzz.generation import ABSENT
from brokerfuzz.schemas.edge import Edge
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.verdicts import describe
from brokerfuzz.wording import counted, with_article

_LONGEST_LITERAL: Final = 12
_LONGEST_WITH_MARKS: Final = 32
_YEAR: Final = re.compile(r"[0-9]{4}-(?=[0-9])")
"""The year of a timestamp, which is longer than a literal."""
_BITS: Final = {31: "32 bits", 32: "32 bits", 53: "53 bits", 63: "64 bits", 64: "64 bits"}
"""The names of bounds that are powers of two, or next to one."""
_NAMES: Final = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


@dataclass(frozen=True, eq=False)
class ConditionKind:
    """A kind of conditions with a parameter, such as a length. `subject` is what can have them, in words: `string`.
    `test` takes such a value, the schema of its site, and the parameter. The value is parsed, or `ABSENT`.
    `predicate` returns what a sentence says about the value.
    """

    subject: str
    test: Callable[[Any, Schema, Any], bool]
    predicate: Callable[[Any], str]

    def of(self, parameter: Any = None) -> "ValueCondition":
        return ValueCondition(self, self.predicate(parameter), parameter)

    def holds(self, value: Any, schema: Schema, parameter: Any = None) -> bool:
        is_possible = self.subject in ("property", "value", _NAMES.get(type(value)))
        return is_possible and self.test(value, schema, parameter)


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """`predicate` follows a subject: `is absent`, `contains "'"`."""

    kind: ConditionKind
    predicate: str
    parameter: Any = field(compare=False)

    def holds(self, value: Any, schema: Schema) -> bool:
        return self.kind.holds(value, schema, self.parameter)


def _has_other_type(value: Any, schema: Schema, name: str) -> bool:
    allowed = types_of(schema)
    is_allowed = name in allowed or (name == "number" and "integer" in allowed)
    return _NAMES.get(type(value)) == name and not is_allowed


def _is_equal(value: Any, schema: Schema, wanted: Any) -> bool:
    return type(value) is type(wanted) and bool(value == wanted)


def utf16_length(text: str) -> int:
    """The length as Java, JavaScript and C# count it. A character beyond U+FFFF counts twice."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def utf8_length(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _is_above(number: int | float, schema: Schema, bound: tuple[int, bool]) -> bool:
    limit, only_integers = bound
    return number > limit and not (only_integers and isinstance(number, float))


def _is_below(number: int | float, schema: Schema, bound: tuple[int, bool]) -> bool:
    limit, only_integers = bound
    return number < limit and not (only_integers and isinstance(number, float))


def digit_count(number: int | float) -> int:
    """Returns the number of digits before and after the decimal point, as the decimal types of databases count them."""
    _, digits, exponent = Decimal(repr(number)).as_tuple()
    if not isinstance(exponent, int):  # a number that is too large for a double
        return 0
    return max(len(digits) + max(exponent, 0), -exponent)


def decimal_places(number: int | float) -> int:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _bound_in_words(side: str, bound: int, only_integers: bool) -> str:
    bits = next((name for power, name in _BITS.items() if abs(abs(bound) - 2**power) <= 1), None)
    if abs(bound) > 2**64:
        bits = "64 bits"
    return f"is {'an integer ' * only_integers}{f'beyond {bits}' if bits else f'{side} {bound:,}'}"


def _kind_of_edges(subject: str) -> ConditionKind:
    return ConditionKind(subject, lambda value, schema, edge: edge.test(value, schema), lambda edge: edge.predicate)


def _kind(subject: str, predicate: str, test: Callable[[Any], bool]) -> ConditionKind:
    """Returns a kind with one condition, which has no parameter and does not depend on the schema."""
    return ConditionKind(subject, lambda value, schema, _: test(value), lambda _: predicate)


def _lacking(predicate: str, has: Callable[[str, str], bool]) -> ConditionKind:
    """Returns a kind whose parameter is the part that a string lacks, and whether an empty string counts, too."""

    def is_lacking(text: str, schema: Schema, parameter: tuple[str, bool]) -> bool:
        part, includes_empty = parameter
        return not has(text, part) if text else includes_empty

    def in_words(parameter: tuple[str, bool]) -> str:
        part, includes_empty = parameter
        return f"{predicate} {describe(part)}{'' if includes_empty else ', but is not empty'}"

    return ConditionKind("string", is_lacking, in_words)


MISSING: Final = _kind("property", "is absent", lambda value: value is ABSENT)
WITHOUT_VALUE: Final = _kind("property", "is absent or null", lambda value: value in (ABSENT, None))
PRESENT: Final = _kind("property", "is present", lambda value: value is not ABSENT)
HAS_VALUE: Final = _kind("property", "has a value", lambda value: value not in (ABSENT, None))
EQUALS: Final = ConditionKind("value", _is_equal, lambda value: f"is {describe(value)}")
DIFFERS: Final = ConditionKind(
    "value",
    lambda value, schema, other: value is not ABSENT and bool(value != other),
    lambda other: f"is not {describe(other)}",
)
OTHER_TYPE: Final = ConditionKind("value", _has_other_type, lambda name: f"is {with_article(name)}")
EDGES: Final = {subject: _kind_of_edges(subject) for subject in ("string", "number")}
CONTAINS: Final = ConditionKind(
    "string", lambda text, schema, literal: literal in text, lambda literal: f"contains {describe(literal)}"
)
LONGER: Final = ConditionKind(
    "string",
    lambda text, schema, length: len(text) > length,
    lambda length: f"is longer than {length:,} characters",
)
MORE_BYTES: Final = ConditionKind(
    "string",
    lambda text, schema, size: utf8_length(text) > size,
    lambda size: f"is longer than {size:,} bytes in UTF-8",
)
MORE_UNITS: Final = ConditionKind(
    "string",
    lambda text, schema, length: utf16_length(text) > length,
    lambda length: f"is longer than {length:,} characters in UTF-16",
)
SHORTER: Final = ConditionKind(
    "string",
    lambda text, schema, length: len(text) < length,
    lambda length: f"is shorter than {length:,} characters",
)
SHORT: Final = ConditionKind(
    "string",
    lambda text, schema, length: 0 < len(text) < length,
    lambda length: f"is shorter than {length:,} characters, but not empty",
)
LACKS: Final = _lacking("contains no", lambda text, part: part in text)
LACKS_BEGINNING: Final = _lacking("does not begin with", str.startswith)
LACKS_END: Final = _lacking("does not end with", str.endswith)
OUTSIDE: Final = ConditionKind(
    "string",
    lambda text, schema, alphabet: not alphabet.has_all_of(text),
    lambda alphabet: f"contains other characters than {alphabet}",
)
OUTSIDE_OR_EMPTY: Final = ConditionKind(
    "string",
    lambda text, schema, alphabet: not text or not alphabet.has_all_of(text),
    lambda alphabet: f"is empty or contains other characters than {alphabet}",
)
_OF_CHARACTERS: Final = (
    _kind(
        "string",
        "contains half of a surrogate pair",
        lambda text: any("\ud800" <= letter <= "\udfff" for letter in text),
    ),
    # each language has its own idea of what else is blank
    _kind(
        "string",
        "contains only spaces, tabs and line breaks",
        lambda text: text != "" and not text.strip(" \t\n\v\f\r"),
    ),
    _kind("string", "contains a character beyond ASCII", lambda text: not text.isascii()),
    # HTTP headers, and databases with an old encoding
    _kind("string", "contains a character beyond Latin-1", lambda text: max(text, default="") > "\xff"),
)
_OF_WHOLE_STRINGS: Final = (
    _kind("string", "begins or ends with white space", lambda text: text != text.strip()),
    _kind("string", "does not begin with a letter", lambda text: text != "" and not text[0].isalpha()),
    _kind("string", "contains no letter", lambda text: text != "" and not any(map(str.isalpha, text))),
    _kind("string", "contains a small letter", lambda text: any(map(str.islower, text))),
    _kind("string", "contains a capital letter", lambda text: any(map(str.isupper, text))),
    _kind("string", "is empty or contains only white space", lambda text: not text.strip()),
)
# JavaScript's integers are exact up to this number
BEYOND_53_BITS: Final = _kind("number", "is beyond 53 bits", lambda number: abs(number) > 2**53)
# some readers reject 1.0 and 1e2 where they expect an integer
HAS_POINT: Final = _kind("number", "has a decimal point or an exponent", lambda number: isinstance(number, float))
IS_INTEGER: Final = _kind("number", "is written as an integer", lambda number: isinstance(number, int))
# Some readers treat an integer and the same number with a fraction differently.
ABOVE: Final = ConditionKind("number", _is_above, lambda bound: _bound_in_words("above", *bound))
BELOW: Final = ConditionKind("number", _is_below, lambda bound: _bound_in_words("below", *bound))
MORE_DIGITS: Final = ConditionKind(
    "number",
    lambda number, schema, count: digit_count(number) > count,
    lambda count: f"has more than {counted(count, 'digit')}",
)
MORE_PLACES: Final = ConditionKind(
    "number",
    lambda number, schema, count: decimal_places(number) > count,
    lambda count: f"has more than {counted(count, 'decimal place')}",
)
MORE_ITEMS: Final = ConditionKind(
    "array",
    lambda items, schema, count: len(items) > count,
    lambda count: f"has more than {counted(count, 'item')}" if count else "is not empty",
)
ITEM_COUNT: Final = ConditionKind(
    "array",
    lambda items, schema, count: len(items) == count,
    lambda count: f"has {counted(count, 'item')}" if count else "is empty",
)
MORE_PROPERTIES: Final = ConditionKind(
    "object",
    lambda properties, schema, count: len(properties) > count,
    lambda count: f"has more than {count} properties",
)
EMPTY_OBJECT: Final = _kind("object", "is empty", lambda properties: not properties)


def conditions_of(value: Any, schema: Schema, edges: list[Edge]) -> Iterator[ValueCondition]:
    """Yields the conditions that hold for a value, the plainest first. `edges` are the edges of the value."""
    if value is ABSENT:
        yield from (MISSING.of(), WITHOUT_VALUE.of())
        return
    name = _NAMES.get(type(value), "null")
    if _has_other_type(value, schema, name):
        yield OTHER_TYPE.of(name)
    if isinstance(value, list):
        yield ITEM_COUNT.of(len(value))
        return
    if isinstance(value, dict):
        return
    is_short = not isinstance(value, str) or len(value) <= _LONGEST_LITERAL
    yield from (kind.of() for kind in _OF_CHARACTERS if kind.holds(value, schema))
    if isinstance(value, str) and value and is_short and "enum" not in schema:
        yield CONTAINS.of(value)
    if isinstance(value, str) and "enum" not in schema:
        marks = dict.fromkeys(letter for letter in value[:_LONGEST_WITH_MARKS] if not letter.isalnum())
        yield from map(CONTAINS.of, marks)
    if isinstance(value, str) and (year := _YEAR.match(value)):
        yield CONTAINS.of(year[0])
    if BEYOND_53_BITS.holds(value, schema):
        yield BEYOND_53_BITS.of()
    if kind := EDGES.get(name):
        yield from (kind.of(edge) for edge in edges)
    if "enum" not in schema:
        yield from (kind.of() for kind in _OF_WHOLE_STRINGS if kind.holds(value, schema))
    if isinstance(value, float):
        yield HAS_POINT.of()
    if isinstance(value, int) and not isinstance(value, bool):
        yield IS_INTEGER.of()
        # a search has found the first one that fails
        is_bound_of_type = abs(value) >= 2**31
        for only_integers in (is_bound_of_type, not is_bound_of_type):
            if value >= 0:
                yield ABOVE.of((value - 1, only_integers))
            if value <= 0:
                yield BELOW.of((value + 1, only_integers))
    if isinstance(value, int | float) and not isinstance(value, bool) and (digits := digit_count(value)) > 1:
        yield MORE_DIGITS.of(digits - 1)
        if (places := decimal_places(value)) > 1:
            yield MORE_PLACES.of(places - 1)
    if is_short:
        yield EQUALS.of(value)
    if value is None:
        yield WITHOUT_VALUE.of()


def longer_than_shortened(value: Any) -> Iterator[ValueCondition]:
    """Yields the lengths that a string or an array exceeds by one: the shrinker has found no shorter one that fails."""
    if isinstance(value, str) and 1 < len(value) <= MOST_CUT:
        yield LONGER.of(len(value) - 1)
        yield MORE_BYTES.of(utf8_length(value) - 1)
        yield MORE_UNITS.of(utf16_length(value) - 1)
    if isinstance(value, list) and len(value) > 1:
        yield MORE_ITEMS.of(len(value) - 1)
