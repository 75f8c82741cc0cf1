"""Targets that are correct, but unreliable: they fail for reasons that have nothing to do with the message."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, read_request, response, serving, serving_streams

import brokerfuzz
from brokerfuzz import Report

FEW: Final[dict[str, Any]] = {
    "rules": ["*orderMinimum:*", "*comments:*"],
    "seed": 1,
    "count": 60,
    "shrink": 5,
    "longest_wait": 5,
}


def fired(behaviour: Any, **options: Any) -> Report:
    chosen: dict[str, Any] = {**FEW, **options}
    with serving(behaviour) as url:
        return brokerfuzz.fire(url, **chosen)


class Unreliable:
    """A correct service. For some requests, `failure` returns other bytes than the correct answer."""

    pause: ClassVar[float] = 0.003

    def __init__(self) -> None:
        self.requests = self.under_way = 0

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.requests += 1
        self.under_way += 1
        failure = self.failure(body, self.requests, self.under_way)
        await asyncio.sleep(self.pause)
        self.under_way -= 1
        writer.write(failure if failure is not None else response(conforming(body)))
        if failure is not None and failure.endswith(CUT):
            writer.close()

    def failure(self, body: bytes, number: int, under_way: int) -> bytes | None:
        raise NotImplementedError


CUT = b"a part of the body"
TRUNCATED = b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n" + CUT


class Overloaded(Unreliable):
    """Answers with `answer` if more than eight requests are under way."""

    def __init__(self, answer: bytes, most: int = 8) -> None:
        super().__init__()
        self.answer, self.most = answer, most

    def failure(self, body: bytes, number: int, under_way: int) -> bytes | None:
        return self.answer if under_way > self.most else None


class Sometimes(Unreliable):
    """Answers every 23rd request with `answer`."""

    def __init__(self, answer: bytes) -> None:
        super().__init__()
        self.answer = answer

    def failure(self, body: bytes, number: int, under_way: int) -> bytes | None:
        return self.answer if number % 23 == 0 else None


async def ignoring_chunks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Does not know `Transfer-Encoding`: it takes a chunked body for the next request, which it answers late."""
    while True:
        head, body = await read_request(reader)
        if not head.startswith(b"POST"):
            await asyncio.sleep(0.1)
        writer.write(response(conforming(body)))


def test_a_service_that_takes_a_chunked_body_for_the_next_request_gets_no_answers_mixed_up() -> None:
    with serving_streams(ignoring_chunks) as url:
        report = brokerfuzz.fire(url, tags=["probe:request-headers", "edge:*"], count=0)
    assert report.findings == (), report
    assert "answered differently" not in str(report)


@pytest.mark.parametrize("kind", [Overloaded, Sometimes])
@pytest.mark.parametrize(
    "answer",
    [
        response(401),
        response(408),
        response(503),
        response(302, b"", "Location: /login"),
        response(400, b'{"error":"too many requests"}'),
        TRUNCATED,
    ],
    ids=["401", "408", "503", "302", "400", "truncated"],
)
def test_a_service_that_fails_sometimes_or_above_eight_parallel_requests_has_no_finding(
    kind: Callable[[bytes], Unreliable], answer: bytes
) -> None:
    report = fired(kind(answer))
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "complete", 0)


def test_a_database_that_is_locked_by_other_requests_is_one_finding_about_concurrency() -> None:
    report = fired(Overloaded(response(500, b'{"error":"database is locked"}'), most=1))
    (finding,) = report.findings
    assert finding.kind == "sporadic-crash"
    assert "concurrent requests probably cause this" in finding.sentence()
    assert "status 500" in finding.sentence()


def test_a_message_that_always_crashes_is_found_beside_crashes_by_concurrency() -> None:
    class Both(Overloaded):
        def failure(self, body: bytes, number: int, under_way: int) -> bytes | None:
            return (
                response(500, b"locked") if under_way > 4 or b'"orderMinimum":1,' in body.replace(b" ", b"") else None
            )

    report = fired(Both(b""))
    assert [finding.kind for finding in report.findings].count("sporadic-crash") == 1
    crashes = [finding for finding in report.findings if finding.kind == "crashed"]
    assert crashes
    assert all(b'"orderMinimum":1' in finding.body and not finding.flaky for finding in crashes)


def test_a_service_that_answers_one_message_after_the_other_slowly_has_no_finding() -> None:
    """The service also answers messages whose sender has given up, so each message is late until the queue is empty."""
    lock = asyncio.Lock()

    async def one_at_a_time(body: bytes, writer: asyncio.StreamWriter) -> None:
        async with lock:
            await asyncio.sleep(0.05)
            writer.write(response(conforming(body)))

    report = fired(one_at_a_time, timeout=0.5, rules=["*orderMinimum:type"], count=0)
    assert (report.findings, report.outcome.state) == ((), "complete")


def test_a_crash_that_recurs_sometimes_is_a_finding_that_is_not_blamed_on_concurrent_requests() -> None:
    calls = 0

    def accepts(body: bytes) -> bool:
        nonlocal calls
        if b'"orderMinimum":1' in body:
            calls += 1
            if calls % 3 == 1:
                raise RuntimeError("out of luck")
        return conforming(body) == 201

    report = brokerfuzz.fire(accepts, rules=["*orderMinimum:*"], count=0, shrink=5)
    assert {finding.kind for finding in report.findings} == {"crashed"}


def test_the_report_a_resumed_campaign_and_replay_keep_the_failures(run: Run, tmp_path: Path) -> None:
    journal, document = tmp_path / "run.ndjson", tmp_path / "report.json"
    options = ("--rule", "*orderMinimum:*", "--count", "0", "--shrink", "off")
    with serving(Overloaded(response(500, b"locked"), most=1)) as url:
        first = run("fire", url, *options, "--journal", journal, "--report", document)
        (count,) = [one["count"] for one in json.loads(document.read_text())["sporadic"]]
        again = run("fire", url, "--resume", journal, "--shrink", "off", "--report", tmp_path / "again.json")
        assert run("replay", document, url).exit_code == 1
    with serving(answers(conforming)) as url:
        assert run("replay", document, url).exit_code == 0
    assert (first.exit_code, again.exit_code) == (1, 1)
    assert count > 0
    assert [one["count"] for one in json.loads((tmp_path / "again.json").read_text())["sporadic"]] == [count]
    assert "concurrent requests probably cause this" in again.output


def test_two_workers_report_the_same_concurrency_problem_once() -> None:
    report = fired(Overloaded(response(500, b"locked"), most=1), workers=2, rules=["*orderMinimum:*"], count=0)
    assert [finding.kind for finding in report.findings] == ["sporadic-crash"]
