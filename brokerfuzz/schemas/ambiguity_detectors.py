"""Defines the detectors for `ambiguities.json`: functions that find values about which the contract leaves a question
open.

A detector gets the value at a site. A detector that compares properties gets their values. `json_reader` detects
the ambiguities that depend on the bytes of a message, such as duplicate properties and UTF-16.
"""

import re
from collections.abc import Callable, Hashable, Mapping
from decimal import Context, Decimal, localcontext
from operator import eq
from typing import Any

from brokerfuzz.schemas.instants import timestamp
from brokerfuzz.schemas.interpretations import MEANINGS

_STEP = r"(?:/(?!0)(?:{n}))?"
_RANGE = rf"(?:{{n}})(?:-(?:{{n}}){_STEP})?"
_FIELD = rf"(?:\*{_STEP}|{_RANGE}(?:,{_RANGE})*)"
_MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY = (
    _FIELD.replace("{n}", n)
    for n in ("[1-5]?[0-9]", "1?[0-9]|2[0-3]", "[12][0-9]|3[01]|[1-9]", "1[0-2]|[1-9]", "[0-7]")
)
_CRON = re.compile(" ".join([_MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY]))
_CRON_RANGE = re.compile("([0-9]+)-([0-9]+)")
_URL = re.compile(
    r"https?://(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])"
    r"(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
    r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,"
    r";=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*")
_ABOVE_DECIMALS = 2**96  # a decimal of .NET is an integer of 96 bits with a decimal point
_CENT, _BILLIONTH = Decimal("0.005"), Decimal("1e-9")
_PRECISE = Context(prec=1000)
"""Sums of doubles have fewer than 700 significant digits, so they are exact."""
Kinds = tuple[type, ...]
STRINGS: Kinds = (str,)
NUMBERS: Kinds = (int, float, Decimal)
OBJECTS: Kinds = (dict,)
ARRAYS: Kinds = (list,)


def cron(value: str) -> bool:
    ranges = _CRON_RANGE.findall(value)
    return _CRON.fullmatch(value) is None or any(int(low) > int(high) for low, high in ranges)


def url(value: str) -> bool:
    return _URL.fullmatch(value) is None


def name(value: str) -> bool:
    return len(value) > 64 or _NAME.fullmatch(value) is None


def decimal_range(value: float | Decimal) -> bool:
    whole, _, places = f"{Decimal(str(value)).copy_abs():f}".partition(".")
    places = places.rstrip("0")
    return len(places) > 28 or len(whole) > 29 or int(whole + places) >= _ABOVE_DECIMALS


def envelope(value: Mapping[str, Any]) -> bool:
    success, failures = value.get("operationWasSuccessful"), value.get("failureMessages")
    has_data = value.get("data") is not None
    return not has_data or failures != [] if success else has_data or not failures


def arithmetic(value: Mapping[str, Any]) -> bool:
    """Returns whether a sum is wrong by more than rounding can explain."""
    return _sums_agree(value, _nearly_equal) is False


def rounding(value: Mapping[str, Any]) -> bool:
    """Returns whether all sums are right only after rounding."""
    return _sums_agree(value, eq) is False and _sums_agree(value, _nearly_equal) is True


def _sums_agree(value: Mapping[str, Any], equal: Callable[[Decimal, Decimal], bool]) -> bool | None:
    """Returns whether the sums of a pricing response are right, or None if a price is missing or is not a number.

    The contract adds surcharges, which are not in the message, to unit price * quantity. So a higher extended price is
    valid.
    """
    offers: Any = value.get("offers")
    total: Any = value.get("totalExtendedPrice")
    if not isinstance(offers, list) or not all(isinstance(offer, dict) for offer in offers):
        return None
    rows = [[offer.get(prop) for prop in ("unitPrice", "quantity", "extendedPrice")] for offer in offers]
    if not all(type(cell) in NUMBERS for row in (*rows, [total]) for cell in row):
        return None
    with localcontext(_PRECISE):
        prices = [tuple(map(_decimal, row)) for row in rows]
        agree = all(
            extended >= unit * quantity or equal(unit * quantity, extended) for unit, quantity, extended in prices
        )
        return agree and equal(sum((extended for _, _, extended in prices), Decimal(0)), _decimal(total))


def ordered_numbers(low: Any, high: Any) -> bool:
    return type(low) in NUMBERS and type(high) in NUMBERS and low > high


def ordered_instants(start: Any, end: Any) -> bool:
    """Returns whether the end may be before the start, or equal to it."""
    if not (isinstance(start, str) and isinstance(end, str)):
        return False
    latest_start, earliest_end = timestamp(start).latest, timestamp(end).earliest
    return latest_start is None or earliest_end is None or earliest_end <= latest_start


def within_range(quantities: Any, low: Any, high: Any) -> bool:
    if not isinstance(quantities, list) or (low is None and high is None):
        return False
    numbers = [quantity for quantity in quantities if type(quantity) in NUMBERS]
    return any(
        (type(low) in NUMBERS and number < low) or (type(high) in NUMBERS and number > high) for number in numbers
    )


def distinct(items: list[Any], key: str | None) -> bool:
    """Returns whether two items have the same `key`. Items without a string as `key` are compared as a whole."""
    keys = [
        (item[key], None) if type(item) is dict and type(item.get(key)) is str else (None, _frozen(item))
        for item in items
    ]
    return len(set(keys)) < len(keys)


def _frozen(value: Any) -> Hashable:
    """Returns a hashable key, which is equal for equal JSON values, such as 1 and 1.0."""
    if isinstance(value, dict):
        return frozenset([(name, _frozen(prop)) for name, prop in value.items()])
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _decimal(number: float | Decimal) -> Decimal:
    """The number as it is written: 0.1 is one tenth, although a double cannot represent it."""
    return Decimal(repr(number)) if type(number) is float else Decimal(number)


def _nearly_equal(expected: Decimal, got: Decimal) -> bool:
    return abs(expected - got) <= max(_CENT, _BILLIONTH * abs(expected))


OF_VALUES: Mapping[str, tuple[Kinds, Callable[[Any], bool]]] = {
    "cron": (STRINGS, cron),
    "url": (STRINGS, url),
    "name": (STRINGS, name),
    "decimal_range": (NUMBERS, decimal_range),
    "envelope": (OBJECTS, envelope),
    "arithmetic": (OBJECTS, arithmetic),
    "rounding": (OBJECTS, rounding),
}
"""The detectors of values, each with the Python types of these values."""
OF_RELATIONS: Mapping[str, Callable[..., bool]] = {
    detector.__name__: detector for detector in (ordered_numbers, ordered_instants, within_range)
}
"""The detectors that compare properties of an object."""
TIMESTAMP, NEAR_NOW = "timestamp", "near_now"
OF_PLACES = frozenset([*OF_VALUES, *OF_RELATIONS, "distinct", TIMESTAMP])
"""The detectors that need `sites`."""
BYTE_ORDER_MARK, UTF_16, UTF_32 = "byte_order_mark", "utf_16", "utf_32"
SURROGATES_IN_UTF_8, OVERLONG_UTF_8, NOT_UTF_8 = "surrogates_in_utf_8", "overlong_utf_8", "not_utf_8"
MESSAGE_SIZE = "message_size"
DETECTORS = frozenset(
    [
        *OF_PLACES, NEAR_NOW, "integer_form", *MEANINGS, "lone_surrogates", "nul_characters", BYTE_ORDER_MARK, UTF_16,
        UTF_32, SURROGATES_IN_UTF_8, OVERLONG_UTF_8, NOT_UTF_8, MESSAGE_SIZE, "string_length", "item_count",
    ]
)  # fmt: skip
"""The names of detectors that `ambiguities.json` can use."""
OF_LIMITS = ("string_length", "item_count", MESSAGE_SIZE)
"""The detectors that need a `limit`."""
COMPARED: Mapping[str, tuple[int, ...]] = {
    "ordered_numbers": (2,),
    "ordered_instants": (2,),
    "within_range": (3,),
    "distinct": (0, 1),
}
"""Maps a detector to the number of properties that each of its sites names. The sites of all other detectors name no
properties.
"""
PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "envelope": ("data", "failureMessages", "operationWasSuccessful"),
    **dict.fromkeys(
        ("arithmetic", "rounding"),
        ("totalExtendedPrice", "offers[].unitPrice", "offers[].quantity", "offers[].extendedPrice"),
    ),
}
"""Maps a detector to the properties that it always reads, below its site."""
REJECTED = "rejected"
"""The name of the interpretation in which every message that touches the ambiguity is invalid."""
