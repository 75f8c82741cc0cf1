"""Defines techniques for enumerations: unknown values, and known values in other notations."""

import re
from collections.abc import Callable

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import ChangeOf, FaultContext, breaks, register_rows
from brokerfuzz.schemas.flattening import types_of

FULL_WIDTH = {ascii_letter: ascii_letter + 0xFEE0 for ascii_letter in range(0x21, 0x7F)}
"""Maps ASCII letters to full-width letters."""


def _outside(context: FaultContext, value: str) -> Change | None:
    return Put(value) if value not in context.rule.value and "string" in types_of(context.schema) else None


def _instead(value: str) -> ChangeOf:
    return lambda context: _outside(context, value)


register_rows(
    "enum",
    family="enumeration",
    change=_instead,
    rows=[
        ("outsider", "A string that is not a value of the enumeration.", "Unknown"),
        ("empty-enum-value", "An empty string instead of an enumeration value.", ""),
        ("blank-enum-value", "A single space instead of an enumeration value.", " "),
        ("ordinal-string", "A string with a single digit, as if it were a position in the enumeration.", "1"),
    ],
)


@breaks("enum", family="enumeration")
def two_enum_values(context: FaultContext) -> Change | None:
    """Two enumeration values in one string, separated by a comma."""
    return _outside(context, ",".join(value for value in context.rule.value[:2] if isinstance(value, str)))


# ------------------------------------------------------------------------------------------------ other spellings


def _respelled(respell: Callable[[str], str]) -> ChangeOf:
    """Applies `respell` to the current value. If the enumeration allows the result, applies `respell` to the other
    values.
    """

    def change(context: FaultContext) -> Change | None:
        for value in (context.present, *context.rule.value):
            if isinstance(value, str) and respell(value) not in context.rule.value:
                return Put(respell(value))
        return None

    return change


def _camel(text: str) -> str:
    first, *further_words = re.split("[ _-]+", text)
    return first.lower() + "".join(map(str.capitalize, further_words))


register_rows(
    "enum",
    family="enumeration",
    change=_respelled,
    rows=[
        ("lower-case", "An enumeration value in lower case.", str.lower),
        ("upper-case", "An enumeration value in upper case.", str.upper),
        ("trailing-space", "An enumeration value with a space after it.", lambda text: f"{text} "),
        ("leading-space", "An enumeration value with a space before it.", lambda text: f" {text}"),
        ("trailing-newline", "An enumeration value with a line break after it.", lambda text: f"{text}\n"),
        ("nul-behind", "An enumeration value with a NUL character after it.", lambda text: f"{text}\0"),
        ("second-line", "An enumeration value with another line after it.", lambda text: f"{text}\na"),
        ("without-spaces", "An enumeration value without its spaces.", lambda text: text.replace(" ", "")),
        ("underscored", "An enumeration value with underscores for spaces.", lambda text: text.replace(" ", "_")),
        ("hyphenated", "An enumeration value with hyphens for spaces.", lambda text: text.replace(" ", "-")),
        ("camel-case", "An enumeration value in camel case, for example directMail.", _camel),
        ("constant-case", "An enumeration value like DIRECT_MAIL.", lambda text: text.upper().replace(" ", "_")),
        ("doubled-space", "An enumeration value with two spaces for one.", lambda text: text.replace(" ", "  ")),
        ("no-break-space", "An enumeration value with no-break spaces.", lambda text: text.replace(" ", "\u00a0")),
        ("prefix", "The first half of an enumeration value.", lambda text: text[: len(text) // 2]),
        ("longer", "An enumeration value with a letter after it.", lambda text: f"{text}s"),
        ("letter-before", "An enumeration value with a letter before it.", lambda text: f"x{text}"),
        ("dotless-letter", "A value with the Turkish ı instead of i.", lambda text: text.replace("i", "ı")),
        ("full-width-letters", "An enumeration value in full-width letters.", lambda text: text.translate(FULL_WIDTH)),
        ("combining-mark", "An enumeration value with an accent on its last letter.", lambda text: f"{text}\u0301"),
        ("zero-width-inside", "A zero-width space in a value.", lambda text: f"{text[:1]}\u200b{text[1:]}"),
    ],
)
