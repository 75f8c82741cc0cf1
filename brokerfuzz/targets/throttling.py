"""Waiting when a target asks for it.

A server that says 429, or 503 with `Retry-After`, says nothing of the message: it asks for it at another time. So all messages wait, and
go again, those first that were turned away first, one at a time; when none is left that was, the gate is open again.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import monotonic, time

from brokerfuzz.targets.answers import Answer, AnswerKind

THROTTLING = (429, 503)
_KINDS: dict[int, AnswerKind] = {429: "timeout", 503: "crashed"}
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_LEAST_PAUSE = 0.05  # seconds, doubled each time: who may be asked again at once is not asked without end


@dataclass(frozen=True)
class Slowed:
    """How often a target asked to come back later, and for how many seconds no message was sent because of that."""

    times: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Later:
    """A response that asks to come back later: as an answer, in how many seconds (None: it does not say), and when it came (monotonic)."""

    answer: Answer
    seconds: float | None
    at: float


def seconds_of(retry_after: str | None, date: str | None = None) -> float | None:
    """The seconds that a `Retry-After` asks for: a number, or a date (by the server's own clock, where it shows it); None where it is neither."""
    if retry_after is None:
        return None
    if _SECONDS.fullmatch(retry_after.strip()):
        return float(retry_after)
    until = _timestamp(retry_after)
    if until is None:
        return None
    now = _timestamp(date) if date else None
    return max(until - (time() if now is None else now), 0.0)


def _timestamp(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


class Gate:
    """What all messages to a target pass, and where those wait that it turned away. `longest` is how many seconds are waited for one message.

    Belongs to one event loop.
    """

    def __init__(self, longest: float) -> None:
        self.shut = False
        self.slowed = Slowed()
        self._longest = longest
        self._turn = asyncio.Lock()
        self._open = asyncio.Event()
        self._turned_away = 0
        self._in_vain: tuple[Answer, float] | None = None

    async def enter(self) -> Answer | None:
        """Waits until messages may be sent. Gives an answer at once where the target has been waited for in vain, and its time is not come."""
        while self._turned_away:
            self._open.clear()
            await self._open.wait()
        return self._in_vain[0] if self._in_vain is not None and monotonic() < self._in_vain[1] else None

    def judged(self) -> None:
        """The target answers messages again."""
        self._in_vain = None
        self.shut = self._turned_away > 0

    async def again(self, asked: Later, send: Callable[[], Awaitable[Answer | Later]]) -> Answer:
        """Sends a message again, which the target turned away, until it has judged it or the time is up."""
        self.shut = True
        self._turned_away += 1
        self._count(times=1)
        try:
            async with self._turn:
                return await self._insist(asked, send)
        finally:
            self._turned_away -= 1
            self.shut = self._turned_away > 0 or self._in_vain is not None
            if not self._turned_away:
                self._open.set()

    async def _insist(self, asked: Later, send: Callable[[], Awaitable[Answer | Later]]) -> Answer:
        if self._in_vain is not None:  # another message waited for as long as one is waited for
            return self._give_up(asked, 1, 0.0)
        times, waited = 1, 0.0
        while True:
            left = self._longest - waited
            wanted = min(2.0 ** (times - 1), left) if asked.seconds is None else max(asked.seconds, _LEAST_PAUSE * 2 ** (times - 1))
            pause = max(asked.at + wanted - monotonic(), 0.0)
            if pause > left or left < _LEAST_PAUSE:
                return self._give_up(asked, times, waited)
            waited += max(pause, 0.001)
            await self._pause(pause)
            outcome = await send()
            if isinstance(outcome, Answer):
                self.judged()
                return outcome
            asked, times = outcome, times + 1
            self._count(times=1)

    async def _pause(self, seconds: float) -> None:
        started = monotonic()
        try:
            await asyncio.sleep(seconds)
        finally:
            self._count(seconds=monotonic() - started)

    def _count(self, times: int = 0, seconds: float = 0.0) -> None:
        self.slowed = Slowed(self.slowed.times + times, self.slowed.seconds + seconds)

    def _give_up(self, asked: Later, times: int, waited: float) -> Answer:
        status = asked.answer.status or 0
        often = "once" if times == 1 else f"{times} times"
        wanted = f", the last time in {asked.seconds:.0f} s" if asked.seconds is not None and asked.seconds >= 1 else ""
        reason = f"asked to come back later {often}{wanted} (status {status})"
        answer = replace(asked.answer, kind=_KINDS[status], reason=reason, seconds=waited, reached=False)
        self._in_vain = answer, asked.at + (asked.seconds if asked.seconds is not None else 1.0)
        return answer
