"""The journal: every request and its answer, a line of JSON each, written as it happens.

    {"journal": 1, "brokerfuzz": "0.1.0", "started": "...", "target": "...", "campaign": {...}}
    {"phase": "case", "number": 12, "step": 0, "at": 0.31, "answer": "rejected", "status": 400, "reason": "status 400", "seconds": 0.002,
     "response": "...", "id": "...", "headers": [...], "body": "..."}

The first line says what campaign it is, so that it can be gone on with. `phase`, `number` and `step` say which request of the campaign it was: the
`number`th case or its twin, or a step of the shrinking that starts at that case. `at` is seconds since the start, `body` the message as in
a corpus (or `raw`, in base64), `response` the first bytes of the response (or `response_raw`).

A line is written by one call to the system, so that a process that is killed leaves whole lines and at most one torn one, the last, which a reader
leaves out. A journal whose name ends in `.gz` is packed; each line is flushed through the packer for the same reason.
"""

import os
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Protocol

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.errors import JournalError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import Answer

VERSION = 1
BLOCK = 4096
"""How many numbers are looked up together: those of a shard."""
LONGEST_LINE = 1 << 28  # bytes; the largest message of a catalogue is a megabyte
_GZIP = 31  # zlib's word for a gzip header and its largest window
_PIECE = 1 << 20
_BLOCKS_KEPT = 3  # cases are asked for in their order, and few are behind


class Key(NamedTuple):
    """Which request of a campaign one is: `phase` is `case`, `twin`, `again`, `shrink` or `turn`, `number` a case's, `step` counts within."""

    phase: str
    number: int
    step: int = 0


def is_packed(path: str | Path) -> bool:
    """Whether a journal of this name is packed."""
    return Path(path).suffix == ".gz"


# ---------------------------------------------------------------------------------------------------------------- writing


class Writer(Protocol):
    """What takes the lines of a journal."""

    def record(self, key: "Key", case: Case, body: bytes, headers: Headers, answer: Answer, at: float) -> None:
        """Writes one request and its answer. Raises `JournalError`."""
        ...

    def close(self) -> None:
        """Ends the writing."""
        ...


class Collected:
    """Lines for a journal that is written elsewhere."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def record(self, key: "Key", case: Case, body: bytes, headers: Headers, answer: Answer, at: float) -> None:
        """Keeps the line."""
        self.lines.append(encode(key, case, body, headers, answer, at))

    def close(self) -> None:
        """Nothing ends."""


class Journal:
    """A journal that is being written: make it with `begun`, `continued` or `joined`."""

    def __init__(self, path: Path, flags: int) -> None:
        self.path = path
        self._packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP) if is_packed(path) else None
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
        fresh = cls(path.with_name(f".{path.name}.{os.getpid()}.part{path.suffix}"), os.O_CREAT | os.O_TRUNC)
        for line in lines(path):
            fresh.add(line)
        fresh.path.replace(path)
        fresh.path = path
        return fresh

    def record(self, key: Key, case: Case, body: bytes, headers: Headers, answer: Answer, at: float) -> None:
        """Writes one request and its answer. Raises `JournalError`, and leaves the file as it was before the line."""
        self.add(encode(key, case, body, headers, answer, at))

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
                start = max(end - _PIECE, 0)
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


def encode(key: Key, case: Case, body: bytes, headers: Headers, answer: Answer, at: float) -> bytes:
    """The line of one request and its answer, without its line break."""
    record: dict[str, Any] = {"phase": key.phase, "number": key.number, "step": key.step, "at": round(at, 4)}
    record |= {"answer": answer.kind, "status": answer.status, "reason": answer.reason, "seconds": round(answer.seconds, 6)}
    if not answer.reached:
        record["reached"] = False
    if answer.body:
        try:
            record["response"] = answer.body.decode()
        except UnicodeDecodeError:
            record["response_raw"] = b64encode(answer.body).decode()
    if body is case.body:
        record["id"] = case.id
    if headers:
        record["headers"] = headers
    try:
        record["body"] = body.decode()
    except UnicodeDecodeError:
        record["raw"] = b64encode(body).decode()
    try:
        return orjson.dumps(record)
    except TypeError:  # a reason that holds half a surrogate pair
        return orjson.dumps({**record, "reason": answer.reason.encode(errors="backslashreplace").decode()})


# ---------------------------------------------------------------------------------------------------------------- reading


class Record(NamedTuple):
    """A line of a journal: which request it was, what was sent, what came. `case_id` is None where the message is not that of a case."""

    key: Key
    case_id: str | None
    headers: Headers
    body: bytes
    answer: Answer
    at: float


def decode(line: bytes) -> Record:
    """The record of a line. Raises `ValueError` for what is none."""
    try:
        entry = orjson.loads(line)
        key = Key(entry["phase"], entry["number"], entry["step"])
        body = entry["body"].encode() if "body" in entry else b64decode(entry["raw"])
        response = b64decode(entry["response_raw"]) if "response_raw" in entry else entry.get("response", "").encode()
        answer = Answer(entry["answer"], entry["status"], response, entry["reason"], entry["seconds"], entry.get("reached", True))
        headers = tuple((name, value) for name, value in entry.get("headers", ()))
        return Record(key, entry.get("id"), headers, body, answer, entry["at"])
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(f"no record of a journal: {problem}") from problem


def head_of(path: str | Path) -> Mapping[str, Any]:
    """What the first line says. Raises `JournalError` for a file that is no journal, or one of another version."""
    first = next(lines(Path(path)), None)
    try:
        head = orjson.loads(first or b"")
        version = head["journal"]
    except (ValueError, KeyError, TypeError) as problem:
        raise JournalError(f"{path} is no journal: name a file that `brokerfuzz fire --journal` wrote") from problem
    if version != VERSION:
        raise JournalError(f"{path} is a journal of form {version}, and this brokerfuzz reads form {VERSION}: use the brokerfuzz that wrote it")
    return dict(head)


def records(path: str | Path) -> Iterator[Record]:
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
            yield from _lines(_unpacked(stream) if is_packed(path) else iter(lambda: stream.read(_PIECE), b""), path)
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
    unpacker = zlib.decompressobj(_GZIP)
    while packed := stream.read(_PIECE):
        try:
            while packed:
                yield unpacker.decompress(packed, _PIECE)
                packed = unpacker.unconsumed_tail
        except zlib.error:
            return


# ---------------------------------------------------------------------------------------------------------------- recalling


class NotRecalledError(Exception):
    """The journal has no answer to a request, and none is to be sent."""


class Answered:
    """Answers by request, with what was sent. `origin` is what errors call their journal, `latest` when the last one came, in seconds since
    the start."""

    latest = 0.0

    def __init__(self, origin: str, answers: Mapping[Key, tuple[bytes, Answer]]) -> None:
        self._origin, self._answers = origin, answers

    def __contains__(self, key: Key) -> bool:
        return key in self._answers

    def get(self, key: Key, body: bytes) -> Answer | None:
        """The answer to a request; None where it was not answered. Raises `JournalError` where it was another message."""
        found = self._answers.get(key)
        if found is None:
            return None
        digest, answer = found
        if digest != _digest(body):
            raise JournalError(
                f"{self._origin} is of another campaign (its {key.phase} {key.number} is another message): "
                "go on with the options, the contract and the brokerfuzz that it was begun with"
            )
        return answer


class Recalled:
    """The answers that a journal holds, by request: what a campaign that goes on does not send again.

    Only where they are is kept in memory, eight bytes an answer, and the answers of the cases that are looked at now. Raises `JournalError` where it
    cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.count, self.latest = 0, 0.0
        self._places: dict[int, array[int]] = {}
        self._blocks: dict[int, Answered] = {}
        self._file = self._plain()
        place = 0
        for number, line in enumerate(lines(self.path)):
            if number:
                self._index(line, place)
            place += len(line) + 1

    def get(self, key: Key, body: bytes) -> Answer | None:
        """The answer to a request; None where it was not answered. Raises `JournalError` where it was another message."""
        return self.block(key.number // BLOCK).get(key, body)

    def block(self, block: int) -> Answered:
        """The answers to the requests of a block of cases."""
        if block not in self._blocks:
            if len(self._blocks) >= _BLOCKS_KEPT:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[block] = Answered(str(self.path), dict(self._read(place) for place in self._places.get(block, ())))
        return self._blocks[block]

    def has(self, key: Key) -> bool:
        """Whether a request was answered."""
        return key in self.block(key.number // BLOCK)

    @property
    def last(self) -> int:
        """The highest block of which there are answers; -1 where there are none."""
        return max(self._places, default=-1)

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def _plain(self) -> IO[bytes]:
        if not is_packed(self.path):
            try:
                return self.path.open("rb")
            except OSError as problem:
                raise JournalError(f"{self.path} cannot be read ({problem.strerror or problem}): name a journal") from problem
        plain: IO[bytes] = TemporaryFile()  # noqa: SIM115 - it lives as long as this does: a packed journal cannot be read from its middle
        plain.writelines(line + b"\n" for line in lines(self.path))
        return plain

    def _index(self, line: bytes, place: int) -> None:
        try:
            entry = orjson.loads(line)
            number, at = entry["number"], entry["at"]
        except (ValueError, KeyError, TypeError) as problem:
            raise JournalError(
                f"{self.path} holds what is no record of a journal ({problem}): it was changed, and cannot be gone on with"
            ) from problem
        self._places.setdefault(number // BLOCK, array("q")).append(place)
        self.count += 1
        self.latest = max(self.latest, at)

    def _read(self, place: int) -> tuple[Key, tuple[bytes, Answer]]:
        self._file.seek(place)
        record = decode(self._file.readline())
        return record.key, (_digest(record.body), record.answer)


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).digest()
