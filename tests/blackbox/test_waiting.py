"""Targets that are not ready for some time: they restart, ask for a pause, or no longer know the session of the
client.
"""

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run, Start
from hand_made_programs import shown_on_a_terminal
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


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1.4, response(429, b"", "Retry-After: 1.5")),
        (1.4, response(503, b"", "Retry-After: 1.5")),
        (1.5, b""),
        (1.5, response(502)),
        (0.4, response(401)),
        (0.4, response(403)),
    ],
    ids=["a pause with 429", "a pause with 503", "a reset", "502", "401", "403"],
)
def test_a_target_that_is_not_ready_for_some_time_has_no_finding(seconds: float, said: bytes) -> None:
    report = fired(Changing(until(seconds, said)), longest_wait=10)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "complete", 0)
    assert report.outcome.unproven == 0
    assert report.result.seconds > seconds - 0.1


def test_by_default_brokerfuzz_waits_for_more_than_a_minute(start: Start) -> None:
    """The test ends the campaign while it waits, and expects that it neither ended earlier nor found anything."""
    service = Changing(until(3600, response(429, b"", "Retry-After: 90")))
    with serving(service) as url, start("fire", url, *OPTIONS, "--max-time", "3s") as process:
        output, _ = process.communicate(timeout=60)
    assert b"no findings" in output
    assert b"stopped answering" not in output
    assert b"the time limit of 3 s was reached" in output


EXPIRED: Final = "the session or the credentials probably expired"


@pytest.mark.parametrize(
    ("answer", "longest_wait", "reasons"),
    [
        (response(429, b"", "Retry-After: 7200"), 60, ("asked brokerfuzz to wait for 7200 s", "longest wait is 60 s")),
        (response(503, b"", "Retry-After: 7200"), 60, ("asked brokerfuzz to wait for 7200 s", "longest wait is 60 s")),
        (response(429), 1.5, ("asked brokerfuzz to wait with status 429, and the longest wait is 1.5 s",)),
        (response(302, b"", "Location: /login"), 1, ("status 302, Location: /login", EXPIRED)),
        (response(401), 1, ("status 401", EXPIRED)),
        (response(419), 1, ("status 419", EXPIRED)),
    ],
    ids=["a quota with 429", "a quota with 503", "no time", "302", "401", "419"],
)
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_quota_or_a_session_that_ends_is_partial_and_no_finding(
    answer: bytes, longest_wait: float, reasons: tuple[str, ...], workers: int
) -> None:
    service = Changing(until(3600, answer))
    report = fired(service, longest_wait=longest_wait, workers=workers)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "partial", 2)
    assert not [reason for reason in reasons if reason not in report.outcome.reason], report.outcome.reason
    assert service.requests < 100


def test_a_target_that_does_not_come_back_within_the_longest_wait_has_stopped_answering() -> None:
    report = fired(Changing(until(3600, b"")), longest_wait=0.5)
    assert [finding.kind for finding in report.findings] == ["stopped-answering"]
    assert (report.outcome.state, report.outcome.status) == ("partial", 1)


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
    command = [sys.executable, "-m", "brokerfuzz.cli", "fire", url, *OPTIONS, "--max-time", "4s", *words]
    return shown_on_a_terminal(command, environment, subprocess.DEVNULL)
