"""Campaigns that several processes send (`--workers`), also if these processes are killed."""

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fixture_types import Run, Start
from pricing_reader import BUG, PRICING
from waiting import happens, workers_of

import brokerfuzz
from brokerfuzz.cli import commands

NOW: Final = "2026-01-01T00:00:00Z"
MANY: Final = ("--message", PRICING, "--now", NOW, "--json", "--shrink", "off")
"""Two shards, one for each worker."""
FEW: Final[Any] = {"rules": [BUG], "techniques": ["one-below"], "shrink": 0}
SECONDS: Final = 120
linux_only = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the test finds the workers in /proc")


def report(stdout: bytes | str) -> Any:
    """Returns the JSON report without times."""
    return without_times(json.loads(stdout))


def without_times(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            name: without_times(prop)
            for name, prop in value.items()
            if name not in ("started", "seconds", "latency", "campaign")
        }
    return [without_times(item) for item in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def alone(url: str) -> Any:
    """Returns the report of one process."""
    return report(CliRunner().invoke(commands, ["fire", url, *MANY]).stdout)


def test_the_report_does_not_depend_on_the_number_of_workers(url: str, alone: Any, run: Run) -> None:
    assert report(run("fire", url, *MANY, "--workers", 2).stdout) == alone


@linux_only
def test_a_lost_worker_ends_the_campaign_with_one_line_and_its_journal_is_resumed(
    url: str, alone: Any, start: Start, run: Run, tmp_path: Path
) -> None:
    journal = tmp_path / "run.ndjson"
    with start("fire", url, *MANY, "--workers", 2, "--journal", journal, "--rate", 300) as process:
        assert happens(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 50)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert stderr.decode() == (
        "brokerfuzz: a worker was lost: check that the workers have enough memory, and repeat the command (with "
        "--resume, if you wrote shards or a journal)\n"
    )
    resumed = run("fire", url, "--json", "--shrink", "off", "--workers", 2, "--resume", journal)
    assert {**report(resumed.stdout), "requests": 0, "journal": None} == {**alone, "requests": 0, "journal": None}


def rest() -> None:
    time.sleep(600)


def test_a_campaign_with_workers_leaves_the_processes_and_the_environment_of_the_user_alone(url: str) -> None:
    before = dict(os.environ)
    mine = multiprocessing.get_context("spawn").Process(target=rest, daemon=True)
    mine.start()
    try:
        assert brokerfuzz.fire(url, PRICING, workers=2, **FEW).outcome.new
        assert mine.is_alive()
        assert dict(os.environ) == before
    finally:
        mine.kill()
        mine.join()
