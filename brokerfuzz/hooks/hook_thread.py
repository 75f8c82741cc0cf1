"""Runs hooks in a thread of their own, so that a hook may wait for the network, and brokerfuzz can report a hook that hangs. The
thread is a daemon: Python does not wait for this thread when it exits, because a hook that hangs would block the exit.
"""

import asyncio
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

_Call = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class HangingError(Exception):
    """A hook did not return in time."""


class HookThread:
    """A thread that calls one function at a time."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="brokerfuzz hooks", daemon=True)
        self._thread.start()

    async def result(self, call: Callable[[], Any], seconds: float) -> Any:
        """Calls a function in the thread and returns its result, or raises its exception. Raises `HangingError` after `seconds`."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._calls.put((call, loop, future))
        done, _ = await asyncio.wait({future}, timeout=seconds)
        if not done:
            raise HangingError
        return future.result()

    def line(self, file: str) -> int | None:
        """Returns the line of this file that the thread is executing, or None."""
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - the only way to see where another thread is
        return next((line for one, line in traceback.walk_stack(frame) if one.f_code.co_filename == file), None)

    def _run(self) -> None:
        while True:
            call, loop, future = self._calls.get()
            outcome, failure = _outcome(call)
            with suppress(RuntimeError):  # the event loop was closed in the meantime
                loop.call_soon_threadsafe(_settle, future, outcome, failure)


def _outcome(call: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        return call(), None
    except StopIteration as problem:  # a future cannot contain this exception
        return None, RuntimeError("StopIteration").with_traceback(problem.__traceback__)
    except Exception as problem:
        return None, problem
    except BaseException as problem:
        return None, RuntimeError(type(problem).__name__).with_traceback(problem.__traceback__)


def _settle(future: "asyncio.Future[Any]", outcome: Any, failure: Exception | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(outcome)
    else:
        future.set_exception(failure)
