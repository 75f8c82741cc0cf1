"""Cases with unusual headers: how they are sent, and what is found with them."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from hand_made_servers import OFFER, conforming, response, serving_streams

import brokerfuzz
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import HttpTarget

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
TYPE: Final[Any] = {"tags": ["probe:content-type"], "now": NOW}


@pytest.fixture(scope="module")
def cases() -> Sequence[Case]:
    """Returns the cases with headers. The catalogue is built only in a process that runs these tests."""
    return [case for case in brokerfuzz.catalogue(OFFER) if case.headers]


@pytest.fixture(scope="module")
def tags(cases: Sequence[Case]) -> Sequence[str]:
    return sorted({case.tags[0] for case in cases})


@dataclass
class Request:
    """The names of headers are in lower case, and the chunks of the body are joined."""

    headers: list[tuple[str, str]]
    body: bytes

    def values(self, name: str) -> list[str]:
        return [value for held, value in self.headers if held == name]


Status = Callable[[Request], int]


@contextmanager
def recording(status_of: Status) -> Iterator[tuple[str, list[Request]]]:
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


def accepts(_: Request) -> int:
    return 200


def careless(request: Request) -> int:
    return conforming(request.body)


def choosy(request: Request) -> int:
    return careless(request) if request.values("content-type") == ["application/json"] else 415


# ------------------------------------------------------------------------------------------------------ what is sent


def carries(request: Request, case: Case) -> bool:
    """Returns whether a request has the body and the headers of a case, and those of the target."""
    names = {name.lower() for name, _ in case.headers}
    untouched = {"content-type": ["application/json"], "x-tenant": ["5", "6"], "content-encoding": []}
    expected = {name: values for name, values in untouched.items() if name not in names}
    for name in names:
        expected[name] = [value for held, value in case.headers if held.lower() == name and value is not None]
    return (
        request.body == case.body
        and all(request.values(name) == values for name, values in expected.items())
        and bool(request.values("content-length")) != bool(request.values("transfer-encoding"))
    )


def test_each_case_arrives_with_its_headers_and_body_beside_those_of_the_target(
    cases: Sequence[Case], tags: Sequence[str]
) -> None:
    with recording(accepts) as (url, seen):
        options: Any = {"tags": tags, "shrink": 0, "headers": [("X-Tenant", "5"), ("x-tenant", "6")]}
        brokerfuzz.fire(url, **options)
    assert len(cases) > 20
    assert [case for case in cases if not any(carries(request, case) for request in seen)] == []


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_reproduction_commands_send_the_same_headers(cases: Sequence[Case]) -> None:
    with recording(accepts) as (url, seen):
        for case in cases:
            target = HttpTarget(url, headers=[("X-Tenant", "5"), ("x-tenant", "6")])
            line = target.reproduction(case.body, case.headers)
            environment = {**os.environ, "NO_PROXY": "*"}
            subprocess.run(["sh"], input=line, capture_output=True, text=True, check=True, env=environment, timeout=20)
            assert line.isprintable()
            assert carries(seen[-1], case), line
