"""What changed between two corpora, by rule; of their cases only the ids of the first are kept, and a number each for what it is said to be."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.reading import check_lasting, records

KINDS = ("before", "after", "added", "removed", "changed")

About = tuple[str, str, str]
"""(message type, what its cases are about: a rule's id, an ambiguity's or `valid`; the technique, or nothing)."""


@dataclass
class Comparison:
    """How many cases there were, are, were added, are gone and are said to be something else: by kind and what they are about, and in all.

    Those that `changed` are in both corpora, with another label, other faults or ambiguities; they are counted by what the second says.
    """

    about: dict[str, Counter[About]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS})
    cases: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(label before, label after) of those whose label changed."""

    def count(self, kind: str, record: CaseRecord) -> None:
        """Counts a case as one of a kind."""
        self.cases[kind] += 1
        self.about[kind].update(dict.fromkeys(_about(record), 1))

    @property
    def same(self) -> bool:
        """Whether both have the same cases, and say the same of them."""
        return not any(self.cases[kind] for kind in ("added", "removed", "changed"))


def compare(first: str | Path, second: str | Path, *, progress: Callable[[int], None] | None = None) -> Comparison:
    """What changed from the first corpus to the second. Order, tags and twins do not count. The first is read twice.

    `progress` is called with the number of records read so far. Raises `CorpusError`.
    """
    check_lasting(first)
    found = Comparison()
    known: dict[int, int | None] = {}
    passing = _Passing(progress)
    for record in passing.over(first):
        if int(record.id, 16) not in known:
            known[int(record.id, 16)] = _state(record)
            found.count("before", record)
    for record in passing.over(second):
        before = known.get(int(record.id, 16), _NEW)
        if before is None:
            continue
        found.count("after", record)
        if before == _NEW:
            found.count("added", record)
        else:
            known[int(record.id, 16)] = None
            _compare(found, before, record)
    for record in passing.over(first):
        if known.get(int(record.id, 16)) is not None:
            known[int(record.id, 16)] = None
            found.count("removed", record)
    return found


_NEW = -1


class _Passing:
    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self._progress, self._number = progress, 0

    def over(self, path: str | Path) -> Iterator[CaseRecord]:
        for record in records(path):
            self._number += 1
            if self._progress:
                self._progress(self._number)
            yield record


def _compare(found: Comparison, before: int, record: CaseRecord) -> None:
    now = _state(record)
    if before != now:
        found.count("changed", record)
        labels = LABELS[before % len(LABELS)], LABELS[now % len(LABELS)]
        found.labels.update([labels] if labels[0] != labels[1] else [])


def _state(record: CaseRecord) -> int:
    """A number for what a record says of its case, from which the label can be told; of this process alone."""
    said = hash((record.faults, record.ambiguities)) & 0xFFFF_FFFF_FFFF
    return said * len(LABELS) + LABELS.index(record.label)


def _about(record: CaseRecord) -> Iterator[About]:
    for fault in record.faults:
        yield record.message_type, fault.rule, fault.technique
    if not record.faults:
        for ambiguity in record.ambiguities if record.label == "unspecified" else ():
            yield record.message_type, ambiguity, ""
        if record.label != "unspecified" or not record.ambiguities:
            yield record.message_type, record.label, ""
