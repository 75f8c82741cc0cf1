"""Finds the rules that can be broken in random messages. Each random message contains a unique string, its mark (see `marks`). A
technique keeps the mark if the invalid message still contains this string.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import orjson

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Rewrite, apply, value_at
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.steering.marks import marked, marked_sites
from brokerfuzz.cases.steering.site_paths import Site, steps_of, way_to
from brokerfuzz.cases.techniques import FaultContext, Technique
from brokerfuzz.schemas import Contract, MessageType, Rule

_ANY_TIME = datetime(2024, 1, 1, tzinfo=UTC)
"""The current time for the techniques in this module. `Breaker.next` skips a technique that does not apply at the actual time."""


class Breakables(NamedTuple):
    """Lists each rule with the techniques that can break the rule. If `keep_marks` is true, only techniques that keep the mark are
    listed. Otherwise, no technique keeps the mark, and all techniques are listed.
    """

    rules: Sequence[tuple[Rule, Sequence[Technique]]]
    keep_marks: bool


@lru_cache(maxsize=16)
def breakables(contract: Contract, message_type: MessageType, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None) -> Breakables:
    """Returns the selected rules that a selected technique can break. None selects all rules or techniques."""
    maker = FaultMaker(contract, message_type, _ANY_TIME)
    marks = [steps_of(site) for site in marked_sites(contract, message_type)]
    every, lasting = [], []
    for rule in contract.rules[message_type] if rules is None else rules:
        usable = [technique for technique in maker.techniques(rule) if techniques is None or technique.name in techniques]
        if usable:
            every.append((rule, usable))
            copied = orjson.loads(compact(maker.plain(rule)))
            if left := _mark_keeping(contract, rule, usable, copied, marks):
                lasting.append((rule, left))
    return Breakables(lasting or every, bool(lasting) or not every)


def _mark_keeping(contract: Contract, rule: Rule, usable: Sequence[Technique], message: Any, sites: Sequence[Site]) -> Sequence[Technique]:
    """Puts a unique string (a mark) at each of the `sites` in `message`. Returns each technique that leaves at least one mark in
    the message. If a technique rewrites the whole message, such as `truncated`, at least half of the marks must remain.
    """
    there = [steps for site in sites if (steps := way_to(message, site, 0))]
    marks = [b"m%d." % number for number in range(len(there))]
    for steps, mark in zip(there, marks, strict=True):
        value_at(message, steps[:-1])[steps[-1]] = mark.decode()
    place = way_to(message, steps_of(rule.site), 0)
    if place is None:
        return usable
    context, found = FaultContext(rule, contract.sites[rule.message_type][rule.site].schema, value_at(message, place), _ANY_TIME), []
    for technique in usable:
        change = technique.change(context)
        body = apply(message, place, change) if change else b""
        needed = max(-(-len(marks) // 2) if isinstance(change, Rewrite) else 1, 1)
        left = (mark for mark in marks if marked(body, mark))
        if len(list(islice(left, needed))) == needed:
            found.append(technique)
    return found
