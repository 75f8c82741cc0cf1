"""Draws strings, numbers, booleans and the values of fixed lists.

A value is the plainest one, any value, or an edge: a valid value that programs often handle incorrectly. "Any value"
can have each length and size that the schema allows, so that Hypothesis can find the exact length or size at which a
bug occurs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

from brokerfuzz.errors import ContractError
from brokerfuzz.generation import edge_values, realistic_values
from brokerfuzz.generation.edge_values import PAST_INSTANTS
from brokerfuzz.generation.site_questions import ambiguous_values, plain_values_at, touches_any, value_questions
from brokerfuzz.generation.sources import Draw, Source, Style
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.edge import LONGEST, EdgeTable
from brokerfuzz.schemas.instants import instant, spell
from brokerfuzz.schemas.keywords import Schema, common_multiple
from brokerfuzz.schemas.questions import Question
from brokerfuzz.schemas.questions.notations import INSTANTS
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.validation import judge_of, matches

_EXACT = 1 << 53
_LARGEST = 1.7976931348623157e308
_LETTERS = "aé🧪"
"""A long string repeats one of these letters (of one, two and four bytes), because recording long strings is slow."""
_SELDOM = (False,) * 15 + (True,)


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """The place of a value, and the style of the values there."""

    contract: Contract
    message_type: MessageType
    site: Site
    style: Style = field(default_factory=Style)

    @property
    def notation(self) -> EdgeTable | None:
        return plain_values_at(self.contract, self.message_type, self.site.path)

    @property
    def questions(self) -> Sequence[Question]:
        """The questions that values could touch. There are none if all values come from the table of a notation."""
        if self.notation is not None:
            return ()
        asked = value_questions(self.contract, self.message_type, self.site)
        return [question for _, question in asked if question.python_types]


class Values(NamedTuple):
    """The values of a place, without null. `edges` begins with the plainest value. `is_listed` is true if no other
    values are possible.
    """

    draw: Draw
    edges: Sequence[Any]
    is_listed: bool = False


def listed(schema: Schema) -> Sequence[Any] | None:
    """Returns the values of a place whose values come from a fixed list, such as an enumeration or reference data.
    Returns None for other places.
    """
    if "enum" in schema:
        accepts = judge_of(schema)
        return [value for value in schema["enum"] if value is not None and accepts(value)]
    if flat.KNOWN in schema:
        known_values: Sequence[Any] = schema[flat.KNOWN]
        return known_values
    if not schema.keys() - flat.ANNOTATIONS:
        return edge_values.OF_ANY_TYPE
    return None


def may_be_null(schema: Schema) -> bool:
    if "enum" in schema or flat.composed_keywords_of(schema):
        return matches(schema, None)
    return "null" in flat.types_of(schema)


def realistic(place: ValuePlace, values: Sequence[Any]) -> Sequence[Any]:
    """Returns the realistic values of a place, which may be none. A time at which something ends is later than other
    times.
    """
    if place.notation is PAST_INSTANTS:
        return ()
    if place.notation is INSTANTS:
        later = "end" in place.site.nearest_name.lower()
        return values[later : later + 1]
    return _without_questions(place, realistic_values.values(place.message_type, place.site))


def scalar(place: ValuePlace) -> Values | None:
    """Returns the strings, numbers and booleans that a place allows, or None if it allows none."""
    schema = place.site.schema
    if (values := listed(schema)) is not None:
        return choice(values) if values else None
    if place.style.plausible:
        fitting = realistic_values.values(place.message_type, place.site, plausible=True)
        if plausible := _without_questions(place, fitting):
            return choice(plausible)
    types = [name for name in _OF_TYPE if name in flat.types_of(schema)]
    if "number" in types and "integer" in types:
        types.remove("integer")
    values_by_type = [_unambiguous(place, _OF_TYPE[name](place), _PYTHON_TYPES[name]) for name in types]
    if not values_by_type:
        return None
    values_of_all = values_by_type[0] if len(values_by_type) == 1 else _any_of(values_by_type)
    if not place.style.ambiguities:
        return values_of_all
    odd = ambiguous_values(place.contract, place.message_type, place.site, place.style.ambiguities)
    return _sometimes(odd, values_of_all) if odd else values_of_all


def _without_questions(place: ValuePlace, values: Sequence[Any]) -> Sequence[Any]:
    questions = place.questions
    return [value for value in values if not touches_any(questions, value)]


def _plainest(place: ValuePlace, values: Sequence[Any]) -> Sequence[Any]:
    """Leaves out values that touch an open question, unless all of them do."""
    return _without_questions(place, values) or values


def _unambiguous(place: ValuePlace, values: Values, python_types: Collection[type]) -> Values:
    """Replaces a value that touches an open question by the plainest one."""
    questions = [question for question in place.questions if not {*question.python_types}.isdisjoint(python_types)]
    if not questions:
        return values

    def draw(source: Source) -> Any:
        value = values.draw(source)
        return values.edges[0] if touches_any(questions, value) else value

    return values._replace(draw=draw)


def choice(values: Sequence[Any]) -> Values:
    if any(isinstance(value, dict | list) for value in values):
        return Values(lambda source: deepcopy(source.choose(values)), values, is_listed=True)
    return Values(lambda source: source.choose(values), values, is_listed=True)


def _any_of(alternatives: Sequence[Values]) -> Values:
    draws = [values.draw for values in alternatives]
    return Values(
        lambda source: source.choose(draws)(source), [edge for values in alternatives for edge in values.edges]
    )


def _sometimes(odd: Sequence[Any], usual: Values) -> Values:
    return usual._replace(draw=lambda source: source.choose(odd) if source.choose(_SELDOM) else usual.draw(source))


# -------------------------------------------------------------------------------------------------------- strings


def _strings(place: ValuePlace) -> Values:
    schema = place.site.schema
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength")
    if place.notation:
        return _notations(place.notation, shortest, longest, place.site.path)
    top = edge_values.longest(schema)
    edges = _plainest(place, edge_values.texts(shortest, top))
    lengths = [length for length in (1, shortest, 255, 256, top) if shortest <= length <= top]
    short = [edge for edge in edges if len(edge) < max(_LONG, shortest + 1)]
    often = [edge for edge in edge_values.OFTEN if edge in short]

    def draw(source: Source) -> Any:
        if source.choose(_SELDOM):
            letter: str = source.choose(_LETTERS)
            return letter * source.integer(shortest, top, lengths)
        return source.text(shortest, top, short, often or short)

    return Values(draw, edges)


_LONG = 200
"""Strings of at least this length are drawn as a letter and a number, because recording long strings is slow."""


def _notations(table: EdgeTable, shortest: int, longest: int | None, path: str) -> Values:
    top = longest or LONGEST
    usual = [text for text in table.values if shortest <= len(text) <= top]
    if not usual:
        raise ContractError(
            f"brokerfuzz cannot generate a value for {path} that has from {shortest} to {top} characters: "
            f"change minLength or maxLength of {path}"
        )
    return (
        _instants(usual, past=table is PAST_INSTANTS)
        if table in (PAST_INSTANTS, INSTANTS)
        else choice(usual)._replace(is_listed=False)
    )


def _instants(usual: Sequence[str], *, past: bool) -> Values:
    origin = _moment(usual[0])

    def seconds_after(when: datetime) -> int:
        return int((when - origin).total_seconds())

    first = seconds_after(datetime(1753, 1, 1, tzinfo=UTC))
    last = seconds_after(
        edge_values.EARLIEST_NOW - timedelta(hours=1) if past else datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    )
    edges = [seconds_after(_moment(text)) for text in usual]
    return Values(lambda source: spell(origin + timedelta(seconds=source.integer(first, last, edges))), usual)


def _moment(text: str) -> datetime:
    when = instant(text)
    assert when is not None, text
    return when


# -------------------------------------------------------------------------------------------------------- numbers


def _integers(place: ValuePlace) -> Values:
    schema, path = place.site.schema, place.site.path
    step = int(common_multiple(schema.get("multipleOf", 1), 1))
    low, high = map(int, _bounds(schema, *_usual_range(schema)))
    if low >= 1 << 64 or high < -(1 << 63):
        raise ContractError(
            f"brokerfuzz cannot generate integers of more than 64 bits at {path}: change its minimum or maximum"
        )
    values = _plainest(place, edge_values.integers(low, high, step))
    if not values:
        raise ContractError(
            f"no integer at {path} can be at least {low}, at most {high} and a multiple of {step}: correct the "
            f"schema of {path}"
        )
    if step == 1:
        return Values(lambda source: source.integer(low, high, values), values)
    least, most, edges = -(-low // step), high // step, [value // step for value in values]
    return Values(lambda source: step * source.integer(least, most, edges), values)


def _usual_range(schema: Schema) -> tuple[int, int]:
    """Returns the range of integers without bounds: 32 bits, or beyond the other bound. With bounds, the range of the
    integers that a double can represent.
    """
    least = max(int(schema.get(keyword, -_LARGEST)) for keyword in ("minimum", "exclusiveMinimum"))
    most = min(int(schema.get(keyword, _LARGEST)) for keyword in ("maximum", "exclusiveMaximum"))
    low = -_EXACT if {"minimum", "exclusiveMinimum"} & schema.keys() else -(1 << 31)
    high = _EXACT if {"maximum", "exclusiveMaximum"} & schema.keys() else (1 << 31) - 1
    return min(low, most - 1000), max(high, least + 1000)


def _numbers(place: ValuePlace) -> Values:
    schema, path = place.site.schema, place.site.path
    low, high = map(float, _bounds(schema))
    if "multipleOf" in schema:
        return _multiples(schema["multipleOf"], low, high, path)
    values = _plainest(place, edge_values.numbers(low, high))
    return Values(lambda source: source.number(low, high, values), values)


def _multiples(step: float, low: float, high: float, path: str) -> Values:
    """Multiplies factors as decimals: 19.99 is 1999 times 0.01, but not in the arithmetic of doubles."""
    exact_step = Fraction(str(step))
    digits = int("".join(map(str, Decimal(str(step)).as_tuple().digits)))
    largest = int(_LARGEST_MULTIPLE / max(exact_step, Fraction(digits)))
    least = max(ceil(Fraction(str(low)) / exact_step), -largest)
    most = min(floor(Fraction(str(high)) / exact_step), largest)
    if least > most:
        raise ContractError(
            f"brokerfuzz finds no number at {path} that is a multiple of {step} and within the bounds: "
            f"correct the schema of {path}"
        )

    def multiple(factor: int) -> float:
        return step * factor if isinstance(step, int) else float(exact_step * factor)

    inexact = [Fraction(price) / exact_step for price in _INEXACT_PRICES]
    usual = [0, 1, 2, -1, 10, 100, *(int(factor) for factor in inexact if factor.denominator == 1)]
    factors = list(dict.fromkeys(min(max(factor, least), most) for factor in [*usual, least, most]))
    return Values(lambda source: multiple(source.integer(least, most, factors)), [*map(multiple, factors)])


_LARGEST_MULTIPLE = 10**15
"""A double represents each decimal of up to 15 digits."""
_INEXACT_PRICES = ("19.99", "8.69", "143.48")
"""Prices that are no whole number of cents in the arithmetic of doubles."""


def _bounds(schema: Schema, low: float = -_LARGEST, high: float = _LARGEST) -> tuple[float, float]:
    """Returns the inclusive minimum and maximum. For integers, an exclusive bound is replaced by the next allowed
    integer. For other numbers, an exclusive bound is replaced by an allowed number close to it.
    """
    whole = "number" not in flat.types_of(schema)
    low, high = max(low, schema.get("minimum", low)), min(high, schema.get("maximum", high))
    if "exclusiveMinimum" in schema:
        least = schema["exclusiveMinimum"]
        low = max(low, int(least // 1) + 1 if whole else least + max(1e-9, abs(least) * 1e-9))
    if "exclusiveMaximum" in schema:
        most = schema["exclusiveMaximum"]
        high = min(high, -int(-most // 1) - 1 if whole else most - max(1e-9, abs(most) * 1e-9))
    return low, high


def _booleans(place: ValuePlace) -> Values:
    return choice([False, True])


_OF_TYPE: Mapping[str, Callable[[ValuePlace], Values]] = {
    "string": _strings,
    "integer": _integers,
    "number": _numbers,
    "boolean": _booleans,
}
_PYTHON_TYPES: Mapping[str, Collection[type]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)
}  # fmt: skip
