"""Limits the number of requests and the time for one search (to shrink a finding, or to find its cause)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.journal import NotRecalledError
from brokerfuzz.targets.answers import Answer

Send = Callable[[bytes], Awaitable[Answer]]


@dataclass(frozen=True)
class Bounds:
    """The limits of a search: a maximum number of `requests`, and a `deadline` on the `time.monotonic` clock."""

    requests: int = 200
    deadline: float = float("inf")


class LimitReachedError(Exception):
    """The search has reached a limit, or the target no longer answers."""


class BoundedSender:
    """Sends messages until a limit is reached. `requests` is the number of messages sent so far."""

    def __init__(self, send: Send, bounds: Bounds) -> None:
        self.requests = 0
        self._send, self._bounds = send, bounds

    async def answer(self, body: bytes) -> Answer:
        """Sends a message and returns the answer. Raises `LimitReachedError` if a limit is reached or the target no longer answers."""
        if self.requests >= self._bounds.requests or monotonic() > self._bounds.deadline:
            raise LimitReachedError
        self.requests += 1
        try:
            answer = await self._send(body)
        except NotRecalledError:
            raise LimitReachedError from None
        if not answer.reached:
            raise LimitReachedError
        return answer
