"""The tests in a `.py` report connect as the campaign did: with the same certificates and the same proxy."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import trustme
from fixture_types import Run
from hand_made_programs import run_report
from hand_made_servers import OFFER, answers, read_request, response, serving, serving_streams

from brokerfuzz import check

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--shrink", "10s", "--report", "report.py")
VARIABLES: Final = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")

pytestmark = [pytest.mark.usefixtures("folder"), pytest.mark.long]


def lenient(body: bytes) -> int:
    return 422 if check(OFFER, body.replace(b'"orderMinimum":0', b'"orderMinimum":1')).label == "invalid" else 201


class Proxy:
    """A proxy. It answers plain requests itself, and connects tunnels to the address that the client names."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            self.heads.append(head)
            if head.startswith(b"CONNECT "):
                host, _, port = head.split(b" ")[1].decode().partition(":")
                there = await asyncio.open_connection(host, int(port))
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                await asyncio.gather(copied(reader, there[1]), copied(there[0], writer))
                return
            writer.write(response(lenient(body)))
            await writer.drain()


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.close()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def secure() -> Iterator[str]:
    """A service with a certificate. The file `ca.pem` contains the authority that signed it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path("ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving(answers(lenient), tls=context) as url:
        yield url


RIGHT: Final = "1 failed, 1 passed"
"""The finding still occurs, and the target accepts the twin."""


def test_the_tests_verify_certificates_as_the_campaign_did(run: Run, secure: str) -> None:
    assert run("fire", secure, "--ca", "ca.pem", *FEW).exit_code == 1
    printed = run_report("report.py")
    assert RIGHT in printed
    Path("ca.pem").write_bytes(trustme.CA().cert_pem.bytes())
    assert "2 failed" in run_report("report.py")


def test_the_tests_send_plain_requests_to_the_proxy(run: Run) -> None:
    proxy = Proxy()
    with serving_streams(proxy.converse) as url:
        address = url.removeprefix("http://").removesuffix("/offers")
        assert (
            run("fire", "http://offers.example/offers", "--proxy", f"http://me:opensesame@{address}", *FEW).exit_code
            == 1
        )
        assert "opensesame" not in Path("report.py").read_text()
        proxy.heads.clear()
        printed = run_report("report.py", PROXY_USER="me:opensesame")
    assert RIGHT in printed
    assert [head.split(b" ")[1] for head in proxy.heads] == [b"http://offers.example/offers"] * 2
    assert all(b64encode(b"me:opensesame") in head for head in proxy.heads)


def test_the_tests_send_encrypted_requests_through_a_tunnel_of_the_proxy(run: Run, secure: str) -> None:
    proxy = Proxy()
    with serving_streams(proxy.converse) as url:
        assert run("fire", secure, "--ca", "ca.pem", "--proxy", url.removesuffix("/offers"), *FEW).exit_code == 1
        proxy.heads.clear()
        printed = run_report("report.py")
        assert RIGHT in printed
        assert [head.split(b" ")[0] for head in proxy.heads] == [b"CONNECT"] * 2
        proxy.heads.clear()
        assert RIGHT in run_report("report.py", BROKERFUZZ_PROXY="")
        assert proxy.heads == []
