"""Bugs that make the right type of the wrong one, or the right value of the wrong one."""

from collections.abc import Callable
from typing import Any

from brokerfuzz.service.flaws import Bug, coerces

AN_INTEGER, A_NUMBER, A_BOOLEAN, A_TEXT, AN_ARRAY = r"^an integer", r"^a number", r"^a boolean", r"^a string", r"^an array"
BITS_32 = r"214748364[78]"
ENUM = r"^one of "


def _bug(name: str, text: str, demanded: str, convert: Callable[[Any], Any], rule: str | None = None) -> Bug:
    return Bug(name, "coercion", text, coerces(demanded, convert), rule)


def integer_of_text(value: Any) -> Any:
    """The integer that a text spells, as Python's `int` and many others read it: signs and blanks around it are no hindrance."""
    return _or_same(int, value) if isinstance(value, str) else value


def number_of_text(value: Any) -> Any:
    """The number that a text spells."""
    return _or_same(float, value) if isinstance(value, str) else value


def boolean_of_text(value: Any) -> Any:
    """True and false spelled in any case."""
    return {"true": True, "false": False}.get(value.lower(), value) if isinstance(value, str) else value


def boolean_of_word(value: Any) -> Any:
    """Yes and no, on and off, spelled in any case."""
    return {"yes": True, "no": False, "on": True, "off": False}.get(value.lower(), value) if isinstance(value, str) else value


def boolean_of_number(value: Any) -> Any:
    """1 and 0 for true and false."""
    return bool(value) if _is_number(value) and value in (0, 1) else value


def number_of_boolean(value: Any) -> Any:
    """True and false for 1 and 0."""
    return int(value) if isinstance(value, bool) else value


def text_of_number(value: Any) -> Any:
    """A number as it is written."""
    return str(value) if _is_number(value) else value


def text_of_boolean(value: Any) -> Any:
    """A boolean as it is written."""
    return str(value).lower() if isinstance(value, bool) else value


def whole_part(value: Any) -> Any:
    """A number without its fraction."""
    return _or_same(int, value) if isinstance(value, float) else value


def low_32_bits(value: Any) -> Any:
    """What a signed integer of 32 bits keeps of a longer one."""
    return ((value + (1 << 31)) % (1 << 32)) - (1 << 31) if isinstance(value, int) and not isinstance(value, bool) else value


def in_array(value: Any) -> Any:
    """A value as the one item of an array."""
    return value if value is None else [value]


def out_of_array(value: Any) -> Any:
    """The one item of an array."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def null_of_empty_text(value: Any) -> Any:
    """An empty text as null."""
    return None if value == "" else value


def trimmed(value: Any) -> Any:
    """A text without white space around it."""
    return value.strip() if isinstance(value, str) and value != value.strip() else value


def _capitalized(value: Any) -> Any:
    known = {"direct mail": "Direct Mail", "product list": "Product List", "drop ship": "Drop Ship", "vdm": "VDM"}
    return known.get(value.lower(), value.capitalize()) if isinstance(value, str) else value


def _with_blanks(value: Any) -> Any:
    return value.replace("_", " ").replace("-", " ") if isinstance(value, str) and ("_" in value or "-" in value) else value


def _positive(value: Any) -> Any:
    return abs(value) if _is_number(value) and value < 0 else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _or_same(convert: Callable[[Any], Any], value: Any) -> Any:
    try:
        return convert(value)
    except (ValueError, OverflowError):
        return value


OFFER_TYPE = "offer-creation-request/offerType:enum"

BUGS = (
    _bug("coerces-string-to-integer", "A text that spells an integer is taken for one.", AN_INTEGER, integer_of_text),
    _bug("coerces-string-to-number", "A text that spells a number is taken for one.", A_NUMBER, number_of_text),
    _bug("coerces-string-to-boolean", "The texts true and false are taken for booleans.", A_BOOLEAN, boolean_of_text),
    _bug("coerces-words-to-boolean", "The texts yes, no, on and off are taken for booleans.", A_BOOLEAN, boolean_of_word),
    _bug("coerces-number-to-boolean", "The numbers 0 and 1 are taken for booleans.", A_BOOLEAN, boolean_of_number),
    _bug("coerces-boolean-to-number", "Booleans are taken for numbers.", A_NUMBER, number_of_boolean),
    _bug("coerces-number-to-string", "Numbers are taken for texts.", A_TEXT, text_of_number),
    _bug("coerces-boolean-to-string", "Booleans are taken for texts.", A_TEXT, text_of_boolean),
    _bug(
        "coerces-empty-string-to-null",
        "An empty text is taken for null where a number may be null.",
        r"^(a number|an integer) or null",
        null_of_empty_text,
    ),
    _bug("truncates-fractions", "The fraction of a number is dropped where an integer belongs.", AN_INTEGER, whole_part),
    _bug("wraps-wide-integers", "An integer beyond 32 bits is cut to its low 32 bits.", BITS_32, low_32_bits),
    _bug("wraps-single-items", "A single value is taken for an array of one item.", AN_ARRAY, in_array),
    _bug("unwraps-single-items", "An array of one text is taken for the text.", A_TEXT, out_of_array),
    _bug("unwraps-single-objects", "An array of one object is taken for the object, the whole offer included.", r"^an object", out_of_array),
    _bug("trims-offer-type", "White space around an offer type is passed over.", ENUM, trimmed, OFFER_TYPE),
    _bug("ignores-case-of-offer-type", "An offer type in other case is taken.", ENUM, _capitalized, OFFER_TYPE),
    _bug("ignores-hyphens-in-offer-type", "Hyphens and underscores are taken for the blank in an offer type.", ENUM, _with_blanks, OFFER_TYPE),
    _bug("drops-signs", "A negative number is made positive where a number has to be at least 1.", r"^at least 1$", _positive),
)
