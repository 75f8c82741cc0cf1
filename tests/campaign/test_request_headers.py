import asyncio
import gzip
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from chosen_campaigns import fired
from hand_made_servers import OFFER, conforming, response, serving_streams

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.requests import header_cases
from brokerfuzz.reports import json_document, terminal
from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.headers import Headers, carried
from brokerfuzz.service.judging import decisions
from brokerfuzz.service.running import running
from brokerfuzz.targets import HttpTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CASES = tuple(header_cases(load_contract(), OFFER, NOW))
BODY = b'{"number":"N-1","offerType":"Email","comments":"a"}'
PLAIN = Case.judged(OFFER, BODY, now=NOW)
XML = Case.judged(
    OFFER, BODY, now=NOW, headers=(("Content-Type", "application/xml"),), tags=("probe:content-type", "as:xml-type")
)
NO_TYPE = replace(XML, headers=(("Content-Type", None),), tags=("probe:content-type", "as:no-content-type"))
COMPRESSED = Case.judged(
    OFFER,
    gzip.compress(BODY),
    now=NOW,
    headers=(("Content-Encoding", "gzip"),),
    tags=("probe:content-encoding", "as:gzip"),
)
named = pytest.mark.parametrize("case", CASES, ids=[case.tags[1] for case in CASES])


@dataclass
class Request:
    """The names of headers are in lower case, and the chunks of the body are joined."""

    headers: list[tuple[str, str]]
    body: bytes

    def values(self, name: str) -> list[str]:
        return [value for held, value in self.headers if held == name]


Status = Callable[[Request], int]


@contextmanager
def recording(status_of: Status = lambda _: 200) -> Iterator[tuple[str, list[Request]]]:
    """Yields the URL of a server and the list of its received requests."""
    seen: list[Request] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            pairs = [line.partition(":") for line in head.decode().split("\r\n")[1:] if line]
            request = Request([(name.lower(), value.strip()) for name, _, value in pairs], b"")
            lengths = request.values("content-length")
            request.body = await (reader.readexactly(int(lengths[0])) if lengths else _chunks(reader))
            seen.append(request)
            writer.write(response(status_of(request)))
            await writer.drain()

    with serving_streams(handle) as url:
        yield url, seen


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


# ---------------------------------------------------------------------------------------------------- what is sent


def assert_received(request: Request, case: Case) -> None:
    assert request.body == case.body
    for name in {name for name, _ in case.headers}:
        assert request.values(name.lower()) == [
            value for held, value in case.headers if held == name and value is not None
        ]
    untouched = {"content-type": ["application/json"], "x-tenant": ["5"], "content-encoding": []}
    for name in untouched.keys() - {name.lower() for name, _ in case.headers}:
        assert request.values(name) == untouched[name]
    assert bool(request.values("content-length")) != bool(request.values("transfer-encoding"))


@named
def test_a_case_arrives_with_its_headers_and_body(case: Case) -> None:
    with recording() as (url, seen):
        result = fired([case, PLAIN], HttpTarget(url, headers=[("X-Tenant", "5")]), concurrency=1)
    assert (result.findings, len(seen)) == ((), 2)
    assert_received(seen[0], case)
    assert_received(seen[1], PLAIN)


@named
@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_reproduction_command_sends_the_same_headers(case: Case) -> None:
    with recording() as (url, seen):
        line = HttpTarget(url, headers=[("X-Tenant", "5")]).reproduction(case.body, case.headers)
        subprocess.run(
            ["sh"],
            input=line,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NO_PROXY": "*"},
            timeout=20,
        )
    assert line.isprintable()
    assert_received(seen[0], case)


def test_the_content_type_of_a_case_replaces_that_of_the_target() -> None:
    with recording() as (url, seen):
        fired(
            [PLAIN, NO_TYPE, XML], HttpTarget(url, headers=[("CONTENT-TYPE", "application/offer+json")]), concurrency=1
        )
    assert [request.values("content-type") for request in seen] == [["application/offer+json"], [], ["application/xml"]]


def test_an_empty_body_can_be_sent_in_chunks() -> None:
    chunked: Headers = (("Transfer-Encoding", "chunked"),)
    cases = [Case.judged(OFFER, b"", now=NOW, headers=headers) for headers in (chunked, ())]
    with recording(lambda _: 400) as (url, seen):
        assert fired(cases, HttpTarget(url), concurrency=1).findings == ()
    assert [(request.body, request.values("content-length"),
    request.values("transfer-encoding")) for request in seen] == [
        (b"", [], ["chunked"]), (b"", ["0"], []),
    ]  # fmt: skip


def test_repeated_headers_of_the_target_are_all_sent() -> None:
    with recording() as (url, seen):
        fired([PLAIN], HttpTarget(url, headers=[("X-A", "1"), ("x-a", "2")]))
    assert seen[0].values("x-a") == ["1", "2"]


# ---------------------------------------------------------------------------------------------------- what is found


def choosy(request: Request) -> int:
    return conforming(request.body) if request.values("content-type") == ["application/json"] else 415


def test_the_behaviour_for_unusual_headers_is_listed_in_the_ledger_and_is_not_a_finding() -> None:
    for status_of, behaviour in ((choosy, "rejected"), (lambda _: 201, "accepted")):
        with recording(status_of) as (url, _):
            result = fired([XML, NO_TYPE], HttpTarget(url), plain=plain_messages(OFFER))
        assert result.findings == ()
        behaviours = {observed.ambiguity.id: observed.behaviour for observed in result.ambiguities}
        assert behaviours == {"content-type": behaviour, "repeated-number": "accepted"}


def test_shrinking_a_crash_keeps_the_headers() -> None:
    with recording(lambda request: 500 if request.values("content-type") != ["application/json"] else 201) as (
        url,
        seen,
    ):
        (finding,) = fired([PLAIN, XML, NO_TYPE], HttpTarget(url), concurrency=1).findings
    assert (finding.kind, finding.label, finding.count, finding.ambiguities) == (
        "crashed",
        "unspecified",
        2,
        ("content-type",),
    )
    assert finding.body == b'{"number":"0","offerType":"Direct Mail"}'
    assert "'Content-Type: application/xml'" in finding.reproduction
    assert {tuple(request.values("content-type")) for request in seen[3:]} == {("application/xml",), ()}


def test_crashes_about_different_headers_are_different_findings() -> None:
    with recording(
        lambda request: 500 if request.values("content-encoding") or not request.values("content-type") else 201
    ) as (url, _):
        findings = fired([NO_TYPE, replace(COMPRESSED, body=BODY)], HttpTarget(url)).findings
    assert [finding.ambiguities for finding in findings] == [("content-type",), ("false-content-encoding",)]


def test_a_crash_on_a_compressed_message_is_shown_compressed() -> None:
    with recording(lambda request: 500 if request.values("content-encoding") else 201) as (url, _):
        (finding,) = fired([COMPRESSED], HttpTarget(url)).findings
    assert carried(finding.body, finding.case.headers) == BODY


def test_behaviour_that_contradicts_a_policy_is_a_finding() -> None:
    with recording() as (url, _):
        (finding,) = fired([XML, COMPRESSED], HttpTarget(url), policies={"content-type": "rejected"}).findings
    assert finding.claim() == "message: accepted content-type: application/xml; must be application/json"
    with recording(choosy) as (url, _):
        (finding,) = fired([PLAIN, XML, COMPRESSED], HttpTarget(url), policies={"content-type": "accepted"}).findings
    assert finding.sentence() == (
        "rejected (status 415) a valid offer creation request: "
        "even the simplest message with Content-Type: application/xml causes this"
    )


def test_reports_show_headers_only_for_findings_with_unusual_headers() -> None:
    with recording(lambda request: 500 if not request.values("content-type") else 400) as (url, _):
        result = fired([PLAIN, NO_TYPE], HttpTarget(url))
    about = {entry["kind"]: entry for entry in json_document.document(result)["findings"]}
    assert about["crashed"]["smallest"]["headers"] == about["crashed"]["case"]["headers"] == [["Content-Type", None]]
    assert "headers" not in about["valid-rejected"]["smallest"]
    assert "\n".join(terminal.lines_of(json_document.document(result), verbose=True)).count("no Content-Type") == 1


# ------------------------------------------------------------------------------------------------- the embedded service


def test_the_reference_service_follows_its_table_and_never_fails() -> None:
    with running(now=NOW) as url:
        result = fired(CASES, HttpTarget(f"{url}/offers"), plain=plain_messages(OFFER))
    assert (result.findings, {answer for _, answer in result.counts}) == ((), {"accepted", "rejected"})
    behaviours = {observed.ambiguity.id: observed.behaviour for observed in result.ambiguities}
    del behaviours["repeated-number"]
    assert behaviours == {ambiguity: ",".join(decisions(load_contract())[ambiguity]) for ambiguity in behaviours}
    assert len(behaviours) == 7
