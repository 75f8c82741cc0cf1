import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from contracts import changed_contract
from exported_cases import NOW, OFFER, cases, written
from validators import suite_in_node

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import check

Suite = list[dict[str, Any]]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "suite.json"
    path.write_bytes(written("json-schema-test-suite", cases()))
    return path


@pytest.fixture(scope="module")
def groups(suite: Path) -> Suite:
    read: Suite = json.loads(suite.read_bytes())
    return read


@pytest.mark.parametrize("validator", [jsonschema.Draft202012Validator, jsonschema_rs.Draft202012Validator])
def test_validators_in_python_and_rust_agree_with_every_test(groups: Suite, validator: Callable[[Any], Any]) -> None:
    for group in groups:
        judge = validator(group["schema"])
        assert [test["description"] for test in group["tests"] if judge.is_valid(test["data"]) != test["valid"]] == []


def test_validators_in_javascript_agree_with_every_test(suite: Path) -> None:
    assert suite_in_node(suite) == {"ajv": [], "hyperjump": []}


def test_tests_have_the_verdict_of_their_case(groups: Suite) -> None:
    by_id = {case.id: case for case in cases()}
    for group in groups:
        for test in group["tests"]:
            case = by_id.pop(test["description"].rpartition("_")[2])
            assert test["data"] == json.loads(case.body)
            assert test["valid"] == (case.label == "valid")
    assert {case.label for case in by_id.values()} == {"invalid", "unspecified"}


def test_a_message_that_parsers_read_differently_is_not_a_test() -> None:
    twice = b'{"number":"1","number":"","offerType":"Email"}'
    huge = b'{"number":"1","offerType":"Email","surcharge":1e999}'
    plain = Case.judged(OFFER, b'{"number":"1","offerType":"Email"}', now=NOW)
    doubtful = [Case.judged(OFFER, body, now=NOW) for body in (twice, huge, b"\xef\xbb\xbf" + plain.body)]
    (group,) = json.loads(
        written("json-schema-test-suite", [plain, *(case for case in doubtful if case.label == "invalid")])
    )
    assert len(group["tests"]) == 1
    groups = json.loads(written("json-schema-test-suite", [plain, *doubtful]))
    assert [len(group["tests"]) for group in groups] == [1]


def test_a_rule_outside_the_schema_is_not_a_test() -> None:
    future = Case.judged(
        OFFER, b'{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"2099-01-01T00:00:00Z"}', now=NOW
    )
    plain = Case.judged(OFFER, b'{"number":"1","offerType":"Email"}', now=NOW)
    assert future.label == "invalid"
    (group,) = json.loads(written("json-schema-test-suite", [future, plain]))
    assert [test["valid"] for test in group["tests"]] == [True]


def test_a_verdict_that_depends_on_asserting_formats_is_not_a_test(tmp_path: Path) -> None:
    contract = changed_contract(
        tmp_path, OFFER, lambda schema: schema["properties"]["description"].update(format="email")
    )
    bodies = [
        b'{"number":"1","offerType":"Email","description":"%s"}' % text for text in (b"a@b.example", b"no address")
    ]
    found = [Case.judged(OFFER, body, now=NOW, contract=contract) for body in bodies]
    assert [case.label for case in found] == ["valid", "invalid"]
    (group,) = json.loads(written("json-schema-test-suite", found, contract))
    assert [test["data"]["description"] for test in group["tests"]] == ["a@b.example"]


def test_all_references_of_a_changed_contract_are_resolved_in_the_document(tmp_path: Path) -> None:
    def refer(schema: dict[str, Any]) -> None:
        schema["$defs"] = {"name": {"type": "string", "minLength": 2}}
        schema["properties"]["number"] = {"$ref": "#/$defs/name"}
        schema["properties"]["comments"] = {"$ref": "envelope.schema.json#/properties/failureMessages/items"}

    contract = changed_contract(tmp_path, OFFER, refer)
    bodies = [
        b'{"number":"12","offerType":"Email"}',
        b'{"number":"1","offerType":"Email"}',
        b'{"number":"12","offerType":"Email","comments":1}',
    ]
    (group,) = json.loads(
        written(
            "json-schema-test-suite",
            [Case.judged(OFFER, body, now=NOW, contract=contract) for body in bodies],
            contract,
        )
    )
    judge = jsonschema.Draft202012Validator(group["schema"])
    assert (
        [judge.is_valid(test["data"]) for test in group["tests"]]
        == [test["valid"] for test in group["tests"]]
        == [True, False, False]
    )
    assert [check(OFFER, body, contract=contract).label for body in bodies] == ["valid", "invalid", "invalid"]
