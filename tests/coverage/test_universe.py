from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract

from brokerfuzz.cases.covering.goals import KINDS, Goal, of_rule
from brokerfuzz.cases.covering.universe import every_goal
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@EVERY_TYPE
def test_every_goal_occurs_once_in_the_order_of_sites_and_kinds(message_type: MessageType) -> None:
    goals = every_goal(load_contract(), message_type, NOW)
    sites = list(load_contract().sites[message_type])
    assert len(set(goals)) == len(goals)
    places = [(sites.index(goal.site), KINDS.index(goal.kind)) for goal in goals]
    assert places == sorted(places)


@EVERY_TYPE
def test_every_rule_is_a_goal_with_at_least_one_technique(message_type: MessageType) -> None:
    goals = set(every_goal(load_contract(), message_type, NOW))
    for rule in load_contract().rules[message_type]:
        assert of_rule(rule) in goals
        assert any(
            goal.kind == "technique" and goal.site == rule.site and goal.name.startswith(f"{of_rule(rule).name} ")
            for goal in goals
        )


@EVERY_TYPE
def test_every_ambiguity_is_a_goal_at_its_sites_or_once(message_type: MessageType) -> None:
    goals = [goal for goal in every_goal(load_contract(), message_type, NOW) if goal.kind == "ambiguity"]
    anywhere = {goal.name for goal in goals if goal.site == ""}
    assert {"lone-surrogates", "nul-characters", "string-length", "duplicate-properties", "encoding.utf-16"} <= anywhere
    for ambiguity in load_contract().ambiguities:
        if ambiguity.sites is not None and ambiguity.concerns(message_type):
            paths = [where if isinstance(where, str) else where[0] for where in ambiguity.sites[message_type]]
            assert [goal.site for goal in goals if goal.name == ambiguity.id] == sorted(
                dict.fromkeys(paths or [""]), key=_place_in(message_type)
            )


def _place_in(message_type: MessageType) -> Any:
    return list(load_contract().sites[message_type]).index


def test_a_message_type_without_integers_has_no_goals_for_them() -> None:
    assert not [
        goal for goal in every_goal(load_contract(), "product-list-response", NOW) if goal.name == "integer-form"
    ]


def test_a_new_property_has_goals(tmp_path: Path) -> None:
    contract = changed_contract(
        tmp_path, OFFER, lambda schema: schema["properties"].update(priority={"type": "integer", "minimum": 3})
    )
    new = {goal for goal in every_goal(contract, OFFER, NOW) if goal.site == "priority"}
    assert {
        Goal("rule", "priority", "minimum"),
        Goal("technique", "priority", "minimum one-below"),
        Goal("edge", "priority", "lowest"),
    } <= new
