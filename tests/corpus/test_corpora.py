"""Corpora are read back as they were written, and files of strangers are rejected in one line."""

import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from fixture_types import Run

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.corpus import load, read, write
from brokerfuzz.corpus.bundled_corpus import DATA
from brokerfuzz.corpus.reading import LONGEST_LINE
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType
from brokerfuzz.storage import LARGEST_FILE, complete_file

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Edit = Callable[[Path], object]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for name in MESSAGE_TYPES for case in [*load(name)[::12], *islice(random_cases(name, 2, now=NOW), 50)]]


def facts(case: Case) -> tuple[object, ...]:
    return case.id, case.message_type, case.body, case.verdict, case.faults, case.tags, case.twin_id


@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst", "folder"])
def test_cases_are_read_back_unchanged(tmp_path: Path, cases: list[Case], name: str) -> None:
    summary = write(tmp_path / name, cases, fmt="files" if name == "folder" else "ndjson")
    back = list(read(tmp_path / name))
    assert summary.count == len(back) == sum(summary.by_label.values())
    assert [facts(case) for case in back] == [facts(case) for case in cases]


def test_a_fault_keeps_the_id_of_a_twin_that_was_left_out(tmp_path: Path, cases: list[Case]) -> None:
    write(tmp_path / "corpus.ndjson", (case for case in cases if case.faults))
    assert all(case.twin is None and case.twin_id for case in read(tmp_path / "corpus.ndjson"))


# ------------------------------------------------------------------------------------------------------- wrong records


def one_line_error(*paths: Path) -> str:
    """Fails if `read` accepts the corpus, or if the error has several lines."""
    with pytest.raises(CorpusError) as caught:
        list(read(*paths))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(tmp_path / "corpus.ndjson", load("offer-creation-request", rules=["*orderMinimum:*"]))
    return tmp_path / "corpus.ndjson"


def test_a_truncated_corpus_is_rejected(corpus: Path) -> None:
    whole = corpus.read_bytes()
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        corpus.write_bytes(whole[: int(len(whole) * share)])
        one_line_error(corpus)


def changed(corpus: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """Changes the record of an invalid case, and returns the error."""
    lines = corpus.read_bytes().splitlines()
    number = next(i for i, line in enumerate(lines) if b'"technique":"one-below"' in line)
    text = json.dumps(change(json.loads(lines[number])), separators=(",", ":"))
    corpus.with_name("changed").write_bytes(b"\n".join([*lines[:number], text.encode(), *lines[number + 1 :], b""]))
    error = one_line_error(corpus.with_name("changed"))
    assert f"line {number + 1}" in error
    return error


def test_a_wrong_record_is_rejected(corpus: Path) -> None:
    for change, words in (
        ({"verdict": "valid", "faults": []}, "has the verdict 'valid' instead of 'invalid'"),
        ({"id": "0" * 16}, "was changed"),
        ({"body": {"number": "a", "offerType": "VDM"}}, "does not match its verdict"),
        ({"message": "offer"}, "the case has the message type 'offer', but the contract has only"),
        ({"raw": "e30="}, "exactly one of the properties body, raw and file"),
        ({"file": "e30="}, "exactly one of the properties body, raw and file"),
    ):
        assert words in changed(corpus, lambda record, new=change: {**record, **new})  # type: ignore[misc]
    assert "is not a valid case record" in changed(corpus, lambda record: {"id": record["id"]})


@pytest.mark.parametrize("prop", ["id", "message", "verdict", "faults", "ambiguities", "tags", "twin", "body"])
def test_a_record_with_a_property_of_the_wrong_type_is_rejected(corpus: Path, prop: str) -> None:
    wrong: list[Any] = [5, "a", [5], {"a": 5}, [[]], True, [{"rule": 1, "at": 2, "technique": 3}]]
    for value in wrong:
        changed(corpus, lambda record, value=value: {**record, prop: value})  # type: ignore[misc]


def test_a_file_that_is_not_a_corpus_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert "is empty" in one_line_error(tmp_path / "a")
    for content in (b"\n\n", b"\0" * 4096, b'{"id":"0"}\n', b"[" * 100_000, b"PK\x03\x04", b'{"id":"\xff"}\n'):
        (tmp_path / "a").write_bytes(content)
        assert "line 1: the line is not a valid case record" in one_line_error(tmp_path / "a")
    assert "does not exist" in one_line_error(tmp_path / "none")
    assert "is a folder without manifest.json, so it is not a corpus" in one_line_error(tmp_path)
    assert "cannot be read" in one_line_error(tmp_path / "a\0b")


@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst"])
def test_a_line_of_a_gigabyte_is_rejected_in_bounded_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with complete_file(path, CorpusError) as stream:
        stream.write(b'{"id":"')
        for _ in range(LONGEST_LINE // (1 << 20) + 1):
            stream.write(b"a" * (1 << 20))
    tracemalloc.start()
    assert f"line 1, is longer than {LONGEST_LINE:,} bytes" in one_line_error(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3 * LONGEST_LINE


# --------------------------------------------------------------------------------------------------- hostile folders


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made") / "folder"
    write(made, load("product-list-response")[:20], fmt="files")
    return made


@pytest.fixture
def folder(made_folder: Path, tmp_path: Path) -> Path:
    return copytree(made_folder, tmp_path / "folder")


def first_record_names(name: object) -> Edit:
    def edit(folder: Path) -> None:
        first, *others = (folder / "cases.ndjson").read_bytes().splitlines()
        renamed = json.dumps({**json.loads(first), "file": name}).encode()
        (folder / "cases.ndjson").write_bytes(b"\n".join([renamed, *others]))

    return edit


def in_place_of_first(make: Edit) -> Edit:
    def edit(folder: Path) -> None:
        first, *_ = (folder / "cases.ndjson").read_bytes().splitlines()
        path = folder / str(json.loads(first)["file"])
        path.unlink()
        make(path)

    return edit


CLIMBING = [
    "../secret", "a/../../secret", "/etc/passwd", "C:\\secret", "C:secret", "..\\secret", "a//b", "./a", "", ".", "..",
    "a\0b", "a\nb", "~/x", "con:", "x" * 5000, "a/" * 3000 + "a",
]  # fmt: skip


def test_no_name_leads_outside_a_folder(folder: Path) -> None:
    (folder.parent / "secret").write_text("secret")
    for name in CLIMBING:
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


def manifest(text: str) -> Edit:
    return lambda folder: (folder / "manifest.json").write_text(text)


HARM: dict[str, tuple[Edit, str]] = {
    "a link to a place outside": (in_place_of_first(lambda path: path.symlink_to("/etc/hosts")), "is not a file inside the folder"),
    "a link to itself": (in_place_of_first(lambda path: path.symlink_to(path)), "is not a file inside"),
    "a pipe": (in_place_of_first(os.mkfifo), "is not a file inside"),
    "a folder": (in_place_of_first(lambda path: path.mkdir()), "is not a file inside"),
    "nothing": (in_place_of_first(lambda path: None), "is not a file inside the folder"),
    "another message": (in_place_of_first(lambda path: path.write_bytes(b"{}")), "has the id "),
    "a huge message": (in_place_of_first(swell), f"larger than {LONGEST_LINE:,} bytes"),
    "a folder that is a link to a place outside": (link_a_folder_out, "is not a file inside the folder"),
    "a number for a name": (first_record_names(5), "/file: 5 is not of type"),
    "no list of cases": (lambda folder: (folder / "cases.ndjson").unlink(), "is not a file inside the folder"),
    "a pipe for the list": (make_the_list_a_pipe, "is not a file inside"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "is a folder without manifest.json, so it is not a corpus"),
    "a manifest that is not JSON": (manifest("{"), "is not the manifest"),
    "a manifest that is not an object": (manifest("[]"), "it is not a JSON object"),
    "a deep manifest": (manifest("[" * 10**6), "is not the manifest"),
    "a huge manifest": (lambda folder: swell(folder / "manifest.json"), f"larger than {LARGEST_FILE:,} bytes"),
    "another format": (
        lambda folder: manifest((folder / "manifest.json").read_text().replace('"files",', '"wiremock",', 1))(folder),
        "which brokerfuzz cannot read",
    ),
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and symbolic links")
@pytest.mark.parametrize("harm", HARM)
def test_a_hostile_folder_is_rejected_with_one_line(folder: Path, harm: str) -> None:
    edit, words = HARM[harm]
    edit(folder)
    assert words in one_line_error(folder)


# ---------------------------------------------------------------------------------------------- the committed corpus


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_committed_corpus_is_what_export_writes_today(run: Run, tmp_path: Path, message_type: MessageType) -> None:
    run("export", tmp_path / "new.ndjson", "--message", message_type)
    name = f"{message_type}.ndjson"
    same = (tmp_path / "new.ndjson").read_bytes() == (DATA / name).read_bytes()
    assert same, "it is out of date: regenerate it with `python -m tests.regenerate`"


def test_the_committed_corpus_is_small_enough_for_a_repository() -> None:
    lines = [line for path in DATA.iterdir() for line in path.read_bytes().splitlines(keepends=True)]
    assert sum(map(len, lines)) < 2_500_000
    assert max(map(len, lines)) < 64 * 1024
