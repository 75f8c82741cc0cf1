import os
import signal
from pathlib import Path

import pytest
from fixture_types import Run, Spawn, Start
from pricing_reader import PRICING, reproducible_parts
from waiting import gets_answers

from brokerfuzz.campaign.journal import records

SECONDS = 90
SOME = ("--message", PRICING, "--now", "2026-01-01T00:00:00Z", "--json", "--no-preflight")


@pytest.mark.long
def test_a_killed_worker_of_a_cluster_does_not_change_the_result(
    start: Start, spawn: Spawn, url: str, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, workers = cluster
    journal = tmp_path / "run.ndjson"
    alone = spawn("fire", url, *SOME)
    with start("fire", url, *SOME, "--cluster", address, "--journal", journal, "--rate", "300") as process:
        assert gets_answers(journal, 1)
        os.kill(workers[0], signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, stderr
    assert reproducible_parts(stdout) == reproducible_parts(alone.stdout)
    known = [record.key for record in records(journal)]
    assert len(known) == len(set(known))


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "tcp://["])
def test_a_missing_cluster_is_reported_with_a_remedy(run: Run, url: str, address: str) -> None:
    done = run("fire", url, *SOME, "--cluster", address)
    assert done.exit_code == 2
    assert f"no Dask cluster answers at {address}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_process_that_finds_no_cluster_prints_only_that(spawn: Spawn, url: str) -> None:
    done = spawn("fire", url, *SOME, "--cluster", "tcp://127.0.0.1:1")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
