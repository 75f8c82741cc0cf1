"""Exports as users see them: what `brokerfuzz export` writes, and when it refuses to write something that would test
nothing.
"""

import json
import re
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


UNTESTABLE: dict[str, tuple[Change, str]] = {
    "a timestamp with at most ten characters": (
        lambda properties: properties["availableStartDate"].update(maxLength=10),
        "availableStartDate",
    ),
    "a required property that is forbidden": (lambda properties: properties.update(number=False), "number"),
    "a required string with contradicting lengths": (
        lambda properties: properties["number"].update(minLength=5, maxLength=4),
        "number",
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


# ------------------------------------------------------------------------------------------------------------- folders

FEW = ("--message", OFFER, "--rule", "*orderMinimum:*")
SUITES = ("go", "rust", "phpunit", "minitest", "junit5", "xunit", "vitest", "pytest", "postman")


@pytest.mark.parametrize("fmt", SUITES)
def test_the_readme_of_a_folder_names_the_folder(run: Run, tmp_path: Path, fmt: str) -> None:
    result = run("export", tmp_path / "tests-of-offers", "--format", fmt, *FEW)
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "tests-of-offers" / "README.md").read_text()
    assert "FOLDER" not in text
    assert "`brokerfuzz export tests-of-offers --force" in text
    assert str(tmp_path) not in text


def test_a_name_with_a_space_is_quoted_in_the_commands_of_the_readme(run: Run, tmp_path: Path) -> None:
    run("export", tmp_path / "my tests", "--format", "postman", *FEW)
    text = (tmp_path / "my tests" / "README.md").read_text()
    assert "`brokerfuzz export 'my tests' --force" in text
    assert "newman run 'my tests'/collection.json" in text


@pytest.mark.parametrize(
    ("fmt", "file"), [("rust", "rules.rs"), ("junit5", "src/test/java/brokerfuzz/BrokerContractTest.java")]
)
def test_the_names_of_tests_in_source_code_are_words(run: Run, tmp_path: Path, fmt: str, file: str) -> None:
    run("export", tmp_path / "suite", "--format", fmt, "--rule", "*:type", "--technique", "number-instead")
    names = re.findall(
        r"^    (?:@Test void )?(\w+)(?:\(\)|: \d)", (tmp_path / "suite" / file).read_text(), re.MULTILINE
    )
    types = [name for name in names if "type" in name]
    assert len(types) > 80
    assert not [name for name in types if re.search(r"\d", name)]
    assert {"offer_creation_request_access_groups_type", "offer_creation_request_access_groups_item_type"} <= set(types)
    assert len(set(names)) == len(names)


def test_a_request_without_a_case_is_answered_by_wiremock_with_instructions(run: Run, tmp_path: Path) -> None:
    some = ("--message", "product-list-response", "--rule", "*:required")
    result = run("export", tmp_path / "mocks", "--format", "wiremock", *some)
    assert result.exit_code == 0, result.stderr
    mappings = [json.loads(file.read_text()) for file in (tmp_path / "mocks" / "mappings").rglob("*.json")]
    stubs = [stub for mapping in mappings for stub in mapping.get("mappings", [mapping])]
    last = max(stubs, key=lambda stub: int(stub["priority"]))
    assert last["request"] == {"method": "ANY", "urlPattern": ".*"}
    assert last["response"]["status"] == 404
    for hint in ("/brokerfuzz", "X-Brokerfuzz-Case", "/__admin/scenarios/brokerfuzz/state"):
        assert hint in last["response"]["body"]
    assert [stub["priority"] for stub in stubs].count(last["priority"]) == 1
