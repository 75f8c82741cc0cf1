"""Limits the number of requests and the time for shrinking a finding, or for searching for its cause."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.journal import NotRecalledError
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.targets.answers import Answer

Send = Callable[[bytes], Awaitable[Answer]]


@dataclass(frozen=True)
class Bounds:
    """The maximum number of requests of a search, and the time at which it must end (on the clock `time.monotonic`)."""

    requests: int = 200
    deadline: float = float("inf")


class LimitReachedError(Exception):
    """Shrinking or a search must end, because a limit is reached or the target no longer answers."""


class BoundedSender:
    """Sends messages until a limit is reached, and counts the messages."""

    def __init__(self, send: Send, bounds: Bounds) -> None:
        self.requests = 0
        self._send, self._bounds = send, bounds

    async def answer(self, body: bytes) -> Answer:
        """Sends a message and returns the answer.

        Raises `LimitReachedError` if a limit is reached or the target no longer answers.
        """
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
