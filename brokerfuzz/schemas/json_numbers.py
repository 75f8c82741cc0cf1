"""Numbers as JSON writes them, which may be more than a double can hold."""

import math
import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

_LARGEST = math.nextafter(math.inf, 0)
_SMALLEST = math.ulp(0.0)

LONGEST_NUMBER = 640
"""Characters; longer ones are out of any double's hold, and Python can be told to reject integers past 640 digits."""

LONGEST_INTEGER = 10**399
"""Stands for all integers of more than 640 characters."""


def integer(literal: str) -> int:
    """The integer; `LONGEST_INTEGER`, or that below zero, for one that is too long to be read."""
    if len(literal) > LONGEST_NUMBER:
        return -LONGEST_INTEGER if literal[0] == "-" else LONGEST_INTEGER
    return int(literal)


@lru_cache(maxsize=1024)
def fits_double(literal: str) -> bool:
    """Whether a double gives the number back as it was written (0.1 does: the shortest text of its double is 0.1)."""
    if len(literal) > LONGEST_NUMBER:
        return False
    value = float(literal)
    if math.isinf(value):
        return False
    try:
        return Decimal(literal) == Decimal(repr(value))
    except InvalidOperation:  # an exponent beyond 10**18: zero or out of range
        return not _has_digits(literal)


def nearest(literal: str) -> float:
    """The double of a number: where there is none as large or as small, the one that is on the same side of every bound."""
    value = float(literal)
    if math.isinf(value):
        return math.copysign(_LARGEST, value)
    if value == 0 and _has_digits(literal):
        return math.copysign(_SMALLEST, value)
    return value


def _has_digits(literal: str) -> bool:
    """Whether the number is not zero, as it is written."""
    return re.search("[1-9]", literal.lower().partition("e")[0]) is not None


def rounded(literal: str) -> float:
    """The double of a number; the largest, where it is beyond all."""
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value
