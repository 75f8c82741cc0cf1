"""Reads corpora from files, compressed files and folders. The memory that reading needs is limited, even if a corpus is
malicious.
"""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.record_reader import BytesOf, CaseRecord, judged, no_files, record_of
from brokerfuzz.compression import decompressing, opened_for_reading
from brokerfuzz.corpus.folders import CASES, SHARDS, CorpusFolder, ShardList
from brokerfuzz.corpus.places import LocalPlace, Place, place_of
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract

LONGEST_LINE = 8 * 1024 * 1024
"""The maximum length of a line, in bytes.

brokerfuzz writes lines of up to 1.4 MB. If the user changed the contract, messages can be longer. The longest line can
contain a message of about 6 MB in base64. To read this line and judge its message, brokerfuzz needs less than 1 GB of
memory.
"""
_AGAIN = "export the corpus again with --format ndjson or --format files"
_REMEMBERED = 4096
_REMEMBERED_BYTES = 64 * 1024 * 1024


def read(path: str | Path, *more: str | Path, contract: Contract | None = None) -> Iterator[Case]:
    """Yields the cases of a corpus in order. Each case is judged again.

    A corpus is a file (also compressed: `.gz`, `.zst`), a folder in the format `files` or `pytest`, or a
    list of shards (`NAME.shards.json`). Several paths are read one after another. A file or a list of shards can also
    be at a URL that fsspec supports (`s3://…`).

    The `twin` of an invalid case is an earlier valid case. `twin` is None if the corpus does not contain the twin, or
    if the twin came more than 4,096 valid cases earlier. `twin_id` is set even then.

    Raises `CorpusError` if a verdict is wrong, or if a file cannot be read, is not a corpus, or is truncated. The error
    occurs only when `read` reaches the wrong record, so read all cases before you use them.

    >>> from brokerfuzz.corpus import load, read, write
    >>> summary = write("offers.ndjson", load("offer-creation-request", rules=["*orderMinimum:minimum"]))
    >>> len(list(read("offers.ndjson")))
    9
    """
    twins = Twins()
    for one in parts_of(path, *more):
        yield from _cases(lines(one), one.name, twins, contract)


def records(path: str | Path) -> Iterator[CaseRecord]:
    """Yields the records of a corpus without judging their messages. Raises the same errors as `read`, except for wrong
    verdicts.
    """
    return (record for part in parts_of(path) for _, record in records_of(lines(part), part.name))


def _cases(found: "Lines", name: str, twins: "Twins", contract: Contract | None) -> Iterator[Case]:
    with closing(records_of(found, name)) as every:
        for line, record in every:
            try:
                case = judged(record, twins.known, contract=contract)
            except CorpusError as problem:
                raise line.error(problem) from problem
            twins.add(case, len(line.text))
            yield case


def records_of(found: "Lines", name: str) -> "Generator[tuple[Line, CaseRecord], None, None]":
    """Yields the lines of a file and their records. Closes the file even if a record is invalid."""
    sequence = RecordSequence(name)
    with closing(found):
        for line in found:
            try:
                record = line.record()
                sequence.add(record)
            except CorpusError as problem:
                raise line.error(problem) from problem
            yield line, record
    sequence.end()


class Twins:
    """Stores the most recent valid cases, which can be the twins of the next invalid cases."""

    def __init__(self) -> None:
        self._cases: OrderedDict[str, Case] = OrderedDict()
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._bytes = 0

    @property
    def known(self) -> Mapping[str, Case]:
        return self._cases

    def add(self, case: Case, size: int) -> None:
        """Stores a case if it is valid, and removes the oldest cases if too many are stored. `size` is the length of
        the line with the case.
        """
        if case.label != "valid" or case.id in self._cases:
            return
        self._cases[case.id], self._sizes[case.id] = case, size + len(case.body)
        self._bytes += self._sizes[case.id]
        while len(self._cases) > _REMEMBERED or self._bytes > _REMEMBERED_BYTES:
            self._cases.popitem(last=False)
            self._bytes -= self._sizes.popitem(last=False)[1]


class RecordSequence:
    """Checks that the last record of a corpus, and no other record, is marked as the last one."""

    def __init__(self, name: str) -> None:
        self._name, self._last = name, False

    def add(self, record: CaseRecord) -> None:
        """Raises `CorpusError` (without a line number) if an earlier record is marked as the last one."""
        if self._last:
            raise CorpusError(
                "the record comes after the record that is marked as the last one: to combine two corpora, use "
                "`brokerfuzz corpus merge`"
            )
        self._last = record.last

    def end(self) -> None:
        """Raises `CorpusError` if no record was marked as the last one."""
        if not self._last:
            raise CorpusError(f"{self._name} is truncated, because its last record is missing: export the corpus again")


# ----------------------------------------------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a corpus with its file name and its number. If the message is in another file, `bytes_of` reads the
    message.
    """

    name: str
    number: int
    text: bytes
    bytes_of: BytesOf

    def record(self) -> CaseRecord:
        """Parses the line. Raises `CorpusError` (without a line number) if the line is invalid."""
        try:
            return record_of(self.text, self.bytes_of)
        except CorpusError as problem:
            raise CorpusError(f"{problem}: {_AGAIN}") from problem

    def error(self, problem: CorpusError) -> CorpusError:
        """Adds the file name and the line number to an error."""
        return CorpusError(f"{self.name}, line {self.number}: {shortened(str(problem))}")


Lines = Generator[Line, None, None]


def parts_of(*paths: str | Path) -> Iterator[Place]:
    """Yields the places of all corpora. For a list of shards (`NAME.shards.json`), yields the places of the shards.

    Raises `CorpusError` if a path or a list is invalid.
    """
    for place in map(place_of, map(str, paths)):
        yield from ShardList(place).places if place.base.endswith(SHARDS) else [place]


def check_rereadable(*paths: str | Path) -> None:
    """Raises `CorpusError` if a path can be read only once, such as a pipe."""
    for path in paths:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise CorpusError(
                f"{path} is not a regular file, but brokerfuzz has to read it more than once: save its content to a "
                "file"
            )


def lines(place: Place) -> Lines:
    """Raises `CorpusError` if the corpus cannot be read, or if a line is too long."""
    try:
        if isinstance(place, LocalPlace) and place.path.is_dir():
            yield from _lines_of_folder(place.path)
        else:
            with opened(place) as stream:
                yield from _lines(stream, place.name, no_files)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise CorpusError(
            f"{place.name} cannot be read: {reason}; specify a file written by `brokerfuzz export`"
        ) from problem


@contextmanager
def opened(place: Place) -> Iterator[BinaryIO]:
    """Opens a file for reading and decompresses it. Raises `OSError` or `CorpusError` if the file cannot be opened."""
    if isinstance(place, LocalPlace):
        with opened_for_reading(place.path) as stream:
            yield stream
    else:
        with place.opened() as packed, decompressing(packed, place.name) as unpacked:
            yield unpacked


def _lines_of_folder(path: Path) -> Lines:
    folder = CorpusFolder(path)
    with folder.opened(CASES) as stream:
        yield from _lines(stream, str(path / CASES), folder.files.message)


def _lines(stream: BinaryIO, name: str, bytes_of: Callable[[str], bytes]) -> Lines:
    number = 0
    while text := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            raise CorpusError(
                f"{name}, line {number}, is longer than {LONGEST_LINE:,} bytes, the maximum for a corpus: {_AGAIN}"
            )
        yield Line(name, number, text, bytes_of)
    if number == 0:
        raise CorpusError(f"{name} is empty: specify a file written by `brokerfuzz export`")
