"""Summarizes a corpus: how many cases it contains, and which rules, techniques and ambiguities they concern.

The verdicts come from the corpus, and brokerfuzz does not check them. Only the IDs of the cases and some numbers are in
memory, so the corpus may have any size.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from brokerfuzz.cases.case import NOW_TAG
from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.contract_names import LABELS
from brokerfuzz.explaining.catalogue_summary import CaseCounts
from brokerfuzz.explaining.listings import table
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType

_COLUMNS = ("message", *LABELS, "rules", "techniques", "bytes", "largest")


@dataclass
class Overview:
    parts: dict[MessageType, CaseCounts] = field(default_factory=dict)
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
        part = self.parts.setdefault(record.message_type, CaseCounts())
        part.add(record.label, record.faults, record.ambiguities, len(record.body))
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
            "messages": {
                name: {**part.data(), "bytes": part.bytes, "largest": part.largest} for name, part in self._ordered()
            },
        }

    def _ordered(self) -> Iterator[tuple[MessageType, CaseCounts]]:
        return ((name, self.parts[name]) for name in MESSAGE_TYPES if name in self.parts)

    def lines(self) -> Iterator[str]:
        yield from table(list(self._rows()), _COLUMNS)
        yield ""
        yield f"{self.count:,} cases"
        if self.without_twin:
            yield f"{self.without_twin:,} invalid cases whose twin (the valid counterpart) is not in the corpus"
        if self.again:
            yield f"{self.again:,} duplicate records, not counted"
        if self.times:
            times = ", ".join(sorted(self.times))
            yield (
                f"{self.times.total():,} cases have a verdict that depends on the time; these cases were generated for "
                f"{times}"
            )
        yield "`brokerfuzz coverage` says which part of the contract the cases cover."

    def _rows(self) -> Iterator[dict[str, str]]:
        yield {name: name for name in _COLUMNS}
        for name, part in self._ordered():
            verdicts = [part.verdicts[label] for label in LABELS]
            numbers = [*verdicts, len(part.rules), len(part.techniques), part.bytes, part.largest]
            yield dict(zip(_COLUMNS, [name, *(f"{number:,}" for number in numbers)], strict=True))
