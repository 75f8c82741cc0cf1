from collections import Counter
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice

import pytest

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.covering.goals import Goal, covered
from brokerfuzz.cases.covering.tally import COUNTED, Score, Tally
from brokerfuzz.cases.covering.universe import every_goal
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)

PLAIN = b'{"number":"1","offerType":"Email"}'


@lru_cache
def of_catalogue(message_type: MessageType) -> tuple[Case, ...]:
    return tuple(catalogue(message_type, now=NOW))


def tally(message_type: MessageType, *cases: Case) -> Tally:
    counted = Tally(load_contract(), message_type, NOW)
    for number, case in enumerate(cases, 1):
        counted.add(case, f"a:{number}")
    return counted


def judged(body: bytes, *faults: Fault) -> Case:
    return Case.judged(OFFER, body, faults=faults, now=NOW)


# -------------------------------------------------------------------------------------------------------- our own

NOT_COVERED = {
    "data.offers[].extendedPrice tiny": "sums are rounded to the cent",
    "data.totalExtendedPrice tiny": "sums are rounded to the cent",
    "item-count": "the catalogue has no such long arrays of anything but strings",
}
"""Maps the end of the names of goals to the reason why the catalogue does not cover these goals."""


@EVERY_TYPE
def test_the_catalogue_covers_all_goals(message_type: MessageType) -> None:
    missing = [" ".join(goal) for goal in tally(message_type, *of_catalogue(message_type)).missing()]
    assert [name for name in missing if not name.endswith(tuple(NOT_COVERED))] == []


@EVERY_TYPE
def test_exactly_the_covered_goals_are_counted(message_type: MessageType) -> None:
    cases = [*islice(random_cases(message_type, 3, now=NOW), 300), *of_catalogue(message_type)[:300]]
    counted = tally(message_type, *cases)
    goals = Counter(goal for case in cases for goal in covered(case, load_contract()))
    known = set(every_goal(load_contract(), message_type, NOW))
    met = {goal for goal in goals if goal in known}
    at_root = {goal for goal in counted.first if goal.kind == "ambiguity" and goal.site == ""}
    assert set(counted.first) - at_root == met - at_root
    assert {goal: counted.counts[goal] for goal in met - at_root if goal.kind in COUNTED} == {
        goal: goals[goal] for goal in met - at_root if goal.kind in COUNTED
    }


# --------------------------------------------------------------------------------------------------------- one by one


def test_a_message_covers_its_edges_and_pairs() -> None:
    counted = tally(OFFER, judged(PLAIN))
    edges = {goal for goal in counted.first if goal.kind == "edge"}
    assert Goal("edge", "offerType", "=Email") in edges
    assert Goal("edge", "", "only-required") in edges
    assert {goal.name for goal in edges} <= {"=Email", "only-required", "absent", "shortest", "numeric"}
    assert counted.score("pair") == Score(630, counted.score("pair").all)
    assert counted.score("rule", "technique", "ambiguity").covered == 0


def test_a_message_with_a_fault_covers_only_its_rule_and_technique() -> None:
    fault = Fault("offer-creation-request/orderMinimum:minimum", "/orderMinimum", "zero")
    counted = tally(OFFER, judged(b'{"number":"1","offerType":"Email","orderMinimum":0}', fault))
    assert set(counted.first) == {
        Goal("rule", "orderMinimum", "minimum"),
        *_known(Goal("technique", "orderMinimum", "minimum zero")),
    }


def _known(goal: Goal) -> set[Goal]:
    """Returns an empty set if `every_goal` omits the goal, because another technique uses the same value."""
    return {goal} & set(every_goal(load_contract(), OFFER, NOW))


def test_an_ambiguous_message_covers_only_its_ambiguity() -> None:
    counted = tally(OFFER, judged(b'{"number":"1","offerType":"Email","deliveryScheduleCron":"weekly"}'))
    assert set(counted.first) == {Goal("ambiguity", "deliveryScheduleCron", "cron-syntax")}


@pytest.mark.parametrize("name", ["comments", "number", "pdfUrl"])
def test_an_ambiguity_about_any_string_is_covered_by_any_string(name: str) -> None:
    props = {"number": '"1"', "offerType": '"Email"', name: r'"a\u0000"'}
    body = "{" + ",".join(f'"{prop}":{value}' for prop, value in props.items()) + "}"
    assert Goal("ambiguity", "", "nul-characters") in tally(OFFER, judged(body.encode())).first


def test_messages_are_counted_and_the_first_is_recorded() -> None:
    counted = tally(OFFER, judged(b"{}"), judged(PLAIN), judged(b'{"number":"2","offerType":"Email"}'))
    email = Goal("edge", "offerType", "=Email")
    assert (counted.messages, counted.verdicts["valid"], counted.counts[email], counted.first[email]) == (
        3,
        2,
        2,
        "a:2",
    )


def test_a_score_without_goals_is_complete() -> None:
    assert Score(0, 0).share == 1.0
    assert Score(1, 2) + Score(2, 2) == Score(3, 4)


def test_memory_does_not_grow_with_the_number_of_messages() -> None:
    cases = list(islice(random_cases(OFFER, 6, now=NOW), 300))
    counted = tally(OFFER, *cases)
    size = len(counted.first)
    for case in cases * 3:
        counted.add(case, "b:1")
    assert len(counted.first) == size
    assert "b:1" not in counted.first.values()
