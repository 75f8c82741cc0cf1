import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from contracts import changed_contract
from exported_cases import NOW, OFFER, cases, written
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.corpus.formats.openapi import LARGEST_EXAMPLE, MOST_EXAMPLES
from brokerfuzz.schemas import MESSAGE_TYPES, check, load_contract

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


def judge_of(document: dict[str, Any], message_type: str) -> jsonschema.Draft202012Validator:
    registry = Registry().with_resource(
        "urn:document", Resource.from_contents(document, default_specification=DRAFT202012)
    )
    return jsonschema.Draft202012Validator(
        {"$ref": f"urn:document{media(document)[message_type]['schema']['$ref']}"}, registry=registry
    )


def errors(document: dict[str, Any]) -> list[Any]:
    from openapi_spec_validator import (
        OpenAPIV31SpecValidator,
    )  # imported late, because each process that runs tests reads this module

    return list(OpenAPIV31SpecValidator(document).iter_errors())


def test_an_openapi_validator_accepts_the_document(document: dict[str, Any]) -> None:
    assert errors(document) == []


def some_random_cases() -> Sequence[Case]:
    return [case for name in MESSAGE_TYPES for case in islice(random_cases(name, 1, now=NOW), 200)]


def whole_catalogue() -> Sequence[Case]:
    return list(chain.from_iterable(catalogue(name, now=NOW) for name in MESSAGE_TYPES))


@pytest.mark.every(4)
@pytest.mark.parametrize("chosen", [some_random_cases, whole_catalogue])
def test_a_validator_that_reads_the_document_as_yaml_accepts_it(
    chosen: Callable[[], Sequence[Case]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from openapi_spec_validator.__main__ import main as validate

    file = tmp_path / "openapi.json"
    file.write_bytes(written("openapi", chosen()))
    validate([str(file)])
    assert capsys.readouterr().out == f"{file}: OK\n"


@pytest.mark.parametrize(
    "unfit",
    [b'"%s":1' % (b"a" * 1023), b'"\x7f":1', '"ä":1'.encode(), b'"a"\t:1', b'"\\ud83d\\ude00":1', b'"$ref":"#"'],
)
def test_a_message_that_yaml_reads_differently_is_not_an_example(unfit: bytes) -> None:
    found = [
        Case.judged(OFFER, b'{"number":"1","offerType":"Email",%s}' % prop, now=NOW) for prop in (unfit, b'"other":1')
    ]
    document = json.loads(written("openapi", found))
    assert [example["value"] for *_, example in examples(document)] == [
        {"number": "1", "offerType": "Email", "other": 1}
    ]


def test_examples_have_the_verdict_of_their_list(document: dict[str, Any]) -> None:
    bodies = {case.id[:8]: case.body for case in cases()}
    found = list(examples(document))
    assert {(message_type, verdict) for message_type, verdict, _, _ in found} == {
        (one, verdict) for one in MESSAGE_TYPES for verdict in VERDICTS.values()
    }
    for message_type, verdict, name, example in found:
        body = bodies[name.rpartition("_")[2]]
        assert example["value"] == json.loads(body)
        assert len(body) <= LARGEST_EXAMPLE
        assert check(message_type, body, now=NOW).label == verdict


def test_examples_are_few_and_invalid_ones_break_different_rules(document: dict[str, Any]) -> None:
    for content in media(document).values():
        assert all(len(content[place]) <= MOST_EXAMPLES for place in VERDICTS)
        message_type = content["schema"]["$ref"].rpartition("/")[2]
        bodies = [json.dumps(example["value"]).encode() for example in content["x-invalid-examples"].values()]
        told = [frozenset(broken.rule for broken in check(message_type, body, now=NOW).broken) for body in bodies]
        assert len(set(told)) == len(told)


def test_the_schemas_of_the_document_give_the_verdicts_of_the_contract(document: dict[str, Any]) -> None:
    judges: dict[str, jsonschema.Draft202012Validator] = {name: judge_of(document, name) for name in MESSAGE_TYPES}
    for message_type, verdict, name, example in examples(document):
        semantic = "not-in-future" in example["summary"] and "and-more" not in name
        assert judges[message_type].is_valid(example["value"]) == (verdict != "invalid" or semantic), name


def test_the_document_contains_a_changed_contract(tmp_path: Path) -> None:
    contract = changed_contract(
        tmp_path, OFFER, lambda schema: schema["properties"].update(extra={"$ref": "envelope.schema.json"})
    )
    valid = Case.judged(OFFER, b'{"number":"1","offerType":"Email"}', now=NOW, contract=contract)
    document = json.loads(written("openapi", [valid], contract))
    assert errors(document) == []
    assert document["components"]["schemas"][OFFER]["properties"]["extra"] == {"$ref": "#/components/schemas/envelope"}
    assert document["components"]["schemas"]["envelope"]["required"] == load_contract().schemas["envelope"]["required"]
