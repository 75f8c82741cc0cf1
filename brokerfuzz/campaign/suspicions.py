"""Contradictions while they are gathered: equal ones are one, before and again after shrinking."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets.answers import Answer

SAMPLES = 8
"""How many messages of which nothing tells them apart are shrunk, each by itself: they may be about different things."""

Key = tuple[str, ...]


@dataclass
class Suspicion:
    """A contradiction, its first message (`index` is that case's number in the campaign) and the smallest one so far.

    `whole` says that nothing can be taken away from it any more, `places` what it hangs on.
    """

    kind: FindingKind
    case: Case
    index: int
    verdict: Verdict
    answer: Answer
    count: int = 1
    techniques: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    reproduced: bool | None = None
    whole: bool = False
    places: tuple[str, ...] = ()
    body: bytes = b""

    def __post_init__(self) -> None:
        self.body = self.case.body
        self.techniques = list(dict.fromkeys(fault.technique for fault in self.case.faults))
        self.tags = [tag for tag in self.case.tags if ":" in tag]

    def merge(self, other: "Suspicion") -> None:
        """Takes in another one that turned out to be the same; the earlier case stays the first."""
        self.count += other.count
        self.techniques += [technique for technique in other.techniques if technique not in self.techniques]
        self.tags += [tag for tag in other.tags if tag not in self.tags]

    def hangs_on(self, places: Iterable[str]) -> None:
        """Takes in further places; what lies above another one says less, and goes."""
        found = dict.fromkeys((*self.places, *places))
        self.places = tuple(place for place in found if not any(other.startswith(f"{place}/") for other in found))

    @property
    def smallest_key(self) -> Key:
        """What is equal where the shrunk messages show the same."""
        if not self.answer.reached:
            return (self.kind, "unreachable")
        return (self.kind, self.verdict.label, *sorted({entry.rule for entry in self.verdict.broken}), *self._headers, self.body.hex())

    @property
    def _headers(self) -> list[str]:
        return sorted({name.lower() for name, _ in self.case.headers})


class Suspicions:
    """Contradictions by what makes them equal: kind, rules, techniques and sites; the edges or probes where no rule is broken."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Suspicion] = {}
        self._alike: dict[Key, int] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def add(self, kind: FindingKind, index: int, case: Case, verdict: Verdict, answer: Answer) -> None:
        """Takes in one contradiction."""
        key = self._key(kind, case, verdict, answer)
        known = self._by_key.get(key)
        if known is None:
            self._by_key[key] = Suspicion(kind, case, index, verdict, answer)
        elif index < known.index:  # answers come in any order: what counts is the order of the cases
            self._by_key[key] = Suspicion(kind, case, index, verdict, answer, known.count + 1)
        else:
            known.count += 1

    def in_order(self) -> list[Suspicion]:
        """All of them, in the order of their first cases."""
        return sorted(self._by_key.values(), key=lambda suspicion: suspicion.index)

    def _key(self, kind: FindingKind, case: Case, verdict: Verdict, answer: Answer) -> Key:
        if not answer.reached:
            return (kind, "unreachable")
        if case.faults:
            return (kind, *sorted(f"{fault.rule} {fault.technique}" for fault in case.faults))
        tags = sorted(tag for tag in case.tags if ":" in tag)
        broken = sorted({entry.rule for entry in verdict.broken})
        if tags or broken:
            return (kind, verdict.label, *broken, *tags)
        return self._sample((kind, verdict.label, *sorted({touched.silence for touched in verdict.silences})))

    def _sample(self, key: Key) -> Key:
        number = min(self._alike.get(key, 0), SAMPLES - 1)
        self._alike[key] = number + 1
        return (*key, f"sample {number}")


def first_of_each(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """The suspicions that stand for all those that shrank to the same message."""
    found: dict[Key, Suspicion] = {}
    for suspicion in suspicions:
        found.setdefault(suspicion.smallest_key, suspicion)
    return list(found.values())


def merged(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """The suspicions, those that shrank to the same message being one."""
    found: dict[Key, Suspicion] = {}
    for suspicion in suspicions:
        if (same := found.setdefault(suspicion.smallest_key, suspicion)) is not suspicion:
            same.merge(suspicion)
    return list(found.values())
