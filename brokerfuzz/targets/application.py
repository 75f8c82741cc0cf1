"""Creates the target for an object: a URL, an application, a test client or a function."""

import asyncio
import inspect
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from brokerfuzz.errors import TargetError, quoted
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.asgi_target import AsgiTarget
from brokerfuzz.targets.call_server import SetUpError, object_named
from brokerfuzz.targets.called_targets import ClientTarget, FunctionTarget, WsgiTarget, library_of
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.in_process import InProcessTarget
from brokerfuzz.targets.target import Message, Target
from brokerfuzz.targets.threads import LoopThread

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""The name of an application, such as `package.module:app`."""
_GRACE = 0.5
"""An application that does not block gets this number of seconds to give up a request itself after the time limit."""
_ENDING_SECONDS = 5.0
"""The maximum number of seconds until an application has stopped."""
APPLICATION_KINDS = (
    "a URL, an ASGI or WSGI application, a test client (httpx, Starlette, Flask, Django), or a function that gets bytes"
)


OPTIONS = ("method", "headers", "timeout", "rules", "secrets")
"""The options of targets in the same process. Only servers need the others, such as proxies and certificates."""


def target_for(target: Any, path: str | None, *, in_caller: bool = False, **options: Any) -> Target:
    """Returns the target for an object. For applications and test clients, `path` is the path to which the messages are
    sent.

    The number of parameters of a callable determines its kind: an ASGI application has three parameters, a WSGI
    application two, and a function one. `options` are options of `HttpTarget`. With `in_caller`, synchronous code
    runs in the thread of the caller. Raises `TargetError` if brokerfuzz cannot test the object.
    """
    if isinstance(target, str):
        if _NAME.fullmatch(target):
            raise TargetError(
                f"{target!r} is the name of an application: import the application, and use it instead of its name"
            )
        if path is not None:
            raise TargetError(f"path={path!r} does not apply to a URL: write the path into the URL")
        return HttpTarget(target, **options)
    options = {name: value for name, value in options.items() if name in OPTIONS}
    if isinstance(target, Target):
        return target
    if library_of(target) is not None:
        return ClientTarget(target, path or "/", in_caller=in_caller, **options)
    match _parameters(target):
        case 1 if path is not None:
            raise TargetError(f"path={path!r} does not apply to a function: remove it")
        case 1:
            return FunctionTarget(
                target, in_caller=in_caller, timeout=options.get("timeout", 10.0), secrets=options.get("secrets")
            )
        case 2 | 3:
            return _application(target, path or "/", type(target).__name__, in_caller=in_caller, **options)
        case _:
            raise TargetError(f"target={quoted(target)} cannot be tested: use {APPLICATION_KINDS}")


def _application(application: Any, path: str, name: str, **options: Any) -> InProcessTarget:
    kind = AsgiTarget if _parameters(application) == 3 else WsgiTarget
    return kind(application, path, name=name, **options)


def _parameters(function: Any) -> int | None:
    """Returns the number of required positional parameters, or None if the object is not callable."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional and parameter.default is parameter.empty for parameter in parameters)


class NamedApplicationTarget(InProcessTarget):
    """An ASGI or WSGI application that is specified by a name such as `package.module:app`. The name can also be the
    name of a function without parameters that returns the application.

    `open` imports the application from the current folder or from `sys.path`, and raises `TargetError` if the import
    fails. The import and an ASGI application run in a separate thread with its own event loop, so that code that blocks
    this thread stops neither time limits nor Ctrl-C.
    """

    def __init__(self, application: str, path: str = "/", **options: Any) -> None:
        super().__init__(application, path, **options)
        self._application, self._options = application, options
        self._opened: InProcessTarget | None = None
        self._loop: LoopThread | None = None

    async def open(self) -> None:
        self._loop = LoopThread()
        try:
            await self._loop.wait_for(self._open())
        except TargetError as problem:
            raise TargetError(self.secrets.hide(str(problem))) from problem

    async def _open(self) -> None:
        application = _imported(self._application)
        if _parameters(application) not in (2, 3):
            remedy = (
                "specify an ASGI application (scope, receive, send) or a WSGI application (environ, start_response)"
            )
            raise TargetError(f"{self._application} is {quoted(application)}, which is not an application: {remedy}")
        self._opened = _application(application, self.path, self._application, **self._options)
        await self._opened.open()

    async def close(self) -> None:
        opened, self._opened = self._opened, None
        loop, self._loop = self._loop, None
        if loop is None:
            return
        if opened is not None:
            with suppress(TimeoutError):  # the application blocks its event loop
                async with asyncio.timeout(_ENDING_SECONDS):
                    await loop.wait_for(opened.close())
        loop.close()

    async def send(self, message: Message) -> Answer:
        assert self._opened is not None, "the target is open"
        assert self._loop is not None, "the target is open"
        if not self._opened.is_asynchronous:
            return await self._opened.send(message)  # which has a thread of its own
        try:
            async with asyncio.timeout(self.timeout + _GRACE):
                return await self._loop.wait_for(self._opened.send(message))
        except TimeoutError:
            return self.no_answer()


def _imported(name: str) -> Any:
    if ":" not in name:
        raise TargetError(f"{name!r} has no colon between the module and the application: write 'package.module:app'")
    if os.getcwd() not in sys.path:  # noqa: PTH109  (sys.path contains strings)
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        application = object_named(name)
        factory: Callable[[], Any] | None = application if _parameters(application) == 0 else None
        return application if factory is None else factory()
    except SetUpError as problem:
        raise TargetError(str(problem)) from problem
    except Exception as problem:
        raise TargetError(
            f"{name} does not create an application ({type(problem).__name__}: {problem}): fix this error"
        ) from problem
