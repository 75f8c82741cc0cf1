"""Exports by several processes, and exports that are interrupted or killed."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from fixture_types import Run, Spawn, Start
from waiting import happens, workers_of

from brokerfuzz.corpus import read

pytestmark = pytest.mark.usefixtures("folder")

SECONDS = 60
PRICING = ("--message", "offer-pricing-response")
SOME = (*PRICING, "--random", "--count", "1100")
"""Two blocks of cases, which different processes can generate."""
MANY = (*PRICING, "--random", "--count", "12000")


@pytest.mark.parametrize("words", [("out.ndjson.zst",), ("out.ndjson", "--shards", "5"), ("-",)])
@pytest.mark.every(3)
def test_the_bytes_are_the_same_for_any_number_of_workers_and_any_hash_seed(
    run: Run, spawn: Spawn, words: tuple[str, ...]
) -> None:
    printed = run("export", *words, *SOME).stdout_bytes
    alone = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = spawn("export", *words, *SOME, "--force", "--workers", "2", env={"PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.stderr
    assert alone == {path.name: path.read_bytes() for path in Path().iterdir()}
    assert words != ("-",) or done.stdout == printed != b""


def _wait_for_output(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    with suppress(FileNotFoundError):  # a complete file loses its temporary name
        happens(lambda: process.poll() is not None or any(path.stat().st_size for path in folder.glob(".*.part")))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the test finds the workers in /proc")
def test_a_killed_worker_is_one_line_that_says_how_to_continue(start: Start, run: Run, tmp_path: Path) -> None:
    many = (*PRICING, "--random", "--count", "2400", "--shards", "12", "--resume")
    with start("export", "out.ndjson", *many, "--workers", "2") as process:
        happens(lambda: process.poll() is not None or Path("out-00001-of-00012.ndjson").exists())
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert re.fullmatch(rb"brokerfuzz: a worker was lost: [^\n]* --resume[^\n]*\n", stderr), stderr
    assert "cases already existed" in run("export", "out.ndjson", *many).stdout


@pytest.mark.parametrize(("ending", "workers"), [("SIGINT", "1"), ("SIGTERM", "2"), ("SIGHUP", "2")])
@pytest.mark.every(3)
def test_an_interrupted_export_leaves_no_files(start: Start, tmp_path: Path, ending: str, workers: str) -> None:
    with start("export", "out.ndjson", *MANY, "--workers", workers, env={"TMPDIR": str(tmp_path)}) as process:
        _wait_for_output(process, tmp_path)
        process.send_signal(signal.Signals[ending])
        process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_a_killed_export_never_leaves_an_incomplete_file(start: Start, tmp_path: Path) -> None:
    for out, moment in (("out.ndjson", 0.0), ("out.ndjson.gz", 0.2)):
        with start("export", out, *SOME, "--force") as process:
            _wait_for_output(process, tmp_path)
            time.sleep(moment)
            process.kill()
        assert process.returncode in {0, -signal.SIGKILL}
        if Path(out).exists():
            assert sum(1 for _ in read(out)) == 1100
