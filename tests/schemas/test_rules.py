from pathlib import Path

import pytest

from brokerfuzz.errors import UnknownNameError
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


OFFER = "Offer creation request"


@pytest.mark.parametrize(
    ("rule_id", "source"),
    [
        ("offer-creation-request/number:minLength", f"{OFFER}, row number; validation rule 1"),
        (
            "offer-creation-request/productClusters:required@offerType=Product-List",
            f"{OFFER}, Conditional rule; validation rule 3",
        ),
        ("offer-creation-request/orderMaximum:maximum", f"{OFFER}, row orderMaximum"),
        ("offer-creation-request/accessGroups[]:type", f"{OFFER}, row accessGroups"),
        ("offer-creation-request/:json", "What the service does, JSON messages"),
        ("product-list-response/failureMessages:required", "Response envelope, row failureMessages"),
    ],
)
def test_a_rule_cites_the_part_of_the_contract_that_demands_it(rule_id: str, source: str) -> None:
    assert load_contract().rule(rule_id).source == source


def test_the_error_for_an_unknown_rule_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'offer-creation-request/number:minLength'"):
        load_contract().rule("offer-creation-request/number:minlength")


def test_the_error_for_an_unknown_message_type_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'product-list-response'"):
        rules("product-list")
