import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from functools import cache
from pathlib import Path

import pytest
from exported_cases import about
from fixture_types import Run
from ready_suites import RULE, SEEN, TWIN, chosen, exported, fill_in

from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats.case_names import now_of

JUDGED = """
    import pathlib, base64
    from brokerfuzz import check
    with pathlib.Path(__file__).with_name("seen.txt").open("a") as seen:
        seen.write(base64.b64encode(body).decode() + chr(10))
    verdict = check(message_type, body, headers=tuple(headers))
"""
KEEPS = "return not verdict.broken"
ACCEPTS_ZERO = "return all(entry.rule == RULE for entry in verdict.broken)".replace("RULE", repr(RULE))
REJECTS_TWIN = f"return not verdict.broken and body != {TWIN!r}"
ALONE = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
Outcomes = dict[str, str]


def outcomes_of(folder: Path, answer: str | None, *options: str, known: str = "") -> tuple[Outcomes, str]:
    """Returns the outcome of each test, and the output."""
    exported(folder, "pytest")
    if answer is not None:
        fill_in(folder / "conftest.py", r"pytest\.fail\(.*?\)\n", f"{JUDGED.strip()}\n    {answer}\n")
    (folder / "expected-failures").write_text(known)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "/dev/null",
        "--confcutdir=.",
        "-p",
        "no:cacheprovider",
        "-vv",
        "-rs",
        "--color=no",
        "-W",
        "error",
        *options,
    ]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, cwd=folder, env=ALONE, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"::(test_\w+(?:\[.*\])?)\s+(PASSED|FAILED|SKIPPED|ERROR)", done.stdout)
    return dict(found), done.stdout


@cache
def ids_of_tests() -> frozenset[str]:
    """Returns the IDs of the cases that are exported as tests."""
    return frozenset(case.id for case in chosen() if now_of(case) is None)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcomes, str]:
    folder = tmp_path_factory.mktemp("tests") / "contract"
    return folder, *outcomes_of(folder, KEEPS)


def test_a_conforming_system_passes_one_test_per_rule(kept: tuple[Path, Outcomes, str]) -> None:
    folder, outcomes, printed = kept
    records = [json.loads(line) for line in (folder / "cases.ndjson").read_bytes().splitlines()]
    assert {record["id"] for record in records} == ids_of_tests()
    assert set(outcomes.values()) == {"PASSED"}, printed
    assert len(outcomes) == len({record["group"] for record in records})


def test_the_system_gets_the_exact_bytes_of_every_message(kept: tuple[Path, Outcomes, str]) -> None:
    seen = {b64decode(line) for line in (kept[0] / SEEN).read_text().splitlines()}
    assert seen == {case.body for case in chosen() if case.id in ids_of_tests()}


def test_a_bug_fails_the_test_of_its_rule_with_the_difference_from_the_twin(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", ACCEPTS_ZERO)
    assert [name for name, outcome in outcomes.items() if outcome == "FAILED"] == [f"test_broker_contract[{RULE}]"]
    assert f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in printed
    assert "cases failed; expected: rejected" in printed
    assert "  actual: accepted\n" in printed
    assert '  -   "orderMinimum": 1\n  +   "orderMinimum": 0\n' in printed


@pytest.mark.long
def test_no_other_test_runs_if_a_plain_message_fails(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", REJECTS_TWIN)
    assert {name for name, outcome in outcomes.items() if outcome == "FAILED"} == {
        "test_broker_contract[offer-creation-request/plain]"
    }
    assert {outcome for name, outcome in outcomes.items() if "/plain" not in name} == {"SKIPPED"}
    assert "  actual: rejected" in printed
    assert "a plain message fails, so no other test runs" in printed


@pytest.mark.long
def test_a_rejection_is_inconclusive_if_all_twins_are_rejected_too(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", REJECTS_TWIN, known=chosen()[0].id)
    assert outcomes[f"test_broker_contract[{RULE}]"] == "SKIPPED"
    assert "inconclusive: your system also rejects the twins" in printed


def test_known_failures_are_skipped_until_they_pass_again(tmp_path: Path) -> None:
    outcomes, _ = outcomes_of(tmp_path / "contract", ACCEPTS_ZERO, known=f"{RULE}  # T-1\n")
    assert "FAILED" not in outcomes.values()
    outcomes, printed = outcomes_of(tmp_path / "again", KEEPS, known=f"{RULE}\n")
    assert [name for name, outcome in outcomes.items() if outcome == "FAILED"] == [f"test_expected_failures[{RULE}]"]
    assert "passes again: remove this line" in printed


def test_an_incomplete_template_fails_with_an_instruction(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", None)
    assert set(outcomes.values()) == {"FAILED"}
    assert "complete accepts() in conftest.py" in printed


def test_another_export_does_not_overwrite_the_completed_template(tmp_path: Path) -> None:
    folder = exported(tmp_path / "contract", "pytest")
    (folder / "conftest.py").write_text("# mine\n")
    (folder / "test_broker_contract.py").write_text("# not mine\n")
    write(folder, chosen()[:3], fmt="pytest", about=about())
    assert (folder / "conftest.py").read_text() == "# mine\n"
    assert "NamedTuple" in (folder / "test_broker_contract.py").read_text()
    assert "conftest.py" not in (folder / "manifest.json").read_text()


@pytest.mark.parametrize(
    "tool",
    [["ruff", "check", "--isolated", "--no-cache"], ["mypy", "--strict", "--cache-dir=/dev/null"]],
    ids=["ruff", "mypy"],
)
@pytest.mark.every(2)
def test_checkers_find_no_problem(tool: list[str], tmp_path: Path) -> None:
    folder = exported(tmp_path / "contract", "pytest")
    pytest.importorskip(tool[0], reason=f"{tool[0]} is not installed")
    command = [sys.executable, "-m", *tool, "test_broker_contract.py", "conftest.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout


def test_the_folder_is_a_corpus_that_can_be_verified(run: Run, tmp_path: Path) -> None:
    chosen = ["--message", "offer-pricing-response", "--rule", "*:minimum"]
    assert run("export", tmp_path / "tests", "--format", "pytest", *chosen).exit_code == 0
    assert run("corpus", "verify", tmp_path / "tests").exit_code == 0
