"""Certificates of servers and of clients."""

import asyncio
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, Any

import pytest
from hand_made_servers import response, sends, serving, serving_streams
from test_hostile_servers import asked

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import HttpTarget

if TYPE_CHECKING:
    import trustme
else:
    trustme = pytest.importorskip("trustme", reason="trustme is not installed")

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
CREATED = sends(response(201))


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def files(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the certificates of authorities and of clients."""
    folder = tmp_path_factory.mktemp("certificates")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    several = b"some words\n" + trustme.CA().cert_pem.bytes() + authority.cert_pem.bytes()
    (folder / "several.pem").write_bytes(several)
    client = authority.issue_cert("client@offers.example")
    client.cert_chain_pems[0].write_to_path(str(folder / "client.pem"))
    client.private_key_pem.write_to_path(str(folder / "client.key"))
    client.private_key_and_cert_chain_pem.write_to_path(str(folder / "both.pem"))
    other = trustme.CA().issue_cert("a@other.example")
    other.private_key_and_cert_chain_pem.write_to_path(str(folder / "other.pem"))
    return folder


def of(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def good(authority: trustme.CA) -> trustme.LeafCert:
    return authority.issue_cert("127.0.0.1", "localhost")


@pytest.mark.parametrize(
    ("certificate", "ca", "reason"),
    [
        (good, None, "no known authority has signed the certificate"),
        (lambda _: good(trustme.CA()), "ca.pem", "no known authority has signed the certificate"),
        (
            lambda authority: authority.issue_cert("127.0.0.1", not_before=NOW - 9 * DAY, not_after=NOW - DAY),
            "ca.pem",
            "the certificate has expired",
        ),
        (
            lambda authority: authority.issue_cert("127.0.0.1", not_before=NOW + DAY, not_after=NOW + 9 * DAY),
            "ca.pem",
            "the certificate is not valid yet",
        ),
        (lambda authority: authority.issue_cert("offers.example"), "ca.pem", "the certificate is for another host"),
    ],
)
def test_a_certificate_that_cannot_be_verified_is_an_error_with_both_remedies(
    certificate: Callable[[trustme.CA], trustme.LeafCert],
    ca: str | None,
    reason: str,
    authority: trustme.CA,
    files: Path,
) -> None:
    with serving(CREATED, tls=of(certificate(authority))) as url:
        with pytest.raises(TargetError, match=f"cannot be verified \\({reason}\\): .*--ca FILE.*--insecure") as raised:
            asked(url, ca=None if ca is None else files / ca)
        assert asked(url, insecure=True).kind == "accepted"
    assert "\n" not in str(raised.value)


def test_a_certificate_of_a_given_authority_is_verified_and_may_be_given_itself(
    authority: trustme.CA, files: Path, tmp_path: Path
) -> None:
    certificate = good(authority)
    certificate.cert_chain_pems[0].write_to_path(str(tmp_path / "server.pem"))
    with serving(CREATED, tls=of(certificate)) as url:
        for ca in (files / "several.pem", tmp_path / "server.pem"):
            assert asked(url, ca=ca).kind == "accepted"
        assert asked(url.replace("127.0.0.1", "localhost"), ca=str(files / "ca.pem")).kind == "accepted"


def test_the_certificate_of_a_proxy_is_verified_even_if_the_target_has_none(
    authority: trustme.CA, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(CREATED, tls=of(good(authority))) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(TargetError, match="no known authority has signed the certificate"):
            asked("http://offers.example/offers")
        assert asked("http://offers.example/offers", ca=files / "ca.pem").kind == "accepted"


def test_a_server_without_tls_or_with_unexpected_tls_is_explained(authority: trustme.CA) -> None:
    async def rejects(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(response(400))

    with serving_streams(rejects) as url, pytest.raises(TargetError, match=r"does not speak TLS \(use http://"):
        asked(url.replace("http://", "https://"))
    with serving(CREATED) as url, pytest.raises(TargetError, match="cannot be reached"):
        asked(url.replace("http://", "https://"), timeout=0.6)
    with serving(CREATED, tls=of(good(authority))) as url:
        answer = asked(url.replace("https://", "http://"), timeout=2)
    assert (answer.kind, answer.status) == ("crashed", None)


# -------------------------------------------------------------------------------------------------- client certificates


def demanding(authority: trustme.CA) -> ssl.SSLContext:
    """Returns the settings of a server that requires a certificate of the authority."""
    context = of(good(authority))
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def test_a_client_identifies_itself_with_a_certificate(authority: trustme.CA, files: Path) -> None:
    options: Any = {"ca": files / "ca.pem", "cert": files / "both.pem"}
    with serving(CREATED, tls=demanding(authority)) as url:
        assert asked(url, **options).kind == "accepted"
        line = HttpTarget(url, **options).reproduction(b"{}")
        said = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.startswith("HTTP/1.1 201 ")


@contextmanager
def sending_alerts(context: ssl.SSLContext) -> Iterator[str]:
    """If a handshake fails, this server sends the reason to the client, which servers with asyncio do not. Then it reads
    the rest of the request: otherwise the operating system would reset the connection, and the reason could be lost.
    """

    class FailingHandshake(BaseRequestHandler):
        def handle(self) -> None:
            tls = context.wrap_socket(self.request, server_side=True, do_handshake_on_connect=False)
            with pytest.raises(ssl.SSLError):
                tls.do_handshake()
            with socket.socket(fileno=tls.detach()) as connection:
                while connection.recv(4096):
                    pass

    with ThreadingTCPServer(("127.0.0.1", 0), FailingHandshake) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"https://127.0.0.1:{server.server_address[1]}/offers"
        server.shutdown()


@pytest.mark.parametrize(("cert", "said"), [(None, "certificate required"), ("other.pem", "unknown ca")])
def test_a_missing_or_unknown_client_certificate_is_an_error_with_a_remedy(
    cert: str | None, said: str, authority: trustme.CA, files: Path
) -> None:
    with (
        sending_alerts(demanding(authority)) as url,
        pytest.raises(TargetError, match=f"{said}.*: specify a client certificate with the setting cert"),
    ):
        asked(url, ca=files / "ca.pem", cert=None if cert is None else files / cert)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("client.pem", "client.pem cannot be used: specify a PEM file with a certificate of the client and its unencr"),
        ("client.key", "client.key cannot be used: specify a PEM file with a certificate"),
        ("nowhere.pem", "nowhere.pem does not exist"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_an_error(name: str, said: str, files: Path) -> None:
    with pytest.raises(TargetError, match=said):
        asked("https://127.0.0.1:9/", cert=files / name)
