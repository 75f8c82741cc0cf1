"""Calls synchronous code for a target: one call at a time, in a thread without an event loop.

Some applications work only in the thread that created them, for example with a database in memory. Django rejects database
queries in a thread that runs an event loop.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class SerialCalls(Protocol):
    """Runs calls, one after the other."""

    async def run(self, call: Callable[[], T], timeout: float) -> T:
        """Returns the result of a call. Raises `TimeoutError` if the call needs more than `timeout` seconds."""
        ...

    def close(self) -> None:
        """Releases the thread."""
        ...


class OwnThread:
    """Runs calls in a thread of its own. If a call does not return in time, the next call gets a new thread."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._lock = asyncio.Lock()

    async def run(self, call: Callable[[], T], timeout: float) -> T:
        async with self._lock:
            self._pool = self._pool or ThreadPoolExecutor(1, "brokerfuzz")
            try:
                async with asyncio.timeout(timeout):
                    return await asyncio.get_running_loop().run_in_executor(self._pool, call)
            except TimeoutError:
                self.close()
                raise

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None


class CallerThread:
    """Runs calls in the thread that calls `serve`. A call cannot be interrupted, so there is no time limit."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()

    async def run(self, call: Callable[[], T], timeout: float) -> T:
        future: Future[T] = Future()
        self._calls.put((call, future))
        return await asyncio.wrap_future(future)

    def serve(self) -> None:
        """Runs calls until `close` is called."""
        while (waiting := self._calls.get()) is not None:
            call, future = waiting
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call()
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as problem:
                future.set_exception(problem)
            else:
                future.set_result(result)

    def close(self) -> None:
        """Ends `serve`. Later calls are not run."""
        self._calls.put(None)
