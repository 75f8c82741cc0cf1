import os
import re
import signal
from pathlib import Path

import pytest
from fixture_types import Run, Start
from waiting import happens

MANY = ("--message", "offer-pricing-response", "--random", "--count", "9000")


@pytest.mark.long
def test_a_killed_worker_of_a_cluster_does_not_change_the_export(
    start: Start, run: Run, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, workers = cluster
    for folder in ("alone", "together"):
        (tmp_path / folder).mkdir()
    with start(
        "export", (tmp_path / "together" / "out.ndjson").as_uri(), *MANY, "--shards", "9", "--cluster", address
    ) as process:
        assert happens(lambda: list((tmp_path / "together").glob("out-00001-*")))
        os.kill(workers[0], signal.SIGKILL)
        _, stderr = process.communicate(timeout=90)
    assert process.returncode == 0, stderr
    assert run("export", tmp_path / "alone" / "out.ndjson", *MANY, "--shards", 9).exit_code == 0
    alone, together = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("alone", "together")
    )
    assert together == alone
    assert len(together) == 10


def test_a_killed_scheduler_is_reported_in_one_line(
    start: Start, cluster: tuple[str, list[int]], tmp_path: Path
) -> None:
    address, [worker, _] = cluster
    scheduler = int(Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()[1])
    with start("export", tmp_path / "out.ndjson", *MANY, "--shards", "9", "--cluster", address) as process:
        assert happens(lambda: list(tmp_path.glob("out-00001-*")))
        os.kill(scheduler, signal.SIGKILL)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert re.fullmatch(rb"brokerfuzz: a worker was lost: [^\n]* --resume[^\n]*\n", stderr), stderr
    assert not list(tmp_path.glob(".*"))


def test_cluster_and_workers_exclude_each_other(run: Run, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out.ndjson", *MANY, "--cluster", "tcp://127.0.0.1:1", "--workers", "2")
    assert result.exit_code == 2
    assert "--cluster does not work with --workers: use only one of the two options" in result.stderr


def test_a_missing_cluster_is_reported_with_a_remedy(run: Run, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out.ndjson", *MANY, "--cluster", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "no Dask cluster answers at tcp://127.0.0.1:1" in result.stderr
    assert list(tmp_path.iterdir()) == []
