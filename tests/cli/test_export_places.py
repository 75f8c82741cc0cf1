import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run, Start
from waiting import happens

from brokerfuzz.corpus import read
from brokerfuzz.corpus.places import place_of

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install fsspec")


SOME = ("--message", "offer-pricing-response", "--random", "--count", "12")
FOLDER = ("--format", "files")


@pytest.fixture(scope="session")
def _server() -> Iterator[str]:
    """All tests of a process use the same server, because fsspec remembers the address."""
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hides warnings of the server's dependencies
        server = pytest.importorskip("moto.server", reason="moto's server is not installed").ThreadedMotoServer(
            port=0, verbose=False
        )
        server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(_server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The URL of an empty bucket. Environment variables contain the address of the server and the credentials."""
    said = {
        "AWS_ENDPOINT_URL": _server,
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    system = fsspec.filesystem("s3", skip_instance_cache=True)
    name = "".join(letter for letter in tmp_path.name if letter.isalnum()).lower()
    system.mkdir(name)
    return f"s3://{name}"


@pytest.fixture(params=[pytest.param("s3", marks=pytest.mark.long), "memory", "file"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return str(request.getfixturevalue("bucket"))
    return f"memory:/{tmp_path}" if request.param == "memory" else tmp_path.as_uri()


def found(url: str) -> dict[str, bytes]:
    system, key = fsspec.core.url_to_fs(url)
    system.invalidate_cache()
    return {path.removeprefix(key).strip("/"): system.cat_file(path) for path in system.find(key)}


def put(url: str, data: bytes) -> None:
    """Writes a file without brokerfuzz."""
    with fsspec.open(url, "wb", auto_mkdir=True) as stream:
        stream.write(data)


@pytest.mark.parametrize("end", ["", ".gz", ".zst"])
def test_a_file_at_a_url_has_the_same_bytes_as_a_local_file(run: Run, folder: str, tmp_path: Path, end: str) -> None:
    here = tmp_path / f"here.ndjson{end}"
    assert run("export", here, *SOME).exit_code == 0
    alone = here.read_bytes()
    here.unlink()
    assert run("export", f"{folder}/out.ndjson{end}", *SOME).exit_code == 0
    assert found(folder) == {f"out.ndjson{end}": alone}


def test_a_folder_at_a_url_has_the_same_files_as_a_local_folder(run: Run, folder: str, tmp_path: Path) -> None:
    assert run("export", tmp_path / "here", *SOME, *FOLDER).exit_code == 0
    alone = {
        path.relative_to(tmp_path / "here").as_posix(): path.read_bytes()
        for path in (tmp_path / "here").rglob("*")
        if path.is_file()
    }
    result = run("export", f"{folder}/out", *SOME, *FOLDER)
    assert result.exit_code == 0, result.stderr
    assert found(f"{folder}/out") == alone


def test_existing_files_and_folders_are_replaced_only_with_force(run: Run, folder: str) -> None:
    for form, out in (((), "out.ndjson"), (FOLDER, "out")):
        run("export", f"{folder}/{out}", *SOME, *form)
        before = found(folder)
        rejected = run("export", f"{folder}/{out}", *SOME, *form, "--seed", 3)
        assert (rejected.exit_code, "already exists" in rejected.stderr) == (2, True)
        assert found(folder) == before
        assert run("export", f"{folder}/{out}", *SOME, *form, "--seed", 3, "--force").exit_code == 0
        assert found(folder) != before


def test_a_folder_with_other_files_is_never_replaced(run: Run, folder: str) -> None:
    put(f"{folder}/out/mine.txt", b"mine")
    result = run("export", f"{folder}/out", *SOME, *FOLDER, "--force")
    assert (result.exit_code, "is a folder that is not a corpus" in result.stderr) == (2, True)
    assert found(folder) == {"out/mine.txt": b"mine"}


def test_other_files_stay_if_a_folder_is_replaced(run: Run, folder: str) -> None:
    for out, form in (("out", ("--format", "pytest")), ("alone", FOLDER)):
        assert run("export", f"{folder}/{out}", *SOME, *form).exit_code == 0
    others = {
        "notes.md": b"mine",
        "conftest.py": b"filled in",
        "expected-failures": b"*\n",
        "offer-pricing-response/valid/notes.md": b"mine too",
    }
    for name, data in others.items():
        put(f"{folder}/out/{name}", data)
    assert run("export", f"{folder}/out", *SOME, *FOLDER, "--force").exit_code == 0
    assert found(f"{folder}/out") == {**found(f"{folder}/alone"), **others}


def test_an_export_of_shards_is_resumed(run: Run, folder: str) -> None:
    run("export", f"{folder}/out.ndjson", *SOME, "--shards", 3)
    whole = found(folder)
    system, key = fsspec.core.url_to_fs(folder)
    system.rm_file(f"{key}/out-00002-of-00003.ndjson")
    summary = json.loads(run("export", f"{folder}/out.ndjson", *SOME, "--shards", 3, "--resume", "--json").stdout)
    assert (summary["kept"], summary["cases"]) == (8, 4)
    assert found(folder) == whole


@pytest.fixture
def interrupt_export(run: Run, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The returned function starts an export to the folder `out` of the bucket, and interrupts the export."""
    from brokerfuzz.corpus.places import remote

    written, writes = remote._RemoteStream.write, iter(range(1000))

    def interrupted(self: Any, data: bytes) -> int:
        if next(writes) == 10:
            raise KeyboardInterrupt
        return written(self, data)

    def leave(*options: str) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(remote._RemoteStream, "write", interrupted)
            assert run("export", f"{bucket}/out", *SOME, *FOLDER, *options).exit_code == 130

    return leave


@pytest.mark.rotated(2)
def test_an_incomplete_folder_has_no_manifest_and_can_be_replaced(
    run: Run, bucket: str, interrupt_export: Callable[..., None]
) -> None:
    interrupt_export()
    assert 0 < len(found(bucket)) < 12
    assert "out/manifest.json" not in found(bucket)
    assert run("export", f"{bucket}/out", *SOME, *FOLDER).exit_code == 2
    assert run("export", f"{bucket}/out", *SOME, *FOLDER, "--force").exit_code == 0
    assert "out/manifest.json" in found(bucket)
    assert "out/.unfinished" not in found(bucket)


@pytest.mark.rotated(2)
def test_other_files_stay_if_an_incomplete_folder_is_replaced(
    run: Run, bucket: str, interrupt_export: Callable[..., None]
) -> None:
    for out in ("out", "alone"):
        assert run("export", f"{bucket}/{out}", *SOME, "--format", "files", "--seed", 3).exit_code == 0
    put(f"{bucket}/out/README.md", b"mine")
    interrupt_export("--force")
    assert run("export", f"{bucket}/out", *SOME, "--format", "files", "--seed", 3, "--force").exit_code == 0
    assert found(f"{bucket}/out") == {**found(f"{bucket}/alone"), "README.md": b"mine"}


def test_a_folder_with_a_damaged_list_of_files_to_keep_is_reported_in_one_line(
    run: Run, bucket: str, interrupt_export: Callable[..., None]
) -> None:
    interrupt_export()
    put(f"{bucket}/out/.unfinished", found(bucket)["out/.unfinished"][:-1])
    before = found(bucket)
    result = run("export", f"{bucket}/out", *SOME, *FOLDER, "--force")
    assert (result.exit_code, len(result.stderr.splitlines()), ".unfinished is damaged" in result.stderr) == (
        2,
        1,
        True,
    )
    assert found(bucket) == before


@pytest.mark.long
def test_a_killed_upload_leaves_no_file(bucket: str, start: Start) -> None:
    many = (*SOME[:3], "--count", "60000")
    with start("export", f"{bucket}/out.ndjson", *many) as process:
        system = fsspec.filesystem("s3", skip_instance_cache=True)
        assert happens(lambda: _uploads(system, bucket))
        process.kill()
    assert process.returncode == -9
    assert found(bucket) == {}


def _uploads(system: Any, bucket: str) -> list[Any]:
    """Returns the uploads in progress."""
    return list(system.call_s3("list_multipart_uploads", Bucket=bucket.removeprefix("s3://")).get("Uploads", []))


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("s3://no-such-bucket/out.ndjson", "cannot be"),
        ("nonsense://a/out.ndjson", "cannot be used"),
        ("gs://a/out.ndjson", "cannot be used"),
        ("http://127.0.0.1:9/out.ndjson", "cannot be"),
    ],
)
@pytest.mark.usefixtures("bucket")
def test_an_unwritable_url_is_reported_in_one_line(run: Run, out: str, words: str) -> None:
    result = run("export", out, *SOME)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


# --------------------------------------------------------------------------------------------------------- read there


@pytest.fixture
def corpus(folder: str, run: Run) -> str:
    """The URL of a compressed corpus of twelve cases."""
    run("export", f"{folder}/a.ndjson.zst", *SOME)
    return f"{folder}/a.ndjson.zst"


@pytest.fixture
def shards(folder: str, run: Run) -> str:
    """The URL of a list of three shards."""
    run("export", f"{folder}/a.ndjson.gz", "--shards", 3, *SOME)
    return f"{folder}/a.shards.json"


def ids(run: Run, *corpora: str) -> list[str]:
    return [case["id"] for case in json.loads(run("corpus", "show", "--cases", "--json", *corpora).stdout)["cases"]]


def changed(url: str, change: Callable[[bytes], bytes]) -> None:
    with place_of(url).opened() as stream:
        before = stream.read()
    with place_of(url).file() as stream:
        stream.write(change(before))


def test_every_command_that_reads_a_corpus_accepts_a_url(corpus: str, run: Run) -> None:
    assert len(list(read(corpus))) == 12
    assert len(ids(run, corpus)) == 12
    assert run("corpus", "verify", corpus).exit_code == 0
    assert run("corpus", "diff", corpus, corpus).exit_code == 0
    assert json.loads(run("coverage", corpus, "--json").stdout)["messages"]
    assert len(run("check", corpus, "--json").stdout.splitlines()) >= 12


def test_a_list_of_shards_at_a_url_is_read_and_verified(shards: str, run: Run) -> None:
    assert len(ids(run, shards)) == 12
    assert run("corpus", "verify", shards).exit_code == 0
    changed(shards.replace("a.shards.json", "a-00002-of-00003.ndjson.gz"), lambda packed: packed + packed)
    verified = run("corpus", "verify", shards)
    assert verified.exit_code != 0
    assert "checksum differs" in verified.output


def test_local_and_remote_corpora_are_merged(corpus: str, run: Run, tmp_path: Path) -> None:
    run("export", tmp_path / "b.ndjson", *SOME, "--seed", 5)
    assert run("corpus", "merge", tmp_path / "c.ndjson", corpus, tmp_path / "b.ndjson").exit_code == 0
    assert len(ids(run, str(tmp_path / "c.ndjson"))) == 24


@pytest.mark.parametrize("command", ["merge", "minimize"])
def test_merge_and_minimize_write_to_a_url_like_export(
    command: str, corpus: str, folder: str, run: Run, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.ndjson.gz", f"{folder}/there.ndjson.gz"
    assert run("corpus", command, here, corpus).exit_code == 0
    assert run("corpus", command, there, corpus).exit_code == 0
    assert found(folder)["there.ndjson.gz"] == here.read_bytes()
    assert "--force" in run("corpus", command, there, corpus).stderr
    assert run("corpus", command, there, corpus, "--force").exit_code == 0


@pytest.mark.parametrize("name", ["../a.ndjson", "/etc/passwd", "b//a.ndjson", "https://example.com/a.ndjson", ".."])
def test_a_list_of_shards_cannot_refer_to_files_elsewhere(shards: str, run: Run, name: str) -> None:
    changed(
        shards,
        lambda said: json.dumps(
            {**json.loads(said), "whole": True, "of": 1, "shards": [{"name": name, "sha256": "0"}]}
        ).encode(),
    )
    rejected = run("corpus", "show", shards)
    assert rejected.exit_code == 2
    assert re.search("is not (a path inside the folder|the name of a file in the same folder)", rejected.output)
    assert len(rejected.output.splitlines()) == 1


def test_an_unreadable_url_is_reported_in_one_line(corpus: str, folder: str, run: Run) -> None:
    run("export", f"{folder}/whole", "--format", "files", *SOME)
    changed(corpus, lambda packed: packed[:-20])
    for url, why in (
        (f"{folder}/none.ndjson", "No such file"),
        (f"{folder}/whole", "copy the folder to this machine first" if not folder.startswith("file") else ""),
        (corpus, "truncated"),
    ):
        rejected = run("corpus", "show", url)
        if why:
            assert rejected.exit_code == 2, url
            assert why in rejected.output
            assert len(rejected.output.splitlines()) == 1, rejected.output
