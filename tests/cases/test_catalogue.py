"""The catalogue and the default corpus: both have every rule, technique, edge and ambiguity of the contract."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import combinations, islice
from typing import Any

import pytest
from sampled import sample
from validators import agree

from brokerfuzz import MESSAGE_TYPES, BrokerfuzzError, Case, MessageType, catalogue, corpus, load_contract, rules
from brokerfuzz import messages as random_messages
from brokerfuzz.cases.catalogue import plain_messages

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@lru_cache
def whole(message_type: MessageType) -> Sequence[Case]:
    return tuple(catalogue(message_type, now=NOW))


@lru_cache
def small(message_type: MessageType) -> Sequence[Case]:
    return tuple(corpus.load(message_type))


def is_timed(case: Case) -> bool:
    return any(tag.startswith("now:") for tag in case.tags)


@EVERY_TYPE
@pytest.mark.parametrize("listed", [whole, small], ids=["catalogue", "default corpus"])
def test_no_message_occurs_twice_and_a_twin_comes_before_its_faults(
    message_type: MessageType, listed: Callable[[MessageType], Sequence[Case]]
) -> None:
    seen: set[str] = set()
    for case in listed(message_type):
        assert (case.label == "invalid") == bool(case.faults) == (case.twin_id in seen)
        assert case.id not in seen
        seen.add(case.id)


def test_any_two_properties_of_an_offer_occur_in_all_combinations_of_absent_null_and_present() -> None:
    properties = load_contract().schemas[OFFER]["properties"]

    def state(offer: Any, name: str) -> str:
        if name not in offer:
            return "absent"
        return "null" if offer[name] is None else "present"

    def combinations_in(offers: Iterable[Any]) -> set[Any]:
        states = ([(name, state(offer, name)) for name in properties] for offer in offers)
        return {pair for states_of_offer in states for pair in combinations(states_of_offer, 2)}

    in_catalogue = combinations_in(case.value for case in whole(OFFER) if case.label == "valid")
    assert combinations_in(islice(random_messages(OFFER, 1), 300)) <= in_catalogue


@EVERY_TYPE
@sample(100, 10_000)
@pytest.mark.every(3)
def test_five_validators_agree_with_the_oracle_about_structure(message_type: MessageType, size: int) -> None:
    drawn = islice(random_messages(message_type, 8, verdicts=["valid", "invalid"], now=NOW), size // 4)
    judged = [*whole(message_type)[:size], *drawn]
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


@EVERY_TYPE
def test_the_catalogue_and_the_default_corpus_have_the_same_faults_and_probes(message_type: MessageType) -> None:
    def used(cases: Sequence[Case]) -> Counter[tuple[str, str]]:
        return Counter(
            (fault.rule, fault.technique) for case in cases for fault in case.faults if len(case.body) < 10_000
        )

    def probes(cases: Sequence[Case]) -> set[tuple[str, ...]]:
        unspecified = [case for case in cases if case.label == "unspecified" and len(case.body) <= 16 * 1024]
        return {tuple(tag for tag in case.tags if tag.startswith(("probe:", "as:"))) for case in unspecified}

    timeless = [case for case in whole(message_type) if not is_timed(case)]
    faults = used(small(message_type))
    assert set(used(timeless)) == set(faults)
    assert {rule for rule, _ in faults} == {rule.id for rule in rules(message_type)}
    in_second_item = [case for case in small(message_type) if "at:second" in case.tags]
    assert max((faults - used(in_second_item)).values()) == 1, "in the default corpus, each pair occurs once"
    in_arrays = {rule.id for rule in rules(message_type) if "[]" in rule.site}
    assert Counter(case.faults[0].rule for case in in_second_item) == Counter(in_arrays)
    assert probes(timeless) <= probes(small(message_type))


# ------------------------------------------------------------------------------------------------------------- offers


def test_the_first_two_hundred_and_fifty_offers_break_every_rule() -> None:
    broken = {fault.rule for case in whole(OFFER)[:250] for fault in case.faults}
    assert broken == {rule.id for rule in rules(OFFER)}


def test_a_rule_is_broken_in_every_setting_and_at_every_position_in_arrays() -> None:
    tags = defaultdict[str, set[str]](set)
    for case in whole(OFFER):
        for fault in case.faults:
            tags[fault.rule] |= set(case.tags)
    for rule_id, found in tags.items():
        assert {"in:narrow", "in:complete", "in:unusual", "in:nulls", "in:backwards", "at:only"} <= found, rule_id
        if "[]" in rule_id:
            assert {"in:bare", "at:eleventh", "at:last", "at:middle", "at:first"} <= found, rule_id


@pytest.mark.parametrize("keyword", ["required", "type", "minItems"])
def test_a_rule_with_a_condition_is_broken_before_and_behind_the_deciding_property(keyword: str) -> None:
    """Programs often check a condition too early, or only for the first cluster."""
    rule_id = f"{OFFER}/productClusters[].products:{keyword}"
    faults = [case for case in whole(OFFER) if case.faults and case.faults[0].rule.startswith(rule_id)]
    cases = [case for case in faults if case.value["offerType"] == "Product List"]
    orders = {list(case.value).index("offerType") < list(case.value).index("productClusters") for case in cases}
    assert orders == {True, False}
    assert {(len(case.value["productClusters"]), case.faults[0].at.split("/")[2]) for case in cases} >= {
        (1, "0"), (3, "0"), (3, "1"), (3, "2"),
    }  # fmt: skip


def test_states_that_only_a_condition_forbids_are_valid_for_other_offers() -> None:
    valid = [case.value for case in whole(OFFER) if case.label == "valid"]
    others = [value for value in valid if value["offerType"] != "Product List"]
    assert any("productClusters" not in value for value in others)
    assert any(value.get("productClusters", 0) is None for value in others)
    assert any(value.get("productClusters") == [] for value in others)


@EVERY_TYPE
def test_plain_messages_are_different_valid_messages_and_the_first_one_is_that_of_the_catalogue(
    message_type: MessageType,
) -> None:
    cases = plain_messages(message_type)
    assert cases[0].id == next(case.id for case in whole(message_type) if case.label == "valid")
    assert len({case.body for case in cases}) == len(cases) > 1
    assert {case.label for case in cases} == {"valid"}


# --------------------------------------------------------------------------------------------------------------- times


def test_cases_can_be_generated_for_any_time_since_2001_and_a_time_without_a_zone_is_in_utc() -> None:
    with pytest.raises(BrokerfuzzError, match="use 2001-01-01 or later"):
        next(catalogue(OFFER, now=datetime(1999, 1, 1, tzinfo=UTC)))
    for year in (2001, 2525):
        now = datetime(year, 2, 3, tzinfo=UTC)
        assert len(list(catalogue(OFFER, now=now, rules=[f"{OFFER}/number:required"]))) > 3
        assert len(list(islice(random_messages(OFFER, 1, verdicts=["valid", "invalid"], now=now), 100))) == 100
    assert next(catalogue(OFFER, now=NOW.replace(tzinfo=None))) == whole(OFFER)[0]
