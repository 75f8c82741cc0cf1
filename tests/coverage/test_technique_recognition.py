import json
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from sampled import part, percent, sample

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
@percent(25)
@pytest.mark.rotated(3)
def test_the_technique_of_every_fault_is_recognised_if_the_message_is_json(message_type: MessageType, size: int) -> None:
    contract, faults = load_contract(), FaultMaker(load_contract(), message_type, NOW)
    recogniser = Recogniser(contract, message_type, NOW)
    for rule in contract.rules[message_type]:
        items = contract.sites[message_type][rule.site].schema.get("items", {})
        unlike_any = {"joined-string"} if "properties" in items else set()  # objects as Python writes them, separated by commas
        for case in part(faults.of_rule(rule), size) if rule.keyword != JSON_RULE else ():
            found = {fault.technique for fault in recogniser.faults(case.body, case.verdict)}
            assert case.faults[0].technique in found | unlike_any, case.faults


FOREIGN: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a number as a string": ({"orderMinimum": "5"}, {"numeric-string"}),
    "a number as a string with spaces around it": ({"orderMinimum": " 5 "}, {"padded-numeric-string"}),
    "a number with a unit": ({"weightInPounds": "2.5 lb"}, {"string-with-unit"}),
    "another number below the minimum": ({"orderMinimum": -17}, set()),
    "the number below the minimum": ({"orderMaximum": 0}, {"one-below", "zero"}),
    "a boolean as a string": ({"isActive": "true"}, {"true-as-string"}),
    "a string in an array": ({"comments": ["call first"]}, {"wrapped-in-array"}),
    "an item instead of an array": ({"fixedOrderQuantities": 250}, {"unwrapped"}),
    "the items of an array as a string": ({"fixedOrderQuantities": "100,250"}, {"joined-string"}),
    "one string with a comma for an array of strings": ({"categoryIds": "a,b"}, {"joined-string", "unwrapped"}),
    "an object as a string": ({"omniChannel": '{"offers": []}'}, set()),
    "an object as a compact string": ({"omniChannel": '{"offers":[]}'}, {"object-as-string"}),
    "a time as seconds": ({"availableStartDate": 1700000000}, {"epoch-number"}),
    "a time in parts": ({"availableStartDate": [2024, 1, 31, 8, 30, 0]}, {"date-in-parts"}),
    "null": ({"number": None}, {"null-instead"}),
    "an unknown offer type": ({"offerType": "Fax"}, set()),
    "an offer type in lower case": ({"offerType": "drop ship"}, {"lower-case"}),
    "a property of any name": ({"remark": "hello"}, {"unknown-property"}),
    "a null property of any name": ({"remark": None}, {"unknown-null"}),
    "a listed property with a capital": ({"OrderMinimum": 3}, {"other-case-key"}),
    "a listed property with underscores": ({"order_minimum": 3}, {"snake-case-key"}),
    "__proto__": ({"__proto__": {"x": 1}}, {"proto-key"}),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_technique_is_recognised_by_the_value(what: str) -> None:
    props, techniques = FOREIGN[what]
    assert recognised({**PLAIN, **props}) == techniques


def test_a_missing_property_is_recognised_as_removed() -> None:
    assert recognised({"number": "A-1"}) == {"removed"}


def test_techniques_are_recognised_in_nested_objects() -> None:
    tier = {"price": "12.5", "minimumQuantity": 2}
    assert recognised({**PLAIN, "priceClasses": [{}, {"priceTiers": [{"price": 1}, tier]}]}) == {"numeric-string"}


def test_a_body_that_is_not_json_is_recognised_if_it_does_not_depend_on_the_message() -> None:
    assert "empty-body" in recognised(b"")
    assert recognised(b'{"number":"A-1","offerType":"Email",}') == set()


@pytest.mark.parametrize("props", [{"number": "", "orderMinimum": "5"}, {"accessGroups": [1, 2]}])
def test_several_faults_are_not_recognised(props: dict[str, Any]) -> None:
    assert recognised({**PLAIN, **props}) == set()


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(150, 500)
def test_no_random_message_crashes_the_recogniser(message_type: MessageType, size: int) -> None:
    recogniser = Recogniser(load_contract(), message_type, NOW)
    cases = islice(random_cases(message_type, 9, verdicts=["invalid"], now=NOW), size)
    faults = [fault for case in cases for fault in recogniser.faults(case.body, case.verdict)]
    assert len(faults) > size / 5
    assert [fault for fault in faults if fault.rule.rpartition(":")[2].partition("@")[0] not in TECHNIQUES[fault.technique].keywords] == []


UNUSUAL = {
    "deep": b"[" * 100_000,
    "deep in a property": b'{"a":' + b"[" * 500 + b"]" * 500 + b"}",
    "a huge number": b'{"number":1e999999}',
    "a huge number as a string": b'{"number":"1","offerType":"Email","orderMinimum":"%s"}' % (b"9" * 5000),
    "half of a surrogate pair": b'{"number":"\\ud800","number":7}',
    "a number as the root": b"7",
}


@pytest.mark.parametrize("what", UNUSUAL)
def test_no_unusual_message_crashes_the_recogniser(what: str) -> None:
    Recogniser(load_contract(), OFFER, NOW).faults(UNUSUAL[what], check(OFFER, UNUSUAL[what]))


def test_the_bounds_of_a_changed_contract_are_used(tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, OFFER, lambda schema: schema["properties"].update(priority={"type": "integer", "minimum": 3, "maximum": 9}))
    assert "one-below" in recognised({**PLAIN, "priority": 2}, contract)
    assert "one-above" in recognised({**PLAIN, "priority": 10}, contract)
