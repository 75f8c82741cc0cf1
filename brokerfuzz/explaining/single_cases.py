"""One case of a corpus: where it is, why it is there, its message, and how that differs from its twin's."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.record_reader import judged
from brokerfuzz.corpus import encode
from brokerfuzz.corpus.reading import Line, check_lasting, lines, parts_of
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.explaining.catalogue_summary import why
from brokerfuzz.explaining.judgements import MessageJudgement
from brokerfuzz.explaining.judgements import data as judgement_data
from brokerfuzz.explaining.judgements import lines as judgement_lines
from brokerfuzz.explaining.message_diff import difference, laid_out
from brokerfuzz.inputs import InputMessage
from brokerfuzz.schemas import Contract
from brokerfuzz.wording import printable_as_in_python


@dataclass(frozen=True)
class Single:
    """A case of a corpus, with its twin where that is in the corpus too."""

    name: str
    line: int
    case: Case
    contract: Contract

    @cached_property
    def difference(self) -> list[str]:
        """The message laid over its twin, in lines that begin with two blanks, `- ` or `+ `; none where there is no twin."""
        return difference(self.case.twin.body, self.case.body) if self.case.twin else []

    @property
    def _judgement(self) -> MessageJudgement:
        return MessageJudgement(InputMessage(self.name, self.line, self.case.body), self.case.message_type, self.case.verdict)

    def data(self) -> dict[str, Any]:
        """What `--json` prints: the record, that of the twin, why it is there, and what the oracle says."""
        said = judgement_data(self._judgement, self.contract)
        records = {"case": self.case, "twin": self.case.twin}
        return {
            "file": self.name,
            "line": self.line,
            "why": why(self.case),
            **{name: said[name] for name in ("verdict", "broken", "ambiguities")},
            **{name: json.loads(encode(case)) if case else None for name, case in records.items()},
            "difference": self.difference,
        }

    def lines(self) -> Iterator[str]:
        """The same for people, but for the difference, of which only the heading."""
        case = self.case
        yield f"{case.id}  {case.label} {case.message_type}, {len(case.body):,} bytes ({printable_as_in_python(self.name)}, line {self.line})"
        yield printable_as_in_python(why(case))
        yield from (shortened(printable_as_in_python(line)) for line in judgement_lines(self._judgement, self.contract))
        yield from (f"  header {name}: {'none' if value is None else value}" for name, value in case.headers)
        yield ""
        yield from laid_out(case.body)
        if self.difference:
            yield ""
            yield f"Beside its valid twin {case.twin_id}: - is in the twin, + in the case."
        elif case.twin_id:
            yield ""
            yield f"Its twin, {case.twin_id}, is not there."


def find(paths: Sequence[str], wanted: str, *, contract: Contract) -> Single:
    """The case with this id, judged again, and its twin. Raises `CorpusError` where it is not there, or not what its record says."""
    check_lasting(*paths)
    line = _line_of(paths, wanted)
    if line is None:
        raise CorpusError(f"no case {wanted} is in {', '.join(paths)}: `brokerfuzz corpus show --cases` lists those that are")
    try:
        record = line.record()
        before = _line_of(paths, record.twin_id) if record.twin_id else None
        twins = {record.twin_id: judged(before.record(), {}, contract=contract)} if before and record.twin_id else {}
        case = judged(record, twins, contract=contract)
    except CorpusError as problem:
        raise line.wrong(problem) from problem
    return Single(line.name, line.number, case, contract)


def _line_of(paths: Sequence[str], wanted: str) -> Line | None:
    """The first line whose record has this id."""
    head = b'"%s"' % wanted.encode()
    found = (line for path in parts_of(*paths) for line in lines(path) if head in line.text)
    return next((line for line in found if line.record().id == wanted), None)
