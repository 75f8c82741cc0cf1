"""Targets that are not ready for some time: they restart, ask for a pause, or no longer know the session of the
client.
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

import pytest
from fixture_types import Run, Start
from hand_made_servers import Behaviour, conforming, read_request, reset, response, sends, serving, serving_streams

import brokerfuzz
from brokerfuzz import Report

FEW: Final[dict[str, Any]] = {"rules": ["*orderMinimum:*"], "count": 0, "shrink": 5}
OPTIONS = ("--rule", "*orderMinimum:*", "--count", "0", "--shrink", "5s")


class Changing:
    """A correct service. After `first` requests, `then` answers, until it returns None."""

    def __init__(self, then: Callable[[float], bytes | None], first: int = 30) -> None:
        self.then, self.first, self.requests, self.began = then, first, 0, 0.0

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.requests += 1
        now = asyncio.get_running_loop().time()
        if self.requests == self.first:
            self.began = now
        said = self.then(now - self.began) if self.began else None
        if said == b"":
            reset(writer)
        else:
            writer.write(said or response(conforming(body)))


def until(seconds: float, said: bytes) -> Callable[[float], bytes | None]:
    return lambda passed: said if passed < seconds else None


def fired(service: Behaviour, **options: Any) -> Report:
    chosen: dict[str, Any] = {**FEW, **options}
    with serving(service) as url:
        return brokerfuzz.fire(url, **chosen)


@pytest.mark.parametrize("status", [429, 503])
def test_a_pause_that_the_target_asks_for_is_no_finding(status: int) -> None:
    service = Changing(until(1.4, response(status, b"", "Retry-After: 1.5")))
    report = fired(service, longest_wait=3)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "complete", 0)
    assert report.result.seconds > 1.3


def test_by_default_brokerfuzz_waits_for_more_than_a_minute(start: Start) -> None:
    """The test ends the campaign while it waits, and expects that it neither ended earlier nor found anything."""
    service = Changing(until(3600, response(429, b"", "Retry-After: 90")))
    with serving(service) as url, start("fire", url, *OPTIONS, "--max-time", "3s") as process:
        output, _ = process.communicate(timeout=60)
    assert b"no findings" in output
    assert b"stopped answering" not in output
    assert b"the time limit of 3 s was reached" in output


@pytest.mark.parametrize(
    "answer", [response(429, b"", "Retry-After: 7200"), response(503, b"", "Retry-After: 7200")], ids=["429", "503"]
)
def test_a_daily_quota_ends_the_campaign_as_partial_without_a_finding(answer: bytes) -> None:
    service = Changing(until(3600, answer))
    report = fired(service, longest_wait=60)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "partial", 2)
    assert "the target asked brokerfuzz to wait for 7200 s" in report.outcome.reason
    assert "the longest wait is 60 s" in report.outcome.reason
    assert service.requests < 80


def test_a_quota_without_a_time_ends_the_campaign_after_the_longest_wait() -> None:
    report = fired(Changing(until(3600, response(429))), longest_wait=1.5)
    assert (report.findings, report.outcome.state) == ((), "partial")
    assert "asked brokerfuzz to wait with status 429, and the longest wait is 1.5 s" in report.outcome.reason


@pytest.mark.parametrize("said", [b"", response(502), response(503)], ids=["reset", "502", "503"])
def test_a_restart_is_no_finding(said: bytes) -> None:
    report = fired(Changing(until(1.5, said)), longest_wait=10)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "complete", 0)


def test_a_target_that_does_not_come_back_within_the_longest_wait_has_stopped_answering() -> None:
    report = fired(Changing(until(3600, b"")), longest_wait=0.5)
    assert [finding.kind for finding in report.findings] == ["stopped-answering"]
    assert (report.outcome.state, report.outcome.status) == ("partial", 1)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (response(302, b"", "Location: /login"), "status 302, Location: /login"),
        (response(307, b"", "Location: https://id.example/"), "status 307, Location: https://id.example/"),
        (response(401), "status 401"),
        (response(403), "status 403"),
        (response(419), "status 419"),
    ],
    ids=["302", "307", "401", "403", "419"],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_session_that_ends_is_partial_and_no_finding(answer: bytes, why: str, workers: int) -> None:
    service = Changing(until(3600, answer))
    report = fired(service, longest_wait=1, workers=workers)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "partial", 2)
    assert why in report.outcome.reason
    assert "the session or the credentials probably expired" in report.outcome.reason
    assert service.requests < 100


@pytest.mark.parametrize(("setting", "times"), [("", 1), ("authenticate-after = ['3xx']", 2)])
def test_the_statuses_after_which_a_session_is_renewed_can_be_chosen(
    run: Run, tmp_path: Path, setting: str, times: int
) -> None:
    hooks, log = tmp_path / "hooks.py", tmp_path / "log"
    hooks.write_text(
        "def authenticate():\n"
        f"    with open({str(log)!r}, 'a+') as file:\n"
        "        file.write('.')\n"
        "        file.seek(0)\n"
        "        return {'X-Session': file.read()}\n"
    )

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            seen.append(body)
            expired = len(seen) > 30 and b"x-session: ..\r\n" not in head.lower()
            writer.write(response(302, b"", "Location: /login") if expired else response(conforming(body)))

    config = tmp_path / "brokerfuzz.toml"
    config.write_text(setting)
    seen: list[bytes] = []
    with serving_streams(converse) as url:
        result = run("fire", url, *OPTIONS, "--hooks", hooks, "--config", config)
    assert log.read_text() == "." * times
    assert result.exit_code == (0 if setting else 2)


class Hangs(Changing):
    """Does not answer any request after the first ones."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        if self.requests > self.first:
            self.requests += 1
            await asyncio.sleep(3600)
        await super().__call__(body, writer)


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_target_that_hangs_gives_one_finding_and_ends_the_campaign(concurrency: int) -> None:
    service = Hangs()
    report = fired(service, concurrency=concurrency, timeout=0.3, longest_wait=0.5)
    (finding,) = report.findings
    assert (finding.kind, finding.count <= concurrency) == ("stopped-answering", True)
    said = "stopped answering (no answer within 0.3 s) while it processed this message"
    assert finding.sentence().startswith(said)
    assert (report.outcome.state, report.outcome.status) == ("partial", 1)
    assert service.requests < 50 + concurrency


class CrashesOn(Changing):
    """Crashes on the minimum 0: breaks every connection for some time, like a process that is restarted."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.down = 0.0

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        if is_fatal(body):
            self.down = loop.time() + 0.1
        if loop.time() >= self.down:
            await asyncio.sleep(0.002)  # other requests arrive meanwhile
        if loop.time() < self.down:
            reset(writer)
        else:
            await super().__call__(body, writer)


def is_fatal(body: bytes) -> bool:
    return b'"orderMinimum":0' in body


def test_a_crash_is_blamed_only_on_the_message_that_causes_it() -> None:
    report = fired(CrashesOn(), concurrency=8, longest_wait=10)
    assert {finding.kind for finding in report.findings} == {"crashed"}
    assert all(is_fatal(finding.body) for finding in report.findings)
    assert report.outcome.state == "complete"


@pytest.mark.parametrize("status", [401, 403])
def test_a_campaign_continues_if_the_session_is_valid_again(status: int) -> None:
    report = fired(Changing(until(0.4, response(status))))
    assert (report.findings, report.outcome.state, report.outcome.unproven) == ((), "complete", 0)


def test_a_firewall_that_rejects_some_messages_does_not_end_the_campaign() -> None:
    async def firewall(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(403 if b'"orderMinimum":null' in body else conforming(body)))

    report = fired(firewall)
    assert report.outcome.state == "complete"
    assert {finding.kind for finding in report.findings} <= {"valid-rejected"}


def test_a_message_that_always_hangs_is_a_finding_and_the_campaign_continues() -> None:
    async def hangs_on(body: bytes, writer: asyncio.StreamWriter) -> None:
        if is_fatal(body):
            await asyncio.sleep(3600)
        writer.write(response(conforming(body)))

    report = fired(hangs_on, timeout=0.5, shrink=0)
    assert {finding.kind for finding in report.findings} == {"timeout"}
    assert report.outcome.state == "complete"


@pytest.mark.parametrize(
    ("then", "why"),
    [
        (
            until(3600, response(429, b"", "Retry-After: 45")),
            "waiting for the target (it asked brokerfuzz to wait for 45 s with status 429)",
        ),
        (until(3600, response(503)), "waiting for the target (status 503)"),
    ],
    ids=["pause", "down"],
)
def test_the_progress_line_says_what_brokerfuzz_waits_for(
    then: Callable[[float], bytes | None], why: str, environment: Mapping[str, str]
) -> None:
    with serving(Changing(then)) as url:
        assert why in _shown_while_firing(url, environment)


def test_the_progress_line_has_the_rate_and_the_problems_found_so_far(environment: Mapping[str, str]) -> None:
    with serving(sends(response(201))) as url:
        shown = _shown_while_firing(url, environment, "--verdict", "invalid", "--rate", "100")
    assert re.search(r"firing: [0-9]+ of [0-9,]+ cases, [0-9]+ requests/s, [0-9]+ problems?: [a-z]", shown), shown
    assert max(len(line) for line in shown.split("\r\x1b[K")) <= 80


def _shown_while_firing(url: str, environment: Mapping[str, str], *words: str) -> str:
    """Returns what the command shows on a terminal."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        command = [sys.executable, "-m", "brokerfuzz.cli", "fire", url, *OPTIONS, "--max-time", "4s", *words]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment):
            os.close(theirs)
            return b"".join(_until_closed(terminal)).decode()


def _until_closed(terminal: IO[bytes]) -> Iterator[bytes]:
    with suppress(OSError):
        while chunk := terminal.read(65536):
            yield chunk
