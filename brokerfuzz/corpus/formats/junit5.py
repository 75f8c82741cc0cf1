"""Writes tests for JUnit 5 in Java 17, without other dependencies.

Java has no JSON parser, so each case is a line of values with tabs between them.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo
from brokerfuzz.corpus.formats.suite_folder import suite
from brokerfuzz.schemas.headers import Headers

COLUMNS = ("id", "message", "verdict", "twin", "now", "name", "reason", "headers", "body")
"""The names of the columns, which are the first line of the file. A body that is not one line of text is in base64, after `base64:`."""


def _lines(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    yield "\t".join(COLUMNS).encode() + b"\n"
    for case in cases:
        values = (
            case.id,
            case.message_type,
            case.label,
            case.twin_id or "",
            now_of(case) or "",
            name_of(case),
            reason_of(case),
            _form(case.headers),
        )
        body = case.body if case.is_compact else b"base64:" + b64encode(case.body)
        yield "\t".join(values).encode() + b"\t" + body + b"\n"


def _form(headers: Headers) -> str:
    """Writes headers like an HTML form: `Content-Type=text%2Fplain`. A name without a value means that the header is not sent."""
    return "&".join(quote(name, safe="") if value is None else f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in headers)


FORMAT = suite(
    "junit5",
    "tests for JUnit 5, in Java; you must complete Broker.java",
    tests=["BrokerContractTest.java"],
    templates=["Broker.java"],
    cases="src/test/resources/brokerfuzz/cases.tsv",
    lines=_lines,
    folder="src/test/java/brokerfuzz/",
)
