"""Corpora: whole or not there, and what comes back is what went in."""

import json
from base64 import b64decode
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_decoder import random_cases
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.corpus import read, write
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def some_cases() -> list[Case]:
    return [
        case
        for message_type in MESSAGE_TYPES
        for case in [*catalogue(message_type, now=NOW), *islice(random_cases(message_type, 2, now=NOW), 300)]
        if len(case.body) < 20_000
    ]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return some_cases()


def facts(case: Case) -> tuple[object, ...]:
    return case.id, case.message_type, case.body, case.verdict, case.faults, case.tags, case.twin_id, case.headers


def test_cases_come_back_as_they_went_in(tmp_path: Path, cases: list[Case]) -> None:
    summary = write(tmp_path / "corpus.ndjson", cases)
    back = list(read(tmp_path / "corpus.ndjson"))
    assert summary.count == len(back) == sum(summary.by_label.values())
    assert [facts(case) for case in back] == [facts(case) for case in cases]


def test_twins_come_back_as_cases(tmp_path: Path) -> None:
    write(tmp_path / "corpus.ndjson", catalogue("product-list-response", now=NOW))
    faults = [case for case in read(tmp_path / "corpus.ndjson") if case.faults]
    assert faults
    assert all(case.twin is not None and case.twin.label == "valid" for case in faults)


def test_a_line_is_one_record_whose_bytes_any_language_gets_back(tmp_path: Path, cases: list[Case]) -> None:
    write(tmp_path / "corpus.ndjson", cases)
    lines = (tmp_path / "corpus.ndjson").read_bytes().splitlines()
    for line, case in zip(lines, cases, strict=True):
        record = json.loads(line)
        assert set(record) - {"body", "raw", "last", "headers"} == {"id", "message", "verdict", "faults", "ambiguities", "tags", "twin"}
        assert ("body" in record) != ("raw" in record)
        assert tuple(tuple(header) for header in record.get("headers", ())) == case.headers
        assert case.body in line if "body" in record else b64decode(record["raw"]) == case.body


def test_headers_are_named_only_where_there_are_any(tmp_path: Path, cases: list[Case]) -> None:
    write(tmp_path / "corpus.ndjson", cases)
    named = [json.loads(line)["id"] for line in (tmp_path / "corpus.ndjson").read_bytes().splitlines() if b'"headers":[[' in line]
    assert named == [case.id for case in cases if case.headers]
    assert named


@pytest.mark.parametrize("headers", [[["Content-Type", "application/json"]], [["Content-Length", "5"]], [["a\nb", "c"]], 5, [["a"]]])
def test_headers_that_are_not_what_the_record_says_are_rejected(tmp_path: Path, cases: list[Case], headers: object) -> None:
    corpus = tmp_path / "corpus.ndjson"
    write(corpus, [case for case in cases if case.headers][:1])
    corpus.write_text(json.dumps(json.loads(corpus.read_text()) | {"headers": headers}))
    with pytest.raises(CorpusError, match="line 1"):
        list(read(corpus))


def test_the_same_cases_give_the_same_bytes(tmp_path: Path, cases: list[Case]) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, cases)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_left_out_twin_is_still_named(tmp_path: Path, message_type: MessageType) -> None:
    write(tmp_path / "corpus.ndjson", catalogue(message_type, verdicts=["invalid"], now=NOW))
    kept = list(read(tmp_path / "corpus.ndjson"))
    assert kept
    assert all(case.twin is None and case.twin_id for case in kept)


def test_faults_of_the_clock_keep_their_time(tmp_path: Path) -> None:
    write(tmp_path / "corpus.ndjson", catalogue("offer-creation-request", verdicts=["invalid"], now=datetime(2001, 6, 1, tzinfo=UTC)))
    clocked = [case for case in read(tmp_path / "corpus.ndjson") if case.faults[0].rule.endswith("not-in-future")]
    assert clocked
    assert {check(case.message_type, case.body).label for case in clocked} >= {"valid"}, "past by now, and still what they were then"


# ----------------------------------------------------------------------------------------------- whole or not there


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(tmp_path / "corpus.ndjson", islice(catalogue("offer-creation-request", now=NOW), 120))
    return tmp_path / "corpus.ndjson"


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_corpus_that_was_cut_off_is_not_taken_for_a_whole_one(corpus: Path, share: float) -> None:
    whole = corpus.read_bytes()
    corpus.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(CorpusError):
        list(read(corpus))


@pytest.mark.parametrize("kept", range(0, 40, 7))
def test_nor_is_one_that_was_cut_between_lines(corpus: Path, kept: int) -> None:
    corpus.write_bytes(b"".join(corpus.read_bytes().splitlines(keepends=True)[:kept]))
    with pytest.raises(CorpusError, match="was cut off"):
        list(read(corpus))


def test_a_generator_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def failing() -> "object":
        yield from islice(catalogue("offer-creation-request", now=NOW), 10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "corpus.ndjson", failing())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_an_old_corpus_stays_where_a_new_one_fails(corpus: Path) -> None:
    before = corpus.read_bytes()
    with pytest.raises(CorpusError, match="no case is left"):
        write(corpus, [])
    assert corpus.read_bytes() == before
    assert list(corpus.parent.iterdir()) == [corpus]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record | {"verdict": "valid", "faults": []}, "'valid' is its verdict, and that is 'invalid'"),
        (lambda record: record | {"id": "0" * 16}, "was changed"),
        (lambda record: record | {"body": {"number": "a", "offerType": "VDM"}}, "is not what its record says"),
        (lambda record: record | {"message": "offer"}, "no message type is called 'offer'"),
        (lambda record: {"id": record["id"]}, "is no record of a case"),
    ],
)
def test_a_record_that_says_what_is_not_so_is_rejected(corpus: Path, change: object, words: str) -> None:
    lines = corpus.read_bytes().splitlines()
    number = next(i for i, line in enumerate(lines) if b'"technique":"null-instead"' in line)
    lines[number] = json.dumps(change(json.loads(lines[number]))).encode()  # type: ignore[operator]
    corpus.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(CorpusError, match=f"line {number + 1}.*{words}"):
        list(read(corpus))


def test_what_cannot_be_read_or_written_is_said_in_one_line(tmp_path: Path, corpus: Path) -> None:
    for path, words in ((tmp_path / "none", "cannot be read: No such file"), (tmp_path, "cannot be read: Is a directory")):
        with pytest.raises(CorpusError, match=words) as caught:
            list(read(path))
        assert "\n" not in str(caught.value)
    some = list(read(corpus))
    for path, words in ((tmp_path / "no" / "such", "cannot be written: there is no folder"), (tmp_path, "is a folder")):
        with pytest.raises(CorpusError, match=words):
            write(path, some)


def test_reading_a_corpus_needs_no_hypothesis() -> None:
    import subprocess
    import sys

    code = "import sys, brokerfuzz.corpus; assert 'hypothesis' not in sys.modules, 'hypothesis was imported'"
    subprocess.run([sys.executable, "-c", code], check=True)
