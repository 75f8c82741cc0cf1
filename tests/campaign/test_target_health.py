import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest
from hand_made_servers import OFFER, Behaviour, hangs, reset, response, serving

from brokerfuzz.campaign import Options, Result, fire
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, plain_messages, plainest
from brokerfuzz.schemas import check
from brokerfuzz.targets import HttpTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAIN = plainest(OFFER)


def cases(count: int = 400) -> Iterator[Case]:
    """Omits large messages, because a busy machine may need too long for them."""
    return islice((case for case in catalogue(OFFER, now=NOW) if not case.headers and len(case.body) < 20_000), count)


def fired(behaviour: Behaviour, *, timeout: float = 0.5, longest_wait: float = 0.2, **options: Any) -> Result:
    """The timeouts are short, so that the tests are fast."""
    given = {"patience": 1.0, "shrink_requests": 0, "plain": (PLAIN,), **options}
    with serving(behaviour) as url:
        return fire(cases(), HttpTarget(url, timeout=timeout, patience=0.5, longest_wait=longest_wait), Options(now=NOW, **given))


class Server:
    """A correct server. Subclasses override `react` to misbehave for some requests. `seen` contains the bodies of all requests."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.seen.append(body)
        if not await self.react(body, len(self.seen), writer):
            writer.write(response(400 if check(OFFER, body, now=NOW).label == "invalid" else 201))

    async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
        """If this method returns False, the server then sends the correct answer."""
        return False


class StopsAfter(Server):
    """Never answers after the first `count` requests."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
        if number > self.count:
            await asyncio.sleep(3600)
        return False


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_target_that_hangs_after_some_requests_gives_one_finding_and_ends_the_campaign(concurrency: int) -> None:
    server = StopsAfter(50)
    result = fired(server, concurrency=concurrency)
    assert [(finding.kind, finding.count <= concurrency) for finding in result.findings] == [("stopped-answering", True)]
    assert result.findings[0].sentence().startswith("The target stopped answering (no answer within 0.5 s) while it processed this message")
    assert (result.outcome.state, result.outcome.status) == ("partial", 1)
    assert "the target stopped answering" in result.outcome.headline
    assert ("valid", "timeout") not in result.counts
    assert len(server.seen) < 50 + concurrency + 10


def test_a_target_that_never_answers_ends_the_campaign_before_the_first_case() -> None:
    result = fired(hangs)
    assert (result.cases, result.findings, result.outcome.state, result.outcome.status) == (0, (), "untested", 2)
    assert result.outcome.reason == "no case was sent; the target did not answer any message (no answer within 0.5 s)"


@pytest.mark.parametrize("text", [response(429), response(503, b"", "Retry-After: 31536000")], ids=["429", "503"])
def test_a_target_that_always_asks_to_wait_is_untested(text: bytes) -> None:
    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(text)

    result = fired(behave)
    assert (result.cases, result.findings, result.outcome.state, result.outcome.status) == (0, (), "untested", 2)
    assert "asked to retry later" in result.outcome.reason


class ThrottlesAfter(Server):
    async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
        if number > 15:
            writer.write(response(429, b"", "Retry-After: 60"))
        return number > 15


def test_a_target_that_asks_to_wait_for_too_long_ends_the_campaign_as_partial() -> None:
    result = fired(ThrottlesAfter())
    assert [finding.kind for finding in result.findings] == ["stopped-answering"]
    assert (result.outcome.state, result.outcome.status) == ("partial", 1)
    assert result.cases <= 15


class Recovers(Server):
    """Resets every connection for some time, like a service that is restarted."""

    until = 0.0

    async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
        now = asyncio.get_running_loop().time()
        if number == 50:
            self.until = now + 0.3
        if now < self.until:
            reset(writer)
        return now < self.until


def test_a_target_that_recovers_has_no_finding() -> None:
    server = Recovers()
    result = fired(server)
    assert (result.findings, result.outcome.state) == ((), "complete")
    assert result.cases == 400


class CrashesOn(Server):
    """Crashes on empty comments: resets every connection for some time, like a process that is restarted."""

    def __init__(self) -> None:
        super().__init__()
        self.down = 0.0
        self.writers: set[asyncio.StreamWriter] = set()

    async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
        self.writers.add(writer)
        loop = asyncio.get_running_loop()
        if is_fatal(body):
            self.down = loop.time() + 0.1
        if loop.time() >= self.down:
            await asyncio.sleep(0.002)  # other requests arrive meanwhile
        if loop.time() < self.down:
            reset(writer)
            return True
        return False


def is_fatal(body: bytes) -> bool:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("comments") == ""


def test_a_crash_is_blamed_only_on_the_message_that_causes_it() -> None:
    """All messages that are in progress fail, but only one message fails again when brokerfuzz sends it alone."""
    result = fired(CrashesOn(), concurrency=8, patience=10.0)
    assert {finding.kind for finding in result.findings} == {"crashed"}
    fatal = sum(is_fatal(case.body) for case in cases())
    assert sum(finding.count for finding in result.findings) == fatal > 0
    assert all(is_fatal(finding.case.body) for finding in result.findings)
    assert result.outcome.state == "complete"


class Expires(Server):
    """The token expires after 100 requests. If `renewed` is true, the token becomes valid again when the server has rejected two plain messages."""

    def __init__(self, status: int, renewed: bool) -> None:
        super().__init__()
        self.status, self.renewed = status, renewed
        self.rejected: list[bytes] = []

    async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
        expired = number > 100 and not (self.renewed and self.rejected.count(PLAIN.body) == 2)
        if expired:
            self.rejected.append(body)
            writer.write(response(self.status, b'{"error":"token expired"}'))
        return expired


@pytest.mark.parametrize("status", [401, 403, 407])
def test_expired_credentials_end_the_campaign_as_partial_without_a_finding(status: int) -> None:
    server = Expires(status, renewed=False)
    result = fired(server)
    assert (result.findings, result.outcome.state, result.outcome.status) == ((), "partial", 2)
    assert result.outcome.reason == f"the target now rejects an ordinary valid message that it accepted before (status {status})"
    assert result.unproven == 0
    assert len(server.seen) < 130


@pytest.mark.parametrize("status", [401, 403])
def test_a_campaign_continues_if_the_plain_message_is_accepted_again(status: int) -> None:
    result = fired(Expires(status, renewed=True))
    assert (result.findings, result.unproven, result.outcome.state, result.cases) == ((), 0, "complete", 400)


def test_a_firewall_that_rejects_some_messages_does_not_end_the_campaign() -> None:
    class Firewall(Server):
        async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
            if b"SELECT" in body or b"<script" in body:
                writer.write(response(403, b"blocked"))
                return True
            return False

    result = fired(Firewall())
    assert result.cases == 400
    assert result.outcome.state == "complete"


def test_a_message_that_always_hangs_is_a_finding_and_the_campaign_continues() -> None:
    class HangsOn(Server):
        async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
            if is_fatal(body):
                await asyncio.sleep(3600)
            return False

    result = fired(HangsOn())
    assert {finding.kind for finding in result.findings} == {"timeout"}
    assert (result.outcome.state, result.cases) == ("complete", 400)


def test_another_plain_message_is_used_if_the_target_rejects_the_first_one() -> None:
    """The target rejects every message with a link, and the first plain message contains a link."""

    class Firewall(Server):
        async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
            if is_strange := b"https://" in body:
                writer.write(response(403, b"blocked"))
            return is_strange

    result = fired(Firewall(), plain=plain_messages(OFFER))
    assert (result.cases, result.outcome.state) == (400, "complete")
    assert {one.why for one in result.proofs.examples()} <= {"status 403 says nothing about the message"}  # the fault contains the link
    assert {finding.kind for finding in result.findings} == {"valid-rejected"}
    assert sum(result.proofs.retested.values()) > 100


def test_a_target_that_only_answers_invalid_messages_is_tested() -> None:
    """The plain message always fails, so brokerfuzz sends the empty message to check if the target still answers."""

    class Broken(Server):
        async def react(self, body: bytes, number: int, writer: asyncio.StreamWriter) -> bool:
            if check(OFFER, body, now=NOW).label == "invalid":
                return False
            reset(writer)
            return True

    result = fired(Broken(), concurrency=4)
    assert result.cases == 400
    assert {finding.kind for finding in result.findings} == {"crashed"}
    assert result.outcome.state == "untested"
