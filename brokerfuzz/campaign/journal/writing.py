"""Writes journals, so that nothing that was answered is lost."""

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import orjson

from brokerfuzz.atomic_files import own_name
from brokerfuzz.campaign.journal.reading import GZIP, PIECE, VERSION, is_packed, lines
from brokerfuzz.campaign.journal.records import Key, encode
from brokerfuzz.cases.case import Case
from brokerfuzz.errors import JournalError
from brokerfuzz.targets import Answer


class Writer(Protocol):
    """What takes the lines of a journal."""

    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        """Writes one request and its answer. Raises `JournalError`."""
        ...

    def close(self) -> None:
        """Ends the writing."""
        ...


class Collected:
    """Lines for a journal that is written elsewhere."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        """Keeps the line."""
        self.lines.append(encode(key, case, body, sent, answer, at))

    def close(self) -> None:
        """Nothing ends."""


class Journal:
    """A journal that is being written: make it with `begun`, `continued` or `joined`."""

    def __init__(self, path: Path, flags: int) -> None:
        self.path = path
        self._packer = zlib.compressobj(1, zlib.DEFLATED, GZIP) if is_packed(path) else None
        try:
            self._file = os.open(path, flags | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            raise _unwritable(path, problem) from problem

    @classmethod
    def begun(cls, path: str | Path, head: Mapping[str, Any]) -> "Journal":
        """A new journal, whose first line says `head`. Raises `JournalError` where the file is there, or cannot be written."""
        journal = cls(Path(path), os.O_CREAT | os.O_EXCL)
        journal.add(orjson.dumps({"journal": VERSION, **head}))
        return journal

    @classmethod
    def continued(cls, path: str | Path) -> "Journal":
        """The journal of an earlier process, behind its last whole line. Raises `JournalError` where it cannot be read or written."""
        path = Path(path)
        if is_packed(path):
            return cls._repacked(path)
        _cut_to_whole_lines(path)
        return cls(path, 0)

    @classmethod
    def joined(cls, path: str | Path) -> "Journal":
        """A journal that other processes write too; it may not be packed. Raises `JournalError` where it cannot be written."""
        return cls(Path(path), 0)

    @classmethod
    def _repacked(cls, path: Path) -> "Journal":
        """A packed journal anew, as far as it is whole: nothing can follow a stream that was torn."""
        fresh = cls(path.with_name(own_name(path.name, f"part{path.suffix}")), os.O_CREAT | os.O_EXCL)
        for line in lines(path):
            fresh.add(line)
        fresh.path.replace(path)
        fresh.path = path
        return fresh

    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        """Writes one request and its answer. Raises `JournalError`, and leaves the file as it was before the line."""
        self.add(encode(key, case, body, sent, answer, at))

    def add(self, line: bytes) -> None:
        """Writes a line that is ready. Raises `JournalError`, and leaves the file as it was before the line."""
        data = line + b"\n"
        if self._packer is not None:
            data = self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as problem:
            self._take_back(written)
            raise _unwritable(self.path, problem) from problem

    def close(self) -> None:
        """Ends the file."""
        try:
            if self._packer is not None:
                os.write(self._file, self._packer.flush())
        except OSError as problem:
            raise _unwritable(self.path, problem) from problem
        finally:
            os.close(self._file)

    def _take_back(self, written: int) -> None:
        if written:
            try:
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            except OSError:
                return  # a torn last line is left out by whoever reads it


def _cut_to_whole_lines(path: Path) -> None:
    """Takes a torn last line off a journal that is not packed. Raises `JournalError`."""
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
        return JournalError(f"{path} is there already: go on with it by --resume {path}, or name another file for --journal")
    return JournalError(f"the journal {path} cannot be written ({problem.strerror or problem}): make room or name another; what is in it is whole")
