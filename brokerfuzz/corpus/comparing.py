"""Compares two corpora, and counts the differences for each rule.

To save memory, only the ID and a number that summarizes the case are stored for each case of the first corpus.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.reading import check_rereadable, records

EDGE = "edge:"
"""The prefix of the tag of a case that was generated for an edge: an unusual valid value."""
KINDS = ("before", "after", "added", "removed", "changed")

CaseTopic = tuple[str, str, str]
"""The thing that a case tests: the message type; a rule, an ambiguity, an edge or a label; and a technique or an empty string."""


@dataclass
class Comparison:
    """Numbers of cases: in the first corpus (before), in the second corpus (after), added, removed and changed. There are numbers
    for all cases, and for each rule, ambiguity and label. A case has changed if both corpora contain it with different labels,
    faults or ambiguities.
    """

    about: dict[str, Counter[CaseTopic]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS})
    cases: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Maps a label before and a label after to the number of cases."""

    def count(self, kind: str, record: CaseRecord) -> None:
        """Counts a case as `before`, `after`, `added`, `removed` or `changed`."""
        self.cases[kind] += 1
        self.about[kind].update(dict.fromkeys(_about(record), 1))

    @property
    def same(self) -> bool:
        """True if both corpora have the same cases with the same labels, faults and ambiguities."""
        return not any(self.cases[kind] for kind in ("added", "removed", "changed"))


def compare(first: str | Path, second: str | Path, *, progress: Callable[[int], None] | None = None) -> Comparison:
    """Compares two corpora. The order, the tags and the twins of cases do not matter.

    The first corpus is read twice. `progress` gets the number of records that were read so far. Raises `CorpusError` if a corpus
    is invalid.
    """
    check_rereadable(first)
    found = Comparison()
    known: dict[int, int | None] = {}
    reader = _ProgressReader(progress)
    for record in reader.read(first):
        if int(record.id, 16) not in known:
            known[int(record.id, 16)] = _state(record)
            found.count("before", record)
    for record in reader.read(second):
        before = known.get(int(record.id, 16), _NEW)
        if before is None:
            continue
        found.count("after", record)
        if before == _NEW:
            found.count("added", record)
        else:
            known[int(record.id, 16)] = None
            _compare(found, before, record)
    for record in reader.read(first):
        if known.get(int(record.id, 16)) is not None:
            known[int(record.id, 16)] = None
            found.count("removed", record)
    return found


_NEW = -1


class _ProgressReader:
    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self._progress, self._number = progress, 0

    def read(self, path: str | Path) -> Iterator[CaseRecord]:
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
    """Returns a number that summarizes a record and contains its label. The number is different in each process."""
    said = hash((record.faults, record.ambiguities)) & 0xFFFF_FFFF_FFFF
    return said * len(LABELS) + LABELS.index(record.label)


def _about(record: CaseRecord) -> Iterator[CaseTopic]:
    for fault in record.faults:
        yield record.message_type, fault.rule, fault.technique
    if not record.faults:
        for ambiguity in record.ambiguities if record.label == "unspecified" else ():
            yield record.message_type, ambiguity, ""
        if record.label != "unspecified" or not record.ambiguities:
            yield record.message_type, next((tag for tag in record.tags if tag.startswith(EDGE)), record.label), ""
