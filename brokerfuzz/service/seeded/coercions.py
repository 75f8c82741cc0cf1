"""Defines bugs that make the service convert an invalid value to a valid one."""

from collections.abc import Callable
from typing import Any

from brokerfuzz.service.flaws import Bug, coerces

AN_INTEGER, A_NUMBER, A_BOOLEAN, A_STRING, AN_ARRAY = (
    r"^an integer",
    r"^a number",
    r"^a boolean",
    r"^a string",
    r"^an array",
)
BITS_32 = r"214748364[78]"
ENUM = r"^one of "


def _bug(name: str, text: str, demanded: str, convert: Callable[[Any], Any], rule: str | None = None) -> Bug:
    return Bug(name, "coercion", text, coerces(demanded, convert), rule)


def integer_of_string(value: Any) -> Any:
    """Converts a string like Python's `int`, which also accepts a sign, and white space around the integer."""
    return _or_same(int, value) if isinstance(value, str) else value


def number_of_string(value: Any) -> Any:
    return _or_same(float, value) if isinstance(value, str) else value


def boolean_of_string(value: Any) -> Any:
    return {"true": True, "false": False}.get(value.lower(), value) if isinstance(value, str) else value


def boolean_of_word(value: Any) -> Any:
    return (
        {"yes": True, "no": False, "on": True, "off": False}.get(value.lower(), value)
        if isinstance(value, str)
        else value
    )


def boolean_of_number(value: Any) -> Any:
    return bool(value) if _is_number(value) and value in (0, 1) else value


def number_of_boolean(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def string_of_number(value: Any) -> Any:
    return str(value) if _is_number(value) else value


def string_of_boolean(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def whole_part(value: Any) -> Any:
    return _or_same(int, value) if isinstance(value, float) else value


def low_32_bits(value: Any) -> Any:
    """Keeps only the lowest 32 bits of an integer, as a signed integer."""
    return (
        ((value + (1 << 31)) % (1 << 32)) - (1 << 31)
        if isinstance(value, int) and not isinstance(value, bool)
        else value
    )


def in_array(value: Any) -> Any:
    return value if value is None else [value]


def out_of_array(value: Any) -> Any:
    """Returns the only item of an array. Any other value stays unchanged."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def null_of_empty_string(value: Any) -> Any:
    return None if value == "" else value


def trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) and value != value.strip() else value


def _capitalized(value: Any) -> Any:
    known = {"direct mail": "Direct Mail", "product list": "Product List", "drop ship": "Drop Ship", "vdm": "VDM"}
    return known.get(value.lower(), value.capitalize()) if isinstance(value, str) else value


def _with_spaces(value: Any) -> Any:
    return (
        value.replace("_", " ").replace("-", " ")
        if isinstance(value, str) and ("_" in value or "-" in value)
        else value
    )


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
    _bug(
        "coerces-string-to-integer",
        "A string that contains an integer is accepted as an integer.",
        AN_INTEGER,
        integer_of_string,
    ),
    _bug(
        "coerces-string-to-number",
        "A string that contains a number is accepted as a number.",
        A_NUMBER,
        number_of_string,
    ),
    _bug(
        "coerces-string-to-boolean",
        "The strings `true` and `false` are accepted as booleans.",
        A_BOOLEAN,
        boolean_of_string,
    ),
    _bug(
        "coerces-words-to-boolean",
        "The strings `yes`, `no`, `on` and `off` are accepted as booleans.",
        A_BOOLEAN,
        boolean_of_word,
    ),
    _bug("coerces-number-to-boolean", "The numbers 0 and 1 are accepted as booleans.", A_BOOLEAN, boolean_of_number),
    _bug("coerces-boolean-to-number", "Booleans are accepted as numbers.", A_NUMBER, number_of_boolean),
    _bug("coerces-number-to-string", "Numbers are accepted as strings.", A_STRING, string_of_number),
    _bug("coerces-boolean-to-string", "Booleans are accepted as strings.", A_STRING, string_of_boolean),
    _bug(
        "coerces-empty-string-to-null",
        "An empty string is accepted in place of a number that may be null.",
        r"^(a number|an integer) or null",
        null_of_empty_string,
    ),
    _bug(
        "truncates-fractions",
        "A number with a fraction is accepted as an integer, and the fraction is dropped.",
        AN_INTEGER,
        whole_part,
    ),
    _bug(
        "wraps-wide-integers",
        "An integer of more than 32 bits is accepted, but only its lowest 32 bits are used.",
        BITS_32,
        low_32_bits,
    ),
    _bug("wraps-single-items", "A single value is accepted as an array of one item.", AN_ARRAY, in_array),
    _bug("unwraps-single-items", "An array of one string is accepted as a string.", A_STRING, out_of_array),
    _bug(
        "unwraps-single-objects",
        "An array of one object is accepted as an object, even in place of the whole offer.",
        r"^an object",
        out_of_array,
    ),
    _bug("trims-offer-type", "White space around an offer type is ignored.", ENUM, trimmed, OFFER_TYPE),
    _bug(
        "ignores-case-of-offer-type",
        "An offer type is accepted in any combination of upper and lower case.",
        ENUM,
        _capitalized,
        OFFER_TYPE,
    ),
    _bug(
        "ignores-hyphens-in-offer-type",
        "Hyphens and underscores are accepted in place of the space in an offer type.",
        ENUM,
        _with_spaces,
        OFFER_TYPE,
    ),
    _bug("drops-signs", "If the minimum of a number is 1, a minus sign is ignored.", r"^at least 1$", _positive),
)
