"""Merges several corpora into one, which contains each case once. Each twin (the valid counterpart) comes before its
invalid cases.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.reading import check_rereadable, read, records
from brokerfuzz.schemas import Contract


def merged(paths: Sequence[str | Path], *, contract: Contract | None = None) -> Iterator[Case]:
    """Yields the cases of all corpora in order, without duplicates. If an invalid case comes before its twin, the
    function yields the invalid case after all other cases. The function keeps only the IDs of cases in memory, so it
    reads each corpus twice (or three times if there is such a case). Each case is judged again. Raises `CorpusError` if
    a corpus is invalid.
    """
    check_rereadable(*paths)
    late = _before_their_twins(paths)
    yielded: set[str] = set()
    for case in read(*paths, contract=contract):
        if case.id not in late and case.id not in yielded:
            yielded.add(case.id)
            yield case
    for case in read(*paths, contract=contract) if late else ():
        if case.id in late:
            late.remove(case.id)
            yield case


def _before_their_twins(paths: Sequence[str | Path]) -> set[str]:
    """Returns the IDs of the invalid cases that come before their twins."""
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
