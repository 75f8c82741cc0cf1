"""`vitest`: tests that pass where the contract is kept, and say which rule is broken where it is not."""

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
    """Fills in the answer, runs the tests: (name -> (what became of it, what it says); the folder)."""
    if shutil.which("node") is None or not (NODE / "node_modules" / "vitest").is_dir():
        pytest.skip("Vitest is not installed: run `npm ci` in tests/node")
    (tmp_path / "node_modules").symlink_to(NODE / "node_modules")  # Vitest is found from where its tests are
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


def test_a_program_that_keeps_the_contract_passes_and_is_asked_about_the_exact_bytes(run: Run) -> None:
    outcomes, folder = run("return !invalid.has(told);")
    assert outcomes.keys() == {name_of(case) for case in chosen()}
    assert {name for name, (status, _) in outcomes.items() if status != "passed"} == clocked(), outcomes
    seen = {b64decode(line) for line in (folder / SEEN).read_text().splitlines()}
    assert seen == {case.body for case in chosen() if name_of(case) not in clocked()}


def test_a_bug_fails_the_cases_of_its_rule_with_all_that_is_known_of_them(run: Run) -> None:
    outcomes, _ = run("return zero || !invalid.has(told);")
    failed = {name: said for name, (status, said) in outcomes.items() if status == "failed"}
    assert failed
    for name, said in failed.items():
        assert RULE in name
        assert f"accepted the invalid offer-creation-request {name[-16:]}" in said
    assert any(f"Broken: {RULE} at /orderMinimum: found 0, demanded at least 1 (one-below)." in said for said in failed.values())


def test_a_rejection_whose_twin_is_rejected_too_proves_nothing(run: Run) -> None:
    outcomes, _ = run(f"return told !== {json.dumps(_base64(TWIN))} && !invalid.has(told);")
    twin, fault = (name_of(case) for case in chosen()[:2])
    assert outcomes[twin][0] == "failed"
    assert outcomes[fault][0] not in ("passed", "failed")


def test_a_crash_fails_whatever_the_verdict_and_says_what_was_thrown(run: Run) -> None:
    outcomes, _ = run('throw new TypeError("by what is tested");')
    assert {name for name, (status, _) in outcomes.items() if status != "failed"} == clocked()
    assert all(f"by what is tested\n  on the {name.split('-')[0]} " in said for name, (status, said) in outcomes.items() if status == "failed")


def test_until_it_is_filled_in_it_says_so(run: Run) -> None:
    outcomes, _ = run(None)
    assert "failed" in {status for status, _ in outcomes.values()}
    for name, (status, said) in outcomes.items():
        assert status == "failed" or name in clocked()
        assert status != "failed" or "fill in accepts() in accepts.ts" in said
