"""HTTP targets whose servers do not answer normally: for example, they close the connection."""

import asyncio
import gzip
import json
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hand_made_programs import answer, answers
from hand_made_servers import Behaviour, reset, resets, response, sends, serving, serving_streams

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import Answer, AnswerRules, HttpTarget
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.target import opened

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BODY = HEAD + b"Content-Length: 1073741824\r\n\r\n"
TIMEOUT = 0.6  # seconds


def asked(url: str, body: bytes = b"{}", *, timeout: float = 5.0, **options: Any) -> Answer:
    return answer(HttpTarget(url, timeout=timeout, **options), body)


def sends_without_end(start: bytes, chunk: bytes, pause: float = 0) -> Behaviour:
    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(pause)

    return behave


async def resets_within_the_body(_: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(BODY + b"ab")
    await writer.drain()
    await asyncio.sleep(0.1)
    reset(writer)


never_ends_the_head = sends_without_end(HEAD + b"X-A: ", b"x" * 65536)
NOT_HTTP = {
    "broken chunk": CHUNKED + b"ZZ\r\nab\r\n",
    "broken status": b"HTTP/1.1 9x9 OK\r\nContent-Length: 0\r\n\r\n",
    "broken header": HEAD + b"foo bar\x00baz\r\nContent-Length: 0\r\n\r\n",
    "negative length": HEAD + b"Content-Length: -1\r\n\r\nab",
    "two lengths": HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "absurd length": HEAD + b"Content-Length: 99999999999999999999\r\n\r\nab",
    "more than its length": HEAD + b"Content-Length: 2\r\n\r\nabcd",
}
TOO_LONG = {
    "endless head": (HEAD + b"X: " + b"a" * 2_000_000, "a header of more than 65,536 bytes"),
    "endless headers": (HEAD + b"X-A: b\r\n" * 200_000, "more than 1,000 headers"),
    "endless trailers": (CHUNKED + b"3\r\nabc\r\n0\r\n" + b"X-A: b\r\n" * 100_000, "more than 1,000 headers"),
}
NOT_HTTP_AND_CLOSED = {
    "garbage": b"\x00\xff\x01 garbage\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "HTTP/0.9": b"just text",
    "a TLS alert": b"\x15\x03\x01\x00\x02\x02\x46",
}
INCOMPLETE = {"half a body": HEAD + b"Content-Length: 9\r\n\r\nab", "half a chunk": CHUNKED + b"5\r\nab"}
UPGRADE = b"HTTP/1.1 101 Switch\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\nxx"
NO_ANSWER, NO_END = "no answer within 0.6 s", "the answer was not complete after 0.6 s"
FAILED = b'{"data":["%b"],"failureMessages":["no number"],"operationWasSuccessful":false}'
ENDS: dict[str, tuple[Behaviour, str, str]] = {
    **{name: (sends(data), "crashed", "not HTTP") for name, data in NOT_HTTP.items()},
    **{name: (sends(data), "crashed", reason) for name, (data, reason) in TOO_LONG.items()},
    **{name: (sends(data, then_closes=True), "crashed", "not HTTP") for name, data in NOT_HTTP_AND_CLOSED.items()},
    **{
        name: (sends(data, then_closes=True), "crashed", "before the answer was complete")
        for name, data in INCOMPLETE.items()
    },
    "endless header": (never_ends_the_head, "crashed", "a header of more than 65,536 bytes"),
    "a header of 60 kB": (sends(response(201, b"", f"Content-Security-Policy: {'a' * 60_000}")), "accepted", "201"),
    "900 headers": (sends(response(201, b"", *(f"X-{n}: b" for n in range(900)))), "accepted", "201"),
    "two lengths that differ": (sends(NOT_HTTP["two lengths"]), "crashed", "not HTTP/1.1 (Duplicate Content-Length)"),
    "reset": (resets, "crashed", "reset"),
    "reset within the body": (resets_within_the_body, "crashed", "before the answer was complete"),
    "empty answer": (sends(b"", then_closes=True), "crashed", "without an answer"),
    "half a head": (sends(HEAD + b"Conte", then_closes=True), "crashed", "without an answer"),
    "without length": (sends(HEAD + b"\r\nabc", then_closes=True), "accepted", "status 200"),
    "HTTP/1.0": (sends(b"HTTP/1.0 200 OK\r\n\r\nabc", then_closes=True), "accepted", "status 200"),
    "trailers": (sends(CHUNKED + b"3\r\nabc\r\n0\r\nX-A: b\r\n\r\n"), "accepted", "status 200"),
    "100 Continue": (sends(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000 + response(201)), "accepted", "status 201"),
    "upgrade": (sends(UPGRADE), "rejected", "status 101"),
    "hangs": (sends(b""), "timeout", NO_ANSWER),
    "stalls in the head": (sends(HEAD + b"Conte"), "timeout", NO_ANSWER),
    "trickles in the head": (sends_without_end(HEAD + b"X-A: ", b"x", 0.05), "timeout", NO_ANSWER),
    "endless 100 Continue": (
        sends_without_end(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 10, 0.001),
        "timeout",
        NO_ANSWER,
    ),
    "trickles": (sends_without_end(BODY, b"x", 0.05), "timeout", NO_END),
    "less than its length": (sends(HEAD + b"Content-Length: 9\r\n\r\nab"), "timeout", NO_END),
    "endless chunk extension": (sends(CHUNKED + b"3;" + b"x" * 1_000_000), "timeout", NO_END),
    "a huge compressed body": (
        sends(response(200, gzip.compress(b"{" + b"0" * 20_000_000), "Content-Encoding: gzip")),
        "crashed",
        "more than 8 MiB",
    ),
    "an endless envelope": (sends(response(200, FAILED % (b"x" * (9 << 20)))), "crashed", "more than 8 MiB"),
    "a huge envelope": (sends(response(200, FAILED % (b"x" * (2 << 20)))), "rejected", "is false: no number"),
}
"""Maps names of behaviours to the behaviour, the kind of the answer, and a part of the reason."""


@pytest.mark.parametrize("name", ENDS)
def test_server_behaviour_becomes_an_answer(name: str) -> None:
    behaviour, kind, reason = ENDS[name]
    with serving(behaviour) as url:
        said = asked(url, timeout=TIMEOUT if kind == "timeout" else 5.0)
    assert (said.kind, reason in said.reason, said.reached) == (kind, True, True), said


MEMORY = """
import asyncio, resource, sys
from brokerfuzz.targets import HttpTarget

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 if sys.platform == "darwin" else 1 / 1024)

async def ask():
    before = 0
    for url in sys.argv[1:]:
        target = HttpTarget(url)
        await target.open()
        before = before or peak()
        said = await asyncio.gather(*(target.send(b"{}") for _ in range(4)))
        assert all(len(answer.body) <= 2048 for answer in said)
        await target.close()
    print(int(peak() - before))

asyncio.run(ask())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource")
def test_an_endless_answer_takes_little_memory() -> None:
    never_ends = sends_without_end(BODY, b"x" * 65536)
    with serving(never_ends) as body, serving(never_ends_the_head) as head:
        command = [sys.executable, "-c", MEMORY, body, head]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(said.stdout) < 50 * 1024 * 1024


def test_an_idle_connection_closed_by_the_server_is_not_a_crash() -> None:
    """The server may not have read the message, so brokerfuzz sends the message again."""
    seen: list[bytes] = []

    async def closes_every_other_time(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        if len(seen) % 2:
            writer.write(response(201))
        else:
            reset(writer)

    with serving(closes_every_other_time) as url:
        assert [said.kind for said in answers(HttpTarget(url), *[b"{}"] * 3)] == ["accepted"] * 3


def answered_with_extras(seconds: float, extras: threading.Semaphore) -> Behaviour:
    """Answers with the status in the request, and sends an unexpected response `seconds` later."""

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(int(body)) + (response(500) if not seconds else b""))
        if seconds:
            await writer.drain()
            await asyncio.sleep(seconds)
            writer.write(response(500))
            extras.release()

    return behave


@pytest.mark.parametrize(
    ("extras_after", "waits", "options"),
    [
        pytest.param(0, False, {}, id="with the response"),
        pytest.param(0.002, True, {}, id="before the next message"),
        pytest.param(0.002, False, {"headers": [("Connection", "close")]}, id="to one message per connection"),
    ],
)
def test_an_unexpected_response_is_not_the_answer_to_the_next_message(
    extras_after: float, waits: bool, options: dict[str, Any]
) -> None:
    statuses, extras = [201, 422, 202, 400] * 10, threading.Semaphore(0)

    async def ask(url: str) -> list[int | None]:
        async with opened(HttpTarget(url, **options)) as target:
            answers = []
            for status in statuses:
                answers.append((await target.send(b"%d" % status)).status)
                if waits:
                    await asyncio.to_thread(extras.acquire)
                    await asyncio.sleep(0.02)  # the client reads what has arrived
        return answers

    with serving(answered_with_extras(extras_after, extras)) as url:
        assert asyncio.run(ask(url)) == statuses


@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_is_not_followed_with_or_without_credentials(status: int) -> None:
    connections = 0

    async def counts(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writer.write(response(201))

    with serving_streams(counts) as elsewhere:
        moved = response(status, b"", f"Location: {elsewhere.replace('127.0.0.1', 'localhost')}?token=abcdefgh")
        with serving(sends(moved)) as url:
            said = asked(url.replace("://", "://me:hunter22@"), headers=[("Cookie", "session=1")])
    assert (said.kind, said.status, connections) == ("rejected", status, 0)
    assert said.location == f"{elsewhere.replace('127.0.0.1', 'localhost')}?token=${{TOKEN}}"


@pytest.mark.parametrize(
    "options",
    [{"method": "BAD METHOD"}, {"headers": [("X A", "b")]}, {"headers": [("X-A", "a\r\nX-B: c")]}],
    ids=["method", "name", "value"],
)
def test_a_request_that_http_does_not_allow_is_rejected_before_it_is_sent(options: dict[str, Any]) -> None:
    with pytest.raises(TargetError, match="correct the method or the headers"):
        asked("http://127.0.0.1:9/", **options)


# ---------------------------------------------------------------------------------------------- what an answer means


def later(status: int, *headers: str) -> bytes:
    return response(status, b"later", *headers)


@pytest.mark.parametrize(
    ("postponed", "pause"),
    [
        (later(429), 0.0),
        (later(429, "Retry-After: 1.5"), 1.5),
        (later(429, "Retry-After: -1"), 0.0),
        (later(429, "Retry-After: when I am back"), 0.0),
        (later(503, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"), 0.0),
        (later(503, "Retry-After: Wed, 21 Oct 99999 07:28:00 GMT"), 0.0),
        (later(503), None),
        (later(500, "Retry-After: 7"), None),
        (response(201, b"", "Retry-After: 7"), None),
    ],
)
def test_an_answer_says_for_how_long_the_target_asked_brokerfuzz_to_wait(postponed: bytes, pause: Any) -> None:
    with serving(sends(postponed)) as url:
        said = asked(url)
    assert said.pause == pause
    assert said.reached == (pause is None)


@pytest.mark.parametrize("zone", ["GMT", "-0000", ""])
def test_an_answer_may_name_the_time_until_which_brokerfuzz_waits(zone: str) -> None:
    date = f"{datetime.now(UTC) + timedelta(seconds=90):%a, %d %b %Y %H:%M:%S} {zone}"
    with serving(sends(later(503, f"Retry-After: {date}"))) as url:
        said = asked(url)
    assert said.pause is not None
    assert 60 < said.pause <= 90
    assert not said.reached


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        (AnswerRules(), {200: "accepted", 204: "accepted", 101: "rejected", 303: "rejected", 400: "rejected"}),
        (AnswerRules(), {429: "rejected", 500: "crashed", 999: "crashed"}),
        (AnswerRules(accept=("200",)), {200: "accepted", 201: "crashed"}),
        (AnswerRules(accept=("2xx", "303")), {201: "accepted", 303: "accepted", 302: "rejected"}),
        (AnswerRules(reject=("4xx", "500")), {404: "rejected", 500: "rejected", 501: "crashed"}),
        (AnswerRules(accept=("2xx",), reject=("202", "4xx")), {201: "accepted", 202: "rejected"}),
        (AnswerRules(accept=("404",), reject=("4xx",)), {404: "accepted", 405: "rejected"}),
    ],
)
def test_a_status_has_its_meaning_in_http_unless_it_is_configured_and_a_code_has_priority_over_a_class(
    rules: AnswerRules, kinds: dict[int, str]
) -> None:
    assert {status: rules.kind(status) for status in kinds} == kinds
    with serving(sends(later(429, "Retry-After: 9"))) as url:
        said = asked(url, rules=AnswerRules(reject=("429", "4xx")))
    assert (said.kind, said.pause, said.reached) == ("rejected", None, True)


def envelope(success: Any, *messages: str) -> bytes:
    return json.dumps({"data": None, "failureMessages": messages, "operationWasSuccessful": success}).encode()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, envelope(False, "number is taken"), "rejected"),
        (200, envelope(True), "accepted"),
        (200, envelope("false"), "accepted"),
        (400, envelope(True), "rejected"),
        (500, envelope(False), "crashed"),
        (200, b'["operationWasSuccessful"]', "accepted"),
        (200, b'{"operationWasSuccessful":false', "accepted"),
        (200, b"[" * 100_000 + b'"operationWasSuccessful"', "accepted"),
        (200, b'\xff{"operationWasSuccessful":false}', "accepted"),
    ],
)
def test_an_envelope_can_only_turn_an_acceptance_into_a_rejection(status: int, body: bytes, kind: str) -> None:
    said = AnswerRules().read(Response(status, (), body))
    assert said.kind == kind
    assert status != 200 or kind != "rejected" or said.reason == "operationWasSuccessful is false: number is taken"
