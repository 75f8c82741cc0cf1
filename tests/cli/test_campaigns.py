"""Campaigns that are interrupted, killed and resumed, alone, with workers and on a Dask cluster."""

import json
import os
import re
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fixture_types import Run, Start
from hand_made_servers import recording
from pricing_reader import PRICING, lenient, reproducible_parts
from waiting import gets_answers, happens, workers_of

from brokerfuzz.campaign.journal import exchanges
from brokerfuzz.cli import commands

SECONDS = 90
NOW: Final = "2026-01-01T00:00:00Z"
SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:*", "--now", NOW, "--json")
MANY: Final = (*SOME, "--random", "60", "--shrink", "off")
"""The catalogue for one worker, and random cases for the other."""
EXPORT = ("--message", PRICING, "--random", "9000", "--shards", "9")


def fired(url: str, *words: object) -> Any:
    return CliRunner().invoke(commands, ["fire", url, *map(str, words)]).stdout_bytes


@pytest.fixture(scope="module")
def expected(url: str) -> Any:
    """Returns the result of a campaign that is not interrupted and has one worker."""
    return reproducible_parts(fired(url, *SOME))


def assert_nothing_sent_twice(journal: Path) -> None:
    checks = ("plain", "anew")  # with these messages, a resumed campaign checks the target
    found = [exchange for exchange in exchanges(journal) if exchange.role not in checks]
    assert len({(one.role == "failed", one.id, one.attempt) for one in found}) == len(found)


def test_a_killed_campaign_loses_no_answer(start: Start, url: str, expected: Any, tmp_path: Path) -> None:
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *SOME, "--journal", journal, "--rate", "50") as process:
        assert gets_answers(journal, 20)
        process.send_signal(signal.SIGKILL)
        process.wait(SECONDS)
    answered = list(exchanges(journal))
    assert reproducible_parts(fired(url, "--resume", journal, "--json")) == expected
    assert list(exchanges(journal))[: len(answered)] == answered
    assert_nothing_sent_twice(journal)


def test_ctrl_c_ends_with_a_report_and_a_journal_that_can_be_resumed(
    start: Start, url: str, expected: Any, tmp_path: Path
) -> None:
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *SOME, "--journal", journal, "--rate", "50") as process:
        assert gets_answers(journal, 20)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=SECONDS)
    report = json.loads(stdout)
    assert (report["stopped"], stderr) == ("interrupted", b"")
    assert (process.returncode, report["outcome"]["state"]) == (130, "partial")
    assert reproducible_parts(fired(url, "--resume", journal, "--json")) == expected


def test_options_that_the_journal_determines_are_rejected_with_resume(run: Run, url: str, tmp_path: Path) -> None:
    journal = tmp_path / "run.ndjson"
    assert run("fire", url, *SOME, "--journal", journal).exit_code == 1
    for again in (["--seed", "1"], ["--rule", "*"], ["--now", NOW], ["--journal", "other"]):
        result = run("fire", url, "--resume", journal, *again)
        assert (result.exit_code, "remove" in result.stderr, again[0] in result.stderr) == (2, True, True)
    result = run("fire", url, *SOME, "--journal", journal)
    assert result.stderr.startswith(f"brokerfuzz: {journal} already exists: continue its campaign with --resume")


def test_an_endless_campaign_can_be_resumed_with_a_time_limit(run: Run, url: str, tmp_path: Path) -> None:
    journal = tmp_path / "run.ndjson"
    some = ("--shrink", "off", "--max-time")
    first = run("fire", url, "--message", PRICING, "--tag", "random", "--journal", journal, *some, "1s")
    assert first.exit_code in (0, 1)
    assert "set a limit with --max-time" in run("fire", url, "--resume", journal).stderr
    before = after = sum(1 for _ in exchanges(journal))
    for seconds in (0.5, 2, 8, 32):  # a busy machine needs more time to reach the first new case
        if after == before:
            assert run("fire", url, "--resume", journal, *some, f"{seconds}s").exit_code in (0, 1, 2)
            after = sum(1 for _ in exchanges(journal))
    assert after > before


# ---------------------------------------------------------------------------------------------------- several processes


def without_times(value: Any) -> Any:
    changing = ("started", "seconds", "campaign", "journal", "requests", "old", "headline")
    if isinstance(value, Mapping):
        return {name: without_times(prop) for name, prop in value.items() if name not in changing}
    return [without_times(item) for item in value] if isinstance(value, list) else value


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the test finds the workers in /proc")
def test_workers_change_no_report_and_a_campaign_that_lost_a_worker_can_be_resumed(
    url: str, start: Start, tmp_path: Path
) -> None:
    journal, report = tmp_path / "run.ndjson", tmp_path / "report.html"
    alone = without_times(json.loads(fired(url, *MANY)))
    words = (*MANY, "--workers", 2, "--journal", journal, "--rate", 50, "--report", report)
    with start("fire", url, *words) as process:
        assert gets_answers(journal, 20)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    known = json.loads(stdout)
    assert (process.returncode, known["stopped"]) == (2, "a worker was lost"), stderr
    assert "a worker was lost" in report.read_text()
    resumed = fired(url, "--json", "--shrink", "off", "--resume", journal)
    assert without_times(json.loads(resumed)) == alone


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [1, 2])
def test_half_of_a_short_time_limit_is_left_for_explaining(run: Run, tmp_path: Path, workers: int) -> None:
    journal = tmp_path / "run.ndjson"
    with recording(lenient) as (url, _):
        run("fire", url, *SOME[:2], "--workers", workers, "--journal", journal, "--rate", 60, "--max-time", "8s")
    sent = list(exchanges(journal))
    times = [exchange.at for exchange in sent if exchange.role == "case"]
    assert max(times) - min(times) < 5
    assert any(exchange.role == "shrink" for exchange in sent)


@pytest.mark.long
def test_a_killed_worker_of_a_cluster_does_not_change_the_result(
    start: Start, url: str, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, workers = cluster
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *MANY, "--workers", address, "--journal", journal, "--rate", "50") as process:
        assert gets_answers(journal, 1)
        os.kill(workers[0], signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, stderr
    assert reproducible_parts(stdout) == reproducible_parts(fired(url, *MANY))
    assert_nothing_sent_twice(journal)


def scheduler_of(worker: int) -> int:
    return int(Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()[1])


@pytest.mark.long
def test_an_export_that_lost_its_scheduler_ends_with_one_line(
    start: Start, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, [worker, _] = cluster
    with start("export", tmp_path / "out.ndjson", *EXPORT, "--workers", address) as process:
        assert happens(lambda: list(tmp_path.glob("out-00001-*")))
        os.kill(scheduler_of(worker), signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert (process.returncode, stdout) == (2, b"")
    assert re.fullmatch("brokerfuzz: a worker was lost: .* --resume.*\n", stderr.decode())
    assert not list(tmp_path.glob(".*"))


@pytest.mark.long
def test_a_campaign_that_lost_its_scheduler_reports_what_it_knows_and_can_be_resumed(
    start: Start, run: Run, url: str, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, [worker, _] = cluster
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *MANY, "--journal", journal, "--rate", "100", "--workers", address) as process:
        assert gets_answers(journal, 1)
        os.kill(scheduler_of(worker), signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode in (1, 2), stderr
    assert json.loads(stdout)["stopped"] == "a worker was lost"
    assert run("fire", url, "--resume", journal, "--shrink", "off").exit_code == 1
