from collections import defaultdict
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest
from contracts import changed_contract
from sampled import sample

from brokerfuzz import Case, Contract, MessageType, catalogue, check, messages

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
    schema["allOf"] = [
        {"if": {"required": ["level"], "properties": {"level": {"const": "high"}}}, "then": priced, "else": cheap}
    ]


KEPT = ("number", "offerType", "orderMinimum", "defaultPrice", "surcharge", "productClusters")


def change_and_shorten(schema: dict[str, Any]) -> None:
    schema["properties"] = {name: schema["properties"][name] for name in KEPT}
    change(schema)


@pytest.fixture(
    scope="module",
    params=[change_and_shorten, pytest.param(change, marks=pytest.mark.long)],
    ids=["few properties", "all properties"],
)
def contract(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Contract:
    """By default, the contract has few properties, because a catalogue of all properties takes seconds."""
    return changed_contract(tmp_path_factory.mktemp("contract"), OFFER, request.param)


@pytest.fixture(scope="module")
def cases(contract: Contract) -> list[Case]:
    return list(catalogue(OFFER, now=NOW, contract=contract))


def test_every_rule_of_a_changed_contract_is_broken_in_more_than_one_way(contract: Contract, cases: list[Case]) -> None:
    broken = defaultdict(set)
    for case in cases:
        for fault in case.faults:
            broken[fault.rule].add((fault.technique, case.tags))
    assert {rule.id for rule in contract.rules[OFFER] if len(broken[rule.id]) < 2} == set()


@sample(300, 1500)
def test_the_oracle_confirms_every_label(contract: Contract, cases: list[Case], size: int) -> None:
    every = messages(OFFER, 4, verdicts=["valid", "invalid", "unspecified"], now=NOW, contract=contract)
    for case in [*cases, *islice(every, size)]:
        assert check(OFFER, case.body, now=NOW, contract=contract, headers=case.headers) == case.verdict


def test_a_new_value_of_an_enumeration_is_an_edge(cases: list[Case]) -> None:
    assert "Fax" in {case.value["offerType"] for case in cases if case.label == "valid"}


def test_changed_rules_are_broken_in_every_setting(contract: Contract, cases: list[Case]) -> None:
    for name in ("box.w:minimum", "rank:maximum", "level:enum", "box:additionalProperties", "sku:pattern"):
        tags = {tag for case in cases for fault in case.faults if fault.rule == f"{OFFER}/{name}" for tag in case.tags}
        assert {"in:complete", "in:unusual", "in:bare", "in:nulls", "in:backwards"} <= tags, name
