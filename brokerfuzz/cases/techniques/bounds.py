"""Bounds and steps of numbers."""

from collections.abc import Callable
from math import inf, nextafter
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks, enter
from brokerfuzz.schemas.flattening import types_of


def _whole(spot: Spot) -> bool:
    return "number" not in types_of(spot.schema)


# ------------------------------------------------------------------------------------------------- next to the bound


@breaks("minimum", family="bound")
def one_below(spot: Spot) -> Change:
    """One less than the least, or a step less where values go in steps."""
    return Put(spot.rule.value - spot.schema.get("multipleOf", 1))


@breaks("maximum", family="bound")
def one_above(spot: Spot) -> Change:
    """One more than the most, or a step more where values go in steps."""
    return Put(spot.rule.value + spot.schema.get("multipleOf", 1))


@breaks("minimum", "exclusiveMinimum", family="bound")
def zero(spot: Spot) -> Change | None:
    """Zero, where that is too little."""
    return Put(0) if spot.rule.value > 0 else None


@breaks("minimum", "exclusiveMinimum", family="bound")
def negative(spot: Spot) -> Change | None:
    """Minus one, where what is below zero is too little."""
    return Put(-1) if spot.rule.value >= 0 else None


@breaks("minimum", family="bound")
def just_below(spot: Spot) -> Change | None:
    """A hundredth less than the least."""
    return None if _whole(spot) else Put(round(spot.rule.value - 0.01, 2))


@breaks("minimum", family="bound")
def hair_below(spot: Spot) -> Change | None:
    """The next number below the least that a double holds."""
    return None if _whole(spot) else Put(nextafter(spot.rule.value, -inf))


@breaks("minimum", family="bound")
def most_below(spot: Spot) -> Change | None:
    """As little as a double can be."""
    return None if _whole(spot) else Put(-1.7976931348623157e308)


@breaks("minimum", family="bound")
def below_doubles(spot: Spot) -> Change | None:
    """Less than a double can be."""
    return None if _whole(spot) else Put(Fragment("-1e400"))


@breaks("exclusiveMinimum", "exclusiveMaximum", family="bound")
def on_the_bound(spot: Spot) -> Change:
    """The bound itself, where it is not within."""
    return Put(spot.rule.value)


@breaks("exclusiveMinimum", family="bound")
def below_the_bound(spot: Spot) -> Change:
    """One less than a bound that is not within."""
    return Put(spot.rule.value - 1)


@breaks("exclusiveMaximum", family="bound")
def above_the_bound(spot: Spot) -> Change:
    """One more than a bound that is not within."""
    return Put(spot.rule.value + 1)


# --------------------------------------------------------------------------------------------- where integers wrap


@breaks("minimum", family="bound")
def wraps_from_below(spot: Spot) -> Change | None:
    """So far below that an integer of 32 bits that wraps around is within bounds again."""
    return Put(spot.rule.value - (1 << 32)) if _whole(spot) else None


@breaks("minimum", family="bound")
def wraps_64_bits_from_below(spot: Spot) -> Change | None:
    """So far below that an integer of 64 bits that wraps around is within bounds again."""
    return Put(Fragment(str(spot.rule.value - (1 << 64)))) if _whole(spot) else None


def _integer(value: int) -> Callable[[Spot], Change | None]:
    """The integer, where whole numbers belong and it is out of bounds."""
    literal = Fragment(str(value))
    return lambda spot: Put(literal) if _whole(spot) and _beyond(spot, value) else None


def _literal(written: str) -> Callable[[Spot], Change | None]:
    """The number as it is written, where it is out of bounds; its fraction is zero."""
    literal = Fragment(written)
    return lambda spot: Put(literal) if _beyond(spot, float(written)) else None


def _beyond(spot: Spot, value: Any) -> bool:
    return bool(value < spot.rule.value if "inimum" in spot.rule.keyword else value > spot.rule.value)


for _name, _text, _value in (
    ("below-int32", "One less than an integer of 32 bits can be.", -(1 << 31) - 1),
    ("far-below", "As little as an integer of 64 bits can be.", -(1 << 63)),
    ("below-int64", "One less than an integer of 64 bits can be.", -(1 << 63) - 1),
):
    enter(_name, _text, "minimum", family="bound", change=_integer(_value))

for _name, _text, _value in (
    ("wraps-from-above", "So far above that an integer of 32 bits that wraps around is one.", (1 << 32) + 1),
    ("wraps-to-zero", "So far above that an integer of 32 bits that wraps around is zero.", 1 << 32),
    ("most-of-uint32", "As much as an integer of 32 bits without a sign can be.", (1 << 32) - 1),
    ("past-exact-doubles", "The first integer that a double does not hold.", (1 << 53) + 1),
    ("most-of-int64", "As much as an integer of 64 bits can be.", (1 << 63) - 1),
    ("far-above", "More than a signed integer of 64 bits can be.", 1 << 63),
    ("most-of-uint64", "As much as an integer of 64 bits without a sign can be.", (1 << 64) - 1),
    ("wraps-64-bits-to-zero", "So far above that an integer of 64 bits that wraps around is zero.", 1 << 64),
    ("wraps-64-bits", "So far above that an integer of 64 bits that wraps around is one.", (1 << 64) + 1),
):
    enter(_name, _text, "maximum", family="bound", change=_integer(_value))

for _name, _text, _keyword, _written in (
    ("forty-digits", "An integer of forty digits.", "maximum", "1" + "0" * 39),
    ("minus-forty-digits", "A negative integer of forty digits.", "minimum", "-1" + "0" * 39),
    ("above-by-exponent", "An integer of eleven digits, written with an exponent.", "maximum", "1e10"),
    ("below-by-exponent", "A negative integer of eleven digits, written with an exponent.", "minimum", "-1e10"),
    ("above-doubles", "More than a double can be.", "maximum", "1e400"),
):
    enter(_name, _text, _keyword, family="bound", change=_literal(_written))

# --------------------------------------------------------------------------------------------------------- steps


@breaks("multipleOf", family="step")
def off_the_step(spot: Spot) -> Change | None:
    """Half a step beside a multiple, or one where steps are of integers."""
    beside = spot.present + (1 if _whole(spot) else spot.rule.value / 2)
    return Put(beside) if beside % spot.rule.value else None


@breaks("multipleOf", family="step")
def off_the_step_below(spot: Spot) -> Change | None:
    """Half a step below a multiple, or one where steps are of integers."""
    beside = spot.present - (1 if _whole(spot) else spot.rule.value / 2)
    return Put(beside) if beside % spot.rule.value else None
