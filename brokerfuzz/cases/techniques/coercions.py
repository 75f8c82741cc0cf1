"""Defines techniques that use a value of a wrong type. Lenient parsers convert this value to the right type and do not
notice the fault.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.other_types import put
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_technique
from brokerfuzz.schemas.instants import instant


def _in_place_of(kind: Callable[[Any], bool], value: Any) -> ChangeOf:
    """Returns a technique that puts `value` into the message. The technique applies only if `kind` returns True for the
    old value. If `value` is a `Fragment` (JSON text such as `15e-1`), the message contains exactly this text.
    """
    if isinstance(value, Fragment):
        return lambda context: Put(value) if kind(context.present) and context.forbids("number") else None
    return lambda context: put(context, value) if kind(context.present) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _instant(value: Any) -> datetime | None:
    return instant(value) if isinstance(value, str) else None


# ----------------------------------------------------------------------------------------------- numbers as strings


def _number_as_string(spell: Callable[[str], str]) -> ChangeOf:
    """Returns a technique that replaces a number, for example 5, with the string `spell("5")`."""
    return lambda context: put(context, spell(str(context.present))) if _is_number(context.present) else None


for _name, _text, _spell in (
    ("numeric-string", 'The number as a string, for example "5" instead of 5.', lambda digits: digits),
    ("padded-numeric-string", "The number as a string with spaces around it.", lambda digits: f" {digits} "),
    (
        "numeric-string-and-line-break",
        "The number as a string with a line break after it.",
        lambda digits: f"{digits}\n",
    ),
    ("leading-zero-string", "The number as a string with leading zeros.", lambda digits: f"00{digits.lstrip('-')}"),
    ("signed-string", "The number as a string with a plus sign.", lambda digits: f"+{digits.lstrip('-')}"),
    ("scientific-string", "The number as a string with an exponent.", lambda digits: f"{digits}e0"),
    ("string-with-unit", "The number as a string with a unit after it.", lambda digits: f"{digits} lb"),
    ("string-with-currency", "The number as a string with a dollar sign before it.", lambda digits: f"${digits}"),
    ("bracketed-string", "The number as a string in parentheses, as in accounting.", lambda digits: f"({digits})"),
):
    register_technique(_name, _text, "type", family="coercion", change=_number_as_string(_spell))

for _name, _text, _written in (
    ("hexadecimal-string", "A hexadecimal number as a string.", "0x10"),
    ("thousands-comma-string", "A number as a string, with a comma as the thousands separator.", "1,000"),
    ("thousands-underscore-string", "A number as a string, with an underscore as the thousands separator.", "1_000"),
    ("decimal-comma-string", "A number as a string, with a decimal comma.", "1,5"),
    ("arabic-digits-string", "A number as a string, in Arabic digits.", "١٢"),
    ("infinity-as-string", 'The string "Infinity" instead of a number.', "Infinity"),
    ("nan-as-string", 'The string "NaN" instead of a number.', "NaN"),
    ("blank-for-number", "A string with a single space instead of a number.", " "),
    ("word-for-number", "A number spelled as an English word.", "one"),
    ("digit-string", "A number with one digit, as a string.", "2"),
    ("negative-string", "A negative integer as a string.", "-3"),
    ("positive-string", "An integer as a string, with a plus sign.", "+3"),
    ("padded-digit-string", "An integer as a string, with spaces around it.", " 3 "),
):
    register_technique(_name, _text, "type", family="coercion", change=_in_place_of(_is_number, _written))


@breaks("type", family="coercion")
def fraction_of_zero_string(context: FaultContext) -> Change | None:
    """The integer as a string with a zero fraction, for example "5.0" instead of 5."""
    return put(context, f"{context.present}.0") if _is_whole(context.present) else None


# ------------------------------------------------------------------------------------------- fractions for integers

_value: Any
for _name, _text, _value in (
    ("fraction", "A number with a fraction instead of an integer.", Fragment("1.5")),
    ("fraction-near-integer", "A number slightly above an integer instead of an integer.", Fragment("2.0000001")),
    ("fraction-below-integer", "A number slightly below an integer instead of an integer.", Fragment("1.9999999")),
    ("fraction-below-one", "One half (0.5) instead of an integer.", Fragment("0.5")),
    ("fraction-below-zero", "A negative number with a fraction instead of an integer.", Fragment("-1.5")),
    ("fraction-by-exponent", "A fraction written with an exponent (15e-1) instead of an integer.", Fragment("15e-1")),
):
    register_technique(_name, _text, "type", family="coercion", change=_in_place_of(_is_whole, _value))


@breaks("type", family="coercion")
def hair_above_integer(context: FaultContext) -> Change | None:
    """A number so close to an integer that a check with a tolerance accepts it."""
    return Put(Fragment("1.0000000001")) if _is_whole(context.present) and context.forbids("number") else None


# -------------------------------------------------------------------------------------------- booleans as strings

for _name, _text, _value in (
    ("true-as-string", 'The string "true" instead of a boolean.', "true"),
    ("false-as-string", 'The string "false" instead of a boolean.', "false"),
    ("capitalised-true-as-string", 'The string "True" instead of a boolean.', "True"),
    ("capitalised-false-as-string", 'The string "False" instead of a boolean.', "False"),
    ("upper-case-true-as-string", 'The string "TRUE" instead of a boolean.', "TRUE"),
    ("padded-true-as-string", 'The string "true" with spaces around it, instead of a boolean.', " true "),
    ("yes-as-string", 'The string "yes" instead of a boolean.', "yes"),
    ("no-as-string", 'The string "no" instead of a boolean.', "no"),
    ("on-as-string", 'The string "on" instead of a boolean.', "on"),
    ("off-as-string", 'The string "off" instead of a boolean.', "off"),
    ("one-as-string", 'The string "1" instead of a boolean.', "1"),
    ("zero-as-string", 'The string "0" instead of a boolean.', "0"),
    ("t-as-string", 'The string "t" instead of a boolean.', "t"),
    ("f-as-string", 'The string "f" instead of a boolean.', "f"),
    ("capital-y-as-string", 'The string "Y" instead of a boolean.', "Y"),
    ("capital-n-as-string", 'The string "N" instead of a boolean.', "N"),
    ("minus-one-for-boolean", "The number -1 (true in Basic) instead of a boolean.", -1),
    ("two-for-boolean", "The number 2 instead of a boolean.", 2),
    ("fraction-for-boolean", "The number 0.5 instead of a boolean.", 0.5),
):
    register_technique(_name, _text, "type", family="coercion", change=_in_place_of(_is_boolean, _value))

# ---------------------------------------------------------------------------------------------- scalars for strings

for _name, _text, _value in (
    ("negative-for-string", "A negative number instead of a string.", -1),
    ("fraction-for-string", "A number with a fraction instead of a string.", 1.5),
    ("long-number-for-string", "A 20-digit integer instead of a string.", Fragment("12345678901234567890")),
):
    register_technique(_name, _text, "type", family="coercion", change=_in_place_of(_is_text, _value))


@breaks("type", family="coercion")
def epoch_number(context: FaultContext) -> Change | None:
    """The time as a number of seconds since 1970."""
    when = _instant(context.present)
    return put(context, int(when.timestamp())) if when else None


@breaks("type", family="coercion")
def epoch_milliseconds(context: FaultContext) -> Change | None:
    """The time as a number of milliseconds since 1970."""
    when = _instant(context.present)
    return put(context, int(when.timestamp()) * 1000) if when else None


@breaks("type", family="coercion")
def date_in_parts(context: FaultContext) -> Change | None:
    """The time as an array of year, month, day, hour, minute and second, as some Java libraries write it."""
    when = _instant(context.present)
    return put(context, [when.year, when.month, when.day, when.hour, when.minute, when.second]) if when else None


@breaks("type", family="coercion")
def dated_object(context: FaultContext) -> Change | None:
    """The time as an object with a $date property, as document databases write it."""
    return put(context, {"$date": context.present}) if _instant(context.present) else None
