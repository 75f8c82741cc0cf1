"""Summarizes a catalogue: the number of cases for each rule, technique and ambiguity, and the reason for each case."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from brokerfuzz.cases.case import NOW_TAG, Case, Fault
from brokerfuzz.cases.covering.goals import KINDS, Goal, covered
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Contract
from brokerfuzz.wording import counted, printable_as_in_python


@dataclass
class CaseCounts:
    """Counts cases of a message type by what they concern."""

    verdicts: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    techniques: Counter[str] = field(default_factory=Counter)
    ambiguities: Counter[str] = field(default_factory=Counter)
    bytes: int = 0
    largest: int = 0

    def add_case(self, case: Case) -> None:
        touched = [touch.ambiguity for touch in case.verdict.ambiguities] if case.label == "unspecified" else []
        self.add(case.label, case.faults, touched, len(case.body))

    def add(self, label: str, faults: Iterable[Fault], ambiguities: Iterable[str], size: int) -> None:
        self.verdicts[label] += 1
        for fault in faults:
            self.rules[fault.rule] += 1
            self.techniques[fault.technique] += 1
        self.ambiguities.update(sorted(set(ambiguities)))
        self.bytes += size
        self.largest = max(self.largest, size)

    def data(self) -> dict[str, Any]:
        return {
            "cases": self.verdicts.total(),
            "verdicts": {label: self.verdicts[label] for label in LABELS},
            "rules": dict(sorted(self.rules.items())),
            "techniques": dict(sorted(self.techniques.items())),
            "ambiguities": dict(sorted(self.ambiguities.items())),
        }


def size_lines(sizes: Mapping[str, CaseCounts]) -> Iterator[str]:
    for message_type, size in sizes.items():
        counts = ", ".join(f"{size.verdicts[label]:,} {label}" for label in LABELS if size.verdicts[label])
        yield f"{message_type}: {size.verdicts.total():,} cases ({counts})"
        for title, counter in (
            ("broken rules", size.rules),
            ("techniques", size.techniques),
            ("ambiguities", size.ambiguities),
        ):
            if counter:
                yield f"  {len(counter):,} {title}, with the number of cases:"
                yield from _columns(counter)


def _columns(counter: Mapping[str, int]) -> Iterator[str]:
    width = max(len(f"{count:,}") for count in counter.values())
    for name, count in counter.items():
        yield f"    {count:>{width},}  {name}"


@dataclass(frozen=True)
class CatalogueEntry:
    """A case of the catalogue and its number. `first` contains the goals (such as rules or edges) that no earlier case
    covers.
    """

    number: int
    case: Case
    first: Sequence[Goal]

    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "number": self.number,
            "id": self.case.id,
            "message": self.case.message_type,
            "verdict": self.case.label,
            "why": why(self.case),
            "tags": list(self.case.tags),
            "twin": self.case.twin_id,
            "first": [" ".join(filter(None, goal)) for goal in self.first if goal.kind != "pair"],
            "first_pairs": sum(goal.kind == "pair" for goal in self.first),
        }
        return found

    def line(self) -> str:
        counts = Counter(goal.kind for goal in self.first)
        new = ", ".join(counted(counts[kind], kind) for kind in KINDS if counts[kind])
        reason = printable_as_in_python(why(self.case))
        return (
            f"{self.number:>6}  {self.case.id}  {self.case.label:<11}  "
            f"{reason}{f'  (newly covered: {new})' if new else ''}"
        )


def listed(case: Case) -> str:
    """Describes a case on one line."""
    return f"{case.id}  {case.label:<11}  {case.message_type}  {printable_as_in_python(why(case))}"


def listed_data(case: Case) -> dict[str, Any]:
    about = {"id": case.id, "message": case.message_type, "verdict": case.label, "why": why(case)}
    return {**about, "tags": list(case.tags), "twin": case.twin_id, "bytes": len(case.body)}


def entries(cases: Iterable[Case], contract: Contract) -> Iterator[CatalogueEntry]:
    seen: set[Goal] = set()
    for number, case in enumerate(cases, 1):
        new = covered(case, contract) - seen
        seen |= new
        yield CatalogueEntry(number, case, sorted(new))


def why(case: Case) -> str:
    """Returns the reason for a case in a few words, such as the rule that the case breaks."""
    tags = [tag for tag in case.tags if not tag.startswith(NOW_TAG)]
    tag_list = f" ({', '.join(tags)})" if tags else ""
    if case.faults:
        fault = case.faults[0]
        return f"breaks {fault.rule} at {fault.at or 'the root'} with technique {fault.technique}{tag_list}"
    if case.label == "unspecified":
        return f"touches {', '.join(sorted({touch.ambiguity for touch in case.verdict.ambiguities}))}{tag_list}"
    return ", ".join(tags) or "valid"
