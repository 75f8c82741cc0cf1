import json
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.corpus import load, read, write
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for name in MESSAGE_TYPES for case in [*load(name)[::3], *islice(random_cases(name, 2, now=NOW), 100)]]


def facts(case: Case) -> tuple[object, ...]:
    return case.id, case.message_type, case.body, case.verdict, case.faults, case.tags, case.twin_id, case.headers


@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst"])
def test_cases_are_read_back_unchanged(tmp_path: Path, cases: list[Case], name: str) -> None:
    summary = write(tmp_path / name, cases)
    back = list(read(tmp_path / name))
    assert summary.count == len(back) == sum(summary.by_label.values())
    assert [facts(case) for case in back] == [facts(case) for case in cases]


def test_a_fault_keeps_the_id_of_a_twin_that_was_left_out(tmp_path: Path, cases: list[Case]) -> None:
    write(tmp_path / "corpus.ndjson", (case for case in cases if case.faults))
    kept = list(read(tmp_path / "corpus.ndjson"))
    assert kept
    assert all(case.twin is None and case.twin_id for case in kept)


# --------------------------------------------------------------------------------------------------- atomic writing


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(tmp_path / "corpus.ndjson", load("offer-creation-request", rules=["*orderMinimum:*"]))
    return tmp_path / "corpus.ndjson"


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_corpus_is_rejected(corpus: Path, share: float) -> None:
    whole = corpus.read_bytes()
    corpus.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(CorpusError):
        list(read(corpus))


def test_a_failing_generator_leaves_no_file(tmp_path: Path) -> None:
    def failing() -> "object":
        yield from load("offer-creation-request")[:10]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "corpus.ndjson", failing())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record | {"verdict": "valid", "faults": []}, "has the verdict 'valid' instead of 'invalid'"),
        (lambda record: record | {"id": "0" * 16}, "was changed"),
        (lambda record: record | {"body": {"number": "a", "offerType": "VDM"}}, "does not match its verdict"),
        (
            lambda record: record | {"message": "offer"},
            "the case has the message type 'offer', but the contract has only",
        ),
        (lambda record: {"id": record["id"]}, "is not a valid case record"),
    ],
)
def test_a_wrong_record_is_rejected(corpus: Path, change: object, words: str) -> None:
    lines = corpus.read_bytes().splitlines()
    number = next(i for i, line in enumerate(lines) if b'"technique":"one-below"' in line)
    lines[number] = json.dumps(change(json.loads(lines[number]))).encode()  # type: ignore[operator]
    corpus.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(CorpusError, match=f"line {number + 1}.*{words}"):
        list(read(corpus))
