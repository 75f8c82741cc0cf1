"""Finds out whether the size of a message alone makes the target reject it, for example because a proxy limits the
size. To find out, brokerfuzz sends a message that the target accepts, with so many spaces that it is as large as the
rejected one. A binary search then finds the smallest size that the target rejects.

    rejected      {"number":"OFF-1", … }                      55,407 bytes   status 413
    plain         {"number":"OFF-1","offerType":"Email"}          38 bytes   accepted
    with spaces   {"number":"OFF-1","offerType":"Email"   … } 55,407 bytes   status 413: the cause is the size
"""

from contextlib import suppress

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.problem import LimitReachedError, Problem
from brokerfuzz.campaign.sending import UnsendableError

SMALLEST = 1024
"""The search does not consider smaller messages, because a limit below one kilobyte is improbable."""


async def is_too_large(suspicion: Finding, problem: Problem, plain: bytes) -> bool:
    """Returns whether the size is the cause. If so, stores the smallest message that shows the problem in
    `suspicion`.
    """

    async def shows_problem(size: int) -> bool:
        body = plain[:-1] + b" " * (size - len(plain)) + plain[-1:]
        answer = await problem.answer(body)
        if problem.is_shown(answer, body):
            suspicion.body, suspicion.answer, suspicion.size = body, answer, size
        return suspicion.size == size

    accepted, rejected = len(plain), len(suspicion.case.body)
    with suppress(LimitReachedError, UnsendableError):
        if rejected < SMALLEST or rejected <= accepted or not await shows_problem(rejected):
            return False
        while rejected - accepted > 1:
            middle = (accepted + rejected) // 2
            if await shows_problem(middle):
                rejected = middle
            else:
                accepted = middle
        suspicion.whole = True
    return suspicion.size > 0
