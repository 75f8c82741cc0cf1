from pathlib import Path

import pytest

from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract, rules

PINNED = Path(__file__).with_name("rule_ids.txt")


def test_every_rule_has_a_unique_id() -> None:
    ids = [rule.id for message_type in MESSAGE_TYPES for rule in rules(message_type)]
    assert len(ids) == len(set(ids))
    assert all(load_contract().rule(rule_id).id == rule_id for rule_id in ids)


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_every_rule_has_a_demand(message_type: MessageType) -> None:
    for rule in rules(message_type):
        assert rule.demand.strip(), rule.id
        assert "{" not in rule.demand, rule.id


def test_the_rules_are_those_in_the_pinned_list() -> None:
    """Added, removed and renamed rules are visible to every user. `python -m tests.regenerate` writes the list."""
    found = [rule.id for message_type in MESSAGE_TYPES for rule in rules(message_type)]
    assert found == PINNED.read_text(encoding="utf-8").splitlines()
