import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixture_types import Run

from brokerfuzz.corpus import read

pytest.importorskip("upath", reason="universal_pathlib is not installed")
fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install fsspec")


SOME = ("--message", "offer-pricing-response", "--random", "12")
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


@pytest.mark.parametrize("out", ["out.ndjson", "out.ndjson.gz", "out"])
def test_an_export_to_a_url_has_the_same_bytes_as_a_local_one(run: Run, folder: str, tmp_path: Path, out: str) -> None:
    form = FOLDER if out == "out" else ()
    here = tmp_path / "here"
    here.mkdir()
    assert run("export", here / out, *SOME, *form).exit_code == 0
    alone = {path.relative_to(here).as_posix(): path.read_bytes() for path in here.rglob("*") if path.is_file()}
    shutil.rmtree(here)
    assert run("export", f"{folder}/{out}", *SOME, *form).exit_code == 0
    assert found(folder) == alone
    assert len(ids(run, f"{folder}/{out}")) == 12


def test_existing_files_and_folders_are_replaced_only_with_force(run: Run, folder: str) -> None:
    for form, out in (((), "out.ndjson"), (FOLDER, "out")):
        run("export", f"{folder}/{out}", *SOME, *form)
        before = found(folder)
        rejected = run("export", f"{folder}/{out}", *SOME, *form, "--seed", 3)
        assert (rejected.exit_code, "already exists" in rejected.stderr) == (2, True)
        assert found(folder) == before
        assert run("export", f"{folder}/{out}", *SOME, *form, "--seed", 3, "--force").exit_code == 0
        assert found(folder) != before


@pytest.mark.parametrize(
    ("out", "words"), [("gs://a/out.ndjson", "cannot be used"), ("http://127.0.0.1:9/out.ndjson", "cannot be")]
)
def test_an_unwritable_url_is_reported_in_one_line(run: Run, out: str, words: str) -> None:
    result = run("export", out, *SOME)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert words in result.stderr


# --------------------------------------------------------------------------------------------------------- read there


@pytest.fixture
def corpus(folder: str, run: Run) -> str:
    """The URL of a compressed corpus of twelve cases."""
    run("export", f"{folder}/a.ndjson.zst", *SOME)
    return f"{folder}/a.ndjson.zst"


def ids(run: Run, *corpora: str) -> list[str]:
    return [case["id"] for case in json.loads(run("corpus", "show", "--cases", "--json", *corpora).stdout)["cases"]]


def test_every_command_that_reads_a_corpus_accepts_a_url(corpus: str, run: Run) -> None:
    assert len(list(read(corpus))) == 12
    assert len(ids(run, corpus)) == 12
    assert run("corpus", "verify", corpus).exit_code == 0
    assert run("corpus", "diff", corpus, corpus).exit_code == 0
    assert json.loads(run("coverage", corpus, "--json").stdout)["messages"]
    assert len(run("check", corpus, "--json").stdout.splitlines()) >= 12


def test_an_unreadable_url_is_reported_in_one_line(corpus: str, folder: str, run: Run) -> None:
    put(f"{folder}/cut.ndjson.zst", found(folder)["a.ndjson.zst"][:-20])
    for url, why in ((f"{folder}/none.ndjson", "does not exist"), (f"{folder}/cut.ndjson.zst", "damaged or truncated")):
        rejected = run("corpus", "show", url)
        assert (rejected.exit_code, len(rejected.output.splitlines())) == (2, 1), rejected.output
        assert why in rejected.output
