"""A line of a corpus read back: what its record says, and the case that its bytes are, judged again."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson

from brokerfuzz.cases.case import NOW_TAG, Case, Fault
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import CorpusError, LabelError, UnknownNameError, quoted, shortened
from brokerfuzz.removed import renamed_property
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.contract import known_message_type
from brokerfuzz.schemas.headers import Headers, headers_of
from brokerfuzz.schemas.instants import instant

_ID = re.compile(r"[0-9a-f]{16}")
_CARRIERS = frozenset({"body", "raw", "file"})

MOST_LISTED = 1000
"""Faults, ambiguities, tags or headers of a record, at the most. Those that brokerfuzz writes have a few."""

_LONGEST = 400

BytesOf = Callable[[str], bytes]
"""Gives the bytes of a file of a corpus that is a folder, by its name there."""


def no_files(name: str) -> bytes:
    """Where there are no files: a corpus that is one file itself. Raises `CorpusError`."""
    raise CorpusError(f"has its message in a file ({quoted(name)}), and the corpus is no folder")


class CaseRecord(NamedTuple):
    """What a line says of its case. Nothing of it is known to be true; `judged` finds out."""

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
    """The property that holds the message."""
    carried: bytes | str
    """What that says: the message, its base64, or the name of its file."""
    bytes_of: BytesOf = no_files

    @property
    def body(self) -> bytes:
        """The message, read anew each time. Raises `CorpusError` where it cannot be had."""
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
        """The time that the case was judged at, where its verdict follows the clock."""
        return next((instant(tag.removeprefix(NOW_TAG)) for tag in self.tags if tag.startswith(NOW_TAG)), None)


def record_of(line: bytes, bytes_of: BytesOf = no_files) -> CaseRecord:
    """The record of a line. Raises `CorpusError` (without the line's number) for what is none."""
    try:
        said = orjson.loads(line)
        if former := renamed_property(said):
            raise CorpusError(f"{former}: export the corpus again")
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
        raise TypeError(f"{quoted(value)} is no list")
    if len(value) > MOST_LISTED:
        raise ValueError(f"a list of {len(value):,}, and up to {MOST_LISTED:,} can be")
    return value


def _carried(said: Mapping[str, Any]) -> tuple[Literal["body", "raw", "file"], bytes | str]:
    """Where the message is, and what is there. A value is written at once: it takes thirty times as much memory as its bytes."""
    carriers = _CARRIERS & said.keys()
    if len(carriers) > 1:
        raise ValueError(f"{' and '.join(sorted(carriers))}, and one of them has the message")
    if "body" in said:
        return "body", orjson.dumps(said["body"])
    if "raw" in said:
        return "raw", _text(said["raw"])
    if "file" in said:
        return "file", _file(said["file"])
    raise KeyError("body")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{quoted(value)} is no text")
    return value


def _file(value: Any) -> str:
    if not isinstance(value, str):
        raise CorpusError(f"is no record of a case ({quoted(value)} is no name of a file)")
    return value


def _label(value: Any) -> Label:
    if value not in LABELS:
        raise ValueError(f"{quoted(value)} is no verdict")
    found: Label = value
    return found


def _id(value: Any) -> str:
    if not _ID.fullmatch(_text(value)):
        raise ValueError(f"{quoted(value)} is no id")
    return str(value)


def _no_record(problem: Exception) -> CorpusError:
    return CorpusError(f"is no record of a case ({type(problem).__name__}: {shortened(str(problem), _LONGEST)})")


def judged(record: CaseRecord, twins: Mapping[str, Case], *, contract: Contract | None = None) -> Case:
    """The case of a record, judged again. `twins` are the valid cases read before, by id.

    Raises `CorpusError` (without the line's number) for an id that is not the bytes' own, and a label, fault or ambiguity that the oracle does not
    confirm.
    """
    twin = twins.get(record.twin_id) if record.twin_id is not None else None
    try:
        case = Case.judged(
            record.message_type, record.body, faults=record.faults, tags=record.tags, twin=twin, now=record.now, contract=contract,
            headers=record.headers,
        )  # fmt: skip
    except LabelError as problem:
        raise CorpusError(f"is not what its record says: {shortened(str(problem))}") from problem
    if record.twin_id is not None and twin is None:
        case = replace(case, missing_twin=record.twin_id)
    found = (case.id, case.label, sorted({touch.ambiguity for touch in case.verdict.ambiguities}))
    claimed = (record.id, record.label, list(record.ambiguities))
    for name, what, said in zip(("id", "verdict", "ambiguities"), found, claimed, strict=True):
        if what != said:
            raise CorpusError(f"says {quoted(said)} is its {name}, and that is {quoted(what)}: it was changed, or made for another contract")
    return case


def decode(line: bytes, twins: Mapping[str, Case], *, contract: Contract | None = None) -> tuple[Case, bool]:
    """The case of a line, judged again, and whether its record says that it is the last. Raises `CorpusError` as `record_of` and `judged` do."""
    record = record_of(line)
    return judged(record, twins, contract=contract), record.last
