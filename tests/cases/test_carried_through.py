"""A changed contract carries through: its rules are broken, its edges tried, with no code changed."""

from collections import defaultdict
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest
from contracts import changed_contract

from brokerfuzz.cases.at_random import random_cases
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.schemas import Contract, MessageType, check

OFFER: MessageType = "offer-creation-request"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def change(schema: dict[str, Any]) -> None:
    box = {"w": {"type": "integer", "minimum": 0}, "name": {"type": "string", "maxLength": 5}}
    schema["properties"] |= {
        "level": {"type": "string", "enum": ["low", "high"]},
        "rank": {"type": ["integer", "null"], "minimum": 10, "maximum": 20},
        "pack": {"type": "integer", "multipleOf": 5},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "box": {"type": "object", "required": ["w"], "properties": box, "additionalProperties": False},
        "labels": {"type": "array", "uniqueItems": True, "minItems": 2, "maxItems": 4, "items": {"type": "string"}},
        "sku": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{4}$"},
    }
    schema["required"].append("level")
    schema["properties"]["offerType"]["enum"].append("Fax")
    schema["properties"]["orderMinimum"]["minimum"] = 5
    priced = {"required": ["defaultPrice"], "properties": {"defaultPrice": {"type": "number", "minimum": 1}}}
    cheap = {"properties": {"surcharge": {"type": ["number", "null"], "maximum": 100}}}
    schema["allOf"] = [{"if": {"required": ["level"], "properties": {"level": {"const": "high"}}}, "then": priced, "else": cheap}]


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return changed_contract(tmp_path_factory.mktemp("contract"), OFFER, change)


def test_every_rule_of_it_is_broken_in_more_than_one_way(contract: Contract) -> None:
    broken = defaultdict(set)
    for case in catalogue(OFFER, now=NOW, contract=contract):
        for fault in case.faults:
            broken[fault.rule].add((fault.technique, case.tags))
    assert {rule.id for rule in contract.rules[OFFER] if len(broken[rule.id]) < 2} == set()


def test_every_label_of_it_is_the_oracles(contract: Contract) -> None:
    for case in [*catalogue(OFFER, now=NOW, contract=contract), *islice(random_cases(OFFER, 4, now=NOW, contract=contract), 1500)]:
        assert check(OFFER, case.body, now=NOW, contract=contract) == case.verdict


def test_a_new_member_of_the_enumeration_is_an_edge(contract: Contract) -> None:
    types = {case.value["offerType"] for case in catalogue(OFFER, verdicts=["valid"], now=NOW, contract=contract)}
    assert "Fax" in types
