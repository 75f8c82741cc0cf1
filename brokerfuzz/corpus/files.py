"""Corpora as files: NDJSON, a case a line, whole or not there."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.records import decode, encode
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import Contract
from brokerfuzz.writing import whole

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line that `read` takes at the most."""
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Summary:
    """What was written: how many cases, and how many of each message type and label."""

    count: int
    by_label: dict[tuple[str, str], int]


def write(path: str | Path, cases: Iterable[Case], *, progress: Callable[[int], None] | None = None) -> Summary:
    """Writes a corpus: to a name of its own beside `path` first, which takes the name `path` once all is written.

    An existing file is replaced. `progress` is called with the number of cases written so far. Raises `CorpusError` where the
    file cannot be written or there is no case; nothing is left behind then.
    """
    path = Path(path)
    if path.is_dir():
        raise CorpusError(f"{path} is a folder: name the file that the corpus is to be written to")
    try:
        with whole(path) as stream:
            summary = dump(stream, cases, progress=progress)
    except OSError as problem:
        reason = problem.strerror or problem
        raise CorpusError(f"{path} cannot be written: {reason}; choose a folder that is there and yours, with room in it") from problem
    return summary


def dump(stream: BinaryIO, cases: Iterable[Case], *, progress: Callable[[int], None] | None = None) -> Summary:
    """Writes a corpus to a stream, a case at a time. Raises `CorpusError` where there is no case."""
    by_label: Counter[tuple[str, str]] = Counter()
    held: Case | None = None
    for case in cases:
        if held is not None:
            stream.write(encode(held) + b"\n")
        held = case
        by_label[case.message_type, case.label] += 1
        if progress:
            progress(by_label.total())
    if held is None:
        raise CorpusError("no case is left to write: choose more messages or verdicts, or a count above 0")
    stream.write(encode(held, last=True) + b"\n")
    return Summary(by_label.total(), dict(by_label))


def read(path: str | Path, *, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of a corpus, in order, each judged again: what its record says of it is true, or `CorpusError` is raised.

    A fault's `twin` is the case before it that has the id; where that was left out of the corpus, or came more than 4,096 valid
    cases before, only `twin_id` is known. Raises `CorpusError` too where the file cannot be read, is no corpus, or was cut off (the
    cases before the cut have been yielded by then: make a list of all before you rely on any).
    """
    path = Path(path)
    try:
        stream = path.open("rb")
    except OSError as problem:
        raise CorpusError(f"{path} cannot be read: {problem.strerror}; name a file that `brokerfuzz export` wrote") from problem
    with stream:
        yield from load(stream, str(path), contract=contract)


def load(stream: BinaryIO, name: str, *, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of a corpus in a stream; `name` is what errors call it. Otherwise as `read`."""
    twins: dict[str, Case] = {}
    last = False
    for number, line in enumerate(_lines(stream, name), 1):
        if last:
            raise CorpusError(f"{name}, line {number}, follows the record that says it is the last: two corpora in one file? read them apart")
        try:
            case, last = decode(line, twins, contract=contract)
        except CorpusError as problem:
            raise CorpusError(f"{name}, line {number}, {problem}") from problem
        if case.label == "valid":
            twins[case.id] = case
            if len(twins) > _REMEMBERED:
                del twins[next(iter(twins))]
        yield case
    if not last:
        raise CorpusError(f"{name} was cut off: its last record does not say that it is the last; export it again")


def _lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise CorpusError(f"{name}, line {number}, is longer than {LONGEST_LINE:,} bytes: no corpus has such lines")
        yield line
