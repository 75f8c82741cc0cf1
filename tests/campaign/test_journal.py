from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hand_made_servers import OFFER, Service, conforming
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign import Campaign, Journal, Options, Recalled, Result, run
from brokerfuzz.campaign.journal import Key, decode, encode, head_of, lines, records
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.errors import JournalError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import ANSWER_KINDS, Answer

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CASE = Case.judged(OFFER, b'{"number":"0","offerType":"Email"}', now=NOW)
ANSWER = Answer("accepted", 201, b"created", "status 201", 0.001)
HEAD: dict[str, Any] = {"about": "a test"}
NAME = "run.ndjson"

answers = st.builds(
    Answer,
    st.sampled_from(ANSWER_KINDS),
    st.none() | st.integers(100, 599),
    st.binary(max_size=100),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from([0.0, 0.25, 1.5]),
    st.booleans(),
    location=st.none(),  # a journal contains neither this nor the headers
    headers=st.just(()),
    pause=st.none(),
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
def test_a_line_holds_a_complete_request_and_its_answer(
    key: Key, body: bytes, answer: Answer, headers: Headers
) -> None:
    line = encode(key, replace(CASE, headers=headers), body, body, answer, 1.25)
    assert b"\n" not in line
    record = decode(line)
    assert (record.key, record.body, record.answer, record.headers, record.at) == (key, body, answer, headers, 1.25)
    with pytest.raises(ValueError, match="a property is missing or unknown"):
        decode(line[:-1] + b',"note":"a"}')


def test_a_journal_can_be_read(tmp_path: Path) -> None:
    path = written(tmp_path / NAME, 5)
    assert head_of(path)["about"] == "a test"
    assert [record.key.number for record in records(path)] == list(range(5))
    assert all(record.case_id == CASE.id for record in records(path))


def test_a_journal_cut_at_any_byte_keeps_its_complete_lines_and_can_be_continued(tmp_path: Path) -> None:
    complete = written(tmp_path / NAME, 6).read_bytes()
    for cut in range(len(complete) // 2, len(complete), 7):
        path = tmp_path / f"{cut}-{NAME}"
        path.write_bytes(complete[:cut])
        known = [record.key.number for record in records(path)]
        assert known == list(range(len(known)))
        journal = Journal.continued(path)
        journal.record(Key("case", 99), CASE, CASE.body, CASE.body, ANSWER, 3.0)
        journal.close()
        assert [record.key.number for record in records(path)] == [*known, 99]


def test_each_line_is_written_before_the_next_request(tmp_path: Path) -> None:
    journal = Journal.begun(tmp_path / NAME, HEAD)
    for number in range(3):
        journal.record(Key("case", number), CASE, CASE.body, CASE.body, ANSWER, 0.0)
        assert [record.key.number for record in records(tmp_path / NAME)] == list(range(number + 1))
    journal.close()


def test_an_existing_journal_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path / "run.ndjson", 1)
    with pytest.raises(JournalError, match=r"already exists: continue its campaign with --resume"):
        Journal.begun(path, HEAD)


def test_only_one_campaign_at_a_time_writes_a_journal(tmp_path: Path) -> None:
    path = written(tmp_path / NAME, 3)
    with closing(Journal.continued(path)), pytest.raises(JournalError, match="is in use by another campaign"):
        Journal.continued(path)
    before = path.read_bytes()
    Journal.continued(path).close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"journal":7}\n', b"no json\n", b"\x1f\x8b\x00"])
def test_an_invalid_journal_is_rejected_with_a_one_line_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(JournalError) as raised:
        head_of(tmp_path / NAME)
    assert "\n" not in str(raised.value)
    with pytest.raises(JournalError, match="cannot be read"):
        head_of(tmp_path / "none.ndjson")


def test_an_endless_line_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerfuzz.campaign.journal.reading.LONGEST_LINE", 1000)
    (tmp_path / "long.ndjson").write_bytes(b"x" * 3_000_000)
    with pytest.raises(JournalError, match="a line has more than 1,000 bytes"):
        list(lines(tmp_path / "long.ndjson"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    path.symlink_to("/dev/full")
    journal = Journal.joined(path)
    with pytest.raises(JournalError, match=r"cannot be written \(No space left on device\): free some disk space"):
        journal.record(Key("case", 0), CASE, CASE.body, CASE.body, ANSWER, 0.0)


def test_a_full_disk_ends_a_campaign_and_keeps_its_findings(tmp_path: Path) -> None:
    class Filling(Journal):
        def add(self, line: bytes) -> None:
            if self.path.stat().st_size > 150_000:
                raise JournalError("the journal cannot be written (No space left on device): free some disk space")
            super().add(line)

    target = Service(lambda _: 201)
    journal = Filling.begun(tmp_path / "run.ndjson", HEAD)
    result = run(
        Campaign(enumerate(catalogue(OFFER, now=NOW)), target, Options(now=NOW, shrink_requests=5), journal=journal)
    )
    journal.close()
    assert result.stop is not None
    assert result.stop.cause == "journal"
    assert result.outcome.state != "complete"
    assert "No space left" in str(result.stopped)
    assert result.findings
    assert len(list(records(tmp_path / "run.ndjson"))) >= result.cases > 5


# ---------------------------------------------------------------------------------------------------- resuming


class Counting(Service):
    """Accepts an order minimum of 0, although the contract forbids it."""

    def __init__(self) -> None:
        super().__init__(lambda body: 201 if b'"orderMinimum":0' in body else conforming(body))


def some(count: int) -> Callable[[], Iterator[tuple[int, Case]]]:
    return lambda: (pair for pair, _ in zip(enumerate(catalogue(OFFER, now=NOW)), range(count), strict=False))


def outcome(result: Result) -> list[Any]:
    return [
        result.counts,
        [
            (finding.sentence(), finding.body, finding.count, finding.case.id, finding.places)
            for finding in result.findings
        ],
        [(observed.ambiguity.id, observed.counts) for observed in result.ambiguities],
        result.rules,
    ]


OPTIONS = Options(now=NOW, concurrency=4)


def test_a_resumed_campaign_sends_nothing_again_and_finds_the_same(tmp_path: Path) -> None:
    cases, path = some(400), tmp_path / NAME
    complete = run(Campaign(cases(), Counting(), OPTIONS, journal=(journal := Journal.begun(path, HEAD))))
    journal.close()
    all_lines = list(lines(path))
    for share in (0.1, 0.5, 0.9, 1.0):
        incomplete = tmp_path / f"{share}-{NAME}"
        kept = b"\n".join(all_lines[: 1 + int(share * (len(all_lines) - 1))]) + b"\n"
        incomplete.write_bytes(kept)
        answered = [record.body for record in records(incomplete)]
        target = Counting()
        recalled, journal = Recalled(incomplete), Journal.continued(incomplete)
        resumed = run(Campaign(cases(), target, OPTIONS, journal=journal, recalled=recalled))
        recalled.close()
        journal.close()
        assert outcome(resumed) == outcome(complete)
        assert len(target.bodies) + len(answered) == complete.requests
        assert sorted(target.bodies + answered) == sorted(record.body for record in records(incomplete))


def test_a_journal_of_another_campaign_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path / "run.ndjson", 5)
    with closing(Recalled(path)) as recalled:
        result = run(Campaign(some(5)(), Counting(), OPTIONS, recalled=recalled))
    assert result.stop is not None
    assert result.stop.cause == "journal"
    assert result.outcome.state != "complete"
    assert "belongs to a different campaign" in str(result.stopped)


def test_a_result_can_be_rebuilt_from_a_journal_without_requests(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    complete = run(Campaign(some(200)(), Counting(), OPTIONS, journal=(journal := Journal.begun(path, HEAD))))
    journal.close()
    target = Counting()
    with closing(Recalled(path)) as recalled:
        known = run(Campaign(some(300)(), target, OPTIONS, recalled=recalled, sends=False))
    assert outcome(known) == outcome(complete)
    assert target.bodies == []
