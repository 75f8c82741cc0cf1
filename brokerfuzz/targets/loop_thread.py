"""Runs an event loop in another thread, so that synchronous functions can use targets, even if their own thread already runs an event loop."""

import asyncio
from collections.abc import Coroutine
from threading import Thread
from typing import Any, TypeVar

from brokerfuzz.targets.event_loop import new_loop

T = TypeVar("T")


class LoopThread:
    """An event loop that runs in a separate thread."""

    def __init__(self) -> None:
        self._loop = new_loop()
        self._thread = Thread(target=self._loop.run_forever, name="brokerfuzz", daemon=True)
        self._thread.start()

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in the event loop, waits for it, and returns its result."""
        return asyncio.run_coroutine_threadsafe(main, self._loop).result()

    def close(self) -> None:
        """Stops the event loop and the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
