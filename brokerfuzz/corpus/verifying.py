"""Verifies a corpus. Changed and missing files, malformed records, wrong labels and expired cases are reported."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.record_reader import judged
from brokerfuzz.corpus.folders import SHARDS, CorpusFolder, ShardList
from brokerfuzz.corpus.places import LocalPlace, Place, place_of
from brokerfuzz.corpus.reading import Line, RecordSequence, Twins, lines, parts_of
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract, check
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.oracle import aware

FIRST_LINES = 10
"""The number of lines at the beginning of a file, one of which must be a record. Otherwise, the file is not a corpus."""
MAX_MALFORMED = 10_000
"""The maximum number of malformed lines in a corpus."""


@dataclass(frozen=True, slots=True)
class CorpusProblem:
    """A problem in a line of a file. If `line` is 0, the problem concerns the whole file."""

    name: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}, {self.why}" if self.line else f"{self.name}: {self.why}"


FIRST_EXPIRED = 5
"""The number of expired cases that are described."""


@dataclass
class ExpiredCases:
    """Counts the cases whose verdict was correct when they were generated, but is wrong at the time `now`. `first` describes some
    of these cases.
    """

    now: datetime
    count: int = 0
    first: list[CorpusProblem] = field(default_factory=list)

    def add(self, line: Line, case: Case, made: datetime, contract: Contract | None) -> None:
        """Counts a case if it has expired. `made` is the time for which the case was generated."""
        verdict = check(case.message_type, case.body, now=self.now, contract=contract, headers=case.headers)
        if verdict != case.verdict:
            self.count += 1
            if len(self.first) < FIRST_EXPIRED:
                why = f"was generated for {spell(made)}: at {spell(self.now)}, its verdict is {verdict.brief}"
                self.first.append(CorpusProblem(line.name, line.number, shortened(why)))


class Verification:
    """Judges each case of corpora again.

    `count` is the number of records so far. `expired` describes the cases that have expired before the time `now` (None: the
    current time).
    """

    def __init__(self, *, contract: Contract | None = None, now: datetime | None = None) -> None:
        self.count = 0
        self.expired = ExpiredCases(aware(now))
        self._contract, self._twins = contract, Twins()
        self._malformed = 0

    def of(self, path: str | Path) -> Iterator[CorpusProblem | None]:
        """Yields a problem for each wrong checksum. Then yields a value for each record: its problem, or None if it is correct.

        Raises `CorpusError` if the corpus cannot be read, is truncated, or is not a corpus. So a few damaged lines cause a few
        problems, but a file that is not a corpus causes only one error.
        """
        place = place_of(str(path))
        if place.base.endswith(SHARDS):
            yield from (CorpusProblem(place.name, 0, why) for why in ShardList(place).damage())
        for part in parts_of(path):
            if isinstance(part, LocalPlace) and part.path.is_dir():
                yield from (CorpusProblem(part.name, 0, why) for why in CorpusFolder(part.path).damage())
            yield from self._of_part(part)

    def _of_part(self, part: Place) -> Iterator[CorpusProblem | None]:
        sequence, seen = RecordSequence(part.name), set[int]()
        before, first = self._malformed, list[CorpusProblem | None]()
        with closing(lines(part)) as found:
            for line in found:
                self.count += 1
                problem = self._problem(line, sequence, seen)
                if self._malformed > MAX_MALFORMED:
                    raise CorpusError(f"{line.name} has more than {MAX_MALFORMED:,} malformed lines: it is not a corpus")
                first.append(problem)
                if line.number > self._malformed - before:  # at least one line of this file was a record
                    yield from first
                    first.clear()
                elif line.number == FIRST_LINES:
                    break
        if first:
            raise CorpusError(str(first[0]))
        sequence.end()

    def _problem(self, line: Line, sequence: RecordSequence, seen: set[int]) -> CorpusProblem | None:
        try:
            self._judge(line, sequence, seen)
        except CorpusError as problem:
            return CorpusProblem(line.name, line.number, shortened(str(problem)))
        return None

    def _judge(self, line: Line, sequence: RecordSequence, seen: set[int]) -> None:
        self._malformed += 1
        record = line.record()
        self._malformed -= 1
        sequence.add(record)
        if (number := int(record.id, 16)) in seen:
            raise CorpusError(f"repeats the case {record.id}: a corpus must contain each case once")
        seen.add(number)
        case = judged(record, self._twins.known, contract=self._contract, now=self.expired.now)
        self._twins.add(case, len(line.text))
        if record.now is not None:
            self.expired.add(line, case, record.now, self._contract)
