"""Gives one property a different string in each message, for targets that reject repeated values.

For example, a service may reject an offer number that it already knows. The contract does not say whether a service may do this.
Without fresh values, rejections of repeated values would look like findings. A message is changed only if its verdict, its broken
rules and its ambiguities stay the same.
"""

import os
import time
from itertools import count

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.json_trees import JsonObject, read_tree, write_tree
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Verdict


class FreshValues:
    """Gives a property of each message a unique string: the original value and a suffix that no other message has."""

    def __init__(self, prop: str, judge: Judge) -> None:
        self._property, self._judge = prop, judge
        self._numbers = count(1)
        self._prefix = ""

    def __reduce__(self) -> tuple[object, ...]:
        """A copy in another process starts its own counter."""
        return FreshValues, (self._property, self._judge)

    def of(self, case: Case, body: bytes) -> bytes:
        """Returns the body with a fresh value. If the property is not a string, or if the verdict would change, returns the same body."""
        try:
            tree = read_tree(body)
        except ValueError:
            return body
        if not isinstance(tree, JsonObject) or write_tree(tree) != body:
            return body
        fresh = tuple((name, self._text(value) if name == self._property and isinstance(value, str) else value) for name, value in tree.pairs)
        candidate = write_tree(JsonObject(fresh))
        return candidate if _signature(self._judge.of(case, candidate)) == _signature(self._judge.of(case, body)) else body

    def _text(self, value: str) -> str:
        self._prefix = self._prefix or f"{time.time_ns() // 1_000_000:x}-{os.getpid():x}"
        return f"{value}-{self._prefix}-{next(self._numbers)}"


def _signature(verdict: Verdict) -> tuple[object, ...]:
    return verdict.label, {entry.rule for entry in verdict.broken}, {entry.ambiguity for entry in verdict.ambiguities}
