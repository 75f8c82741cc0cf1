"""Waits if a target asks brokerfuzz to retry later: with status 429, or with status 503 and the header `Retry-After`.

Such a response says nothing about the message. All messages wait until the pause is over. Then brokerfuzz first repeats
the messages that it has to retry, one at a time.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic, time

from brokerfuzz.targets.answers import Answer, AnswerKind

LONGEST_WAIT = 120.0
"""The default limit, in seconds, for waiting until a target is ready."""
THROTTLING = (429, 503)
_KINDS: dict[int, AnswerKind] = {429: "timeout", 503: "crashed"}
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_LEAST_PAUSE = (
    0.05  # in seconds; brokerfuzz doubles it each time, in case the server always asks for a wait of 0 seconds
)


@dataclass(frozen=True)
class Slowed:
    """How often a target asked brokerfuzz to retry later, and how many seconds brokerfuzz waited for this reason."""

    times: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class RetryLater:
    """A response that asks brokerfuzz to retry later.

    `seconds` is the pause that the target asks for, or None if the response contains no time. `at` is the time when the
    response arrived (on the clock `time.monotonic`).
    """

    answer: Answer
    seconds: float | None
    at: float


def seconds_of(retry_after: str | None, date: str | None = None) -> float | None:
    """Returns how many seconds to wait according to the header `Retry-After`, which contains a number or a date.

    A date in `retry_after` is compared with the server's `date`, or with the current time if `date` is None. Returns
    None if the header is missing or invalid.
    """
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
    """Makes all messages wait while the target asks for a pause. A message waits at most `longest` seconds. Use a
    `Gate` in only one event loop.
    """

    def __init__(self, longest: float) -> None:
        self.shut = False
        self.slowed = Slowed()
        self._longest = longest
        self._lock = asyncio.Lock()
        self._open = asyncio.Event()
        self._waiting = 0
        self._given_up: tuple[Answer, float] | None = None
        self._pauses_until, self._why = 0.0, ""

    @property
    def waits_for(self) -> str:
        """Describes the current pause, or is empty. It also describes a pause whose messages were cancelled."""
        return self._why if monotonic() < self._pauses_until else ""

    async def enter(self) -> Answer | None:
        """Waits until the message may be sent, and returns None. If another message has waited too long, and the pause
        is not over, returns the answer to that message. Then do not send this message, because it would get the same
        answer.
        """
        while self._waiting:
            self._open.clear()
            await self._open.wait()
        return self._given_up[0] if self._given_up is not None and monotonic() < self._given_up[1] else None

    def reopen(self) -> None:
        """Lets all messages pass, because the target no longer asks for a pause."""
        self._given_up = None
        self.shut = self._waiting > 0

    async def retry(self, asked: RetryLater, send: Callable[[], Awaitable[Answer | RetryLater]]) -> Answer:
        """Sends a message again until the target processes the message, or until the message has waited too long."""
        self.shut = True
        self._waiting += 1
        self._count(times=1)
        try:
            async with self._lock:
                return await self._retry(asked, send)
        finally:
            self._waiting -= 1
            self.shut = self._waiting > 0 or self._given_up is not None
            if not self._waiting:
                self._open.set()

    async def _retry(self, asked: RetryLater, send: Callable[[], Awaitable[Answer | RetryLater]]) -> Answer:
        if self._given_up is not None:  # another message has already waited for the maximum time
            return self._give_up(asked, 1, 0.0)
        times, waited = 1, 0.0
        while True:
            left = self._longest - waited
            wanted = (
                min(2.0 ** (times - 1), left)
                if asked.seconds is None
                else max(asked.seconds, _LEAST_PAUSE * 2 ** (times - 1))
            )
            pause = max(asked.at + wanted - monotonic(), 0.0)
            if pause > left or left < _LEAST_PAUSE:
                return self._give_up(asked, times, waited)
            waited += max(pause, 0.001)
            await self._pause(pause, f"it asked for a pause of {pause:.3g} s with status {asked.answer.status}")
            outcome = await send()
            if isinstance(outcome, Answer):
                self.reopen()
                return outcome
            asked, times = outcome, times + 1
            self._count(times=1)

    async def _pause(self, seconds: float, why: str) -> None:
        started = monotonic()
        self._pauses_until, self._why = started + seconds, why
        try:
            await asyncio.sleep(seconds)
        finally:
            self._count(seconds=monotonic() - started)

    def _count(self, times: int = 0, seconds: float = 0.0) -> None:
        self.slowed = Slowed(self.slowed.times + times, self.slowed.seconds + seconds)

    def _give_up(self, asked: RetryLater, times: int, waited: float) -> Answer:
        status = asked.answer.status or 0
        wanted = (
            f"to wait for {asked.seconds:.0f} s"
            if asked.seconds is not None and asked.seconds > self._longest
            else f"{times} times to wait"
        )
        reason = f"asked brokerfuzz {wanted} (status {status}), and the longest wait is {self._longest:g} s"
        answer = asked.answer._replace(kind=_KINDS[status], reason=reason, seconds=waited, reached=False)
        self._given_up = answer, asked.at + (asked.seconds if asked.seconds is not None else 1.0)
        return answer
