"""Verifies a corpus: finds malformed records, wrong verdicts, wrong twins and expired cases."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from brokerfuzz.cases.records import CaseRecord, check_faults, judged
from brokerfuzz.corpus.reading import Line, Twins
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.schemas import Contract, Label, check
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.oracle import aware

FIRST_LINES = 10
"""A file is not a corpus if none of its first `FIRST_LINES` lines is a record."""


class CorpusProblem(NamedTuple):
    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


class Verification:
    """Judges each case of one or more corpora again, and checks the faults, the tags and the twin in its record.

    The verdict of an expired case was correct when the case was generated, but is wrong at the time `now` (default: the
    current time).
    """

    def __init__(self, contract: Contract, now: datetime | None = None) -> None:
        self.now = aware(now)
        self.problems: list[CorpusProblem] = []
        self.expired: list[CorpusProblem] = []
        self._contract, self._twins = contract, Twins()
        self._has_malformed = False
        self._labels: dict[str, Label | None] = {}
        """Maps the ID of each case to its verdict. None means that a problem with this case was already found."""
        self._expected: list[tuple[Line, str]] = []
        """The lines of the cases that have a twin, and the ID of the twin, which may come later."""

    def read(self, lines: Iterable[Line]) -> None:
        """Verifies a corpus. Raises `CorpusError` if it cannot be read, or is not a corpus."""
        before, records = len(self.problems), 0
        for count, line in enumerate(lines, 1):
            try:
                record = line.record()
            except CorpusError as problem:
                self._has_malformed = True
                self._report(line, str(problem))
                if not records and count == FIRST_LINES:
                    break
            else:
                records += 1
                self._verify(line, record)
        if not records:
            first = self.problems[before]
            del self.problems[before:]
            raise CorpusError(str(first))

    def check_twins(self) -> None:
        """Finds the cases whose twin is missing or not valid, after all corpora were read."""
        for line, twin in self._expected:
            label = self._labels.get(twin)
            if label not in ("valid", None):
                self._report(line, f"the case has the twin {twin}, which is {label}: a twin must be valid")
            elif twin not in self._labels and not self._has_malformed:
                why = "is missing from the corpus: add this twin, or specify all shards"
                self._report(line, f"the twin {twin} of the case {why}")

    def _report(self, line: Line, why: str) -> None:
        self.problems.append(CorpusProblem(line.name, line.number, shortened(why)))

    def _verify(self, line: Line, record: CaseRecord) -> None:
        self._labels[record.id] = None
        try:
            case = judged(record, self._twins.known, contract=self._contract, now=self.now)
            self._twins.add(case, len(line.text))
            self._labels[record.id] = case.label
            check_faults(case, self._contract)
        except CorpusError as problem:
            self._report(line, str(problem))
            return
        if record.twin_id == record.id:
            self._report(line, f"the case {record.id} has itself as its twin: a twin must be a different, valid case")
        elif record.twin_id is not None:
            self._expected.append((line._replace(text=b""), record.twin_id))
        if record.now is not None:
            verdict = check(case.message_type, case.body, now=self.now, contract=self._contract)
            if verdict != case.verdict:
                why = f"the case was generated for {spell(record.now)}: at {spell(self.now)}, its verdict is"
                self.expired.append(CorpusProblem(line.name, line.number, shortened(f"{why} {verdict.brief}")))
