"""Everything that is wrong with a corpus: files that are not those that were written, and records that are not true."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from brokerfuzz.cases.record_reader import judged
from brokerfuzz.corpus.folders import SHARDS, CorpusFolder, ShardList
from brokerfuzz.corpus.places import LocalPlace, Place, place_of
from brokerfuzz.corpus.reading import Line, Succession, Twins, lines, parts_of
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract

FIRST_LINES = 10
"""Lines that a corpus begins with of which one has to be a record."""
MOST_NO_RECORDS = 10_000
"""Lines of corpora that may be no records; with more of them, there is no point in telling which."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is wrong: with a line of a file, or (line 0) with a file."""

    name: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}, {self.why}" if self.line else f"{self.name}: {self.why}"


class Verification:
    """Corpora of which each record is judged again. `count` says how many have been so far."""

    def __init__(self, *, contract: Contract | None = None) -> None:
        self.count = 0
        self._contract, self._twins = contract, Twins()
        self._no_records = 0

    def of(self, path: str | Path) -> Iterator[Wrong | None]:
        """For each record of a corpus what is wrong with it, or None; before that, what the checksums of a folder or a list of shards say.

        Raises `CorpusError` where the corpus cannot be read, was cut off, or is none: where none of its first ten lines is a record. So a corpus
        in which a few lines were damaged is verified to its end, wherever they are, and of a page or a recording no more than its first line is told.
        """
        place = place_of(str(path))
        if place.base.endswith(SHARDS):
            yield from (Wrong(place.name, 0, why) for why in ShardList(place).damage())
        for part in parts_of(path):
            if isinstance(part, LocalPlace) and part.path.is_dir():
                yield from (Wrong(part.name, 0, why) for why in CorpusFolder(part.path).damage())
            yield from self._of_part(part)

    def _of_part(self, part: Place) -> Iterator[Wrong | None]:
        succession, seen = Succession(part.name), set[int]()
        before, first = self._no_records, list[Wrong | None]()
        with closing(lines(part)) as found:
            for line in found:
                self.count += 1
                wrong = self._wrong(line, succession, seen)
                if self._no_records > MOST_NO_RECORDS:
                    raise CorpusError(f"{line.name} has more than {MOST_NO_RECORDS:,} lines that are no records: it is no corpus")
                first.append(wrong)
                if line.number > self._no_records - before:  # one was a record
                    yield from first
                    first.clear()
                elif line.number == FIRST_LINES:
                    break
        if first:
            raise CorpusError(str(first[0]))
        succession.end()

    def _wrong(self, line: Line, succession: Succession, seen: set[int]) -> Wrong | None:
        try:
            self._judge(line, succession, seen)
        except CorpusError as problem:
            return Wrong(line.name, line.number, shortened(str(problem)))
        return None

    def _judge(self, line: Line, succession: Succession, seen: set[int]) -> None:
        self._no_records += 1
        record = line.record()
        self._no_records -= 1
        succession.add(record)
        if (number := int(record.id, 16)) in seen:
            raise CorpusError(f"is the case {record.id} again: each case is in a corpus once")
        seen.add(number)
        self._twins.add(judged(record, self._twins.known, contract=self._contract), len(line.text))
