"""Reads messages from files and standard input: one message per file or per line, a corpus, or recorded traffic.

To save memory, files with one message per line are read line by line. A message of more than `LARGEST_MESSAGE` bytes is
an error.
"""

import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from brokerfuzz.cases.records import CaseRecord
from brokerfuzz.corpus.folders import has_manifest
from brokerfuzz.corpus.reading import Line, lines_of_corpus, records_of
from brokerfuzz.errors import CorpusError, InputError
from brokerfuzz.inputs.recognising import is_message
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.json_parser import parsed_document
from brokerfuzz.schemas.json_reader import read_message
from brokerfuzz.storage import opened_file, place_of, suffix, without_mark

LARGEST_MESSAGE = 64 * 1024 * 1024
LARGEST_RECORDING = 512 * 1024 * 1024
"""The maximum size of a file with recorded traffic, in bytes. Reading such a file needs several times as much
memory.
"""
STANDARD_INPUT = "-"
LINE_SUFFIXES = (".ndjson", ".jsonl")
RECORDED = ".har"


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A message with its file and its line (line 1 if the file contains one message). If the message comes from a
    corpus, `record` contains the verdict in the corpus.

    In recorded traffic (HAR), `line` is the number of the HAR entry, and `recorded` is True. A recorded body is not
    always a message of the contract (see `contract_messages`).
    """

    name: str
    line: int
    body: bytes
    record: CaseRecord | None = None
    recorded: bool = False

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}"


def messages(name: str, *, lines: bool = False) -> Iterator[InputMessage]:
    """Yields the messages in a file, in order. `-` means standard input.

    - If `lines` is True, or the name ends in `.ndjson` or `.jsonl`, each line is a message.
    - A corpus is recognised by its first line. Folders from `export` are corpora, too.
    - Recorded traffic (HAR) has a name that ends in `.har`.
    - In any other folder, each file is read. Files whose names begin with a dot are omitted.
    - Any other file is one message.

    Files that end in `.gz` or `.zst` are decompressed. Raises `InputError` if the file cannot be read or a message is
    too large, and `CorpusError` if a corpus is incomplete.
    """
    if name != STANDARD_INPUT and has_manifest(Path(name)):
        with closing(lines_of_corpus(name)) as case_lines:
            yield from _of_corpus(case_lines)
        return
    if name != STANDARD_INPUT and Path(name).is_dir():
        yield from _of_folder(Path(name), lines=lines)
        return
    bare = name.removesuffix(suffix(name))
    with _opened(name) as stream:
        if bare.endswith(RECORDED):
            yield from _of_recording(_whole(stream, name, b"", LARGEST_RECORDING), name)
            return
        first = _line(stream, name, 1)
        if lines or bare.endswith(LINE_SUFFIXES) or _is_record(first):
            first, all_others = without_mark(first, stream, name)
            yield from _of_lines(first, all_others, name)
        else:
            yield InputMessage(name, 1, _whole(stream, name, first, LARGEST_MESSAGE))


def _of_folder(folder: Path, *, lines: bool) -> Iterator[InputMessage]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    if not files:
        raise InputError(f"{folder} is a folder without files: specify files, or a folder with one message per file")
    for path in files:
        yield from messages(str(path), lines=lines)


def contract_messages(
    name: str,
    contract: Contract,
    message_type: MessageType | None,
    other_bodies: Counter[str],
    *,
    lines: bool = False,
) -> Iterator[InputMessage]:
    """Yields the `messages`, but omits recorded bodies that are not messages of the contract. With a `message_type`,
    recorded messages of other types are also omitted. `others` counts the omitted bodies of each file.

    Raises `InputError` if there is no message.
    """
    types = (message_type,) if message_type else contract.message_types
    omitted = Counter[str]()
    is_empty = True
    for message in messages(name, lines=lines):
        if message.recorded and not is_message(read_message(message.body).usual, contract, types):
            omitted[message.name] += 1
        else:
            is_empty = False
            yield message
    if is_empty:
        content = "recorded traffic, but no message of the contract" if omitted else "no messages"
        raise InputError(f"{name} contains {content}: specify another file")
    other_bodies.update(omitted)


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with opened_file(place_of(name), InputError, "specify an existing file, or - for standard input") as stream:
        yield stream


def _whole(stream: BinaryIO, name: str, first: bytes, limit: int) -> bytes:
    body = first + stream.read(limit + 1 - len(first))
    if len(body) > limit:
        remedy = "split it, or add --ndjson if each line is a message"
        raise InputError(f"{name} has more than {limit:,} bytes, the limit for a file with one message: {remedy}")
    return body


def _line(stream: BinaryIO, name: str, number: int) -> bytes:
    """Returns the next line with its line break. After the last line, returns `b""`.

    Raises `InputError` if the line is too long.
    """
    line = stream.readline(LARGEST_MESSAGE + 1)
    if len(line) > LARGEST_MESSAGE:
        raise InputError(
            f"{name}, line {number}, has more than {LARGEST_MESSAGE:,} bytes, the limit for a message: write each "
            "message on a separate line"
        )
    return line


def _of_lines(first: bytes, all_others: BinaryIO, name: str) -> Iterator[InputMessage]:
    number, line = 1, first
    is_corpus = _is_record(first)
    while line:
        if is_corpus:
            yield from _of_corpus([Line(name, number, line)])
        elif line.strip():
            yield InputMessage(name, number, line.removesuffix(b"\n").removesuffix(b"\r"))
        number += 1
        line = _line(all_others, name, number)


def _of_recording(har: bytes, name: str) -> Iterator[InputMessage]:
    """Yields the bodies of requests and responses in a HAR file (version 1.2)."""
    try:
        entries = _below(parsed_document(har), "log", "entries")
        if not isinstance(entries, list):
            raise ValueError("the file has no log with entries")  # noqa: TRY004, TRY301
    except ValueError as problem:
        raise InputError(f"{name} is not a HAR file ({problem}): export the recording again, or rename it") from problem
    for number, entry in enumerate(entries, 1):
        for content in (_below(entry, "request", "postData"), _below(entry, "response", "content")):
            if body := _body(content):
                yield InputMessage(name, number, body, recorded=True)


def _below(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _body(content: Any) -> bytes:
    text = _below(content, "text")
    if not isinstance(text, str):
        return b""
    if "base64" not in (_below(content, "encoding"), _below(content, "_encoding")):
        return text.encode(errors="surrogatepass")
    try:  # HAR defines no encoding for requests, so tools use `_encoding`
        return b64decode(text)
    except ValueError:
        return b""


# --------------------------------------------------------------------------------------------------------- corpora


def _of_corpus(case_lines: Iterable[Line]) -> Iterator[InputMessage]:
    for line, record in records_of(case_lines):
        try:
            yield InputMessage(line.name, line.number, record.body, record)
        except CorpusError as problem:
            raise line.error(problem) from problem


def _is_record(line: bytes) -> bool:
    """Returns whether a line looks like a case of a corpus."""
    try:
        record = orjson.loads(line) if line.startswith(b'{"id":"') else None
    except ValueError:
        return False
    return isinstance(record, dict) and {"message", "verdict"} <= set(record) and bool({"body", "raw"} & set(record))
