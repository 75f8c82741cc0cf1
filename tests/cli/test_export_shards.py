"""Shards, exports by several processes, and exports that are interrupted or killed."""

import gzip
import json
import os
import random
import re
import signal
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
FEW = (*PRICING, "--random", "20")
TWO_BLOCKS = (*PRICING, "--random", "1025")
"""Blocks of cases, which different processes can generate."""


def files() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def ids(*names: str) -> list[str]:
    return [case.id for name in names for case in read(name)]


def test_each_shard_is_a_corpus_and_together_they_contain_all_cases_also_with_workers_and_another_hash_seed(
    run: Run, spawn: Spawn
) -> None:
    run("export", "one.ndjson", *TWO_BLOCKS)
    words = ("export", "out.ndjson.gz", *TWO_BLOCKS, "--shards", 3, "--workers", 2, "--json")
    summary = json.loads(spawn(*words, env={"PYTHONHASHSEED": "7"}).stdout)
    shards = [f"out-0000{number}-of-00003.ndjson.gz" for number in (1, 2, 3)]
    assert [len(ids(shard)) for shard in shards] == [341, 342, 342]
    assert b"".join(gzip.decompress(Path(shard).read_bytes()) for shard in shards) == Path("one.ndjson").read_bytes()
    assert summary["bytes"] == sum(Path(shard).stat().st_size for shard in shards)
    assert (summary["cases"], summary["shards"], summary["kept"]) == (1025, 3, 0)


@pytest.mark.long
@pytest.mark.parametrize("words", [("out.ndjson.zst",), ("out.ndjson", "--shards", "5"), ("-",)])
def test_the_bytes_are_the_same_for_any_number_of_workers_and_any_hash_seed(
    run: Run, spawn: Spawn, words: tuple[str, ...]
) -> None:
    printed = run("export", *words, *TWO_BLOCKS).stdout_bytes
    alone = files()
    done = spawn("export", *words, *TWO_BLOCKS, "--force", "--workers", "2", env={"PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.stderr
    assert alone == files()
    assert words != ("-",) or done.stdout == printed != b""


# ---------------------------------------------------------------------------------------------------- resuming


@pytest.mark.parametrize("form", [(), ("--format", "files")])
def test_resume_writes_only_missing_shards(run: Run, form: tuple[str, ...]) -> None:
    run("export", "out", *FEW, *form, "--shards", 4)
    whole = files()
    gone = Path("out-00003-of-00004")
    if form:  # as if the export had been killed while it wrote this folder
        (gone / "cases.ndjson").unlink()
        said = json.loads((gone / "manifest.json").read_text())
        (gone / "manifest.json").write_text(json.dumps({**said, "complete": False}))
    else:
        gone.unlink()
    summary = json.loads(run("export", "out", *FEW, *form, "--shards", 4, "--resume", "--json").stdout)
    assert (summary["kept"], summary["cases"]) == (15, 5)
    assert files() == whole


def test_shards_with_other_options_are_not_resumed_but_replaced(run: Run) -> None:
    run("export", "out", *FEW, "--shards", 3)
    before = files()
    for other in (("--shards", 3, "--seed", 9), ("--shards", 2), ("--shards", 3, "--fresh", "number")):
        result = run("export", "out", *FEW, *other, "--resume")
        assert (result.exit_code, result.stderr.count("\n"), files()) == (2, 1, before)
        assert "the existing shards were exported with other options" in result.stderr
    Path("out-00009-of-00009").write_text("mine")
    assert run("export", "out", *FEW, "--shards", 2, "--force").exit_code == 0
    assert list(files()) == ["out-00001-of-00002", "out-00002-of-00002", "out-00009-of-00009", "out.shards.json"]


def test_neither_the_list_of_shards_nor_the_name_of_a_shard_deletes_files_of_the_user(run: Run) -> None:
    run("export", "out", *FEW, "--shards", 2)
    said = json.loads(Path("out.shards.json").read_text())
    names = ["mine", "../mine", "out-00001-of-00003/../mine", *said["files"]]
    Path("out.shards.json").write_text(json.dumps({**said, "files": names}))
    Path("mine").write_text("mine")
    assert run("export", "out", *FEW, "--shards", 3, "--force").exit_code == 0
    Path("other-00003-of-00003").mkdir()
    Path("other-00003-of-00003/mine").write_text("mine")
    for option in ("--resume", "--force"):
        result = run("export", "other", *FEW, "--format", "files", "--shards", 3, option)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert "other-00003-of-00003 is a folder without manifest.json, so it is not a corpus" in result.stderr
    assert [Path(name).read_text() for name in ("mine", "other-00003-of-00003/mine")] == ["mine", "mine"]


# ---------------------------------------------------------------------------------------------------- kills


@pytest.mark.long
def test_an_export_that_is_killed_repeatedly_ends_with_the_same_files(start: Start, run: Run) -> None:
    args = (*PRICING, "--random", "600", "--shards", "12")
    moments = random.Random(5)
    for _ in range(12):
        with start("export", "out.ndjson.zst", *args, "--resume") as process:
            assert happens(lambda: process.poll() is not None or any(Path().iterdir()))
            time.sleep(moments.uniform(0.0, 0.5))
            process.kill()
    assert run("export", "out.ndjson.zst", *args, "--resume").exit_code == 0
    resumed = {name: data for name, data in files().items() if not name.startswith(".")}
    assert run("export", "out.ndjson.zst", *args, "--force").exit_code == 0
    assert files().items() >= resumed.items()
    assert len(resumed) == 13


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the test finds the workers in /proc")
def test_a_killed_worker_is_one_line_that_says_how_to_continue(start: Start, run: Run) -> None:
    many = (*PRICING, "--random", "1200", "--shards", "12", "--resume")
    with start("export", "out.ndjson", *many, "--workers", "2") as process:
        happens(lambda: process.poll() is not None or Path("out-00001-of-00012.ndjson").exists())
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert re.fullmatch(rb"brokerfuzz: a worker was lost: [^\n]* --resume[^\n]*\n", stderr), stderr
    assert "cases already existed" in run("export", "out.ndjson", *many).stdout


@pytest.mark.parametrize(("ending", "workers"), [("SIGINT", "1"), ("SIGTERM", "2"), ("SIGHUP", "2")])
@pytest.mark.every(3)
def test_an_interrupted_export_leaves_no_files(start: Start, folder: Path, ending: str, workers: str) -> None:
    many = (*PRICING, "--random", "12000")
    with start("export", "out.ndjson", *many, "--workers", workers, env={"TMPDIR": str(folder)}) as process:
        with suppress(FileNotFoundError):  # a complete file loses its temporary name
            happens(lambda: process.poll() is not None or any(path.stat().st_size for path in Path().glob(".*.part")))
        process.send_signal(signal.Signals[ending])
        process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert files() == {}
