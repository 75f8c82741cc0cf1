"""Repeats the messages of contradictions before they are shrunk. What does not occur again is no finding."""

from collections.abc import Callable
from contextlib import suppress
from itertools import groupby

from brokerfuzz.campaign.contradictions import WITH_CAUSES, FindingKind
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import group_key
from brokerfuzz.campaign.problem import TRIES, LimitReachedError, Problem
from brokerfuzz.campaign.sporadic import SporadicAnswers, is_sporadic
from brokerfuzz.targets.threads import together

SECONDS = 60.0
"""The maximum time for all repetitions, in seconds."""
ENOUGH = 5
"""If the first contradictions with the same answer have all occurred again, brokerfuzz does not repeat the others. If
none of them has, it repeats each of the others only once.
"""
_INDEPENDENT: frozenset[FindingKind] = frozenset({"invalid-accepted", "malformed-answer"})
"""The kinds of contradictions that other messages do not cause, so that many can be repeated at the same time."""

ProblemOf = Callable[[Finding], Problem]


async def confirm(
    suspicions: list[Finding], sporadic: SporadicAnswers, problem_of: ProblemOf, concurrency: int
) -> None:
    """Moves sporadic contradictions from the list to `sporadic`. Crashes that did not occur again while the cases were
    sent are repeated, too. If one of them now occurs again, it is moved to the list.
    """
    crashes = sporadic.crashes()
    independent = [suspicion for suspicion in suspicions if suspicion.kind in _INDEPENDENT]
    waiting = iter(independent)

    async def repeat() -> None:
        for suspicion in waiting:
            with suppress(LimitReachedError):
                await problem_of(suspicion).recurs()

    await together(*(repeat() for _ in range(concurrency)))
    for suspicion in independent:
        sporadic.take(suspicion, suspicions)
    with suppress(LimitReachedError):
        await _repeat_alone(suspicions, sporadic, problem_of)
        for crash in crashes:
            await problem_of(crash).recurs()
            if not is_sporadic(crash):
                sporadic.remove(crash)
                suspicions.append(crash)
    suspicions.sort(key=lambda suspicion: suspicion.index)


async def _repeat_alone(suspicions: list[Finding], sporadic: SporadicAnswers, problem_of: ProblemOf) -> None:
    """Repeats failures one at a time, so that no other message can cause them."""
    failures = sorted((one for one in suspicions if one.kind in WITH_CAUSES), key=group_key)
    for _, group in groupby(failures, key=group_key):
        same_failures = list(group)
        for number, failure in enumerate(same_failures):
            recurring = sum(one.reproduced for one in same_failures[:ENOUGH])
            if number >= ENOUGH and recurring == ENOUGH:
                break
            await problem_of(failure).recurs(1 if number >= ENOUGH and not recurring else TRIES)
            sporadic.take(failure, suspicions)
