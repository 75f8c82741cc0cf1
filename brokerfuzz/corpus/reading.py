"""Reads corpora from files and folders. The memory that reading needs is limited, even if a corpus is malicious."""

from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import BytesOf, CaseRecord, judged, no_files, record_of
from brokerfuzz.corpus.folders import manifest_of
from brokerfuzz.errors import CorpusError, path_in, quoted, shortened
from brokerfuzz.file_contents import read_errors
from brokerfuzz.schemas import Contract
from brokerfuzz.storage import inside, opened_file, place_of, read_inside, without_mark

CASES = "cases.ndjson"
"""The name of the file with one record per case, in a folder."""
LONGEST_LINE = 3 * 1024 * 1024
"""The maximum length of a line, and of a message in a folder, in bytes.

brokerfuzz writes lines of up to 1.4 MB. If the user changed the contract, messages can be longer. The longest line can
contain a message of about 2 MB in base64. To read this line and judge its message, brokerfuzz needs less than 512 MB of
memory.
"""
_REMEDY = "specify a file written by `brokerfuzz export`"
_AGAIN = "export the corpus again with --format ndjson or --format files"
_REMEMBERED = 4096
_REMEMBERED_BYTES = 64 * 1024 * 1024


def read(path: str | Path, *more: str | Path, contract: Contract | None = None) -> Iterator[Case]:
    """Yields the cases of a corpus in order. Each case is judged again.

    A corpus is a file (also compressed: `.gz`, `.zst`), or a folder in the format `files` or `pytest`. It can also be
    at a URL that fsspec supports (`s3://…`). Several paths are read one after another.

    The `twin` of an invalid case is an earlier valid case. `twin` is None if the corpus does not contain the twin, or
    if the twin came more than 4,096 valid cases earlier. `twin_id` is set even then.

    Raises `CorpusError` if a verdict is wrong, or if a file cannot be read or is not a corpus. The error occurs only
    when `read` reaches the wrong record, so read all cases before you use them.

    >>> from brokerfuzz.corpus import load, read, write
    >>> summary = write("offers.ndjson", load("offer-creation-request", rules=["*orderMinimum:minimum"]))
    >>> len(list(read("offers.ndjson")))
    9
    """
    twins = Twins()
    for each in (path, *more):
        with closing(lines_of_corpus(each)) as corpus_lines:
            for line, record in records_of(corpus_lines):
                try:
                    case = judged(record, twins.known, contract=contract)
                except CorpusError as problem:
                    raise line.error(problem) from problem
                twins.add(case, len(line.text))
                yield case


def records(path: str | Path) -> Iterator[CaseRecord]:
    """Yields the records of a corpus without judging their messages. Raises the same errors as `read`, except for wrong
    verdicts.
    """
    with closing(lines_of_corpus(path)) as corpus_lines:
        for _, record in records_of(corpus_lines):
            yield record


@dataclass
class Twins:
    """Stores the most recent valid cases, which can be the twins of the next invalid cases."""

    known: OrderedDict[str, Case] = field(default_factory=OrderedDict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _bytes: int = 0

    def add(self, case: Case, size: int) -> None:
        """Stores a case if it is valid, and removes the oldest cases if too many are stored. `size` is the length of
        the line with the case.
        """
        if case.label != "valid" or case.id in self.known:
            return
        self.known[case.id], self._sizes[case.id] = case, size + len(case.body)
        self._bytes += self._sizes[case.id]
        while len(self.known) > _REMEMBERED or self._bytes > _REMEMBERED_BYTES:
            oldest, _ = self.known.popitem(last=False)
            self._bytes -= self._sizes.pop(oldest)


# ----------------------------------------------------------------------------------------------------------- lines


class Line(NamedTuple):
    """A line of a corpus. If the message is in another file, `bytes_of` reads the message."""

    name: str
    number: int
    text: bytes
    bytes_of: BytesOf = no_files

    def record(self) -> CaseRecord:
        """Parses the line. Raises `CorpusError` (without a line number) if the line is invalid."""
        try:
            return record_of(self.text, self.bytes_of)
        except CorpusError as problem:
            raise CorpusError(f"{problem}: {_AGAIN}") from problem

    def error(self, problem: CorpusError) -> CorpusError:
        return CorpusError(f"{self.name}, line {self.number}: {shortened(str(problem))}")


def records_of(corpus_lines: Iterable[Line]) -> Iterator[tuple[Line, CaseRecord]]:
    for line in corpus_lines:
        try:
            yield line, line.record()
        except CorpusError as problem:
            raise line.error(problem) from problem


def lines_of_corpus(path: str | Path) -> Generator[Line, None, None]:
    place = place_of(str(path_in("path", path)))
    with read_errors(place, CorpusError, _REMEDY):
        is_folder = place.is_dir()
    if is_folder:
        _check_folder(place)
        with opened_file(inside(place, CASES), CorpusError, _REMEDY) as stream:
            yield from _lines(stream, str(place / CASES), partial(read_inside, place, limit=LONGEST_LINE))
    else:
        with opened_file(place, CorpusError, _REMEDY) as stream:
            yield from _lines(stream, str(place), no_files)


def _check_folder(place: Path) -> None:
    manifest = manifest_of(place)
    if manifest.format not in ("files", "pytest"):
        raise CorpusError(
            f"{place} is a folder in the format {quoted(manifest.format)}, which brokerfuzz cannot read: {_AGAIN}"
        )
    if not manifest.complete:
        raise CorpusError(f"{place} is not complete, because its export was interrupted: export the corpus again")


def _lines(stream: BinaryIO, name: str, bytes_of: BytesOf) -> Iterator[Line]:
    text, stream = without_mark(stream.readline(LONGEST_LINE + 1), stream, name)
    number = 0
    while text:
        number += 1
        if len(text) > LONGEST_LINE:
            raise CorpusError(
                f"{name}, line {number}, is longer than {LONGEST_LINE:,} bytes, the maximum for a corpus: {_AGAIN}"
            )
        yield Line(name, number, text, bytes_of)
        text = stream.readline(LONGEST_LINE + 1)
    if number == 0:
        raise CorpusError(f"{name} is empty: {_REMEDY}")


def check_rereadable(*paths: str | Path) -> None:
    for path in paths:
        if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
            raise CorpusError(
                f"{path} is not a regular file, but brokerfuzz has to read it more than once: save its content to a "
                "file"
            )
