"""Numbers in JSON notation, which a double cannot always represent."""

import math
import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

_LARGEST = math.nextafter(math.inf, 0)
_SMALLEST = math.ulp(0.0)

LONGEST_NUMBER = 640
"""The maximum length of an integer, in characters. No double represents a longer integer, and Python can be configured to reject integers of more
than 640 digits.
"""

LONGEST_INTEGER = 10**399
"""Replaces every integer of more than 640 characters."""


def integer(literal: str) -> int:
    """Returns the integer. If it is too long, returns `LONGEST_INTEGER` or the negative of `LONGEST_INTEGER`."""
    if len(literal) > LONGEST_NUMBER:
        return -LONGEST_INTEGER if literal[0] == "-" else LONGEST_INTEGER
    return int(literal)


@lru_cache(maxsize=1024)
def fits_double(literal: str) -> bool:
    """Returns True if the number stays the same when it is parsed as a double and written again, for example 0.1."""
    if len(literal) > LONGEST_NUMBER:
        return False
    value = float(literal)
    if math.isinf(value):
        return False
    try:
        return Decimal(literal) == Decimal(repr(value))
    except InvalidOperation:  # the exponent is beyond 10**18, so the number is zero or out of range
        return not _has_digits(literal)


def nearest(literal: str) -> float:
    """Returns the number as a double. If the number is out of range, returns the largest or the lowest double, which is on the same side of every
    bound.
    """
    value = float(literal)
    if math.isinf(value):
        return math.copysign(_LARGEST, value)
    if value == 0 and _has_digits(literal):
        return math.copysign(_SMALLEST, value)
    return value


def _has_digits(literal: str) -> bool:
    """Returns True if the number, as it is written, is not zero."""
    return re.search("[1-9]", literal.lower().partition("e")[0]) is not None


def rounded(literal: str) -> float:
    """Returns the number as a double, or the largest double if the number is out of range."""
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value
