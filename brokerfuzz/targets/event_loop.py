"""Selects the event loop for targets. uvloop handles 50 % more requests per second than asyncio's own loop, but is not always available."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in a new event loop, like `asyncio.run`."""
    with asyncio.Runner(loop_factory=_loops()) as runner:
        return runner.run(main)


def new_loop() -> asyncio.AbstractEventLoop:
    """Returns a new event loop."""
    return (_loops() or asyncio.new_event_loop)()


def _loops() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not available on Windows
        return None
    return uvloop.new_event_loop
