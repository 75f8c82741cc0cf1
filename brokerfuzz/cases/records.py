"""Writes a case as a line of JSON, and reads such lines. For example (here with a line break):

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

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from jsonschema_rs import validator_for

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.case_tags import tagged_now
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import CorpusError, LabelError, problem_of, quoted, shortened
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.json_reader import is_compact_json
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.shapes import problem_in
from brokerfuzz.wording import listed

# ------------------------------------------------------------------------------------------------------------ writing


def encode(case: Case, *, base64: bool = False) -> bytes:
    """Returns the line for a case, without a line break. With `base64`, the message is always in base64."""
    if case.is_compact and not base64:
        return _line(case, b'"body":' + case.body)
    return _line(case, b'"raw":"%b"' % b64encode(case.body))


def message_json(body: bytes) -> dict[str, Any]:
    """Returns a message as in a record, for a document that contains messages: with the property `body` or `raw`."""
    if is_compact_json(body):
        return {"body": orjson.loads(body)}
    return {"raw": b64encode(body).decode()}


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


# ------------------------------------------------------------------------------------------------------------ reading

MOST_LISTED = 1000
"""The maximum number of faults, ambiguities or tags in a line. Lines from brokerfuzz contain only a few of them."""
_LONGEST = 400
_TEXT = {"type": "string"}
_ID = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_FAULT = {
    "type": "object",
    "required": ["rule", "at", "technique"],
    "properties": {"rule": _TEXT, "at": _TEXT, "technique": _TEXT},
    "additionalProperties": False,
}


def _list_of(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": MOST_LISTED}


_RECORD = validator_for(
    {
        "type": "object",
        "required": ["id", "message", "verdict"],
        "properties": {
            "id": _ID,
            "message": _TEXT,
            "verdict": {"enum": LABELS},
            "faults": _list_of(_FAULT),
            "ambiguities": _list_of(_TEXT),
            "tags": _list_of(_TEXT),
            "twin": {"anyOf": [_ID, {"type": "null"}]},
            "raw": _TEXT,
            "file": _TEXT,
            **dict.fromkeys(
                ("reason", "group", "name", "difference"), True
            ),  # some formats add them for other programs
        },
        "additionalProperties": False,
    }
)
"""The shape of a record, without its `body`."""

BytesOf = Callable[[str], bytes]
"""A function that returns the contents of a file in the folder of the corpus."""


def no_files(name: str) -> bytes:
    """Raises `CorpusError`, because a corpus in a single file cannot refer to other files."""
    raise CorpusError(
        f"the message is in the file {quoted(name)}, which brokerfuzz can read only if you specify the folder of the "
        "corpus"
    )


class CaseRecord(NamedTuple):
    """A parsed line of a corpus. The label and the faults come from the line, and are not yet checked."""

    id: str
    message_type: MessageType
    label: Label
    faults: tuple[Fault, ...]
    ambiguities: tuple[str, ...]
    tags: tuple[str, ...]
    twin_id: str | None
    message: bytes | str
    """The message, or the name of the file that contains it."""
    bytes_of: BytesOf = no_files

    @property
    def body(self) -> bytes:
        """The message, which is read from its file at each access. Raises `CorpusError`."""
        if isinstance(self.message, bytes):
            return self.message
        try:
            return self.bytes_of(self.message)
        except CorpusError as problem:
            raise CorpusError(f"{problem}; export the corpus again") from problem

    @property
    def now(self) -> datetime | None:
        """The time for which the case was generated, if its verdict depends on the current time."""
        return tagged_now(self.tags)


def record_of(line: bytes, bytes_of: BytesOf = no_files) -> CaseRecord:
    """Parses a line of a corpus. Raises `CorpusError` (without a line number) if the line is not a valid record."""
    try:
        return _record(orjson.loads(line), bytes_of)
    except (ValueError, TypeError) as problem:
        reason = shortened(problem_of(problem), _LONGEST)
        raise CorpusError(f"the line is not a valid case record ({reason})") from problem


def _record(record: Any, bytes_of: BytesOf) -> CaseRecord:
    """Raises `ValueError` or `TypeError` if the JSON value of a line is not a record."""
    if not isinstance(record, dict) or sum(name in record for name in ("body", "raw", "file")) != 1:
        raise ValueError("a record must have exactly one of the properties body, raw and file")
    message = _message(record)
    if problem := problem_in(record, _RECORD):
        raise ValueError(problem)
    return CaseRecord(
        id=record["id"],
        message_type=record["message"],
        label=record["verdict"],
        faults=tuple(Fault(**entry) for entry in record.get("faults", ())),
        ambiguities=tuple(record.get("ambiguities", ())),
        tags=tuple(record.get("tags", ())),
        twin_id=record.get("twin"),
        message=message,
        bytes_of=bytes_of,
    )


def _message(record: dict[str, Any]) -> bytes | str:
    """Returns the message, or the name of its file. A JSON value becomes bytes, because parsed JSON needs thirty times
    as much memory.
    """
    if "file" in record:
        return str(record["file"])
    body = body_of(record)
    record.pop("body", None)
    return body


def body_of(message: Mapping[str, Any]) -> bytes:
    """Returns the bytes of a message with the property `body` or `raw`."""
    if "raw" in message:
        return b64decode(message["raw"], validate=True)
    try:
        return orjson.dumps(message["body"])
    except TypeError:  # someone edited the file: `message_json` does not write such a value
        return json.dumps(message["body"], separators=(",", ":")).encode()


def judged(
    record: CaseRecord, twins: Mapping[str, Case], *, contract: Contract | None = None, now: datetime | None = None
) -> Case:
    """Judges the message in a line of a corpus again, and returns the case.

    A time-dependent case is judged as of the time for which it was generated. Any other case is judged as of `now`
    (None: the current time). `twins` maps IDs to the valid cases of earlier lines.

    Raises `CorpusError` (without a line number) if the ID, the verdict, the faults or the ambiguities in the line are
    wrong.
    """
    check_message_type(record.message_type, known_contract(contract))
    twin = twins.get(record.twin_id) if record.twin_id is not None else None
    try:
        case = Case.judged(
            record.message_type, record.body, faults=record.faults, tags=record.tags, twin=twin, now=record.now or now,
            contract=contract,
        )  # fmt: skip
    except LabelError as problem:
        raise CorpusError(
            f"the message does not match its verdict in the corpus: {shortened(str(problem))}"
        ) from problem
    if record.twin_id is not None and twin is None:
        case = replace(case, _missing_twin=record.twin_id)
    actual = (case.id, case.label, sorted({touch.ambiguity for touch in case.verdict.ambiguities}))
    claimed = (record.id, record.label, list(record.ambiguities))
    for name, what, expected in zip(("id", "verdict", "ambiguities"), actual, claimed, strict=True):
        if what != expected:
            raise CorpusError(
                f"the case has the {name} {quoted(expected)} instead of {quoted(what)}: "
                "the corpus was changed, or was generated for another contract; export the corpus again"
            )
    return case


def check_message_type(message_type: MessageType, contract: Contract) -> None:
    """Raises `CorpusError` (without a line number) if the contract lacks the message type of a record."""
    if message_type not in contract.message_types:
        raise CorpusError(
            f"the case has the message type {quoted(message_type)}, but the contract has only "
            f"{listed(contract.message_types)}: specify the contract of the corpus with --contract"
        )


def check_faults(case: Case, contract: Contract) -> None:
    """Raises `CorpusError` if a technique of the case cannot break its rule, or if this rule is not broken there."""
    broken = {(violation.rule, violation.at) for violation in case.verdict.broken}
    for fault in case.faults:
        technique = TECHNIQUES.get(fault.technique)
        if technique is None or contract.rules_by_id[fault.rule].keyword not in technique.keywords:
            raise CorpusError(
                f"no technique {quoted(fault.technique)} can break the rule {fault.rule} of the case: export the "
                "corpus again"
            )
        if (fault.rule, fault.at) not in broken:
            places = ", ".join(sorted(at or "the root" for rule, at in broken if rule == fault.rule))
            raise CorpusError(
                f"the case says that its fault is at {quoted(fault.at)}, but its message breaks {fault.rule} at "
                f"{shortened(places, _LONGEST)}"
            )
