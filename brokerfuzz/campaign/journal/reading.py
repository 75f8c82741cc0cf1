"""Reads journals, including the journals of killed processes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from brokerfuzz.campaign.journal.records import JournalRecord, decode
from brokerfuzz.errors import JournalError

VERSION = 2
LONGEST_LINE = 1 << 26  # in bytes; the largest message of a catalogue is a megabyte
PIECE = 1 << 20


def head_of(path: str | Path) -> Mapping[str, Any]:
    """Returns the first line of a journal, which describes the campaign.

    Raises `JournalError` if the file is not a journal or has another version.
    """
    first = next(lines(Path(path)), None)
    try:
        head = orjson.loads(first or b"")
        version = head["journal"]
    except (ValueError, KeyError, TypeError) as problem:
        raise JournalError(
            f"{path} is not a journal: specify a file written by `brokerfuzz fire --journal`"
        ) from problem
    if version != VERSION:
        raise JournalError(
            f"{path} is a journal of version {version}, but this version of brokerfuzz reads only version {VERSION}: "
            "use the "
            "version of brokerfuzz that wrote the journal"
        )
    return dict(head)


def records(path: str | Path) -> Iterator[JournalRecord]:
    """Yields the lines of a journal after the first line, in the order of the answers. An incomplete last line is
    ignored.

    Raises `JournalError` for any other invalid line.
    """
    found = lines(Path(path))
    next(found, None)
    for number, line in enumerate(found, 2):
        try:
            yield decode(line)
        except ValueError as problem:
            raise JournalError(
                f"{path}, line {number}, is not a valid journal record ({problem}): the file was modified; start a "
                "new campaign"
            ) from problem


def lines(path: Path) -> Iterator[bytes]:
    """Yields the complete lines of a journal, without line breaks. Raises `JournalError` if the journal cannot be
    read.
    """
    begun: list[bytes] = []
    size = 0
    for piece in pieces(path):
        first, *others = piece.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > LONGEST_LINE:
            raise JournalError(
                f"{path} is not a journal (a line has more than {LONGEST_LINE:,} bytes): specify another file"
            )
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun, size = [others[-1]], len(others[-1])


def pieces(path: Path) -> Iterator[bytes]:
    """Yields the contents of a journal, in pieces of any size."""
    try:
        with path.open("rb") as stream:
            yield from iter(lambda: stream.read(PIECE), b"")
    except OSError as problem:
        raise JournalError(
            f"{path} cannot be read ({problem.strerror or problem}): specify a journal written by `brokerfuzz fire "
            "--journal`"
        ) from problem
