"""Defines techniques that use a value of a wrong type. Lenient parsers convert this value to the right type and do not
notice the fault.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.other_types import put
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_rows
from brokerfuzz.schemas.instants import instant


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _instead_of(kind: Callable[[Any], bool]) -> Callable[[Any], ChangeOf]:
    """Returns a function that creates techniques: each replaces a value for which `kind` returns True."""
    return lambda value: lambda context: put(context, value) if kind(context.present) else None


# ----------------------------------------------------------------------------------------------- numbers as strings


def _as_string(write: Callable[[str], str]) -> ChangeOf:
    """Replaces a number, for example 5, with the string `write("5")`."""
    return lambda context: put(context, write(str(context.present))) if _is_number(context.present) else None


register_rows(
    "type",
    family="coercion",
    change=_as_string,
    rows=[
        ("numeric-string", 'The number as a string, for example "5" instead of 5.', lambda digits: digits),
        ("padded-numeric-string", "The number as a string with spaces around it.", lambda digits: f" {digits} "),
        ("leading-zero-string", "The number as a string with leading zeros.", lambda digits: f"00{digits.lstrip('-')}"),
        ("signed-string", "The number as a string with a plus sign.", lambda digits: f"+{digits.lstrip('-')}"),
        ("scientific-string", "The number as a string with an exponent.", lambda digits: f"{digits}e0"),
        ("string-with-unit", "The number as a string with a unit after it.", lambda digits: f"{digits} lb"),
        ("string-with-currency", "The number as a string with a dollar sign before it.", lambda digits: f"${digits}"),
    ],
)
register_rows(
    "type",
    family="coercion",
    change=_instead_of(_is_number),
    rows=[
        ("hexadecimal-string", "A hexadecimal number as a string.", "0x10"),
        ("thousands-comma-string", "A number as a string, with a comma as the thousands separator.", "1,000"),
        ("thousands-underscore-string", "A number as a string, with an underscore between its digits.", "1_000"),
        ("decimal-comma-string", "A number as a string, with a decimal comma.", "1,5"),
        ("arabic-digits-string", "A number as a string, in Arabic digits.", "١٢"),
        ("nan-as-string", 'The string "NaN" instead of a number.', "NaN"),
        ("blank-for-number", "A string with a single space instead of a number.", " "),
        ("digit-string", "A number with one digit, as a string.", "2"),
    ],
)


@breaks("type", family="coercion")
def fraction_of_zero_string(context: FaultContext) -> Change | None:
    """The integer as a string with a zero fraction, for example "5.0" instead of 5."""
    return put(context, f"{context.present}.0") if _is_whole(context.present) else None


# ------------------------------------------------------------------------------------------- fractions for integers


def _fraction(written: str) -> ChangeOf:
    """Writes `written` instead of an integer."""
    literal = Fragment(written)
    return lambda context: Put(literal) if _is_whole(context.present) and context.forbids("number") else None


register_rows(
    "type",
    family="coercion",
    change=_fraction,
    rows=[
        ("fraction", "A number with a fraction instead of an integer.", "1.5"),
        ("fraction-below-integer", "A number slightly below an integer instead of an integer.", "1.9999999"),
        ("fraction-by-exponent", "A fraction written with an exponent (15e-1) instead of an integer.", "15e-1"),
        ("hair-above-integer", "A number so close to an integer that a tolerant check accepts it.", "1.0000000001"),
    ],
)

# ------------------------------------------------------------------------------------------------ other conversions

register_rows(
    "type",
    family="coercion",
    change=_instead_of(lambda value: isinstance(value, bool)),
    rows=[
        ("true-as-string", 'The string "true" instead of a boolean.', "true"),
        ("false-as-string", 'The string "false" instead of a boolean.', "false"),
        ("capitalised-true-as-string", 'The string "True" instead of a boolean.', "True"),
        ("upper-case-true-as-string", 'The string "TRUE" instead of a boolean.', "TRUE"),
        ("padded-true-as-string", 'The string "true" with spaces around it, instead of a boolean.', " true "),
        ("yes-as-string", 'The string "yes" instead of a boolean.', "yes"),
        ("on-as-string", 'The string "on" instead of a boolean.', "on"),
        ("one-as-string", 'The string "1" instead of a boolean.', "1"),
        ("t-as-string", 'The string "t" instead of a boolean.', "t"),
        ("capital-y-as-string", 'The string "Y" instead of a boolean.', "Y"),
        ("two-for-boolean", "The number 2 instead of a boolean.", 2),
    ],
)


@breaks("type", family="coercion")
def fraction_for_string(context: FaultContext) -> Change | None:
    """A number with a fraction instead of a string."""
    return put(context, 1.5) if isinstance(context.present, str) else None


@breaks("type", family="coercion")
def long_number_for_string(context: FaultContext) -> Change | None:
    """A 20-digit integer instead of a string."""
    long = isinstance(context.present, str) and context.forbids("number")
    return Put(Fragment("12345678901234567890")) if long else None


def _instant(value: Any) -> datetime | None:
    return instant(value) if isinstance(value, str) else None


@breaks("type", family="coercion")
def epoch_number(context: FaultContext) -> Change | None:
    """The time as a number of seconds since 1970."""
    when = _instant(context.present)
    return put(context, int(when.timestamp())) if when else None


@breaks("type", family="coercion")
def date_in_parts(context: FaultContext) -> Change | None:
    """The time as an array of year, month, day, hour, minute and second, as some Java libraries write it."""
    when = _instant(context.present)
    return put(context, [when.year, when.month, when.day, when.hour, when.minute, when.second]) if when else None


@breaks("type", family="coercion")
def dated_object(context: FaultContext) -> Change | None:
    """The time as an object with a $date property, as document databases write it."""
    return put(context, {"$date": context.present}) if _instant(context.present) else None
