"""Defines an HTTP target that calls the hooks of the user before and after each request."""

import asyncio
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from brokerfuzz.errors import HookError, UnreachableError
from brokerfuzz.hooks.cleanup import Cleanup, NoCleanupError, is_clean, parsed_cleanup
from brokerfuzz.hooks.hooks import Hooks, SentCase
from brokerfuzz.targets.answers import GATEWAY, Answer
from brokerfuzz.targets.http_messages import Headers, Request, with_headers
from brokerfuzz.targets.http_target import CONTENT_TYPE, HttpTarget
from brokerfuzz.targets.secret_masking import Secret, named, variable
from brokerfuzz.targets.waiting import sent_patiently
from brokerfuzz.wording import counted

RENEWS = (401, 419)
"""After these statuses, brokerfuzz calls the hook `authenticate` again."""
FINISHING_TIME = 5.0
"""The maximum number of seconds that `close` waits for the last answers and cleanup requests."""
INTERRUPTED_TIME = 0.5
"""After Ctrl-C, this number replaces `FINISHING_TIME`."""


class HookedTarget(HttpTarget):
    """An HTTP target that calls the hooks of the file or module `hooks`. `options` are those of `HttpTarget`.

    Each request contains the headers from `authenticate`, and brokerfuzz hides their values in all output. After each
    accepted message, this class sends the request that the template `cleanup` describes. Raises `HookError` if the
    hooks cannot be used, and `TargetError` if the template is invalid.
    """

    def __init__(self, url: str, *, hooks: str | None, cleanup: str | None, **options: Any) -> None:
        super().__init__(url, **options)
        self._hooks = Hooks(hooks, self.timeout, self.secrets)
        self._cleanup = None if cleanup is None else parsed_cleanup(cleanup)
        self.has_session = "authenticate" in self._hooks
        """True if the requests contain secrets that a hook provides while the campaign runs."""
        self._session: Headers = ()
        """The headers that `authenticate` returned last."""
        self._authentications = 0
        self._authenticating = asyncio.Lock()
        self._added: Headers = ()
        """The headers that hooks added to the last request."""
        self._remaining: list[str] = []
        """The cleanup requests that failed."""
        self._under_way: set[asyncio.Task[Answer]] = set()

    async def open(self) -> None:
        self._authenticating = asyncio.Lock()  # a lock belongs to one event loop
        self._hooks.open()
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
        self._hooks.close()
        remaining, self._remaining = self._remaining, []
        if remaining:
            failure = f"{counted(len(remaining), 'cleanup request')} failed, so offers may remain at the target"
            print(f"brokerfuzz: {failure}; the first: {remaining[0]}", file=sys.stderr)

    @property
    def shown_headers(self) -> Headers:
        """References replace the values of all headers from hooks."""
        return with_headers(super().shown_headers, [(name, variable(name)) for name, _ in self._added])

    async def send(self, body: bytes, case_id: str = "") -> Answer:
        """Sends a message. The hook `classify` can change the kind of the answer, for example from `accepted` to
        `rejected`. Raises `HookError` if a hook fails, and `TargetError` for the same reasons as `HttpTarget.send`.

        If a time limit cancels this call, the target may still accept the message. So the request continues, and
        `close` waits for the answer and the cleanup.
        """
        exchange = asyncio.create_task(self._finished(SentCase(case_id, self.campaign_id, body)))
        self._under_way.add(exchange)
        exchange.add_done_callback(self._forget)
        return await asyncio.shield(exchange)

    def _forget(self, exchange: asyncio.Task[Answer]) -> None:
        self._under_way.discard(exchange)
        if not exchange.cancelled():
            # Without this line, asyncio would report the exception if the call of `send` was cancelled.
            exchange.exception()

    async def _finished(self, case: SentCase) -> Answer:
        answer = await self._hooks.classified(await self._answer_to(self.request_of(case.body, case.id)))
        await self._hooks.after_answer(case, answer)
        if self._cleanup is not None and answer.kind == "accepted":
            await self._clean(self._cleanup, case, answer)
        return answer.shortened()

    # ------------------------------------------------------------------------------------------------ authentication

    async def _answer_to(self, request: Request) -> Answer:
        """Sends a request. If the target answers with a status in `RENEWS`, calls the hook `authenticate` and sends the
        request once more.
        """
        if self.has_session and not self._authentications:
            await self._authenticate_first()
        number = self._authentications
        exchange = await self.exchange(request, self._prepared)
        if self.has_session and exchange.status in RENEWS:
            await self._authenticate(number)
            await self.paced()
            exchange = await self.exchange(request, self._prepared)
        async with self._authenticating:  # the answer may repeat a new token, which brokerfuzz does not know yet
            pass
        self._added = [header for header in exchange.request.headers if header not in request.headers]
        return self.answer_of(exchange, self.secrets.with_more(_secrets_in(self._added)))

    async def _prepared(self, request: Request) -> Request:
        headers = with_headers(request.headers, self._session)
        return await self._hooks.prepared(replace(request, headers=tuple(headers)))

    async def _authenticate_first(self) -> None:
        """Raises `UnreachableError` if the hook cannot log in because the service is still starting."""
        try:
            await self._authenticate(0)
        except HookError as problem:
            answer = await self.head()
            if answer.status in GATEWAY:
                error = f"{problem}, or check the service, which answers with {answer.reason}"
                raise UnreachableError(error, answer.reason) from problem
            raise

    async def _authenticate(self, number: int) -> None:
        """Calls the hook `authenticate`. `number` counts the authentications before the caller sent its request. If
        another message has authenticated since then, the method does nothing.
        """
        async with self._authenticating:
            if self._authentications == number:
                self._session = await self._hooks.authenticate()
                self.secrets.remember(_secrets_in(self._session))
                self._authentications += 1

    # ------------------------------------------------------------------------------------------------ cleanup

    async def _clean(self, cleanup: Cleanup, case: SentCase, accepted: Answer) -> None:
        try:
            url = cleanup.url(self.url, case.body, accepted)
        except NoCleanupError as problem:
            self._remaining.append(f"{cleanup.method} {cleanup.path} was not sent: {self.secrets.hide(str(problem))}")
            return
        usual = self.request_of(b"", case.id)
        headers = tuple(header for header in usual.headers if header[0].lower() != CONTENT_TYPE)
        request = replace(usual, method=cleanup.method, url=url, headers=headers)

        async def send() -> Answer:
            await self.paced()
            return await self._answer_to(request)

        removed = await sent_patiently(send, FINISHING_TIME)
        if not is_clean(removed):
            self._remaining.append(f"{cleanup.method} {self.secrets.url(url)} ({removed.reason})")


def _secrets_in(headers: Iterable[tuple[str, str]]) -> list[Secret]:
    """All headers from hooks are secrets, whatever their names are."""
    return [secret for name, value in headers for secret in named(name, value)]
