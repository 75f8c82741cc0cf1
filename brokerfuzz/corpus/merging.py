"""Several corpora as one: each case once, the twin of a fault before it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.reading import check_lasting, read, records
from brokerfuzz.schemas import Contract


def merged(paths: Sequence[str | Path], *, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of all corpora, each once, in the order in which they come; a fault that comes before its twin goes to the end.

    The corpora are read twice, three times where there are such faults; only ids are kept. Every case is judged. Raises `CorpusError`.
    """
    check_lasting(*paths)
    late = _before_their_twins(paths)
    given: set[str] = set()
    for case in read(*paths, contract=contract):
        if case.id not in late and case.id not in given:
            given.add(case.id)
            yield case
    for case in read(*paths, contract=contract) if late else ():
        if case.id in late:
            late.remove(case.id)
            yield case


def _before_their_twins(paths: Sequence[str | Path]) -> set[str]:
    """The ids of the faults whose twin is there, and comes only after them."""
    seen: set[str] = set()
    awaited: dict[str, list[str]] = {}
    late: set[str] = set()
    for record in (record for path in paths for record in records(path)):
        if record.id not in seen:
            seen.add(record.id)
            late.update(awaited.pop(record.id, ()))
            if record.twin_id is not None and record.twin_id not in seen:
                awaited.setdefault(record.twin_id, []).append(record.id)
    return late
