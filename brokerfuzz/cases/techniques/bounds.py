"""Techniques for the bounds and steps of numbers."""

from collections.abc import Callable
from math import inf, nextafter
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks, register_technique
from brokerfuzz.schemas.flattening import types_of


def _whole(spot: Spot) -> bool:
    return "number" not in types_of(spot.schema)


# ------------------------------------------------------------------------------------------------- next to the bound


@breaks("minimum", family="bound")
def one_below(spot: Spot) -> Change:
    """One less than the minimum (one step less if there is a step size)."""
    return Put(spot.rule.value - spot.schema.get("multipleOf", 1))


@breaks("maximum", family="bound")
def one_above(spot: Spot) -> Change:
    """One more than the maximum (one step more if there is a step size)."""
    return Put(spot.rule.value + spot.schema.get("multipleOf", 1))


@breaks("minimum", "exclusiveMinimum", family="bound")
def zero(spot: Spot) -> Change | None:
    """Zero, if the minimum is above zero."""
    return Put(0) if spot.rule.value > 0 else None


@breaks("minimum", "exclusiveMinimum", family="bound")
def negative(spot: Spot) -> Change | None:
    """Minus one, if the minimum is zero or more."""
    return Put(-1) if spot.rule.value >= 0 else None


@breaks("minimum", family="bound")
def just_below(spot: Spot) -> Change | None:
    """0.01 less than the minimum."""
    return None if _whole(spot) else Put(round(spot.rule.value - 0.01, 2))


@breaks("minimum", family="bound")
def hair_below(spot: Spot) -> Change | None:
    """The largest double below the minimum."""
    return None if _whole(spot) else Put(nextafter(spot.rule.value, -inf))


@breaks("minimum", family="bound")
def most_below(spot: Spot) -> Change | None:
    """The lowest number that a double can represent."""
    return None if _whole(spot) else Put(-1.7976931348623157e308)


@breaks("minimum", family="bound")
def below_doubles(spot: Spot) -> Change | None:
    """A number too low for a double."""
    return None if _whole(spot) else Put(Fragment("-1e400"))


@breaks("exclusiveMinimum", "exclusiveMaximum", family="bound")
def on_the_bound(spot: Spot) -> Change:
    """The bound itself, if the bound is exclusive."""
    return Put(spot.rule.value)


@breaks("exclusiveMinimum", family="bound")
def below_the_bound(spot: Spot) -> Change:
    """One less than an exclusive minimum."""
    return Put(spot.rule.value - 1)


@breaks("exclusiveMaximum", family="bound")
def above_the_bound(spot: Spot) -> Change:
    """One more than an exclusive maximum."""
    return Put(spot.rule.value + 1)


# --------------------------------------------------------------------------------------------- where integers wrap


@breaks("minimum", family="bound")
def wraps_from_below(spot: Spot) -> Change | None:
    """A number so low that it wraps around to the minimum in a 32-bit integer."""
    return Put(spot.rule.value - (1 << 32)) if _whole(spot) else None


@breaks("minimum", family="bound")
def wraps_64_bits_from_below(spot: Spot) -> Change | None:
    """A number so low that it wraps around to the minimum in a 64-bit integer."""
    return Put(Fragment(str(spot.rule.value - (1 << 64)))) if _whole(spot) else None


def _integer(value: int) -> Callable[[Spot], Change | None]:
    """Returns a function that puts this integer, if the site allows only integers and the value is out of bounds."""
    literal = Fragment(str(value))
    return lambda spot: Put(literal) if _whole(spot) and _beyond(spot, value) else None


def _literal(written: str) -> Callable[[Spot], Change | None]:
    """Returns a function that puts this number as written, if it is out of bounds. The number must be an integer."""
    literal = Fragment(written)
    return lambda spot: Put(literal) if _beyond(spot, float(written)) else None


def _beyond(spot: Spot, value: Any) -> bool:
    return bool(value < spot.rule.value if "inimum" in spot.rule.keyword else value > spot.rule.value)


for _name, _text, _value in (
    ("below-int32", "One less than the minimum of a signed 32-bit integer.", -(1 << 31) - 1),
    ("far-below", "The minimum of a signed 64-bit integer.", -(1 << 63)),
    ("below-int64", "One less than the minimum of a signed 64-bit integer.", -(1 << 63) - 1),
):
    register_technique(_name, _text, "minimum", family="bound", change=_integer(_value))

for _name, _text, _value in (
    ("wraps-from-above", "A number so high that it wraps around to 1 in a 32-bit integer.", (1 << 32) + 1),
    ("wraps-to-zero", "A number so high that it wraps around to 0 in a 32-bit integer.", 1 << 32),
    ("most-of-uint32", "The maximum of an unsigned 32-bit integer.", (1 << 32) - 1),
    ("past-exact-doubles", "The first integer that a double cannot represent exactly.", (1 << 53) + 1),
    ("most-of-int64", "The maximum of a signed 64-bit integer.", (1 << 63) - 1),
    ("far-above", "One more than the maximum of a signed 64-bit integer.", 1 << 63),
    ("most-of-uint64", "The maximum of an unsigned 64-bit integer.", (1 << 64) - 1),
    ("wraps-64-bits-to-zero", "A number so high that it wraps around to 0 in a 64-bit integer.", 1 << 64),
    ("wraps-64-bits", "A number so high that it wraps around to 1 in a 64-bit integer.", (1 << 64) + 1),
):
    register_technique(_name, _text, "maximum", family="bound", change=_integer(_value))

for _name, _text, _keyword, _written in (
    ("forty-digits", "A positive integer with 40 digits.", "maximum", "1" + "0" * 39),
    ("minus-forty-digits", "A negative integer with 40 digits.", "minimum", "-1" + "0" * 39),
    ("above-by-exponent", "A positive 11-digit integer, written with an exponent.", "maximum", "1e10"),
    ("below-by-exponent", "A negative 11-digit integer, written with an exponent.", "minimum", "-1e10"),
    ("above-doubles", "A number too high for a double.", "maximum", "1e400"),
):
    register_technique(_name, _text, _keyword, family="bound", change=_literal(_written))

# --------------------------------------------------------------------------------------------------------- steps


@breaks("multipleOf", family="step")
def off_the_step(spot: Spot) -> Change | None:
    """A number half a step above a multiple of the step (one above if values are integers)."""
    beside = spot.present + (1 if _whole(spot) else spot.rule.value / 2)
    return Put(beside) if beside % spot.rule.value else None


@breaks("multipleOf", family="step")
def off_the_step_below(spot: Spot) -> Change | None:
    """A number half a step below a multiple of the step (one below if values are integers)."""
    beside = spot.present - (1 if _whole(spot) else spot.rule.value / 2)
    return Put(beside) if beside % spot.rule.value else None
