"""Coercions: values of another type that lenient readers take for the right one. Most go by what is there."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.other_types import put
from brokerfuzz.cases.techniques.registry import Spot, breaks, enter
from brokerfuzz.schemas.instants import instant

ChangeOf = Callable[[Spot], Change | None]


def _in_place_of(kind: Callable[[Any], bool], value: Any) -> ChangeOf:
    """The value where such a value is; a number as it is written, where it is a `Fragment`."""
    if isinstance(value, Fragment):
        return lambda spot: Put(value) if kind(spot.present) and spot.forbids("number") else None
    return lambda spot: put(spot, value) if kind(spot.present) else None


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


# ------------------------------------------------------------------------------------------------ numbers in quotes


def _in_quotes(spell: Callable[[str], str]) -> ChangeOf:
    """The number that is there, as a text."""
    return lambda spot: put(spot, spell(str(spot.present))) if _is_number(spot.present) else None


for _name, _text, _spell in (
    ("numeric-string", "The number that belongs there, in quotes.", lambda digits: digits),
    ("padded-numeric-string", "The number that belongs there, in quotes and between blanks.", lambda digits: f" {digits} "),
    ("numeric-string-and-line-break", "The number that belongs there, in quotes and with a line break behind it.", lambda digits: f"{digits}\n"),
    ("leading-zero-string", "The number that belongs there, in quotes and with zeros before it.", lambda digits: f"00{digits.lstrip('-')}"),
    ("signed-string", "The number that belongs there, in quotes and with a plus sign.", lambda digits: f"+{digits.lstrip('-')}"),
    ("scientific-string", "The number that belongs there, in quotes and with an exponent.", lambda digits: f"{digits}e0"),
    ("string-with-unit", "The number that belongs there, in quotes and with a unit behind it.", lambda digits: f"{digits} lb"),
    ("string-with-currency", "The number that belongs there, in quotes and behind a dollar sign.", lambda digits: f"${digits}"),
    ("bracketed-string", "The number that belongs there, in quotes and between parentheses, as accounts have it.", lambda digits: f"({digits})"),
):
    enter(_name, _text, "type", family="coercion", change=_in_quotes(_spell))

for _name, _text, _written in (
    ("hexadecimal-string", "A number in hexadecimal, in quotes.", "0x10"),
    ("thousands-comma-string", "A number with a comma between its thousands, in quotes.", "1,000"),
    ("thousands-underscore-string", "A number with an underscore between its thousands, in quotes.", "1_000"),
    ("decimal-comma-string", "A number in quotes with a comma before its fraction.", "1,5"),
    ("arabic-digits-string", "A number of Arabic digits, in quotes.", "١٢"),
    ("infinity-as-string", "The word Infinity in quotes where a number belongs.", "Infinity"),
    ("nan-as-string", "The word NaN in quotes where a number belongs.", "NaN"),
    ("blank-for-number", "A blank in quotes where a number belongs.", " "),
    ("word-for-number", "A number in words.", "one"),
    ("digit-string", "A number of one digit, in quotes.", "2"),
    ("negative-string", "A negative integer, in quotes.", "-3"),
    ("positive-string", "An integer in quotes and with a plus sign.", "+3"),
    ("padded-digit-string", "An integer in quotes and between blanks.", " 3 "),
):
    enter(_name, _text, "type", family="coercion", change=_in_place_of(_is_number, _written))


@breaks("type", family="coercion")
def fraction_of_zero_string(spot: Spot) -> Change | None:
    """The integer that belongs there, in quotes and with a fraction of zero."""
    return put(spot, f"{spot.present}.0") if _is_whole(spot.present) else None


# ------------------------------------------------------------------------------------------- fractions for integers

_value: Any
for _name, _text, _value in (
    ("fraction", "A number with a fraction where an integer belongs.", Fragment("1.5")),
    ("fraction-near-integer", "A number a hair above an integer where an integer belongs.", Fragment("2.0000001")),
    ("fraction-below-integer", "A number a hair below an integer where an integer belongs.", Fragment("1.9999999")),
    ("fraction-below-one", "A half where an integer belongs.", Fragment("0.5")),
    ("fraction-below-zero", "A negative number with a fraction where an integer belongs.", Fragment("-1.5")),
    ("fraction-by-exponent", "A number where an integer belongs, whose exponent makes it a fraction.", Fragment("15e-1")),
):
    enter(_name, _text, "type", family="coercion", change=_in_place_of(_is_whole, _value))


@breaks("type", family="coercion")
def hair_above_integer(spot: Spot) -> Change | None:
    """A number so little above an integer that a tolerance takes it for one."""
    return Put(Fragment("1.0000000001")) if _is_whole(spot.present) and spot.forbids("number") else None


# --------------------------------------------------------------------------------------------- booleans in quotes

for _name, _text, _value in (
    ("true-as-string", "The word true in quotes where a boolean belongs.", "true"),
    ("false-as-string", "The word false in quotes where a boolean belongs.", "false"),
    ("capitalised-true-as-string", "The word True in quotes where a boolean belongs.", "True"),
    ("capitalised-false-as-string", "The word False in quotes where a boolean belongs.", "False"),
    ("upper-case-true-as-string", "The word TRUE in quotes where a boolean belongs.", "TRUE"),
    ("padded-true-as-string", "The word true between blanks, in quotes, where a boolean belongs.", " true "),
    ("yes-as-string", "The word yes in quotes where a boolean belongs.", "yes"),
    ("no-as-string", "The word no in quotes where a boolean belongs.", "no"),
    ("on-as-string", "The word on in quotes where a boolean belongs.", "on"),
    ("off-as-string", "The word off in quotes where a boolean belongs.", "off"),
    ("one-as-string", "The digit 1 in quotes where a boolean belongs.", "1"),
    ("zero-as-string", "The digit 0 in quotes where a boolean belongs.", "0"),
    ("t-as-string", "The letter t in quotes where a boolean belongs.", "t"),
    ("f-as-string", "The letter f in quotes where a boolean belongs.", "f"),
    ("capital-y-as-string", "The letter Y in quotes where a boolean belongs.", "Y"),
    ("capital-n-as-string", "The letter N in quotes where a boolean belongs.", "N"),
    ("minus-one-for-boolean", "Minus one, true in Basic, where a boolean belongs.", -1),
    ("two-for-boolean", "Two where a boolean belongs.", 2),
    ("fraction-for-boolean", "A half where a boolean belongs.", 0.5),
):
    enter(_name, _text, "type", family="coercion", change=_in_place_of(_is_boolean, _value))

# ------------------------------------------------------------------------------------------------ scalars for texts

for _name, _text, _value in (
    ("negative-for-string", "A negative number where a text belongs.", -1),
    ("fraction-for-string", "A number with a fraction where a text belongs.", 1.5),
    ("long-number-for-string", "An integer of twenty digits where a text belongs.", Fragment("12345678901234567890")),
):
    enter(_name, _text, "type", family="coercion", change=_in_place_of(_is_text, _value))


@breaks("type", family="coercion")
def epoch_number(spot: Spot) -> Change | None:
    """The point in time that belongs there as a count of seconds since 1970."""
    when = _instant(spot.present)
    return put(spot, int(when.timestamp())) if when else None


@breaks("type", family="coercion")
def epoch_milliseconds(spot: Spot) -> Change | None:
    """The point in time that belongs there as a count of milliseconds since 1970."""
    when = _instant(spot.present)
    return put(spot, int(when.timestamp()) * 1000) if when else None


@breaks("type", family="coercion")
def date_in_parts(spot: Spot) -> Change | None:
    """The point in time that belongs there as an array of year, month, day, hour, minute and second, as some Java writes it."""
    when = _instant(spot.present)
    return put(spot, [when.year, when.month, when.day, when.hour, when.minute, when.second]) if when else None


@breaks("type", family="coercion")
def dated_object(spot: Spot) -> Change | None:
    """The point in time that belongs there as the object that document databases write."""
    return put(spot, {"$date": spot.present}) if _instant(spot.present) else None
