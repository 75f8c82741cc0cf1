"""A case as a line of JSON, and back.

    {"id": "…16 hex digits…", "message": "offer-creation-request", "verdict": "invalid",
     "faults": [{"rule": "…", "at": "/orderMinimum", "technique": "one-below"}],
     "silences": [], "tags": ["at:only"], "twin": "…id…", "body": {…}}

`body` is the message where its bytes are the compact JSON of a value (no white space, UTF-8, no needless escapes): the text behind
`"body":` is then those bytes. Else `raw` holds the bytes in base64. `silences` lists the ids of those touched, `twin` is null where
there is none. The few cases that are about how a request carries its message have `"headers": [["content-type", "text/plain"], …]` before
the body: what is sent in place of the usual headers of these names, where null stands for no such header. A body that they say is
packed is that of the request, packed. The last record of a corpus ends in `"last":true`, so that a corpus that was cut off shows.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson

from brokerfuzz.cases.case import NOW_TAG, Case, Fault
from brokerfuzz.errors import CorpusError, LabelError, UnknownNameError
from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.contract import known_message_type
from brokerfuzz.schemas.headers import headers_of
from brokerfuzz.schemas.instants import instant


def encode(case: Case, *, last: bool = False) -> bytes:
    """The line of a case, without its line break."""
    record: dict[str, Any] = {
        "id": case.id,
        "message": case.message_type,
        "verdict": case.label,
        "faults": [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults],
        "silences": sorted({touch.silence for touch in case.verdict.silences}),
        "tags": list(case.tags),
        "twin": case.twin_id,
    }
    if case.headers:
        record["headers"] = case.headers
    if _is_compact(case.body):
        record["body"] = orjson.Fragment(case.body)
    else:
        record["raw"] = b64encode(case.body).decode()
    if last:
        record["last"] = True
    return orjson.dumps(record)


def _is_compact(body: bytes) -> bool:
    try:
        return orjson.dumps(orjson.loads(body)) == body
    except ValueError:
        return False


def decode(line: bytes, twins: Mapping[str, Case], *, contract: Contract | None = None) -> tuple[Case, bool]:
    """The case of a line, and whether it says that it is the last.

    The case is judged again. `twins` are the valid cases read before, by id. Raises `CorpusError` (without the line's number) for
    what is no record, an id that is not the bytes' own, and a label, fault or silence that the oracle does not confirm.
    """
    try:
        record = orjson.loads(line)
        body = orjson.dumps(record["body"]) if "body" in record else b64decode(record["raw"], validate=True)
        faults = tuple(Fault(entry["rule"], entry["at"], entry["technique"]) for entry in record["faults"])
        message_type, twin_id, tags = known_message_type(record["message"]), record["twin"], tuple(record["tags"])
        claimed = (record["id"], record["verdict"], record["silences"])
        case = Case.judged(
            message_type,
            body,
            faults=faults,
            tags=tags,
            twin=twins.get(twin_id),
            now=_now(tags),
            contract=contract,
            headers=headers_of(record.get("headers", ())),
        )
    except (ValueError, KeyError, TypeError, Base64Error, UnknownNameError) as problem:
        raise CorpusError(f"is no record of a case ({type(problem).__name__}: {problem})") from problem
    except LabelError as problem:
        raise CorpusError(f"is not what its record says: {problem}") from problem
    if twin_id is not None and case.twin is None:
        case = replace(case, missing_twin=twin_id)
    judged = (case.id, case.label, sorted({touch.silence for touch in case.verdict.silences}))
    if judged != claimed:
        raise CorpusError(f"says {claimed}, and its bytes are {judged}: it was changed, or made for another contract")
    return case, record.get("last") is True


def _now(tags: tuple[str, ...]) -> datetime | None:
    return next((instant(tag.removeprefix(NOW_TAG)) for tag in tags if tag.startswith(NOW_TAG)), None)
