"""Exports as users see them: what `brokerfuzz export` writes, and when it refuses to write something that would test
nothing.
"""

import json
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from fixture_types import Run

import brokerfuzz
from brokerfuzz.corpus import read

OFFER = "offer-creation-request"
MESSAGE = ("--message", OFFER)
Change = Callable[[dict[str, Any]], object]


def own_contract(folder: Path, change: Change) -> Path:
    """Writes a changed schema of offer creation requests into the folder."""
    schema = json.loads(files("brokerfuzz").joinpath(f"schemas/{OFFER}.schema.json").read_bytes())
    change(schema["properties"])
    (folder / f"{OFFER}.schema.json").write_text(json.dumps(schema))
    return folder


def test_timestamps_with_the_format_date_time_are_tested_like_other_timestamps(run: Run, tmp_path: Path) -> None:
    dates = ("availableStartDate", "availableEndDate", "lastUpdatedDateTimeUtc")
    contract = own_contract(
        tmp_path, lambda properties: [properties[name].update(format="date-time") for name in dates]
    )
    out = tmp_path / "corpus.ndjson"
    result = run(
        "export", out, *MESSAGE, "--contract", contract, *(word for name in dates for word in ("--site", name))
    )
    assert result.exit_code == 0, result.output
    cases = list(read(out, contract=brokerfuzz.load_contract(contract)))
    rules = Counter(fault.rule.rpartition("/")[2] for case in cases for fault in case.faults)
    for name in dates:
        assert rules[f"{name}:type"] > 5
        assert rules[f"{name}:format"] >= 1
    valid = [case.value for case in cases if case.label == "valid"]
    assert all(any(value.get(name) for value in valid) for name in dates)


@pytest.mark.long
def test_a_property_that_the_contract_forbids_leaves_the_other_rules_testable(run: Run, tmp_path: Path) -> None:
    contract = own_contract(tmp_path, lambda properties: properties.update(comments=False))
    out = tmp_path / "corpus.ndjson"
    accepted = run("export", out, *MESSAGE, "--contract", contract)
    assert accepted.exit_code == 0, accepted.output
    lines = out.read_bytes().splitlines()
    assert Counter(case["verdict"] for case in map(json.loads, lines))["invalid"] > 1500
    assert b"comments" not in b"".join(line for line in lines if b'"verdict":"valid"' in line)


UNTESTABLE: dict[str, tuple[Change, str]] = {
    "a timestamp with at most ten characters": (
        lambda properties: properties["availableStartDate"].update(maxLength=10),
        "availableStartDate",
    ),
    "a time of update with at most ten characters": (
        lambda properties: properties["lastUpdatedDateTimeUtc"].update(maxLength=10),
        "lastUpdatedDateTimeUtc",
    ),
    "a URL with at most ten characters": (
        lambda properties: properties["fullImageUrl"].update(maxLength=10),
        "fullImageUrl",
    ),
    "a required property that is forbidden": (lambda properties: properties.update(number=False), "number"),
    "a required string with contradicting lengths": (
        lambda properties: properties["number"].update(minLength=5, maxLength=4),
        "number",
    ),
    "a number with contradicting bounds": (
        lambda properties: properties["orderMinimum"].update(minimum=5, maximum=4),
        "orderMinimum",
    ),
    "a string that matches no schema": (lambda properties: properties["number"].update({"not": {}}), "number"),
    "a rule that another rule implies": (
        lambda properties: properties["orderMinimum"].update(exclusiveMaximum=1 << 40),
        "orderMinimum:exclusiveMaximum",
    ),
}


@pytest.mark.parametrize("name", UNTESTABLE)
def test_an_export_of_a_contract_that_cannot_be_tested_names_the_place(run: Run, tmp_path: Path, name: str) -> None:
    change, place = UNTESTABLE[name]
    result = run("export", tmp_path / "corpus.ndjson", *MESSAGE, "--contract", own_contract(tmp_path, change))
    assert result.exit_code == 2
    assert place in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "corpus.ndjson").exists()


@pytest.mark.every(2)
@pytest.mark.parametrize("command", [("fire", "--exec", "true"), ("catalogue",)])
def test_other_commands_refuse_a_contract_that_cannot_be_tested(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    contract = own_contract(tmp_path, UNTESTABLE["a rule that another rule implies"][0])
    result = run(*command, *MESSAGE, "--contract", contract)
    assert result.exit_code == 2
    assert "orderMinimum:exclusiveMaximum" in result.stderr


@pytest.mark.long
def test_the_python_functions_refuse_a_contract_that_cannot_be_tested(tmp_path: Path) -> None:
    contract = brokerfuzz.load_contract(own_contract(tmp_path, UNTESTABLE["a rule that another rule implies"][0]))
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="orderMinimum:exclusiveMaximum"):
        brokerfuzz.fire(lambda body: True, contract=contract)


def test_the_same_seed_sends_the_same_random_messages_at_another_time(run: Run, tmp_path: Path) -> None:
    sent = []
    for name in ("first", "second"):
        journal = tmp_path / f"{name}.ndjson"
        program = ("--exec", "sed -u s/.*/accepted/", "--lines", "base64", "--journal", journal)
        result = run(
            "fire", *program, "--random", "--seed", 7, "--count", 200, "--rule", "*not-in-future", "--shrink", "off"
        )
        assert result.exit_code == 1, result.output
        bodies = [json.loads(line).get("body") for line in journal.read_bytes().splitlines()[1:]]
        assert len(set(bodies)) > 100
        sent.append(set(bodies))
        sleep(1.1)
    assert sent[0] == sent[1]
