"""Defines techniques for the bounds and the steps of numbers."""

from collections.abc import Callable
from math import inf, nextafter
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_rows
from brokerfuzz.schemas.flattening import types_of


def _whole(context: FaultContext) -> bool:
    return "number" not in types_of(context.schema)


def _beyond(context: FaultContext, value: Any) -> bool:
    return bool(value < context.rule.value if "inimum" in context.rule.keyword else value > context.rule.value)


def _put(number: float) -> Change:
    """orjson writes only integers of 64 bits."""
    return Put(number if isinstance(number, float) or number.bit_length() < 64 else Fragment(str(number)))


# ------------------------------------------------------------------------------------------------- next to the bound


@breaks("minimum", family="bound")
def one_below(context: FaultContext) -> Change:
    """One less than the minimum (one step less if there is a step size)."""
    step = context.schema.get("multipleOf", 1)
    return _put((-(-context.rule.value // step) - 1) * step if isinstance(step, int) else context.rule.value - step)


@breaks("maximum", family="bound")
def one_above(context: FaultContext) -> Change:
    """One more than the maximum (one step more if there is a step size)."""
    step = context.schema.get("multipleOf", 1)
    return _put((context.rule.value // step + 1) * step if isinstance(step, int) else context.rule.value + step)


@breaks("minimum", "exclusiveMinimum", family="bound")
def zero(context: FaultContext) -> Change | None:
    """Zero instead of a number whose minimum is above zero."""
    return Put(0) if context.rule.value > 0 else None


@breaks("minimum", "exclusiveMinimum", family="bound")
def negative(context: FaultContext) -> Change | None:
    """Minus one instead of a number whose minimum is zero or more."""
    return Put(-1) if context.rule.value >= 0 else None


@breaks("exclusiveMinimum", "exclusiveMaximum", family="bound")
def on_the_bound(context: FaultContext) -> Change:
    """A number that equals an exclusive minimum or maximum."""
    return Put(context.rule.value)


@breaks("exclusiveMinimum", family="bound")
def below_the_bound(context: FaultContext) -> Change:
    """One less than an exclusive minimum."""
    return _put(context.rule.value - 1)


@breaks("exclusiveMaximum", family="bound")
def above_the_bound(context: FaultContext) -> Change:
    """One more than an exclusive maximum."""
    return _put(context.rule.value + 1)


def _fraction(value: Callable[[Any], Any]) -> ChangeOf:
    """Replaces a number that may have a fraction. `value` computes the new number from the minimum."""
    return lambda context: None if _whole(context) else Put(value(context.rule.value))


register_rows(
    "minimum",
    family="bound",
    change=_fraction,
    rows=[
        ("just-below", "0.01 less than the minimum.", lambda minimum: round(minimum - 0.01, 2)),
        ("hair-below", "The largest double below the minimum.", lambda minimum: nextafter(minimum, -inf)),
        ("below-doubles", "A number too low for a double.", lambda minimum: Fragment("-1e400")),
    ],
)


# --------------------------------------------------------------------------------------------- where integers wrap


@breaks("minimum", family="bound")
def wraps_from_below(context: FaultContext) -> Change | None:
    """The minimum minus 2^32, which wraps around to the minimum in a 32-bit integer."""
    return _put(context.rule.value - (1 << 32)) if _whole(context) else None


@breaks("minimum", family="bound")
def wraps_64_bits_from_below(context: FaultContext) -> Change | None:
    """The minimum minus 2^64, which wraps around to the minimum in a 64-bit integer."""
    return Put(Fragment(str(context.rule.value - (1 << 64)))) if _whole(context) else None


def _integer(value: int) -> ChangeOf:
    """Replaces an integer with `value`, if `value` breaks the rule."""
    literal = Fragment(str(value))
    return lambda context: Put(literal) if _whole(context) and _beyond(context, value) else None


def _literal(written: str) -> ChangeOf:
    """Writes `written` instead of the number, if `written` breaks the rule."""
    literal = Fragment(written)
    return lambda context: Put(literal) if _beyond(context, float(written)) else None


register_rows(
    "minimum",
    family="bound",
    rows=[
        ("below-int32", "One less than the minimum of a signed 32-bit integer.", _integer(-(1 << 31) - 1)),
        ("below-int64", "One less than the minimum of a signed 64-bit integer.", _integer(-(1 << 63) - 1)),
        ("minus-four-hundred-digits", "A negative integer with 400 digits.", _literal("-1" + "0" * 399)),
        ("below-by-exponent", "A negative 11-digit integer, written with an exponent.", _literal("-1e10")),
    ],
)
register_rows(
    "maximum",
    family="bound",
    rows=[
        ("wraps-from-above", "A number so high that it wraps around to 1 in 32 bits.", _integer((1 << 32) + 1)),
        ("most-of-uint32", "The maximum of an unsigned 32-bit integer.", _integer((1 << 32) - 1)),
        ("most-of-int64", "The maximum of a signed 64-bit integer.", _integer((1 << 63) - 1)),
        ("far-above", "One more than the maximum of a signed 64-bit integer.", _integer(1 << 63)),
        ("wraps-64-bits", "A number so high that it wraps around to 1 in 64 bits.", _integer((1 << 64) + 1)),
        (
            "four-hundred-digits",
            "A positive integer with 400 digits, too high for a double.",
            _literal("1" + "0" * 399),
        ),
        ("five-thousand-digits", "An integer with 5,000 digits. Python converts 4,300.", _literal("1" + "0" * 4999)),
        ("above-by-exponent", "A positive 11-digit integer, written with an exponent.", _literal("1e10")),
    ],
)

# --------------------------------------------------------------------------------------------------------- steps


@breaks("multipleOf", family="step")
def off_the_step(context: FaultContext) -> Change | None:
    """The valid number plus half of the step size multipleOf (for an integer: plus one)."""
    present = context.present if isinstance(context.present, int | float) else 0
    beside = present + (1 if _whole(context) else context.rule.value / 2)
    return Put(beside) if beside % context.rule.value else None
