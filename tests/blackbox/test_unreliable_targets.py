"""Correct targets that fail for reasons that have nothing to do with the message: they are overloaded, restart, ask for a
pause, or no longer know the session of the client.
"""

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run, Spawn
from hand_made_programs import shown_on_a_terminal
from hand_made_servers import conforming, fired, reset, response, sends, serving, unused_url
from waiting import happens

import brokerfuzz

MINIMUM: Final[dict[str, Any]] = {"rules": ["*orderMinimum:*"], "shrink": 5}
MORE: Final[dict[str, Any]] = {"rules": ["*orderMinimum:*", "*comments:*"], "random": 20, "longest_wait": 5}
OPTIONS = ("--rule", "*orderMinimum:*", "--random", "0", "--shrink", "5s")
CUT = b"a part of the body"
TRUNCATED = b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n" + CUT


# ------------------------------------------------------------------------------------------------------ single failures


class Unreliable:
    """A correct service that sometimes answers with `failure`."""

    def __init__(self, failure: bytes) -> None:
        self.failure = failure
        self.requests = self.under_way = 0

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.requests += 1
        self.under_way += 1
        said = self.failure if self.fails(body) else response(conforming(body))
        await asyncio.sleep(0.003)
        self.under_way -= 1
        writer.write(said)
        if said.endswith(CUT):
            writer.close()

    def fails(self, body: bytes) -> bool:
        return self.requests % 23 == 0


class Balanced(Unreliable):
    """Every 23rd message gets an answer of a load balancer, but not when it is sent again."""

    def __init__(self, failure: bytes) -> None:
        super().__init__(failure)
        self.known: set[bytes] = set()

    def fails(self, body: bytes) -> bool:
        is_new = body not in self.known
        self.known.add(body)
        return is_new and super().fails(body)


class Overloaded(Unreliable):
    """Fails if more than eight requests are under way."""

    most = 8

    def fails(self, body: bytes) -> bool:
        return self.under_way > self.most


class Locked(Overloaded):
    """Fails if more than one request is under way."""

    most = 1


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "service",
    [
        Unreliable(response(401)),
        Unreliable(response(408)),
        Unreliable(response(302, b"", "Location: /login")),
        Unreliable(TRUNCATED),
        Overloaded(response(503)),
        Overloaded(response(400, b'{"error":"too many requests"}')),
        Overloaded(TRUNCATED),
        Locked(response(500, b'{"error":"database is locked"}')),
        Balanced(response(200, b"<html>Welcome</html>")),
        Balanced(response(200, b"{}")),
    ],
    ids=[
        "401", "408", "302", "truncated", "overloaded 503", "overloaded 400", "overloaded and truncated", "locked",
        "a page", "an object",
    ],
)  # fmt: skip
def test_a_service_that_fails_sometimes_or_because_of_parallel_requests_has_no_finding(service: Unreliable) -> None:
    report = fired(service, **MORE)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "complete", 0)


@pytest.mark.long
def test_two_workers_count_the_failures_of_parallel_requests() -> None:
    report = fired(Locked(response(500, b"locked")), **MINIMUM, workers=2)
    assert report.findings == ()
    assert "wrong answers did not occur again when the message was sent again: crashed (status 500): " in str(report)


def test_every_report_counts_the_wrong_answers_that_did_not_occur_again_on_one_line(run: Run, folder: Path) -> None:
    reports = ("r.json", "r.md", "r.xml", "r.html")
    paths = [word for name in reports for word in ("--report", name)]
    with serving(Balanced(response(201, b"<html>Welcome</html>"))) as url:
        done = run("fire", url, "--rule", "*orderM*", "--verdict", "invalid", *paths)
    assert (done.exit_code, done.stderr) == (0, "")
    report = json.loads(Path("r.json").read_text())
    ((count, answer),) = [(one["count"], one["answer"]) for one in report["sporadic"]]
    said = f"{count} wrong answers did not occur again when the message was sent again: accepted (status 201): {count}"
    assert (count > 1, answer, report["counts"]["invalid"]["accepted"]) == (True, "accepted", count)
    texts = {name: " ".join(Path(name).read_text().split()) for name in reports[1:]}
    assert said in " ".join(done.stdout.split())
    assert said in texts["r.html"]
    assert "No answer of the target contradicts" in texts["r.html"]
    assert said in texts["r.md"].replace("`", "")
    assert f'<property name="sporadic" value="{said}" />' in texts["r.xml"]
    assert '<skipped type="accepted"' not in texts["r.xml"]
    assert all(rule["accepted"] == 0 for rule in report["rules"])


def test_a_message_that_always_crashes_is_found_beside_crashes_by_concurrency() -> None:
    class Both(Overloaded):
        most = 4

        def fails(self, body: bytes) -> bool:
            return super().fails(body) or b'"orderMinimum":1,' in body.replace(b" ", b"")

    report = fired(Both(response(500, b"locked")), **MINIMUM)
    assert report.findings
    assert {finding.kind for finding in report.findings} == {"crashed"}
    assert all(b'"orderMinimum":1' in finding.body and not finding.flaky for finding in report.findings)
    assert report.result.sporadic


def test_a_crash_that_recurs_sometimes_is_a_finding_that_is_not_blamed_on_concurrent_requests() -> None:
    calls = 0

    def accepts(body: bytes) -> bool:
        nonlocal calls
        if b'"orderMinimum":1' in body:
            calls += 1
            if calls % 3 == 1:
                raise RuntimeError("out of luck")
        return conforming(body) == 201

    assert {finding.kind for finding in brokerfuzz.fire(accepts, **MINIMUM).findings} == {"crashed"}


def test_a_service_that_answers_one_message_after_the_other_slowly_has_no_finding() -> None:
    """The service also answers messages whose sender has given up, so each message is late until the queue is empty."""
    lock = asyncio.Lock()

    async def one_at_a_time(body: bytes, writer: asyncio.StreamWriter) -> None:
        async with lock:
            await asyncio.sleep(0.03)
            writer.write(response(conforming(body)))

    report = fired(one_at_a_time, timeout=0.3, rules=["*orderMinimum:type"], shrink=5)
    assert (report.findings, report.outcome.state) == ((), "complete")


@pytest.mark.parametrize("service", [Locked(response(500, b"locked")), Balanced(response(200, b"<html></html>"))])
def test_a_resumed_campaign_counts_the_same_wrong_answers(run: Run, tmp_path: Path, service: Unreliable) -> None:
    journal, document, again = (tmp_path / name for name in ("run.ndjson", "report.json", "again.json"))
    with serving(service) as url:
        assert run("fire", url, *OPTIONS, "--journal", journal, "--report", document).exit_code == 0
        resumed = run("fire", url, "--resume", journal, "--report", again)
    assert resumed.exit_code == 2
    assert resumed.stdout.startswith("untested (all answers come from the journal: start a new campaign")
    counts = [[one["count"] for one in json.loads(path.read_text())["sporadic"]] for path in (document, again)]
    assert counts[0] == counts[1]
    assert counts[0][0] > 0


# --------------------------------------------------------------------------------------- not ready, or no longer there


async def sends_conforming(body: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(response(conforming(body)))


class Changing:
    """A correct service. After thirty requests, it answers with `said` for some seconds, or resets each connection."""

    def __init__(self, seconds: float, said: bytes) -> None:
        self.seconds, self.said, self.requests, self.until = seconds, said, 0, 0.0

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.requests += 1
        now = asyncio.get_running_loop().time()
        if self.requests == 30:
            self.until = now + self.seconds
        if now >= self.until:
            writer.write(response(conforming(body)))
        elif self.said:
            writer.write(self.said)
        else:
            reset(writer)


ASKS_TO_WAIT = {status: response(status, b"", "Retry-After: 0.8") for status in (429, 503)}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.7, ASKS_TO_WAIT[429]), (0.7, ASKS_TO_WAIT[503]), (0.8, b""), (0.8, response(502)), (0.4, response(401))],
    ids=["a pause with 429", "a pause with 503", "a reset", "502", "401"],
)
def test_a_target_that_is_not_ready_for_some_time_has_no_finding(seconds: float, said: bytes) -> None:
    report = fired(Changing(seconds, said), **MINIMUM, longest_wait=10)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "complete", 0)
    assert report.outcome.unproven == 0
    assert report.result.seconds > seconds - 0.1


def test_the_report_says_for_how_long_the_target_was_away(run: Run, tmp_path: Path) -> None:
    document = tmp_path / "report.json"
    with serving(Changing(2, b"")) as url:
        done = run("fire", url, *OPTIONS, "--longest-wait", "10s", "--report", document)
    assert done.exit_code == 0, done.output
    (seconds,) = re.findall(r"outage +the target was away for ([0-9.]+) s", done.stdout)
    assert 0.7 <= float(seconds) <= 6
    assert json.loads(document.read_text())["away"] == pytest.approx(float(seconds), abs=0.1)
    with serving(sends_conforming) as url:
        assert "outage" not in run("fire", url, *OPTIONS).stdout


def test_by_default_brokerfuzz_waits_for_more_than_a_minute() -> None:
    report = fired(Changing(3600, response(429, b"", "Retry-After: 90")), **MINIMUM, max_time=1)
    assert report.findings == ()
    assert "the time limit of 1 s was reached" in str(report.result.stopped)


EXPIRED: Final = "the session or the credentials probably expired"


@pytest.mark.parametrize(
    ("answer", "longest_wait", "reason"),
    [
        (response(429, b"", "Retry-After: 7200"), 60, "to wait for 7200 s"),
        (response(429), 0.5, "asked brokerfuzz to wait with status 429, and the longest wait is 0.5 s"),
        (response(302, b"", "Location: /login"), 0.3, EXPIRED),
        (response(401), 0.3, EXPIRED),
    ],
    ids=["a quota", "no time", "302", "401"],
)
def test_a_quota_or_a_session_that_ends_is_partial_and_no_finding(
    answer: bytes, longest_wait: float, reason: str
) -> None:
    service = Changing(3600, answer)
    report = fired(service, **MINIMUM, longest_wait=longest_wait)
    assert (report.findings, report.outcome.state, report.outcome.status) == ((), "partial", 2)
    assert reason in report.outcome.reason
    assert service.requests < 100


def test_a_target_that_does_not_come_back_within_the_longest_wait_has_stopped_answering() -> None:
    report = fired(Changing(3600, b""), **MINIMUM, longest_wait=0.5)
    assert [finding.kind for finding in report.findings] == ["stopped-answering"]
    assert (report.outcome.state, report.outcome.status) == ("partial", 1)


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_target_that_hangs_gives_one_finding_and_ends_the_campaign(concurrency: int) -> None:
    seen: list[bytes] = []

    async def hangs_later(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        await asyncio.sleep(3600 if len(seen) > 30 else 0)
        writer.write(response(conforming(body)))

    report = fired(hangs_later, **MINIMUM, concurrency=concurrency, timeout=0.3, longest_wait=0.5)
    (finding,) = report.findings
    assert finding.sentence().startswith("stopped answering (no answer within 0.3 s) while it processed this message")
    assert (report.outcome.state, report.outcome.status) == ("partial", 1)
    assert len(seen) < 50 + concurrency


def test_a_message_that_always_hangs_is_a_finding_and_the_campaign_continues() -> None:
    async def hangs_on(body: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(3600 if b'"orderMinimum":0' in body else 0)
        writer.write(response(conforming(body)))

    report = fired(hangs_on, rules=MINIMUM["rules"], timeout=0.5, shrink=0)
    assert {finding.kind for finding in report.findings} == {"timeout"}
    assert report.outcome.state == "complete"


def unused_port() -> int:
    return int(unused_url().rpartition(":")[2].removesuffix("/offers"))


@contextmanager
def starting_slowly(port: int) -> Iterator[None]:
    """Nothing listens for a second. Then, a gateway answers some requests with status 503, until the target listens."""
    seen: list[bytes] = []
    ended = threading.Event()

    async def unavailable(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        writer.write(response(503))

    def starts() -> None:
        time.sleep(1)
        with serving(unavailable, port=port):
            happens(lambda: len(seen) > 3 or ended.is_set())
        with serving(sends(response(201)), port=port):
            ended.wait()

    thread = threading.Thread(target=starts)
    thread.start()
    yield
    ended.set()
    thread.join()
    assert len(seen) > 3


def test_a_campaign_waits_until_the_target_listens_and_the_gateway_before_it_is_ready(run: Run) -> None:
    port = unused_port()
    with starting_slowly(port):
        done = run("fire", f"http://127.0.0.1:{port}/offers", *OPTIONS, "--json")
    assert done.exit_code == 1, done.output
    assert done.stderr.startswith("brokerfuzz: waiting for the target (")
    assert json.loads(done.stdout)["findings"]


def test_a_report_is_replayed_when_the_target_listens_and_a_hook_logs_in_only_then(spawn: Spawn, folder: Path) -> None:
    fired(sends(response(201)), **MINIMUM, reports=["report.json"])
    port = unused_port()
    login = f"import urllib.request as web\ndef authenticate():\n web.urlopen('http://127.0.0.1:{port}')\n return {{}}"
    Path("hooks.py").write_text(login)
    with starting_slowly(port):
        done = spawn("replay", "report.json", f"http://127.0.0.1:{port}/offers", "--hooks", "hooks.py")
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"gone" in done.stdout


def test_a_campaign_does_not_wait_for_a_target_longer_than_its_time(caplog: pytest.LogCaptureFixture) -> None:
    report = brokerfuzz.fire(unused_url(), **MINIMUM, max_time=0.5)
    assert report.outcome.state == "untested"
    assert (
        "the time limit of 0.5 s was reached while brokerfuzz waited for the target (the connection was refused)"
        in (report.outcome.headline)
    )
    assert "brokerfuzz: waiting for the target (the connection was refused)" in caplog.messages


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("behaviour", "words", "said"),
    [
        (
            sends(response(201)),
            ["--verdict", "invalid", "--rate", "20"],
            r"firing: [0-9]+ of [0-9,]+ cases, [0-9]+ requests/s, [0-9]+ problems?: [a-z]",
        ),
        (
            Changing(3600, response(429, b"", "Retry-After: 45")),
            [],
            r"waiting for the target \(it asked brokerfuzz to wait for 45 s with status 429\)",
        ),
    ],
    ids=["rate and problems", "waiting"],
)
def test_the_progress_line_says_what_happens(
    environment: Mapping[str, str], behaviour: Any, words: list[str], said: str
) -> None:
    with serving(behaviour) as url:
        command = [sys.executable, "-m", "brokerfuzz.cli", "fire", url, *OPTIONS, *words]
        shown = shown_on_a_terminal(command, environment, subprocess.DEVNULL, until=said)
    assert re.search(said, shown), shown
    assert max(len(line) for line in shown.split("\r\x1b[K")[:-1]) <= 80
