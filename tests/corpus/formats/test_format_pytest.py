import json
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from exported_cases import RULE, SEEN, TWIN, chosen, corpus_info, exported, fill_in

from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats.case_names import now_of

pytest_plugins = ["pytester"]

JUDGED = """
    import pathlib, base64
    from brokerfuzz import check
    with pathlib.Path(__file__).with_name("seen.txt").open("a") as seen:
        seen.write(base64.b64encode(body).decode() + chr(10))
    verdict = check(message_type, body)
"""
KEEPS = "return not verdict.broken"
ACCEPTS_ZERO = "return all(entry.rule == RULE for entry in verdict.broken)".replace("RULE", repr(RULE))
REJECTS_TWIN = f"return not verdict.broken and body != {TWIN!r}"
Outcomes = dict[str, str]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def outcomes_of(pytester: pytest.Pytester, answer: str, known: str = "") -> tuple[Outcomes, str]:
    """Returns the outcome of each test, and the output. Completes the template if it is not complete yet."""
    folder = pytester.path / "contract"
    if not folder.exists():
        exported(folder, "pytest")
        fill_in(folder / "conftest.py", r"pytest\.fail\(.*?\)\n", f"{JUDGED.strip()}\n    {answer}\n")
    (folder / "expected-failures").write_text(known)
    return run_pytest(pytester)


def run_pytest(pytester: pytest.Pytester) -> tuple[Outcomes, str]:
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-vv", "-rs", "-W", "error", "contract")
    printed = done.stdout.str()
    assert done.ret in (0, 1), printed + done.stderr.str()
    found = re.findall(r"::(test_\w+(?:\[.*\])?)\s+(PASSED|FAILED|SKIPPED|ERROR)", printed)
    return dict(found), printed


def failed(outcomes: Outcomes) -> list[str]:
    return [name for name, outcome in outcomes.items() if outcome == "FAILED"]


def test_a_conforming_system_gets_every_message_and_passes_except_for_an_entry_that_is_no_longer_necessary(
    pytester: pytest.Pytester,
) -> None:
    folder = pytester.path / "contract"
    outcomes, printed = outcomes_of(pytester, KEEPS, known=f"{RULE} one-below\n")
    records = [json.loads(line) for line in (folder / "cases.ndjson").read_bytes().splitlines()]
    exported = {case.id: case.body for case in chosen() if now_of(case) is None}
    assert {record["id"] for record in records} == set(exported)
    assert {b64decode(line) for line in (folder / SEEN).read_text().splitlines()} == set(exported.values())
    assert failed(outcomes) == [f"test_expected_failures[{RULE} one-below]"]
    assert "passes again: remove this line" in printed
    assert len(outcomes) == len({record["group"] for record in records}) + 1


def test_a_bug_fails_the_test_of_its_rule_with_the_difference_from_the_twin_unless_it_is_known(
    pytester: pytest.Pytester,
) -> None:
    outcomes, printed = outcomes_of(pytester, ACCEPTS_ZERO, known=f"{RULE} two-below\n")
    assert failed(outcomes) == [f"test_broker_contract[{RULE}]"]
    assert f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in printed
    assert "cases failed; expected: rejected" in printed
    assert "  actual: accepted\n" in printed
    assert f"expected-failures entry: {RULE} one-below\n" in printed
    assert '  -   "orderMinimum": 1\n  +   "orderMinimum": 0\n' in printed
    outcomes, _ = outcomes_of(pytester, ACCEPTS_ZERO, known=f"{RULE} one-below  # T-1\n")
    assert failed(outcomes) == []


@pytest.mark.long
def test_no_other_test_runs_if_a_plain_message_fails_and_twins_that_are_rejected_prove_nothing(
    pytester: pytest.Pytester,
) -> None:
    outcomes, printed = outcomes_of(pytester, REJECTS_TWIN)
    assert failed(outcomes) == ["test_broker_contract[offer-creation-request/plain]"]
    assert {outcome for name, outcome in outcomes.items() if "/plain" not in name} == {"SKIPPED"}
    assert "  actual: rejected" in printed
    assert "a plain message fails, so no other test runs" in printed
    outcomes, printed = outcomes_of(pytester, REJECTS_TWIN, known="*/plain edge:complete\n")
    assert outcomes[f"test_broker_contract[{RULE}]"] == "SKIPPED"
    assert "inconclusive: your system also rejects the twins" in printed


def test_an_incomplete_template_fails_with_an_instruction_and_another_export_keeps_a_complete_one(
    pytester: pytest.Pytester,
) -> None:
    folder = exported(pytester.path / "contract", "pytest")
    outcomes, printed = run_pytest(pytester)
    assert set(outcomes.values()) == {"FAILED"}
    assert "complete accepts() in conftest.py" in printed
    (folder / "conftest.py").write_text("# mine\n")
    (folder / "test_broker_contract.py").write_text("# not mine\n")
    write(folder, chosen()[:3], fmt="pytest", info=corpus_info())
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
