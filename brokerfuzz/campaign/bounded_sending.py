"""Sends messages again to explain contradictions, and limits the requests and the time for each of them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from brokerfuzz.campaign.journal import Key, NotRecalledError
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.suspicion import Suspicion
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


class VariantSender:
    """Sends variants of the messages of contradictions, with the headers of the case."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._steps: Counter[tuple[str, int]] = Counter()

    def of(self, phase: str, suspicion: Suspicion, bounds: Bounds) -> BoundedSender:
        """In the journal, `phase` is followed by the kind of the contradiction and the verdict (see `Key`). This
        distinguishes a case from its twin, which has the same number.
        """
        name = f"{phase} {suspicion.kind} {suspicion.verdict.label}"
        place = (name, suspicion.index)

        async def send(body: bytes) -> Answer:
            step = self._steps[place]
            self._steps[place] += 1
            return await self._sender.send(Key(name, suspicion.index, step), suspicion.case, body)

        return BoundedSender(send, bounds)
