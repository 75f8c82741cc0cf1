"""Selects the smallest part of the catalogue that still breaks every rule with every technique."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brokerfuzz.cases.case import Case, Fault


class SelectionReason(NamedTuple):
    """The reason why the minimal catalogue contains a case.

    Either no other case has the same `fault`, or the case is the twin of the cases in `twin_of`.
    """

    fault: Fault | None
    twin_of: tuple[str, ...] = ()


def minimal(cases: Iterable[Case]) -> Iterator[tuple[Case, SelectionReason]]:
    """Yields the cases of the minimal catalogue in order, each with its reason. A twin always comes before its invalid cases.

    If several cases break the same rule with the same technique, the function selects the case whose twin is used most often.
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
