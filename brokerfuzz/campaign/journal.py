"""The journal: a file with one line of JSON for every exchange. Each line is written as soon as the answer arrives. For
example, a journal begins with these two lines (the second line is wrapped here):

    {"journal": 4, "brokerfuzz": "0.1.0", "started": "...", "target": "...", "plan": {...}, ...}
    {"role": "case", "number": 12, "attempt": 0, "at": 0.31, "answer": "rejected", "status": 400, "reason":
     "status 400", "seconds": 0.002, ..., "response": "...", "sent": null, "body": "..."}

The first line describes the campaign, so that brokerfuzz can resume it. `sent` is null if it is equal to `body`. Bytes
that are not UTF-8 are `{"base64": "..."}`.

Each line is written with a single system call. If the process is killed, only the last line can be incomplete. Readers
ignore an incomplete last line.
"""

import os
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import orjson
from jsonschema_rs import validator_for

from brokerfuzz.campaign.exchanges import Exchange
from brokerfuzz.errors import JournalError
from brokerfuzz.file_contents import open_file, read_errors, write_errors
from brokerfuzz.locks import lock
from brokerfuzz.shapes import problem_in
from brokerfuzz.targets import ANSWER_KINDS, Answer

VERSION = 4
LONGEST_RECORD = 1 << 26
"""The maximum number of bytes of a line. The largest message of a catalogue has a megabyte."""
_REMEDY = "specify a journal written by `brokerfuzz fire --journal`"
_ON_DISK_EVERY = 1.0
"""The minimum time between two synchronizations of the journal with the disk (`fsync`), in seconds."""


# ------------------------------------------------------------------------------------------------ exchanges as lines


def encode(exchange: Exchange) -> bytes:
    answer = exchange.answer
    return orjson.dumps(
        {
            "role": exchange.role,
            "number": exchange.number,
            "attempt": exchange.attempt,
            "at": round(exchange.at, 4),
            "answer": answer.kind,
            "status": answer.status,
            "reason": answer.reason.encode(errors="backslashreplace").decode(),
            "seconds": round(answer.seconds, 6),
            "reached": answer.reached,
            "response": _as_json(answer.body),
            "id": exchange.id,
            "sent": None if exchange.sent is exchange.body else _as_json(exchange.sent),
            "body": _as_json(exchange.body),
        }
    )


def _as_json(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}


def _bytes(text: str | dict[str, str]) -> bytes:
    return text.encode() if isinstance(text, str) else b64decode(text["base64"])


_TEXT, _NUMBER, _WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer", "minimum": 0}
_BYTES = {"type": ["string", "object"], "properties": {"base64": _TEXT}, "required": ["base64"]}
_PROPERTIES: Mapping[str, Any] = {
    **dict.fromkeys(("role", "id", "reason"), _TEXT),
    **dict.fromkeys(("number", "attempt"), _WHOLE),
    **dict.fromkeys(("at", "seconds"), _NUMBER),
    **dict.fromkeys(("body", "response"), _BYTES),
    "sent": {"anyOf": [_BYTES, {"type": "null"}]},
    "answer": {"enum": ANSWER_KINDS},
    "status": {"type": ["integer", "null"]},
    "reached": {"type": "boolean"},
}
_LINE = validator_for(
    {"type": "object", "properties": _PROPERTIES, "required": list(_PROPERTIES), "additionalProperties": False}
)


def decode(line: bytes) -> Exchange:
    """Parses a line. Raises `ValueError` if the line is invalid."""
    entry = orjson.loads(line)
    if problem := problem_in(entry, _LINE):
        raise ValueError(problem)
    kind, response, reached = entry["answer"], _bytes(entry["response"]), entry["reached"]
    body, sent = _bytes(entry["body"]), entry["sent"]
    return Exchange(
        role=entry["role"],
        number=entry["number"],
        attempt=entry["attempt"],
        id=entry["id"],
        body=body,
        sent=body if sent is None else _bytes(sent),
        answer=Answer(kind, entry["status"], response, entry["reason"], entry["seconds"], reached),
        at=entry["at"],
    )


# ------------------------------------------------------------------------------------------------ reading


def journal_lines(path: str | Path) -> Iterator[bytes]:
    """Yields the complete lines of a journal. Raises `JournalError` if the journal cannot be read."""
    line = b""
    with read_errors(path, JournalError, _REMEDY), open_file(path) as stream:
        while (line := stream.readline(LONGEST_RECORD)).endswith(b"\n"):
            yield line
    if len(line) >= LONGEST_RECORD:
        raise JournalError(
            f"{path} is not a journal (a line has more than {LONGEST_RECORD:,} bytes): specify another file"
        )


def head_of(path: str | Path) -> Mapping[str, Any]:
    """Returns the first line of a journal, which describes the campaign.

    Raises `JournalError` if the file is not a journal or has another version.
    """
    first = next(journal_lines(path), b"")
    try:
        head = orjson.loads(first)
        version = head["journal"]
    except (ValueError, KeyError, TypeError) as problem:
        raise JournalError(f"{path} is not a journal: {_REMEDY}") from problem
    if version != VERSION:
        raise JournalError(
            f"{path} is a journal of version {version}, but this version of brokerfuzz reads only version {VERSION}: "
            "use the version of brokerfuzz that wrote the journal"
        )
    return dict(head)


def exchanges(path: str | Path) -> Iterator[Exchange]:
    """Yields the exchanges in a journal, in the order of the answers. Raises `JournalError` if a line is invalid."""
    recorded = journal_lines(path)
    next(recorded, None)
    for number, line in enumerate(recorded, 2):
        try:
            yield decode(line)
        except ValueError as problem:
            raise JournalError(
                f"{path}, line {number}, is not a valid journal record ({problem}): the file was modified; start a "
                "new campaign"
            ) from problem


# ------------------------------------------------------------------------------------------------ writing


class Journal:
    """A journal that is open for writing. Use `begun`, `continued` or `joined` to open a journal.

    While a journal is open, it is locked, so that two campaigns do not write to the same journal. About once a second,
    the file is synchronized with the disk.
    """

    def __init__(self, path: str | Path, flags: int = 0, *, locked: bool = True) -> None:
        self._path = path
        self._on_disk = monotonic()
        binary = getattr(os, "O_BINARY", 0)  # only on Windows
        with write_errors(path, JournalError):
            self._file = os.open(path, flags | os.O_WRONLY | os.O_APPEND | binary, 0o600)
        if locked and not lock(self._file):
            os.close(self._file)
            raise JournalError(
                f"{path} is in use by another campaign: wait until that campaign ends, or specify another journal"
            )

    @classmethod
    def begun(cls, path: str | Path, head: Mapping[str, Any]) -> "Journal":
        """Creates a journal whose first line is `head`. Raises `JournalError` if the file already exists or cannot be
        written.
        """
        if os.path.lexists(path):
            raise JournalError(
                f"{path} already exists: continue its campaign with --resume {path}, or specify another file with "
                "--journal"
            )
        journal = cls(path, os.O_CREAT | os.O_EXCL)
        journal._write(orjson.dumps({"journal": VERSION, **head}))
        return journal

    @classmethod
    def continued(cls, path: str | Path) -> "Journal":
        """Opens an existing journal, and removes an incomplete last line. Raises `JournalError` if the journal cannot
        be read or written.
        """
        journal = cls(path)
        complete = sum(map(len, journal_lines(path)))
        with write_errors(path, JournalError):
            if os.fstat(journal._file).st_size > complete:
                os.ftruncate(journal._file, complete)
        return journal

    @classmethod
    def joined(cls, path: str | Path) -> "Journal":
        """Opens a journal to which other processes also write."""
        return cls(path, locked=False)

    def add(self, exchange: Exchange) -> None:
        """If the exchange cannot be written, the file stays unchanged, and the method raises `JournalError`."""
        self._write(encode(exchange))

    def _write(self, line: bytes) -> None:
        data = line + b"\n"
        written = 0
        with write_errors(self._path, JournalError):
            try:
                while written < len(data):
                    written += os.write(self._file, data[written:])
            except OSError:
                with suppress(OSError):  # readers ignore an incomplete last line
                    if written:
                        os.ftruncate(self._file, os.fstat(self._file).st_size - written)
                raise
        if monotonic() - self._on_disk > _ON_DISK_EVERY:
            self._flush_to_disk()

    def _flush_to_disk(self) -> None:
        with suppress(OSError):  # a pipe cannot be synchronized
            os.fsync(self._file)
        self._on_disk = monotonic()

    def close(self) -> None:
        self._flush_to_disk()
        os.close(self._file)
