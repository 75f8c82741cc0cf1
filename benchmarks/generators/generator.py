import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Made(NamedTuple):
    """`bodies` are messages, and `seconds` is the time to generate them."""

    bodies: list[bytes]
    seconds: float

    @property
    def rate(self) -> float:
        return len(self.bodies) / self.seconds


@dataclass(frozen=True)
class Generator:
    """`make(count)` returns `count` messages. A generator with a seed returns the same messages each time."""

    name: str
    make: Callable[[int], Made]


def clocked(make: Callable[[int], list[bytes]]) -> Callable[[int], Made]:
    def timed(count: int) -> Made:
        started = time.perf_counter()
        bodies = make(count)
        return Made(bodies, time.perf_counter() - started)

    return timed


def written(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
