"""Waits if a target asks brokerfuzz to retry later: with status 429, or with status 503 and the header `Retry-After`.

Such a response says nothing about the message. All messages wait until the pause is over.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic, time

from brokerfuzz.targets.answers import Answer, AnswerKind

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
    """Makes all messages wait while the target asks for a pause. A message waits at most `longest` seconds. If one has
    waited too long, the next ones do not wait until the target processes a message. Use a `Gate` in only one event
    loop.
    """

    def __init__(self, longest: float) -> None:
        self.slowed = Slowed()
        self._longest = longest
        self._opens = 0.0
        self._asked: RetryLater | None = None
        self._gave_up = False
        self._turn = asyncio.Lock()

    @property
    def waits_for(self) -> str:
        """Describes the current pause, or is empty."""
        if self._asked is None or self._opens < monotonic():
            return ""
        pause = self._opens - self._asked.at
        return f"it asked for a pause of {pause:.3g} s with status {self._asked.answer.status}"

    async def passed(self, send: Callable[[bool], Awaitable[Answer | RetryLater]]) -> Answer:
        """Sends a message, again and again, until the target processes the message or the message has waited too long.
        The argument of `send` says whether the message is sent again. After a pause, the messages are sent one at a
        time, because a target that limits the rate would postpone most of them again.
        """
        times, started = 0, monotonic()
        if self._opens < started:
            outcome = await send(False)
            if isinstance(outcome, Answer):
                self._gave_up = False
                return outcome
            times = 1
            self._postpone(outcome, times, self._longest)
        async with self._turn:
            while True:
                waited = monotonic() - started
                left, pause = self._longest - waited, self._opens - monotonic()
                if pause > 0 and (self._gave_up or pause > left or left < _LEAST_PAUSE):
                    self._gave_up = True
                    return self._given_up(max(times, 1), waited)
                await self._pause(pause)
                outcome = await send(times > 0)
                if isinstance(outcome, Answer):
                    self._gave_up = False
                    return outcome
                times += 1
                self._postpone(outcome, times, self._longest - (monotonic() - started))

    def _postpone(self, asked: RetryLater, times: int, left: float) -> None:
        """Without a time in the response, the pauses are 1, 2, 4, ... seconds, and the last one is the time `left`."""
        pause = (
            min(2.0 ** (times - 1), left)
            if asked.seconds is None
            else max(asked.seconds, _LEAST_PAUSE * 2 ** (times - 1))
        )
        self._opens = max(self._opens, asked.at + max(pause, _LEAST_PAUSE))
        self._asked = asked
        self.slowed = Slowed(self.slowed.times + 1, self.slowed.seconds)

    async def _pause(self, seconds: float) -> None:
        started = monotonic()
        try:
            await asyncio.sleep(max(seconds, 0.0))
        finally:
            waited = monotonic() - started if seconds > 0 else 0.0
            self.slowed = Slowed(self.slowed.times, self.slowed.seconds + waited)

    def _given_up(self, times: int, waited: float) -> Answer:
        assert self._asked is not None, "the target asked for a pause"
        asked = self._asked
        status = asked.answer.status or 0
        wanted = (
            f"to wait for {asked.seconds:.0f} s"
            if asked.seconds is not None and asked.seconds > self._longest
            else f"{times} times to wait"
        )
        reason = f"asked brokerfuzz {wanted} (status {status}), and the longest wait is {self._longest:g} s"
        return asked.answer._replace(
            kind=_KINDS[status], reason=reason, seconds=waited, reached=False, pause=asked.seconds or 0.0
        )
