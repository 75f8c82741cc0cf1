"""Writes journals. If the process is killed, the answers that are already in the journal are not lost."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import orjson

from brokerfuzz.campaign.journal.reading import PIECE, VERSION
from brokerfuzz.campaign.journal.records import Key, encode
from brokerfuzz.cases.case import Case
from brokerfuzz.errors import JournalError
from brokerfuzz.locks import lock
from brokerfuzz.targets import Answer

_ON_DISK_EVERY = 1.0
"""The minimum time between two synchronizations of the journal with the disk (`fsync`), in seconds."""


class Writer(Protocol):
    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        """Raises `JournalError` if the answer cannot be written."""
        ...

    def add(self, line: bytes) -> None:
        """Writes an encoded line. Raises `JournalError` if the line cannot be written."""
        ...

    def close(self) -> None: ...


class CollectedLines:
    """Collects the lines of a journal in memory. Another process then writes these lines to the file."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        self.add(encode(key, case, body, sent, answer, at))

    def add(self, line: bytes) -> None:
        self.lines.append(line)

    def close(self) -> None:
        """Does nothing."""


class Journal:
    """A journal that is open for writing. Use `begun`, `continued` or `joined` to open a journal.

    While a journal is open, it is locked, so that two campaigns do not write to the same journal. About once a second,
    the file is synchronized with the disk.
    """

    def __init__(self, path: Path, flags: int, *, locked: bool = True) -> None:
        self.path = path
        self._on_disk = monotonic()
        try:
            self._file = os.open(
                path, flags | os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600
            )  # O_BINARY: Windows
        except OSError as problem:
            raise _unwritable(path, problem) from problem
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
        journal = cls(Path(path), os.O_CREAT | os.O_EXCL)
        journal.add(orjson.dumps({"journal": VERSION, **head}))
        return journal

    @classmethod
    def continued(cls, path: str | Path) -> "Journal":
        """Opens an existing journal, and removes an incomplete last line.

        Raises `JournalError` if the journal cannot be read or written.
        """
        journal = cls(Path(path), 0)
        _cut_to_whole_lines(journal.path)
        return journal

    @classmethod
    def joined(cls, path: str | Path) -> "Journal":
        """Opens a journal to which other processes also write. Raises `JournalError` if the journal cannot be
        written.
        """
        return cls(Path(path), 0, locked=False)

    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        self.add(encode(key, case, body, sent, answer, at))

    def add(self, line: bytes) -> None:
        """If the line cannot be written, the file stays unchanged, and the method raises `JournalError`."""
        data = line + b"\n"
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as problem:
            self._take_back(written)
            raise _unwritable(self.path, problem) from problem
        if monotonic() - self._on_disk > _ON_DISK_EVERY:
            self._flush_to_disk()

    def _flush_to_disk(self) -> None:
        with suppress(OSError):  # a pipe cannot be synchronized
            os.fsync(self._file)
        self._on_disk = monotonic()

    def close(self) -> None:
        try:
            self._flush_to_disk()
        except OSError as problem:
            raise _unwritable(self.path, problem) from problem
        finally:
            os.close(self._file)

    def _take_back(self, written: int) -> None:
        if written:
            with suppress(OSError):  # readers ignore an incomplete last line
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)


def _cut_to_whole_lines(path: Path) -> None:
    """Removes an incomplete last line of a journal. Raises `JournalError` if the file cannot be changed."""
    try:
        with path.open("r+b") as stream:
            size = stream.seek(0, os.SEEK_END)
            end = size
            while end:
                start = max(end - PIECE, 0)
                stream.seek(start)
                found = stream.read(end - start).rfind(b"\n")
                if found >= 0:
                    if start + found + 1 < size:
                        stream.truncate(start + found + 1)
                    return
                end = start
    except OSError as problem:
        raise _unwritable(path, problem) from problem


def _unwritable(path: Path, problem: OSError) -> JournalError:
    if isinstance(problem, FileExistsError):
        return JournalError(
            f"{path} already exists: continue its campaign with --resume {path}, or specify another file with --journal"
        )
    return JournalError(
        f"the journal {path} cannot be written ({problem.strerror or problem}): "
        "free some disk space or specify another file; the earlier lines of the journal are complete"
    )
