"""Writes a case as a line of JSON. For example (here with a line break):

    {"id": "…16 hex digits…", "message": "offer-creation-request", "verdict": "invalid",
     "faults": [{"rule": "…", "at": "/orderMinimum", "technique": "one-below"}], "twin": "…id…", "body": {…}}

Empty lists are omitted.

`body` is the message if its bytes are compact JSON: UTF-8 without white space and without unnecessary escapes.
Otherwise, `raw` contains the message in base64. With `export --base64`, every message is in `raw`. If each message has
its own file, the property `file` contains the name of this file, and `reason` says why the message has its verdict.

`ambiguities` lists the IDs of the ambiguities that the message touches. `twin` is omitted if there is no twin.

If the verdict of a case depends on the current time, the case has the tag `now:TIME`, with the time for which the
verdict is correct.
"""

from base64 import b64encode
from typing import Any

import orjson

from brokerfuzz.cases.case import Case


def encode(case: Case, *, base64: bool = False) -> bytes:
    """Returns the line for a case, without a line break. With `base64`, the message is always in base64."""
    if case.is_compact and not base64:
        return _line(case, b'"body":' + case.body)
    return _line(case, b'"raw":"%b"' % b64encode(case.body))


def encode_beside(case: Case, file: str, reason: str) -> bytes:
    """Returns the corpus line for a case whose message is not in this line, but in `file`."""
    return _line(case, orjson.dumps({"reason": reason, "file": file})[1:-1])


def _line(case: Case, carrier: bytes) -> bytes:
    verdict = case.verdict
    record: dict[str, Any] = {"id": case.id, "message": case.message_type, "verdict": verdict.label}
    if case.faults:
        record["faults"] = [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults]
    if verdict.ambiguities:
        record["ambiguities"] = sorted({touch.ambiguity for touch in verdict.ambiguities})
    if case.tags:
        record["tags"] = case.tags
    if twin := case.twin_id:
        record["twin"] = twin
    return b"%b,%b}" % (orjson.dumps(record)[:-1], carrier)
