"""Defines techniques for enumerations: unknown values, and known values in other notations."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_technique
from brokerfuzz.cases.techniques.unknown_properties import LOOK_ALIKES
from brokerfuzz.schemas.flattening import types_of


def _outside(context: FaultContext, value: str) -> Change | None:
    return Put(value) if value not in context.rule.value and "string" in types_of(context.schema) else None


def _instead(value: str) -> ChangeOf:
    return lambda context: _outside(context, value)


for _name, _text, _value in (
    ("outsider", "A string that is not a value of the enumeration.", "Unknown"),
    ("empty-enum-value", "An empty string instead of an enumeration value.", ""),
    ("blank-enum-value", "A single space instead of an enumeration value.", " "),
    ("ordinal-string", "A string with a single digit, as if it were a position in the enumeration.", "1"),
    ("star-enum-value", "An asterisk instead of an enumeration value.", "*"),
    ("null-string", 'The string "null" instead of an enumeration value.', "null"),
):
    register_technique(_name, _text, "enum", family="enumeration", change=_instead(_value))


@breaks("enum", family="enumeration")
def two_enum_values(context: FaultContext) -> Change | None:
    """Two enumeration values in one string, separated by a comma."""
    return _outside(context, ",".join(prop for prop in context.rule.value[:2] if isinstance(prop, str)))


@breaks("enum", family="enumeration")
def all_enum_values(context: FaultContext) -> Change | None:
    """All enumeration values in one string, separated by vertical bars as in a pattern."""
    return _outside(context, "|".join(prop for prop in context.rule.value if isinstance(prop, str)))


# ------------------------------------------------------------------------------------------------ other spellings


def _respelled(respell: Callable[[str], str]) -> ChangeOf:
    """Returns a technique that applies `respell` to the current value. If the enumeration allows the result, the
    technique applies `respell` to the other values.
    """

    def change(context: FaultContext) -> Change | None:
        for prop in (context.present, *context.rule.value):
            if isinstance(prop, str) and respell(prop) not in context.rule.value:
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
    ("lower-case", "An enumeration value in lower case.", str.lower),
    ("upper-case", "An enumeration value in upper case.", str.upper),
    ("first-letter-alone-capital", "An enumeration value in which only the first letter is a capital.", str.capitalize),
    ("swapped-case", "An enumeration value with upper and lower case swapped.", str.swapcase),
    ("trailing-space", "An enumeration value with a space after it.", lambda text: f"{text} "),
    ("leading-space", "An enumeration value with a space before it.", lambda text: f" {text}"),
    ("trailing-tab", "An enumeration value with a tab after it.", lambda text: f"{text}\t"),
    ("trailing-newline", "An enumeration value with a line break after it.", lambda text: f"{text}\n"),
    ("nul-behind", "An enumeration value with a NUL character after it.", lambda text: f"{text}\0"),
    ("second-line", "An enumeration value with another line after it.", lambda text: f"{text}\na"),
    ("without-spaces", "An enumeration value without its spaces.", lambda text: text.replace(" ", "")),
    ("underscored", "An enumeration value with underscores instead of spaces.", lambda text: text.replace(" ", "_")),
    ("hyphenated", "An enumeration value with hyphens instead of spaces.", lambda text: text.replace(" ", "-")),
    ("camel-case", "An enumeration value in camel case, for example directMail.", _camel),
    (
        "snake-case",
        "An enumeration value in snake case, for example direct_mail.",
        lambda text: text.lower().replace(" ", "_"),
    ),
    (
        "kebab-case",
        "An enumeration value in kebab case, for example direct-mail.",
        lambda text: text.lower().replace(" ", "-"),
    ),
    (
        "constant-case",
        "An enumeration value in constant case, for example DIRECT_MAIL.",
        lambda text: text.upper().replace(" ", "_"),
    ),
    ("first-word", "The first word of an enumeration value.", lambda text: text.split(" ")[0]),
    ("initials", "The initials of an enumeration value.", lambda text: "".join(word[:1] for word in text.split())),
    ("doubled-space", "An enumeration value with two spaces instead of one.", lambda text: text.replace(" ", "  ")),
    ("tab-for-space", "An enumeration value with tabs instead of spaces.", lambda text: text.replace(" ", "\t")),
    (
        "no-break-space",
        "An enumeration value with no-break spaces instead of spaces.",
        lambda text: text.replace(" ", "\u00a0"),
    ),
    ("prefix", "The first half of an enumeration value.", lambda text: text[: len(text) // 2]),
    ("last-letter-missing", "An enumeration value without its last letter.", lambda text: text[:-1]),
    ("first-letter-missing", "An enumeration value without its first letter.", lambda text: text[1:]),
    ("letters-swapped", "An enumeration value with its second and third letters swapped.", _swapped),
    ("longer", "An enumeration value with a letter after it.", lambda text: f"{text}s"),
    ("letter-before", "An enumeration value with a letter before it.", lambda text: f"x{text}"),
    ("full-stop-behind", "An enumeration value with a full stop after it.", lambda text: f"{text}."),
    (
        "homoglyph",
        "An enumeration value with some letters replaced by similar Cyrillic or Greek letters.",
        lambda text: text.translate(LOOK_ALIKES),
    ),
    (
        "dotless-letter",
        "An enumeration value with the Turkish dotless ı instead of i.",
        lambda text: text.replace("i", "ı"),
    ),
    ("full-width-letters", "An enumeration value in full-width letters.", lambda text: text.translate(_FULL_WIDTH)),
    (
        "combining-mark",
        "An enumeration value with a combining accent on its last letter.",
        lambda text: f"{text}\u0301",
    ),
    (
        "zero-width-inside",
        "An enumeration value that contains a zero-width space.",
        lambda text: f"{text[:1]}\u200b{text[1:]}",
    ),
    (
        "soft-hyphen-inside",
        "An enumeration value that contains a soft hyphen.",
        lambda text: f"{text[:1]}\u00ad{text[1:]}",
    ),
    ("mark-before", "An enumeration value with a byte order mark before it.", lambda text: f"\ufeff{text}"),
    ("percent-encoded-enum-value", "An enumeration value, percent-encoded.", quote),
    (
        "form-encoded-enum-value",
        "An enumeration value encoded as in HTML forms, with plus signs instead of spaces.",
        quote_plus,
    ),
    (
        "html-escaped-enum-value",
        "An enumeration value with its spaces as HTML character references.",
        lambda text: escape(text).replace(" ", "&#32;"),
    ),
    (
        "backslash-escaped-enum-value",
        "An enumeration value with a backslash before each space.",
        lambda text: text.replace(" ", "\\ "),
    ),
    ("quoted-enum-value", "An enumeration value in double quotes inside the string.", lambda text: f'"{text}"'),
    ("single-quoted-enum-value", "An enumeration value in single quotes inside the string.", lambda text: f"'{text}'"),
    ("bracketed-enum-value", "An enumeration value in square brackets.", lambda text: f"[{text}]"),
    ("repeated-enum-value", "The same enumeration value twice, separated by a comma.", lambda text: f"{text},{text}"),
):
    register_technique(_name, _text, "enum", family="enumeration", change=_respelled(_respell))
