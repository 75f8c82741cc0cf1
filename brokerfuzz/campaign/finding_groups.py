"""Contradictions while they are gathered: equal ones are one, before and again after shrinking."""

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer

SAMPLES = 8
"""How many messages of which nothing tells them apart are shrunk, each by itself: they may be about different things."""

Key = tuple[str, ...]


@dataclass
class Suspicion:
    """A contradiction, its first message (`index` is that case's number in the campaign) and the smallest one so far.

    `about` says what is wrong with the answer where it is not the message that matters. `whole` says that nothing can be taken away from it any
    more, `places` what it hangs on; `sent` how often the message was sent again, `shown` how often it got such an answer again. `twin` is the valid
    message that differs from the smallest in its one place, where there is one.
    """

    kind: FindingKind
    case: Case
    index: int
    verdict: Verdict
    answer: Answer
    count: int = 1
    about: str = ""
    first_shown: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Each technique, and each tag, and where it came first: the number of a case, and the place in it."""
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
        """The techniques of all cases that showed it, in the order of those."""
        return [name for name in self._in_order() if ":" not in name]

    @property
    def tags(self) -> list[str]:
        """What those cases are about besides, in their order."""
        return [name for name in self._in_order() if ":" in name]

    def _in_order(self) -> list[str]:
        return sorted(self.first_shown, key=lambda name: (*self.first_shown[name], name))

    @property
    def reproduced(self) -> bool | None:
        """Whether the answer came each time again; None where it was not tried."""
        return self.shown == self.sent if self.sent else None

    @property
    def families(self) -> list[str]:
        """What its techniques have in common."""
        return sorted({family_of(technique) for technique in self.techniques})

    def merge(self, other: "Suspicion") -> None:
        """Takes in another one that turned out to be the same; the earlier case stays the first."""
        self.count += other.count
        for name, place in other.first_shown.items():
            self.first_shown[name] = min(place, self.first_shown.get(name, place))

    def hangs_on(self, places: Iterable[str]) -> None:
        """Takes in further places; what lies above another one says less, and goes."""
        found = dict.fromkeys((*self.places, *places))
        self.places = tuple(place for place in found if not any(other.startswith(f"{place}/") for other in found))

    @property
    def smallest_key(self) -> Key:
        """What is equal where the shrunk messages show the same."""
        if not self.answer.reached:
            return (self.kind, "unreachable")
        broken = sorted({entry.rule for entry in self.verdict.broken})
        return (self.kind, self.about, self.verdict.label, *broken, *self._headers, self.body.hex())

    @property
    def _headers(self) -> list[str]:
        return sorted({name.lower() for name, _ in self.case.headers})


class Suspicions:
    """Contradictions by what makes them equal: kind, rules (and so sites) and families of techniques; the edges or probes where no rule is broken."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Suspicion] = {}
        self._alike: dict[Key, list[Suspicion]] = {}

    def __len__(self) -> int:
        return len(self._by_key) + sum(map(len, self._alike.values()))

    def add(self, kind: FindingKind, index: int, case: Case, verdict: Verdict, answer: Answer, about: str = "") -> None:
        """Takes in one contradiction."""
        self._take(Suspicion(kind, case, index, verdict, answer, about=about))

    def absorb(self, other: "Suspicions") -> None:
        """Takes in what another part of the campaign found."""
        for suspicion in other.in_order():
            self._take(suspicion)

    def keep(self, most: int) -> None:
        """Forgets all but the first ones: those that were on their way when there were enough."""
        kept = {id(suspicion) for suspicion in self.in_order()[:most]}
        self._by_key = {key: suspicion for key, suspicion in self._by_key.items() if id(suspicion) in kept}
        self._alike = {key: left for key, some in self._alike.items() if (left := [one for one in some if id(one) in kept])}

    def in_order(self) -> list[Suspicion]:
        """All of them, in the order of their first cases."""
        found = [*self._by_key.values(), *(one for some in self._alike.values() for one in some)]
        return sorted(found, key=_index)

    def _take(self, new: Suspicion) -> None:
        key, tells = _key(new)
        if not tells:
            self._sample(self._alike.setdefault(key, []), new)
            return
        known = self._by_key.get(key)
        if known is None:
            self._by_key[key] = new
            return
        first, later = (new, known) if new.index < known.index else (known, new)  # answers come in any order: that of the cases counts
        first.merge(later)
        self._by_key[key] = first

    def _sample(self, known: list[Suspicion], new: Suspicion) -> None:
        """Keeps the first few; what is counted with them goes to the last."""
        insort(known, new, key=_index)
        if len(known) > SAMPLES:
            last = known.pop()
            known[-1].merge(last)


def _index(suspicion: Suspicion) -> int:
    return suspicion.index


def _key(suspicion: Suspicion) -> tuple[Key, bool]:
    """What makes suspicions equal, and whether that tells what they are about."""
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
