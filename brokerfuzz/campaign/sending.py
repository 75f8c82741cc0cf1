"""Sends the messages of a campaign, except for messages whose answers are already in the journal. Limits the number of
requests per second, and writes the journal.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from brokerfuzz.campaign.journal import Answered, Key, NotRecalledError, Recalled, Writer
from brokerfuzz.campaign.sporadic import SporadicFailure, SporadicFailures, is_server_error
from brokerfuzz.campaign.target_health import FirstContact, TargetHealth, TargetLostError, is_answer
from brokerfuzz.campaign.timing import Timing
from brokerfuzz.cases.case import Case, message_id
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer, Message, Target
from brokerfuzz.targets.waiting import repeated

CONFLICT = 409
"""The HTTP status with which services reject an offer whose number they already know. If the message got no new value
(see `FreshValues`), this status says nothing about the message.
"""

_OF_CASES = ("case", "twin")
"""The phases (see `Key`) whose sporadic failures are counted. Other phases send changed messages."""


def _key_of_failure(key: Key) -> Key:
    return Key(f"failed {key.phase}", key.number, key.step)


class UnsendableError(Exception):
    """The message cannot be sent to this target."""


@dataclass(slots=True)
class _Message:
    """A message that is sent, perhaps more than once. `sent` is the body that was sent last, which may contain a fresh
    value.
    """

    case: Case
    body: bytes
    sent: bytes = b""


class RateLimiter:
    """Allows at most `rate` requests per second (None: no limit). Two requests start at least 1 / `rate` seconds apart,
    also after a pause.
    """

    def __init__(self, rate: float | None) -> None:
        self.limited = rate is not None
        self._interval = 1 / rate if rate else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        now = monotonic()
        mine = max(self._next, now)
        self._next = mine + self._interval
        if mine > now:
            await asyncio.sleep(mine - now)

    def pause(self, seconds: float) -> None:
        """Allows no request in the next `seconds`."""
        self._next = max(self._next, monotonic() + seconds)


class Sender:
    """`requests` is the number of messages that were sent, including the messages that an earlier run of the campaign
    sent. Their number, `recalled`, comes from the journal. `started` is the time at which the campaign started (on the
    clock `time.monotonic`). `ago` is the number of seconds for which a resumed campaign has already run, otherwise 0.
    """

    def __init__(
        self,
        target: Target,
        *,
        rate: float | None = None,
        journal: Writer | None = None,
        recalled: Recalled | Answered | None = None,
        ago: float = 0.0,
        sends: bool = True,
        fresh: FreshValues | None = None,
        longest_wait: float = 0.0,
    ) -> None:
        self.recalled = self.requests = recalled.count if isinstance(recalled, Recalled) else 0
        self._before_cases = self.requests
        self.sporadic = SporadicFailures()
        self.timing = Timing()
        self._rate_limiter = RateLimiter(rate)
        self.started = monotonic() - ago
        target.pace = self._rate_limiter.wait if rate else None
        self._target, self._journal, self._recalled = target, journal, recalled
        self._sends, self._fresh = sends, fresh
        self._loop: asyncio.AbstractEventLoop | None = None
        self._isolated: bool = target.isolates_messages
        self._longest_wait, self._pause_reason = longest_wait, ""
        self.health = TargetHealth(self._ask, longest_wait, isolated=self._isolated)

    @property
    def only_recalled(self) -> bool:
        """True if a resumed campaign has sent nothing except plain messages so far, because the journal contains all
        other answers.
        """
        return self.recalled > 0 and self.requests == self._before_cases

    @property
    def contact(self) -> FirstContact:
        return self.health.contact

    async def make_contact(self, plain: Sequence[Case], *, repeats: bool = False) -> FirstContact:
        """Sends plain messages until the target accepts one, and returns the result. If the target does not answer the
        first plain message, sends `{}`. With `repeats`, sends the accepted message a second time. Later, `health`
        repeats the accepted message (or an answered message), to check whether the target is down.

        Raises `TargetLostError` if the target answers no message, and `TargetError` if the target cannot be reached.
        """
        try:
            return await self._made_contact(plain, repeats=repeats)
        finally:
            self._before_cases = self.requests

    async def _made_contact(self, plain: Sequence[Case], *, repeats: bool) -> FirstContact:
        refused: list[tuple[Case, Answer]] = []
        for step, case in enumerate(plain):
            answer = await self._first_answer(step, case)
            if answer is not None and not is_answer(answer) and not refused:
                answer = await self._answer_when_up(case, answer, len(plain))
            if answer is None:
                break
            if answer.kind == "accepted":
                again = await self._first_answer(len(plain) + 1, case) if repeats else None
                self.health.contact = FirstContact(case, answer, tuple(refused), again)
                return self.contact
            refused.append((case, answer))
            if self.contact.case is None and is_answer(answer):
                self.health.contact = FirstContact(case, answer)
            if sum(not is_answer(one) for _, one in refused) > 1:  # each timeout takes several seconds
                break
        self.health.contact = replace(self.contact, refused=tuple(refused))
        return self.contact

    async def _first_answer(self, step: int, case: Case) -> Answer | None:
        """Returns None if the message cannot be sent. A resumed campaign sends the message again, because the target
        may have changed.
        """
        key = Key("plain", 0, step)
        if not self._sends:
            return None if self._recalled is None else self._recalled.get(key, case.body)
        if not self.can_send(case):
            return None
        message = _Message(case, case.body)
        answer = await self._request(message)
        self._record(key, message, answer)
        return answer

    async def _answer_when_up(self, plain: Case, first: Answer, step: int) -> Answer:
        """Finds out whether a target that did not answer a plain message answers `{}`. If not, waits until it answers
        the plain message.
        """
        empty = Case(plain.message_type, b"{}", Verdict("invalid"))
        answer = await self._first_answer(step, empty)
        if answer is None:
            return first
        if is_answer(answer):
            self.health.contact = FirstContact(empty, answer)
            return first
        if not self._isolated:  # programs do not restart
            send = partial(self._request, _Message(plain, plain.body))
            answer = await self.health.retried(send, is_answer, await send())
        if not is_answer(answer):
            raise TargetLostError(f"the target did not answer any message ({answer.reason})", answer, sent=False)
        return answer

    async def _ask(self) -> Answer:
        assert self.contact.case is not None, "the target answered the first message"
        return await self._request(_Message(self.contact.case, self.contact.case.body))

    def can_send(self, case: Case) -> bool:
        return self._target.can_send(case.body, case.headers)

    def is_conflict(self, case: Case, answer: Answer) -> bool:
        """Returns whether the target may have rejected the message only because it already knows a value, such as the
        number. If the user listed status 409 in `--accept` or `--reject`, the status is about the message.
        """
        rules = getattr(self._target, "rules", None)
        if answer.kind != "rejected" or answer.status != CONFLICT or (rules is not None and rules.has_code(CONFLICT)):
            return False
        return self._fresh is None or not self._fresh.changes(case, case.body)

    async def send(self, key: Key, case: Case, body: bytes) -> Answer:
        """Sends a message with the headers of the case, or finds the answer in the journal.

        Raises `UnsendableError` if the message cannot be sent to this target, and `TargetLostError` if the target no
        longer answers. Also raises `TargetError` or `JournalError`.
        """
        self._loop = (
            self._loop or asyncio.get_running_loop()
        )  # called only once, because each call in Python 3.11 needs a system call
        if self._recalled is not None and (answer := self._recalled.get(key, body)) is not None:
            if (failed := self._recalled.get(_key_of_failure(key), body)) is not None:
                self._add_sporadic(key, case, failed)
            return answer
        if not self._sends:
            raise NotRecalledError
        if not self._target.can_send(body, case.headers):
            raise UnsendableError
        message = _Message(case, body)
        checked = await self.health.checked(partial(self._request, message))
        answer = checked.answer if checked.failed is None or not self._is_flaky(key, checked.failed) else checked.failed
        self._record(key, message, answer)
        if checked.failed is not None and key.phase in _OF_CASES:
            self._add_sporadic(key, case, checked.failed)
            self._record(_key_of_failure(key), message, checked.failed)
        return answer

    def _is_flaky(self, key: Key, failed: Answer) -> bool:
        """Returns whether a failure that did not occur again still counts: no other message can have caused it."""
        if key.phase in _OF_CASES or not is_server_error(failed, isolated=self._isolated):
            return False
        return key.phase.startswith("alone ") or not self.sporadic.server_errors()

    def _add_sporadic(self, key: Key, case: Case, failed: Answer) -> None:
        self.sporadic.add(SporadicFailure(key.number, case, failed, self._isolated))

    @property
    def waits_for(self) -> str:
        """Says why the target is not ready, while messages wait for it. Otherwise, it is empty."""
        return self.health.waits_for or self._pause_reason

    async def send_twice(self, case: Case, fresh: FreshValues, number: int = 0) -> tuple[Answer, Answer] | None:
        """Sends a message with a fresh value, and then sends the same bytes again. Sends nothing if the journal already
        contains both answers. Returns None if the message cannot be sent. In the journal, `number` distinguishes
        several pairs of messages.
        """
        keys = [Key("repeated", number, step) for step in (0, 1)]
        known = [None if self._recalled is None else self._recalled.get(key, case.body) for key in keys]
        if known[0] is not None and known[1] is not None:
            return known[0], known[1]
        if not self._sends or not self.can_send(case):
            return None
        self.requests += 2
        sent = fresh.of(case, case.body)
        answers: list[Answer] = []
        for is_followed in (True, False):
            await self._rate_limiter.wait()
            answers.append(await self._target.send(Message(sent, case.headers, case.id, is_followed)))
        both = answers[0], answers[1]
        for key, answer in zip(keys, both, strict=True):
            self._record(key, _Message(case, case.body, sent), answer)
        return both

    async def _request(self, message: _Message) -> Answer:
        answer = await self._sent(message)
        if answer.pause is not None:
            send = partial(self._sent, message)
            answer = await repeated(send, lambda one: one.pause is None, self._longest_wait, answer, self._pause)
            self._pause_reason = ""
        return answer

    def _pause(self, answer: Answer, seconds: float) -> None:
        """Lets all messages wait, because the target asked for it."""
        self._rate_limiter.pause(seconds)
        self.timing.pauses += 1
        self.timing.paused += seconds
        self._pause_reason = f"it {answer.reason}"

    async def _sent(self, message: _Message) -> Answer:
        await self._rate_limiter.wait()
        self.requests += 1
        case, body = message.case, message.body
        headers = case.headers
        sent = message.sent = body if self._fresh is None else self._fresh.of(case, body)
        case_id = case.id if body is case.body else message_id(case.message_type, headers, body)
        answer = await self._target.send(Message(sent, headers, case_id))
        task = asyncio.current_task(self._loop)
        if (
            task is not None and task.cancelling()
        ):  # a request that finishes while it is cancelled would hide the cancellation
            raise asyncio.CancelledError
        self.timing.add(answer.seconds)
        return answer

    def _record(self, key: Key, message: _Message, answer: Answer) -> None:
        if (
            self._journal is not None and answer.reached
        ):  # a resumed campaign sends a message again if the target did not process it
            self._journal.record(key, message.case, message.body, message.sent, answer, monotonic() - self.started)
