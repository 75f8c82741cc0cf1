import asyncio
import gc
import json
import os
import signal
import threading
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import pytest
from chosen_campaigns import fired
from hand_made_servers import OFFER, Service, hangs, serving

from brokerfuzz.campaign import CampaignProgress, Listeners
from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.schemas.instants import spell
from brokerfuzz.targets import Answer, HttpTarget, Message

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAIN = {"number": "N-1", "offerType": "Email"}
MINIMUM = f"{OFFER}/orderMinimum:minimum"


def case(*tags: str, faults: Iterable[Fault] = (), **props: Any) -> Case:
    body = json.dumps({**PLAIN, **props}, separators=(",", ":")).encode()
    return Case.judged(OFFER, body, tags=tags, faults=tuple(faults), now=NOW)


def below(number: int, technique: str, **props: Any) -> Case:
    return replace(
        case(faults=[Fault(MINIMUM, "/orderMinimum", technique)], orderMinimum=number, **props), twin=case(**props)
    )


def several(count: int) -> Iterator[Case]:
    return (case(orderMinimum=number) for number in range(1, count + 1))


VALID = case("edge:plain")
INVALID = below(0, "one-below")
OPEN = case("probe:cron-syntax", deliveryScheduleCron="@daily")


ORDINARY = plain_messages(OFFER)


@pytest.mark.parametrize(("seconds", "findings"), [(2, 0), (60, 1)])
def test_a_clock_that_differs_by_a_few_seconds_is_no_finding(seconds: int, findings: int) -> None:
    ahead = spell(datetime.now(UTC) + timedelta(seconds=seconds))
    case = Case.judged(OFFER, b'{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"%s"}' % ahead.encode())
    result = fired([case], Service(lambda _: 201), now=None, policies={"clock-tolerance": 0})
    assert len(result.findings) == findings


# ---------------------------------------------------------------------------------------------------- what is equal


def test_equal_contradictions_are_counted_as_one_finding() -> None:
    result = fired([below(0, "one-below", comments=str(number)) for number in range(30)], Service(lambda _: 200))
    assert [(finding.count, finding.case.value["comments"]) for finding in result.findings] == [(30, "0")]


def test_findings_about_different_properties_stay_separate() -> None:
    def status_of(body: bytes) -> int:
        value = json.loads(body)
        return 400 if value.get("comments") == "" or value.get("description") == "" else 201

    result = fired(
        [case("edge:empty", comments="", description=""), case("edge:empty-description", description="")],
        Service(status_of),
        plain=ORDINARY,
    )
    assert [finding.places for finding in result.findings] == [("/comments",), ("/description",)]
    alone = fired([case("edge:one", comments=""), case("edge:two", description="")], Service(status_of), plain=ORDINARY)
    assert [finding.places for finding in alone.findings] == [("/comments",), ("/description",)]


def test_the_first_messages_that_nothing_distinguishes_are_shrunk_separately() -> None:
    def status_of(body: bytes) -> int:
        value = json.loads(body)
        return 400 if {value.get("comments"), value.get("description")} & set("ab0123456789") else 201

    result = fired(
        [case(comments="a"), case(description="b"), *(case(comments=str(number)) for number in range(10))],
        Service(status_of),
        plain=ORDINARY,
    )
    assert {finding.places: finding.count for finding in result.findings} == {("/comments",): 11, ("/description",): 1}


def test_findings_do_not_depend_on_the_order_of_answers() -> None:
    class Overtaking(Service):
        async def send(self, message: Message) -> Answer:
            await asyncio.sleep(0.02 if len(self.bodies) % 3 == 0 else 0)
            return await super().send(message)

    cases = [below(-number, "negative", comments=str(number)) for number in range(1, 40)]
    cases += [case(f"edge:{number % 3}", description="") for number in range(40)]
    found = [
        fired(cases, target(lambda body: 201 if b"orderM" in body else 400), concurrency=8)
        for target in (Service, Overtaking)
    ]
    results = [
        [(finding.sentence(), finding.body, finding.count, finding.case.id) for finding in result.findings]
        for result in found
    ]
    assert results[0] == results[1]


def test_a_finding_that_is_not_reproduced_is_marked_as_flaky() -> None:
    def status_of(_: bytes) -> int:
        seen.append(1)
        return 201 if len(seen) == 1 else 400

    seen: list[int] = []
    (finding,) = fired([INVALID], Service(status_of)).findings
    assert finding.reproduced is False
    assert "(flaky: the problem occurred in 0 of 5 repetitions)" in finding.sentence()


def test_a_case_whose_future_time_has_passed_is_not_a_finding() -> None:
    fault = Fault(f"{OFFER}/lastUpdatedDateTimeUtc:not-in-future", "/lastUpdatedDateTimeUtc", "hour-ahead")
    old = case(faults=[fault], lastUpdatedDateTimeUtc="2026-03-01T13:00:00Z")
    assert fired([old], Service(lambda _: 201), now=None).findings == ()
    assert len(fired([old], Service(lambda _: 201)).findings) == 1


# ---------------------------------------------------------------------------------------------------- the ledger


def test_the_ledger_lists_the_behaviour_for_each_ambiguity() -> None:
    both = case("probe:both", deliveryScheduleCron="@daily", orderMinimum=5, orderMaximum=2)
    crashing = case("probe:cron-syntax", deliveryScheduleCron="@yearly")
    strange = case("probe:cron-syntax", deliveryScheduleCron="never")

    def status_of(body: bytes) -> int:
        return 500 if b"yearly" in body else 400 if b"never" in body or b"Maximum" in body else 200

    result = fired([OPEN, OPEN, crashing, strange, both, VALID], Service(status_of), plain=ORDINARY[-1:])
    (observed, _) = result.ambiguities
    assert (observed.ambiguity.id, observed.behaviour) == ("cron-syntax", "mixed")
    assert observed.counts == {"accepted": 2, "rejected": 1, "crashed": 1, "timeout": 0}
    assert observed.examples == {"accepted": OPEN, "crashed": crashing, "rejected": strange}


def test_an_accepted_message_counts_for_every_ambiguity_that_it_touches() -> None:
    both = case("probe:both", deliveryScheduleCron="@daily", orderMinimum=5, orderMaximum=2)
    assert [observed.ambiguity.id for observed in fired([both], Service(lambda _: 200)).ambiguities] == [
        "cron-syntax",
        "range-order",
    ]


# ---------------------------------------------------------------------------------------------------- limits


def test_concurrency_limits_the_messages_sent_at_the_same_time() -> None:
    class Counting(Service):
        under_way = most = 0

        async def send(self, message: Message) -> Answer:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0.001)
            self.under_way -= 1
            return await super().send(message)

    target = Counting(lambda _: 200)
    assert fired(several(100), target, concurrency=7).cases == 100
    assert target.most == 7


def test_the_rate_is_not_exceeded() -> None:
    started = monotonic()
    result = fired(several(30), Service(lambda _: 200), rate=100)
    assert result.cases == 30
    assert monotonic() - started >= 0.28


def test_the_time_limit_ends_an_endless_campaign() -> None:
    def endless() -> Iterator[Case]:
        while True:
            yield VALID

    with serving(hangs) as url:
        assert fired(endless(), HttpTarget(url), max_time=0.3).stopped == "the time limit of 0.3 s was reached"
    result = fired(endless(), Service(lambda _: 200), max_time=0.2)
    assert result.cases > 10
    assert result.outcome.status == 0


class IgnoringCancellation(Service):
    async def send(self, message: Message) -> Answer:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.05)
        return Answer("accepted", 200)


def test_the_time_limit_and_ctrl_c_work_even_if_requests_ignore_their_cancellation() -> None:
    def press() -> None:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    assert (
        fired(interrupting([], lambda: None), IgnoringCancellation(lambda _: 200), max_time=0.12).stopped
        == "the time limit of 0.12 s was reached"
    )
    assert fired(interrupting([], press), IgnoringCancellation(lambda _: 200)).stopped == "interrupted"


def test_a_campaign_may_have_no_cases() -> None:
    result = fired([], Service(lambda _: 200))
    assert (result.cases, result.findings) == (0, ())


@pytest.mark.rotated(3)
def test_memory_does_not_grow_with_the_number_of_cases() -> None:
    def cases(number: int) -> Iterator[Case]:
        for index in range(number):
            yield Case(
                OFFER,
                b'{"number":"%d","offerType":"Email","comments":"%b"}' % (index, b"x" * 1000),
                VALID.verdict,
                tags=("random",),
            )

    target = Service(lambda _: 400)  # each is a contradiction
    target.remembers = False
    fired(cases(500), target)
    gc.collect()
    tracemalloc.start()
    try:
        fired(cases(5_000), target)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 15_000_000  # bytes; the first 10,000 cases are kept for the headlines


# ---------------------------------------------------------------------------------------------------- interruption


def interrupting(cases: Iterable[Case], after: Callable[[], None]) -> Iterator[Case]:
    yield from cases
    after()
    while True:
        yield VALID


def test_ctrl_c_ends_the_campaign_with_what_was_found() -> None:
    def press() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    result = fired(interrupting([INVALID, VALID], press), Service(lambda _: 200), concurrency=1)
    assert (result.stopped, len(result.findings), result.outcome.status) == ("interrupted", 1, 130)


def test_ctrl_c_does_not_wait_for_a_target_that_hangs() -> None:
    def press() -> None:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    started = monotonic()
    with serving(hangs) as url:
        assert fired(interrupting([], press), HttpTarget(url, timeout=60)).stopped == "interrupted"
    assert monotonic() - started < 60


def test_an_interrupt_while_a_case_is_generated_loses_nothing() -> None:
    def press() -> None:
        raise KeyboardInterrupt

    result = fired(interrupting([INVALID], press), Service(lambda _: 200), concurrency=1)
    assert (result.stopped, len(result.findings)) == ("interrupted", 1)


def test_an_interrupt_while_shrinking_keeps_the_smallest_message_so_far() -> None:
    class Pressing(Service):
        async def send(self, message: Message) -> Answer:
            if len(self.bodies) == 4:
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(5)
            return await super().send(message)

    (finding,) = fired(
        [below(0, "one-below", comments="a", description="b", isActive=True)], Pressing(lambda _: 200)
    ).findings
    assert len(finding.body) < len(finding.case.body)


# ---------------------------------------------------------------------------------------------------- progress


def test_progress_is_reported_while_the_campaign_runs() -> None:
    reports: list[CampaignProgress] = []
    fired(several(60), Service(lambda _: 200), listeners=Listeners(on_progress=reports.append), rate=150)
    assert len(reports) >= 3
    assert "firing" in {progress.phase for progress in reports}
    assert [progress.cases for progress in reports] == sorted(progress.cases for progress in reports)


def test_an_exception_from_the_case_generator_is_raised() -> None:
    def cases() -> Iterator[Case]:
        yield VALID
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        fired(cases(), Service(lambda _: 200))
