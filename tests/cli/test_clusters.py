"""Campaigns and exports on a Dask cluster, also if one of its processes is killed."""

import os
import re
import signal
from pathlib import Path

import pytest
from fixture_types import Run, Spawn, Start
from pricing_reader import PRICING, reproducible_parts
from waiting import gets_answers, happens

from brokerfuzz.campaign.journal import exchanges

SECONDS = 90
FIRE = ("--message", PRICING, "--now", "2026-01-01T00:00:00Z", "--json")
EXPORT = ("--message", PRICING, "--random", "--count", "9000", "--shards", "9")


@pytest.mark.long
def test_a_killed_worker_of_a_cluster_does_not_change_the_result(
    start: Start, spawn: Spawn, url: str, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, workers = cluster
    journal = tmp_path / "run.ndjson"
    alone = spawn("fire", url, *FIRE)
    with start("fire", url, *FIRE, "--workers", address, "--journal", journal, "--rate", "300") as process:
        assert gets_answers(journal, 1)
        os.kill(workers[0], signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, stderr
    assert reproducible_parts(stdout) == reproducible_parts(alone.stdout)
    known = [(one.role, one.id, one.attempt) for one in exchanges(journal)]
    assert len(known) == len(set(known))


@pytest.mark.every(3)
@pytest.mark.parametrize("command", ["fire", "export"])
def test_a_killed_scheduler_is_reported_in_one_line(
    command: str, start: Start, run: Run, url: str, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, [worker, _] = cluster
    scheduler = int(Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()[1])
    journal, corpus = tmp_path / "run.ndjson", tmp_path / "out.ndjson"
    fire = ("fire", url, *FIRE, "--journal", journal, "--rate", "100")
    words = fire if command == "fire" else ("export", corpus, *EXPORT)
    with start(*words, "--workers", address) as process:
        assert gets_answers(journal, 1) if command == "fire" else happens(lambda: list(tmp_path.glob("out-00001-*")))
        os.kill(scheduler, signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert stdout == b""
    *progress, error = stderr.decode().splitlines()
    assert re.fullmatch("brokerfuzz: a worker was lost: .* --resume.*", error)
    assert all(line.endswith(" requests/s") for line in progress)
    assert not list(tmp_path.glob(".*"))
    if command == "fire":
        assert run("fire", url, "--resume", journal, "--shrink", "off").exit_code == 1
