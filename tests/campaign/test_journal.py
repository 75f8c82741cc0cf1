"""Journals: what they contain, how a campaign continues, and journals that somebody has changed."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, response, serving

from brokerfuzz.campaign.exchanges import Exchange, KnownAnswers
from brokerfuzz.campaign.journal import Journal, decode
from brokerfuzz.targets import Answer

NOW: Final = "2026-03-01T12:00:00Z"
SOME: Final = ("--rule", "orderM*", "--now", NOW, "--json")
NAME: Final = "run.ndjson"

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[str, list[bytes]]]:
    """A service that accepts an order minimum of 0, and the messages that it got. Its answers are not UTF-8."""
    seen: list[bytes] = []

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        status = 201 if b'"orderMinimum":0' in body else conforming(body)
        writer.write(response(status, b'\xff\0\r\n"' + body[:9]))

    with serving(behave) as url:
        yield url, seen


def parts_that_stay(report: str) -> Any:
    """Returns a report without times, names of runs, and the number of old answers."""
    document = json.loads(report)
    for finding in document["findings"]:
        del finding["got"]["seconds"]
    changing = {"started", "seconds", "campaign", "old", "outcome"}
    return {name: document[name] for name in document.keys() - changing}


@pytest.mark.every(8)
@pytest.mark.parametrize("share", [0.03, 0.4, 0.8, 1.0])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_campaign_continues_wherever_its_journal_ends_and_sends_only_a_sample_twice(
    run: Run, service: tuple[str, list[bytes]], share: float, workers: int
) -> None:
    url, seen = service
    whole = run("fire", url, *SOME, "--journal", NAME)
    content = Path(NAME).read_bytes()
    cut = content[: len(content.splitlines()[0]) + 1 + int(len(content) * share)]
    Path(NAME).write_bytes(cut)
    kept = [decode(line) for line in cut[: cut.rfind(b"\n")].splitlines()[1:]]
    seen.clear()
    resumed = run("fire", url, "--resume", NAME, "--json", "--workers", workers)
    twice = sum(exchange.role == "plain" for exchange in kept) + json.loads(resumed.stdout)["old"]["asked_again"]
    expected, found = parts_that_stay(whole.stdout), parts_that_stay(resumed.stdout)
    assert {**found, "requests": 0} == {**expected, "requests": 0}
    assert found["requests"] == expected["requests"] + twice
    assert len(seen) == expected["requests"] - len(kept) + twice


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_campaign_that_lost_its_target_continues_as_if_nothing_had_happened(run: Run, workers: int) -> None:
    seen, most = 0, 60

    def status_of(body: bytes) -> int:
        nonlocal seen
        seen += 1
        return 401 if seen > most else 201 if b'"orderMinimum":0' in body else conforming(body)

    some = (*SOME, "--shrink", "off", "--longest-wait", "100ms")
    with serving(answers(status_of)) as url:
        lost = run("fire", url, *some, "--journal", NAME, "--workers", workers)
        assert "the session or the credentials probably expired" in json.loads(lost.stdout)["stopped"]
        most = 1_000_000
        resumed = run("fire", url, "--resume", NAME, "--json", "--shrink", "off")
        whole = run("fire", url, *some)
    found, expected = parts_that_stay(resumed.stdout), parts_that_stay(whole.stdout)
    assert {**found, "requests": 0} == {**expected, "requests": 0}


def test_a_journal_of_other_cases_is_rejected(run: Run, service: tuple[str, list[bytes]]) -> None:
    url, _ = service
    run("fire", url, *SOME, "--journal", NAME)
    lines = Path(NAME).read_text().splitlines(keepends=True)
    Path(NAME).write_text("".join([lines[0].replace("orderM*", "orderMax*"), *lines[1:]]))
    done = run("fire", url, "--resume", NAME)
    assert done.exit_code == 2
    assert "belongs to a different campaign" in done.stdout
    assert "is different): resume the campaign with its original options" in " ".join(done.stdout.split())


def test_only_one_campaign_at_a_time_writes_a_journal(run: Run, service: tuple[str, list[bytes]]) -> None:
    url, _ = service
    run("fire", url, *SOME, "--journal", NAME)
    before = Path(NAME).read_bytes()
    journal = Journal.continued(NAME)
    try:
        done = run("fire", url, "--resume", NAME)
    finally:
        journal.close()
    assert done.exit_code == 2
    assert "is in use by another campaign" in done.stderr
    assert Path(NAME).read_bytes() == before


def test_a_changed_line_is_rejected_with_its_number(run: Run, service: tuple[str, list[bytes]]) -> None:
    url, _ = service
    run("fire", url, *SOME, "--journal", NAME)
    lines = Path(NAME).read_text().splitlines(keepends=True)
    for changed in ('{"role": "case"}\n', lines[3][:-2] + ', "note": 1}\n', "[]\n", "no json\n"):
        Path(NAME).write_text("".join([*lines[:3], changed, *lines[4:]]))
        done = run("fire", url, "--resume", NAME)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
        assert "run.ndjson, line 4, is not a valid journal record" in done.stderr


def test_an_endless_line_is_rejected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerfuzz.campaign.journal.LONGEST_RECORD", 1000)
    Path(NAME).write_bytes(b"x" * 3_000_000)
    done = run("fire", "http://127.0.0.1:1/", "--resume", NAME)
    assert done.exit_code == 2
    assert "a line has more than 1,000 bytes" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a POSIX system")
def test_a_full_disk_ends_a_campaign_with_its_findings(run: Run, service: tuple[str, list[bytes]]) -> None:
    import resource

    url, _ = service
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, usual[1]))
    try:
        done = run("fire", url, *SOME, "--journal", NAME, "--shrink", "off")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    report = json.loads(done.stdout)
    assert (
        "cannot be written (File too large): specify a folder with write permission, or free disk space"
        in report["stopped"]
    )
    assert report["outcome"]["state"] != "complete"
    assert done.exit_code in (1, 2)
    assert [decode(line) for line in Path(NAME).read_bytes().splitlines()[1:]], "the earlier lines are complete"


def test_a_resumed_campaign_reads_answers_when_they_are_needed() -> None:
    """Nothing that users see shows this, but a journal of several days would not fit into memory."""
    read: list[int] = []

    def earlier() -> Iterator[Exchange]:
        for number in range(1000):
            read.append(number)
            yield Exchange("case", number, 0, str(number), b"", b"", Answer("accepted"), float(number))

    known = KnownAnswers(earlier)
    assert (known.count, known.latest) == (1000, 999.0)
    read.clear()
    for number in (1, 0, 2):
        assert known.answer(str(number)) == Answer("accepted")
    assert read == [0, 1, 2]
    assert known.answer("another") is None
