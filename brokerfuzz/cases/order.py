"""The order of a catalogue: early cases cover most.

A greedy cover: the next case is the one that covers most of what no case before it covers. What is covered once is worth less the
second time round, so that each goal is met again before the last of the others has been met often.
"""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappushpop

from brokerfuzz.cases.case import Case

Worth = Mapping[str, int]
"""What a case has to offer, by name, and how much each is worth."""


def by_cover(cases: Sequence[Case], worths: Sequence[Worth]) -> Iterator[Case]:
    """The cases, that which adds most worth first; of equals, that which comes first. The twin of a fault comes before it."""
    held: set[str] = set()
    given: set[str] = set()
    worth_of = dict(zip((case.id for case in cases), worths, strict=True))

    def gain(case: Case) -> int:
        return sum(worth for name, worth in worth_of[case.id].items() if name not in held)

    queue = [(-gain(case), number) for number, case in enumerate(cases)]
    heapify(queue)
    while queue:
        stale, number = heappop(queue)
        case = cases[number]
        while queue and (now := -gain(case)) > stale and (now, number) > queue[0]:
            stale, number = heappushpop(queue, (now, number))
            case = cases[number]
        for one in (case.twin, case):
            if one is not None and one.id not in given:
                given.add(one.id)
                held.update(worth_of.get(one.id, ()))
                yield one
