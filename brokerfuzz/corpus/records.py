"""A case as a line of JSON; `decoding` reads it back.

    {"id": "…16 hex digits…", "message": "offer-creation-request", "verdict": "invalid",
     "faults": [{"rule": "…", "at": "/orderMinimum", "technique": "one-below"}],
     "silences": [], "tags": ["at:only"], "twin": "…id…", "body": {…}}

`body` is the message where its bytes are the compact JSON of a value (no white space, UTF-8, no needless escapes): the text behind
`"body":` is then those bytes. Else `raw` holds the bytes in base64. `silences` lists the ids of those touched, `twin` is null where
there is none. The few cases that are about how a request carries its message have `"headers": [["content-type", "text/plain"], …]` before
the body: what is sent in place of the usual headers of these names, where null stands for no such header. A body that they say is
packed is that of the request, packed. Where a corpus is a folder,
`file` names the file of it that has the message. The last record of a corpus ends in `"last":true`, so that a corpus that was cut off shows.
"""

from base64 import b64encode
from typing import Any

import orjson

from brokerfuzz.cases.case import Case


def encode(case: Case, *, last: bool = False) -> bytes:
    """The line of a case, without its line break."""
    if case.is_compact:
        return _line(case, "body", orjson.Fragment(case.body), last)
    return _line(case, "raw", b64encode(case.body).decode(), last)


def encode_beside(case: Case, file: str, *, last: bool = False) -> bytes:
    """The line of a case whose message is in a file: `"file"`, its name, stands in place of the message."""
    return _line(case, "file", file, last)


def _line(case: Case, carrier: str, carried: Any, last: bool) -> bytes:
    verdict = case.verdict
    record: dict[str, Any] = {
        "id": case.id,
        "message": case.message_type,
        "verdict": verdict.label,
        "faults": [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults] if case.faults else (),
        "silences": sorted({touch.silence for touch in verdict.silences}) if verdict.silences else (),
        "tags": case.tags,
        "twin": case.twin_id if case.twin is None else case.twin.id,
    }
    if case.headers:
        record["headers"] = case.headers
    record[carrier] = carried
    if last:
        record["last"] = True
    return orjson.dumps(record)
