"""Groups the failing cases of a test by their probable causes, so that a failure of the test shows each defect once.

    rejected  comments:null, pdfUrl:null, …      the edge null, at several places
    rejected  number:blank, number:markup, …     the place number, with all its edges

No message is sent for this: cases belong together if they got the same kind of answer and have something in common.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import tagged_edge
from brokerfuzz.cases.techniques import family_of

FailedCase = tuple[Case, str]
"""A case, and what the test observed."""
Trait = tuple[str, str]
_LOCATION = re.compile(r"\([^()]+:\d+\)$")


def causes_of(cases: Iterable[Case], failures: Sequence[FailedCase]) -> list[list[FailedCase]]:
    """Returns groups of failures, the largest first. What no passing case has in common with them explains a group
    best.
    """
    failing = {case.id for case, _ in failures}
    of_passing = {trait for case in cases if case.id not in failing for trait in _traits_of(case)}
    unexplained, groups = list(failures), []
    while unexplained:
        alike: dict[tuple[str, Trait], list[FailedCase]] = defaultdict(list)
        for case, actual in unexplained:
            for trait in _traits_of(case):
                alike[_answer_of(actual), trait].append((case, actual))
        distinctive = [group for (_, trait), group in alike.items() if trait not in of_passing and len(group) > 1]
        largest = max(distinctive or alike.values(), key=len)
        unexplained = [failure for failure in unexplained if failure not in largest]
        groups.append(largest)
    return groups


def _traits_of(case: Case) -> Iterator[Trait]:
    edge = tagged_edge(case.tags)
    if edge is not None:
        site, _, name = edge.rpartition(":")
        yield "edge", name
        if site:
            yield "site", site
    elif case.faults:
        yield "family", family_of(case.faults[0].technique)
    else:
        yield "verdict", case.label


def _answer_of(actual: str) -> str:
    """Returns the kind of an answer, or the kind of an exception with its line. Their texts often contain parts of the
    message.
    """
    location = _LOCATION.search(actual)
    return f"{actual.partition(' ')[0]} {location[0] if location else ''}"
