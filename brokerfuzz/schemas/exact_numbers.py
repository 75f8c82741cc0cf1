"""Reads numbers in JSON notation: exactly, or rounded to doubles."""

import math
from decimal import ROUND_05UP, Context, Decimal

_LARGEST = math.nextafter(math.inf, 0)

LONGEST_NUMBER = 640
"""The maximum length of a number, in characters. brokerfuzz treats a longer number like a number that a double cannot
represent. This limit exists because Python can be configured to reject integers of more than 640 digits.
"""

_EXACT = Context(prec=LONGEST_NUMBER, rounding=ROUND_05UP, Emin=-LONGEST_NUMBER, Emax=LONGEST_NUMBER, traps=[])
"""Rounds numbers that are longer than 640 digits or too large. A rounded number is on the same side of each bound of a
schema as the original number.

With `ROUND_05UP`, the 640th digit of a rounded number is never 0. Bounds are shorter, so no rounded number equals a
bound.
"""


def exact(literal: str) -> Decimal:
    """Returns the exact value of a number. See `_EXACT` for numbers that are too long or too large."""
    return _EXACT.create_decimal(literal)


def fits_double(literal: str) -> bool:
    """Returns whether a number stays the same if it is parsed as a double and written again."""
    if len(literal) <= 15 and "e" not in literal and "E" not in literal:
        return True
    return len(literal) <= LONGEST_NUMBER and exact(literal) == Decimal(repr(float(literal)))


def integer(literal: str) -> int | float:
    """Parses an integer. One with more than 4,300 digits becomes the largest double with its sign."""
    try:
        return int(literal)
    except ValueError:
        return rounded(literal)


def rounded(literal: str) -> float:
    """Converts a number to a double. If the number is out of range, returns the largest double with the same sign."""
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value
