"""Defines an HTTP target that calls the hooks of the user before and after each request."""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from brokerfuzz.errors import HookError
from brokerfuzz.hooks.cleanup import Cleanup, NoCleanupError, is_clean
from brokerfuzz.hooks.hooks import Hooks, SentCase
from brokerfuzz.targets.answers import EXCERPT, MOST_READ, Answer
from brokerfuzz.targets.http_messages import Request, Response
from brokerfuzz.targets.http_target import CONTENT_TYPE, HttpTarget
from brokerfuzz.targets.secret_masking import Secret, Secrets, named
from brokerfuzz.targets.target import Message
from brokerfuzz.targets.waiting import sent_patiently
from brokerfuzz.wording import counted

RENEWS = (401, 419)
"""After these statuses, brokerfuzz calls the hook `authenticate` again."""
_MOST_REMEMBERED = 32
"""The maximum number of headers from `authenticate` whose values are hidden in all output. The oldest headers are
forgotten first.
"""
FINISHING_TIME = 5.0
"""The maximum number of seconds that `close` waits for the last answers and cleanup requests."""
INTERRUPTED_TIME = 0.5
"""After Ctrl-C, this number replaces `FINISHING_TIME`."""


class HookedTarget(HttpTarget):
    """An HTTP target that calls hooks. `options` are those of `HttpTarget`.

    Each request contains the headers from `authenticate`, and brokerfuzz hides their values in all output. After each
    accepted message, this class sends the `cleanup` request.
    """

    longest_body = MOST_READ

    def __init__(self, url: str, *, hooks: Hooks, cleanup: Cleanup | None, **options: Any) -> None:
        super().__init__(url, **options)
        self.has_session = "authenticate" in hooks
        self._hooks, self._cleanup = hooks, cleanup
        self._sessions: deque[tuple[str, str]] = deque(maxlen=_MOST_REMEMBERED)
        """The headers of the current and of earlier sessions."""
        self._authentications = 0
        self._authenticating: asyncio.Lock | None = None
        self._remaining: list[str] = []
        """The cleanup requests that failed."""
        self._under_way: set[asyncio.Task[Answer]] = set()

    async def open(self) -> None:
        self._authenticating = asyncio.Lock()
        self._hooks.open(lambda text: self.secrets.hide(text))  # noqa: PLW0108 - authentications change the secrets
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
        self._hooks.close()
        remaining, self._remaining = self._remaining, []
        if remaining:
            failure = f"{counted(len(remaining), 'cleanup request')} failed, so offers may remain at the target"
            print(f"brokerfuzz: {failure}; the first: {remaining[0]}", file=sys.stderr)

    async def send(self, message: Message) -> Answer:
        """Sends a message. The hook `classify` can change the kind of the answer, for example from `accepted` to
        `rejected`. Raises `HookError` if a hook fails, and `TargetError` for the same reasons as `HttpTarget.send`.

        If a time limit cancels this call, the target may still accept the message. So the request continues, and
        `close` waits for the answer and the cleanup.
        """
        exchange = asyncio.create_task(self._finished(message))
        self._under_way.add(exchange)
        exchange.add_done_callback(self._forget)
        return await asyncio.shield(exchange)

    def _forget(self, exchange: asyncio.Task[Answer]) -> None:
        self._under_way.discard(exchange)
        if not exchange.cancelled():
            # Without this line, asyncio would report the exception if the call of `send` was cancelled.
            exchange.exception()

    async def _finished(self, message: Message) -> Answer:
        case = SentCase(message.case_id, self.campaign_id, message.body)
        request = partial(self.request_of, case.body, case.id)
        answer = await self._hooks.classified(await self._authenticated(request))
        await self._hooks.after_answer(case, answer)
        if self._cleanup is not None and answer.kind == "accepted":
            await self._clean(self._cleanup, case, answer)
        return _excerpt(answer)

    # ------------------------------------------------------------------------------------------------ hooks

    async def _authenticated(self, request: Callable[[], Request]) -> Answer:
        """Sends a request. If the target answers with a status in `RENEWS`, calls the hook `authenticate` and sends the
        request once more.
        """
        if not self.has_session:
            return await self._sent(request())
        if not self._authentications:
            await self._authenticate_first()
        number = self._authentications
        answer = await self._sent(request())
        if answer.status in RENEWS:
            await self._authenticate(number)
            await self.paced()
            answer = await self._sent(request())
        if self._authenticating is not None:
            async with self._authenticating:  # the answer may repeat a new token, which brokerfuzz does not know yet
                pass
        return _hidden(answer, self.secrets)

    async def _authenticate_first(self) -> None:
        """Raises `UnreachableError` if the hook cannot log in because the service is still starting."""
        try:
            await self._authenticate(0)
        except HookError:
            await self.head()
            raise

    async def _authenticate(self, number: int) -> None:
        """Calls the hook `authenticate`. `number` counts the authentications before the caller sent its request. If
        another message has authenticated since then, the method does nothing.
        """
        assert self._authenticating is not None, "the target is open"
        async with self._authenticating:
            if self._authentications == number:
                self.session = await self._hooks.authenticate()
                self._sessions.extend(self.session)
                self.secrets = self.secrets_with(_secrets_in(self._sessions))
                self._authentications += 1

    async def _sent(self, request: Request) -> Answer:
        """Sends a request with the headers of the hook `before_request`."""
        if "before_request" not in self._hooks:
            return await self.exchange(request)
        added: list[tuple[str, str]] = []

        async def prepare(request: Request) -> Request:
            prepared = await self._hooks.prepared(request)
            before = set(request.headers)
            self.added = [header for header in prepared.headers if header not in before]
            added.extend(self.added)
            return prepared

        answer = await self.exchange(request, prepare)
        return _hidden(answer, Secrets(more=_secrets_in(added)))

    def _read(self, response: Response, seconds: float) -> Answer:
        headers = tuple((name, self.secrets.hide(value)) for name, value in response.headers)
        return super()._read(response, seconds)._replace(headers=headers)

    # ------------------------------------------------------------------------------------------------ cleanup

    async def _clean(self, cleanup: Cleanup, case: SentCase, answer: Answer) -> None:
        try:
            url = cleanup.url(self.url, case.body, answer)
        except NoCleanupError as problem:
            self._remaining.append(f"{cleanup.method} {cleanup.path} was not sent: {self.secrets.hide(str(problem))}")
            return

        def request() -> Request:
            usual = self.request_of(b"", case.id)
            headers = tuple(header for header in usual.headers if header[0].lower() != CONTENT_TYPE)
            return replace(usual, method=cleanup.method, url=url, headers=headers)

        async def send() -> Answer:
            await self.paced()
            return await self._authenticated(request)

        removed = await sent_patiently(send, FINISHING_TIME)
        if not is_clean(removed):
            self._remaining.append(f"{cleanup.method} {self.secrets.url(url)} ({removed.reason})")


def _excerpt(answer: Answer) -> Answer:
    """Returns the answer for the campaign, which keeps some answers in memory."""
    return answer._replace(body=answer.body[:EXCERPT], headers=())


def _secrets_in(headers: Iterable[tuple[str, str]]) -> list[Secret]:
    """All headers from hooks are secrets, whatever their names are."""
    return [secret for name, value in headers for secret in named(name, value)]


def _hidden(answer: Answer, secrets: Secrets) -> Answer:
    return answer._replace(
        body=secrets.excerpt(answer.body, MOST_READ),
        reason=secrets.hide(answer.reason),
        location=None if answer.location is None else secrets.hide(answer.location),
        headers=tuple((name, secrets.hide(value)) for name, value in answer.headers),
    )
