"""The interface of a generator, which returns messages and the time that it needed."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from brokerfuzz.cases.case import compact


class Made(NamedTuple):
    """Messages as bytes, and the time to generate them in seconds."""

    bodies: list[bytes]
    seconds: float


@dataclass(frozen=True)
class Generator:
    """A generator of messages. `make(count)` returns `count` messages. A generator with a seed returns the same messages each time.

    `is_ours` is true for the generators of brokerfuzz. `asks_valid` is true if only valid messages were requested.
    `in_bulk(count)` generates `count` messages without keeping them in memory, and returns the seconds. If a generator has this
    function, the benchmark measures it instead of `make`, and compares its speed with that of `orjson.dumps` on the same messages.
    """

    name: str
    make: Callable[[int], Made]
    is_ours: bool = False
    asks_valid: bool = True
    in_bulk: Callable[[int], float] | None = None


def clocked(make: Callable[[int], list[bytes]]) -> Callable[[int], Made]:
    """Returns a generator that measures the complete duration of `make`."""

    def timed(count: int) -> Made:
        started = time.perf_counter()
        bodies = make(count)
        return Made(bodies, time.perf_counter() - started)

    return timed


def written(message: Any) -> bytes:
    """Returns a message as JSON. orjson writes the message or, if it has integers beyond 64 bits, the standard library."""
    try:
        return compact(message)
    except TypeError:
        return json.dumps(message, separators=(",", ":")).encode()
