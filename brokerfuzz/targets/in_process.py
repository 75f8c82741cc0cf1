"""Defines the base class of targets in this process: applications, test clients and functions. The base class knows how
to build requests, limit their time, interpret results, and describe crashes.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from contextvars import copy_context
from time import perf_counter
from typing import Any

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerRules
from brokerfuzz.targets.call_server import description_of, line_of_code
from brokerfuzz.targets.http_messages import JSON_TYPE, with_headers
from brokerfuzz.targets.logged_exceptions import exceptions_of_request, watched_logs
from brokerfuzz.targets.program import in_one_line
from brokerfuzz.targets.reproduction import curl_line
from brokerfuzz.targets.secret_masking import Secret, Secrets
from brokerfuzz.targets.target import Target
from brokerfuzz.targets.threads import (
    CallThread,
    HangingError,
    ctrl_c_calls,
    interrupting_outside_of_event_loop,
    outside_of_event_loop,
    user_traceback,
)


class InProcessTarget(Target):
    """A target in this process. `name` is its name in reports.

    `path` can contain a query. The other options have the same meaning as in `HttpTarget`; options that only servers
    need, such as certificates, are ignored. If the application raises an exception, the answer contains the end of the
    traceback. If the status of the response means `crashed`, the answer contains the last exception that the
    application logged.

    An asynchronous target runs in the event loop of the campaign. A synchronous one runs in a separate thread. But with
    `in_caller`, it runs in the thread that calls `send`, without a time limit, because nothing can interrupt it.
    """

    isolates_messages = True
    """If a message causes an exception, no other message fails."""
    is_asynchronous = False
    """True if `_call` returns an awaitable."""

    def __init__(
        self,
        name: str,
        path: str = "/",
        *,
        method: str = "POST",
        headers: Iterable[tuple[str, str]] = (),
        timeout: float = 10.0,
        rules: AnswerRules | None = None,
        secrets: Iterable[Secret] = (),
        in_caller: bool = False,
        **of_connections: Any,
    ) -> None:
        if not path.startswith("/"):
            raise TargetError(f"{path!r} is not the path of an application: begin it with a slash, such as /offers")
        self.path, self.method, self.timeout = path, method, timeout
        self.headers = with_headers([("content-type", JSON_TYPE)], tuple(headers))
        self.secrets = Secrets(path, self.headers, secrets)
        self.rules = rules or AnswerRules()
        self.name = f"{name} {self.secrets.url(self.path)}"
        self._in_caller = in_caller
        self._thread: CallThread | None = None
        self._resources = ExitStack()

    async def open(self) -> None:
        self._resources.enter_context(watched_logs())
        if self.is_asynchronous:
            return
        if self._in_caller:
            self._resources.enter_context(ctrl_c_calls(interrupting_outside_of_event_loop()))
        else:
            self._thread = self._resources.enter_context(closing(CallThread()))

    async def close(self) -> None:
        self._resources.close()
        self._thread = None

    def reproduction(self, body: bytes) -> str:
        """Returns a curl command. To use it, start the application on a server, and set the variable `TARGET` to the
        address of the server.
        """
        return curl_line(self.secrets.url(self.path), self.method, self.shown_headers, body, server='"$TARGET"')

    # ------------------------------------------------------------------------------------------------------ calls

    async def send(self, body: bytes, case_id: str = "") -> Answer:
        if self.is_asynchronous:
            return await self._awaited(body)
        context = copy_context()
        if self._thread is None:
            await asyncio.sleep(0)  # so that the event loop can end the campaign
            with outside_of_event_loop():
                return context.run(self._called, body)
        try:
            return await self._thread.result(lambda: context.run(self._called, body), self.timeout)
        except HangingError:
            return self.no_answer()

    def _called(self, body: bytes) -> Answer:
        logged, started = exceptions_of_request(), perf_counter()
        try:
            result = self._result(self._call(body))
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return self._failure(problem, perf_counter() - started)
        return self._answer(result, perf_counter() - started, logged)

    async def _awaited(self, body: bytes) -> Answer:
        logged, started, limit = exceptions_of_request(), perf_counter(), asyncio.timeout(self.timeout)
        try:
            async with limit:
                result = self._result(await self._call(body))
        except (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as problem:
            return self.no_answer() if limit.expired() else self._failure(problem, perf_counter() - started)
        return self._answer(result, perf_counter() - started, logged)

    def _call(self, body: bytes) -> Any:
        """Sends a message to the target, and returns what it returns."""
        raise NotImplementedError

    def _result(self, returned: Any) -> Any:
        """Converts what the target returned to what `_answer` reads, usually a `Response`."""
        return returned

    # ---------------------------------------------------------------------------------------------------- answers

    def _answer(self, result: Any, seconds: float, logged: Sequence[BaseException]) -> Answer:
        """Returns the answer for a response. If the status means `crashed`, the answer describes the last exception in
        `logged`.
        """
        answer = self.rules.read(result, self.secrets)
        if answer.kind == "crashed" and logged:
            return self._failure(logged[-1], seconds)
        return answer.shortened()._replace(seconds=seconds)

    def _failure(self, problem: BaseException, seconds: float) -> Answer:
        """Returns the answer for an exception."""
        text = self.secrets.hide(description_of(problem)).encode(errors="replace")
        reason = f"{in_one_line(text)}{line_of_code(problem)}"
        shown = self.secrets.hide(user_traceback(problem)).encode(errors="backslashreplace")
        return Answer("crashed", None, shown[-EXCERPT:], reason, seconds)

    def no_answer(self) -> Answer:
        return Answer("timeout", reason=f"no answer within {self.timeout:g} s", seconds=self.timeout)
