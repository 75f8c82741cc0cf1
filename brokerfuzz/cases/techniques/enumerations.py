"""Enumerations: values that are no member, and members in other spellings."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks, enter
from brokerfuzz.cases.techniques.unknown_members import LOOK_ALIKES
from brokerfuzz.schemas.flattening import types_of


@breaks("enum", family="enumeration")
def outsider(spot: Spot) -> Change | None:
    """A value of the right type that is no member of the enumeration."""
    return _outside(spot, "Unknown")


@breaks("enum", family="enumeration")
def empty_member(spot: Spot) -> Change | None:
    """An empty text in place of a member of the enumeration."""
    return _outside(spot, "")


@breaks("enum", family="enumeration")
def blank_member(spot: Spot) -> Change | None:
    """A blank in place of a member of the enumeration."""
    return _outside(spot, " ")


@breaks("enum", family="enumeration")
def ordinal_text(spot: Spot) -> Change | None:
    """A digit in quotes, as the place of a member in the enumeration."""
    return _outside(spot, "1")


@breaks("enum", family="enumeration")
def star_member(spot: Spot) -> Change | None:
    """A star in place of a member of the enumeration."""
    return _outside(spot, "*")


@breaks("enum", family="enumeration")
def null_text(spot: Spot) -> Change | None:
    """The word null in quotes in place of a member of the enumeration."""
    return _outside(spot, "null")


@breaks("enum", family="enumeration")
def two_members(spot: Spot) -> Change | None:
    """Two members of the enumeration in one text."""
    return _outside(spot, ",".join(member for member in spot.rule.value[:2] if isinstance(member, str)))


@breaks("enum", family="enumeration")
def all_members(spot: Spot) -> Change | None:
    """All members of the enumeration in one text, between bars, as in a pattern."""
    return _outside(spot, "|".join(member for member in spot.rule.value if isinstance(member, str)))


def _outside(spot: Spot, value: str) -> Change | None:
    return Put(value) if value not in spot.rule.value and "string" in types_of(spot.schema) else None


# ------------------------------------------------------------------------------------------------------ respelled


def _respelled(respell: Callable[[str], str]) -> Callable[[Spot], Change | None]:
    """The member that is there in another spelling, or the first of the others that has one."""

    def change(spot: Spot) -> Change | None:
        for member in (spot.present, *spot.rule.value):
            if isinstance(member, str) and respell(member) not in spot.rule.value:
                return Put(respell(member))
        return None

    return change


_FULL_WIDTH = {ascii_letter: ascii_letter + 0xFEE0 for ascii_letter in range(0x21, 0x7F)}


def _camel(text: str) -> str:
    first, *others = re.split("[ _-]+", text)
    return first.lower() + "".join(map(str.capitalize, others))


def _swapped(text: str) -> str:
    return text[:1] + text[2:3] + text[1:2] + text[3:]


for _name, _text, _respell in (
    ("lower-case", "A member of the enumeration in small letters.", str.lower),
    ("upper-case", "A member of the enumeration in capitals.", str.upper),
    ("first-letter-alone-capital", "A member of the enumeration with a capital for its first letter alone.", str.capitalize),
    ("swapped-case", "A member of the enumeration with small letters for capitals and capitals for small letters.", str.swapcase),
    ("trailing-space", "A member of the enumeration with a blank behind it.", lambda text: f"{text} "),
    ("leading-space", "A member of the enumeration with a blank before it.", lambda text: f" {text}"),
    ("trailing-tab", "A member of the enumeration with a tab behind it.", lambda text: f"{text}\t"),
    ("trailing-newline", "A member of the enumeration with a line break behind it.", lambda text: f"{text}\n"),
    ("nul-behind", "A member of the enumeration with a NUL behind it.", lambda text: f"{text}\0"),
    ("second-line", "A member of the enumeration with another line behind it.", lambda text: f"{text}\na"),
    ("without-spaces", "A member of the enumeration without the blanks in it.", lambda text: text.replace(" ", "")),
    ("underscored", "A member of the enumeration with underscores for blanks.", lambda text: text.replace(" ", "_")),
    ("hyphenated", "A member of the enumeration with hyphens for blanks.", lambda text: text.replace(" ", "-")),
    ("camel-case", "A member of the enumeration as names of variables are written, the first letter small.", _camel),
    ("snake-case", "A member of the enumeration in small letters with underscores for blanks.", lambda text: text.lower().replace(" ", "_")),
    ("kebab-case", "A member of the enumeration in small letters with hyphens for blanks.", lambda text: text.lower().replace(" ", "-")),
    ("constant-case", "A member of the enumeration as names of constants are written.", lambda text: text.upper().replace(" ", "_")),
    ("first-word", "The first word of a member of the enumeration.", lambda text: text.split(" ")[0]),
    ("initials", "The initials of a member of the enumeration.", lambda text: "".join(word[:1] for word in text.split())),
    ("doubled-space", "A member of the enumeration with two blanks for one.", lambda text: text.replace(" ", "  ")),
    ("tab-for-space", "A member of the enumeration with tabs for blanks.", lambda text: text.replace(" ", "\t")),
    ("no-break-space", "A member of the enumeration with no-break spaces for blanks.", lambda text: text.replace(" ", "\u00a0")),
    ("prefix", "The beginning of a member of the enumeration.", lambda text: text[: len(text) // 2]),
    ("last-letter-missing", "A member of the enumeration without its last letter.", lambda text: text[:-1]),
    ("first-letter-missing", "A member of the enumeration without its first letter.", lambda text: text[1:]),
    ("letters-swapped", "A member of the enumeration, its second and third letter swapped.", _swapped),
    ("longer", "A member of the enumeration with a letter behind it.", lambda text: f"{text}s"),
    ("letter-before", "A member of the enumeration with a letter before it.", lambda text: f"x{text}"),
    ("full-stop-behind", "A member of the enumeration with a full stop behind it.", lambda text: f"{text}."),
    ("homoglyph", "A member of the enumeration with Cyrillic letters that look like its own.", lambda text: text.translate(LOOK_ALIKES)),
    ("dotless-letter", "A member of the enumeration with the letter that Turkish has for i.", lambda text: text.replace("i", "ı")),
    ("full-width-letters", "A member of the enumeration in full-width letters.", lambda text: text.translate(_FULL_WIDTH)),
    ("combining-mark", "A member of the enumeration with a combining accent on its last letter.", lambda text: f"{text}\u0301"),
    ("zero-width-inside", "A member of the enumeration with a zero-width space in it.", lambda text: f"{text[:1]}\u200b{text[1:]}"),
    ("soft-hyphen-inside", "A member of the enumeration with a soft hyphen in it.", lambda text: f"{text[:1]}\u00ad{text[1:]}"),
    ("mark-before", "A member of the enumeration with a byte order mark before it.", lambda text: f"\ufeff{text}"),
    ("percent-encoded-member", "A member of the enumeration with its blanks percent-encoded.", quote),
    ("form-encoded-member", "A member of the enumeration with plus signs for its blanks, as forms have them.", quote_plus),
    ("html-escaped-member", "A member of the enumeration with its blanks as HTML has them.", lambda text: escape(text).replace(" ", "&#32;")),
    ("backslash-escaped-member", "A member of the enumeration with a backslash before its blanks.", lambda text: text.replace(" ", "\\ ")),
    ("quoted-member", "A member of the enumeration between quotes.", lambda text: f'"{text}"'),
    ("single-quoted-member", "A member of the enumeration between single quotes.", lambda text: f"'{text}'"),
    ("bracketed-member", "A member of the enumeration between brackets.", lambda text: f"[{text}]"),
    ("twice-the-member", "A member of the enumeration twice, with a comma between.", lambda text: f"{text},{text}"),
):
    enter(_name, _text, "enum", family="enumeration", change=_respelled(_respell))
