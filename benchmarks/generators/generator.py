import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from brokerfuzz.cases.case import compact


class Made(NamedTuple):
    """`bodies` are messages, and `seconds` is the time to generate them."""

    bodies: list[bytes]
    seconds: float


@dataclass(frozen=True)
class Generator:
    """`make(count)` returns `count` messages. A generator with a seed returns the same messages each time.

    `is_ours` is true for the generators of brokerfuzz. `asks_valid` is true if only valid messages were requested. `in_bulk(count)`
    generates `count` messages without keeping them in memory, and returns the duration in seconds. If `in_bulk` exists, the
    benchmark measures the speed of `in_bulk` instead of `make`. In this case, it also measures how fast `orjson.dumps` serializes
    messages of the generator.
    """

    name: str
    make: Callable[[int], Made]
    is_ours: bool = False
    asks_valid: bool = True
    in_bulk: Callable[[int], float] | None = None


def clocked(make: Callable[[int], list[bytes]]) -> Callable[[int], Made]:
    def timed(count: int) -> Made:
        started = time.perf_counter()
        bodies = make(count)
        return Made(bodies, time.perf_counter() - started)

    return timed


def written(message: Any) -> bytes:
    """orjson cannot write integers beyond 64 bits, so the standard library writes such messages."""
    try:
        return compact(message)
    except TypeError:
        return json.dumps(message, separators=(",", ":")).encode()
