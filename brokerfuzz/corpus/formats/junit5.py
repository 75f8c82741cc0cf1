"""Tests for JUnit 5, in Java 17, which need nothing else: the JDK reads no JSON, so the cases are lines of text with tabs between."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import About
from brokerfuzz.corpus.formats.test_suite_folder import suite
from brokerfuzz.schemas.headers import Headers

COLUMNS = ("id", "message", "verdict", "twin", "now", "name", "reason", "headers", "body")
"""What stands between the tabs; the first line says so. Of a body that is no line of text stands its base64, behind `base64:`."""


def _lines(cases: Iterable[Case], about: About) -> Iterator[bytes]:
    yield "\t".join(COLUMNS).encode() + b"\n"
    for case in cases:
        told = (
            case.id,
            case.message_type,
            case.label,
            case.twin_id or "",
            now_of(case, about) or "",
            name_of(case),
            reason_of(case),
            _form(case.headers),
        )
        body = case.body if case.is_compact else b"base64:" + b64encode(case.body)
        yield "\t".join(told).encode() + b"\t" + body + b"\n"


def _form(headers: Headers) -> str:
    """Headers as a form spells them: `Content-Type=text%2Fplain`, and a name alone for a header that is not sent."""
    return "&".join(quote(name, safe="") if value is None else f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in headers)


FORMAT = suite(
    "junit5",
    "tests for JUnit 5, in Java; you must complete Broker.java",
    tests=["BrokerContractTest.java"],
    yours=["Broker.java"],
    cases="src/test/resources/brokerfuzz/cases.tsv",
    lines=_lines,
    folder="src/test/java/brokerfuzz/",
)
