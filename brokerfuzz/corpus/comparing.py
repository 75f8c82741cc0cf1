"""Compares two corpora, and counts the differences for each rule.

To save memory, brokerfuzz stores only the ID and one number for each case of the first corpus. This number combines the
label of the case with a hash of its faults and ambiguities.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.reading import check_rereadable, records

EDGE = "edge:"
"""Tags with this prefix name the edge (an unusual valid value) that a case tests."""
KINDS = ("before", "after", "added", "removed", "changed")

CaseTopic = tuple[str, str, str]
"""The topic of a case: its message type, its subject and its technique. The subject is a rule, an ambiguity, an edge,
or else the label (`valid`, `invalid` or `unspecified`). The technique is empty if the case has no fault.
"""


@dataclass
class Comparison:
    """Counts the cases in the first corpus (before) and in the second corpus (after), and the added, removed and
    changed cases. `cases` contains the total numbers, and `about` contains the numbers for each topic. A changed case
    has different labels, faults or ambiguities in the two corpora.
    """

    about: dict[str, Counter[CaseTopic]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS})
    cases: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of cases whose label changed, for each pair of old and new label."""

    def count(self, kind: str, record: CaseRecord) -> None:
        """Counts a case as `before`, `after`, `added`, `removed` or `changed`."""
        self.cases[kind] += 1
        self.about[kind].update(dict.fromkeys(_about(record), 1))

    @property
    def same(self) -> bool:
        """True if both corpora have the same cases with the same labels, faults and ambiguities."""
        return not any(self.cases[kind] for kind in ("added", "removed", "changed"))


def compare(first: str | Path, second: str | Path, *, progress: Callable[[int], None] | None = None) -> Comparison:
    """Compares two corpora, and ignores the order, the tags and the twins of cases.

    `progress` is called with the number of records that were read so far (the first corpus is read twice). Raises
    `CorpusError` if a corpus is invalid.
    """
    check_rereadable(first)
    found = Comparison()
    known: dict[int, int | None] = {}
    numbers = count(1)

    def read(path: str | Path) -> Iterator[CaseRecord]:
        for record, number in zip(records(path), numbers, strict=False):
            if progress:
                progress(number)
            yield record

    for record in read(first):
        if int(record.id, 16) not in known:
            known[int(record.id, 16)] = _label_and_hash(record)
            found.count("before", record)
    for record in read(second):
        before = known.get(int(record.id, 16), _NEW)
        if before is None:
            continue
        found.count("after", record)
        if before == _NEW:
            found.count("added", record)
        else:
            known[int(record.id, 16)] = None
            _compare(found, before, record)
    for record in read(first):
        if known.get(int(record.id, 16)) is not None:
            known[int(record.id, 16)] = None
            found.count("removed", record)
    return found


_NEW = -1


def _compare(found: Comparison, before: int, record: CaseRecord) -> None:
    now = _label_and_hash(record)
    if before != now:
        found.count("changed", record)
        labels = LABELS[before % len(LABELS)], LABELS[now % len(LABELS)]
        found.labels.update([labels] if labels[0] != labels[1] else [])


def _label_and_hash(record: CaseRecord) -> int:
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
