"""Values: of the right type, and out of bounds."""

from datetime import timedelta
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import spell

INT32, INT64 = 1 << 32, 1 << 64


def _whole(spot: Spot) -> bool:
    return "number" not in types_of(spot.schema)


# -------------------------------------------------------------------------------------------------- enumerations


@breaks("enum", family="enumeration")
def outsider(spot: Spot) -> Change | None:
    """A value of the right type that is no member of the enumeration."""
    return _outside(spot, "Unknown")


@breaks("enum", family="enumeration")
def lower_case(spot: Spot) -> Change | None:
    """A member of the enumeration in small letters."""
    return _respelled(spot, str.lower)


@breaks("enum", family="enumeration")
def upper_case(spot: Spot) -> Change | None:
    """A member of the enumeration in capitals."""
    return _respelled(spot, str.upper)


@breaks("enum", family="enumeration")
def trailing_space(spot: Spot) -> Change | None:
    """A member of the enumeration with a blank behind it."""
    return _respelled(spot, lambda text: f"{text} ")


@breaks("enum", family="enumeration")
def leading_space(spot: Spot) -> Change | None:
    """A member of the enumeration with a blank before it."""
    return _respelled(spot, lambda text: f" {text}")


@breaks("enum", family="enumeration")
def without_spaces(spot: Spot) -> Change | None:
    """A member of the enumeration without the blanks in it."""
    return _respelled(spot, lambda text: text.replace(" ", ""))


@breaks("enum", family="enumeration")
def underscored(spot: Spot) -> Change | None:
    """A member of the enumeration with underscores for blanks."""
    return _respelled(spot, lambda text: text.replace(" ", "_"))


@breaks("enum", family="enumeration")
def hyphenated(spot: Spot) -> Change | None:
    """A member of the enumeration with hyphens for blanks."""
    return _respelled(spot, lambda text: text.replace(" ", "-"))


@breaks("enum", family="enumeration")
def doubled_space(spot: Spot) -> Change | None:
    """A member of the enumeration with two blanks for one."""
    return _respelled(spot, lambda text: text.replace(" ", "  "))


@breaks("enum", family="enumeration")
def no_break_space(spot: Spot) -> Change | None:
    """A member of the enumeration with no-break spaces for blanks."""
    return _respelled(spot, lambda text: text.replace(" ", "\u00a0"))


@breaks("enum", family="enumeration")
def prefix(spot: Spot) -> Change | None:
    """The beginning of a member of the enumeration."""
    return _respelled(spot, lambda text: text[: len(text) // 2])


@breaks("enum", family="enumeration")
def longer(spot: Spot) -> Change | None:
    """A member of the enumeration with a letter behind it."""
    return _respelled(spot, lambda text: f"{text}s")


@breaks("enum", family="enumeration")
def homoglyph(spot: Spot) -> Change | None:
    """A member of the enumeration with a Cyrillic letter that looks like its own."""
    return _respelled(spot, lambda text: text.translate(str.maketrans("aeopcxiE", "аеорсхіЕ")))


@breaks("enum", family="enumeration")
def empty_member(spot: Spot) -> Change | None:
    """An empty text in place of a member of the enumeration."""
    return _outside(spot, "")


@breaks("enum", family="enumeration")
def two_members(spot: Spot) -> Change | None:
    """Two members of the enumeration in one text."""
    return _outside(spot, ",".join(member for member in spot.rule.value[:2] if isinstance(member, str)))


@breaks("enum", family="enumeration")
def ordinal_text(spot: Spot) -> Change | None:
    """A digit in quotes, as the place of a member in the enumeration."""
    return _outside(spot, "1")


def _outside(spot: Spot, value: str) -> Change | None:
    return Put(value) if value not in spot.rule.value and "string" in types_of(spot.schema) else None


def _respelled(spot: Spot, respell: Any) -> Change | None:
    members = [spot.present, *spot.rule.value]
    for member in members:
        if isinstance(member, str) and respell(member) not in spot.rule.value:
            return Put(respell(member))
    return None


# -------------------------------------------------------------------------------------------------------- bounds


@breaks("minimum", family="bound")
def one_below(spot: Spot) -> Change:
    """One less than the least, or a step less where values go in steps."""
    return Put(spot.rule.value - spot.schema.get("multipleOf", 1))


@breaks("maximum", family="bound")
def one_above(spot: Spot) -> Change:
    """One more than the most, or a step more where values go in steps."""
    return Put(spot.rule.value + spot.schema.get("multipleOf", 1))


@breaks("minimum", "exclusiveMinimum", family="bound")
def negative(spot: Spot) -> Change | None:
    """Minus one, where what is below zero is too little."""
    return Put(-1) if spot.rule.value >= 0 else None


@breaks("minimum", family="bound")
def just_below(spot: Spot) -> Change | None:
    """A hundredth less than the least."""
    return None if _whole(spot) else Put(round(spot.rule.value - 0.01, 2))


@breaks("minimum", family="bound")
def wraps_from_below(spot: Spot) -> Change | None:
    """So far below that an integer of 32 bits that wraps around is within bounds again."""
    return Put(spot.rule.value - INT32) if _whole(spot) else None


@breaks("maximum", family="bound")
def wraps_from_above(spot: Spot) -> Change | None:
    """So far above that an integer of 32 bits that wraps around is within bounds again."""
    return Put(INT32 + 1) if _whole(spot) and spot.rule.value < INT32 + 1 else None


@breaks("minimum", family="bound")
def far_below(spot: Spot) -> Change:
    """As little as an integer of 64 bits can be."""
    return Put(-(1 << 63)) if _whole(spot) else Put(-1e300)


@breaks("maximum", family="bound")
def far_above(spot: Spot) -> Change:
    """More than a signed integer of 64 bits can be."""
    return Put(1 << 63) if _whole(spot) else Put(1e300)


@breaks("maximum", family="bound")
def forty_digits(spot: Spot) -> Change:
    """An integer of forty digits."""
    return Put(Fragment("1" + "0" * 39))


@breaks("minimum", family="bound")
def minus_forty_digits(spot: Spot) -> Change:
    """A negative integer of forty digits."""
    return Put(Fragment("-1" + "0" * 39))


@breaks("maximum", family="bound")
def wraps_64_bits(spot: Spot) -> Change | None:
    """So far above that an integer of 64 bits that wraps around is within bounds again."""
    return Put(Fragment(str(INT64 + 1))) if _whole(spot) else None


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


# ------------------------------------------------------------------------------------------------------- lengths


@breaks("minLength", family="length")
def one_shorter(spot: Spot) -> Change:
    """A text one character shorter than the shortest."""
    return Put("b" * (spot.rule.value - 1))


@breaks("maxLength", family="length")
def one_longer(spot: Spot) -> Change:
    """A text one character longer than the longest."""
    return Put("b" * (spot.rule.value + 1))


@breaks("maxLength", family="length")
def one_longer_with_blank(spot: Spot) -> Change:
    """A text of the greatest length with a blank behind it."""
    return Put("b" * spot.rule.value + " ")


# ------------------------------------------------------------------------------------------------------- strangers


@breaks("pattern", "format", family="spelling")
def unfitting_text(spot: Spot) -> Change:
    """A text of one tilde, which few patterns and formats have."""
    return Put("~")


@breaks("pattern", "format", family="spelling")
def fitting_and_more(spot: Spot) -> Change | None:
    """The text that belongs there with a tilde behind it."""
    return Put(f"{spot.present}~") if isinstance(spot.present, str) else None


# --------------------------------------------------------------------------------------------------------- clock


@breaks("not-in-future", family="clock")
def hour_ahead(spot: Spot) -> Change:
    """An hour from now."""
    return _ahead(spot, timedelta(hours=1))


@breaks("not-in-future", family="clock")
def day_ahead(spot: Spot) -> Change:
    """A day from now."""
    return _ahead(spot, timedelta(days=1))


@breaks("not-in-future", family="clock")
def year_ahead(spot: Spot) -> Change:
    """A year from now."""
    return _ahead(spot, timedelta(days=366))


@breaks("not-in-future", family="clock")
def minutes_ahead(spot: Spot) -> Change:
    """Six minutes from now: no clock of a service should be as far off."""
    return _ahead(spot, timedelta(minutes=6))


@breaks("not-in-future", family="clock")
def last_year_there_is(spot: Spot) -> Change:
    """The last second of the year 9999."""
    return Put("9999-12-31T23:59:59Z")


@breaks("not-in-future", family="clock")
def day_ahead_with_fraction(spot: Spot) -> Change:
    """A day from now, to a ten-millionth of a second."""
    return Put(spell(spot.now + timedelta(days=1)).replace("Z", ".1234567Z"))


def _ahead(spot: Spot, delta: timedelta) -> Change:
    return Put(spell(spot.now + delta))
