"""Sorts cases so that people read the plainest first."""

import re

from brokerfuzz.cases.case import Case

_UNUSUAL = re.compile(rb"[^ -\[\]-~]")
"""A byte that is not printable ASCII, or the backslash of an escape."""


def strangeness(case: Case) -> tuple[bool, int]:
    """Returns a sort key. Messages with escapes or unusual characters come last, and long messages come after short
    ones. Of messages with the same number of digits in their length, the order does not change: the simplest techniques
    come first.
    """
    return bool(case.headers) or _UNUSUAL.search(case.body) is not None, len(str(len(case.body)))
