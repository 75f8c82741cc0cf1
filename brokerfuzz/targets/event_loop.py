"""Selects the event loop for targets. With uvloop, brokerfuzz sends 50 % more requests per second than with asyncio's own loop,
but uvloop is not always available.
"""

import asyncio
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in a new event loop, like `asyncio.run`."""
    with asyncio.Runner(loop_factory=_loops()) as runner:
        return runner.run(main)


class LoopThread:
    """An event loop in a separate thread. Synchronous functions can use targets with this loop, even in a thread that already
    runs an event loop.
    """

    def __init__(self) -> None:
        self._loop = (_loops() or asyncio.new_event_loop)()
        self._thread = Thread(target=self._loop.run_forever, name="brokerfuzz", daemon=True)
        self._thread.start()

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(main, self._loop).result()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _loops() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not available on Windows
        return None
    return uvloop.new_event_loop
