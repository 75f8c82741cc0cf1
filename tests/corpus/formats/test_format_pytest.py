"""`pytest`: tests that pass for a conforming system, and otherwise name the broken rule."""

import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from exported_cases import about
from ready_suites import RULE, SEEN, TWIN, chosen, clocked, exported, fill_in

from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats.case_names import name_of

JUDGED = """
    import pathlib, base64
    from brokerfuzz import check
    from datetime import datetime, UTC
    with pathlib.Path(__file__).with_name("seen.txt").open("a") as seen:
        seen.write(base64.b64encode(body).decode() + chr(10))
    verdict = check(message_type, body, headers=tuple(headers), now=datetime(2025, 6, 15, 12, tzinfo=UTC))
"""
KEEPS = "return not verdict.broken"
ACCEPTS_ZERO = "return all(entry.rule == RULE for entry in verdict.broken)".replace("RULE", repr(RULE))
REJECTS_TWIN = f"return not verdict.broken and body != {TWIN!r}"
QUICK = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
Outcomes = dict[str, str]


def outcomes_of(folder: Path, answer: str | None, clock: str | None = None) -> tuple[Outcomes, str]:
    """Returns (name of a test -> outcome, output)."""
    exported(folder, "pytest")
    if answer is not None:
        fill_in(folder / "conftest.py", r"pytest\.fail\(.*?\)\n", f"{JUDGED.strip()}\n    {answer}\n")
    if clock is not None:
        fill_in(folder / "conftest.py", r"CLOCK: str \| None = None", f"CLOCK = {clock!r}")
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "-p", "no:cacheprovider", "-vv", "-rs", "--color=no", "-W", "error"]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, cwd=folder, env=QUICK, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"test_broker_contract\[(\S+)\]\s+(PASSED|FAILED|SKIPPED|ERROR)", done.stdout)
    return dict(found), done.stdout


@cache
def names() -> Mapping[str, str]:
    """Returns name of a test -> verdict."""
    return {name_of(case): case.label for case in chosen()}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcomes, str]:
    folder = tmp_path_factory.mktemp("tests") / "contract"
    return folder, *outcomes_of(folder, KEEPS)


def test_a_conforming_system_passes_each_case(kept: tuple[Path, Outcomes, str]) -> None:
    _, outcomes, printed = kept
    assert outcomes.keys() == names().keys()
    assert {name for name, outcome in outcomes.items() if outcome != "PASSED"} == clocked(), printed


def test_the_system_gets_the_exact_bytes_of_every_message(kept: tuple[Path, Outcomes, str]) -> None:
    seen = {b64decode(line) for line in (kept[0] / SEEN).read_text().splitlines()}
    assert seen == {case.body for case in chosen() if name_of(case) not in clocked()}


def test_a_bug_fails_the_cases_of_its_rule_with_a_description(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", ACCEPTS_ZERO)
    failed = [name for name, outcome in outcomes.items() if outcome == "FAILED"]
    assert failed
    assert all(RULE in name for name in failed)
    assert f"accepted the invalid offer-creation-request {failed[0][-16:]}" in printed
    assert f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in printed


def test_a_rejection_is_inconclusive_if_the_twin_is_rejected_too(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", REJECTS_TWIN)
    twin, fault = (name_of(case) for case in chosen()[:2])
    assert (outcomes[twin], outcomes[fault]) == ("FAILED", "SKIPPED")
    assert "rejected the valid offer-creation-request" in printed
    assert "inconclusive: your system also rejects the twin (the valid counterpart)," in printed.replace("\n", " ")


def test_any_exception_is_a_crash_and_fails_for_every_verdict(tmp_path: Path) -> None:
    names = ("ZeroDivisionError", "NotImplementedError", "AssertionError")
    outcomes, printed = outcomes_of(tmp_path / "contract", f"raise ({', '.join(names)})[len(body) % 3]('by what is tested')")
    assert {outcome for name, outcome in outcomes.items() if name not in clocked()} == {"FAILED"}
    assert "crashed on the unspecified offer-creation-request" in printed
    assert [name for name in names if f"{name}: by what is tested" not in printed] == []


def test_cases_that_depend_on_the_clock_run_if_it_is_set(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", KEEPS, clock="2025-06-15T12:00:00Z")
    assert set(outcomes.values()) == {"PASSED"}, printed


def test_an_incomplete_template_fails_with_an_instruction(tmp_path: Path) -> None:
    outcomes, printed = outcomes_of(tmp_path / "contract", None)
    assert {outcome for name, outcome in outcomes.items() if name not in clocked()} == {"FAILED"}
    assert "complete accepts() in conftest.py" in printed


def test_another_export_does_not_overwrite_the_completed_template(tmp_path: Path) -> None:
    folder = exported(tmp_path / "contract", "pytest")
    (folder / "conftest.py").write_text("# mine\n")
    (folder / "test_broker_contract.py").write_text("# not mine\n")
    write(folder, chosen()[:3], fmt="pytest", about=about())
    assert (folder / "conftest.py").read_text() == "# mine\n"
    assert "NamedTuple" in (folder / "test_broker_contract.py").read_text()
    assert "conftest.py" not in (folder / "SHA256SUMS").read_text()


def test_a_linter_finds_no_problem(tmp_path: Path) -> None:
    folder = exported(tmp_path / "contract", "pytest")
    pytest.importorskip("ruff", reason="ruff is not installed")
    for command in (["check", "--isolated", "--no-cache"], ["format", "--isolated", "--no-cache", "--diff", "--line-length=160"]):
        done = subprocess.run([sys.executable, "-m", "ruff", *command, str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_cases_are_records_of_a_corpus_with_name_reason_and_time(kept: tuple[Path, Outcomes, str]) -> None:
    records = [json.loads(line) for line in (kept[0] / "cases.ndjson").read_bytes().splitlines()]
    assert [record["id"] for record in records] == [case.id for case in chosen()]
    assert all(record["reason"].isprintable() and record["reason"].isascii() for record in records)
    assert [record["now"] for record in records if "ahead" in record["name"]][:1] == ["2025-06-15T12:00:00Z"]
    assert [record["now"] for record in records if "last-year-there-is" in record["name"]][:1] == [None]
    assert [record.get("last") for record in records][-2:] == [None, True]
