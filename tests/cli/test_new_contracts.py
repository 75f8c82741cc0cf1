"""`brokerfuzz contract new` with a schema or an OpenAPI document that a team already has."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fixture_types import Run

import brokerfuzz
from brokerfuzz.corpus import read

DOCUMENTS = Path(__file__).with_name("openapi")
LINE = {"name": "web", "image": "web:1"}


class Body(NamedTuple):
    """A request body of an OpenAPI document, with examples. `notes` say what the conversion changes."""

    document: str
    operation: str
    name: str
    valid: Sequence[Any]
    invalid: Sequence[Any]
    notes: Sequence[str] = ()


PAYMENT = {
    "amount": 1, "currency": "EUR", "reference": "a", "method": {"type": "transfer", "iban": "DE02120300000000202051"},
}  # fmt: skip
DEPLOYMENT: dict[str, Any] = {"kind": "Deployment", "metadata": {"name": "a"}, "containers": [LINE]}
BODIES = [
    Body(
        "payments.yaml",
        "PostPayments",
        "post-payments",
        [PAYMENT, PAYMENT | {"description": None, "metadata": {"a": "b"}, "due": "2024-05-01"}],
        [PAYMENT | wrong for wrong in (
            {"amount": 0}, {"amount": 1 << 63}, {"currency": "eur"}, {"reference": None}, {"capture": None},
            {"metadata": {"a": 1}}, {"method": {"type": "card", "iban": "DE02120300000000202051"}},
            {"due": "2024-05-01T00:00:00Z"},
        )],
        [
            "/properties/capture: enum does not contain null, so null is not allowed",
            "/allOf/1: without the read-only properties id",
        ],
    ),
    Body(
        "tickets.json",
        "tickets/create",
        "tickets-create",
        [{"title": 3, "labels": ["a", {"name": "b", "color": None}]}, {"title": "a", "parent": {"number": 1, "parent": {"number": 2}}}],
        [{"title": wrong} for wrong in ("", -1, None)] + [{"title": "a"} | wrong for wrong in (
            {"milestone": None}, {"labels": [{"color": "ffffff"}]}, {"assignees": ["a", "a"]}, {"name": "a"},
            {"parent": {"number": 1, "parent": {}}},
        )],
        ["/properties/milestone: nullable has no effect without type, so null is not"],
    ),
    Body(
        "deployments.yaml",
        "POST /namespaces/{namespace}/deployments",
        "post-namespaces-namespace-deployments",
        [DEPLOYMENT, DEPLOYMENT | {"replicas": None, "strategy": {"type": "RollingUpdate", "rolling": {"maxSurge": "5%"}}}],
        [DEPLOYMENT | wrong for wrong in (
            {"kind": "Pod"}, {"metadata": {"name": "A"}}, {"containers": [LINE | {"password": "a"}]}, {"replicas": 1 << 31},
            {"strategy": {"type": "Recreate", "rolling": {}}}, {"paused": "no"}, {"name": "a"},
            {"metadata": {"name": "a", "labels": {"A": "b"}}},
        )],
    ),
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.document)
def test_the_request_body_of_an_operation_becomes_a_contract_that_works(body: Body, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "own"
    made = run("contract", "new", folder, "--from-openapi", DOCUMENTS / body.document, "--operation", body.operation)
    assert made.exit_code == 0, made.output
    assert f"{body.name}: rules: " in made.stdout
    assert [note for note in body.notes if note not in made.stdout] == []
    assert {path.name for path in folder.iterdir()} == {"README.md", "messages.json", f"{body.name}.schema.json"}
    assert made.stdout.endswith(run("contract", "check", folder).stdout)
    contract = brokerfuzz.load_contract(folder)
    labels = [brokerfuzz.check(body.name, each, contract=contract).label for each in (*body.valid, *body.invalid)]
    assert labels == ["valid"] * len(body.valid) + ["invalid"] * len(body.invalid)
    filters = ["--contract", folder, "--rule", "*:required"]
    assert run("export", tmp_path / "cases.ndjson", *filters).exit_code == 0
    assert {case.label for case in read(tmp_path / "cases.ndjson", contract=contract)} == {"valid", "invalid"}
    fired = run("fire", "--demo", "--message", body.name, "--shrink", "off", *filters)
    assert fired.exit_code == 0, fired.output


OLD: dict[str, tuple[str, Any, Sequence[Any], Sequence[Any]]] = {
    "items and additionalItems": (
        "http://json-schema.org/draft-07/schema#",
        {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False},
        [["a"], ["a", 1]],
        [[1], ["a", 1, 1]],
    ),
    "dependencies": (
        "http://json-schema.org/draft-06/schema#",
        {"properties": {"c": {}}, "dependencies": {"a": ["b"], "c": {"minProperties": 3}}},
        [{}, {"a": 1, "b": 1}],
        [{"a": 1}, {"c": 1, "b": 1}],
    ),
    "exclusive bounds": (
        "http://json-schema.org/draft-04/schema#",
        {"type": "integer", "minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
        [2, 9],
        [1, 10],
    ),
    "keywords beside $ref": (
        "http://json-schema.org/draft-07/schema",
        {"$ref": "#/definitions/text", "maxLength": 1},
        ["abc"],
        ["", 1],
    ),
}


@pytest.mark.parametrize("kind", OLD)
def test_a_schema_of_an_older_draft_is_converted(kind: str, tmp_path: Path, run: Run) -> None:
    draft, schema, valid, invalid = OLD[kind]
    old = {
        "$schema": draft,
        "type": "object",
        "properties": {"value": schema},
        "definitions": {"text": {"type": "string", "minLength": 1}},
    }
    source = tmp_path / "oldOrder.schema.json"
    source.write_text(json.dumps(old))
    made = run("contract", "new", tmp_path / "own", "--from-schema", source)
    assert made.exit_code == 0, made.output
    assert f"note: converted from {draft} to draft 2020-12" in made.stdout
    contract = brokerfuzz.load_contract(tmp_path / "own")
    bodies = [{"value": value} for value in (*valid, *invalid)]
    labels = [brokerfuzz.check("old-order", body, contract=contract).label for body in bodies]
    assert labels == ["valid"] * len(valid) + ["invalid"] * len(invalid)


def test_a_schema_keeps_its_text_and_gets_the_name_that_the_user_chooses(tmp_path: Path, run: Run) -> None:
    schema = {"title": "Größe", "type": "object", "properties": {"a": {"type": "string", "maxLenght": 3}}}
    source = tmp_path / "a.json"
    source.write_text(json.dumps(schema))
    made = run("contract", "new", tmp_path / "own", "--from-schema", source, "--name", "sizeResponse")
    assert made.exit_code == 1
    assert "did you mean 'maxLength'?" in made.stdout
    written = tmp_path / "own" / "size-response.schema.json"
    assert json.loads(written.read_bytes()) == schema
    assert "Größe" in written.read_text(encoding="utf-8")
    manifest = json.loads((tmp_path / "own" / "messages.json").read_bytes())
    assert manifest == {"size-response": {"direction": "response", "route": "GET /size-response"}}


@pytest.mark.every(2)
@pytest.mark.parametrize("schema", [
    {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}},
    {"type": ["null", "array"], "items": {"type": "string"}, "maxItems": 3},
    {"type": "string"},
    {"enum": ["a", 1]},
], ids=json.dumps)  # fmt: skip
def test_a_message_may_have_any_type(schema: dict[str, Any], tmp_path: Path, run: Run) -> None:
    source, own = tmp_path / "a.json", tmp_path / "own"
    source.write_text(json.dumps(schema))
    assert run("contract", "new", own, "--from-schema", source, "--name", "message").exit_code == 0
    for words in ("--random --count 20", "--plausible --count 2"):
        assert run("export", "-", "--contract", own, *words.split()).exit_code == 0
    assert run("export", tmp_path / "corpus", "--format", "pytest", "--contract", own).exit_code == 0
    covered = run("coverage", tmp_path / "corpus", "--contract", own, "--json")
    edges = json.loads(covered.stdout)["messages"]["message"]["goals"]["edge"]
    assert edges["covered"] == edges["all"] > 0
    contract = brokerfuzz.load_contract(own)
    report = brokerfuzz.fire(lambda body: json_or_none(body) is not None, "message", contract=contract, shrink=0)
    assert report.findings


def json_or_none(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def test_a_new_contract_is_that_of_brokerfuzz_and_changed_rules_are_listed_with_problems_and_remedies(
    run: Run, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    assert run("contract", "new", own).exit_code == 0
    again = run("contract", "new", own)
    assert (again.exit_code, again.stderr.count("\n"), "specify a new folder" in again.stderr) == (2, 1, True)
    file = own / "offer-creation-request.schema.json"
    schema = json.loads(file.read_bytes())
    properties = schema["properties"]
    properties["orderMinimum"]["maximum"] = 100
    properties["number"]["pattern"] = "^[A-Z]{2}[0-9]+$"
    properties["comments"]["maxLenght"] = 5
    properties["orderMaximum"]["exclusiveMaximum"] = 1 << 40
    del properties["unitOfMeasure"]
    file.write_text(json.dumps(schema))
    result = run("contract", "check", own)
    assert result.exit_code == 1
    for said in (
        "  new      number:pattern: a value that matches pattern: '^[A-Z]{2}[0-9]+$', broken by 3 techniques",
        "  changed  orderMinimum:maximum: at most 100 (before: at most 2147483647), broken by",
        "  removed  unitOfMeasure:type",
        "'maxLenght' at /properties/comments/maxLenght, which has no effect: did you mean 'maxLength'?",
        "orderMaximum:exclusiveMaximum: less than 1099511627776, broken by no technique",
        "--rule '!offer-creation-request/orderMaximum:exclusiveMaximum'",
    ):
        assert said in result.stdout
