"""`vitest`: tests that pass for a conforming system, and otherwise name the broken rule."""

import json
import shutil
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ready_suites import RULE, SEEN, TWIN, chosen, clocked, exported, fill_in
from validators import NODE

from brokerfuzz.corpus.formats.case_names import name_of

BY_LABEL = """
  const { appendFileSync, readFileSync } = await import("node:fs");
  const told = Buffer.from(body).toString("base64");
  appendFileSync(new URL("./seen.txt", import.meta.url), told + "\\n");
  const invalid = new Set(readFileSync(new URL("./invalid.txt", import.meta.url), "utf8").split("\\n"));
  const zero = Buffer.from(body).toString().includes('"orderMinimum":0');
"""
Run = Callable[[str | None], tuple[dict[str, tuple[str, str]], Path]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Returns a function that completes the template and runs the tests. It returns (name -> (outcome, message), folder)."""
    if shutil.which("node") is None or not (NODE / "node_modules" / "vitest").is_dir():
        pytest.skip("Vitest is not installed: run `npm ci` in tests/node")
    (tmp_path / "node_modules").symlink_to(NODE / "node_modules")  # Node looks for Vitest in the folders above the tests
    folder = tmp_path / "contract"

    def outcomes(answer: str | None) -> tuple[dict[str, tuple[str, str]], Path]:
        exported(folder, "vitest")
        (folder / "invalid.txt").write_text("\n".join(_base64(case.body) for case in chosen() if case.label == "invalid"))
        if answer is not None:
            fill_in(folder / "accepts.ts", r"throw new Error\(.*?\);\n", f"{BY_LABEL.strip()}\n  {answer}\n")
        command = ["node", str(NODE / "node_modules/vitest/vitest.mjs"), "run", "--root", str(folder), "--reporter=json"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=folder, timeout=120, check=False)
        assert done.returncode in (0, 1), done.stderr
        report: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
        tests = [test for file in report["testResults"] for test in file["assertionResults"]]
        return {test["title"]: (test["status"], "\n".join(test["failureMessages"])) for test in tests}, folder

    return outcomes


def _base64(body: bytes) -> str:
    return b64encode(body).decode()


def test_a_conforming_system_passes_and_gets_the_exact_bytes(run: Run) -> None:
    outcomes, folder = run("return !invalid.has(told);")
    assert outcomes.keys() == {name_of(case) for case in chosen()}
    assert {name for name, (status, _) in outcomes.items() if status != "passed"} == clocked(), outcomes
    seen = {b64decode(line) for line in (folder / SEEN).read_text().splitlines()}
    assert seen == {case.body for case in chosen() if name_of(case) not in clocked()}


def test_a_bug_fails_the_cases_of_its_rule_with_a_description(run: Run) -> None:
    outcomes, _ = run("return zero || !invalid.has(told);")
    failed = {name: said for name, (status, said) in outcomes.items() if status == "failed"}
    assert failed
    for name, said in failed.items():
        assert RULE in name
        assert f"accepted the invalid offer-creation-request {name[-16:]}" in said
    assert any(f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in said for said in failed.values())


def test_a_rejection_is_inconclusive_if_the_twin_is_rejected_too(run: Run) -> None:
    outcomes, _ = run(f"return told !== {json.dumps(_base64(TWIN))} && !invalid.has(told);")
    twin, fault = (name_of(case) for case in chosen()[:2])
    assert outcomes[twin][0] == "failed"
    assert outcomes[fault][0] not in ("passed", "failed")


def test_any_error_is_a_crash_and_fails_with_its_message(run: Run) -> None:
    outcomes, _ = run('throw new TypeError("by what is tested");')
    assert {name for name, (status, _) in outcomes.items() if status != "failed"} == clocked()
    assert all(f"by what is tested\n  on the {name.split('-')[0]} " in said for name, (status, said) in outcomes.items() if status == "failed")


def test_an_incomplete_template_fails_with_an_instruction(run: Run) -> None:
    outcomes, _ = run(None)
    assert "failed" in {status for status, _ in outcomes.values()}
    for name, (status, said) in outcomes.items():
        assert status == "failed" or name in clocked()
        assert status != "failed" or "complete accepts() in accepts.ts" in said
