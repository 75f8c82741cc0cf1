"""Writes cases as recorded traffic (HAR 1.2), which many tools can replay or import.

There is one entry per case. The broker receives offers, so an offer is the body of a request. The response to an offer
is unknown, so its status is 0. The broker sends all other messages, so each of them is the body of a response with the
status 200. Properties that begin with `_` describe the case.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from brokerfuzz import har_entries
from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import clock_note, facts_of, name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, OneFile
from brokerfuzz.corpus.formats.routes import HOST, OFFER, ROUTES, sent_headers
from brokerfuzz.schemas.headers import JSON_TYPE
from brokerfuzz.version import __version__

_STARTED = "2001-01-01T00:00:00Z"
"""The time of every entry. HAR requires a time, but no request was sent."""


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    creator = json.dumps({"name": "brokerfuzz", "version": __version__})
    yield f'{{"log":{{"version":"1.2","creator":{creator},"entries":['.encode()
    for number, case in enumerate(cases):
        yield (",\n" if number else "\n").encode() + json.dumps(_entry(case)).encode()
    yield b"\n]}}\n"


def _entry(case: Case) -> dict[str, Any]:
    method, path = ROUTES[case.message_type]
    if case.message_type == OFFER:
        request = har_entries.request(method, HOST + path, sent_headers(case.headers), case.body)
        response = har_entries.response(
            0, har_entries.content(b"", "x-unknown"), "no response is known: send this request"
        )
    else:
        request = har_entries.request(method, HOST + path, [("Accept", JSON_TYPE)], b"")
        response = har_entries.response(
            200, har_entries.content(case.body, JSON_TYPE), "the message to read", [("Content-Type", JSON_TYPE)]
        )
    return {
        **har_entries.entry(
            _STARTED, 0, request, response, f"{name_of(case)}: {reason_of(case)}{clock_note(now_of(case))}"
        ),
        **{f"_{name}": value for name, value in facts_of(case).items()},
    }


FORMAT = OneFile("har", ".har", _pieces)
