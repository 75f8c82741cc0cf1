"""Summarizes the cases of a catalogue or a corpus, and the differences between two corpora.

The verdicts come from the cases, and brokerfuzz does not check them. Only the IDs of the cases and some numbers are in
memory, so a corpus may have any size.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from brokerfuzz.cases.case import NOW_TAG, Case
from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.comparing import EDGE, KINDS, CaseTopic, Comparison
from brokerfuzz.explaining.description import Description
from brokerfuzz.schemas import MessageType
from brokerfuzz.wording import counted, printable_as_in_python, table

_COLUMNS = ("message", *LABELS, "rules", "techniques", "bytes", "largest")
_CHANGES = {"added": "+", "removed": "-", "changed": "~"}
_MOST_PLACES = 8


@dataclass
class CaseCounts:
    """Counts the cases of a message type by what they concern."""

    labels: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    techniques: Counter[str] = field(default_factory=Counter)
    ambiguities: Counter[str] = field(default_factory=Counter)
    bytes: int = 0
    largest: int = 0

    def data(self) -> dict[str, Any]:
        return {
            "cases": self.labels.total(),
            "verdicts": {label: self.labels[label] for label in LABELS},
            "rules": dict(sorted(self.rules.items())),
            "techniques": dict(sorted(self.techniques.items())),
            "ambiguities": dict(sorted(self.ambiguities.items())),
            "bytes": self.bytes,
            "largest": self.largest,
        }


@dataclass
class Overview:
    """Counts different cases."""

    parts: dict[MessageType, CaseCounts] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    """The number of cases for each time for which time-dependent cases were generated."""
    again: int = 0
    """The number of cases with the same ID as an earlier case."""
    _ids: set[int] = field(default_factory=set)
    _awaited: Counter[int] = field(default_factory=Counter)

    def add(self, case: Case | CaseRecord) -> None:
        number = int(case.id, 16)
        if number in self._ids:
            self.again += 1
            return
        self._ids.add(number)
        part, size = self.parts.setdefault(case.message_type, CaseCounts()), len(case.body)
        part.labels[case.label] += 1
        part.rules.update(fault.rule for fault in case.faults)
        part.techniques.update(fault.technique for fault in case.faults)
        part.ambiguities.update(sorted(set(_ambiguities(case))))
        part.bytes += size
        part.largest = max(part.largest, size)
        self.times.update(tag.removeprefix(NOW_TAG) for tag in case.tags if tag.startswith(NOW_TAG))
        if case.twin_id is not None and (twin := int(case.twin_id, 16)) not in self._ids:
            self._awaited[twin] += 1

    def summary(self, *, names: bool = False) -> Description:
        """A table with a row for each message type. With `names`, the text also lists the number of cases for each
        rule, technique and ambiguity.
        """
        parts = self.parts
        count = sum(part.labels.total() for part in parts.values())
        without_twin = sum(number for twin, number in self._awaited.items() if twin not in self._ids)
        text = [*table([_COLUMNS, *(_row(name, part) for name, part in parts.items())], numbers=True), ""]
        if names:
            text += [line for name, part in parts.items() for line in _names(name, part)]
        text += [f"{count:,} cases"]
        if without_twin and not names:
            text += [f"{without_twin:,} invalid cases whose twin (the valid counterpart) is not in the corpus"]
        if self.again:
            text += [f"{self.again:,} duplicate records, not counted"]
        if self.times:
            times = ", ".join(sorted(self.times))
            text += [f"{self.times.total():,} cases depend on the time; these cases were generated for {times}"]
        data = {
            "cases": count,
            "again": self.again,
            "without_twin": without_twin,
            "times": dict(sorted(self.times.items())),
            "messages": {name: part.data() for name, part in parts.items()},
        }
        return Description(text, data)


def _ambiguities(case: Case | CaseRecord) -> Iterable[str]:
    if isinstance(case, CaseRecord):
        return case.ambiguities
    return [touch.ambiguity for touch in case.verdict.ambiguities] if case.label == "unspecified" else ()


def _row(message_type: str, part: CaseCounts) -> list[str]:
    labels = [part.labels[label] for label in LABELS]
    numbers = [*labels, len(part.rules), len(part.techniques), part.bytes, part.largest]
    return [message_type, *(f"{number:,}" for number in numbers)]


def _names(message_type: str, part: CaseCounts) -> Iterator[str]:
    kinds = {"broken rule": part.rules, "technique": part.techniques, "ambiguity": part.ambiguities}
    for kind, counts in kinds.items():
        if counts:
            yield f"{counted(len(counts), kind)} of {message_type}, with the number of cases:"
            yield from (f"{count:>8,}  {name}" for name, count in counts.items())
            yield ""


# ------------------------------------------------------------------------------------------------------- differences


def differences(found: Comparison) -> Description:
    """A table with one row per place, and then the totals. A place is a site, an ambiguity or a label.

    The place with the most differences comes first. Places without differences are omitted. If more than `_MOST_PLACES`
    places have differences, the last row contains the sum of the remaining places.
    """
    places: dict[str, Counter[str]] = {}
    for kind in KINDS:
        for topic, count in found.about[kind].items():
            places.setdefault(_place(topic), Counter())[kind] += count
    differing = {place: counts for place, counts in places.items() if _size(counts)}
    ordered = sorted(differing, key=lambda place: (-_size(differing[place]), place))
    rows = [_changes(place, differing[place]) for place in ordered[:_MOST_PLACES]]
    if rest := ordered[_MOST_PLACES:]:
        total = sum((differing[place] for place in rest), Counter[str]())
        rows.append(_changes(f"({counted(len(rest), 'more place')})", total))
    text = list(table([("about", "before", "after", *_CHANGES), *rows])) if rows else []
    text += [
        f"{counted(count, 'case')} changed from {before} to {after}"
        for (before, after), count in sorted(found.labels.items())
    ]
    if rewritten := found.cases["rewritten"]:
        what = "other messages that test the same, as after a new required property"
        text += [f"{counted(rewritten, 'case')} rewritten: {what}"]
    sums = ", ".join(f"{sign}{found.cases[kind]:,} {kind}" for kind, sign in _CHANGES.items())
    sizes = f"{found.cases['before']:,} cases before, {found.cases['after']:,} after"
    return Description([*text, f"{sizes}: {'no differences' if found.same else sums}"], _differences_data(found))


def _differences_data(found: Comparison) -> dict[str, Any]:
    """`about` contains the numbers for each topic (see `CaseTopic`) with differences."""
    topics = {topic for kind in _CHANGES for topic in found.about[kind]}
    labels = sorted(found.labels.items())
    return {
        "same": found.same,
        "cases": {kind: found.cases[kind] for kind in KINDS},
        "labels": [{"before": before, "after": after, "cases": count} for (before, after), count in labels],
        "about": [
            {"message": message, "about": about, "technique": technique or None}
            | {kind: found.about[kind][message, about, technique] for kind in KINDS}
            for message, about, technique in sorted(topics)
        ],
    }


def _place(topic: CaseTopic) -> str:
    """For a rule or an edge, returns the message type and the site. For an ambiguity or a label, returns the message
    type and the name.
    """
    message, about, _ = topic
    if about.startswith(EDGE):
        about = f"{message}/{about.removeprefix(EDGE)}"
    return about.rpartition(":")[0] or about if "/" in about else f"{message} {about}"


def _size(counts: Mapping[str, int]) -> int:
    return sum(counts[kind] for kind in _CHANGES)


def _changes(about: str, counts: Mapping[str, int]) -> list[str]:
    signed = [f"{sign}{counts[kind]:,}" if counts[kind] else "" for kind, sign in _CHANGES.items()]
    return [printable_as_in_python(about), f"{counts['before']:,}", f"{counts['after']:,}", *signed]
