"""Campaigns that several processes send (`--workers`), also if these processes are killed."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fixture_types import Run, Start
from waiting import happens, workers_of

import brokerfuzz
from brokerfuzz.cli import commands

NOW: Final = "2026-01-01T00:00:00Z"
OFFERS: Final = (
    "--now",
    NOW,
    "--rule",
    "*productClusters*",
    "--rule",
    "*order*",
    "--json",
    "--shrink",
    "off",
)
"""More than two thousand cases, which are several shards."""
BUGS: Final = ("accepts-zero-order-minimum", "rejects-fractions-of-cents", "rejects-apostrophes")
FEW: Final[Any] = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"], "shrink": 0}
SECONDS: Final = 120
linux_only = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the test finds the workers in /proc")


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    words = [
        sys.executable,
        "-m",
        "brokerfuzz",
        "serve",
        "--port",
        "0",
        "--now",
        NOW,
        *(word for bug in BUGS for word in ("--bug", bug)),
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        try:
            yield f"{service.stdout.readline().decode().strip()}/offers"
        finally:
            service.kill()


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
def alone(shop: str) -> Any:
    """Returns the report of one process."""
    return report(CliRunner().invoke(commands, ["fire", shop, *OFFERS]).stdout)


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [2, 3])
def test_the_report_does_not_depend_on_the_number_of_workers(shop: str, alone: Any, run: Run, workers: int) -> None:
    assert report(run("fire", shop, *OFFERS, "--workers", workers).stdout) == alone


@linux_only
def test_a_lost_worker_ends_the_campaign_with_one_line_and_its_journal_is_resumed(
    shop: str, alone: Any, start: Start, run: Run, tmp_path: Path
) -> None:
    journal = tmp_path / "run.ndjson"
    with start("fire", shop, *OFFERS, "--workers", 2, "--journal", journal, "--rate", 300) as process:
        assert happens(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 50)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert stderr.decode() == (
        "brokerfuzz: a worker was lost: check that the workers have enough memory, and repeat the command (with "
        "--resume, if you wrote shards or a journal)\n"
    )
    resumed = run("fire", shop, "--json", "--shrink", "off", "--workers", 2, "--resume", journal)
    assert {**report(resumed.stdout), "requests": 0, "journal": None} == {**alone, "requests": 0, "journal": None}


def rest() -> None:
    time.sleep(600)


def test_a_campaign_with_workers_leaves_the_processes_of_the_user_alone(shop: str) -> None:
    mine = multiprocessing.get_context("spawn").Process(target=rest, daemon=True)
    mine.start()
    try:
        assert brokerfuzz.fire(shop, workers=2, **FEW).outcome.new
        assert mine.is_alive()
    finally:
        mine.kill()
        mine.join()


def test_a_campaign_with_workers_does_not_change_the_environment(shop: str) -> None:
    before = dict(os.environ)
    brokerfuzz.fire(shop, workers=2, **FEW)
    assert dict(os.environ) == before
