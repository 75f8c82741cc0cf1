import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus import load, read, write
from brokerfuzz.corpus.reading import LONGEST_LINE
from brokerfuzz.errors import CorpusError
from brokerfuzz.storage import LARGEST_FILE, written

Edit = Callable[[Path], object]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return load("product-list-response")[:60]


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory, cases: list[Case]) -> Path:
    write(tmp_path_factory.mktemp("made") / "folder", cases, fmt="files")
    return tmp_path_factory.getbasetemp() / "made0" / "folder"


@pytest.fixture
def folder(made_folder: Path, tmp_path: Path) -> Path:
    return copytree(made_folder, tmp_path / "folder")


# ----------------------------------------------------------------------------------------------------- hostile files


def one_line_error(*paths: Path) -> str:
    """Fails if `read` accepts the corpus, or if the error has several lines."""
    with pytest.raises(CorpusError) as caught:
        list(read(*paths))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst"])
def test_a_line_of_a_gigabyte_is_rejected_in_bounded_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with written(path) as stream:
        stream.write(b'{"id":"')
        for _ in range(LONGEST_LINE // (1 << 20) + 1):
            stream.write(b"a" * (1 << 20))
    tracemalloc.start()
    assert f"line 1, is longer than {LONGEST_LINE:,} bytes" in one_line_error(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3 * LONGEST_LINE


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "line 1: the line is not a valid case record"),
        (b"\0" * 4096, "line 1: the line is not a valid case record"),
        (b'{"id":"0"}\n', "line 1: the line is not a valid case record"),
        (b"[" * 100_000, "line 1: the line is not a valid case record"),
        (b"PK\x03\x04", "line 1: the line is not a valid case record"),
        (b'{"id":"\xff"}\n', "line 1: the line is not a valid case record"),
    ],
)
def test_a_file_that_is_not_a_corpus_is_rejected(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a").write_bytes(content)
    assert words in one_line_error(tmp_path / "a")


@pytest.fixture
def record(tmp_path: Path, cases: list[Case]) -> dict[str, Any]:
    """Returns the record of a valid case."""
    write(tmp_path / "a", [next(case for case in cases if case.label == "valid")])
    read_back: dict[str, Any] = json.loads((tmp_path / "a").read_bytes())
    return read_back


def error_for(tmp_path: Path, record: dict[str, Any]) -> str:
    (tmp_path / "a").write_text(json.dumps(record, separators=(",", ":")))
    return one_line_error(tmp_path / "a")


@pytest.mark.parametrize(
    "prop", ["id", "message", "verdict", "faults", "ambiguities", "tags", "twin", "headers", "body"]
)
def test_a_record_with_a_property_of_the_wrong_type_is_rejected(
    tmp_path: Path, record: dict[str, Any], prop: str
) -> None:
    wrong: list[Any] = [5, "a", [5], {"a": 5}, [[]], True, [{"rule": 1, "at": 2, "technique": 3}]]
    for value in wrong:
        assert "line 1: " in error_for(tmp_path, {**record, prop: value}), value


@pytest.mark.parametrize("carrier", ["raw", "file"])
def test_a_record_with_two_messages_is_rejected(tmp_path: Path, record: dict[str, Any], carrier: str) -> None:
    assert "exactly one of the properties body, raw and file" in error_for(tmp_path, {**record, carrier: "e30="})


def test_an_unreadable_file_is_rejected(tmp_path: Path) -> None:
    assert "No such file" in one_line_error(tmp_path / "none")
    assert "is a folder without manifest.json, so it is not a corpus" in one_line_error(tmp_path)
    assert "cannot be read" in one_line_error(tmp_path / "a\0b")


# --------------------------------------------------------------------------------------------------- hostile folders


def first_record_names(name: object) -> Edit:
    def edit(folder: Path) -> None:
        first, *others = (folder / "cases.ndjson").read_bytes().splitlines()
        (folder / "cases.ndjson").write_bytes(
            b"\n".join([json.dumps({**json.loads(first), "file": name}).encode(), *others])
        )

    return edit


def first_file(folder: Path) -> Path:
    with (folder / "cases.ndjson").open("rb") as stream:
        return folder / str(json.loads(stream.readline())["file"])


def in_place_of_first(make: Edit) -> Edit:
    def edit(folder: Path) -> None:
        path = first_file(folder)
        path.unlink()
        make(path)

    return edit


def outside(folder: Path) -> Path:
    (folder.parent / "secret").write_text("secret")
    return folder.parent / "secret"


CLIMBING = ["../secret", "a/../../secret", "/etc/passwd", "C:\\secret", "C:secret", "..\\secret", "a//b", "./a", "",
".", "..", "a\0b", "a\nb", "~/x",
            "con:", "x" * 5000]  # fmt: skip


@pytest.mark.parametrize("name", CLIMBING)
def test_no_name_leads_outside_a_folder(folder: Path, name: str) -> None:
    outside(folder)
    first_record_names(name)(folder)
    assert " is not a file inside the folder" in one_line_error(folder)


def swell(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 30)


def link_a_folder_out(folder: Path) -> None:
    (folder / "x").symlink_to("/etc")
    first_record_names("x/hosts")(folder)


def make_the_list_a_pipe(folder: Path) -> None:
    (folder / "cases.ndjson").unlink()
    os.mkfifo(folder / "cases.ndjson")


HARM: dict[str, tuple[Edit, str]] = {
    "a link to a place outside": (
        in_place_of_first(lambda path: path.symlink_to("/etc/hosts")),
        "is not a file inside the folder",
    ),
    "a link to itself": (in_place_of_first(lambda path: path.symlink_to(path)), "is not a file inside"),
    "a pipe": (in_place_of_first(os.mkfifo), "is not a file inside"),
    "a folder": (in_place_of_first(lambda path: path.mkdir()), "is not a file inside"),
    "nothing": (in_place_of_first(lambda path: None), "is not a file inside the folder"),
    "another message": (in_place_of_first(lambda path: path.write_bytes(b"{}")), "has the id "),
    "a huge message": (in_place_of_first(swell), f"larger than {LONGEST_LINE:,} bytes"),
    "a folder that is a link to a place outside": (link_a_folder_out, "is not a file inside the folder"),
    "a path that is too long": (first_record_names("a/" * 3000 + "a"), "is not a file inside"),
    "a number for a name": (first_record_names(5), "/file: 5 is not of type"),
    "no list of cases": (lambda folder: (folder / "cases.ndjson").unlink(), "is not a file inside the folder"),
    "a pipe for the list": (make_the_list_a_pipe, "is not a file inside"),
    "no manifest": (
        lambda folder: (folder / "manifest.json").unlink(),
        "is a folder without manifest.json, so it is not a corpus",
    ),
    "a manifest that is not JSON": (lambda folder: (folder / "manifest.json").write_text("{"), "is not the manifest"),
    "a manifest that is not an object": (
        lambda folder: (folder / "manifest.json").write_text("[]"),
        "it is not a JSON object",
    ),
    "a deep manifest": (lambda folder: (folder / "manifest.json").write_text("[" * 10**6), "is not the manifest"),
    "a huge manifest": (lambda folder: swell(folder / "manifest.json"), f"larger than {LARGEST_FILE:,} bytes"),
    "another format": (
        lambda folder: (folder / "manifest.json").write_text(
            (folder / "manifest.json").read_text().replace('"files",', '"wiremock",', 1)
        ),
        "which brokerfuzz cannot read",
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and symbolic links")
@pytest.mark.parametrize("harm", HARM)
def test_a_hostile_folder_is_rejected_with_one_line(folder: Path, harm: str) -> None:
    edit, words = HARM[harm]
    edit(folder)
    assert words in one_line_error(folder)
