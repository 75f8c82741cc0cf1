"""Converts a request with its answer to a line of JSON, and parses such lines."""

from base64 import b64decode, b64encode
from typing import Any, NamedTuple

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas.headers import Headers, headers_of
from brokerfuzz.targets import ANSWER_KINDS, Answer


class Key(NamedTuple):
    """Identifies a request of a campaign.

        phase      message
        plain      an ordinary valid message
        replay     the message of a known finding
        case       a case
        twin       the twin of a case
        repeated   an offer that is sent twice
        everything a message that only a target which accepts everything accepts
        retest     a case or its twin, without the part that the target rejects
        shrink     a smaller message
        explain    the smallest message with fewer differences from the plain message
        without    a message without the causes of other findings
        size       the plain message with spaces (see `size_search`)
        alone      a message that is repeated while no other message is under way
        failed     a failure that did not occur again: `failed case` or `failed twin`

    If a phase sends variants of a message, the kind of the finding and the verdict follow, such as `shrink crashed
    valid`. `number` is the number of the case, and `step` distinguishes the requests with the same phase and
    number.
    """

    phase: str
    number: int
    step: int = 0


def encode(key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> bytes:
    """Returns the line for a request and its answer, without a line break. With `--fresh`, `sent` is the body with the
    new value of a property. Otherwise, `sent` is `body`.
    """
    record: dict[str, Any] = {"phase": key.phase, "number": key.number, "step": key.step, "at": round(at, 4)}
    record |= {
        "answer": answer.kind,
        "status": answer.status,
        "reason": answer.reason,
        "seconds": round(answer.seconds, 6),
    }
    if not answer.reached:
        record["reached"] = False
    if answer.body:
        record |= _as_text(answer.body, "response", "response_raw")
    if body is case.body:
        record["id"] = case.id
    if case.headers:
        record["headers"] = case.headers
    if sent is not body:
        record |= _as_text(sent, "sent", "sent_raw")
    record |= _as_text(body, "body", "raw")
    try:
        return orjson.dumps(record)
    except TypeError:  # the reason contains a lone surrogate
        return orjson.dumps({**record, "reason": answer.reason.encode(errors="backslashreplace").decode()})


def _as_text(data: bytes, name: str, raw: str) -> dict[str, str]:
    """Returns the property `name` with the data as a string or, if the data is not UTF-8, the property `raw` with
    base64.
    """
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {raw: b64encode(data).decode()}


class JournalRecord(NamedTuple):
    """A line of a journal: the request, the message and the answer. `case_id` is None if the message is not a case."""

    key: Key
    case_id: str | None
    headers: Headers
    body: bytes
    answer: Answer
    at: float


_REQUIRED = frozenset(["phase", "number", "step", "at", "answer", "status", "reason", "seconds"])
_OPTIONAL = frozenset(["reached", "response", "response_raw", "id", "headers", "sent", "sent_raw", "body", "raw"])


def decode(line: bytes) -> JournalRecord:
    """Parses a line. Raises `ValueError` if the line is invalid."""
    try:
        entry = _closed(orjson.loads(line))
        key = Key(entry["phase"] + "", *map(_whole, (entry["number"], entry["step"])))
        body = entry["body"].encode() if "body" in entry else b64decode(entry["raw"])
        response = b64decode(entry["response_raw"]) if "response_raw" in entry else entry.get("response", "").encode()
        answer = Answer(
            ANSWER_KINDS[ANSWER_KINDS.index(entry["answer"])],
            None if entry["status"] is None else _whole(entry["status"]), response,
            entry["reason"] + "", 0.0 + entry["seconds"], entry.get("reached", True) is True,
        )  # fmt: skip
        return JournalRecord(
            key, entry.get("id"), headers_of(entry.get("headers", ())), body, answer, 0.0 + entry["at"]
        )
    except (LookupError, TypeError, AttributeError, ValueError) as problem:
        raise ValueError("a property is missing or unknown, or has an invalid value") from problem


def _closed(entry: dict[str, Any]) -> dict[str, Any]:
    if unknown := entry.keys() - _REQUIRED - _OPTIONAL:
        raise ValueError(f"{min(unknown)!r} is not a property of a journal record")
    return entry


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a valid number")
    return value
