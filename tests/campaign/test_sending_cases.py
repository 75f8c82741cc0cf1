"""How a campaign sends its cases: at the same time, at a rate, until a limit or an interrupt; and whom it blames."""

import asyncio
import json
import os
import signal
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from time import monotonic
from typing import Any, Final

import pytest
from behaviours import CONFORMING, SCALARS
from hand_made_servers import Conversation, conforming, read_request, reset, response, serving_streams

import brokerfuzz

FEW: Final[Any] = {"rules": ["*orderM*"], "shrink": 0}


# ------------------------------------------------------------------------------------------------------------ limits


def test_concurrency_limits_the_messages_sent_at_the_same_time() -> None:
    under_way = most = 0

    async def counts(body: bytes) -> bool:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1
        return CONFORMING(body)

    assert brokerfuzz.fire(counts, **FEW, concurrency=7).outcome.state == "complete"
    assert most == 7


def test_the_rate_is_not_exceeded() -> None:
    started = monotonic()
    report = brokerfuzz.fire(CONFORMING, **FEW, rate=300)
    assert report.result.requests > 30
    assert monotonic() - started >= (report.result.requests - 1) / 300


async def ignores_its_cancellation(body: bytes) -> bool:
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0.02)
    return CONFORMING(body)


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_limits_and_ctrl_c_work_even_if_requests_ignore_their_cancellation() -> None:
    calls = 0

    async def presses(body: bytes) -> bool:
        nonlocal calls
        calls += 1
        if calls == 40:
            press_ctrl_c()
        return await ignores_its_cancellation(body)

    limited = brokerfuzz.fire(ignores_its_cancellation, **FEW, concurrency=1, max_time=0.5)
    assert limited.result.stopped == "the time limit of 0.5 s was reached"
    report = brokerfuzz.fire(presses, **FEW, concurrency=1)
    assert (report.result.stopped, report.outcome.status) == ("interrupted", 130)


def test_an_interrupt_while_shrinking_keeps_the_smallest_message_so_far() -> None:
    smaller = 0

    async def presses(body: bytes) -> bool:
        nonlocal smaller
        if b'"orderMinimum":-' in body:
            smaller += len(body) < 200
            if smaller == 2:
                press_ctrl_c()
                await asyncio.sleep(5)
            return True
        return CONFORMING(body)

    report = brokerfuzz.fire(presses, rules=["*orderMinimum:minimum"], techniques=["negative"])
    (finding,) = report.findings
    assert report.result.stopped == "interrupted"
    assert len(finding.body) < len(finding.case.body)


# ---------------------------------------------------------------------------------------------------------- findings


def test_findings_do_not_depend_on_the_order_of_answers() -> None:
    def accepts(body: bytes) -> bool:
        if b'"comments":""' in body:
            raise ValueError("comments")
        return b'"orderMinimum":0' in body or CONFORMING(body)

    async def overtakes(body: bytes) -> bool:
        await asyncio.sleep(0.01 if len(body) % 3 == 0 else 0)
        return accepts(body)

    reports = [brokerfuzz.fire(target, rules=["order*", "comments"]) for target in (accepts, overtakes)]
    found = [[(one.sentence(), one.body, one.failing, one.case.id) for one in report.findings] for report in reports]
    assert found[0] == found[1] != []


@pytest.mark.parametrize(
    ("wrong", "sentence"), [((1,), None), ((1, 2), None), ((1, 3), None), ((1, 3, 5), "flaky: in 2 of 5 repetitions")]
)
def test_a_wrong_answer_is_a_finding_if_it_occurs_again_in_at_least_two_of_five_repetitions(
    wrong: tuple[int, ...], sentence: str | None
) -> None:
    times = 0

    def accepts(body: bytes) -> bool:
        nonlocal times
        if b'"orderMinimum":0' not in body:
            return CONFORMING(body)
        times += 1
        return times in wrong

    report = brokerfuzz.fire(accepts, rules=["*orderMinimum:minimum"], techniques=["one-below"])
    assert [sentence in finding.sentence() for finding in report.findings if sentence] == [True] * (
        sentence is not None
    )
    assert sum(count for _, count in report.result.sporadic) == (sentence is None)
    assert report.outcome.status == (sentence is not None)


def test_a_smaller_message_that_fails_only_once_does_not_hide_the_finding() -> None:
    known = set[bytes]()

    def accepts(body: bytes) -> bool:
        if b'"orderMinimum":-' not in body:
            return CONFORMING(body)
        is_new = body not in known
        known.add(body)
        return len(body) > 100 or is_new

    (finding,) = brokerfuzz.fire(accepts, rules=["*orderMinimum:minimum"], techniques=["negative"]).findings
    assert (finding.flaky, len(finding.body) > 100) == (False, True)


@pytest.mark.parametrize(("seconds", "findings"), [(2, 0), (10**9, 1)])
def test_a_clock_that_differs_by_a_few_seconds_is_no_finding(seconds: int, findings: int) -> None:
    def accepts(body: bytes) -> bool:
        now = datetime.now(UTC) + timedelta(seconds=seconds)
        return brokerfuzz.check("offer-creation-request", body, now=now).label != "invalid"

    report = brokerfuzz.fire(accepts, rules=["*not-in-future"], policies={"clock-tolerance": 0}, shrink=0)
    assert bool(report.findings) == bool(findings)


# ------------------------------------------------------------------------------------------------ closing connections


def is_unlucky(body: bytes) -> bool:
    return b'"isActive":false' in body and CONFORMING(body)


async def closes_after_a_crash(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Closes the connection without telling the client, as uvicorn does after an exception in an application."""
    crashes = False
    while not crashes:
        _, body = await read_request(reader)
        crashes = is_unlucky(body)
        writer.write(response(500 if crashes else conforming(body)))
        await writer.drain()


async def closes_at_the_second_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for number in range(2):
        _, body = await read_request(reader)
        if number:
            reset(writer)
        else:
            writer.write(response(500 if is_unlucky(body) else conforming(body)))


@pytest.mark.every(2)
@pytest.mark.parametrize("conversation", [closes_after_a_crash, closes_at_the_second_request])
def test_only_the_message_that_crashes_the_server_is_blamed(conversation: Conversation) -> None:
    with serving_streams(conversation) as url:
        report = brokerfuzz.fire(url, **SCALARS)
    (finding,) = report.findings
    assert (finding.answer.status, finding.flaky, json.loads(finding.body)["isActive"]) == (500, False, False)
    assert finding.places == ("/isActive",)
    assert not report.result.sporadic


@pytest.mark.long
def test_errors_that_all_have_other_texts_fill_no_memory() -> None:
    numbers = count()

    def target(body: bytes) -> None:
        if not CONFORMING(body):
            raise RuntimeError(f"error {next(numbers)}")

    report = brokerfuzz.fire(target, rules=["*orderM*", "*pageCount:*"], verdicts=["invalid"], shrink=0)
    assert report.result.cases > 150
    assert len(report.result.seen.problems) < 110
