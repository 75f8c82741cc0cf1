"""Writes the cases of a test suite as a table. Tests in any programming language can read the table without a JSON
parser.

Each case is a line of values with tabs between them. The body and the headers are percent-encoded, so that a test
receives the exact bytes.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from brokerfuzz.corpus.formats.case_names import reason_of
from brokerfuzz.corpus.formats.suite_cases import SuiteCase
from brokerfuzz.schemas.headers import Headers

COLUMNS = ("test", "group", "name", "id", "message", "verdict", "twin", "reason", "headers", "body")
"""The names of the columns, which are the first line of the table. Only `headers` and `body` are percent-encoded."""
_ESCAPED = re.compile(rb"[^ -$&-*,-~]")
"""Matches `%`, `+` (which some decoders read as a space), and all bytes that are not printable ASCII."""


def table(cases: Iterable[SuiteCase]) -> Iterator[bytes]:
    yield "\t".join(COLUMNS).encode() + b"\n"
    for test, group, name, case in cases:
        values = (
            test,
            group,
            name,
            case.id,
            case.message_type,
            case.label,
            case.twin_id or "",
            reason_of(case),
            _form(case.headers),
        )
        yield "\t".join(values).encode() + b"\t" + _ESCAPED.sub(_percent, case.body) + b"\n"


def _percent(found: re.Match[bytes]) -> bytes:
    return b"%%%02X" % found[0][0]


def _form(headers: Headers) -> str:
    """Writes headers like an HTML form: `Content-Type=text%2Fplain`. A name without a value means that the header is
    not sent.
    """
    return "&".join(
        quote(name, safe="") if value is None else f"{quote(name, safe='')}={quote(value, safe='')}"
        for name, value in headers
    )
