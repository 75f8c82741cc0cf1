"""Gives one property a different string in each message, for programs that reject repeated values.

For example, a service may reject an offer number that it already knows. The contract does not say whether this is allowed.
Without fresh values, rejections of repeated values would look like findings. A message is changed only if its verdict, its broken
rules and its ambiguities stay the same.
"""

import os
from collections.abc import Callable
from itertools import count
from secrets import token_hex

from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import JsonObject, read_tree, write_tree
from brokerfuzz.schemas import Verdict

_RUN, _NUMBERS = token_hex(4), count(1)
_LONG = 100
_DEEPEST = 150  # faults can be nested deeper than the trees that are shrunk


def fresh_string(value: str) -> str:
    """Returns the string with a suffix that no other call has used, in any process. In a long string, the suffix replaces the end, so
    that the string does not become too long.
    """
    suffix = f"-{_RUN}-{os.getpid():x}-{next(_NUMBERS)}"
    return (value if len(value) < _LONG else value[: -len(suffix)]) + suffix


class FreshValues:
    """Gives the property `name` of a message's top-level object a unique string. `verdict_of` judges the bytes that a case would have."""

    def __init__(self, name: str, verdict_of: Callable[[Case, bytes], Verdict]) -> None:
        self._name, self._verdict_of = name, verdict_of

    def of(self, case: Case, body: bytes) -> bytes:
        """Returns the body with a fresh value. Returns the body unchanged if the property is not a string, or if the new value or
        the new formatting would change the verdict.
        """
        try:
            tree = read_tree(body, _DEEPEST)
        except ValueError:
            return body
        if not isinstance(tree, JsonObject) or write_tree(tree) != body:
            return body
        pairs = tuple((name, fresh_string(value) if name == self._name and isinstance(value, str) else value) for name, value in tree.pairs)
        candidate = write_tree(JsonObject(pairs))
        return candidate if same_verdict(self._verdict_of(case, candidate), self._verdict_of(case, body)) else body


def same_verdict(one: Verdict, other: Verdict) -> bool:
    """Returns True if both verdicts have the same label, broken rules and ambiguities."""
    return _signature(one) == _signature(other)


def _signature(verdict: Verdict) -> tuple[object, ...]:
    return verdict.label, {entry.rule for entry in verdict.broken}, {entry.ambiguity for entry in verdict.ambiguities}
