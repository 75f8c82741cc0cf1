"""Summarizes a corpus: how many cases it contains, and which rules and techniques these cases cover.

The verdicts come from the corpus, and brokerfuzz does not check them. Only the IDs of the cases and some numbers are in
memory, so the corpus may have any size.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from brokerfuzz.cases.case import NOW_TAG, clock
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.explaining.listings import table
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType

_COLUMNS = ("message", *LABELS, "rules", "techniques", "bytes", "largest")


@dataclass
class MessageTypeSummary:
    verdicts: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    techniques: Counter[str] = field(default_factory=Counter)
    broken: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a broken rule and the technique that breaks the rule. The command `coverage` counts the same pairs."""
    ambiguities: Counter[str] = field(default_factory=Counter)
    bytes: int = 0
    largest: int = 0

    def add(self, record: CaseRecord) -> None:
        self.verdicts[record.label] += 1
        for fault in record.faults:
            self.rules[fault.rule] += 1
            self.techniques[fault.technique] += 1
            self.broken.add((fault.rule, fault.technique))
        self.ambiguities.update(set(record.ambiguities))
        size = len(record.body)
        self.bytes += size
        self.largest = max(self.largest, size)


@dataclass
class Overview:
    contract: Contract
    parts: dict[MessageType, MessageTypeSummary] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    """The keys are the times for which time-dependent cases were generated. The values are the numbers of these
    cases.
    """
    again: int = 0
    """The number of records with the same ID as an earlier record."""
    _ids: set[int] = field(default_factory=set)
    _awaited: Counter[int] = field(default_factory=Counter)

    def add(self, record: CaseRecord) -> None:
        number = int(record.id, 16)
        if number in self._ids:
            self.again += 1
            return
        self._ids.add(number)
        self.parts.setdefault(record.message_type, MessageTypeSummary()).add(record)
        self.times.update(tag.removeprefix(NOW_TAG) for tag in record.tags if tag.startswith(NOW_TAG))
        if record.twin_id is not None and (twin := int(record.twin_id, 16)) not in self._ids:
            self._awaited[twin] += 1

    @property
    def count(self) -> int:
        """The number of different cases."""
        return sum(part.verdicts.total() for part in self.parts.values())

    @property
    def without_twin(self) -> int:
        """The number of invalid cases whose twin (the valid counterpart) is not in the corpora."""
        return sum(count for twin, count in self._awaited.items() if twin not in self._ids)

    def data(self) -> dict[str, Any]:
        return {
            "cases": self.count,
            "again": self.again,
            "without_twin": self.without_twin,
            "times": dict(sorted(self.times.items())),
            "messages": {name: self._of_part(name, part) for name, part in self._ordered()},
        }

    def _ordered(self) -> Iterator[tuple[MessageType, MessageTypeSummary]]:
        return ((name, self.parts[name]) for name in MESSAGE_TYPES if name in self.parts)

    def _of_part(self, name: MessageType, part: MessageTypeSummary) -> dict[str, Any]:
        covered = {kind: {"covered": found, "all": of} for kind, (found, of) in self._covered(name, part).items()}
        counts = {kind: dict(sorted(getattr(part, kind).items())) for kind in ("rules", "techniques", "ambiguities")}
        verdicts = {label: part.verdicts[label] for label in LABELS}
        return {
            "cases": part.verdicts.total(),
            "verdicts": verdicts,
            "bytes": part.bytes,
            "largest": part.largest,
            "covered": covered,
            **counts,
        }

    def _covered(self, name: MessageType, part: MessageTypeSummary) -> dict[str, tuple[int, int]]:
        """The value of `rules` is two numbers: how many rules the corpus covers, and how many rules the message type
        has. `techniques` has the same numbers for pairs of a rule and a technique that breaks this rule.
        """
        rules, maker = self.contract.rules[name], Faults(self.contract, name, clock(None))
        every = {(rule.id, technique.name) for rule in rules for technique in maker.techniques(rule)}
        known = {rule.id for rule in rules}
        return {
            "rules": (len(known & set(part.rules)), len(known)),
            "techniques": (len(every & part.broken), len(every)),
        }

    def lines(self) -> Iterator[str]:
        yield from table(list(self._rows()), _COLUMNS)
        yield ""
        yield f"{self.count:,} cases"
        for count, what in (
            (self.without_twin, "invalid cases whose twin (the valid counterpart) is not in the corpus"),
            (self.again, "duplicate records, not counted"),
            (
                self.times.total(),
                (
                    "cases have a verdict that depends on the time; these cases were generated for "
                    f"{', '.join(sorted(self.times))}"
                ),
            ),
        ):
            if count:
                yield f"{count:,} {what}"
        yield "`brokerfuzz coverage` also measures edges (unusual valid values), ambiguities and pairs of states."

    def _rows(self) -> Iterator[dict[str, Any]]:
        yield {name: name for name in _COLUMNS}
        for name, part in self._ordered():
            covered = {kind: f"{found:,} of {of:,}" for kind, (found, of) in self._covered(name, part).items()}
            counts: dict[str, str] = {label: f"{part.verdicts[label]:,}" for label in LABELS}
            yield {"message": name, **counts, **covered, "bytes": f"{part.bytes:,}", "largest": f"{part.largest:,}"}
