"""Defines an HTTP target that calls the hooks of the user before and after each request."""

import asyncio
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from brokerfuzz.hooks.cleanup import Cleanup, NoCleanupError, is_clean
from brokerfuzz.hooks.hooks import Hooks
from brokerfuzz.hooks.requests import Request, SentCase
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.secret_values import Secret
from brokerfuzz.targets.answers import EXCERPT, MOST_READ, Answer, AnswerRules
from brokerfuzz.targets.http_target import CONTENT_TYPE, HttpTarget
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.targets.throttling import RetryLater
from brokerfuzz.wording import counted

if TYPE_CHECKING:
    from brokerfuzz.targets.transport import Failure

RENEWS = ("401", "419")
"""After these statuses, brokerfuzz calls the hook `authenticate` again."""
_EMPTY: Headers = ((CONTENT_TYPE, None),)
_MOST_REMEMBERED = 32
"""The maximum number of headers from `authenticate` whose values are hidden in all output. The oldest headers are
forgotten first.
"""


FINISHING_TIME = 5.0
"""The maximum number of seconds that `close` waits for the last answers and cleanup requests."""
INTERRUPTED_TIME = 0.5
"""After Ctrl-C, this number replaces `FINISHING_TIME`."""


class HookedTarget(HttpTarget):
    """An HTTP target with hooks.

    Each request contains the headers from `authenticate`, and brokerfuzz hides their values in all output. After each
    accepted message, this class sends the `cleanup` request.
    """

    keeps_headers = True
    longest_body = MOST_READ

    def __init__(
        self, url: str, *, hooks: Hooks | None, cleanup: Cleanup | None, renews: Sequence[str] = RENEWS, **options: Any
    ) -> None:
        super().__init__(url, **options)
        self._renews = AnswerRules(accept=tuple(renews), reject=())
        self._hooks, self._cleanup = hooks, cleanup
        self._own_headers = list(self.headers)
        self._authentications = 0
        self._authenticating: asyncio.Lock | None = None
        self._added: Headers = ()
        self._sessions: deque[tuple[str, str]] = deque(maxlen=_MOST_REMEMBERED)
        self._remaining, self._first_remaining = 0, ""
        self._under_way: set[asyncio.Task[Answer]] = set()

    @property
    def has_session(self) -> bool:
        return self._hooks is not None and "authenticate" in self._hooks

    async def open(self) -> None:
        self._authenticating = asyncio.Lock()
        if self._hooks is not None:
            self._hooks.open(self._hide)
        await super().open()

    async def close(self) -> None:
        """Waits for the last answers and cleanup requests. Then closes every connection, and prints how many cleanup
        requests failed.
        """
        if self._under_way:
            task = asyncio.current_task()
            interrupted = task is not None and task.cancelling()
            await asyncio.wait(self._under_way, timeout=INTERRUPTED_TIME if interrupted else FINISHING_TIME)
        await super().close()
        self._authenticating = None
        if self._hooks is not None:
            self._hooks.close()
        if self._remaining:
            number = counted(self._remaining, "cleanup request")
            print(
                f"brokerfuzz: {number} failed, so offers may remain at the target; the first: {self._first_remaining}",
                file=sys.stderr,
            )
            self._remaining = 0

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a curl command that sends the message. In the command, environment variables replace the values of
        headers that hooks added.
        """
        return super().reproduction(body, (*headers, *self._added))

    async def send(self, body: bytes, headers: Headers = (), *, case_id: str = "") -> Answer:
        """Sends a message. The hook `classify` can change the kind of the answer, for example from `accepted` to
        `rejected`. Raises `HookError` if a hook fails, and `TargetError` for the same reasons as `HttpTarget.send`.

        If a time limit cancels this call, the target may still accept the message. So the request continues, and
        `close` waits for the answer and the cleanup.
        """
        exchange = asyncio.create_task(self._exchange(body, headers, case_id))
        self._under_way.add(exchange)
        exchange.add_done_callback(self._forget)
        return await asyncio.shield(exchange)

    async def _exchange(self, body: bytes, headers: Headers, case_id: str) -> Answer:
        answer = await self._answer(body, headers, case_id)
        await self._finish(body, headers, case_id, answer)
        return _excerpt(answer)

    def _forget(self, exchange: asyncio.Task[Answer]) -> None:
        self._under_way.discard(exchange)
        if not exchange.cancelled():
            # Without this line, asyncio would report the exception if the call of `send` was cancelled.
            exchange.exception()

    async def send_twice(self, body: bytes, headers: Headers = (), *, case_id: str = "") -> tuple[Answer, Answer]:
        """Sends a message, waits for the answer, and sends the same message again. The cleanup requests are sent only
        after the second answer.
        """
        first = await self._answer(body, headers, case_id)
        await self.paced()
        both = first, await self._answer(body, headers, case_id)
        cleaned: set[str] = set()
        for answer in both:
            await self._finish(body, headers, case_id, answer, cleaned)
        return _excerpt(both[0]), _excerpt(both[1])

    async def _answer(self, body: bytes, headers: Headers, case_id: str) -> Answer:
        answer = await self._authenticated(partial(super().send, body, headers, case_id=case_id))
        return answer if self._hooks is None else await self._hooks.classified(answer)

    async def _finish(
        self, body: bytes, headers: Headers, case_id: str, answer: Answer, cleaned: set[str] | None = None
    ) -> None:
        if self._hooks is not None:
            await self._hooks.after_answer(SentCase(case_id, self.trace.campaign_id, body, headers), answer)
        if self._cleanup is not None and answer.kind == "accepted":
            await self._clean(self._cleanup, body, answer, case_id, set() if cleaned is None else cleaned)

    async def _authenticated(self, send: Callable[[], Awaitable[Answer]]) -> Answer:
        """If the target answers with a status in `renews`, calls the hook `authenticate` and sends the request once
        more.
        """
        if not self.has_session:
            return await send()
        if not self._authentications:
            await self._authenticate(0)
        number = self._authentications
        answer = await send()
        if answer.status is not None and self._renews.read(answer.status, b"").kind == "accepted":
            await self._authenticate(number)
            await self.paced()
            answer = await send()
        if self._authenticating is not None and self._authenticating.locked():
            async with self._authenticating:  # the answer may repeat the new token, which brokerfuzz does not know yet
                return _hidden(answer, self.secrets)
        return answer if number == self._authentications else _hidden(answer, self.secrets)

    async def _authenticate(self, number: int) -> None:
        """Calls the hook `authenticate`. `number` counts the authentications before the caller sent its request. If
        another message has authenticated since then, the method does nothing.
        """
        assert self._authenticating is not None, "the target is open"
        assert self._hooks is not None, "there are hooks"
        async with self._authenticating:
            if self._authentications == number:
                session = [(name, Secret(value)) for name, value in await self._hooks.authenticate()]
                names = {name.lower() for name, _ in session}
                self.headers = [*(header for header in self._own_headers if header[0].lower() not in names), *session]
                self._sessions.extend(session)
                self.secrets = Secrets(
                    self.url, [*self._own_headers, *self._sessions], self.connections.proxy or "", self._more_secrets
                )
                self._authentications += 1

    async def _ask(self, body: bytes, headers: Headers, *, pooled: bool = True) -> "Answer | RetryLater | Failure":
        if self._hooks is not None and "before_request" in self._hooks:
            request = Request(self.method, self.url, tuple(self._headers(headers)), body)
            headers = _changes(request, await self._hooks.prepared(request))
            before = set(request.headers)
            added = [
                (name, Secret(value)) for name, value in headers if value is not None and (name, value) not in before
            ]
            self._added = tuple(added)
            return _without_secrets(await super()._ask(body, headers, pooled=pooled), Secrets(headers=added))
        return await super()._ask(body, headers, pooled=pooled)

    def _hide(self, text: str) -> str:
        return self.secrets.hide(text)

    async def _clean(self, cleanup: Cleanup, body: bytes, answer: Answer, case_id: str, cleaned: set[str]) -> None:
        """Sends the cleanup request. `cleaned` contains the URLs to which the same request was already sent for this
        message.
        """
        try:
            url = cleanup.url(self.url, body, answer)
        except NoCleanupError as problem:
            self._note_remaining(f"{cleanup.method} {cleanup.path} was not sent: {self._hide(str(problem))}")
            return
        removed = await self._authenticated(partial(self._remove, cleanup.method, url, case_id))
        if not is_clean(removed, again=url in cleaned):
            self._note_remaining(f"{cleanup.method} {self.secrets.url(url)} ({removed.reason})")
        cleaned.add(url)

    async def _remove(self, method: str, url: str, case_id: str) -> Answer:
        await self.paced()
        removal = copy(self)  # shares the connections
        removal.method, removal.url, removal._address = method, url, url  # noqa: SLF001 - same class
        removed = await HttpTarget.send(removal, b"", _EMPTY, case_id=case_id)
        self._unpooled = self._unpooled or removal._unpooled  # noqa: SLF001
        return removed

    def _note_remaining(self, why: str) -> None:
        self._first_remaining = self._first_remaining if self._remaining else why
        self._remaining += 1


def _excerpt(answer: Answer) -> Answer:
    """Returns the answer for the campaign, which keeps some answers in memory."""
    return answer._replace(body=answer.body[:EXCERPT], headers=())


def _without_secrets(outcome: "Answer | RetryLater | Failure", secrets: Secrets) -> "Answer | RetryLater | Failure":
    match outcome:
        case Answer():
            return _hidden(outcome, secrets)
        case RetryLater():
            return replace(outcome, answer=_hidden(outcome.answer, secrets))
        case _:
            return replace(outcome, reason=secrets.hide(outcome.reason))


def _hidden(answer: Answer, secrets: Secrets) -> Answer:
    return answer._replace(
        body=secrets.excerpt(answer.body, MOST_READ),
        reason=secrets.hide(answer.reason),
        location=None if answer.location is None else secrets.hide(answer.location),
        headers=tuple((name, secrets.hide(value)) for name, value in answer.headers),
    )


def _changes(before: Request, after: Request) -> Headers:
    """Returns all headers of `after`, and each header that only `before` has, with the value None. This value removes
    the header.
    """
    names = {name.lower() for name, _ in after.headers}
    return (*((name, None) for name, _ in before.headers if name.lower() not in names), *after.headers)
