"""The parts of the file of tests (see `pytest_file`) that are the same for all campaigns."""

HEAD = '''"""Tests for the findings of brokerfuzz. Each test fails until its finding is fixed.

To test a URL other than that of the campaign, set BROKERFUZZ_TARGET. BROKERFUZZ_PROXY replaces the proxy of the campaign, and an
empty value turns it off. The tests read secrets from environment variables.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
from base64 import b64encode
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

import pytest

MISSING: list[str] = []


def secret(name: str) -> str:
    """Reads a secret from the environment, because this file contains none."""
    if name not in os.environ:
        MISSING.append(name)
    return os.environ.get(name, "")


'''

TYPES = '''TIMEOUT = 10  # seconds
PROXY_HEADERS = {"Proxy-Authorization": f"Basic {b64encode(PROXY_USER.encode()).decode()}"} if PROXY_USER else {}


class Message(NamedTuple):
    """A message and the allowed answers. `headers` replace headers of the same name in HEADERS; None means that the header is not sent."""

    body: bytes
    allowed: tuple[str, ...]
    about: str
    headers: tuple[tuple[str, str | None], ...] = ()
    times: int = 1


class Answer(NamedTuple):
    """The answer of the target: accepted, rejected, crashed or timeout."""

    kind: str
    reason: str
    response: bytes = b""


'''

ASKING = '''

def ask(body: bytes, instead: tuple[tuple[str, str | None], ...]) -> Answer:
    """Sends one message over a new connection and returns the answer. If the message contains FRESH, a new value replaces FRESH."""
    if MISSING:
        pytest.fail(f"set {', '.join(MISSING)} in the environment: the requests need these secrets", pytrace=False)
    has_fresh_value = FRESH in body
    body = body.replace(FRESH, b"-%019d" % time.time_ns())
    url = urlsplit(TARGET_URL)
    connection = connected(url)
    names = {name.lower() for name, _ in instead}
    headers = [header for header in HEADERS if header[0].lower() not in names]
    headers += [(name, value) for name, value in instead if value is not None]
    names = {name.lower() for name, _ in headers}
    where = quote(f"{url.path or '/'}?{url.query}" if url.query else url.path or "/", safe="/:?#[]@!$&'()*+,;=%~")
    if PROXY and url.scheme == "http":
        where = f"http://{url.netloc.rpartition('@')[2]}{where}"
        headers += PROXY_HEADERS.items()
    connection.connect()
    try:
        connection.putrequest(METHOD, where, skip_host="host" in names, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        if not names & {"content-length", "transfer-encoding"}:
            connection.putheader("content-length", str(len(body)))
        with suppress(BrokenPipeError):  # the target may have answered nevertheless
            connection.endheaders(body, encode_chunked="transfer-encoding" in names)
        response = connection.getresponse()
        return answer(response.status, response.read(), has_fresh_value=has_fresh_value)
    except TimeoutError:
        return Answer("timeout", f"no answer in {TIMEOUT} seconds")
    except (OSError, http.client.HTTPException) as problem:
        return Answer("crashed", f"{type(problem).__name__}: {problem}")
    finally:
        connection.close()


def connected(url: SplitResult) -> http.client.HTTPConnection:
    """Returns a connection to the target or to the proxy."""
    proxy = urlsplit(PROXY)
    if proxy.scheme not in ("", "http"):
        pytest.fail(f"these tests cannot use the proxy {PROXY}: set BROKERFUZZ_PROXY to an http proxy, or to an empty value", pytrace=False)
    host, port = (proxy.hostname, proxy.port) if PROXY else (url.hostname, url.port)
    if url.scheme != "https":
        return http.client.HTTPConnection(host or "", port, timeout=TIMEOUT)
    context = ssl.create_default_context()
    if INSECURE:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if CA:
        context.load_verify_locations(CA)
    if CERT:
        context.load_cert_chain(CERT, KEY)
    connection = http.client.HTTPSConnection(host or "", port or (80 if PROXY else 443), timeout=TIMEOUT, context=context)
    if PROXY:
        connection.set_tunnel(url.hostname or "", url.port or 443, PROXY_HEADERS)
    return connection


def answer(status: int, response: bytes, *, has_fresh_value: bool) -> Answer:
    """Interprets a response. A code such as 404 takes precedence over a class such as 4xx, and ACCEPT over REJECT. All other statuses are crashes."""
    if status == 429 and "429" not in (*ACCEPT, *REJECT):
        pytest.fail("the target limits the rate of requests (429) and did not judge the message", pytrace=False)
    if status == 409 and not has_fresh_value and "409" not in (*ACCEPT, *REJECT):
        pytest.fail("the target may already know the number of this message (409), so the answer proves nothing", pytrace=False)
    for pattern in (str(status), f"{status // 100}xx"):
        if pattern in ACCEPT:
            rejected = ENVELOPE and is_failure(response)
            return Answer("rejected" if rejected else "accepted", f"status {status}", response)
        if pattern in REJECT:
            return Answer("rejected", f"status {status}", response)
    return Answer("crashed", f"status {status}", response)


def is_failure(response: bytes) -> bool:
    """Returns True if the response is a JSON object with operationWasSuccessful: false."""
    try:
        envelope = json.loads(response)
    except (ValueError, RecursionError):
        return False
    return isinstance(envelope, dict) and envelope.get("operationWasSuccessful") is False


def check(message: Message) -> None:
    """Sends the message, and repeats it if the finding is flaky."""
    for _ in range(message.times):
        got = ask(message.body, message.headers)
        expected = " or ".join(message.allowed)
        assert got.kind in message.allowed, f"{got.kind} ({got.reason}), expected {expected}: {message.about} {got.response[:500]!r}"
'''

FINDINGS_TEST = """

@pytest.mark.parametrize("message", FINDINGS)
def test_finding(message: Message) -> None:
    check(message)
"""

TWINS_TEST = """

@pytest.mark.parametrize("message", TWINS)
def test_valid_twin(message: Message) -> None:
    check(message)
"""

NO_FINDINGS = '''

def test_there_are_no_findings() -> None:
    """The campaign had no findings, so there is nothing to test."""
'''

INCOMPLETE = '''

def test_the_campaign_is_complete() -> None:
    """The campaign is not complete, so it may have missed findings."""
    pytest.skip({})
'''
