"""What users read in and about the folders that `brokerfuzz export` writes."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run

OFFER = "offer-creation-request"
FEW = ("--message", OFFER, "--rule", "*orderMinimum:*")
SUITES = ("go", "rust", "phpunit", "minitest", "junit5", "xunit", "vitest", "pytest", "postman")


@pytest.mark.long
def test_what_needs_the_clock_takes_one_short_line(run: Run, tmp_path: Path) -> None:
    lines = run("export", tmp_path / "corpus.ndjson", "--message", OFFER).stdout.splitlines()
    about = [line for line in lines if "--clock" in line]
    assert len(about) == 1
    assert re.search(r"--clock adds \d+ time-dependent cases", about[0])
    assert len(about[0]) < 120


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


def test_vitest_prints_no_line_for_each_passing_test(run: Run, tmp_path: Path) -> None:
    run("export", tmp_path / "suite", "--format", "vitest", *FEW)
    assert "`npx vitest run --reporter=dot`" in (tmp_path / "suite" / "README.md").read_text()


def test_a_request_without_a_case_is_answered_by_wiremock_with_instructions(run: Run, tmp_path: Path) -> None:
    result = run(
        "export",
        tmp_path / "mocks",
        "--format",
        "wiremock",
        "--message",
        "product-list-response",
        "--rule",
        "*:required",
    )
    assert result.exit_code == 0, result.stderr
    stubs = [
        stub
        for file in (tmp_path / "mocks" / "mappings").rglob("*.json")
        for stub in flat(json.loads(file.read_text()))
    ]
    last = max(stubs, key=lambda stub: int(stub["priority"]))
    assert last["request"] == {"method": "ANY", "urlPattern": ".*"}
    assert last["response"]["status"] == 404
    for hint in ("/brokerfuzz", "X-Brokerfuzz-Case", "/__admin/scenarios/brokerfuzz/state"):
        assert hint in last["response"]["body"]
    assert [stub["priority"] for stub in stubs].count(last["priority"]) == 1


def flat(mapping: dict[str, Any]) -> list[dict[str, Any]]:
    stubs: list[dict[str, Any]] = mapping.get("mappings", [mapping])
    return stubs


@pytest.mark.long
def test_the_pytest_suite_shows_all_failures_with_v(run: Run, tmp_path: Path, environment: Mapping[str, str]) -> None:
    suite = tmp_path / "suite"
    run("export", suite, "--format", "pytest", "--message", OFFER, "--rule", "*number:type")
    conftest = suite / "conftest.py"
    conftest.write_text(re.sub(r"    (raise|pytest\.fail).*", "    return True", conftest.read_text()))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null", str(suite)]
    alone = {**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    brief, full = (
        subprocess.run([*command, *more], capture_output=True, text=True, check=False, env=alone).stdout
        for more in ([], ["-v"])
    )
    assert re.search(r"and \d+ more \(pytest -v shows them\)", brief), brief
    assert "more (pytest -v" not in full
    assert brief.count("actual: accepted") < full.count("actual: accepted")
