import json
import signal
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fixture_types import Run, Start
from pricing_reader import PRICING, reproducible_parts
from waiting import gets_answers

from brokerfuzz.campaign.journal import exchanges
from brokerfuzz.cli import commands

NOW: Final = "2026-01-01T00:00:00Z"
SECONDS = 60


SOME = ("--message", PRICING, "--now", NOW, "--json", "--rule", "*totalExtendedPrice:*", "--rule", "*quantity:*")


@pytest.fixture(scope="module")
def expected(url: str) -> Any:
    """Returns the result of a campaign that is not interrupted and has one worker."""
    return reproducible_parts(CliRunner().invoke(commands, ["fire", url, *SOME]).stdout_bytes)


# --------------------------------------------------------------------------------------------------- killed and resumed


def test_a_killed_campaign_loses_no_answer(start: Start, run: Run, url: str, expected: Any, tmp_path: Path) -> None:
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *SOME, "--journal", journal, "--rate", "400") as process:
        assert gets_answers(journal, 60)
        process.send_signal(signal.SIGKILL)
        process.wait(SECONDS)
    answered = list(exchanges(journal))
    resumed = run("fire", url, "--resume", journal, "--json")
    assert resumed.exit_code == 1, resumed.stderr
    assert reproducible_parts(resumed.stdout_bytes) == expected
    found = list(exchanges(journal))
    assert found[: len(answered)] == answered
    others = [one for one in found if one.role != "plain"]  # a resumed campaign checks that the target still works
    assert len({(one.role == "failed", one.id, one.attempt) for one in others}) == len(others)


def test_ctrl_c_ends_with_a_report_and_a_journal_that_can_be_resumed(
    start: Start, run: Run, url: str, expected: Any, tmp_path: Path
) -> None:
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *SOME, "--journal", journal, "--rate", "300") as process:
        assert gets_answers(journal, 40)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=SECONDS)
    report = json.loads(stdout)
    assert (report["stopped"], stderr) == ("interrupted", b"")
    assert (process.returncode, report["outcome"]["state"]) == (130, "partial")
    assert reproducible_parts(run("fire", url, "--resume", journal, "--json").stdout_bytes) == expected


def test_options_that_the_journal_determines_are_rejected_with_resume(run: Run, url: str, tmp_path: Path) -> None:
    journal = tmp_path / "run.ndjson"
    assert run("fire", url, *SOME, "--journal", journal).exit_code == 1
    for again in (["--seed", "1"], ["--rule", "*"], ["--now", NOW], ["--journal", "other"]):
        result = run("fire", url, "--resume", journal, *again)
        assert result.exit_code == 2
        assert "remove" in result.stderr
        assert again[0] in result.stderr
    result = run("fire", url, *SOME, "--journal", journal)
    assert result.stderr.startswith(f"brokerfuzz: {journal} already exists: continue its campaign with --resume")


def test_an_endless_campaign_can_be_resumed_with_a_time_limit(run: Run, url: str, tmp_path: Path) -> None:
    journal = tmp_path / "run.ndjson"
    some = ("--shrink", "off", "--max-time")
    assert run("fire", url, "--message", PRICING, "--random", "--journal", journal, *some, "300ms").exit_code in (0, 1)
    result = run("fire", url, "--resume", journal)
    assert result.exit_code == 2
    assert "set a limit with --max-time" in result.stderr
    before = after = sum(1 for _ in exchanges(journal))
    for seconds in (0.5, 2, 8, 32):  # a busy machine needs more time to reach the first new case
        if after == before:
            assert run("fire", url, "--resume", journal, *some, f"{seconds}s").exit_code in (0, 1)
            after = sum(1 for _ in exchanges(journal))
    assert after > before
