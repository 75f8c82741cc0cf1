"""Repeats the messages of contradictions before they are shrunk, one at a time, so that no other message can cause a
failure.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import groupby

from brokerfuzz.campaign.contradictions import WITH_CAUSES
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import group_key
from brokerfuzz.campaign.problem import TRIES, LimitReachedError, Problem
from brokerfuzz.campaign.sporadic import SporadicFailures, is_sporadic

SECONDS = 60.0
"""The maximum time for all repetitions, in seconds."""
ENOUGH = 5
"""If the first contradictions with the same answer have all occurred again, brokerfuzz does not repeat the others. If
none of them has, it repeats each of the others only once.
"""


async def confirm(
    suspicions: list[Finding], sporadic: SporadicFailures, problem_of: Callable[[Finding], Problem]
) -> None:
    """Moves sporadic contradictions from the list to `sporadic`. Server errors that did not occur again while the cases
    were sent are repeated, too. If one of them now occurs again, it is moved to the list.
    """
    earlier = sporadic.server_errors()
    repeated = sorted((one for one in suspicions if one.kind in WITH_CAUSES), key=group_key)
    with suppress(LimitReachedError):
        for _, group in groupby(repeated, key=group_key):
            some = list(group)
            for number, suspicion in enumerate(some):
                recurring = sum(one.reproduced for one in some[:ENOUGH])
                if number >= ENOUGH and recurring == ENOUGH:
                    break
                await problem_of(suspicion).recurs(1 if number >= ENOUGH and not recurring else TRIES)
                sporadic.take(suspicion, suspicions)
        for failure in earlier:
            await problem_of(failure).recurs()
            if not is_sporadic(failure):
                sporadic.remove(failure)
                failure.kind = "crashed"
                suspicions.append(failure)
    suspicions.sort(key=lambda suspicion: suspicion.index)
