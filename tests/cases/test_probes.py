"""Probes: messages that touch a question that the contract leaves open, and break no rule."""

from collections import defaultdict
from datetime import UTC, datetime
from functools import cache

import pytest

from brokerfuzz import MESSAGE_TYPES, Ambiguity, Case, MessageType, catalogue, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PROBED = [one for one in load_contract().ambiguities if any(map(one.concerns, MESSAGE_TYPES))]
ONE_PROBE = {"timestamp-format", "message-size", "byte-order-mark"}
"""The ambiguities that may have only one probe."""


@cache
def probes(message_type: MessageType) -> dict[str, list[Case]]:
    found = defaultdict(list)
    for case in catalogue(message_type, verdicts=["unspecified"], now=NOW):
        found[case.tags[0].removeprefix("probe:")].append(case)
    return found


def name(case: Case) -> str:
    return case.tags[1].removeprefix("as:")


def touched(case: Case, ambiguity: Ambiguity) -> set[str]:
    """Returns the sites where the case touches the ambiguity."""
    places = [touch.at.split("/")[1:] for touch in case.verdict.ambiguities if touch.ambiguity == ambiguity.id]
    sites = {"".join("[]" if step.isdecimal() else f".{step}" for step in steps) for steps in places}
    return {site.removeprefix(".") for site in sites}


@pytest.mark.parametrize("ambiguity", PROBED, ids=[ambiguity.id for ambiguity in PROBED])
def test_an_ambiguity_has_several_probes_with_different_names_at_each_of_its_sites(ambiguity: Ambiguity) -> None:
    bodies = defaultdict(set)
    for message_type in MESSAGE_TYPES:
        for case in probes(message_type)[ambiguity.id]:
            for touch in (one for one in case.verdict.ambiguities if one.ambiguity == ambiguity.id):
                bodies[message_type, touch.at, name(case)].add(case.body)
    assert all(len(some) == 1 for some in bodies.values())
    assert len({name for _, _, name in bodies}) > 1 or ambiguity.id.partition(".")[0] in ONE_PROBE
    for message_type, asked_sites in (ambiguity.sites or {}).items():
        there = {site for case in probes(message_type)[ambiguity.id] for site in touched(case, ambiguity)}
        assert {asked.path for asked in asked_sites} <= there


def test_an_offset_decides_whether_a_time_is_in_the_past() -> None:
    spelled = {
        name(case): case.value["lastUpdatedDateTimeUtc"]
        for spelling in ("offset", "no-zone")
        for case in probes("offer-creation-request")[f"timestamp-format.{spelling}"]
        if case.verdict.ambiguities[0].at == "/lastUpdatedDateTimeUtc"
    }
    behind = datetime.fromisoformat(spelled["behind-by-offset"])
    assert behind < NOW < behind.replace(tzinfo=UTC), "it is in the future if the offset is ignored"
    assert datetime.fromisoformat(spelled["behind-without-zone"]) < NOW.replace(tzinfo=None)
