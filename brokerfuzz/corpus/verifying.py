"""Verifies a corpus: reports changed and missing files, malformed records, wrong verdicts and expired cases."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.record_reader import CaseRecord, check_faults, judged
from brokerfuzz.corpus.corpus_names import is_shard
from brokerfuzz.corpus.folders import SHARDS, CorpusFolder, ShardList
from brokerfuzz.corpus.places import LocalPlace, Place, place_of
from brokerfuzz.corpus.reading import Line, RecordSequence, Twins, lines, parts_of
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract, Label, check, load_contract
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.oracle import aware

FIRST_LINES = 10
"""A file is not a corpus if none of its first `FIRST_LINES` lines is a record."""
MAX_MALFORMED = 10_000
"""If a corpus has more malformed lines, verification raises an error."""


@dataclass(frozen=True, slots=True)
class CorpusProblem:
    """A problem in a line of a file. If `line` is 0, the problem concerns the whole file."""

    name: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}: {self.why}" if self.line else f"{self.name}: {self.why}"


FIRST_EXPIRED = 5
"""The maximum number of expired cases in `ExpiredCases.first`."""


@dataclass
class ExpiredCases:
    """Counts the cases whose verdict was correct when they were generated, but is wrong at the time `now`."""

    now: datetime
    count: int = 0
    first: list[CorpusProblem] = field(default_factory=list)

    def add(self, line: Line, case: Case, made: datetime, contract: Contract | None) -> None:
        """Counts a case if its verdict has expired. `made` is the time for which the case was generated."""
        verdict = check(case.message_type, case.body, now=self.now, contract=contract, headers=case.headers)
        if verdict != case.verdict:
            self.count += 1
            if len(self.first) < FIRST_EXPIRED:
                why = f"the case was generated for {spell(made)}: at {spell(self.now)}, its verdict is {verdict.brief}"
                self.first.append(CorpusProblem(line.name, line.number, shortened(why)))


@dataclass
class TwinCheck:
    """Checks that the twin of each case is another case of the corpus, and that the twin is valid. The twin may come
    later in the corpus than its case.
    """

    _labels: dict[int, Label | None] = field(default_factory=dict)
    """Maps the ID of each case to its verdict. None means that a problem with this case was already reported."""
    _waiting: list[tuple[str, int, str]] = field(default_factory=list)
    """The file name and the line of each case whose twin was not found yet, and the ID of the twin."""

    def add(self, record: CaseRecord, label: Label | None) -> None:
        self._labels[int(record.id, 16)] = label

    def expect(self, line: Line, record: CaseRecord) -> None:
        """Raises `CorpusError` (without a line number) if the twin is the case itself, or is not valid. Skips twins
        that come later in the corpus.
        """
        if record.twin_id is None:
            return
        if record.twin_id == record.id:
            raise CorpusError(f"the case {record.id} has itself as its twin: a twin must be a different, valid case")
        if int(record.twin_id, 16) in self._labels:
            self._check(record.twin_id)
        else:
            self._waiting.append((line.name, line.number, record.twin_id))

    def wrong(self, *, missing: bool) -> Iterator[CorpusProblem]:
        """Checks the cases whose twins come later in the corpus. Yields a problem for each case whose twin is not
        valid. If `missing` is true, also yields a problem for each case whose twin is missing. Each problem is yielded
        only once.
        """
        for name, number, twin in self._waiting:
            try:
                if int(twin, 16) in self._labels:
                    self._check(twin)
                elif missing:
                    yield CorpusProblem(
                        name, number, f"the twin {twin} of the case is missing from the corpus: add this twin"
                    )
            except CorpusError as problem:
                yield CorpusProblem(name, number, str(problem))
        self._waiting.clear()

    def _check(self, twin: str) -> None:
        label = self._labels[int(twin, 16)]
        if label not in ("valid", None):
            raise CorpusError(f"the case has the twin {twin}, which is {label}: a twin must be valid")


class Verification:
    """Judges each case of one or more corpora again, and checks the faults, the tags and the twin in its record.

    `count` is the number of lines read so far. `now` is the time at which the verdicts are checked (default: the
    current time).
    """

    def __init__(self, *, contract: Contract | None = None, now: datetime | None = None) -> None:
        self.count = 0
        self.expired = ExpiredCases(aware(now))
        self._contract, self._twins, self._twin_check = contract, Twins(), TwinCheck()
        self._malformed = 0

    def of(self, path: str | Path) -> Iterator[CorpusProblem | None]:
        """Yields a problem for each wrong checksum. Then yields one value for each record: a problem, or None if the
        record is correct.

        Raises `CorpusError` if the corpus cannot be read, is truncated, or is not a corpus.
        """
        place = place_of(str(path))
        if place.base.endswith(SHARDS):
            yield from (CorpusProblem(place.name, 0, why) for why in ShardList(place).damage())
        for part in parts_of(path):
            if isinstance(part, LocalPlace) and part.path.is_dir():
                yield from (CorpusProblem(part.name, 0, why) for why in CorpusFolder(part.path).damage())
            yield from self._of_part(part)
        yield from self._twin_check.wrong(missing=not self._malformed and not is_shard(place.base))

    def _of_part(self, part: Place) -> Iterator[CorpusProblem | None]:
        sequence, seen = RecordSequence(part.name), set[int]()
        before, first = self._malformed, list[CorpusProblem | None]()
        with closing(lines(part)) as found:
            for line in found:
                self.count += 1
                problem = self._problem(line, sequence, seen)
                if self._malformed > MAX_MALFORMED:
                    raise CorpusError(
                        f"this corpus has more than {MAX_MALFORMED:,} malformed lines, the last in {line.name}"
                        ": use a file or folder that `brokerfuzz export` wrote"
                    )
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
            raise CorpusError(
                f"the line repeats the case {record.id}: remove the line, because a corpus must contain each case "
                "only once"
            )
        seen.add(number)
        self._twin_check.add(record, None)
        case = judged(record, self._twins.known, contract=self._contract, now=self.expired.now)
        self._twins.add(case, len(line.text))
        self._twin_check.add(record, case.label)
        check_faults(case, self._contract or load_contract())
        self._twin_check.expect(line, record)
        if record.now is not None:
            self.expired.add(line, case, record.now, self._contract)
