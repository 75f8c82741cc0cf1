"""Sends messages again to explain contradictions, and limits the requests and the time for each of them."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from time import monotonic
from typing import Any

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.targets.answers import Answer


@dataclass(frozen=True)
class Bounds:
    """`deadline` is the time at which a search must end (on the clock `time.monotonic`)."""

    requests: int = 200
    deadline: float = float("inf")


class LimitReachedError(Exception):
    """The search must end, because a limit is reached or the target no longer answers."""


class BoundedSender:
    """Asks for the answers to variants of the message of a contradiction until a limit is reached, with the headers of
    its case. `requests` is the number of messages.
    """

    def __init__(self, sender: Sender, role: str, suspicion: Finding, bounds: Bounds) -> None:
        self.requests = 0
        self._sender, self._role, self._bounds = sender, role, bounds
        self._number, self._case = suspicion.index, suspicion.case

    async def pause(self) -> None:
        """Call this method regularly in a search that computes without sending, so that Ctrl-C is noticed. Raises
        `LimitReachedError` after the deadline.
        """
        await asyncio.sleep(0)
        if monotonic() > self._bounds.deadline:
            raise LimitReachedError

    async def answer(self, body: bytes, *, again: bool = False) -> Answer:
        """With `again`, the message is sent even if its answer is known. Raises `LimitReachedError` if a limit is
        reached or the target no longer answers.
        """
        if self.requests >= self._bounds.requests or monotonic() > self._bounds.deadline:
            raise LimitReachedError
        self.requests += 1
        try:
            answer = await self._sender.ask(self._role, self._number, self._case, body, again=again)
        except TargetLostError:
            raise LimitReachedError from None
        if not answer.reached:
            raise LimitReachedError
        return answer


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Runs all coroutines at the same time. If a coroutine raises an exception, the function cancels the other
    coroutines and raises the exception.

    A TaskGroup of Python 3.11 or 3.12 would leave the current task marked as cancelled, so a time limit would look like
    Ctrl-C.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
