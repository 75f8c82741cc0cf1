"""Defines the target for an ASGI or WSGI application in this process."""

import asyncio
import inspect
import os
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from brokerfuzz.errors import TargetError, quoted
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.asgi import AsgiCaller
from brokerfuzz.targets.call_server import SetUpError, object_named
from brokerfuzz.targets.http_messages import Request
from brokerfuzz.targets.in_process import InProcessTarget
from brokerfuzz.targets.threads import LoopThread
from brokerfuzz.targets.wsgi import WsgiApplication, wsgi_response

_GRACE = 0.5
"""An application that does not block gets this number of seconds to give up a request itself after the time limit."""
_TURN_SECONDS = 1.0
"""An event loop that needs more seconds for one turn is blocked."""
_ENDING_SECONDS = 5.0
"""The maximum number of seconds until an application has stopped."""
T = TypeVar("T")


class ApplicationTarget(InProcessTarget):
    """An ASGI or WSGI application, or its name, such as `package.module:app`. The name can also be the name of a
    function without parameters that returns the application.

    `open` imports an application with a name from the current folder or from `sys.path`. The import and an ASGI
    application with a name run in a separate thread with its own event loop, so that code that blocks this thread stops
    neither time limits nor Ctrl-C. `open` raises `TargetError` if the import fails or the application does not start.
    """

    def __init__(self, application: Any, path: str = "/", **options: Any) -> None:
        self._application = application
        self._application_name = application if isinstance(application, str) else type(application).__name__
        super().__init__(self._application_name, path, **options)
        self._asgi: AsgiCaller | None = None
        self._wsgi: WsgiApplication | None = None
        self._loop: LoopThread | None = None

    async def open(self) -> None:
        if isinstance(self._application, str):
            self._loop = LoopThread()
        try:
            await self._in_loop(self._start())
        except (SetUpError, TargetError) as problem:
            raise TargetError(self.secrets.hide(str(problem))) from problem

    async def _start(self) -> None:
        application = self._application if self._loop is None else _imported(self._application)
        self.is_asynchronous = parameters_of(application) == 3
        await super().open()
        if not self.is_asynchronous:
            self._wsgi = application
            return
        self._asgi = AsgiCaller(application)
        if (reason := await self._asgi.start()) is not None:
            remedy = "fix this error of the application"
            raise TargetError(f"{self._application_name} does not start ({reason}): {remedy}")

    async def close(self) -> None:
        await super().close()
        if self._asgi is not None:
            with suppress(TimeoutError):  # the application blocks its event loop
                await self._in_loop(asyncio.sleep(0), _TURN_SECONDS)
                await self._in_loop(self._asgi.stop(), _ENDING_SECONDS)
        if self._loop is not None:
            self._loop.close()
        self._asgi = self._wsgi = self._loop = None

    async def send(self, body: bytes, case_id: str = "") -> Answer:
        if not self.is_asynchronous:
            return await super().send(body, case_id)
        try:
            return await self._in_loop(super().send(body, case_id), self.timeout + _GRACE)
        except TimeoutError:
            return self.no_answer()

    async def _in_loop(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Runs a coroutine in the event loop of the application. If this is another thread, raises `TimeoutError` after
        this number of seconds.
        """
        if self._loop is None:
            return await work
        async with asyncio.timeout(seconds):
            return await self._loop.wait_for(work)

    def _call(self, body: bytes) -> Any:
        request = Request(self.method, self.path, tuple(self.headers), body)
        if self._asgi is not None:
            return self._asgi.response(request)
        assert self._wsgi is not None, "the target is open"
        return wsgi_response(self._wsgi, request)


def parameters_of(function: Any) -> int | None:
    """Returns the number of required positional parameters, or None if the object is not callable."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional and parameter.default is parameter.empty for parameter in parameters)


def _imported(name: str) -> Any:
    if ":" not in name:
        raise TargetError(f"{name!r} has no colon between the module and the application: write 'package.module:app'")
    if os.getcwd() not in sys.path:  # noqa: PTH109  (sys.path contains strings)
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    application = object_named(name)
    if parameters_of(application) == 0:
        try:
            application = application()
        except Exception as problem:
            reason = f"{type(problem).__name__}: {problem}"
            raise TargetError(f"{name} does not create an application ({reason}): fix this error") from problem
    if parameters_of(application) not in (2, 3):
        remedy = "specify an ASGI application (scope, receive, send) or a WSGI application (environ, start_response)"
        raise TargetError(f"{name} is {quoted(application)}, which is not an application: {remedy}")
    return application
