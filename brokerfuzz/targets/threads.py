"""Runs code of the user in separate threads: hooks, applications and functions.

Some synchronous code works only in a thread without an event loop. For example, Django rejects database queries in a
thread that runs an event loop.
"""

import asyncio
import importlib
import os
import signal
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
SignalHandler = Callable[[int, FrameType | None], None]

OURS = (f"{Path(__file__).parents[1]}{os.sep}", importlib.__file__, "<frozen importlib")
"""The beginnings of the names of files that run code of the user."""
_PATIENCE = 2.0
"""The maximum number of seconds until a thread ends."""


class HangingError(Exception):
    """A call did not return within its time limit."""


class CallThread:
    """A separate thread that runs one call at a time. The thread is a daemon thread, so that a call that hangs does not
    prevent Python from exiting.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._start()

    async def result(self, call: Callable[[], T], seconds: float | None) -> T:
        """Returns the result of `call` or raises its exception. Raises `HangingError` if `call` does not return within
        `seconds` (None: no limit). Then another thread runs the next calls, and also if this method is cancelled.
        """
        async with self._lock:
            future: Future[T] = Future()
            self._calls.put((call, future))
            result = asyncio.wrap_future(future)
            try:
                await asyncio.wait({result}, timeout=seconds)
                if result.done():
                    return result.result()
                raise HangingError
            finally:
                if not result.done():
                    result.cancel()
                    self.close()
                    self._start()

    def close(self) -> None:
        """Ends the thread after the current call."""
        self._calls.put(None)

    def _start(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=_serve, args=(self._calls,), name="brokerfuzz", daemon=True)
        self._thread.start()


def _serve(calls: "SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]") -> None:
    while (waiting := calls.get()) is not None:
        call, future = waiting
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(call())
        except Exception as problem:
            future.set_exception(problem)
        except BaseException as problem:  # such as SystemExit
            future.set_exception(RuntimeError(type(problem).__name__).with_traceback(problem.__traceback__))


def user_traceback(problem: BaseException) -> str:
    """Returns the traceback of an exception, without the frames of brokerfuzz and of imports at the beginning."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_code.co_filename.startswith(OURS):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(problem), problem, trace)).rstrip()


@contextmanager
def outside_of_event_loop() -> Iterator[None]:
    """Lets synchronous code run in the thread of the event loop as if there were none, so that this code can run an
    event loop of its own.
    """
    loop = asyncio._get_running_loop()  # noqa: SLF001 - exported by asyncio.events, for event loops
    asyncio._set_running_loop(None)  # noqa: SLF001
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)  # noqa: SLF001


@contextmanager
def ctrl_c_calls(handler: SignalHandler) -> Iterator[None]:
    """Handles Ctrl-C with a function, except in other threads than the main thread, which cannot handle signals."""
    is_main = threading.current_thread() is threading.main_thread()
    usual = signal.getsignal(signal.SIGINT) if is_main else None
    if usual is None:
        yield
        return
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def interrupting_outside_of_event_loop() -> SignalHandler:
    """Returns a function that handles Ctrl-C as before in the event loop, and interrupts code outside of it. To change
    the handler for each call would take a tenth of the time of a campaign.
    """
    usual = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        if callable(usual) and asyncio._get_running_loop() is not None:  # noqa: SLF001
            usual(number, frame)
        else:
            signal.default_int_handler(number, frame)

    return handle


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in a new event loop, like `asyncio.run`."""
    with asyncio.Runner(loop_factory=_new_event_loop()) as runner:
        return runner.run(main)


class LoopThread:
    """An event loop in a separate thread. Synchronous functions can use targets with this loop, even in a thread that
    already runs an event loop.
    """

    def __init__(self) -> None:
        self._loop = _new_event_loop()()
        self._thread = threading.Thread(target=self._loop.run_forever, name="brokerfuzz", daemon=True)
        self._thread.start()

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(main, self._loop).result()

    async def wait_for(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in this thread, while the event loop of the caller runs other tasks."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(main, self._loop))

    def close(self) -> None:
        """Ends the thread. A thread that is blocked cannot be ended, and remains until the process ends."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()


def _new_event_loop() -> Callable[[], asyncio.AbstractEventLoop]:
    """With uvloop, brokerfuzz sends more requests per second than with asyncio's own loop."""
    try:
        import uvloop
    except ImportError:  # not available on Windows
        return asyncio.new_event_loop
    return uvloop.new_event_loop


async def each(items: Iterable[T], work: Callable[[T], Awaitable[None]], concurrency: int) -> None:
    """Works on several items at the same time."""
    waiting = iter(items)

    async def work_on_waiting() -> None:
        for item in waiting:
            await work(item)

    await together(*(work_on_waiting() for _ in range(concurrency)))


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Runs all coroutines at the same time. If a coroutine raises an exception, the function cancels the other
    coroutines and raises the exception.

    A TaskGroup of Python 3.11 or 3.12 would leave the current task marked as cancelled, so a time limit would look like
    Ctrl-C.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
