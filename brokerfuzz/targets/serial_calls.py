"""Calls synchronous code for a target: one call at a time, in a thread without an event loop.

Some applications work only in the thread that created them, for example because they use a database in memory. Django
rejects database queries in a thread that runs an event loop.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Outcome = tuple[asyncio.Future[Any], Any, BaseException | None]
DELIVERY_INTERVAL = 0.01
"""While calls wait, brokerfuzz collects results for this number of seconds, and passes them to the event loop together.
Waking up the event loop takes as much time as a short call.
"""


class SerialCalls(Protocol):
    """Runs calls of synchronous code, one after another."""

    def open(self) -> None:
        """Call this method before `run`, in the same event loop."""
        ...

    async def run(self, call: Callable[[], T]) -> T:
        """Raises `TimeoutError` if the call takes too long."""
        ...

    def close(self) -> None:
        """Ends the thread that runs the calls."""
        ...


class CallerThread:
    """Runs calls in the thread that calls `serve`. There is no time limit, because a call in this thread cannot be
    interrupted.

    `running` contains the future of the current call and the time at which the call began.
    """

    def __init__(self) -> None:
        self.running: tuple[asyncio.Future[Any], float] | None = None
        self._calls: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = SimpleQueue()
        self._finished: list[Outcome] = []
        self._passed_on = 0.0

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def run(self, call: Callable[[], T]) -> T:
        future: asyncio.Future[T] = self._loop.create_future()
        self._calls.put((call, future))
        return await future

    def serve(self) -> None:
        """Runs calls until `close` is called."""
        while True:
            if self._finished and (self._calls.empty() or monotonic() > self._passed_on + DELIVERY_INTERVAL):
                self._pass_on()
            if (waiting := self._calls.get()) is None:
                break
            call, future = waiting
            if future.cancelled():
                continue
            self.running = future, monotonic()
            result, problem = outcome_of(call)
            self.running = None
            self._finished.append((future, result, problem))
            if isinstance(problem, KeyboardInterrupt | GeneratorExit):
                self._pass_on()
                raise problem
        if self._finished:
            self._pass_on()

    def _pass_on(self) -> None:
        finished, self._finished, self._passed_on = self._finished, [], monotonic()
        with suppress(RuntimeError):  # the event loop was closed in the meantime
            self._loop.call_soon_threadsafe(_settle_all, finished)

    def abandon(self, overdue: asyncio.Future[Any], successor: "CallerThread") -> None:
        """Raises `TimeoutError` in the coroutine that waits for `overdue`. The overdue call cannot be stopped, so it
        still runs in this thread. `successor` runs all calls that have not yet begun.
        """
        _settle_all([*self._finished, (overdue, None, TimeoutError())])
        with suppress(Empty):
            while True:
                successor._calls.put(self._calls.get_nowait())  # noqa: SLF001 - same class
        self.close()

    def close(self) -> None:
        """Ends `serve` after all earlier calls. Do not call `run` after `close`."""
        self._calls.put(None)


class OwnThread:
    """Runs calls in a separate thread. If a call does not return within `timeout` seconds, a new thread runs the next
    calls.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    def open(self) -> None:
        self._calls = self._started()
        self._watching = asyncio.create_task(self._watch())

    async def run(self, call: Callable[[], T]) -> T:
        return await self._calls.run(call)

    def close(self) -> None:
        self._watching.cancel()
        self._calls.close()

    @staticmethod
    def _started() -> CallerThread:
        calls = CallerThread()
        calls.open()

        def serve() -> None:
            with suppress(KeyboardInterrupt, GeneratorExit):  # the caller of the target gets these exceptions, too
                calls.serve()

        Thread(target=serve, name="brokerfuzz", daemon=True).start()
        return calls

    async def _watch(self) -> None:
        """Abandons calls that do not return within `timeout` seconds. One timer for all calls is faster than a timer
        for each call.
        """
        while True:
            running = self._calls.running
            await asyncio.sleep(self._timeout if running is None else running[1] + self._timeout - monotonic())
            if running is not None and self._calls.running is running:
                overdue, self._calls = self._calls, self._started()
                overdue.abandon(running[0], self._calls)


def outcome_of(call: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """Returns the result of a call and None, or None and the exception of the call."""
    try:
        return call(), None
    except StopIteration as problem:  # a future cannot contain this exception
        return None, RuntimeError("StopIteration").with_traceback(problem.__traceback__)
    except BaseException as problem:
        return None, problem


def settle(future: asyncio.Future[Any], result: Any, problem: BaseException | None) -> None:
    """Passes a result or an exception to a future, from another thread. Does nothing if the future is already done or
    cancelled.
    """
    with suppress(RuntimeError):  # the event loop was closed in the meantime
        future.get_loop().call_soon_threadsafe(_settle_all, [(future, result, problem)])


def _settle_all(outcomes: Iterable[Outcome]) -> None:
    for future, result, problem in outcomes:
        if future.done():
            continue
        if problem is None:
            future.set_result(result)
        else:
            future.set_exception(problem)
