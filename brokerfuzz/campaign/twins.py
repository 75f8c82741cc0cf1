"""Builds twins (valid counterparts) of messages that have none: those of findings and of probes. A twin differs in as
few places as possible, and has the values of another valid message there.
"""

from collections.abc import Sequence
from functools import lru_cache

from brokerfuzz.campaign.difference import Difference, OrdinaryValues, fewest, undone
from brokerfuzz.campaign.failure import Failure
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import TWIN_TAGS
from brokerfuzz.json_trees import tree_of, write_tree
from brokerfuzz.schemas import Verdict

LARGEST_REPAIRED = 8192
"""The size in bytes above which the smallest message of a finding gets no twin, because this would need long."""


async def twin_of_finding(failure: Failure, judge: Judge, plain: Sequence[Case]) -> bytes | None:
    """Returns None if the smallest message breaks several rules or is not JSON, or if there is no twin."""
    case, body, verdict = failure.case, failure.body, failure.verdict
    if verdict.label != "invalid" or len(verdict.broken) != 1 or case.twin is None:
        return None
    if body == case.body:
        return case.twin.body
    tree = tree_of(body)
    if tree is None or len(body) > LARGEST_REPAIRED:
        return None
    differences = tuple(OrdinaryValues.of(case.twin, plain).differences(tree))

    async def suffice(differences: tuple[Difference, ...]) -> bool:
        return judge.of(case, write_tree(undone(tree, differences))).label == "valid"

    return write_tree(undone(tree, await fewest(differences, suffice))) if await suffice(differences) else None


def twin_of(case: Case, verdict: Verdict, plain: Case | None, judge: Judge) -> Case | None:
    """Returns the valid message that can prove the rejection of a case. `plain` is an ordinary message."""
    if case.twin is not None or case.faults or plain is None:
        return case.twin
    return _twin_of_probe(case, verdict, plain, judge)


def _twin_of_probe(case: Case, verdict: Verdict, plain: Case, judge: Judge) -> Case:
    """Returns a valid message that differs from a message only at the places that touch an ambiguity: there it has the
    values of `plain`, an ordinary message. If there is no such message, returns `plain`.
    """
    tree = tree_of(case.body)
    if tree is None:
        return plain
    places = {touched.at for touched in verdict.ambiguities}
    at_places = [difference for difference in _values(plain).differences(tree) if difference.place in places]
    body = write_tree(undone(tree, at_places)) if at_places else plain.body
    twin = Case(case.message_type, body, judge.of(plain, body), tags=TWIN_TAGS)
    return twin if body != plain.body and twin.label == "valid" else plain


@lru_cache(maxsize=8)
def _values(plain: Case) -> OrdinaryValues:
    return OrdinaryValues.of(plain)
