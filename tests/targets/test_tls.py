import asyncio
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from hand_made_servers import response, sends, serving, serving_streams
from test_hostile_servers import asked

from brokerfuzz.errors import TargetError

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
CREATED = sends(response(201))
Authority = trustme.CA


@pytest.fixture(scope="module")
def authority() -> Authority:
    return trustme.CA()


@pytest.fixture
def ca(authority: Authority, tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


def of(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def good(authority: Authority) -> trustme.LeafCert:
    return authority.issue_cert("127.0.0.1", "localhost")


def expired(authority: Authority) -> trustme.LeafCert:
    return authority.issue_cert("127.0.0.1", not_before=NOW - 9 * DAY, not_after=NOW - DAY)


def not_yet_valid(authority: Authority) -> trustme.LeafCert:
    return authority.issue_cert("127.0.0.1", not_before=NOW + DAY, not_after=NOW + 9 * DAY)


def of_another_host(authority: Authority) -> trustme.LeafCert:
    return authority.issue_cert("offers.example")


def by_unknown_authority(_: Authority) -> trustme.LeafCert:
    return good(trustme.CA())


@pytest.mark.parametrize(
    ("certificate", "with_ca", "reason"),
    [
        (good, False, "no known authority has signed the certificate"),
        (by_unknown_authority, True, "no known authority has signed the certificate"),
        (expired, True, "the certificate has expired"),
        (not_yet_valid, True, "the certificate is not valid yet"),
        (of_another_host, True, "the certificate is for another host"),
    ],
)
def test_a_certificate_that_cannot_be_verified_is_an_error_with_both_remedies(
    certificate: Callable[[Authority], trustme.LeafCert], with_ca: bool, reason: str, authority: Authority, ca: Path
) -> None:
    with serving(CREATED, tls=of(certificate(authority))) as url:
        with pytest.raises(TargetError, match=f"cannot be verified \\({reason}\\): .*--ca FILE.*--insecure") as raised:
            asked(url, ca=ca if with_ca else None)
        assert asked(url, insecure=True).kind == "accepted"
    assert "\n" not in str(raised.value)


def test_a_certificate_of_a_given_authority_is_verified(authority: Authority, ca: Path) -> None:
    with serving(CREATED, tls=of(good(authority))) as url:
        assert asked(url, ca=ca).kind == "accepted"
        assert asked(url.replace("127.0.0.1", "localhost"), ca=str(ca)).kind == "accepted"


def test_the_certificate_of_a_proxy_is_verified_even_if_the_target_has_none(authority: Authority, ca: Path) -> None:
    with serving(CREATED, tls=of(good(authority))) as proxy:
        with pytest.raises(TargetError, match="no known authority has signed the certificate"):
            asked("http://offers.example/offers", proxy=proxy)
        assert asked("http://offers.example/offers", proxy=proxy, ca=ca).kind == "accepted"


def test_one_file_may_contain_many_authorities(authority: Authority, ca: Path) -> None:
    ca.write_bytes(b"some words\n" + trustme.CA().cert_pem.bytes() + ca.read_bytes())
    with serving(CREATED, tls=of(good(authority))) as url:
        assert asked(url, ca=ca).kind == "accepted"


def test_the_error_for_a_server_without_tls_says_so() -> None:
    async def rejects(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(response(400))

    with serving_streams(rejects) as url, pytest.raises(TargetError, match=r"does not speak TLS \(use http://"):
        asked(url.replace("http://", "https://"))


def test_a_tls_handshake_without_an_answer_times_out() -> None:
    with serving(CREATED) as url, pytest.raises(TargetError, match="cannot be reached"):
        asked(url.replace("http://", "https://"), timeout=0.6)


def test_plain_http_to_a_tls_server_is_a_crash(authority: Authority) -> None:
    with serving(CREATED, tls=of(good(authority))) as url:
        answer = asked(url.replace("https://", "http://"), timeout=2)
    assert (answer.kind, answer.status) == ("crashed", None)
