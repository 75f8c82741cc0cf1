import asyncio
from email.utils import formatdate
from time import monotonic, time

import hand_made_programs
import pytest
from hand_made_servers import Behaviour, one_after_another, response, sends, serving

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import Answer, AnswerRules, HttpTarget, Message
from brokerfuzz.targets.target import opened
from brokerfuzz.targets.throttling import Slowed, seconds_of


def fired(
    url: str, count: int = 1, *, workers: int = 1, longest_wait: float = 30.0, rules: AnswerRules | None = None
) -> tuple[list[Answer], Slowed]:
    """Sends `count` messages with `workers` concurrent senders. Returns the answers and the waits."""

    async def fire() -> tuple[list[Answer], Slowed]:
        async with opened(HttpTarget(url, longest_wait=longest_wait, rules=rules)) as target:
            answers: list[Answer] = []
            messages = iter(range(count))

            async def work() -> None:
                for number in messages:
                    answers.append(await target.send(Message(b"%d" % number)))  # noqa: PERF401 - others send in between

            await asyncio.gather(*(work() for _ in range(workers)))
        return answers, target.slowed

    return asyncio.run(fire())


def later(status: int, *headers: str) -> bytes:
    return response(status, b"later", *headers)


@pytest.mark.parametrize(
    ("postponed", "waits"),
    [
        pytest.param(later(429, "Retry-After: 0.2"), 0.2, id="429 with seconds"),
        pytest.param(later(503, "Retry-After: 0.2"), 0.2, id="503 with seconds"),
        pytest.param(later(429, "Retry-After: 0"), 0.05, id="429 at once"),
        pytest.param(later(429), 1.0, id="429 without seconds"),
        pytest.param(later(429, "Retry-After: when I am back"), 1.0, id="429 with something else"),
        pytest.param(
            later(503, f"Retry-After: {formatdate(1001, usegmt=True)}", f"Date: {formatdate(1000, usegmt=True)}"),
            1.0,
            id="503 with a date",
        ),
    ],
)
def test_a_postponed_message_is_sent_again_at_the_requested_time(postponed: bytes, waits: float) -> None:
    with serving(one_after_another(postponed, response(201))) as url:
        (answer,), slowed = fired(url)
    assert (answer.kind, answer.status, answer.reached) == ("accepted", 201, True)
    assert slowed.times == 1
    assert waits * 0.9 < slowed.seconds < waits + 10


def test_a_503_without_retry_after_is_a_crash() -> None:
    with serving(sends(response(503))) as url:
        (answer,), slowed = fired(url)
    assert (answer.kind, answer.status, answer.reached, slowed.times) == ("crashed", 503, True, 0)


@pytest.mark.parametrize(("status", "kind"), [(429, "timeout"), (503, "crashed")])
def test_after_the_longest_wait_the_answer_is_not_reached(status: int, kind: str) -> None:
    started = monotonic()
    with serving(sends(later(status, "Retry-After: 3600"))) as url:
        (answer,), slowed = fired(url)
    assert (answer.kind, answer.status, answer.reached, answer.body) == (kind, status, False, b"later")
    assert answer.reason == f"asked brokerfuzz to wait for 3600 s (status {status}), and the longest wait is 30 s"
    assert slowed == Slowed(1, 0.0)
    assert monotonic() - started < 60


def test_a_message_does_not_wait_longer_than_the_longest_wait() -> None:
    async def postpones_all(_: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.02)  # so that all concurrent messages have been sent
        writer.write(later(429, "Retry-After: 0.1"))

    started = monotonic()
    with serving(postpones_all) as url:
        answers, slowed = fired(url, 40, workers=8, longest_wait=0.5)
    assert {(answer.kind, answer.reached) for answer in answers} == {("timeout", False)}
    assert answers[0].reason.endswith("times to wait (status 429), and the longest wait is 0.5 s")
    assert slowed.seconds < 1.5
    assert monotonic() - started < 60


def test_without_a_requested_time_the_whole_longest_wait_is_used() -> None:
    with serving(sends(later(429))) as url:
        (answer,), slowed = fired(url, longest_wait=1.2)
    assert answer.reason == (
        f"asked brokerfuzz {slowed.times} times to wait (status 429), and the longest wait is 1.2 s"
    )
    assert slowed.times >= 2
    assert 1.1 < slowed.seconds < 3


def test_all_messages_wait_if_one_is_postponed() -> None:
    arrivals: list[float] = []
    postponed: list[float] = []

    async def limits(_: bytes, writer: asyncio.StreamWriter) -> None:
        arrivals.append(monotonic())
        if not postponed:
            postponed.append(monotonic())
            writer.write(later(429, "Retry-After: 0.6"))
        else:
            await asyncio.sleep(0.01)
            writer.write(response(201))

    with serving(limits) as url:
        answers, slowed = fired(url, 100, workers=4)
    assert [answer.kind for answer in answers] == ["accepted"] * 100
    assert slowed.times == 1
    waiting = [arrival for arrival in arrivals if postponed[0] + 0.3 < arrival < postponed[0] + 0.58]
    assert waiting == []


def bucket(rate: float, size: int) -> tuple[Behaviour, list[float]]:
    """Returns the behaviour of a rate limiter in a gateway, and the times of its rejections. The gateway accepts `size`
    requests at once, and `rate` requests per second.
    """
    full, filled, postponed = [float(size)], [monotonic()], []

    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        now = monotonic()
        full[0] = min(full[0] + (now - filled[0]) * rate, size)
        filled[0] = now
        if full[0] >= 1:
            full[0] -= 1
            writer.write(response(201))
        else:
            postponed.append(now)
            writer.write(later(429, "Retry-After: 0.1"))

    return behave, postponed


def test_a_rate_limiter_gets_few_more_requests_than_it_allows() -> None:
    behaviour, postponed = bucket(100, 10)
    with serving(behaviour) as url:
        answers, slowed = fired(url, 120, workers=16)
    assert [answer.kind for answer in answers] == ["accepted"] * 120
    assert slowed.times == len(postponed) < 150


def test_after_giving_up_nothing_is_sent_before_the_requested_time() -> None:
    seen: list[bytes] = []

    async def opens_later(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        writer.write(
            later(429, "Retry-After: 1")
            if len(seen) == 1
            else later(429, "Retry-After: 0")
            if len(seen) == 3
            else response(201)
        )

    async def ask(url: str) -> list[Answer]:
        async with opened(HttpTarget(url, longest_wait=0.2)) as target:
            answers = [await target.send(Message(b"1")), await target.send(Message(b"2"))]
            await asyncio.sleep(1.05)
            answers += [await target.send(Message(b"3")), await target.send(Message(b"4"))]
        return answers

    with serving(opens_later) as url:
        answers = asyncio.run(ask(url))
    assert [(answer.kind, answer.reached) for answer in answers] == [("timeout", False)] * 2 + [("accepted", True)] * 2
    assert seen == [b"1", b"3", b"4", b"4"]


@pytest.mark.parametrize(
    ("rules", "kind"),
    [(AnswerRules(reject=("429", "4xx")), "rejected"), (AnswerRules(accept=("2xx", "429")), "accepted")],
)
def test_a_configured_meaning_of_a_status_has_priority(rules: AnswerRules, kind: str) -> None:
    with serving(sends(later(429, "Retry-After: 9"))) as url:
        (answer,), slowed = fired(url, rules=rules)
    assert (answer.kind, answer.reason, slowed) == (kind, "status 429", Slowed())


def test_a_message_cancelled_while_it_waits_does_not_block_others() -> None:
    async def ask(url: str) -> Answer:
        async with opened(HttpTarget(url)) as target:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(target.send(Message(b"1")), 0.2)
            return await asyncio.wait_for(target.send(Message(b"2")), 5)

    with serving(one_after_another(later(429, "Retry-After: 0.5"), response(201))) as url:
        assert asyncio.run(ask(url)).kind == "accepted"


def test_a_target_that_stops_before_the_retry_has_crashed() -> None:
    async def postpones_and_stops(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(later(429, "Retry-After: 0.5"))
        writer.close()

    async def ask() -> Answer:
        with serving(postpones_and_stops) as url:
            target = HttpTarget(url, patience=0.2)
            await target.open()
            sending = asyncio.create_task(target.send(Message(b"{}")))
            await asyncio.sleep(0.3)
        answer = await sending
        await target.close()
        return answer

    answer = asyncio.run(ask())
    assert (answer.kind, answer.reason, answer.reached) == ("crashed", "the connection was refused", False)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (None, None),
        ("", None),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("1.5", 1.5),
        ("-1", None),
        ("1e9", None),
        ("soon", None),
        (formatdate(1030, usegmt=True), 30.0),
        (formatdate(900, usegmt=True), 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253402299799.0),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(said: str | None, seconds: float | None) -> None:
    assert seconds_of(said, formatdate(1000, usegmt=True)) == seconds


def test_without_a_date_in_the_response_the_local_clock_counts() -> None:
    seconds = seconds_of(formatdate(time() + 30, usegmt=True))
    assert seconds is not None
    assert 25 < seconds <= 31


def test_a_target_can_be_reopened_in_another_event_loop() -> None:
    with serving(
        one_after_another(later(429, "Retry-After: 0"), response(201), later(429, "Retry-After: 0"), response(201))
    ) as url:
        target = HttpTarget(url)
        assert [hand_made_programs.answer(target).kind for _ in range(2)] == ["accepted"] * 2


def test_a_negative_wait_is_rejected() -> None:
    with pytest.raises(TargetError, match="use 0 or more"):
        HttpTarget("http://127.0.0.1:9/", longest_wait=-1)
