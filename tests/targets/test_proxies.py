import asyncio
import re
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hand_made_servers import read_request, response, sends, serving, serving_streams, unused_url
from test_hostile_servers import asked

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import HttpTarget

OFFERS = "http://offers.example/offers"
VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


class Proxy:
    """A proxy that answers requests itself. All tunnels lead to the address `tunnels_to`, whatever host the client
    names.
    """

    def __init__(self, tunnels_to: str = "", status: int = 201) -> None:
        self.heads: list[bytes] = []
        self._address, self._status = tunnels_to, status

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, _ = await read_request(reader)
            self.heads.append(head)
            if head.startswith(b"CONNECT ") and self._address:
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                host, _, port = self._address.rpartition(":")
                there = await asyncio.open_connection(host, int(port))
                await asyncio.gather(_copied(reader, there[1]), _copied(there[0], writer))
                return
            writer.write(response(self._status))
            await writer.drain()


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.close()


@contextmanager
def running(proxy: Proxy) -> Iterator[str]:
    with serving_streams(proxy.converse) as url:
        yield url.removesuffix("/offers")


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_a_request_goes_through_the_proxy_of_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy()
    with running(proxy) as url:
        monkeypatch.setenv(name, url)
        answer = asked(OFFERS, b"{}")
    assert (answer.kind, answer.status) == ("accepted", 201)
    assert proxy.heads[0].startswith(f"POST {OFFERS} HTTP/1.1\r\n".encode())


def test_no_proxy_excludes_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:3128")
    for value, host, used in [
        ("example", "offers.example", False),
        (".other", "offers.example", True),
        ("*", "offers.example", False),
        ("", "127.0.0.1:8000", False),
        ("", "localhost", False),
    ]:
        monkeypatch.setenv("no_proxy", value)
        assert (HttpTarget(f"http://{host}/").connections.proxy is not None) == used, value
    monkeypatch.setenv("no_proxy", "other")
    assert HttpTarget("https://offers.example/").connections.proxy is None


def test_a_proxy_tunnels_to_https_and_gets_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trustme = pytest.importorskip("trustme", reason="trustme is not installed")
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("offers.example").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with serving(sends(response(201)), tls=context) as there:
        proxy = Proxy(there.removeprefix("https://").removesuffix("/offers"))
        with running(proxy) as url:
            monkeypatch.setenv("https_proxy", url.replace("://", "://me:hunter%402secret@"))
            answer = asked("https://offers.example/offers", b"{}", ca=tmp_path / "ca.pem")
    assert answer.kind == "accepted"
    assert proxy.heads[0].startswith(b"CONNECT offers.example:443 ")
    assert b64encode(b"me:hunter@2secret") in proxy.heads[0]


@pytest.mark.parametrize(
    ("status", "said"), [(407, "the proxy requires credentials"), (502, "the proxy rejects the connection")]
)
def test_a_proxy_that_does_not_connect_is_reported_without_its_password(
    status: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(Proxy(status=status)) as url:
        monkeypatch.setenv("https_proxy", url.replace("://", "://me:hunter2secret@"))
        with pytest.raises(TargetError, match=said) as raised:
            asked("https://offers.example/")
    assert f"through the proxy {url}" in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_an_unreachable_or_wrong_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for proxy, said in {
        unused_url().removesuffix("/offers"): "through the proxy {}) cannot be reached (the connection was refused)",
        "ftp://offers.example": "the proxy '{}' of the environment cannot be used: write, for example, http://",
    }.items():
        monkeypatch.setenv("http_proxy", proxy)
        with pytest.raises(TargetError, match=re.escape(said.format(proxy))):
            asked(OFFERS)


def test_the_curl_command_uses_the_same_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Proxy()
    with running(proxy) as url:
        monkeypatch.setenv("http_proxy", url.replace("://", "://me:hunter2@"))
        line = HttpTarget(OFFERS).reproduction(b"{}")
        assert "hunter2" not in line
        said = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.startswith("HTTP/1.1 201 ")
    assert b64encode(b"me:hunter2") in proxy.heads[0]
