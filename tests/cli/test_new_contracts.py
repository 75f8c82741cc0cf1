"""`brokerfuzz contract new` and `contract check`, and contracts whose messages can have any type."""

import json
from pathlib import Path
from typing import Any

import pytest
from contracts import ORDER, own_contract
from fixture_types import Run

import brokerfuzz


@pytest.mark.every(2)
@pytest.mark.parametrize("schema", [
    {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}},
    {"type": ["null", "array"], "items": {"type": "string"}, "maxItems": 3},
    {"type": "string"},
    {"enum": ["a", 1]},
], ids=json.dumps)  # fmt: skip
def test_a_message_may_have_any_type(schema: dict[str, Any], tmp_path: Path, run: Run) -> None:
    own = tmp_path / "own"
    contract = own_contract(own, schema)
    for words in ("--random 20", "--plausible 2"):
        assert run("export", "-", "--contract", own, *words.split()).exit_code == 0
    assert run("export", tmp_path / "corpus", "--format", "pytest", "--contract", own).exit_code == 0
    covered = run("coverage", tmp_path / "corpus", "--contract", own, "--json")
    edges = json.loads(covered.stdout)["messages"][ORDER]["goals"]["edge"]
    assert edges["covered"] == edges["all"] > 0
    report = brokerfuzz.fire(lambda body: json_or_none(body) is not None, ORDER, contract=contract, shrink=0)
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
        "  new      number:pattern: a value that matches pattern: ^[A-Z]{2}[0-9]+$, broken by 5 techniques",
        "  changed  orderMinimum:maximum: at most 100 (before: at most 2147483647), broken by",
        "  removed  unitOfMeasure:type",
        "'maxLenght' at /properties/comments/maxLenght, which has no effect: did you mean 'maxLength'?",
        "orderMaximum:exclusiveMaximum: less than 1099511627776, broken by no technique",
        "--rule '!offer-creation-request/orderMaximum:exclusiveMaximum'",
    ):
        assert said in result.stdout
