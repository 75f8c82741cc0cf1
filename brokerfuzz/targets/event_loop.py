"""Selects the event loop for targets. With uvloop, brokerfuzz sends 50 % more requests per second than with asyncio's
own loop, but uvloop is not always available.
"""

import asyncio
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

_PATIENCE = 2.0
"""If an event loop runs nothing else for this number of seconds, code that blocks its thread is the reason."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in a new event loop, like `asyncio.run`."""
    with asyncio.Runner(loop_factory=_loops()) as runner:
        return runner.run(main)


class LoopThread:
    """An event loop in a separate thread. Synchronous functions can use targets with this loop, even in a thread that
    already runs an event loop.
    """

    def __init__(self) -> None:
        self._loop = (_loops() or asyncio.new_event_loop)()
        self._thread = Thread(target=self._loop.run_forever, name="brokerfuzz", daemon=True)
        self._thread.start()

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(main, self._loop).result()

    async def wait_for(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in this thread, while the event loop of the caller runs other tasks."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(main, self._loop))

    async def is_blocked(self) -> bool:
        """Returns whether code that does not return keeps the event loop from running anything else."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self.wait_for(asyncio.sleep(0))
        except TimeoutError:
            return True
        return False

    def close(self) -> None:
        """Ends the thread. A thread that is blocked cannot be ended, and remains until the process ends."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._loop.close()


def _loops() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not available on Windows
        return None
    return uvloop.new_event_loop
