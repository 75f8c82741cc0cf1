"""Runs hooks in a separate thread, so that a hook that waits for the network does not block brokerfuzz. The thread is a
daemon thread, so that a hook that hangs does not prevent Python from exiting.
"""

import asyncio
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from brokerfuzz.targets.serial_calls import outcome_of, settle

_Call = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class HangingError(Exception):
    """A hook did not return within its time limit."""


class HookThread:
    """A thread that calls one function at a time."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="brokerfuzz hooks", daemon=True)
        self._thread.start()

    async def result(self, call: Callable[[], Any], seconds: float) -> Any:
        """Returns the result of `call` or raises its exception. Raises `HangingError` if `call` does not return within
        `seconds`.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls.put((call, future))
        done, _ = await asyncio.wait({future}, timeout=seconds)
        if not done:
            raise HangingError
        return future.result()

    def line(self, file: str) -> int | None:
        """Returns the number of the line of `file` that the thread is executing. Returns None if no function of `file`
        is running.
        """
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - the only way to see where another thread is
        return next((line for one, line in traceback.walk_stack(frame) if one.f_code.co_filename == file), None)

    def _run(self) -> None:
        while True:
            call, future = self._calls.get()
            result, problem = outcome_of(call)
            if problem is not None and not isinstance(problem, Exception):  # such as SystemExit
                problem = RuntimeError(type(problem).__name__).with_traceback(problem.__traceback__)
            settle(future, result, problem)
