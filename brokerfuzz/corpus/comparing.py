"""Compares two corpora."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from brokerfuzz.cases.case_tags import EDGE
from brokerfuzz.cases.records import CaseRecord

COUNT_NAMES = ("before", "after", "added", "removed", "changed", "rewritten")

CaseTopic = tuple[str, str, str]
"""The topic of a case: its message type, its subject and its technique. The subject is a rule, an ambiguity, an edge,
or else the label (`valid`, `invalid` or `unspecified`). The technique is empty if the case has no fault.
"""


@dataclass
class Comparison:
    """Counts the cases in the first corpus (before) and in the second corpus (after), and the added, removed, changed
    and rewritten cases: in total, and for each topic. A changed case has different labels, faults or ambiguities in the
    two corpora. A rewritten case tests the same as before with another message, for example because of a new required
    property.
    """

    about: dict[CaseTopic, Counter[str]] = field(default_factory=dict)
    cases: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of cases whose label changed, for each pair of old and new label."""

    def count(self, kind: str, record: CaseRecord) -> None:
        self.cases[kind] += 1
        for topic in set(_topics(record)):
            self.about.setdefault(topic, Counter())[kind] += 1

    @property
    def same(self) -> bool:
        return not any(self.cases[kind] for kind in ("added", "removed", "changed", "rewritten"))


def compare(first: Iterable[CaseRecord], second: Iterable[CaseRecord]) -> Comparison:
    """Compares two corpora, and ignores the order, the tags and the twins of cases."""
    comparison = Comparison()
    before, after = _by_id(first), _by_id(second)
    for kind, records in (("before", before), ("after", after)):
        for record in records.values():
            comparison.count(kind, record)
    removed: dict[tuple[object, ...], list[CaseRecord]] = {}
    for name in before.keys() - after.keys():
        removed.setdefault(_subject(before[name]), []).append(before[name])
    for name, record in after.items():
        if name not in before:
            former = removed.get(_subject(record))
            comparison.count("rewritten" if former else "added", record)
            if former:
                former.pop()
        elif _judgement(before[name]) != _judgement(record):
            comparison.count("changed", record)
            if before[name].label != record.label:
                comparison.labels[before[name].label, record.label] += 1
    for record in chain.from_iterable(removed.values()):
        comparison.count("removed", record)
    return comparison


def _by_id(records: Iterable[CaseRecord]) -> dict[str, CaseRecord]:
    records_by_id: dict[str, CaseRecord] = {}
    for record in records:
        records_by_id.setdefault(record.id, record._replace(message=b""))  # a comparison does not need the message
    return records_by_id


def _subject(record: CaseRecord) -> tuple[object, ...]:
    """Returns what a case tests. Cases of two corpora with the same subject differ only in their messages."""
    return record.label, *_topics(record)


def _judgement(record: CaseRecord) -> tuple[object, ...]:
    return record.label, record.faults, record.ambiguities


def _topics(record: CaseRecord) -> Iterator[CaseTopic]:
    for fault in record.faults:
        yield record.message_type, fault.rule, fault.technique
    if not record.faults:
        for ambiguity in record.ambiguities if record.label == "unspecified" else ():
            yield record.message_type, ambiguity, ""
        if record.label != "unspecified" or not record.ambiguities:
            yield record.message_type, next((tag for tag in record.tags if tag.startswith(EDGE)), record.label), ""
