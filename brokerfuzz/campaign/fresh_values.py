"""Messages for a target that rejects what it has seen: one property's text is another one each time.

A service that creates offers may well reject a number twice, which the contract leaves open. Then every message that repeats one would look
as if it were wrongly rejected. What is said of a message (verdict, rules, ambiguities) is what it is said of the one that is sent, or that goes as
it is.
"""

import os
import time
from itertools import count

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.json_trees import JsonObject, read_tree, write_tree
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Verdict


class Freshness:
    """Gives the `property` of a message's outermost object a text of its own: what it has, and behind it what no other message of any campaign
    has."""

    def __init__(self, prop: str, judge: Judge) -> None:
        self._property, self._judge = prop, judge
        self._numbers = count(1)
        self._begun = ""

    def __reduce__(self) -> tuple[object, ...]:
        """In another process it counts for itself."""
        return Freshness, (self._property, self._judge)

    def of(self, case: Case, body: bytes) -> bytes:
        """The bytes with that text; the bytes as they are where the property is not there as a text, or is what matters, or how they are spelled
        is."""
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
        self._begun = self._begun or f"{time.time_ns() // 1_000_000:x}-{os.getpid():x}"
        return f"{value}-{self._begun}-{next(self._numbers)}"


def _signature(verdict: Verdict) -> tuple[object, ...]:
    return verdict.label, {entry.rule for entry in verdict.broken}, {entry.ambiguity for entry in verdict.ambiguities}
