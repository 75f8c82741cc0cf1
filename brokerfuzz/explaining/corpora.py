"""Summarizes the cases of a corpus, and the differences between two corpora.

The verdicts come from the cases, and brokerfuzz does not check them. Only the IDs of the cases and some numbers are in
memory, so a corpus may have any size.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from brokerfuzz.cases.case_tags import EDGE
from brokerfuzz.cases.records import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.comparing import COUNT_NAMES, CaseTopic, Comparison
from brokerfuzz.explaining.description import Description
from brokerfuzz.schemas import MessageType
from brokerfuzz.wording import counted, printable_as_in_python, table

_NAMED = ("rules", "techniques", "ambiguities")
_CHANGES = {"added": "+", "removed": "-", "changed": "~", "rewritten": ""}
_MOST_PLACES = 8


@dataclass
class CaseCounts:
    """Counts the cases of a message type, and those that concern each rule, technique and ambiguity."""

    verdicts: Counter[str] = field(default_factory=Counter)
    names: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in _NAMED})
    bytes: int = 0
    largest: int = 0

    def data(self) -> dict[str, Any]:
        return {
            "cases": self.verdicts.total(),
            "verdicts": {label: self.verdicts[label] for label in LABELS},
            **{kind: dict(sorted(counts.items())) for kind, counts in self.names.items()},
            "bytes": self.bytes,
            "largest": self.largest,
        }


@dataclass
class Overview:
    """Counts different cases."""

    parts: dict[MessageType, CaseCounts] = field(default_factory=dict)
    _ids: set[int] = field(default_factory=set)

    def add(self, case: CaseRecord) -> None:
        number = int(case.id, 16)
        if number in self._ids:
            return
        self._ids.add(number)
        part, size = self.parts.setdefault(case.message_type, CaseCounts()), len(case.body)
        part.verdicts[case.label] += 1
        part.names["rules"].update(fault.rule for fault in case.faults)
        part.names["techniques"].update(fault.technique for fault in case.faults)
        part.names["ambiguities"].update(set(case.ambiguities))
        part.bytes += size
        part.largest = max(part.largest, size)

    def summary(self) -> Description:
        """A table with a row for each message type."""
        parts = {name: part.data() for name, part in self.parts.items()}
        columns = ("message", *LABELS, "rules", "techniques", "bytes", "largest")
        text = [*table([columns, *(_row(name, part) for name, part in parts.items())], numbers=True), ""]
        return Description([*text, f"{len(self._ids):,} cases"], {"cases": len(self._ids), "messages": parts})


def _row(message_type: str, part: Mapping[str, Any]) -> list[str]:
    numbers = [*part["verdicts"].values(), len(part["rules"]), len(part["techniques"]), part["bytes"], part["largest"]]
    return [message_type, *(f"{number:,}" for number in numbers)]


# ------------------------------------------------------------------------------------------------------- differences


def differences(comparison: Comparison) -> Description:
    """A table with one row per place, and then the totals. A place is a site, an ambiguity or a label.

    The place with the most added, removed and changed cases comes first: after a new required property, each message is
    rewritten. If more than `_MOST_PLACES` places have differences, the last row contains the sum of the remaining
    places.
    """
    topics = {topic: counts for topic, counts in sorted(comparison.about.items()) if _size(counts)}
    places: dict[str, Counter[str]] = {}
    for topic, counts in comparison.about.items():
        places.setdefault(_place(topic), Counter()).update(counts)
    sizes = {place: (_size(counts) - counts["rewritten"], _size(counts)) for place, counts in places.items()}
    different = [place for place in sorted(places) if any(sizes[place])]
    ordered = sorted(different, key=sizes.__getitem__, reverse=True)
    rows = [_changes(place, places[place]) for place in ordered[:_MOST_PLACES]]
    if rest := ordered[_MOST_PLACES:]:
        total = sum((places[place] for place in rest), Counter[str]())
        rows.append(_changes(f"({counted(len(rest), 'more place')})", total))
    text = list(table([("about", "before", "after", *_CHANGES), *rows])) if rows else []
    labels = sorted(comparison.labels.items())
    text += [f"{counted(count, 'case')} changed from {before} to {after}" for (before, after), count in labels]
    if comparison.cases["rewritten"]:
        text += ["rewritten cases test the same as before with another message"]
    sums = ", ".join(f"{sign}{comparison.cases[kind]:,} {kind}" for kind, sign in _CHANGES.items())
    total_cases = f"{comparison.cases['before']:,} cases before, {comparison.cases['after']:,} after"
    data = {
        "same": comparison.same,
        "cases": {kind: comparison.cases[kind] for kind in COUNT_NAMES},
        "labels": [{"before": before, "after": after, "cases": count} for (before, after), count in labels],
        "about": [
            {
                "message": message,
                "about": about,
                "technique": technique or None,
                **{kind: counts[kind] for kind in COUNT_NAMES},
            }
            for (message, about, technique), counts in topics.items()
        ],
    }
    return Description([*text, f"{total_cases}: {'no differences' if comparison.same else sums}"], data)


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
