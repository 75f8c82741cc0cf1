"""Verifies a corpus: reports malformed records, wrong verdicts, wrong twins and expired cases."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.record_reader import CaseRecord, check_faults, judged
from brokerfuzz.corpus.reading import Line, Twins, lines
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract, Label, check, load_contract
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.oracle import aware

FIRST_LINES = 10
"""A file is not a corpus if none of its first `FIRST_LINES` lines is a record."""
MAX_MALFORMED = 10_000
"""If a corpus has more malformed lines, verification raises an error."""
FIRST_EXPIRED = 5
"""The maximum number of expired cases in `ExpiredCases.first`."""


@dataclass(frozen=True, slots=True)
class CorpusProblem:
    """A problem in a line of a file."""

    name: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}: {self.why}"


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


class Verification:
    """Judges each case of one or more corpora again, and checks the faults, the tags and the twin in its record.

    `count` is the number of lines read so far. `now` is the time at which the verdicts are checked (default: the
    current time).
    """

    def __init__(self, *, contract: Contract | None = None, now: datetime | None = None) -> None:
        self.count = 0
        self.expired = ExpiredCases(aware(now))
        self._contract, self._twins = contract, Twins()
        self._malformed = 0
        self._labels: dict[str, Label | None] = {}
        """Maps the ID of each case to its verdict. None means that a problem with this case was already reported."""
        self._expected: list[tuple[str, int, str]] = []
        """The file name and the line of each case that has a twin, and the ID of the twin, which may come later."""

    def of(self, path: str | Path) -> Iterator[CorpusProblem | None]:
        """Yields one value for each record: a problem, or None if the record is correct. Then yields the problems with
        twins.

        Raises `CorpusError` if the corpus cannot be read, or is not a corpus.
        """
        first: list[CorpusProblem | None] = []
        self._malformed = 0
        with closing(lines(path)) as found:
            for line in found:
                self.count += 1
                first.append(self._problem(line))
                if self._malformed > MAX_MALFORMED or line.number == FIRST_LINES == self._malformed:
                    break
                if line.number > self._malformed:  # at least one line was a record
                    yield from first
                    first.clear()
        if first:
            raise CorpusError(str(first[0]))

    def wrong_twins(self) -> Iterator[CorpusProblem]:
        """Yields a problem for each case whose twin is missing or not valid, after all corpora were read."""
        for name, number, twin in self._expected:
            if twin in self._labels:
                label = self._labels[twin]
                why = f"the case has the twin {twin}, which is {label}: a twin must be valid"
                wrong = label not in ("valid", None)
            else:
                why = f"the twin {twin} of the case is missing from the corpus: add this twin, or specify all shards"
                wrong = not self._malformed
            if wrong:
                yield CorpusProblem(name, number, why)

    def _problem(self, line: Line) -> CorpusProblem | None:
        try:
            self._judge(line, self._record(line))
        except CorpusError as problem:
            return CorpusProblem(line.name, line.number, shortened(str(problem)))
        return None

    def _record(self, line: Line) -> CaseRecord:
        try:
            return line.record()
        except CorpusError:
            self._malformed += 1
            raise

    def _judge(self, line: Line, record: CaseRecord) -> None:
        self._labels[record.id] = None
        case = judged(record, self._twins.known, contract=self._contract, now=self.expired.now)
        self._twins.add(case, len(line.text))
        self._labels[record.id] = case.label
        check_faults(case, self._contract or load_contract())
        if record.twin_id == record.id:
            raise CorpusError(f"the case {record.id} has itself as its twin: a twin must be a different, valid case")
        if record.twin_id is not None:
            self._expected.append((line.name, line.number, record.twin_id))
        if record.now is not None:
            self.expired.add(line, case, record.now, self._contract)
