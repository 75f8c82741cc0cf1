"""Services that follow the contract, but whose HTTP responses are unusual."""

import asyncio
import gzip
import json
import ssl
import sys
import zlib
from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path
from typing import Final

import pytest
import trustme
from fixture_types import Run
from hand_made_servers import Conversation, read_request, response, sends, serving, serving_streams

import brokerfuzz

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OFFER: Final = "offer-creation-request"
FEW: Final[brokerfuzz.FireOptions] = {"rules": ["*/orderMinimum:*"], "shrink": 0}
Encode = Callable[[bytes], bytes]


def envelope(body: bytes) -> bytes:
    """The answer of a service that follows the contract."""
    accepted = brokerfuzz.check(OFFER, body).label != "invalid"
    return json.dumps(
        {"data": None, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": accepted}
    ).encode()


def in_stored_brotli(data: bytes) -> bytes:
    """A Brotli stream that contains the data as it is. The first three bytes contain the length; the last byte is an
    empty block.
    """
    return ((len(data) - 1) << 4 | 1 << 20).to_bytes(3, "little") + data + b"\x03"


def without_zlib_header(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-15)


ENCODINGS: Final[list[tuple[str, Encode]]] = [
    ("gzip", gzip.compress),
    ("GZIP", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", without_zlib_header),
    ("zstd", zstd.compress),
    ("identity", bytes),
]


Answer = tuple[str, bytes]
"""The name of an encoding, and an encoded body."""


def in_turn(encodings: Iterable[tuple[str, Encode]]) -> Callable[[bytes], Answer]:
    """Answers each message with the envelope that the contract requires, in the next encoding. Nobody requested it."""
    left = cycle(encodings)

    def answer(body: bytes) -> Answer:
        encoding, encode = next(left)
        return encoding, encode(envelope(body))

    return answer


def server(answer: Callable[[bytes], Answer], status_of: Callable[[bytes], int] = lambda _: 200) -> Conversation:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            assert b"accept-encoding: identity" in head.lower()
            encoding, said = answer(body)
            writer.write(response(status_of(body), said, f"Content-Encoding: {encoding}"))

    return converse


def test_a_service_that_compresses_its_envelope_although_nobody_requested_it_has_no_findings() -> None:
    with serving_streams(server(in_turn([*ENCODINGS, ("br", in_stored_brotli)]))) as url:
        report = brokerfuzz.fire(url, **FEW)
    assert (report.findings, report.outcome.state) == ((), "complete")


@pytest.mark.parametrize(
    ("encoding", "said"), [("compress", "which was not requested"), ("gzip", "or the answer is damaged")]
)
def test_an_envelope_that_cannot_be_read_never_counts_as_accepted(run: Run, encoding: str, said: str) -> None:
    with serving_streams(server(in_turn([(encoding, bytes)]))) as url:
        done = run("fire", url, "--rule", "*/orderMinimum:minimum", "--shrink", "off", "--json")
    assert done.exit_code in (1, 2)
    counts = json.loads(done.stdout)["counts"] if done.stdout else {}
    assert not any(kinds.get("accepted") for kinds in counts.values()), counts
    assert said in done.output


def test_a_rejection_whose_body_cannot_be_read_is_a_rejection() -> None:
    def status_of(body: bytes) -> int:
        return 400 if brokerfuzz.check(OFFER, body).label == "invalid" else 204

    with serving_streams(server(lambda _: ("compress", b""), status_of)) as url:
        assert brokerfuzz.fire(url, **FEW).outcome.status == 0


NOT_ASCII: Final = (
    (302, b"Location: /gr\xc3\xbcn"),
    (302, b"Location: /gr\xfcn"),
    (429, b"Retry-After: bald \xe4"),
    (503, b"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\nDate: heute \xe4"),
    (400, b"Content-Encoding: \xe4"),
)


def test_a_header_that_is_not_ascii_does_not_end_a_campaign() -> None:
    """The service answers each invalid message with the next header. When the message is sent again, the answer is
    ordinary.
    """
    answered = set[bytes]()
    left = cycle(NOT_ASCII)

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        if brokerfuzz.check(OFFER, body).label != "invalid":
            writer.write(response(201))
        elif body in answered:
            writer.write(response(400))
        else:
            answered.add(body)
            writer.write(b"HTTP/1.1 %d Said\r\n%b\r\nContent-Length: 2\r\n\r\n{}" % next(left))

    with serving(behave) as url:
        report = brokerfuzz.fire(url, rules=["*/orderMinimum:*"], shrink=0, concurrency=1)
    assert len(answered) > len(NOT_ASCII)
    assert report.outcome.state == "complete"


def stopped(run: Run, url: str, *options: object) -> str:
    """Returns the only line of the output of a campaign that cannot test its target."""
    done = run("fire", url, "--rule", "*/orderMinimum:minimum", "--shrink", "off", *options)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.output
    return done.stderr


@pytest.mark.parametrize("credentials", ["", "me:passw0rd@"])
def test_digest_authentication_is_explained(run: Run, credentials: str) -> None:
    with serving(sends(response(401, b"", 'WWW-Authenticate: Digest realm="offers", nonce="n", qop="auth"'))) as url:
        said = stopped(run, url.replace("://", f"://{credentials}"))
    assert "requires Digest authentication, which brokerfuzz does not support" in said
    assert "before_request" in said


def test_a_ca_file_can_contain_the_certificate_of_the_server(run: Run, folder: Path) -> None:
    issued = trustme.CA().issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(str(folder / "server.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued.configure_cert(context)
    with serving(sends(response(201)), tls=context) as url:
        done = run("fire", url, "--ca", "server.pem", "--rule", "*/orderMinimum:minimum", "--shrink", "off")
    assert done.exit_code == 1


SETTINGS: Final = bytes.fromhex("000000040000000000")
GOAWAY: Final = bytes.fromhex("0000080700000000000000000000000001")
"""Frames of HTTP/2."""
NO_APPLICATION_PROTOCOL: Final = bytes.fromhex("15030300020278")
"""A TLS alert: the server and the client have no protocol in common."""


def speaking_http_2(*frames: bytes) -> Conversation:
    """Sends the first frame at once, and the second one after the first bytes of a request."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(frames[0])
        await reader.read(24)
        writer.write(frames[1])
        await writer.drain()

    return converse


@pytest.mark.parametrize("frames", [(SETTINGS, GOAWAY), (b"", SETTINGS + GOAWAY)])
def test_a_service_that_speaks_only_http_2_is_explained(run: Run, frames: tuple[bytes, bytes]) -> None:
    with serving_streams(speaking_http_2(*frames)) as url:
        done = run("fire", url, "--rule", "*/orderMinimum:minimum", "--shrink", "off")
    assert done.exit_code in (1, 2)
    said = " ".join(done.output.split())
    assert "not HTTP/1.1" in said
    assert "if the server speaks only HTTP/2, enable HTTP/1.1" in said


def test_a_service_that_speaks_only_http_2_over_tls_is_explained(run: Run) -> None:
    with serving_streams(speaking_http_2(b"", NO_APPLICATION_PROTOCOL)) as url:
        said = stopped(run, url.replace("http:", "https:"))
    assert "because it speaks only HTTP/2: enable HTTP/1.1 in the server or in a proxy before it" in said
