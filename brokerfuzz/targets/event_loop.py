"""The event loop that targets are spoken to in: uvloop's where there is one, which lets half as many requests again through."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in an event loop of its own, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=_loops()) as runner:
        return runner.run(main)


def _loops() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # on Windows there is none
        return None
    return uvloop.new_event_loop
