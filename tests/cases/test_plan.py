import json
import pickle
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest

from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.plan import RANDOM_PER_SHARD, STRIDE, Plan
from brokerfuzz.errors import UnknownNameError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def planned(**choice: Any) -> Plan:
    return Plan(**{"message_type": "offer-pricing-response", "now": NOW, **choice})


def ids(plan: Plan) -> list[tuple[int, str]]:
    return [(number, case.id) for number, case in plan.numbered()]


def test_the_catalogue_comes_first_and_in_its_order() -> None:
    listed = [case.id for case in catalogue("offer-pricing-response", now=NOW)]
    found = ids(planned(count=20))
    assert [case for _, case in found][: len(listed)] == listed
    assert len(found) == len(listed) + 20 == planned(count=20).total


def test_case_numbers_rise_and_identify_the_shard() -> None:
    plan = planned(count=RANDOM_PER_SHARD + 5)
    for shard in plan.shards():
        numbers = [number for number, _ in plan.cases(shard)]
        assert numbers == list(range(shard * STRIDE, shard * STRIDE + len(numbers)))
        assert numbers


def test_a_shard_is_the_same_in_another_process() -> None:
    plan = planned(count=RANDOM_PER_SHARD + 5)
    other = pickle.loads(pickle.dumps(plan))
    assert [case.id for _, case in other.cases(4)] == [case.id for _, case in plan.cases(4)]


@pytest.mark.parametrize("now", [NOW, None])
def test_a_plan_can_be_serialized_and_parsed(now: datetime | None) -> None:
    plan = planned(
        now=now, count=None, seed=7, rules=("*:minimum",), tags=("!pairs:*",), verdicts=("invalid",), only_random=True
    )
    assert Plan.of(json.loads(json.dumps(plan.data()))) == plan


def test_hardly_any_case_occurs_twice_in_a_plan() -> None:
    found = [case for _, case in ids(planned(count=2 * RANDOM_PER_SHARD))]
    assert len(found) - len(set(found)) < 0.02 * len(found)  # random cases of different shards can be equal


def test_a_plan_without_a_count_is_endless() -> None:
    plan = planned(count=None, only_random=True)
    assert plan.total is None
    assert len(list(islice(plan.numbered(), 3 * RANDOM_PER_SHARD))) == 3 * RANDOM_PER_SHARD


def test_filters_apply_to_random_cases() -> None:
    plan = planned(count=100, only_random=True, rules=("!*:type",), verdicts=("invalid",))
    cases = [case for _, case in plan.numbered()]
    assert len(cases) == 100
    assert all(
        case.label == "invalid" and not any(fault.rule.endswith(":type") for fault in case.faults) for case in cases
    )


@pytest.mark.parametrize(
    "choice", [{"rules": ("no-such",)}, {"rules": ("!no-such",)}, {"techniques": ("no-such",)}, {"sites": ("no-such",)}]
)
def test_a_pattern_without_a_match_is_rejected(choice: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        list(planned(**choice).numbered())


def test_an_endless_plan_ends_if_no_new_case_is_left() -> None:
    narrow = planned(count=None, only_random=True, rules=("*:json",), techniques=("empty-body",), verdicts=("invalid",))
    assert len(list(islice(narrow.numbered(), 5000))) < 5000


def test_an_unknown_tag_ends_a_plan() -> None:
    assert ids(planned(count=5, tags=("no-such",))) == []


@pytest.mark.parametrize("only_random", [False, True])
def test_a_site_selects_the_faults_of_its_rules_and_their_twins(only_random: bool) -> None:
    cases = [
        case for _, case in planned(sites=("data.offers[].quantity",), count=100, only_random=only_random).numbered()
    ]
    twins = {case.twin_id for case in cases}
    assert {fault.rule.partition(":")[0].partition("/")[2] for case in cases for fault in case.faults} == {
        "data.offers[].quantity"
    }
    assert all(case.id in twins for case in cases[:-1] if not case.faults)
