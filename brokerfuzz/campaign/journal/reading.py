"""Reads journals, also those that a killed process left behind."""

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import orjson

from brokerfuzz.campaign.journal.records import JournalRecord, decode
from brokerfuzz.errors import JournalError

VERSION = 2
LONGEST_LINE = 1 << 28  # bytes; the largest message of a catalogue is a megabyte
GZIP = 31  # zlib's word for a gzip header and its largest window
PIECE = 1 << 20


def is_packed(path: str | Path) -> bool:
    """Whether a journal of this name is packed."""
    return Path(path).suffix == ".gz"


def head_of(path: str | Path) -> Mapping[str, Any]:
    """What the first line says. Raises `JournalError` for a file that is no journal, or one of another version."""
    first = next(lines(Path(path)), None)
    try:
        head = orjson.loads(first or b"")
        version = head["journal"]
    except (ValueError, KeyError, TypeError) as problem:
        raise JournalError(f"{path} is no journal: name a file that `brokerfuzz fire --journal` wrote") from problem
    if version != VERSION:
        raise JournalError(f"{path} is a journal of version {version}, and this brokerfuzz reads version {VERSION}: use the brokerfuzz that wrote it")
    return dict(head)


def records(path: str | Path) -> Iterator[JournalRecord]:
    """The records, in the order in which their answers came. Raises `JournalError` for a line that is none (but the last: it may be torn)."""
    found = lines(Path(path))
    next(found, None)
    for number, line in enumerate(found, 2):
        try:
            yield decode(line)
        except ValueError as problem:
            raise JournalError(
                f"{path}, line {number}, is no record of a journal ({problem}): it was changed, and cannot be gone on with"
            ) from problem


def lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a journal, unpacked, without their line breaks. Raises `JournalError` where it cannot be read."""
    try:
        with path.open("rb") as stream:
            yield from _lines(_unpacked(stream) if is_packed(path) else iter(lambda: stream.read(PIECE), b""), path)
    except OSError as problem:
        raise JournalError(
            f"{path} cannot be read ({problem.strerror or problem}): name a journal that `brokerfuzz fire --journal` wrote"
        ) from problem


def _lines(pieces: Iterator[bytes], path: Path) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
        if len(rest) > LONGEST_LINE:
            raise JournalError(f"{path} has a line of more than {LONGEST_LINE:,} bytes: no journal has such lines")


def _unpacked(stream: IO[bytes]) -> Iterator[bytes]:
    """What a packed journal holds, as far as it is whole."""
    unpacker = zlib.decompressobj(GZIP)
    while packed := stream.read(PIECE):
        try:
            while packed:
                yield unpacker.decompress(packed, PIECE)
                packed = unpacker.unconsumed_tail
        except zlib.error:
            return
