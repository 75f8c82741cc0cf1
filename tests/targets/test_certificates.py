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

import pytest
import trustme
from hand_made_servers import response, sends, serving, serving_streams
from test_hostile_servers import asked

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import HttpTarget

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
CREATED = sends(response(201))


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ca(authority: trustme.CA, tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


def of(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


CERTIFICATES: dict[str, Callable[[trustme.CA], trustme.LeafCert]] = {
    "good": lambda authority: authority.issue_cert("127.0.0.1", "localhost"),
    "expired": lambda authority: authority.issue_cert("127.0.0.1", not_before=NOW - 9 * DAY, not_after=NOW - DAY),
    "not yet valid": lambda authority: authority.issue_cert("127.0.0.1", not_before=NOW + DAY, not_after=NOW + 9 * DAY),
    "of another host": lambda authority: authority.issue_cert("offers.example"),
    "by an unknown authority": lambda _: trustme.CA().issue_cert("127.0.0.1"),
}


@pytest.mark.parametrize(
    ("certificate", "with_ca", "reason"),
    [
        ("good", False, "no known authority has signed the certificate"),
        ("by an unknown authority", True, "no known authority has signed the certificate"),
        ("expired", True, "the certificate has expired"),
        ("not yet valid", True, "the certificate is not valid yet"),
        ("of another host", True, "the certificate is for another host"),
    ],
)
def test_a_certificate_that_cannot_be_verified_is_an_error_with_both_remedies(
    certificate: str, with_ca: bool, reason: str, authority: trustme.CA, ca: Path
) -> None:
    with serving(CREATED, tls=of(CERTIFICATES[certificate](authority))) as url:
        with pytest.raises(TargetError, match=f"cannot be verified \\({reason}\\): .*--ca FILE.*--insecure") as raised:
            asked(url, ca=ca if with_ca else None)
        assert asked(url, insecure=True).kind == "accepted"
    assert "\n" not in str(raised.value)


def test_a_certificate_of_a_given_authority_is_verified(authority: trustme.CA, ca: Path) -> None:
    ca.write_bytes(b"some words\n" + trustme.CA().cert_pem.bytes() + ca.read_bytes())
    with serving(CREATED, tls=of(CERTIFICATES["good"](authority))) as url:
        assert asked(url, ca=ca).kind == "accepted"
        assert asked(url.replace("127.0.0.1", "localhost"), ca=str(ca)).kind == "accepted"


def test_the_certificate_of_a_proxy_is_verified_even_if_the_target_has_none(
    authority: trustme.CA, ca: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(CREATED, tls=of(CERTIFICATES["good"](authority))) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(TargetError, match="no known authority has signed the certificate"):
            asked("http://offers.example/offers")
        assert asked("http://offers.example/offers", ca=ca).kind == "accepted"


def test_the_error_for_a_server_without_tls_says_so() -> None:
    async def rejects(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(response(400))

    with serving_streams(rejects) as url, pytest.raises(TargetError, match=r"does not speak TLS \(use http://"):
        asked(url.replace("http://", "https://"))


def test_a_tls_handshake_without_an_answer_times_out() -> None:
    with serving(CREATED) as url, pytest.raises(TargetError, match="cannot be reached"):
        asked(url.replace("http://", "https://"), timeout=0.6)


def test_plain_http_to_a_tls_server_is_a_crash(authority: trustme.CA) -> None:
    with serving(CREATED, tls=of(CERTIFICATES["good"](authority))) as url:
        answer = asked(url.replace("https://", "http://"), timeout=2)
    assert (answer.kind, answer.status) == ("crashed", None)


# -------------------------------------------------------------------------------------------------- client certificates


@pytest.fixture
def files(authority: trustme.CA, ca: Path, tmp_path: Path) -> Path:
    """Returns a folder with `ca.pem`, `client.pem`, `client.key` and `both.pem`."""
    certificate = authority.issue_cert("client@offers.example")
    certificate.cert_chain_pems[0].write_to_path(str(tmp_path / "client.pem"))
    certificate.private_key_pem.write_to_path(str(tmp_path / "client.key"))
    certificate.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "both.pem"))
    trustme.CA().issue_cert("a@other.example").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "other.pem"))
    return tmp_path


def demanding(authority: trustme.CA) -> ssl.SSLContext:
    """Returns the settings of a server that requires a certificate of the authority."""
    context = of(authority.issue_cert("127.0.0.1"))
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def test_a_client_identifies_itself_with_a_certificate(authority: trustme.CA, files: Path) -> None:
    cert = files / "both.pem"
    with serving(sends(response(201)), tls=demanding(authority)) as url:
        assert asked(url, ca=files / "ca.pem", cert=cert).kind == "accepted"
        line = HttpTarget(url, ca=files / "ca.pem", cert=cert).reproduction(b"{}")
        said = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.startswith("HTTP/1.1 201 ")


@contextmanager
def sending_alerts(context: ssl.SSLContext) -> Iterator[str]:
    """Yields the URL of a TLS server in a thread. If a handshake fails, the server sends the reason to the client. The
    server does not use asyncio, which would not send the reason.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with (
                    connection,
                    context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secured,
                ):
                    try:
                        secured.do_handshake()
                        secured.recv(1)
                    except OSError:
                        continue

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listener.getsockname()[1]}/offers"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


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
        ("nowhere.pem", "nowhere.pem cannot be read"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_an_error(name: str, said: str, files: Path) -> None:
    with pytest.raises(TargetError, match=said):
        asked("https://127.0.0.1:9/", cert=files / name)
