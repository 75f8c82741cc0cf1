"""Defines the weight of each goal (something that a case can cover). The cases that cover the most weight come first in the
catalogue.

The weights were tuned with services that each contain one known bug (`python -m benchmarks fleet`). They follow from typical bugs:

- Most buggy programs lack a check completely, so one technique for each rule is usually enough.
- A lenient parser accepts the same wrong values for all properties of a type, so one such property is usually enough.
- If a program checks the only item of a short array, and the eleventh item of a longer array, it usually checks all items.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from brokerfuzz.cases.case import NOW_TAG, Case
from brokerfuzz.cases.catalogue_order import WeightedGoals
from brokerfuzz.cases.covering.goals import Goal, covered
from brokerfuzz.cases.covering.message_scan import MessageScanner
from brokerfuzz.cases.covering.states import states
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import JSON_RULE

_FIRST = 1_000_000
_OF_GOAL = {"edge": 60, "ambiguity": 60}
OF_PAIR = 4
_OF_RULE = 1500
_OF_AMBIGUITY = 500
_OF_TAG = {
    "at:only": 300,
    "at:eleventh": 300,
    "at": 20,
    "in": 40,
    "under": 150,
    "control": 10,
    "probe": 60,
    "as": 60,
    "edge": 20,
    "pairs": 20,
    "twin": 0,
}
_OF_FAMILY = {"missing": 200, "null": 200, "coercion": 150, "bound": 200, "wrapping": 40}
_OF_OTHER_FAMILIES = 100
_OF_TECHNIQUE, _OF_TECHNIQUE_AND_TYPE, _OF_TECHNIQUE_AND_RULE = 100, 80, 60
_OF_SETTING_AND_RULE, _OF_SETTING_AND_TYPE_RULE = 300, 80
_OF_SYNTAX = 20
_OF_VALUES = 500


def case_weights(cases: Iterable[Case], contract: Contract, message_type: MessageType) -> Sequence[WeightedGoals]:
    """Returns the goals that each case covers, with the weights of the goals. In `WeightedGoals.bits`, each bit stands for a pair
    of property states (see `covering.states`).
    """
    scanner = MessageScanner(states(contract, message_type))
    return [
        _of_valid(case, contract, scanner) if case.label == "valid" else WeightedGoals(dict(_weights(case, contract, covered(case, contract))))
        for case in cases
    ]


def _of_valid(case: Case, contract: Contract, scanner: MessageScanner) -> WeightedGoals:
    shown = scanner.scan(case.value)
    return WeightedGoals(dict(_weights(case, contract, shown.edges)), shown.pairs)


def _weights(case: Case, contract: Contract, goals: Iterable[Goal]) -> Iterator[tuple[str, int]]:
    for goal in goals:
        if goal.kind in _OF_GOAL:
            yield _name(goal), _OF_GOAL[goal.kind]
        if goal.kind == "ambiguity":
            yield goal.name, _OF_AMBIGUITY
    about, of_setting = "", 0
    for fault in case.faults:
        about, technique = fault.rule, TECHNIQUES[fault.technique]
        rule = contract.rule(fault.rule)
        types = " ".join(sorted(types_of(contract.sites[case.message_type][rule.site].schema)))
        syntax = rule.keyword == JSON_RULE
        of_setting = 0 if syntax else _OF_SETTING_AND_TYPE_RULE if rule.keyword == "type" and not rule.condition else _OF_SETTING_AND_RULE
        yield about, _OF_RULE
        yield f"{about} {technique.family}", _OF_FAMILY.get(technique.family, _OF_OTHER_FAMILIES)
        yield technique.name, _OF_SYNTAX if syntax else _OF_TECHNIQUE
        yield f"{technique.name} at {types}", 0 if syntax else _OF_TECHNIQUE_AND_TYPE
        yield f"{about} {technique.name}", _OF_TECHNIQUE_AND_RULE
    for tag in case.tags:
        if not tag.startswith(NOW_TAG):
            yield f"{about} {tag}", of_setting if tag.startswith("in:") else _of_tag(tag)


_name = lru_cache(maxsize=1 << 16)(" ".join)


def _of_tag(tag: str) -> int:
    if tag in ("edge:complete", "edge:only-required"):
        return _FIRST
    if tag.startswith("edge:values"):
        return _OF_VALUES
    return _OF_TAG.get(tag, _OF_TAG.get(tag.partition(":")[0], 0))
