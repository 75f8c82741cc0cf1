"""Sends the messages of one search, until its bounds are reached."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.journal import NotRecalledError
from brokerfuzz.targets.answers import Answer

Send = Callable[[bytes], Awaitable[Answer]]


@dataclass(frozen=True)
class Bounds:
    """When to stop: `requests` sent, or the clock (`time.monotonic`) at `deadline`."""

    requests: int = 200
    deadline: float = float("inf")


class SpentError(Exception):
    """Raised when the bounds are reached, or the target is gone."""


class BoundedSender:
    """Sends messages within bounds. `requests` counts them."""

    def __init__(self, send: Send, bounds: Bounds) -> None:
        self.requests = 0
        self._send, self._bounds = send, bounds

    async def answer(self, body: bytes) -> Answer:
        """The target's answer to a message. Raises `SpentError`."""
        if self.requests >= self._bounds.requests or monotonic() > self._bounds.deadline:
            raise SpentError
        self.requests += 1
        try:
            answer = await self._send(body)
        except NotRecalledError:
            raise SpentError from None
        if not answer.reached:
            raise SpentError
        return answer
