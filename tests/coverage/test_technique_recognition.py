"""Techniques are recognised in messages that have no record of them."""

import json
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract

from brokerfuzz.cases.case_decoder import random_cases
from brokerfuzz.cases.covering.technique_recognition import Recogniser
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType, check, load_contract
from brokerfuzz.schemas.sites import JSON_RULE

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
PLAIN: dict[str, Any] = {"number": "A-1", "offerType": "Email"}


def recognised(message: Any, contract: Contract | None = None) -> set[str]:
    contract = contract or load_contract()
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    verdict = check(OFFER, body, now=NOW, contract=contract)
    assert verdict.label == "invalid"
    faults = Recogniser(contract, OFFER, NOW).faults(body, verdict)
    assert {(fault.rule, fault.at) for fault in faults} <= {(broken.rule, broken.at) for broken in verdict.broken}
    return {fault.technique for fault in faults}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_technique_of_every_fault_is_recognised_where_the_message_is_json(message_type: MessageType) -> None:
    contract, faults = load_contract(), FaultMaker(load_contract(), message_type, NOW)
    recogniser = Recogniser(contract, message_type, NOW)
    for rule in contract.rules[message_type]:
        items = contract.sites[message_type][rule.site].schema.get("items", {})
        unlike_any = {"joined-string"} if "properties" in items else set()  # objects as Python writes them, with commas between
        for case in faults.of_rule(rule) if rule.keyword != JSON_RULE else ():
            found = {fault.technique for fault in recogniser.faults(case.body, case.verdict)}
            assert case.faults[0].technique in found | unlike_any, case.faults


FOREIGN: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a number in quotes": ({"orderMinimum": "5"}, {"numeric-string"}),
    "a number in quotes and between blanks": ({"orderMinimum": " 5 "}, {"padded-numeric-string"}),
    "a number with a unit": ({"weightInPounds": "2.5 lb"}, {"string-with-unit"}),
    "another number below the least": ({"orderMinimum": -17}, set()),
    "the number below the least": ({"orderMaximum": 0}, {"one-below", "zero"}),
    "a boolean in quotes": ({"isActive": "true"}, {"true-as-string"}),
    "a text in an array": ({"comments": ["call first"]}, {"wrapped-in-array"}),
    "an item for an array": ({"fixedOrderQuantities": 250}, {"unwrapped"}),
    "the items of an array as a text": ({"fixedOrderQuantities": "100,250"}, {"joined-string"}),
    "one text for an array of texts, with a comma in it": ({"categoryIds": "a,b"}, {"joined-string", "unwrapped"}),
    "an object as a text": ({"omniChannel": '{"offers": []}'}, set()),
    "an object as a compact text": ({"omniChannel": '{"offers":[]}'}, {"object-as-string"}),
    "a point in time as seconds": ({"availableStartDate": 1700000000}, {"epoch-number"}),
    "a point in time in parts": ({"availableStartDate": [2024, 1, 31, 8, 30, 0]}, {"date-in-parts"}),
    "no null": ({"number": None}, {"null-instead"}),
    "an unknown offer type": ({"offerType": "Fax"}, set()),
    "an offer type in small letters": ({"offerType": "drop ship"}, {"lower-case"}),
    "a property of any name": ({"remark": "hello"}, {"unknown-property"}),
    "a property of any name that is null": ({"remark": None}, {"unknown-null"}),
    "a listed property with a capital": ({"OrderMinimum": 3}, {"other-case-key"}),
    "a listed property with underscores": ({"order_minimum": 3}, {"snake-case-key"}),
    "__proto__": ({"__proto__": {"x": 1}}, {"proto-key"}),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_others_break_is_recognised_by_the_value(what: str) -> None:
    props, techniques = FOREIGN[what]
    assert recognised({**PLAIN, **props}) == techniques


def test_a_property_that_is_not_there_was_removed() -> None:
    assert recognised({"number": "A-1"}) == {"removed"}


def test_deep_down_as_at_the_root() -> None:
    tier = {"price": "12.5", "minimumQuantity": 2}
    assert recognised({**PLAIN, "priceClasses": [{}, {"priceTiers": [{"price": 1}, tier]}]}) == {"numeric-string"}


def test_what_is_no_json_is_recognised_where_it_is_the_same_for_any_message() -> None:
    assert "empty-body" in recognised(b"")
    assert recognised(b'{"number":"A-1","offerType":"Email",}') == set()


@pytest.mark.parametrize("props", [{"number": "", "orderMinimum": "5"}, {"accessGroups": [1, 2]}])
def test_of_several_faults_none_is_claimed(props: dict[str, Any]) -> None:
    assert recognised({**PLAIN, **props}) == set()


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_whatever_comes_is_looked_at_without_ado(message_type: MessageType) -> None:
    recogniser = Recogniser(load_contract(), message_type, NOW)
    cases = islice(random_cases(message_type, 9, verdicts=["invalid"], now=NOW), 500)
    faults = [fault for case in cases for fault in recogniser.faults(case.body, case.verdict)]
    assert len(faults) > 100
    assert [fault for fault in faults if fault.rule.rpartition(":")[2].partition("@")[0] not in TECHNIQUES[fault.technique].keywords] == []


UNUSUAL = {
    "deep": b"[" * 100_000,
    "deep in a property": b'{"a":' + b"[" * 500 + b"]" * 500 + b"}",
    "a huge number": b'{"number":1e999999}',
    "a huge number in quotes": b'{"number":"1","offerType":"Email","orderMinimum":"%s"}' % (b"9" * 5000),
    "half of a surrogate pair": b'{"number":"\\ud800","number":7}',
    "a number for a root": b"7",
}


@pytest.mark.parametrize("what", UNUSUAL)
def test_so_are_messages_that_are_out_of_the_ordinary(what: str) -> None:
    Recogniser(load_contract(), OFFER, NOW).faults(UNUSUAL[what], check(OFFER, UNUSUAL[what]))


def test_in_a_changed_contract_the_bounds_are_its_own(tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, OFFER, lambda schema: schema["properties"].update(priority={"type": "integer", "minimum": 3, "maximum": 9}))
    assert "one-below" in recognised({**PLAIN, "priority": 2}, contract)
    assert "one-above" in recognised({**PLAIN, "priority": 10}, contract)
