"""HTTP: files of requests as the editors of Visual Studio Code (REST Client), JetBrains and httpYac send them.

    ### invalid-offer-creation-request/orderMinimum:minimum.by-one-below-826bb491258572e9
    # Must be rejected. Broken: …
    POST {{baseUrl}}/offers
    Content-Type: application/json

    {"number":"OFF-10000", …}

A file a verdict, with no more than all three editors know. A body stands in it where no editor can take it for anything else than text: one line of
JSON, in printable ASCII, not long and without `{{`, with the usual headers (editors lay out forms and the like). All others are files beside.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of, told_now
from brokerfuzz.corpus.formats.format import About, File, Folder
from brokerfuzz.corpus.formats.routes import HOST, OFFER, ROUTES, sent_headers
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import Label

LONGEST = 8_000
"""Bytes of a body that stands among the requests."""
EXPECTED: dict[Label, str] = {"valid": "Must be accepted.", "invalid": "Must be rejected.", "unspecified": "May be accepted or rejected."}
_PRINTABLE = frozenset(range(0x20, 0x7F))
_OPENS = "{{"  # what editors put in something else for
_CHUNK = 1 << 20


def _files(cases: Iterable[Case], about: About) -> Iterator[File]:
    with ExitStack() as stack:
        texts: dict[Label, IO[bytes]] = {}
        for case in cases:
            if case.message_type != OFFER:
                continue
            if case.label not in texts:
                texts[case.label] = stack.enter_context(TemporaryFile())
                texts[case.label].write(f"@baseUrl = {HOST}\n".encode())
            body = case.body if _stands(case) and not case.headers else f"< ./bodies/{case.id}.bin".encode()
            texts[case.label].write(_head(case, about).encode() + (body + b"\n" if case.body else b""))
            if case.body and body != case.body:
                yield File(f"bodies/{case.id}.bin", [case.body])
        if not texts:
            raise CorpusError("the format http is for requests, and none of these cases is one: choose --message offer-creation-request")
        for label in EXPECTED:
            if label in texts:
                texts[label].seek(0)
                yield File(f"{label}.http", _chunks(texts[label]))


def _stands(case: Case) -> bool:
    """Whether a case's body can stand among the requests."""
    body = case.body
    return body[:1] == b"{" and len(body) <= LONGEST and _PRINTABLE.issuperset(body) and _OPENS.encode() not in body and case.is_compact


def _head(case: Case, about: About) -> str:
    """The lines of a request before its body."""
    method, path = ROUTES[case.message_type]
    headers = "".join(f"{name}: {value}\n" for name, value in sent_headers(case.headers))
    if _OPENS in headers:
        raise CorpusError(
            f"the case {case.id} has {_OPENS} in a header, which editors put something else for: leave it out, or choose another format"
        )
    told = f"{EXPECTED[case.label]} {reason_of(case)}{told_now(now_of(case, about))}"
    return f"\n### {name_of(case)}\n# {told.replace(_OPENS, '{ {')}\n{method} {{{{baseUrl}}}}{path}\n{headers}\n"


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


FORMAT = Folder("http", "requests for editors (REST Client, JetBrains, httpYac); offers only", _files, (OFFER,))
