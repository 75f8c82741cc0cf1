"""The formats that contain a JSON Schema: validators agree with every test and every example in them."""

import json
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from contracts import changed_contract
from exported_cases import NOW, OFFER, cases, written
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from validators import suite_in_node

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.corpus.formats.openapi import LARGEST_EXAMPLE, MOST_EXAMPLES
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, check, load_contract

Suite = list[dict[str, Any]]
PLAIN = b'{"number":"1","offerType":"Email"}'


def offers(*bodies: bytes, contract: Contract | None = None) -> list[Case]:
    return [Case.judged(OFFER, body, now=NOW, contract=contract) for body in bodies]


# ---------------------------------------------------------------------------------------------- json-schema-test-suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "suite.json"
    path.write_bytes(written("json-schema-test-suite", cases()))
    return path


def groups_of(chosen: list[Case], contract: Contract | None = None) -> Suite:
    read: Suite = json.loads(written("json-schema-test-suite", chosen, contract))
    return read


def test_validators_in_python_rust_and_javascript_agree_with_every_test_and_tests_have_the_verdict_of_their_case(
    suite: Path,
) -> None:
    by_id = {case.id: case for case in cases()}
    for group in json.loads(suite.read_bytes()):
        judges: list[Any] = [jsonschema.Draft202012Validator, jsonschema_rs.Draft202012Validator]
        for judge in (validator(group["schema"]) for validator in judges):
            wrong = [test["description"] for test in group["tests"] if judge.is_valid(test["data"]) != test["valid"]]
            assert wrong == []
        for test in group["tests"]:
            case = by_id.pop(test["description"].rpartition("_")[2])
            assert test["data"] == json.loads(case.body)
            assert test["valid"] == (case.label == "valid")
    assert {case.label for case in by_id.values()} == {"invalid", "unspecified"}
    assert suite_in_node(suite) == {"ajv": [], "hyperjump": []}


def test_messages_that_parsers_read_differently_and_verdicts_that_do_not_follow_from_the_schema_are_not_tests() -> None:
    doubtful = offers(
        b'{"number":"1","number":"","offerType":"Email"}',
        b'{"number":"1","offerType":"Email","surcharge":1e999}',
        b"\xef\xbb\xbf" + PLAIN,
        b'{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"2099-01-01T00:00:00Z"}',
    )
    assert doubtful[-1].label == "invalid"
    (group,) = groups_of([*offers(PLAIN), *doubtful])
    assert [test["data"] for test in group["tests"]] == [json.loads(PLAIN)]


def test_a_verdict_that_depends_on_asserting_formats_is_not_a_test(tmp_path: Path) -> None:
    contract = changed_contract(
        tmp_path, OFFER, lambda schema: schema["properties"]["description"].update(format="email")
    )
    texts = (b"a@b.example", b"no address")
    found = offers(*(PLAIN[:-1] + b',"description":"%b"}' % text for text in texts), contract=contract)
    assert [case.label for case in found] == ["valid", "invalid"]
    (group,) = groups_of(found, contract)
    assert [test["data"]["description"] for test in group["tests"]] == ["a@b.example"]


def test_all_references_of_a_changed_contract_are_resolved_in_the_document(tmp_path: Path) -> None:
    def refer(schema: dict[str, Any]) -> None:
        schema["$defs"] = {"name": {"type": "string", "minLength": 2}}
        schema["properties"]["number"] = {"$ref": "#/$defs/name"}
        schema["properties"]["comments"] = {"$ref": "envelope.schema.json#/properties/failureMessages/items"}

    contract = changed_contract(tmp_path, OFFER, refer)
    longer = PLAIN.replace(b'"1"', b'"12"')
    found = offers(longer, PLAIN, longer[:-1] + b',"comments":1}', contract=contract)
    (group,) = groups_of(found, contract)
    judge = jsonschema.Draft202012Validator(group["schema"])
    assert [judge.is_valid(test["data"]) for test in group["tests"]] == [True, False, False]
    assert [case.label == "valid" for case in found] == [test["valid"] for test in group["tests"]]


# ------------------------------------------------------------------------------------------------------------ openapi

VERDICTS = {"examples": "valid", "x-invalid-examples": "invalid", "x-unspecified-examples": "unspecified"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(written("openapi", cases()))
    return read


def media(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Maps each message type to its Media Type Object."""
    components = document["components"]
    return {
        name: body["content"]["application/json"]
        for kind in ("requestBodies", "responses")
        for name, body in components.get(kind, {}).items()
    }


def examples(document: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yields (message type, verdict, name, Example Object)."""
    for message_type, content in media(document).items():
        for place, verdict in VERDICTS.items():
            yield from ((message_type, verdict, name, example) for name, example in content.get(place, {}).items())


def errors(document: dict[str, Any]) -> list[Any]:
    from openapi_spec_validator import (
        OpenAPIV31SpecValidator,
    )  # late, because each process of the tests reads this module

    return list(OpenAPIV31SpecValidator(document).iter_errors())


def some_random_cases() -> list[Case]:
    return [case for name in MESSAGE_TYPES for case in islice(random_cases(name, 1, now=NOW), 200)]


def whole_catalogue() -> list[Case]:
    return list(chain.from_iterable(catalogue(name, now=NOW) for name in MESSAGE_TYPES))


@pytest.mark.every(4)
@pytest.mark.parametrize("chosen", [some_random_cases, whole_catalogue])
def test_a_validator_that_reads_the_document_as_yaml_accepts_it(
    chosen: Callable[[], list[Case]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from openapi_spec_validator.__main__ import main as validate

    file = tmp_path / "openapi.json"
    file.write_bytes(written("openapi", chosen()))
    validate([str(file)])
    assert capsys.readouterr().out == f"{file}: OK\n"


def test_a_message_that_yaml_reads_differently_is_not_an_example() -> None:
    names = (b'"%b"' % (b"a" * 1023), b'"\x7f"', '"ä"'.encode(), b'"a"\t', b'"\\ud83d\\ude00"', b'"$ref"')
    unfit = [PLAIN[:-1] + b",%b:1}" % name for name in names]
    document = json.loads(written("openapi", offers(*unfit, PLAIN[:-1] + b',"other":1}')))
    assert [example["value"] for *_, example in examples(document)] == [{**json.loads(PLAIN), "other": 1}]


def test_examples_are_few_have_the_verdict_of_their_list_and_break_different_rules(document: dict[str, Any]) -> None:
    assert errors(document) == []
    registry = Registry().with_resource(
        "urn:document", Resource.from_contents(document, default_specification=DRAFT202012)
    )
    bodies = {case.id[:8]: case.body for case in cases()}
    found = list(examples(document))
    assert {(message_type, verdict) for message_type, verdict, _, _ in found} == {
        (one, verdict) for one in MESSAGE_TYPES for verdict in VERDICTS.values()
    }
    broken = []
    for message_type, verdict, name, example in found:
        body = bodies[name.rpartition("_")[2]]
        assert example["value"] == json.loads(body)
        assert len(body) <= LARGEST_EXAMPLE
        judged = check(message_type, body, now=NOW)
        assert judged.label == verdict
        broken += [(message_type, frozenset(one.rule for one in judged.broken))] if verdict == "invalid" else []
        schema = {"$ref": f"urn:document{media(document)[message_type]['schema']['$ref']}"}
        fits = jsonschema.Draft202012Validator(schema, registry=registry).is_valid(example["value"])
        assert fits == (verdict != "invalid" or ("not-in-future" in example["summary"] and "and-more" not in name))
    assert len(set(broken)) == len(broken)
    assert all(len(content[place]) <= MOST_EXAMPLES for content in media(document).values() for place in VERDICTS)


def test_the_document_contains_a_changed_contract(tmp_path: Path) -> None:
    contract = changed_contract(
        tmp_path, OFFER, lambda schema: schema["properties"].update(extra={"$ref": "envelope.schema.json"})
    )
    document = json.loads(written("openapi", offers(PLAIN, contract=contract), contract))
    assert errors(document) == []
    assert document["components"]["schemas"][OFFER]["properties"]["extra"] == {"$ref": "#/components/schemas/envelope"}
    assert document["components"]["schemas"]["envelope"]["required"] == load_contract().schemas["envelope"]["required"]
