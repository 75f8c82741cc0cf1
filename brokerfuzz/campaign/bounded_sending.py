"""Limits the requests and the time for shrinking a finding and for finding its cause."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.journal import NotRecalledError
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.targets.answers import Answer

Send = Callable[[bytes], Awaitable[Answer]]


@dataclass(frozen=True)
class Bounds:
    """`deadline` is the time at which a search must end (on the clock `time.monotonic`)."""

    requests: int = 200
    deadline: float = float("inf")


class LimitReachedError(Exception):
    """The search must end, because a limit is reached or the target no longer answers."""


class BoundedSender:
    """Sends messages until a limit is reached. `requests` is the number of messages sent."""

    def __init__(self, send: Send, bounds: Bounds) -> None:
        self.requests = 0
        self._send, self._bounds = send, bounds

    async def pause(self) -> None:
        """Call this method regularly in a search that computes without sending, so that Ctrl-C is noticed. Raises
        `LimitReachedError` after the deadline.
        """
        await asyncio.sleep(0)
        if monotonic() > self._bounds.deadline:
            raise LimitReachedError

    async def answer(self, body: bytes) -> Answer:
        """Raises `LimitReachedError` if a limit is reached or the target no longer answers."""
        if self.requests >= self._bounds.requests or monotonic() > self._bounds.deadline:
            raise LimitReachedError
        self.requests += 1
        try:
            answer = await self._send(body)
        except (NotRecalledError, TargetLostError):
            raise LimitReachedError from None
        if not answer.reached:
            raise LimitReachedError
        return answer
