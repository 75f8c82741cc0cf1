"""Corpora read back, from files, packed files and folders, in bounded memory whatever is in them."""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.record_reader import BytesOf, CaseRecord, judged, no_files, record_of
from brokerfuzz.compression import opened_for_reading, unpacking
from brokerfuzz.corpus.folders import CASES, SHARDS, CorpusFolder, ShardList
from brokerfuzz.corpus.places import LocalPlace, Place, place_of
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract

LONGEST_LINE = 8 * 1024 * 1024
"""Bytes of a line that are read at the most.

The longest that brokerfuzz writes has 1.4 MB: the message of more than 1 MiB that asks how large one may be (the ambiguity `message-size`), in
base64.
Random cases have up to 33 KB. So a changed contract may ask that of 6 MB. What a line becomes is read, judged and told in less than a gigabyte.
"""
_AGAIN = "export the corpus again, as ndjson or with --format files"
_REMEMBERED = 4096
_REMEMBERED_BYTES = 64 * 1024 * 1024


def read(path: str | Path, *more: str | Path, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of a corpus, in order, each judged again: what its record says of it is true, or `CorpusError` is raised.

    A corpus is a file, packed or not (`.gz`, `.zst`), a folder that `--format files` wrote, or a list of shards (`NAME.shards.json`). Several
    paths, such as the shards themselves, are read one after the other. All but folders can be at URLs too (`s3://…`), which fsspec reads.

    A fault's `twin` is the case before it that has the id; where that was left out of the corpus, or came more than 4,096 valid
    cases before, only `twin_id` is known. Raises `CorpusError` too where a file cannot be read, is no corpus, or was cut off (the
    cases before the cut have been yielded by then: make a list of all before you rely on any).
    """
    twins = Twins()
    for one in parts_of(path, *more):
        yield from _cases(lines(one), one.name, twins, contract)


def parse(stream: BinaryIO, name: str, *, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of a corpus in a stream; `name` is what errors call it. Otherwise as `read`."""
    return _cases(_lines(stream, name, no_files), name, Twins(), contract)


def records(path: str | Path) -> Iterator[CaseRecord]:
    """What the records of a corpus say of its cases, in order, unjudged. Raises `CorpusError` as `read` does, but for what is not true."""
    return (record for part in parts_of(path) for _, record in _records(lines(part), part.name))


def _cases(found: "Lines", name: str, twins: "Twins", contract: Contract | None) -> Iterator[Case]:
    with closing(_records(found, name)) as every:
        for line, record in every:
            try:
                case = judged(record, twins.known, contract=contract)
            except CorpusError as problem:
                raise line.wrong(problem) from problem
            twins.add(case, len(line.text))
            yield case


def _records(found: "Lines", name: str) -> "Generator[tuple[Line, CaseRecord], None, None]":
    """Closes the lines, and the file with them, where a record is wrong too."""
    succession = Succession(name)
    with closing(found):
        for line in found:
            try:
                record = line.record()
                succession.add(record)
            except CorpusError as problem:
                raise line.wrong(problem) from problem
            yield line, record
    succession.end()


class Twins:
    """The valid cases that were read last, by id: the twins that faults may have."""

    def __init__(self) -> None:
        self._cases: OrderedDict[str, Case] = OrderedDict()
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._bytes = 0

    @property
    def known(self) -> Mapping[str, Case]:
        """Those that are still known."""
        return self._cases

    def add(self, case: Case, size: int) -> None:
        """Remembers a case, whose record has so many bytes, if it is valid; forgets the oldest where there are too many or they are too large."""
        if case.label != "valid" or case.id in self._cases:
            return
        self._cases[case.id], self._sizes[case.id] = case, size + len(case.body)
        self._bytes += self._sizes[case.id]
        while len(self._cases) > _REMEMBERED or self._bytes > _REMEMBERED_BYTES:
            self._cases.popitem(last=False)
            self._bytes -= self._sizes.popitem(last=False)[1]


class Succession:
    """Holds the records of one corpus to it that the last one, and no other, says so."""

    def __init__(self, name: str) -> None:
        self._name, self._last = name, False

    def add(self, record: CaseRecord) -> None:
        """Takes the next record. Raises `CorpusError` (without the line's number)."""
        if self._last:
            raise CorpusError("follows the record that says it is the last: two corpora in one file? `brokerfuzz corpus merge` makes one of two")
        self._last = record.last

    def end(self) -> None:
        """Raises `CorpusError` where the last record was not there."""
        if not self._last:
            raise CorpusError(f"{self._name} was cut off: its last record does not say that it is the last; export it again")


# ----------------------------------------------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a corpus: the file that it is in, its number, its bytes, and where messages are that lie beside it."""

    name: str
    number: int
    text: bytes
    bytes_of: BytesOf

    def record(self) -> CaseRecord:
        """What it says. Raises `CorpusError` (without the line's number) where it is no record."""
        try:
            return record_of(self.text, self.bytes_of)
        except CorpusError as problem:
            raise CorpusError(f"{problem}: {_AGAIN}") from problem

    def wrong(self, problem: CorpusError) -> CorpusError:
        """What is wrong with it, and where it is."""
        return CorpusError(f"{self.name}, line {self.number}, {shortened(str(problem))}")


Lines = Generator[Line, None, None]


def parts_of(*paths: str | Path) -> Iterator[Place]:
    """The corpora of these paths or URLs: of a list of shards (`NAME.shards.json`) its shards. Raises `CorpusError`."""
    for place in map(place_of, map(str, paths)):
        yield from ShardList(place).places if place.base.endswith(SHARDS) else [place]


def check_lasting(*paths: str | Path) -> None:
    """Raises `CorpusError` for what can be read once only, such as a pipe, where it has to be read again."""
    for path in paths:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise CorpusError(f"{path} is no file, and has to be read more than once: write it to one first")


def lines(place: Place) -> Lines:
    """The lines of a corpus, one at a time. Raises `CorpusError` where it cannot be read, or a line is too long."""
    try:
        if isinstance(place, LocalPlace) and place.path.is_dir():
            yield from _lines_of_folder(place.path)
        else:
            with opened(place) as stream:
                yield from _lines(stream, place.name, no_files)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise CorpusError(f"{place.name} cannot be read: {reason}; name a file that `brokerfuzz export` wrote") from problem


@contextmanager
def opened(place: Place) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked as `packing` does. Raises `OSError`, `CorpusError`."""
    if isinstance(place, LocalPlace):
        with opened_for_reading(place.path) as stream:
            yield stream
    else:
        with place.opened() as packed, unpacking(packed, place.name) as unpacked:
            yield unpacked


def _lines_of_folder(path: Path) -> Lines:
    folder = CorpusFolder(path)
    try:
        stream = folder.files.opened(CASES)
    except CorpusError as problem:
        raise CorpusError(f"{path} {problem}: export the corpus again") from problem
    with stream:
        yield from _lines(stream, str(path / CASES), folder.files.message)


def _lines(stream: BinaryIO, name: str, bytes_of: Callable[[str], bytes]) -> Lines:
    number = 0
    while text := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            raise CorpusError(f"{name}, line {number}, is longer than {LONGEST_LINE:,} bytes, as none of a corpus is: {_AGAIN}")
        yield Line(name, number, text, bytes_of)
    if number == 0:
        raise CorpusError(f"{name} is empty, and was cut off if it was a corpus: name a file that `brokerfuzz export` wrote")
