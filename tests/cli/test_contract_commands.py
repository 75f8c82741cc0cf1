"""`brokerfuzz contract`: begin a contract, and check it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run, Spawn

OFFERS = "offer-creation-request.schema.json"


def _change(folder: Path, change: Callable[[Any], object]) -> None:
    schema = json.loads((folder / OFFERS).read_bytes())
    change(schema["properties"])
    (folder / OFFERS).write_text(json.dumps(schema))


@pytest.fixture
def contract(run: Run, tmp_path: Path) -> Path:
    assert run("contract", "new", str(tmp_path / "own")).exit_code == 0
    return tmp_path / "own"


def test_a_new_contract_is_that_of_brokerfuzz_with_a_readme(run: Run, contract: Path) -> None:
    assert "contract check" in (contract / "README.md").read_text()
    result = run("contract", "check", str(contract))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "offer-creation-request: rules: 117 as in the built-in contract"
    again = run("contract", "new", str(contract))
    assert (again.exit_code, again.stderr.count("\n")) == (2, 1)
    assert "specify a new folder" in again.stderr


def test_changed_rules_are_listed_with_their_techniques_and_problems_with_a_remedy(
    run: Run, spawn: Spawn, contract: Path
) -> None:
    def change(properties: Any) -> None:
        properties["orderMinimum"]["maximum"] = 100
        properties["number"]["pattern"] = "^[A-Z]{2}[0-9]+$"
        properties["comments"]["maxLenght"] = 5
        properties["orderMaximum"]["exclusiveMaximum"] = 1 << 40
        del properties["unitOfMeasure"]

    _change(contract, change)
    result = run("contract", "check", str(contract))
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
    data = json.loads(run("contract", "check", str(contract), "--json").stdout)
    assert data["messages"]["offer-creation-request"]["removed"] == ["offer-creation-request/unitOfMeasure:type"]
    lines = spawn("rules", "--contract", contract).stderr.decode().splitlines()
    assert [line.partition(": did you mean ")[2] for line in lines] == ["'maxLength'?"]
