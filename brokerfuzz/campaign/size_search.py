"""Finds out whether the size of a message alone makes the target reject it, for example because a proxy limits the
size.

To find out, the search sends a message that the target accepts, with so many spaces that it is as large as the rejected
message. If the target rejects this message too, the size is the cause. A binary search then finds the smallest size
that the target rejects.

    rejected      {"number":"OFF-1", … }                      55,407 bytes   status 413
    plain         {"number":"OFF-1","offerType":"Email"}          38 bytes   accepted
    with spaces   {"number":"OFF-1","offerType":"Email"   … } 55,407 bytes   status 413: the cause is the size
"""

from contextlib import suppress

from brokerfuzz.campaign.bounded_sending import BoundedSender, LimitReachedError
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.campaign.sending import UnsendableError

SMALLEST = 1024
"""The search does not consider smaller messages, because a limit below one kilobyte is improbable. This saves
requests.
"""


def with_spaces(plain: bytes, size: int) -> bytes:
    """Inserts spaces before the last bracket of a JSON message."""
    return plain[:-1] + b" " * (size - len(plain)) + plain[-1:]


class SizeSearch:
    """Stores the smallest message that shows the problem in `suspicion`, if the size is the cause."""

    def __init__(self, suspicion: Finding, problem: Problem, sender: BoundedSender, plain: bytes) -> None:
        self._suspicion, self._problem, self._sender, self._plain = suspicion, problem, sender, plain

    async def run(self) -> bool:
        """Returns whether the size is the cause."""
        suspicion = self._suspicion
        size = len(suspicion.case.body)
        with suppress(LimitReachedError, UnsendableError):
            if size < max(SMALLEST, len(self._plain) + 1) or not await self._shows_problem(size):
                return False
            await self._halve(size)
            suspicion.whole = True
            suspicion.sent, suspicion.shown = 1, int(await self._shows_problem(suspicion.size))
        return suspicion.size > 0

    async def _halve(self, rejected: int) -> None:
        accepted = len(self._plain)
        while rejected - accepted > 1:
            middle = (accepted + rejected) // 2
            if await self._shows_problem(middle):
                rejected = middle
            else:
                accepted = middle

    async def _shows_problem(self, size: int) -> bool:
        body = with_spaces(self._plain, size)
        answer = await self._sender.answer(body)
        if not self._problem.is_shown(answer, body):
            return False
        self._suspicion.body, self._suspicion.answer, self._suspicion.size = body, answer, size
        return True
