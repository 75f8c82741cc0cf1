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


def test_new_changed_and_removed_rules_are_listed_with_their_techniques(run: Run, contract: Path) -> None:
    def change(properties: Any) -> None:
        properties["orderMinimum"]["maximum"] = 100
        properties["number"]["pattern"] = "^[A-Z]{2}[0-9]+$"
        del properties["unitOfMeasure"]

    _change(contract, change)
    text = run("contract", "check", str(contract)).stdout
    assert "  new      number:pattern: a value that matches pattern: '^[A-Z]{2}[0-9]+$', broken by 3 techniques" in text
    assert "  changed  orderMinimum:maximum: at most 100 (before: at most 2147483647), broken by" in text
    assert "  removed  unitOfMeasure:type" in text
    data = json.loads(run("contract", "check", str(contract), "--json").stdout)
    assert data["messages"]["offer-creation-request"]["removed"] == ["offer-creation-request/unitOfMeasure:type"]


def test_a_misspelt_keyword_is_reported_with_the_closest_one(run: Run, spawn: Spawn, contract: Path) -> None:
    _change(contract, lambda properties: properties["comments"].update(maxLenght=5))
    result = run("contract", "check", str(contract))
    assert result.exit_code == 1
    assert (
        "'maxLenght' at /properties/comments/maxLenght, which has no effect: did you mean 'maxLength'?" in result.stdout
    )
    lines = spawn("rules", "--contract", contract).stderr.decode().splitlines()
    assert [line.partition(": did you mean ")[2] for line in lines] == ["'maxLength'?"]


def test_a_rule_that_cannot_be_broken_alone_is_named_with_a_remedy(run: Run, contract: Path) -> None:
    _change(contract, lambda properties: properties["orderMinimum"].update(exclusiveMaximum=1 << 40))
    result = run("contract", "check", str(contract))
    assert result.exit_code == 1
    assert "orderMinimum:exclusiveMaximum: less than 1099511627776, broken by no technique" in result.stdout
    assert "--rule '!offer-creation-request/orderMinimum:exclusiveMaximum'" in result.stdout


@pytest.mark.long
def test_a_format_answers_the_questions_about_the_notation(run: Run, contract: Path) -> None:
    _change(contract, lambda properties: properties["availableStartDate"].update(format="date-time"))
    text = run("contract", "check", str(contract)).stdout
    assert "no longer ambiguous: timestamp-format.offset at offer-creation-request/availableStartDate" in text
    assert "no longer ambiguous: timestamp-format.offset at offer-creation-request/availableEndDate" not in text
