"""Enumerations: values that are no property, and properties in other spellings."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks, enter
from brokerfuzz.cases.techniques.unknown_properties import LOOK_ALIKES
from brokerfuzz.schemas.flattening import types_of


@breaks("enum", family="enumeration")
def outsider(spot: Spot) -> Change | None:
    """A value of the right type that is no value of the enumeration."""
    return _outside(spot, "Unknown")


@breaks("enum", family="enumeration")
def empty_enum_value(spot: Spot) -> Change | None:
    """An empty text in place of a value of the enumeration."""
    return _outside(spot, "")


@breaks("enum", family="enumeration")
def blank_enum_value(spot: Spot) -> Change | None:
    """A blank in place of a value of the enumeration."""
    return _outside(spot, " ")


@breaks("enum", family="enumeration")
def ordinal_string(spot: Spot) -> Change | None:
    """A digit in quotes, as the place of a property in the enumeration."""
    return _outside(spot, "1")


@breaks("enum", family="enumeration")
def star_enum_value(spot: Spot) -> Change | None:
    """A star in place of a value of the enumeration."""
    return _outside(spot, "*")


@breaks("enum", family="enumeration")
def null_string(spot: Spot) -> Change | None:
    """The word null in quotes in place of a value of the enumeration."""
    return _outside(spot, "null")


@breaks("enum", family="enumeration")
def two_enum_values(spot: Spot) -> Change | None:
    """Two values of the enumeration in one text."""
    return _outside(spot, ",".join(prop for prop in spot.rule.value[:2] if isinstance(prop, str)))


@breaks("enum", family="enumeration")
def all_enum_values(spot: Spot) -> Change | None:
    """All values of the enumeration in one text, between bars, as in a pattern."""
    return _outside(spot, "|".join(prop for prop in spot.rule.value if isinstance(prop, str)))


def _outside(spot: Spot, value: str) -> Change | None:
    return Put(value) if value not in spot.rule.value and "string" in types_of(spot.schema) else None


# ------------------------------------------------------------------------------------------------------ respelled


def _respelled(respell: Callable[[str], str]) -> Callable[[Spot], Change | None]:
    """The property that is there in another spelling, or the first of the others that has one."""

    def change(spot: Spot) -> Change | None:
        for prop in (spot.present, *spot.rule.value):
            if isinstance(prop, str) and respell(prop) not in spot.rule.value:
                return Put(respell(prop))
        return None

    return change


_FULL_WIDTH = {ascii_letter: ascii_letter + 0xFEE0 for ascii_letter in range(0x21, 0x7F)}


def _camel(text: str) -> str:
    first, *others = re.split("[ _-]+", text)
    return first.lower() + "".join(map(str.capitalize, others))


def _swapped(text: str) -> str:
    return text[:1] + text[2:3] + text[1:2] + text[3:]


for _name, _text, _respell in (
    ("lower-case", "A value of the enumeration in small letters.", str.lower),
    ("upper-case", "A value of the enumeration in capitals.", str.upper),
    ("first-letter-alone-capital", "A value of the enumeration with a capital for its first letter alone.", str.capitalize),
    ("swapped-case", "A value of the enumeration with small letters for capitals and capitals for small letters.", str.swapcase),
    ("trailing-space", "A value of the enumeration with a blank behind it.", lambda text: f"{text} "),
    ("leading-space", "A value of the enumeration with a blank before it.", lambda text: f" {text}"),
    ("trailing-tab", "A value of the enumeration with a tab behind it.", lambda text: f"{text}\t"),
    ("trailing-newline", "A value of the enumeration with a line break behind it.", lambda text: f"{text}\n"),
    ("nul-behind", "A value of the enumeration with a NUL behind it.", lambda text: f"{text}\0"),
    ("second-line", "A value of the enumeration with another line behind it.", lambda text: f"{text}\na"),
    ("without-spaces", "A value of the enumeration without the blanks in it.", lambda text: text.replace(" ", "")),
    ("underscored", "A value of the enumeration with underscores for blanks.", lambda text: text.replace(" ", "_")),
    ("hyphenated", "A value of the enumeration with hyphens for blanks.", lambda text: text.replace(" ", "-")),
    ("camel-case", "A value of the enumeration as names of variables are written, the first letter small.", _camel),
    ("snake-case", "A value of the enumeration in small letters with underscores for blanks.", lambda text: text.lower().replace(" ", "_")),
    ("kebab-case", "A value of the enumeration in small letters with hyphens for blanks.", lambda text: text.lower().replace(" ", "-")),
    ("constant-case", "A value of the enumeration as names of constants are written.", lambda text: text.upper().replace(" ", "_")),
    ("first-word", "The first word of a value of the enumeration.", lambda text: text.split(" ")[0]),
    ("initials", "The initials of a value of the enumeration.", lambda text: "".join(word[:1] for word in text.split())),
    ("doubled-space", "A value of the enumeration with two blanks for one.", lambda text: text.replace(" ", "  ")),
    ("tab-for-space", "A value of the enumeration with tabs for blanks.", lambda text: text.replace(" ", "\t")),
    ("no-break-space", "A value of the enumeration with no-break spaces for blanks.", lambda text: text.replace(" ", "\u00a0")),
    ("prefix", "The beginning of a value of the enumeration.", lambda text: text[: len(text) // 2]),
    ("last-letter-missing", "A value of the enumeration without its last letter.", lambda text: text[:-1]),
    ("first-letter-missing", "A value of the enumeration without its first letter.", lambda text: text[1:]),
    ("letters-swapped", "A value of the enumeration, its second and third letter swapped.", _swapped),
    ("longer", "A value of the enumeration with a letter behind it.", lambda text: f"{text}s"),
    ("letter-before", "A value of the enumeration with a letter before it.", lambda text: f"x{text}"),
    ("full-stop-behind", "A value of the enumeration with a full stop behind it.", lambda text: f"{text}."),
    ("homoglyph", "A value of the enumeration with Cyrillic letters that look like its own.", lambda text: text.translate(LOOK_ALIKES)),
    ("dotless-letter", "A value of the enumeration with the letter that Turkish has for i.", lambda text: text.replace("i", "ı")),
    ("full-width-letters", "A value of the enumeration in full-width letters.", lambda text: text.translate(_FULL_WIDTH)),
    ("combining-mark", "A value of the enumeration with a combining accent on its last letter.", lambda text: f"{text}\u0301"),
    ("zero-width-inside", "A value of the enumeration with a zero-width space in it.", lambda text: f"{text[:1]}\u200b{text[1:]}"),
    ("soft-hyphen-inside", "A value of the enumeration with a soft hyphen in it.", lambda text: f"{text[:1]}\u00ad{text[1:]}"),
    ("mark-before", "A value of the enumeration with a byte order mark before it.", lambda text: f"\ufeff{text}"),
    ("percent-encoded-enum-value", "A value of the enumeration with its blanks percent-encoded.", quote),
    ("form-encoded-enum-value", "A value of the enumeration with plus signs for its blanks, as forms have them.", quote_plus),
    ("html-escaped-enum-value", "A value of the enumeration with its blanks as HTML has them.", lambda text: escape(text).replace(" ", "&#32;")),
    ("backslash-escaped-enum-value", "A value of the enumeration with a backslash before its blanks.", lambda text: text.replace(" ", "\\ ")),
    ("quoted-enum-value", "A value of the enumeration between quotes.", lambda text: f'"{text}"'),
    ("single-quoted-enum-value", "A value of the enumeration between single quotes.", lambda text: f"'{text}'"),
    ("bracketed-enum-value", "A value of the enumeration between brackets.", lambda text: f"[{text}]"),
    ("repeated-enum-value", "A value of the enumeration twice, with a comma between.", lambda text: f"{text},{text}"),
):
    enter(_name, _text, "enum", family="enumeration", change=_respelled(_respell))
