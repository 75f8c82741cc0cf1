"""Groups equal contradictions while a campaign runs, and again after shrinking."""

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer

SAMPLES = 8
"""The maximum number of messages in a group that are shrunk separately. Messages of a group are similar, but may have different causes."""

Key = tuple[str, ...]


@dataclass
class Suspicion:
    """A contradiction that may become a finding.

    `index` is the number of the first case that showed the contradiction. If the answer itself is the problem, `about` describes
    the problem. `whole` is true if the message cannot be shrunk further. `places` are the JSON Pointers of the causes. The
    message was sent again `sent` times, and `shown` of these times the problem occurred. `twin` is the valid counterpart of the
    smallest message.
    """

    kind: FindingKind
    case: Case
    index: int
    verdict: Verdict
    answer: Answer
    count: int = 1
    about: str = ""
    first_shown: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Maps each technique and each tag to the first case that has it, and to its position in this case."""
    sent: int = 0
    shown: int = 0
    whole: bool = False
    places: tuple[str, ...] = ()
    body: bytes = b""
    twin: bytes | None = None

    def __post_init__(self) -> None:
        self.body = self.case.body
        names = [*(fault.technique for fault in self.case.faults), *(tag for tag in self.case.tags if ":" in tag)]
        self.first_shown = {name: (self.index, place) for place, name in reversed(list(enumerate(names)))}

    @property
    def techniques(self) -> list[str]:
        """The techniques of all cases that showed the contradiction, first occurrence first."""
        return [name for name in self._in_order() if ":" not in name]

    @property
    def tags(self) -> list[str]:
        """The edges and probes of all cases that showed the contradiction, first occurrence first."""
        return [name for name in self._in_order() if ":" in name]

    def _in_order(self) -> list[str]:
        return sorted(self.first_shown, key=lambda name: (*self.first_shown[name], name))

    @property
    def reproduced(self) -> bool | None:
        """True if the problem occurred at every repetition, False if not, None if the message was not repeated."""
        return self.shown == self.sent if self.sent else None

    @property
    def families(self) -> list[str]:
        """The families of the techniques. Techniques of the same family usually find the same bug."""
        return sorted({family_of(technique) for technique in self.techniques})

    def merge(self, other: "Suspicion") -> None:
        """Adds another contradiction that has the same cause, and keeps the first case."""
        self.count += other.count
        for name, place in other.first_shown.items():
            self.first_shown[name] = min(place, self.first_shown.get(name, place))

    def add_causes(self, places: Iterable[str]) -> None:
        """Adds the places of new causes. If a place contains a more specific place, only the specific place remains."""
        found = dict.fromkeys((*self.places, *places))
        self.places = tuple(place for place in found if not any(other.startswith(f"{place}/") for other in found))

    @property
    def smallest_key(self) -> Key:
        """A key that is equal for all contradictions that shrinking has reduced to the same finding."""
        if not self.answer.reached:
            return (self.kind, "unreachable")
        broken = sorted({entry.rule for entry in self.verdict.broken})
        return (self.kind, self.about, self.verdict.label, *broken, *self._headers, self.body.hex())

    @property
    def _headers(self) -> list[str]:
        return sorted({name.lower() for name, _ in self.case.headers})


class Suspicions:
    """Groups contradictions of the same kind that break the same rule with similar techniques.

    If no rule is broken, a group contains contradictions with the same edges (unusual valid values) and the same ambiguities.
    """

    def __init__(self) -> None:
        self._by_key: dict[Key, Suspicion] = {}
        self._undistinguished: dict[Key, list[Suspicion]] = {}

    def __len__(self) -> int:
        return len(self._by_key) + sum(map(len, self._undistinguished.values()))

    def add(self, kind: FindingKind, index: int, case: Case, verdict: Verdict, answer: Answer, about: str = "") -> None:
        self._take(Suspicion(kind, case, index, verdict, answer, about=about))

    def absorb(self, other: "Suspicions") -> None:
        """Adds the contradictions of another part of the campaign."""
        for suspicion in other.in_order():
            self._take(suspicion)

    def keep(self, most: int) -> None:
        """Keeps only the first `most` contradictions. The other contradictions come from cases that were sent before the campaign
        reached its limit.
        """
        kept = {id(suspicion) for suspicion in self.in_order()[:most]}
        self._by_key = {key: suspicion for key, suspicion in self._by_key.items() if id(suspicion) in kept}
        self._undistinguished = {key: left for key, some in self._undistinguished.items() if (left := [one for one in some if id(one) in kept])}

    def in_order(self) -> list[Suspicion]:
        """Returns all contradictions in the order of their first cases."""
        found = [*self._by_key.values(), *(one for some in self._undistinguished.values() for one in some)]
        return sorted(found, key=_index)

    def _take(self, new: Suspicion) -> None:
        key, is_specific = _key(new)
        if not is_specific:
            self._sample(self._undistinguished.setdefault(key, []), new)
            return
        known = self._by_key.get(key)
        if known is None:
            self._by_key[key] = new
            return
        first, later = (new, known) if new.index < known.index else (known, new)  # the first case counts, although its answer may arrive later
        first.merge(later)
        self._by_key[key] = first

    def _sample(self, known: list[Suspicion], new: Suspicion) -> None:
        """Keeps the first few contradictions. Further contradictions are only counted."""
        insort(known, new, key=_index)
        if len(known) > SAMPLES:
            last = known.pop()
            known[-1].merge(last)


def _index(suspicion: Suspicion) -> int:
    return suspicion.index


def _key(suspicion: Suspicion) -> tuple[Key, bool]:
    """Returns a key for the group to which a contradiction belongs. Also returns False if the messages in the group may have
    different causes.
    """
    kind, case, verdict = suspicion.kind, suspicion.case, suspicion.verdict
    if not suspicion.answer.reached:
        return (kind, "unreachable"), True
    if suspicion.about:
        return (kind, suspicion.about), True
    if case.faults:
        return (kind, *sorted(f"{fault.rule} {family_of(fault.technique)}" for fault in case.faults)), True
    tags = sorted(suspicion.tags)
    broken = sorted({entry.rule for entry in verdict.broken})
    if tags or broken:
        return (kind, verdict.label, *broken, *tags), True
    return (kind, verdict.label, *sorted({touched.ambiguity for touched in verdict.ambiguities})), False


def first_of_each(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """Returns the first contradiction with each smallest message."""
    found: dict[Key, Suspicion] = {}
    for suspicion in suspicions:
        found.setdefault(suspicion.smallest_key, suspicion)
    return list(found.values())


def merged(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """Combines the contradictions that have the same smallest message."""
    found: dict[Key, Suspicion] = {}
    for suspicion in suspicions:
        if (same := found.setdefault(suspicion.smallest_key, suspicion)) is not suspicion:
            same.merge(suspicion)
    return list(found.values())
