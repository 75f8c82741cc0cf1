"""The order of a catalogue: early cases cover most.

A greedy cover: the next case is the one that covers most of what no case before it covers. A fault whose twin has not come yet brings
it along, and counts half of what the two add.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from brokerfuzz.cases.case import Case

Worth = Mapping[str, int]
"""What a case has to offer, by name, and how much each is worth."""


def by_cover(cases: Sequence[Case], worths: Sequence[Worth]) -> Iterator[Case]:
    """The cases, that which adds most worth first; of equals, that which comes first. The twin of a fault comes before it."""
    return _Cover(cases, worths).every()


class _Cover:
    def __init__(self, cases: Sequence[Case], worths: Sequence[Worth]) -> None:
        self.cases = cases
        self.worth_of = {case.id: dict(worth) for case, worth in zip(cases, worths, strict=True)}
        self.held: set[str] = set()
        self.given: set[str] = set()
        self.leaning: defaultdict[str, list[int]] = defaultdict(list)
        for number, case in enumerate(cases):
            if case.twin is not None:
                self.leaning[case.twin.id].append(number)

    def every(self) -> Iterator[Case]:
        self.queue = [(-self._gain(case), number) for number, case in enumerate(self.cases)]
        heapify(self.queue)
        while self.queue:
            before, number = heappop(self.queue)
            case = self.cases[number]
            now = -self._gain(case)
            if case.id in self.given:
                continue
            if now > before and self.queue and (now, number) > self.queue[0]:
                heappush(self.queue, (now, number))
                continue
            for one in self._with_twin(case):
                yield from self._give(one)

    def _give(self, case: Case) -> Iterator[Case]:
        self.given.add(case.id)
        self.held.update(self.worth_of.get(case.id, ()))
        for number in self.leaning.get(case.id, ()):  # they count whole from now on
            heappush(self.queue, (-self._gain(self.cases[number]), number))
        yield case

    def _with_twin(self, case: Case) -> list[Case]:
        return [one for one in (case.twin, case) if one is not None and one.id not in self.given]

    def _gain(self, case: Case) -> int:
        together = self._with_twin(case)
        new: dict[str, int] = {}
        for one in together:
            new |= self._left(one)
        return sum(new.values()) // max(len(together), 1)

    def _left(self, case: Case) -> Worth:
        """What a case covers that none of those given does. The rest need not be looked at again."""
        left = self.worth_of.get(case.id, {})
        for name in left.keys() & self.held:
            del left[name]
        return left
