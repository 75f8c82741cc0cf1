"""Corpora in shards: each whole, together the one, gone on with where they were broken off."""

import json
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from contracts import changed_contract

from brokerfuzz.corpus import read

Run = Callable[..., Result]
Start = Callable[..., subprocess.Popen[bytes]]

PRICING = ("--message", "offer-pricing-response", "--random", "--now", "2026-01-01T00:00:00Z")
SOME = (*PRICING, "--count", "2500")
FEW = (*PRICING, "--count", "20")
FINITE = ("--rule", "*:json", "--technique", "empty-body", "--verdict", "invalid")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def manifest() -> Any:
    return json.loads(Path("out.shards.json").read_text())


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def ids(*names: str) -> list[str]:
    return [case.id for name in names for case in read(name)]


def test_each_shard_is_a_whole_corpus_and_together_they_are_the_one(run: Run) -> None:
    run("export", "one.ndjson", *SOME)
    result = run("export", "out.ndjson.gz", *SOME, "--shards", 3, "--json")
    told, shards = json.loads(result.stdout), manifest()["shards"]
    assert [shard["name"] for shard in shards] == [f"out-0000{number}-of-00003.ndjson.gz" for number in (1, 2, 3)]
    assert [shard["cases"] for shard in shards] == [834, 833, 833]
    assert [len(ids(shard["name"])) for shard in shards] == [834, 833, 833]
    assert ids(*(shard["name"] for shard in shards)) == ids("one.ndjson")
    assert told["bytes"] == sum(Path(shard["name"]).stat().st_size for shard in shards)
    assert (told["cases"], told["shards"], told["kept"]) == (2500, 3, 0)


def test_workers_change_nothing_of_shards(run: Run, tmp_path: Path) -> None:
    run("export", "out.ndjson", *SOME, "--shards", 5)
    alone = files()
    run("export", "out.ndjson", *SOME, "--shards", 5, "--workers", 2, "--force")
    assert files() == alone


def test_checksums_are_those_of_the_shards(run: Run) -> None:
    run("export", "out.ndjson", *FEW, "--shards", 2)
    sums = "".join(f"{shard['sha256']}  {shard['name']}\n" for shard in manifest()["shards"])
    subprocess.run(["sha256sum", "--check", "--quiet"], input=sums.encode(), check=True)


@pytest.mark.parametrize("form", [(), ("--format", "files")])
def test_only_what_is_missing_or_damaged_is_written_again(run: Run, form: tuple[str, ...]) -> None:
    run("export", "out", *FEW, *form, "--shards", 4)
    whole = {shard["name"]: Path(shard["name"]) for shard in manifest()["shards"]}
    before, summed = {name: path.stat().st_mtime_ns for name, path in whole.items()}, manifest()
    damaged, gone = whole["out-00002-of-00004"], whole["out-00004-of-00004"]
    if form:
        next(path for path in damaged.rglob("*.json") if path.name != "manifest.json").write_bytes(b"{}")
        gone.rename("elsewhere")
    else:
        damaged.write_bytes(damaged.read_bytes()[:-9])
        gone.unlink()
    told = json.loads(run("export", "out", *FEW, *form, "--shards", 4, "--resume", "--json", *(("--force",) if form else ())).stdout)
    assert (told["kept"], told["cases"]) == (10, 10)
    assert manifest() == summed
    assert [path.stat().st_mtime_ns == before[name] for name, path in whole.items()] == [True, False, True, False]


def test_an_export_that_is_killed_again_and_again_ends_as_one_that_was_not(start: Start, run: Run) -> None:
    args = (*PRICING[:-2], "--count", "6000", "--shards", "12")
    moments = random.Random(5)
    for _ in range(4):
        with start("export", "out.ndjson.zst", *args, "--resume") as process:
            while not Path("out.shards.json").exists() and process.poll() is None:
                time.sleep(0.01)
            time.sleep(moments.uniform(0.0, 0.5))
            process.kill()
        assert all(shard["name"] in files() for shard in manifest()["shards"])
        assert not manifest()["whole"] or len(manifest()["shards"]) == 12
    assert run("export", "out.ndjson.zst", *args, "--resume").exit_code == 0
    broken_off = {name: data for name, data in files().items() if not name.startswith(".")}
    now = manifest()["now"]
    assert run("export", "out.ndjson.zst", *args, "--now", now.replace("+00:00", "Z"), "--force").exit_code == 0
    assert files().items() >= broken_off.items()
    assert len(broken_off) == 13


def test_another_export_is_not_gone_on_with(run: Run) -> None:
    run("export", "out.ndjson", *FEW, "--shards", 2)
    before = files()
    for args in ((*FEW, "--seed", 9, "--shards", 2, "--resume"), (*FEW, "--shards", 2)):
        result = run("export", "out.ndjson", *args)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert "out.shards.json is" in result.stderr
    assert files() == before


def test_nor_is_one_of_a_contract_that_has_changed_since(run: Run, tmp_path: Path) -> None:
    contract = tmp_path / "contract"
    contract.mkdir()
    for title, status in (("one", 0), ("another", 2)):
        changed_contract(contract, "offer-pricing-response", lambda schema, title=title: schema.update(title=title))  # type: ignore[misc]
        result = run("export", "out.ndjson", *FEW, "--contract", contract, "--shards", 2, "--resume")
        assert result.exit_code == status, result.stderr
    assert "is of another export (contract)" in result.stderr


def test_another_number_of_shards_replaces_the_former_ones(run: Run) -> None:
    for count in (4, 2):
        assert run("export", "out.ndjson", *FEW, "--shards", count, "--force").exit_code == 0
    assert sorted(files()) == ["out-00001-of-00002.ndjson", "out-00002-of-00002.ndjson", "out.shards.json"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("out", "--shards", 21), "20 cases do not fill 21 shards"),
        (("out", "--resume"), "--resume goes on with an export in --shards"),
        (("-", "--shards", 2), "standard output takes one corpus"),
        (("out", "--shards", 2, *FINITE), "no case is left"),
        (("out", "--shards", 1, "--catalogue", *FINITE), "shard 1 cannot be filled"),
        (("out", "--shards", 10, "--catalogue", *FINITE), "cannot be filled"),
        (("no/such/out", "--shards", 2), "there is no folder no/such"),
    ],
)
def test_what_cannot_be_is_one_line(run: Run, args: tuple[Any, ...], words: str) -> None:
    result = run("export", *FEW, *args)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not any(path.name == "out" or path.name.startswith(".") for path in Path().iterdir())
