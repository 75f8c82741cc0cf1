"""A case as a line of JSON; `record_reader` reads it back.

    {"id": "…16 hex digits…", "message": "offer-creation-request", "verdict": "invalid",
     "faults": [{"rule": "…", "at": "/orderMinimum", "technique": "one-below"}],
     "ambiguities": [], "tags": ["at:only"], "twin": "…id…", "body": {…}}

`body` is the message where its bytes are the compact JSON of a value (no white space, UTF-8, no needless escapes): the text behind
`"body":` is then those bytes. Else `raw` holds the bytes in base64. `ambiguities` lists the ids of those touched, `twin` is null where
there is none. The few cases that are about how a request carries its message have `"headers": [["content-type", "text/plain"], …]` before
the body: what is sent in place of the usual headers of these names, where null stands for no such header. A body that they say is
packed is that of the request, packed. Where a corpus is a folder,
`file` names the file of it that has the message. The last record of a corpus ends in `"last":true`, so that a corpus that was cut off shows.
"""

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import orjson

from brokerfuzz.cases.case import Case

_END, _LAST = b"}", b',"last":true}'


def encode(case: Case, *, last: bool = False) -> bytes:
    """The line of a case, without its line break."""
    return b"".join(_line(case, *_message(case), _LAST if last else _END))


def encode_all(cases: Iterable[Case], last: bool) -> bytes:
    """The lines of cases, each with its line break; `last` tells whether the last of them is the last of a corpus."""
    texts: list[bytes] = []
    for case in cases:
        texts += _line(case, *_message(case), b"}\n")
    if last:
        texts[-1] = _LAST + b"\n"
    return b"".join(texts)


def encode_beside(case: Case, file: str, *, last: bool = False) -> bytes:
    """The line of a case whose message is in a file: `"file"`, its name, stands in place of the message."""
    return b"".join(_line(case, b',"file":', orjson.dumps(file), _LAST if last else _END))


def _message(case: Case) -> tuple[bytes, bytes]:
    """What carries the message in a line, and how it is written there."""
    return (b',"body":', case.body) if case.is_compact else (b',"raw":', b'"%b"' % b64encode(case.body))


def _line(case: Case, carrier: bytes, carried: bytes, end: bytes) -> tuple[bytes, ...]:
    """The texts of a line, to be joined with those of others: so a message is copied once."""
    verdict = case.verdict
    record: dict[str, Any] = {
        "id": case.id,
        "message": case.message_type,
        "verdict": verdict.label,
        "faults": [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults] if case.faults else (),
        "ambiguities": sorted({touch.ambiguity for touch in verdict.ambiguities}) if verdict.ambiguities else (),
        "tags": case.tags,
        "twin": case.twin_id if case.twin is None else case.twin.id,
    }
    if case.headers:
        record["headers"] = case.headers
    return orjson.dumps(record)[:-1], carrier, carried, end
