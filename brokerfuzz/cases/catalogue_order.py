"""Sorts the catalogue so that the first cases cover the most goals (see `covering.goals`).

The next case is always the one whose new goals have the highest total weight. A goal is new if no earlier case covers it. If the
twin of an invalid case is not yet in the list, the twin and the case are added together. In this case, the weight of both together
is divided by two.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from brokerfuzz.cases.case import Case


class WeightedGoals(NamedTuple):
    """The goals that a case covers. `named` maps the name of a goal to its weight. In `bits`, each 1 bit stands for a further goal.
    All goals in `bits` have the same weight.
    """

    named: dict[str, int]
    bits: int = 0


def by_cover(cases: Sequence[Case], weights: Sequence[WeightedGoals], bit_weight: int = 0) -> Iterator[Case]:
    """Sorts the cases so that the first cases cover the most goals. For the order, see the module docstring. The twin of an invalid
    case comes before the case. Cases with the same total weight keep their order. Each 1 bit in `WeightedGoals.bits`
    stands for a goal with the weight `bit_weight`.
    """
    return _Cover(cases, weights, bit_weight).every()


_NOTHING = WeightedGoals({})


class _Cover:
    def __init__(self, cases: Sequence[Case], weights: Sequence[WeightedGoals], bit_weight: int) -> None:
        self.cases, self.bit_weight = cases, bit_weight
        self.weight_of = {case.id: WeightedGoals(dict(weight.named), weight.bits) for case, weight in zip(cases, weights, strict=True)}
        self.covered: set[str] = set()
        self.bits = 0
        self.yielded: set[str] = set()
        self.faults_of: defaultdict[str, list[int]] = defaultdict(list)
        for number, case in enumerate(cases):
            if case.twin is not None:
                self.faults_of[case.twin.id].append(number)

    def every(self) -> Iterator[Case]:
        self.queue = [(-self._gain(case), number) for number, case in enumerate(self.cases)]
        heapify(self.queue)
        while self.queue:
            before, number = heappop(self.queue)
            case = self.cases[number]
            now = -self._gain(case)
            if case.id in self.yielded:
                continue
            if now > before and self.queue and (now, number) > self.queue[0]:
                heappush(self.queue, (now, number))
                continue
            for one in self._with_twin(case):
                yield from self._yield(one)

    def _yield(self, case: Case) -> Iterator[Case]:
        self.yielded.add(case.id)
        weight = self.weight_of.get(case.id, _NOTHING)
        self.covered.update(weight.named)
        self.bits |= weight.bits
        for number in self.faults_of.get(case.id, ()):  # the twin is now in the list, so its invalid cases count with their full weight
            heappush(self.queue, (-self._gain(self.cases[number]), number))
        yield case

    def _with_twin(self, case: Case) -> list[Case]:
        return [one for one in (case.twin, case) if one is not None and one.id not in self.yielded]

    def _gain(self, case: Case) -> int:
        together = self._with_twin(case)
        new, bits = dict[str, int](), 0
        for one in together:
            left = self._new_named(one)
            new |= left.named
            bits |= left.bits
        return (sum(new.values()) + self.bit_weight * (bits & ~self.bits).bit_count()) // max(len(together), 1)

    def _new_named(self, case: Case) -> WeightedGoals:
        """Returns the goals of a case, without the `named` goals that earlier cases cover."""
        left = self.weight_of.get(case.id, _NOTHING)
        for name in left.named.keys() & self.covered:
            del left.named[name]
        return left
