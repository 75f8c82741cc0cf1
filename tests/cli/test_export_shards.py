import json
import random
import subprocess
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from fixture_types import Run, Start
from sampled import sample
from waiting import happens

from brokerfuzz.corpus import read

pytestmark = pytest.mark.usefixtures("folder")

PRICING = ("--message", "offer-pricing-response", "--random", "--clock", "--now", "2026-01-01T00:00:00Z")
SOME = (*PRICING, "--count", "1201")
FEW = (*PRICING, "--count", "20")
FINITE = ("--rule", "*:json", "--technique", "empty-body", "--verdict", "invalid")


def manifest() -> Any:
    return json.loads(Path("out.shards.json").read_text())


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def ids(*names: str) -> list[str]:
    return [case.id for name in names for case in read(name)]


def test_each_shard_is_a_corpus_and_together_they_contain_all_cases(run: Run) -> None:
    run("export", "one.ndjson", *SOME)
    result = run("export", "out.ndjson.gz", *SOME, "--shards", 3, "--json")
    summary, shards = json.loads(result.stdout), manifest()["shards"]
    assert [shard["name"] for shard in shards] == [f"out-0000{number}-of-00003.ndjson.gz" for number in (1, 2, 3)]
    assert [shard["cases"] for shard in shards] == [401, 400, 400]
    assert [len(ids(shard["name"])) for shard in shards] == [401, 400, 400]
    assert ids(*(shard["name"] for shard in shards)) == ids("one.ndjson")
    assert summary["bytes"] == sum(Path(shard["name"]).stat().st_size for shard in shards)
    assert (summary["cases"], summary["shards"], summary["kept"]) == (1201, 3, 0)


def test_workers_do_not_change_the_shards(run: Run, tmp_path: Path) -> None:
    run("export", "out.ndjson", *SOME, "--shards", 5)
    alone = files()
    run("export", "out.ndjson", *SOME, "--shards", 5, "--workers", 2, "--force")
    assert files() == alone


def test_the_checksums_match_the_shards(run: Run) -> None:
    run("export", "out.ndjson", *FEW, "--shards", 2)
    sums = "".join(f"{shard['sha256']}  {shard['name']}\n" for shard in manifest()["shards"])
    subprocess.run(["sha256sum", "--check", "--quiet"], input=sums.encode(), check=True)


@pytest.mark.parametrize("form", [(), ("--format", "files")])
def test_resume_writes_only_missing_or_damaged_shards(run: Run, form: tuple[str, ...]) -> None:
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
    summary = json.loads(
        run("export", "out", *FEW, *form, "--shards", 4, "--resume", "--json", *(("--force",) if form else ())).stdout
    )
    assert (summary["kept"], summary["cases"]) == (10, 10)
    assert manifest() == summed
    assert [path.stat().st_mtime_ns == before[name] for name, path in whole.items()] == [True, False, True, False]


@sample(1, 12)
@pytest.mark.rotated(2)
def test_an_export_that_is_killed_repeatedly_ends_with_the_same_files(start: Start, run: Run, size: int) -> None:
    args = (*PRICING[:-2], "--count", "3000", "--shards", "12")
    moments = random.Random(5)
    for _ in range(size):
        with start("export", "out.ndjson.zst", *args, "--resume") as process:
            assert happens(Path("out.shards.json").exists)
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


def test_a_different_export_is_not_resumed(run: Run) -> None:
    run("export", "out.ndjson", *FEW, "--shards", 2)
    before = files()
    for args in ((*FEW, "--seed", 9, "--shards", 2, "--resume"), (*FEW, "--shards", 2)):
        result = run("export", "out.ndjson", *args)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert (
            "out.shards.json belongs to another export" in result.stderr
            or "out.shards.json already exists" in result.stderr
        )
    assert files() == before


def test_an_export_of_a_contract_that_has_changed_is_not_resumed(run: Run, tmp_path: Path) -> None:
    contract = tmp_path / "contract"
    contract.mkdir()
    for title, status in (("one", 0), ("another", 2)):
        changed_contract(contract, "offer-pricing-response", lambda schema, title=title: schema.update(title=title))  # type: ignore[misc]
        result = run("export", "out.ndjson", *FEW, "--contract", contract, "--shards", 2, "--resume")
        assert result.exit_code == status, result.stderr
    assert "belongs to another export (these settings differ: contract)" in result.stderr


def test_another_number_of_shards_replaces_the_old_shards(run: Run) -> None:
    for count in (4, 2):
        assert run("export", "out.ndjson", *FEW, "--shards", count, "--force").exit_code == 0
    assert sorted(files()) == ["out-00001-of-00002.ndjson", "out-00002-of-00002.ndjson", "out.shards.json"]


def test_shards_with_another_compression_replace_the_old_shards(run: Run) -> None:
    for name in ("out.ndjson.gz", "out.ndjson", "out.ndjson.zst"):
        assert run("export", name, *FEW, "--shards", 2, "--force").exit_code == 0
    assert sorted(files()) == ["out-00001-of-00002.ndjson.zst", "out-00002-of-00002.ndjson.zst", "out.shards.json"]


def test_files_with_another_compression_that_are_not_listed_are_kept(run: Run) -> None:
    run("export", "out.ndjson", *FEW, "--shards", 2)
    Path("out-00001-of-00002.ndjson.gz").write_text("mine")
    assert run("export", "out.ndjson", *FEW, "--shards", 3, "--force").exit_code == 0
    assert Path("out-00001-of-00002.ndjson.gz").read_text() == "mine"


def test_a_file_that_is_not_a_list_of_shards_is_not_replaced(run: Run) -> None:
    Path("out.shards.json").write_text('{"mine": 1}')
    result = run("export", "out.ndjson", *FEW, "--shards", 2, "--force")
    assert (result.exit_code, Path("out.shards.json").read_text()) == (2, '{"mine": 1}')
    assert "out.shards.json is not a list of shards: remove this file, or specify another corpus name" in result.stderr


def test_a_folder_with_other_files_is_kept_even_if_it_has_the_name_of_a_shard(run: Run) -> None:
    files_of = (*FEW, "--format", "files")
    run("export", "out", *files_of, "--shards", 3)
    mine = Path("out-00003-of-00003")
    mine.rename("moved")
    mine.mkdir()
    (mine / "mine").write_text("mine")
    for args in (("--shards", 3, "--resume"), ("--shards", 3, "--force"), ("--shards", 2, "--force")):
        result = run("export", "out", *files_of, *args)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert "out-00003-of-00003 is a folder that is not a corpus" in result.stderr
        assert [path.read_text() for path in mine.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    "change",
    [{"now": "9999-12-31T23:59:59-12:00"}, {"now": 1}, {"shards": "x"}, {"shards": [5]}, {"shards": [{"name": []}]}],
    ids=str,
)
def test_a_damaged_list_of_shards_is_reported_in_one_line(run: Run, change: dict[str, Any]) -> None:
    now = FEW.index("--now")
    fresh = (*FEW[:now], *FEW[now + 2 :], "--shards", 2)
    run("export", "out", *fresh)
    Path("out.shards.json").write_text(json.dumps({**manifest(), **change}))
    before = files()
    result = run("export", "out", *fresh, "--resume")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "out.shards.json is not a list of shards: remove this file" in result.stderr
    assert files() == before


def test_a_very_deeply_nested_list_of_shards_is_reported_in_one_line(run: Run) -> None:
    Path("out.shards.json").write_text("[" * 100_000)
    result = run("export", "out", *FEW, "--shards", 2, "--resume")
    assert (result.exit_code, result.stderr) == (
        2,
        "brokerfuzz: out.shards.json is not a list of shards: remove this file, or specify another corpus name\n",
    )


def test_resume_uses_only_the_checksums_of_a_list_of_shards(run: Run) -> None:
    run("export", "out", *FEW, "--shards", 2)
    before, said = files(), manifest()
    for shard in said["shards"]:
        shard.update(cases=-7, bytes=None, more="x")
    Path("out.shards.json").write_text(json.dumps(said))
    summary = json.loads(run("export", "out", *FEW, "--shards", 2, "--resume", "--json").stdout)
    assert (summary["kept"], summary["cases"]) == (20, 0)
    assert files() == before


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("SHA256SUMS", f"{'a' * 64}  /dev/zero\n"),
        ("SHA256SUMS", f"{'a' * 64}  ../out.shards.json\n"),
        ("SHA256SUMS", f"{'a' * 64}  {'x' * 900}\n"),
        ("SHA256SUMS", f"{'a' * 64}  a\0b\n"),
        ("SHA256SUMS", "\n"),
        ("SHA256SUMS", "x" * 100_000),
        ("manifest.json", '{"brokerfuzz": "0", "format": "files", "recipe": ""}'),
    ],
)
def test_resume_writes_a_changed_folder_again(run: Run, file: str, text: str) -> None:
    args = (*FEW, "--format", "files", "--shards", 2)
    run("export", "out", *args)
    damaged = Path("out-00001-of-00002", file)
    whole = damaged.read_bytes()
    damaged.write_text(text)
    said = manifest()
    said["shards"][0]["sha256"] = sha256(Path("out-00001-of-00002/SHA256SUMS").read_bytes()).hexdigest()
    Path("out.shards.json").write_text(json.dumps(said))
    summary = json.loads(run("export", "out", *args, "--resume", "--json").stdout)
    assert (summary["kept"], summary["cases"]) == (10, 10)
    assert damaged.read_bytes() == whole


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("out", "--shards", 21), "20 cases cannot fill 21 shards"),
        (("out", "--resume"), "--resume works only with --shards"),
        (("-", "--shards", 2), "shards cannot be written to standard output"),
        (("out", "--shards", 2, *FINITE), "cannot be filled"),
        (("out", "--shards", 1, *FINITE), "shard 1 cannot be filled"),
        (("out", "--shards", 10, *FINITE), "cannot be filled"),
        (("no/such/out", "--shards", 2), "the folder no/such does not exist"),
    ],
)
def test_an_invalid_call_is_reported_in_one_line(run: Run, args: tuple[Any, ...], words: str) -> None:
    result = run("export", *FEW, *args)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not any(path.name == "out" or path.name.startswith(".") for path in Path().iterdir())
