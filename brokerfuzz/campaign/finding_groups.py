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
"""The number of messages that are shrunk separately if nothing distinguishes them: they may have different causes."""

Key = tuple[str, ...]


@dataclass
class Suspicion:
    """A contradiction with its first message (case number `index`) and the smallest message so far.

    `about` says what is wrong with the answer if the answer itself is the problem, not the message. `whole` says that the message
    cannot be shrunk further. `places` are the JSON Pointers of the causes. `sent` is how often the message was repeated, `shown`
    how often the same kind of answer came back. `twin` is the valid counterpart of the smallest message, if there is one.
    """

    kind: FindingKind
    case: Case
    index: int
    verdict: Verdict
    answer: Answer
    count: int = 1
    about: str = ""
    first_shown: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Each technique and tag, with the place where it occurred first: the number of a case, and the position in it."""
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
        """The techniques of all cases that showed it, in the order of their first occurrence."""
        return [name for name in self._in_order() if ":" not in name]

    @property
    def tags(self) -> list[str]:
        """The edges and probes of these cases, in the order of their first occurrence."""
        return [name for name in self._in_order() if ":" in name]

    def _in_order(self) -> list[str]:
        return sorted(self.first_shown, key=lambda name: (*self.first_shown[name], name))

    @property
    def reproduced(self) -> bool | None:
        """Whether every repetition got the same kind of answer; None if there was no repetition."""
        return self.shown == self.sent if self.sent else None

    @property
    def families(self) -> list[str]:
        """The families of its techniques."""
        return sorted({family_of(technique) for technique in self.techniques})

    def merge(self, other: "Suspicion") -> None:
        """Adds another suspicion that turned out to be the same; this one keeps its first case."""
        self.count += other.count
        for name, place in other.first_shown.items():
            self.first_shown[name] = min(place, self.first_shown.get(name, place))

    def add_causes(self, places: Iterable[str]) -> None:
        """Adds causes; a place that contains a more specific one is removed."""
        found = dict.fromkeys((*self.places, *places))
        self.places = tuple(place for place in found if not any(other.startswith(f"{place}/") for other in found))

    @property
    def smallest_key(self) -> Key:
        """A key that is equal for suspicions that were shrunk to the same finding."""
        if not self.answer.reached:
            return (self.kind, "unreachable")
        broken = sorted({entry.rule for entry in self.verdict.broken})
        return (self.kind, self.about, self.verdict.label, *broken, *self._headers, self.body.hex())

    @property
    def _headers(self) -> list[str]:
        return sorted({name.lower() for name, _ in self.case.headers})


class Suspicions:
    """Contradictions, grouped by kind, rules (and so sites) and families of techniques; or by edges and probes if no rule is
    broken.
    """

    def __init__(self) -> None:
        self._by_key: dict[Key, Suspicion] = {}
        self._undistinguished: dict[Key, list[Suspicion]] = {}

    def __len__(self) -> int:
        return len(self._by_key) + sum(map(len, self._undistinguished.values()))

    def add(self, kind: FindingKind, index: int, case: Case, verdict: Verdict, answer: Answer, about: str = "") -> None:
        """Adds one contradiction."""
        self._take(Suspicion(kind, case, index, verdict, answer, about=about))

    def absorb(self, other: "Suspicions") -> None:
        """Adds the contradictions of another part of the campaign."""
        for suspicion in other.in_order():
            self._take(suspicion)

    def keep(self, most: int) -> None:
        """Keeps only the first `most` contradictions. The others come from cases that were sent before the limit was noticed."""
        kept = {id(suspicion) for suspicion in self.in_order()[:most]}
        self._by_key = {key: suspicion for key, suspicion in self._by_key.items() if id(suspicion) in kept}
        self._undistinguished = {key: left for key, some in self._undistinguished.items() if (left := [one for one in some if id(one) in kept])}

    def in_order(self) -> list[Suspicion]:
        """Returns all contradictions, in the order of their first cases."""
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
        first, later = (new, known) if new.index < known.index else (known, new)  # answers arrive in any order; the order of the cases counts
        first.merge(later)
        self._by_key[key] = first

    def _sample(self, known: list[Suspicion], new: Suspicion) -> None:
        """Keeps the first few contradictions; the count of any further one is added to the last of these."""
        insort(known, new, key=_index)
        if len(known) > SAMPLES:
            last = known.pop()
            known[-1].merge(last)


def _index(suspicion: Suspicion) -> int:
    return suspicion.index


def _key(suspicion: Suspicion) -> tuple[Key, bool]:
    """Returns the key of a suspicion's group, and whether this key describes the problem (as opposed to the kind alone)."""
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
    """Returns the first suspicion of each smallest message."""
    found: dict[Key, Suspicion] = {}
    for suspicion in suspicions:
        found.setdefault(suspicion.smallest_key, suspicion)
    return list(found.values())


def merged(suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """Returns the suspicions, with those of the same smallest message merged."""
    found: dict[Key, Suspicion] = {}
    for suspicion in suspicions:
        if (same := found.setdefault(suspicion.smallest_key, suspicion)) is not suspicion:
            same.merge(suspicion)
    return list(found.values())
