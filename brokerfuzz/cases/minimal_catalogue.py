"""The smallest part of a catalogue that still breaks every rule with every technique once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brokerfuzz.cases.case import Case, Fault


class SelectionReason(NamedTuple):
    """The reason why a case is included. Either `fault` is the case's fault, which no other included case has, or `twin_of`
    contains the ids of the cases whose twin this case is.
    """

    fault: Fault | None
    twin_of: tuple[str, ...] = ()


def minimal(cases: Iterable[Case]) -> Iterator[tuple[Case, SelectionReason]]:
    """Yields the cases of the smallest set in order, each with the reason for including it.

    The set contains one fault for each combination of rule and technique. If several cases have the same rule and technique, the
    case whose twin is shared by the most other cases is chosen. A twin always comes before its faults.
    """
    serving: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        if len(case.faults) == 1 and case.twin is not None:
            serving[case.faults[0].rule, case.faults[0].technique].append(case)
    shared = Counter(twin for some in serving.values() for twin in {case.twin_id for case in some})
    chosen = [max(some, key=lambda case: shared[case.twin_id]) for some in serving.values()]
    twins: defaultdict[str | None, list[str]] = defaultdict(list)
    for case in chosen:
        twins[case.twin_id].append(case.id)
    seen: set[str | None] = set()
    for case in chosen:
        if case.twin_id not in seen and case.twin is not None:
            seen.add(case.twin_id)
            yield case.twin, SelectionReason(None, tuple(twins[case.twin_id]))
        yield case, SelectionReason(case.faults[0])
