"""Defines contradictions between a verdict and an answer. A contradiction may become a finding."""

from copy import copy
from dataclasses import dataclass, field

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer


@dataclass(eq=False)
class Suspicion:
    """`count` cases showed the contradiction, and `index` is the number of the first of these cases. `about` describes
    the problem of a malformed answer, or what a target that accepts everything accepted. `body` is the smallest message
    so far. `whole` is true if this message cannot be shrunk further. `places` are JSON Pointers to the causes of the
    contradiction. `sent` counts how often the message was sent again, and `shown` counts how often the problem then
    occurred again. `twin` is the valid counterpart of the smallest message. `size` is the smallest size in bytes that
    shows the problem, if the size is the cause (else 0).
    """

    kind: FindingKind
    case: Case
    index: int
    verdict: Verdict
    answer: Answer
    count: int = 1
    about: str = ""
    first_shown: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The keys are techniques and tags. Each value contains the number of the first case with this name, and the
    position of the name in this case.
    """
    sent: int = 0
    shown: int = 0
    whole: bool = False
    places: tuple[str, ...] = ()
    body: bytes = b""
    twin: bytes | None = None
    size: int = 0
    numbers: set[int] = field(default_factory=set)
    """The numbers of the cases that showed the contradiction."""

    def __post_init__(self) -> None:
        self.body = self.case.body
        self.numbers = {self.index}
        names = [*(fault.technique for fault in self.case.faults), *(tag for tag in self.case.tags if ":" in tag)]
        self.first_shown = {name: (self.index, place) for place, name in reversed(list(enumerate(names)))}

    @property
    def techniques(self) -> list[str]:
        """The techniques of all cases that showed the contradiction, in the order of their first occurrence."""
        return [name for name in self._in_order() if ":" not in name]

    @property
    def tags(self) -> list[str]:
        """The tags of all cases, such as `edge:empty-string`, in the order of their first occurrence."""
        return [name for name in self._in_order() if ":" in name]

    def _in_order(self) -> list[str]:
        return sorted(self.first_shown, key=lambda name: (*self.first_shown[name], name))

    @property
    def reproduced(self) -> bool | None:
        """None if the message was not sent again. Otherwise, True if the problem occurred each time, and False if it
        did not.
        """
        return self.shown == self.sent if self.sent else None

    @property
    def families(self) -> list[str]:
        """The families of the techniques. Techniques of the same family usually find the same bug."""
        return sorted({family_of(technique) for technique in self.techniques})

    @property
    def own_families(self) -> list[str]:
        """The families of the techniques of the first case. They are the same in every campaign, whatever other cases
        are merged.
        """
        return sorted({family_of(fault.technique) for fault in self.case.faults})

    def copy(self) -> "Suspicion":
        twin = copy(self)
        twin.first_shown, twin.numbers = dict(self.first_shown), set(self.numbers)
        return twin

    def merge(self, other: "Suspicion") -> None:
        """Merges `other`, which belongs to the same finding, into this contradiction."""
        self.count += other.count
        self.numbers |= other.numbers
        for name, place in other.first_shown.items():
            self.first_shown[name] = min(place, self.first_shown.get(name, place))

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites of the causes. If the causes are unknown, `sites` contains the sites of the broken rules or of the
        ambiguities.
        """
        return tuple(sorted({site_of(place) for place in self.places or self._faulty_places}))

    @property
    def _faulty_places(self) -> list[str]:
        return [broken.at for broken in self.verdict.broken] or [touched.at for touched in self.verdict.ambiguities]
