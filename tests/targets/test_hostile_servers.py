"""What an HTTP target makes of servers that do not behave: the guard for upgrades of the HTTP client.

The client's errors are told apart by the texts of their causes; when one of these fails after an upgrade, `transport.py`
has to learn the new texts before the cap on the client's version moves.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hand_made_servers import (
    Behaviour,
    hangs,
    never_ends,
    reset,
    resets,
    resets_within_the_body,
    response,
    sends,
    serving,
    stalls_in_the_body,
    trickles,
    unused_url,
)

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import Answer, AnswerKind, AnswerRules, HttpTarget

TIMEOUT = 0.6  # seconds


def asked(url: str, body: bytes = b"{}", *, timeout: float = 5.0, **options: Any) -> Answer:
    async def ask() -> Answer:
        target = HttpTarget(url, timeout=timeout, **options)
        await target.open()
        try:
            return await target.send(body)
        finally:
            await target.close()

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("behaviour", "kind", "reason"),
    [
        pytest.param(resets, "crashed", "reset", id="reset"),
        pytest.param(resets_within_the_body, "crashed", "reset", id="reset within the body"),
        pytest.param(sends(b"", then_closes=True), "crashed", "without an answer", id="empty answer"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nConte", then_closes=True), "crashed", "without an answer", id="half a head"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", then_closes=True), "crashed", "within", id="half a body"),
        pytest.param(
            sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", then_closes=True), "crashed", "within", id="half a chunk"
        ),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nab\r\n"), "crashed", "not HTTP", id="broken chunk"),
        pytest.param(sends(b"\x00\xff\x01 garbage\r\n\r\n", then_closes=True), "crashed", "not HTTP", id="garbage"),
        pytest.param(sends(b"SSH-2.0-OpenSSH_9.2\r\n", then_closes=True), "crashed", "not HTTP", id="another protocol"),
        pytest.param(sends(b"HTTP/1.1 9x9 OK\r\nContent-Length: 0\r\n\r\n"), "crashed", "not HTTP", id="broken status"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nfoo bar\x00baz\r\nContent-Length: 0\r\n\r\n"), "crashed", "not HTTP", id="broken header"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 2_000_000), "crashed", "not HTTP", id="endless head"),
        pytest.param(sends(response(500, b"Traceback")), "crashed", "status 500", id="internal error"),
        pytest.param(sends(response(201)), "accepted", "status 201", id="created"),
        pytest.param(sends(response(422)), "rejected", "status 422", id="unprocessable"),
        pytest.param(sends(response(302)), "rejected", "status 302", id="redirect"),
    ],
)
def test_an_answer_is_read_from_what_a_server_does(behaviour: Behaviour, kind: str, reason: str) -> None:
    with serving(behaviour) as url:
        answer = asked(url)
    assert (answer.kind, reason in answer.reason, answer.reached) == (kind, True, True), answer


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        pytest.param(hangs, "no answer in time", id="hangs"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nConte"), "no answer in time", id="stalls in the head"),
        pytest.param(stalls_in_the_body, "the answer did not end in time", id="stalls in the body"),
        pytest.param(trickles, "the answer did not end in time", id="trickles"),
    ],
)
def test_a_server_that_takes_too_long_is_silent(behaviour: Behaviour, reason: str) -> None:
    with serving(behaviour) as url:
        answer = asked(url, timeout=TIMEOUT)
    assert (answer.kind, answer.status, answer.reason) == ("silent", None, reason)


def test_a_huge_answer_is_read_as_far_as_it_matters() -> None:
    with serving(never_ends) as url:
        answer = asked(url)
    assert (answer.kind, answer.status, len(answer.body)) == ("accepted", 200, 2048)


def test_an_answer_of_ten_megabytes_is_an_answer() -> None:
    with serving(sends(response(200, b"x" * 10_000_000))) as url:
        assert asked(url).kind == "accepted"


@pytest.mark.parametrize(("url", "reason"), [(None, "refused"), ("http://no-such-host.invalid/", "does not resolve")])
def test_a_target_that_never_answered_and_cannot_be_reached_is_an_error_with_a_remedy(url: str | None, reason: str) -> None:
    with pytest.raises(TargetError, match=f"cannot be reached, .*{reason}.*is it running") as raised:
        asked(url or unused_url())
    assert "\n" not in str(raised.value)


def test_a_server_that_goes_away_after_an_answer_has_crashed() -> None:
    async def ask() -> tuple[Answer, Answer]:
        with serving(sends(response(200), then_closes=True)) as url:
            target = HttpTarget(url, patience=0.2)
            await target.open()
            first = await target.send(b"{}")
        second = await target.send(b"{}")
        await target.close()
        return first, second

    first, second = asyncio.run(ask())
    assert (first.kind, second.kind, second.reached) == ("accepted", "crashed", False)
    assert second.reason == "the connection was refused"


def test_a_kept_connection_that_the_server_has_closed_is_no_crash() -> None:
    """Such a message may never have been read; the second attempt tells."""
    seen: list[bytes] = []

    async def closes_every_other_time(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        if len(seen) % 2:
            writer.write(response(201))
        else:
            reset(writer)

    async def ask(url: str) -> list[AnswerKind]:
        target = HttpTarget(url)
        await target.open()
        kinds: list[AnswerKind] = [(await target.send(b"{}")).kind for _ in range(3)]
        await target.close()
        return kinds

    with serving(closes_every_other_time) as url:
        assert asyncio.run(ask(url)) == ["accepted"] * 3


def test_a_redirect_is_not_followed() -> None:
    with serving(sends(response(500))) as elsewhere:
        moved = f"HTTP/1.1 307 Moved\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\n\r\n".encode()
        with serving(sends(moved)) as url:
            assert asked(url).status == 307


def _echo(seen: list[bytes]) -> Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]:
    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        writer.write(response(200))

    return behave


@pytest.mark.parametrize("body", [b"", b"\x00\xff\xfe not text", b"{" * 300_000], ids=["empty", "not text", "long"])
def test_a_message_arrives_byte_for_byte(body: bytes) -> None:
    seen: list[bytes] = []
    with serving(_echo(seen)) as url:
        assert asked(url, body).kind == "accepted"
    assert seen == [body]


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, unused_url())
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with serving(sends(response(200))) as url:
        assert asked(url).kind == "accepted"


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("localhost:8000/offers", "give it as http://localhost:8000/offers"),
        ("offers.example", "give it as http://offers.example"),
        ("ftp://offers.example/", "give one such as http"),
        ("http://", "give one such as http"),
        ("http://[::1", "give one such as http"),
        ("http://offers.example:99999/", "give one such as http"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_with_a_remedy(url: str, remedy: str) -> None:
    with pytest.raises(TargetError, match=remedy):
        HttpTarget(url)


@pytest.mark.parametrize(
    "options", [{"method": "BAD METHOD"}, {"headers": [("X A", "b")]}, {"headers": [("X-A", "a\r\nX-B: c")]}], ids=["method", "name", "value"]
)
def test_a_request_that_http_cannot_carry_is_refused_before_it_is_sent(options: dict[str, Any]) -> None:
    with pytest.raises(TargetError, match="correct its method or headers"):
        asked("http://127.0.0.1:9/", **options)


def test_a_timeout_that_leaves_no_time_is_refused() -> None:
    with pytest.raises(TargetError, match="more than 0"):
        HttpTarget("http://127.0.0.1:9/", timeout=0)


def test_the_content_type_is_json_unless_another_is_given() -> None:
    assert HttpTarget("http://h/", headers=[("X-A", "b")]).headers == [("content-type", "application/json"), ("X-A", "b")]
    assert HttpTarget("http://h/", headers=[("Content-Type", "text/plain")]).headers == [("Content-Type", "text/plain")]


def test_a_user_in_the_url_is_not_in_the_name_of_the_target() -> None:
    assert HttpTarget("http://user:secret@host:8000/offers").name == "http://host:8000/offers"


def test_the_envelope_has_its_say_over_http() -> None:
    failed = b'{"data":null,"failureMessages":["number is taken"],"informationalMessages":[],"operationWasSuccessful":false}'
    with serving(sends(response(200, failed))) as url:
        assert (asked(url).kind, asked(url).reason) == ("rejected", "operationWasSuccessful is false: number is taken")
        assert asked(url, rules=AnswerRules(envelope=False)).kind == "accepted"
