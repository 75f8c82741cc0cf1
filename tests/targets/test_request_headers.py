"""The headers that users specify with -H."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hand_made_servers import conforming, response, serving_streams

import brokerfuzz
from brokerfuzz.targets import HttpTarget

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
