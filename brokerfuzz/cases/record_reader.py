"""Reads the lines of a corpus. Each line is a record: the module parses it and judges the message of its case again."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson

from brokerfuzz.cases.case import Case, Fault, tagged_now
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import CorpusError, LabelError, UnknownNameError, quoted, shortened
from brokerfuzz.removed import renamed_property
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.contract import known_message_type
from brokerfuzz.schemas.headers import Headers, headers_of

_ID = re.compile(r"[0-9a-f]{16}")
_CARRIERS = frozenset({"body", "raw", "file"})

MOST_LISTED = 1000
"""The maximum number of faults, ambiguities, tags or headers in a record. brokerfuzz itself writes only a few."""

_LONGEST = 400

BytesOf = Callable[[str], bytes]
"""Returns the bytes of a file in a corpus folder, given its name."""


def no_files(name: str) -> bytes:
    """Raises `CorpusError`, because a corpus that is a single file has no message files."""
    raise CorpusError(f"stores its message in a file ({quoted(name)}), but the corpus is not a folder")


class CaseRecord(NamedTuple):
    """What a line of a corpus says about its case. `judged` verifies it."""

    id: str
    message_type: MessageType
    label: Label
    faults: tuple[Fault, ...]
    ambiguities: tuple[str, ...]
    tags: tuple[str, ...]
    twin_id: str | None
    headers: Headers
    last: bool
    carrier: Literal["body", "raw", "file"]
    """The property that contains the message."""
    carried: bytes | str
    """The message itself, the message in base64, or the name of the message's file."""
    bytes_of: BytesOf = no_files

    @property
    def body(self) -> bytes:
        """The message, read again on each access. Raises `CorpusError` if it cannot be read."""
        if isinstance(self.carried, bytes):
            return self.carried
        if self.carrier == "file":
            return self.bytes_of(self.carried)
        try:
            return b64decode(self.carried, validate=True)
        except (ValueError, Base64Error) as problem:
            raise _no_record(problem) from problem

    @property
    def now(self) -> datetime | None:
        """The time for which the case was made, if it is about the clock."""
        return tagged_now(self.tags)


def record_of(line: bytes, bytes_of: BytesOf = no_files) -> CaseRecord:
    """Returns the record of a line. Raises `CorpusError` (without the line number) if the line is not a valid record."""
    try:
        said = orjson.loads(line)
        if former := renamed_property(said):
            raise CorpusError(former)
        carrier, carried = _carried(said)
        faults = tuple(Fault(_text(entry["rule"]), _text(entry["at"]), _text(entry["technique"])) for entry in _list(said["faults"]))
        return CaseRecord(
            id=_id(said["id"]),
            message_type=known_message_type(said["message"]),
            label=_label(said["verdict"]),
            faults=faults,
            ambiguities=tuple(map(_text, _list(said["ambiguities"]))),
            tags=tuple(map(_text, _list(said["tags"]))),
            twin_id=None if said["twin"] is None else _id(said["twin"]),
            headers=headers_of(_list(said.get("headers", []))),
            last=said.get("last") is True,
            carrier=carrier,
            carried=carried,
            bytes_of=bytes_of,
        )
    except (ValueError, KeyError, TypeError, AttributeError, UnknownNameError) as problem:
        raise _no_record(problem) from problem


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{quoted(value)} is not an array")
    if len(value) > MOST_LISTED:
        raise ValueError(f"an array has {len(value):,} items, but at most {MOST_LISTED:,} are allowed")
    return value


def _carried(said: Mapping[str, Any]) -> tuple[Literal["body", "raw", "file"], bytes | str]:
    """Returns the property with the message, and its content.

    If the content is a JSON value, it is serialized immediately, because the value needs 30 times as much memory as its bytes.
    """
    carriers = _CARRIERS & said.keys()
    if len(carriers) > 1:
        raise ValueError(f"has {' and '.join(sorted(carriers))}, but only one of them may contain the message")
    if "body" in said:
        return "body", orjson.dumps(said["body"])
    if "raw" in said:
        return "raw", _text(said["raw"])
    if "file" in said:
        return "file", _file(said["file"])
    raise KeyError("body")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{quoted(value)} is not a string")
    return value


def _file(value: Any) -> str:
    if not isinstance(value, str):
        raise CorpusError(f"is not a valid case record ({quoted(value)} is not a valid file name)")
    return value


def _label(value: Any) -> Label:
    if value not in LABELS:
        raise ValueError(f"{quoted(value)} is not a verdict")
    found: Label = value
    return found


def _id(value: Any) -> str:
    if not _ID.fullmatch(_text(value)):
        raise ValueError(f"{quoted(value)} is not an id")
    return str(value)


def _no_record(problem: Exception) -> CorpusError:
    return CorpusError(f"is not a valid case record ({type(problem).__name__}: {shortened(str(problem), _LONGEST)})")


def judged(record: CaseRecord, twins: Mapping[str, Case], *, contract: Contract | None = None, now: datetime | None = None) -> Case:
    """Returns the case of a record, judged again. `twins` maps ids to the valid cases that were read before.

    A case about the clock is judged at the time for which it was made. Any other case is judged at `now` (None: the current time).
    Raises `CorpusError` (without the line number) if the id does not match the bytes. Also raises it if the oracle does not
    confirm the label, a fault or an ambiguity.
    """
    twin = twins.get(record.twin_id) if record.twin_id is not None else None
    try:
        case = Case.judged(
            record.message_type, record.body, faults=record.faults, tags=record.tags, twin=twin, now=record.now or now, contract=contract,
            headers=record.headers,
        )  # fmt: skip
    except LabelError as problem:
        raise CorpusError(f"does not match its record: {shortened(str(problem))}") from problem
    if record.twin_id is not None and twin is None:
        case = replace(case, _missing_twin=record.twin_id)
    found = (case.id, case.label, sorted({touch.ambiguity for touch in case.verdict.ambiguities}))
    claimed = (record.id, record.label, list(record.ambiguities))
    for name, what, said in zip(("id", "verdict", "ambiguities"), found, claimed, strict=True):
        if what != said:
            raise CorpusError(
                f"has {quoted(said)} as its {name}, but for this message it should be {quoted(what)}: it was changed, or made for another contract"
            )
    return case


def decode(line: bytes, twins: Mapping[str, Case], *, contract: Contract | None = None) -> tuple[Case, bool]:
    """Returns the case of a line, judged again, and True if the line is the corpus's last record. Raises `CorpusError` as
    `record_of` and `judged` do.
    """
    record = record_of(line)
    return judged(record, twins, contract=contract), record.last
