"""Services that follow the contract, but whose HTTP responses are unusual, and the headers that users specify with -H."""

import asyncio
import gzip
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import cycle
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import (
    conforming,
    fired,
    in_stored_brotli,
    response,
    sends,
    serving,
    serving_requests,
    serving_streams,
)

import brokerfuzz
from brokerfuzz.targets import HttpTarget

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FEW: Final[brokerfuzz.FireOptions] = {"rules": ["*/orderMinimum:*"], "shrink": 0}
WORDS: Final = ("--rule", "*/orderMinimum:minimum", "--shrink", "off")
Encode = Callable[[bytes], bytes]
Answer = tuple[str, bytes]
"""The name of an encoding, and an encoded body."""


ENCODINGS: Final[list[tuple[str, Encode]]] = [
    ("gzip", gzip.compress),
    ("GZIP", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", lambda data: zlib.compress(data, wbits=-15)),
    ("zstd", zstd.compress),
    ("identity", bytes),
]


def in_turn(encodings: Iterable[tuple[str, Encode]]) -> Callable[[bytes], Answer]:
    """Answers each message with the envelope that the contract requires, in the next encoding. Nobody requested it."""
    left = cycle(encodings)

    def answer(body: bytes) -> Answer:
        encoding, encode = next(left)
        succeeded = {201: "true", 400: "false"}[conforming(body)]
        said = f'{{"data":null,"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":{succeeded}}}'
        return encoding, encode(said.encode())

    return answer


def serving_encoded(
    answer: Callable[[bytes], Answer], status_of: Callable[[bytes], int] = lambda _: 200
) -> AbstractContextManager[str]:
    def answered(head: bytes, body: bytes) -> bytes:
        assert b"accept-encoding: identity" in head.lower()
        encoding, said = answer(body)
        return response(status_of(body), said, f"Content-Encoding: {encoding}")

    return serving_requests(answered)


TEXTS: Final[list[tuple[str, Encode]]] = [
    ("identity", lambda data, encoding=encoding: data.decode().encode(encoding))  # type: ignore[misc]
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig")
]


@pytest.mark.parametrize("encodings", [[*ENCODINGS, ("br", in_stored_brotli)], TEXTS], ids=["compressed", "UTF-16"])
def test_a_service_that_encodes_its_envelope_although_nobody_requested_it_has_no_findings(
    encodings: list[tuple[str, Encode]],
) -> None:
    with serving_encoded(in_turn(encodings)) as url:
        report = brokerfuzz.fire(url, **FEW)
    assert (report.findings, report.outcome.state) == ((), "complete")


def test_a_service_that_requires_digest_authentication_is_explained(run: Run) -> None:
    with serving(sends(response(401, b"", 'WWW-Authenticate: Digest realm="a", nonce="b"'))) as url:
        done = run("fire", url, *WORDS)
    assert done.exit_code == 2
    assert "status 401 (Digest authentication)" in done.output
    assert "compute the header Authorization in the hook before_request" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("encoding", "said"), [("compress", "which was not requested"), ("gzip", "or the answer is damaged")]
)
def test_an_envelope_that_cannot_be_read_never_counts_as_accepted(run: Run, encoding: str, said: str) -> None:
    with serving_encoded(in_turn([(encoding, bytes)])) as url:
        done = run("fire", url, *WORDS, "--json")
    assert done.exit_code in (1, 2)
    counts = json.loads(done.stdout)["counts"] if done.stdout else {}
    assert not any(kinds.get("accepted") for kinds in counts.values()), counts
    assert said in done.output


def test_a_rejection_whose_body_cannot_be_read_is_a_rejection() -> None:
    with serving_encoded(lambda _: ("compress", b""), conforming) as url:
        assert brokerfuzz.fire(url, **FEW).outcome.status == 0


NOT_ASCII: Final = (
    (302, b"Location: /gr\xc3\xbcn"),
    (429, b"Retry-After: bald \xe4"),
    (503, b"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\nDate: heute \xe4"),
    (400, b"Content-Encoding: \xe4"),
)


def test_a_header_that_is_not_ascii_does_not_end_a_campaign() -> None:
    """Each invalid message gets the next header, and an ordinary answer when it is sent again."""
    answered = set[bytes]()
    left = cycle(NOT_ASCII)

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        if conforming(body) == 201 or body in answered:
            writer.write(response(conforming(body)))
        else:
            answered.add(body)
            writer.write(b"HTTP/1.1 %d Said\r\n%b\r\nContent-Length: 2\r\n\r\n{}" % next(left))

    report = fired(behave, rules=["*/orderMinimum:minimum"], shrink=0, concurrency=1)
    assert len(answered) > len(NOT_ASCII)
    assert report.outcome.state == "complete"


# ---------------------------------------------------------------------------------------------------- other protocols

FRAMES: Final = bytes.fromhex("000000040000000000" + "0000080700000000000000000000000001")
"""The settings of HTTP/2, and the frame that ends a connection."""
NO_APPLICATION_PROTOCOL: Final = bytes.fromhex("15030300020278")
"""A TLS alert: the server and the client have no protocol in common."""


@pytest.mark.parametrize(
    ("said", "scheme", "explanation"),
    [
        (FRAMES, "http", "if the server speaks only HTTP/2, enable HTTP/1.1"),
        (
            NO_APPLICATION_PROTOCOL,
            "https",
            "because it speaks only HTTP/2: enable HTTP/1.1 in the server or in a proxy",
        ),
    ],
    ids=["HTTP/2", "HTTP/2 over TLS"],
)
def test_a_service_that_speaks_only_http_2_is_explained(run: Run, said: bytes, scheme: str, explanation: str) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(24)
        writer.write(said)
        await writer.drain()

    with serving_streams(converse) as url:
        done = run("fire", url.replace("http:", f"{scheme}:"), *WORDS)
    assert done.exit_code in (1, 2)
    assert explanation in " ".join(done.output.split())


# -------------------------------------------------------------------------------------------------- headers of the user

HEADERS = [
    ("X-Tenant", "5"),
    ("x-tenant", "6"),
    ("content-type", "application/vnd.offer+json"),
    ("Transfer-Encoding", "chunked"),
    ("Expect", "100-continue"),
]
BODY = b'{"number":"A","offerType":"Email"}'


@contextmanager
def recording() -> Iterator[tuple[str, list[tuple[list[tuple[str, str]], bytes]]]]:
    """Yields the URL of a service that reads chunked requests and never sends status 100, and the list of the headers
    and bodies that it receives.
    """
    requests: list[tuple[list[tuple[str, str]], bytes]] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            fields = [line.partition(":") for line in head.decode().split("\r\n")[1:] if line]
            body = await _chunks(reader)
            requests.append(([(name.lower(), value.strip()) for name, _, value in fields], body))
            writer.write(response(conforming(body)))
            await writer.drain()

    with serving_streams(converse) as url:
        yield url, requests


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


def are_sent(received: list[tuple[str, str]]) -> bool:
    """Returns whether a request has each header of the user once, and no other header with its name."""
    names = {name.lower() for name, _ in HEADERS} | {"content-length"}
    expected = sorted((name.lower(), value) for name, value in HEADERS)
    return sorted(header for header in received if header[0] in names) == expected


def test_all_headers_of_the_user_replace_the_usual_ones_in_every_request() -> None:
    with recording() as (url, requests):
        report = brokerfuzz.fire(url, headers=HEADERS, rules=["*orderMinimum:minimum"])
    assert (report.findings, report.outcome.state) == ((), "complete")
    assert all(are_sent(received) for received, _ in requests)


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_reproduction_sends_the_same_headers() -> None:
    with recording() as (url, requests):
        line = HttpTarget(url, headers=HEADERS).reproduction(BODY)
        environment = {**os.environ, "NO_PROXY": "*"}
        subprocess.run(["sh"], input=line, capture_output=True, text=True, check=True, env=environment, timeout=20)
    ((received, body),) = requests
    assert body == BODY
    assert are_sent(received)
