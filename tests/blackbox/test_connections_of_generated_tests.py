"""The tests in a `.py` report connect as the campaign did: with the same certificates."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import trustme
from fixture_types import Run
from hand_made_programs import run_report
from hand_made_servers import OFFER, answers, serving

from brokerfuzz import check

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--shrink", "10s", "--report", "report.py")

pytestmark = [pytest.mark.usefixtures("folder"), pytest.mark.long]


def lenient(body: bytes) -> int:
    return 422 if check(OFFER, body.replace(b'"orderMinimum":0', b'"orderMinimum":1')).label == "invalid" else 201


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
