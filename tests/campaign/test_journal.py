"""The journal: nothing that was answered is lost, and nothing that is lost hurts."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hand_made_servers import Service, conforming
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign import Campaign, Journal, Options, Recalled, Result, run
from brokerfuzz.campaign.journal import Answered, Key, decode, encode, head_of, lines, records
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.errors import JournalError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import ANSWER_KINDS, Answer

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CASE = Case.judged(OFFER, b'{"number":"0","offerType":"Email"}', now=NOW)
ANSWER = Answer("accepted", 201, b"taken", "status 201", 0.001)
HEAD: dict[str, Any] = {"about": "a test"}
NAMES = ["run.ndjson", "run.ndjson.gz"]

answers = st.builds(
    Answer,
    st.sampled_from(ANSWER_KINDS),
    st.none() | st.integers(100, 599),
    st.binary(max_size=100),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from([0.0, 0.25, 1.5]),
    st.booleans(),
)


def written(path: Path, count: int) -> Path:
    journal = Journal.begun(path, HEAD)
    for number in range(count):
        journal.record(Key("case", number), CASE, CASE.body, CASE.body, ANSWER, number / 10)
    journal.close()
    return path


@given(
    st.builds(Key, st.sampled_from(["case", "twin", "shrink crashed"]), st.integers(0, 1 << 40), st.integers(0, 500)),
    st.binary(max_size=200) | st.sampled_from([CASE.body, b'{"a":1e400}', b'{"a":1, "a":2}']),
    answers,
    st.lists(st.tuples(st.sampled_from(["accept", "content-type"]), st.none() | st.just("text/plain"))).map(tuple),
)
def test_a_line_holds_all_of_a_request_and_its_answer(key: Key, body: bytes, answer: Answer, headers: Headers) -> None:
    line = encode(key, replace(CASE, headers=headers), body, body, answer, 1.25)
    assert b"\n" not in line
    record = decode(line)
    assert (record.key, record.body, record.answer, record.headers, record.at) == (key, body, answer, headers, 1.25)


@pytest.mark.parametrize("name", NAMES)
def test_a_journal_is_read_back(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, 5)
    assert head_of(path)["about"] == "a test"
    assert [record.key.number for record in records(path)] == list(range(5))
    assert all(record.case_id == CASE.id for record in records(path))


def test_a_packed_journal_is_gzip_and_smaller(tmp_path: Path) -> None:
    plain, packed = (written(tmp_path / name, 200) for name in NAMES)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert packed.stat().st_size < plain.stat().st_size / 3


@pytest.mark.parametrize("name", NAMES)
def test_wherever_a_journal_was_torn_all_whole_lines_are_known_and_it_is_gone_on_with(tmp_path: Path, name: str) -> None:
    whole = written(tmp_path / name, 6).read_bytes()
    for cut in range(len(whole) // 2, len(whole), 7):
        path = tmp_path / f"{cut}-{name}"
        path.write_bytes(whole[:cut])
        known = [record.key.number for record in records(path)]
        assert known == list(range(len(known)))
        going_on = Journal.continued(path)
        going_on.record(Key("case", 99), CASE, CASE.body, CASE.body, ANSWER, 3.0)
        going_on.close()
        assert [record.key.number for record in records(path)] == [*known, 99]


@pytest.mark.parametrize("name", NAMES)
def test_each_line_is_on_its_way_before_the_next_request(tmp_path: Path, name: str) -> None:
    """What a process that is killed now has answered is in the file."""
    journal = Journal.begun(tmp_path / name, HEAD)
    for number in range(3):
        journal.record(Key("case", number), CASE, CASE.body, CASE.body, ANSWER, 0.0)
        assert [record.key.number for record in records(tmp_path / name)] == list(range(number + 1))
    journal.close()


def test_a_journal_that_is_there_is_not_begun_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "run.ndjson", 1)
    with pytest.raises(JournalError, match=r"is there already: go on with it by --resume"):
        Journal.begun(path, HEAD)


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"journal":7}\n', b"no json\n", b"\x1f\x8b\x00"])
def test_what_is_no_journal_is_rejected_in_one_line(tmp_path: Path, content: bytes) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(JournalError) as raised:
            head_of(tmp_path / name)
        assert "\n" not in str(raised.value)
    with pytest.raises(JournalError, match="cannot be read"):
        head_of(tmp_path / "none.ndjson")


def test_a_line_without_end_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerfuzz.campaign.journal.reading.LONGEST_LINE", 1000)
    (tmp_path / "long.ndjson").write_bytes(b"x" * 3_000_000)
    with pytest.raises(JournalError, match="a line of more than 1,000 bytes"):
        list(lines(tmp_path / "long.ndjson"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_disk_is_said_and_what_was_written_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    path.symlink_to("/dev/full")
    journal = Journal.joined(path)
    with pytest.raises(JournalError, match=r"cannot be written \(No space left on device\): make room"):
        journal.record(Key("case", 0), CASE, CASE.body, CASE.body, ANSWER, 0.0)


def test_a_full_disk_ends_a_campaign_with_what_was_found(tmp_path: Path) -> None:
    class Filling(Journal):
        def add(self, line: bytes) -> None:
            if self.path.stat().st_size > 150_000:
                raise JournalError("the journal cannot be written (No space left on device): make room")
            super().add(line)

    target = Service(lambda _: 201)
    journal = Filling.begun(tmp_path / "run.ndjson", HEAD)
    result = run(Campaign(enumerate(catalogue(OFFER, now=NOW)), target, Options(now=NOW, shrink_requests=5), journal=journal))
    journal.close()
    assert result.failed
    assert "No space left" in str(result.stopped)
    assert result.findings
    assert len(list(records(tmp_path / "run.ndjson"))) >= result.cases > 5


# ---------------------------------------------------------------------------------------------------- going on


class Counting(Service):
    """A conforming service that notes what it was sent."""

    def __init__(self) -> None:
        super().__init__(lambda body: 201 if b'"orderMinimum":0' in body else conforming(body))


def some(count: int) -> Callable[[], Iterator[tuple[int, Case]]]:
    return lambda: (pair for pair, _ in zip(enumerate(catalogue(OFFER, now=NOW)), range(count), strict=False))


def told(result: Result) -> list[Any]:
    return [
        result.counts,
        [(finding.sentence(), finding.body, finding.count, finding.case.id, finding.places) for finding in result.findings],
        [(observed.ambiguity.id, observed.counts) for observed in result.ambiguities],
        result.rules,
    ]


OPTIONS = Options(now=NOW, concurrency=4)


@pytest.mark.parametrize("name", NAMES)
def test_a_campaign_that_is_gone_on_with_sends_nothing_again_and_finds_the_same(tmp_path: Path, name: str) -> None:
    cases, path = some(400), tmp_path / name
    whole = run(Campaign(cases(), Counting(), OPTIONS, journal=(journal := Journal.begun(path, HEAD))))
    journal.close()
    all_lines = list(lines(path))
    for share in (0.1, 0.5, 0.9, 1.0):
        torn = tmp_path / f"{share}-{name}"
        kept = b"\n".join(all_lines[: 1 + int(share * (len(all_lines) - 1))]) + b"\n"
        torn.write_bytes(gzip.compress(kept) if name.endswith(".gz") else kept)
        answered = [record.body for record in records(torn)]
        target = Counting()
        recalled, journal = Recalled(torn), Journal.continued(torn)
        resumed = run(Campaign(cases(), target, OPTIONS, journal=journal, recalled=recalled))
        recalled.close()
        journal.close()
        assert told(resumed) == told(whole)
        assert len(target.bodies) + len(answered) == whole.requests
        assert sorted(target.bodies + answered) == sorted(record.body for record in records(torn))


def test_a_journal_of_another_campaign_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path / "run.ndjson", 5)
    with closing(Recalled(path)) as recalled:
        result = run(Campaign(some(5)(), Counting(), OPTIONS, recalled=recalled))
    assert result.failed
    assert "is of another campaign" in str(result.stopped)


def test_what_was_answered_is_known_without_a_file_too() -> None:
    key = Key("case", 1)
    recalled = Answered("a test", {})
    assert key not in recalled
    assert recalled.get(key, b"") is None


def test_what_a_journal_knows_is_told_without_a_request(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    whole = run(Campaign(some(200)(), Counting(), OPTIONS, journal=(journal := Journal.begun(path, HEAD))))
    journal.close()
    target = Counting()
    with closing(Recalled(path)) as recalled:
        known = run(Campaign(some(300)(), target, OPTIONS, recalled=recalled, sends=False))
    assert told(known) == told(whole)
    assert target.bodies == []
