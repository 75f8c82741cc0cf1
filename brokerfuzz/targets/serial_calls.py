"""Calls synchronous code for a target: one call at a time, in a thread without an event loop. Some applications work only in the
thread that created them, for example because of a database in memory. Django rejects database queries in a thread that runs an
event loop.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class SerialCalls(Protocol):
    """Runs calls of synchronous code, one after another."""

    async def run(self, call: Callable[[], T], timeout: float) -> T:
        """Calls a function and returns its result. Raises `TimeoutError` if the call needs more than `timeout` seconds."""
        ...

    def close(self) -> None:
        """Ends the thread that runs the calls."""
        ...


class OwnThread:
    """Runs calls in a separate thread. If a call does not return in time, the next call gets a new thread."""

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
        self._calls: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = SimpleQueue()

    async def run(self, call: Callable[[], T], timeout: float) -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.put((call, future))
        return await future

    def serve(self) -> None:
        """Runs calls until `close` is called."""
        while (waiting := self._calls.get()) is not None:
            call, future = waiting
            if not future.cancelled():
                result, problem = outcome_of(call)
                if isinstance(problem, KeyboardInterrupt | GeneratorExit):
                    raise problem
                settle(future, result, problem)

    def close(self) -> None:
        """Ends `serve`. Later calls are not run."""
        self._calls.put(None)


def outcome_of(call: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """Returns the result of a call, or its exception."""
    try:
        return call(), None
    except StopIteration as problem:  # a future cannot contain this exception
        return None, RuntimeError("StopIteration").with_traceback(problem.__traceback__)
    except BaseException as problem:
        return None, problem


def settle(future: asyncio.Future[Any], result: Any, problem: BaseException | None) -> None:
    """Gives a future its result or its exception, from another thread. Does nothing if the future is already done or cancelled."""

    def set_outcome() -> None:
        if future.done():
            return
        if problem is None:
            future.set_result(result)
        else:
            future.set_exception(problem)

    with suppress(RuntimeError):  # the event loop was closed in the meantime
        future.get_loop().call_soon_threadsafe(set_outcome)
