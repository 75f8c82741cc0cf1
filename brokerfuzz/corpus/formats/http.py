"""Writes files of requests for the editors Visual Studio Code (REST Client), JetBrains and httpYac. There is one file per
verdict. Each request has a name and a comment:

    ### invalid-offer-creation-request/orderMinimum:minimum.by-one-below-826bb491258572e9
    # Must be rejected. Broken: …
    POST {{baseUrl}}/offers
    Content-Type: application/json

    {"number":"OFF-10000", …}

Editors may change some bodies: for example, those that contain `{{`. For this reason, a body is in a separate file unless it
is short printable JSON without `{{`. The body of a request with unusual headers is also in a separate file.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryFile
from typing import IO

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import clock_note, name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder
from brokerfuzz.corpus.formats.routes import HOST, OFFER, ROUTES, sent_headers
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import Label

LONGEST = 8_000
"""The maximum length of a body in a file of requests, in bytes."""
EXPECTED: dict[Label, str] = {"valid": "Must be accepted.", "invalid": "Must be rejected.", "unspecified": "May be accepted or rejected."}
_PRINTABLE = frozenset(range(0x20, 0x7F))
_OPENS = "{{"  # editors treat this as the beginning of a variable, and replace the variable
_CHUNK = 1 << 20


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    with ExitStack() as stack:
        texts: dict[Label, IO[bytes]] = {}
        for case in cases:
            if case.message_type != OFFER:
                continue
            if case.label not in texts:
                texts[case.label] = stack.enter_context(TemporaryFile())
                texts[case.label].write(f"@baseUrl = {HOST}\n".encode())
            body = case.body if _fits_inline(case) and not case.headers else f"< ./bodies/{case.id}.bin".encode()
            texts[case.label].write(_head(case).encode() + (body + b"\n" if case.body else b""))
            if case.body and body != case.body:
                yield File(f"bodies/{case.id}.bin", [case.body])
        if not texts:
            raise CorpusError("the format `http` supports only requests, but these cases are responses: use --message offer-creation-request")
        for label in EXPECTED:
            if label in texts:
                texts[label].seek(0)
                yield File(f"{label}.http", iter(partial(texts[label].read, _CHUNK), b""))


def _fits_inline(case: Case) -> bool:
    body = case.body
    return body[:1] == b"{" and len(body) <= LONGEST and _PRINTABLE.issuperset(body) and _OPENS.encode() not in body and case.is_compact


def _head(case: Case) -> str:
    """Returns the lines of a request before its body."""
    method, path = ROUTES[case.message_type]
    headers = "".join(f"{name}: {value}\n" for name, value in sent_headers(case.headers))
    if _OPENS in headers:
        raise CorpusError(
            f"the case {case.id} has a header with {_OPENS}, but editors treat {_OPENS} as the beginning of a variable: exclude this case, or use "
            "another format"
        )
    comment = f"{EXPECTED[case.label]} {reason_of(case)}{clock_note(now_of(case))}"
    return f"\n### {name_of(case)}\n# {comment.replace(_OPENS, '{ {')}\n{method} {{{{baseUrl}}}}{path}\n{headers}\n"


FORMAT = Folder("http", _files, (OFFER,))
