from collections import Counter
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice

import pytest
from sampled import sample
from validators import agree

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, plain_messages, plainest
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.errors import ClockError
from brokerfuzz.schemas import MESSAGE_TYPES, Label, MessageType, check, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@lru_cache
def listed(message_type: MessageType) -> tuple[Case, ...]:
    return tuple(catalogue(message_type, now=NOW))


@EVERY_TYPE
def test_only_cases_that_depend_on_the_clock_change_with_the_time(message_type: MessageType) -> None:
    later = {case.id for case in catalogue(message_type, now=datetime(2031, 5, 6, tzinfo=UTC))}
    changed = [case for case in listed(message_type) if case.id not in later]
    assert bool(changed) is (message_type != "offer-pricing-response"), "only the pricing response contains no times"
    assert all(any(tag.startswith("now:") for tag in case.tags) for case in changed)


@EVERY_TYPE
def test_the_first_valid_case_is_available_without_the_catalogue(message_type: MessageType) -> None:
    assert plainest(message_type).id == next(case.id for case in listed(message_type) if case.label == "valid")


@EVERY_TYPE
def test_no_message_occurs_twice(message_type: MessageType) -> None:
    assert max(Counter(case.id for case in listed(message_type)).values()) == 1


@EVERY_TYPE
def test_a_twin_comes_before_its_fault(message_type: MessageType) -> None:
    seen: set[str] = set()
    for case in listed(message_type):
        seen.add(case.id)
        assert case.twin_id is None or case.twin_id in seen


@EVERY_TYPE
@pytest.mark.parametrize("label", ["valid", "invalid", "unspecified"])
def test_verdicts_can_be_selected(message_type: MessageType, label: Label) -> None:
    chosen = [case.id for case in catalogue(message_type, verdicts=[label], now=NOW)]
    assert set(chosen) == {case.id for case in listed(message_type) if case.label == label}


@EVERY_TYPE
def test_every_rule_is_broken_in_the_first_half_of_the_catalogue(message_type: MessageType) -> None:
    half = listed(message_type)[: len(listed(message_type)) // 2]
    broken = {fault.rule for case in half for fault in case.faults}
    assert broken == {rule.id for rule in load_contract().rules[message_type]}


@EVERY_TYPE
def test_every_ambiguity_of_the_message_is_probed(message_type: MessageType) -> None:
    touched = {
        touch.ambiguity
        for case in listed(message_type)
        for touch in case.verdict.ambiguities
        if case.label == "unspecified"
    }
    concerned = {ambiguity.id for ambiguity in load_contract().ambiguities if ambiguity.concerns(message_type)}
    without_integers = {"integer-form"} if message_type == "product-list-response" else set()
    assert touched == concerned - without_integers


@EVERY_TYPE
def test_every_label_comes_from_the_oracle(message_type: MessageType) -> None:
    for case in listed(message_type):
        assert check(message_type, case.body, now=NOW, headers=case.headers) == case.verdict


@EVERY_TYPE
def test_a_seed_gives_the_same_random_cases_and_all_are_judged(message_type: MessageType) -> None:
    first, second = (list(islice(random_cases(message_type, 5, now=NOW), 400)) for _ in range(2))
    assert first == second
    assert {case.label for case in first} == {"valid", "invalid", "unspecified"}
    assert all(case.verdict == check(message_type, case.body, now=NOW) for case in first)
    assert len({case.id for case in first}) > 350


@EVERY_TYPE
@sample(500, 10_000)
@pytest.mark.rotated(3)
def test_five_validators_agree_with_the_oracle_about_structure(message_type: MessageType, size: int) -> None:
    judged = [
        *listed(message_type)[:size],
        *islice(random_cases(message_type, 8, verdicts=["valid", "invalid"], now=NOW), size // 4),
    ]
    comparable = [case for case in judged if case.label != "unspecified" and not _beyond_schemas(case)]
    assert len(comparable) > size // 4
    opinions = agree(message_type, [case.value for case in comparable])
    for case, opinion in zip(comparable, opinions, strict=True):
        assert set(opinion.values()) == {case.label == "valid"}, (case.body[:400], opinion, str(case.verdict))


def _beyond_schemas(case: Case) -> bool:
    """Returns True if the validators cannot judge the case: it is not JSON, it depends on the clock, or Node parses its
    numbers differently.
    """
    wide = any(touch.ambiguity in ("double-range", "integer-form") for touch in case.verdict.ambiguities)
    return wide or any(rule.rule.endswith((":json", ":not-in-future")) for rule in case.verdict.broken)


def test_a_time_that_is_too_early_is_rejected() -> None:
    with pytest.raises(ClockError, match="use 2001-01-01 or later"):
        next(catalogue("offer-creation-request", now=datetime(1999, 1, 1, tzinfo=UTC)))


def test_cases_can_be_generated_for_any_later_time() -> None:
    for year in (2001, 2525):
        now = datetime(year, 2, 3, tzinfo=UTC)
        assert sum(1 for _ in islice(catalogue("offer-creation-request", now=now), 300)) == 300
        assert sum(1 for _ in islice(random_cases("offer-creation-request", 1, now=now), 300)) == 300


def test_a_time_without_a_zone_is_in_utc() -> None:
    naive = next(catalogue("offer-creation-request", now=NOW.replace(tzinfo=None)))
    assert naive == next(catalogue("offer-creation-request", now=NOW))


@EVERY_TYPE
def test_plain_messages_are_different_valid_messages_and_the_last_one_is_the_smallest(
    message_type: MessageType,
) -> None:
    cases = plain_messages(message_type)
    assert cases[0] == plainest(message_type)
    assert len({case.body for case in cases}) == len(cases) > 1
    assert {case.label for case in cases} == {"valid"}
    assert min(cases, key=lambda case: len(case.body)) == cases[-1]
