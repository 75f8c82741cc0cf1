"""Shows a single case: its place in a file, the reason for the case, its message, and the differences from its twin
(the valid counterpart).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.catalogue import catalogue, essentials
from brokerfuzz.cases.message_diff import difference, laid_out
from brokerfuzz.cases.record_reader import judged
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.reading import Line, check_rereadable, lines
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.explaining.catalogue_summary import why
from brokerfuzz.explaining.judgements import MessageJudgement
from brokerfuzz.explaining.judgements import data as judgement_data
from brokerfuzz.explaining.judgements import lines as judgement_lines
from brokerfuzz.inputs import InputMessage
from brokerfuzz.schemas import MESSAGE_TYPES, Contract
from brokerfuzz.wording import printable_as_in_python


@dataclass(frozen=True)
class SingleCase:
    """A case of a corpus, a journal or the catalogue, with its twin if the twin is in the same file. `name` is the name
    of the file, or None for the catalogue. `line` is the line in the file, or the number of the case in the catalogue.
    `answers` describes how a target answered the case.
    """

    name: str | None
    line: int
    case: Case
    contract: Contract
    answers: tuple[str, ...] = ()

    @property
    def _judgement(self) -> MessageJudgement:
        return MessageJudgement(
            InputMessage(self.name or "", self.line, self.case.body), self.case.message_type, self.case.verdict
        )

    @property
    def _place(self) -> str:
        return (
            f"case {self.line:,} of the catalogue"
            if self.name is None
            else f"{printable_as_in_python(self.name)}, line {self.line}"
        )

    @property
    def _difference(self) -> list[str]:
        return difference(self.case.twin.body, self.case.body) if self.case.twin else []

    def data(self) -> dict[str, Any]:
        said = judgement_data(self._judgement, self.contract)
        records = {"case": self.case, "twin": self.case.twin}
        return {
            "file": self.name,
            "line": self.line,
            "why": why(self.case),
            **{name: said[name] for name in ("verdict", "broken", "ambiguities")},
            **{name: json.loads(encode(case)) if case else None for name, case in records.items()},
            "difference": self._difference,
            **({"answers": list(self.answers)} if self.answers else {}),
        }

    def lines(self) -> Iterator[str]:
        case = self.case
        yield f"{case.id}  {case.label} {case.message_type}, {len(case.body):,} bytes ({self._place})"
        yield printable_as_in_python(why(case))
        yield from (f"The target answered: {printable_as_in_python(answer)}" for answer in self.answers)
        yield from (shortened(printable_as_in_python(line)) for line in judgement_lines(self._judgement, self.contract))
        yield from (f"  header {name}: {'(not sent)' if value is None else value}" for name, value in case.headers)
        yield ""
        yield from laid_out(case.body)
        if case.twin:
            yield ""
            yield (
                f"Difference: - marks lines of the twin (the valid counterpart) {case.twin_id}, + marks lines of "
                "the case."
            )
            yield from self._difference
        elif case.twin_id:
            yield ""
            yield f"Its twin (the valid counterpart), {case.twin_id}, is not in the corpus."


def in_catalogue(wanted: str, *, contract: Contract, now: datetime | None = None) -> SingleCase | None:
    """Returns the case with the ID `wanted` from the catalogue or from the essential cases, or None. `now` is the time
    for which time-dependent cases are generated.
    """
    for message_type in MESSAGE_TYPES:
        whole = catalogue(message_type, now=clock(now), contract=contract)
        small = essentials(message_type, now=clock(now), contract=contract, large=True)
        for number, case in chain(enumerate(whole, 1), enumerate(small, 1)):
            if case.id == wanted:
                return SingleCase(None, number, case, contract)
    return None


def find(paths: Sequence[str], wanted: str, *, contract: Contract) -> SingleCase | None:
    """Searches a corpus for the case with the ID `wanted`, and judges the case and its twin. Returns None if there is
    no such case. Raises `CorpusError` if a record is malformed or has a wrong verdict.
    """
    check_rereadable(*paths)
    line = _line_of(paths, wanted)
    if line is None:
        return None
    try:
        record = line.record()
        before = _line_of(paths, record.twin_id) if record.twin_id else None
        twins = {record.twin_id: judged(before.record(), {}, contract=contract)} if before and record.twin_id else {}
        case = judged(record, twins, contract=contract)
    except CorpusError as problem:
        raise line.error(problem) from problem
    return SingleCase(line.name, line.number, case, contract)


def _line_of(paths: Sequence[str], wanted: str) -> Line | None:
    head = b'"%s"' % wanted.encode()
    found = (line for path in paths for line in lines(path) if head in line.text)
    return next((line for line in found if line.record().id == wanted), None)
