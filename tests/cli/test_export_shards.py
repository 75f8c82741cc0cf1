import json
import random
import time
from pathlib import Path

import pytest
from fixture_types import Run, Start
from sampled import sample
from waiting import happens

from brokerfuzz.corpus import read

pytestmark = pytest.mark.usefixtures("folder")

PRICING = ("--message", "offer-pricing-response", "--random", "--clock", "--now", "2026-01-01T00:00:00Z")
FEW = (*PRICING, "--count", "20")


def files() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def ids(*names: str) -> list[str]:
    return [case.id for name in names for case in read(name)]


def test_each_shard_is_a_corpus_and_together_they_contain_all_cases(run: Run) -> None:
    some = (*PRICING, "--count", "301")
    run("export", "one.ndjson", *some)
    summary = json.loads(run("export", "out.ndjson.gz", *some, "--shards", 3, "--json").stdout)
    shards = [f"out-0000{number}-of-00003.ndjson.gz" for number in (1, 2, 3)]
    assert [len(ids(shard)) for shard in shards] == [100, 100, 101]
    assert ids(*shards) == ids("one.ndjson")
    assert summary["bytes"] == sum(Path(shard).stat().st_size for shard in shards)
    assert (summary["cases"], summary["shards"], summary["kept"]) == (301, 3, 0)


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


@sample(1, 12)
@pytest.mark.every(2)
def test_an_export_that_is_killed_repeatedly_ends_with_the_same_files(start: Start, run: Run, size: int) -> None:
    args = (*PRICING, "--count", "600", "--shards", "12")
    moments = random.Random(5)
    for _ in range(size):
        with start("export", "out.ndjson.zst", *args, "--resume") as process:
            assert happens(lambda: process.poll() is not None or any(Path().iterdir()))
            time.sleep(moments.uniform(0.0, 0.5))
            process.kill()
    assert run("export", "out.ndjson.zst", *args, "--resume").exit_code == 0
    resumed = {name: data for name, data in files().items() if not name.startswith(".")}
    assert run("export", "out.ndjson.zst", *args, "--force").exit_code == 0
    assert files().items() >= resumed.items()
    assert len(resumed) == 13


@pytest.mark.parametrize("form", [(), ("--format", "files")])
def test_shards_with_other_options_are_not_resumed_but_replaced(run: Run, form: tuple[str, ...]) -> None:
    run("export", "out", *FEW, *form, "--shards", 3)
    before = files()
    for other in (("--shards", 3, "--seed", 9), ("--shards", 2), ("--shards", 3, "--fresh", "number")):
        result = run("export", "out", *FEW, *form, *other, "--resume")
        assert (result.exit_code, result.stderr.count("\n"), files()) == (2, 1, before)
        assert "the existing shards were exported with other options" in result.stderr
        assert "--count=20 " in result.stderr
    Path("out-00009-of-00009").write_text("mine")
    assert run("export", "out", *FEW, *form, "--shards", 2, "--force").exit_code == 0
    assert sorted(path.name for path in Path().iterdir()) == [
        "out-00001-of-00002", "out-00002-of-00002", "out-00009-of-00009", "out.shards.json",
    ]  # fmt: skip
    Path("out.shards.json").unlink()
    result = run("export", "out", *FEW, *form, "--shards", 2, "--resume")
    assert (result.exit_code, "options that are not known" in result.stderr) == (2, True)


def test_the_list_of_shards_cannot_delete_other_files(run: Run) -> None:
    run("export", "out", *FEW, "--shards", 2)
    said = json.loads(Path("out.shards.json").read_text())
    Path("mine").write_text("mine")
    names = ["mine", "../mine", "out-00001-of-00003/../mine", *said["files"]]
    Path("out.shards.json").write_text(json.dumps({**said, "files": names}))
    assert run("export", "out", *FEW, "--shards", 3, "--force").exit_code == 0
    assert Path("mine").read_text() == "mine"


def test_a_folder_with_other_files_is_kept_even_if_it_has_the_name_of_a_shard(run: Run) -> None:
    mine = Path("out-00003-of-00003")
    mine.mkdir()
    (mine / "mine").write_text("mine")
    for option in ("--resume", "--force"):
        result = run("export", "out", *FEW, "--format", "files", "--shards", 3, option)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert "out-00003-of-00003 is a folder without manifest.json, so it is not a corpus" in result.stderr
        assert list(files()) == ["out-00003-of-00003/mine"]
