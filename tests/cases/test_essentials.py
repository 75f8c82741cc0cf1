from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

import pytest

from brokerfuzz.cases.case import Case, tagged_now
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.covering.tally import Tally
from brokerfuzz.cases.essentials import LARGEST, essentials
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@lru_cache
def listed(message_type: MessageType) -> Sequence[Case]:
    return tuple(essentials(message_type, now=NOW, large=True))


@EVERY_TYPE
@pytest.mark.rotated(3)
def test_they_cover_what_the_whole_catalogue_covers_except_for_pairs(message_type: MessageType) -> None:
    covered = []
    for cases in (catalogue(message_type, now=NOW), listed(message_type)):
        tally = Tally(load_contract(), message_type, NOW)
        for case in cases:
            tally.add(case, case.id)
        covered.append({goal for goal in tally.first if goal.kind != "pair"})
    assert covered[0] <= covered[1]


@EVERY_TYPE
def test_each_pair_of_rule_and_technique_occurs_once(message_type: MessageType) -> None:
    broken = [(fault.rule, fault.technique) for case in listed(message_type) for fault in case.faults]
    assert len(broken) == len(set(broken))


@EVERY_TYPE
def test_each_probe_of_the_catalogue_occurs(message_type: MessageType) -> None:
    def probes(cases: Sequence[Case]) -> set[tuple[str, ...]]:
        return {tuple(tag for tag in case.tags if tag.startswith(("probe:", "as:"))) for case in cases if case.label == "unspecified"}

    assert probes(tuple(catalogue(message_type, now=NOW))) <= probes(listed(message_type))


@EVERY_TYPE
def test_each_twin_is_a_case_and_comes_before_its_faults(message_type: MessageType) -> None:
    seen: set[str] = set()
    for case in listed(message_type):
        assert case.twin_id is None or case.twin_id in seen
        seen.add(case.id)
    assert len(seen) == len(listed(message_type))


@EVERY_TYPE
def test_the_plain_messages_come_first(message_type: MessageType) -> None:
    assert [case.tags for case in listed(message_type)[:2]] == [("edge:complete",), ("edge:only-required",)]


@EVERY_TYPE
@pytest.mark.rotated(3)
def test_large_messages_and_cases_about_the_clock_need_a_request(message_type: MessageType) -> None:
    expected = [case.id for case in listed(message_type) if len(case.body) <= LARGEST and tagged_now(case.tags) is None]
    assert [case.id for case in essentials(message_type)] == expected
    assert len(expected) < len(listed(message_type))


def test_nearly_all_faults_of_offers_have_only_the_required_properties_beside_them() -> None:
    faults = [case for case in listed("offer-creation-request") if case.twin is not None]
    assert sum(len(case.twin.value) > 3 for case in faults if case.twin is not None) < len(faults) / 50
