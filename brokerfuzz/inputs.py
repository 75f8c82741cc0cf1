"""Messages to judge, from files and standard input: a JSON text a file, or one a line, the records of a corpus, or recorded traffic.

Memory stays within bounds: a message is read whole, so one of more than `LARGEST` bytes is rejected, where its size is known before
it is read; lines are read one at a time.
"""

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from brokerfuzz import har_reading
from brokerfuzz.cases.case import Fault
from brokerfuzz.cases.record_reader import CaseRecord, no_files
from brokerfuzz.compression import suffix, unpacking
from brokerfuzz.corpus.destinations import MANIFEST
from brokerfuzz.corpus.folders import SHARDS
from brokerfuzz.corpus.places import LocalPlace, place_of
from brokerfuzz.corpus.reading import Line, Succession, parts_of
from brokerfuzz.corpus.reading import lines as corpus_lines
from brokerfuzz.errors import CorpusError, InputError
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType
from brokerfuzz.schemas.headers import Headers

LARGEST = 64 * 1024 * 1024
"""Bytes that a message may have."""
LARGEST_RECORDING = 512 * 1024 * 1024
"""Bytes that a file may have whose name says that it is recorded traffic. It is read whole, and takes some times as much memory."""
STANDARD_INPUT = "-"
LINE_SUFFIXES = (".ndjson", ".jsonl")

_CORPUS_HEAD = b'{"id":"'  # as `corpus.encode` begins a record


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What the record of a corpus says of its message. `now` is the time that it was judged at, where the verdict follows the clock.

    `headers` are those that its request has in place of the usual ones.
    """

    message_type: MessageType
    label: str
    faults: tuple[Fault, ...]
    ambiguities: frozenset[str]
    now: datetime | None
    headers: Headers = ()

    @property
    def rules(self) -> frozenset[str]:
        """The rules that it says were broken on purpose."""
        return frozenset(fault.rule for fault in self.faults)


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A message to judge: its bytes, and the file and line that it comes from (line 1, where the file is one message).

    Of recorded traffic the line is the number of the entry; `recorded` says that the body may be of something else altogether: see `ours`.
    """

    name: str
    line: int
    body: bytes
    record: RecordedVerdict | None = None
    recorded: bool = False


def messages(name: str, *, lines: bool = False) -> Iterator[InputMessage]:
    """The messages of a file (`-` is standard input) or a URL, in order.

    The file is one message, unless `lines` says or its name ends in `.ndjson` or `.jsonl`: then each line that is not blank is one.
    A corpus is known by its first record, and yields its messages with what their records say; so do the folders and the lists of shards that
    `export` writes. Recorded traffic (HAR) is known by the name's `.har`, or by what is in it. What is packed (`.gz`, `.zst`) is unpacked.

    Raises `InputError` where the file cannot be read or a message is too large, `CorpusError` where a corpus is not whole.
    """
    if name.endswith(SHARDS) or (Path(name) / MANIFEST).is_file():
        for part in parts_of(name):
            yield from _of_corpus(corpus_lines(part), part.name)
        return
    bare = name.removesuffix(suffix(name))
    with _opened(name) as stream:
        if bare.endswith(har_reading.HAR_SUFFIX):
            _check_size(stream, name, LARGEST_RECORDING)
            yield from _of_recording(_whole(stream, name, b"", LARGEST_RECORDING), name)
            return
        lines = lines or bare.endswith(LINE_SUFFIXES)
        if not lines:
            _check_size(stream, name, LARGEST)
        first = _line(stream, name, 1)
        if first.startswith(_CORPUS_HEAD) and _is_record(first):
            yield from _of_corpus(_as_lines(stream, name, first), name)
        elif lines:
            yield from _of_lines(stream, name, first)
        elif har_reading.is_har(whole := _whole(stream, name, first, LARGEST)):
            yield from _of_recording(whole, name)
        else:
            yield InputMessage(name, 1, whole)


def ours(
    found: Iterable[InputMessage], contract: Contract, message_type: MessageType | None = None, others: Counter[str] | None = None
) -> Iterator[InputMessage]:
    """The messages without what recordings have of other traffic, which is counted in `others`, by file. `message_type`: the one that is wanted."""
    for message in found:
        if message.recorded and not har_reading.belongs(message.body, contract, (message_type,) if message_type else MESSAGE_TYPES):
            if others is not None:
                others[message.name] += 1
        else:
            yield message


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        place = place_of(name)
        source = place.path.open("rb") if isinstance(place, LocalPlace) else place.opened()
        with source as stream, unpacking(stream, name) if suffix(name) else nullcontext(stream) as unpacked:
            yield unpacked
    except FileNotFoundError as problem:
        raise InputError(f"{name} is not there: name a file that is, or - for standard input") from problem
    except IsADirectoryError as problem:
        raise InputError(f"{name} is a folder: name the files in it, as {Path(name) / '*.json'}") from problem
    except PermissionError as problem:
        raise InputError(f"{name} may not be read by you: change its permissions, or pipe it in and name it -") from problem
    except (OSError, ValueError) as problem:
        raise InputError(f"{name} cannot be read ({getattr(problem, 'strerror', None) or problem}): name another file") from problem


def _check_size(stream: BinaryIO, name: str, most: int) -> None:
    """Rejects a message that is known to be too large before it is read. A corpus is none, however large."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # a stream that is no file
        return
    if stat.S_ISREG(status.st_mode) and status.st_size > most and _head(stream) != _CORPUS_HEAD:
        raise _too_large(name, f"{status.st_size:,} bytes", most)


def _head(stream: BinaryIO) -> bytes:
    """The beginning of a file of which nothing was read yet."""
    head = stream.read(len(_CORPUS_HEAD))
    stream.seek(0)
    return head


def _too_large(name: str, size: str, most: int) -> InputError:
    if most > LARGEST:
        return InputError(f"{name} has {size}: recorded traffic of up to {most:,} is read; record less at a time")
    return InputError(f"{name} has {size}: a message of up to {most:,} is judged; where the file has one a line, add --ndjson")


def _whole(stream: BinaryIO, name: str, first: bytes, most: int) -> bytes:
    body = first + stream.read(most + 1 - len(first))
    if len(body) > most:
        raise _too_large(name, f"more than {most:,} bytes", most)
    return body


def _line(stream: BinaryIO, name: str, number: int) -> bytes:
    """The next line with its end, as much of it as a message may have; `b""` behind the last one."""
    line = stream.readline(LARGEST + 1)
    if len(line) > LARGEST:
        raise InputError(f"{name}, line {number}, has more than {LARGEST:,} bytes: a message of up to so many is judged")
    return line


def _numbered(stream: BinaryIO, name: str, start: int) -> Iterator[tuple[int, bytes]]:
    number = start
    while line := _line(stream, name, number):
        yield number, line
        number += 1


def _as_lines(stream: BinaryIO, name: str, first: bytes) -> Iterator[Line]:
    yield Line(name, 1, first, no_files)
    yield from (Line(name, number, line, no_files) for number, line in _numbered(stream, name, 2))


def _of_lines(stream: BinaryIO, name: str, first: bytes) -> Iterator[InputMessage]:
    if first.strip():
        yield InputMessage(name, 1, _without_end(first))
    for number, line in _numbered(stream, name, 2):
        if line.strip():
            yield InputMessage(name, number, _without_end(line))


def _without_end(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _of_recording(har: bytes, name: str) -> Iterator[InputMessage]:
    """The bodies of a HAR file; a file that only looks like one is one message."""
    try:
        bodies = har_reading.bodies(har)
        problem = "it has no log with entries"
    except (ValueError, RecursionError) as error:
        bodies, problem = None, str(error)
    if bodies is not None:
        yield from (InputMessage(name, number, body, recorded=True) for number, body in bodies)
    elif name.endswith(har_reading.HAR_SUFFIX):
        raise InputError(f"{name} is no HAR file ({problem}): export the recording again, or name the file otherwise")
    else:
        yield InputMessage(name, 1, har)


# --------------------------------------------------------------------------------------------------------- corpora


def _of_corpus(found: Iterable[Line], name: str) -> Iterator[InputMessage]:
    succession = Succession(name)
    for line in found:
        try:
            record = line.record()
            succession.add(record)
            yield InputMessage(line.name, line.number, record.body, _said(record))
        except CorpusError as problem:
            raise line.wrong(problem) from problem
    succession.end()


def _said(record: CaseRecord) -> RecordedVerdict:
    return RecordedVerdict(record.message_type, record.label, record.faults, frozenset(record.ambiguities), record.now, record.headers)


def _is_record(line: bytes) -> bool:
    """Whether a line is meant to be a record of a case."""
    import orjson

    try:
        record = orjson.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and {"id", "message", "verdict"} <= set(record) and bool({"body", "raw"} & set(record))
