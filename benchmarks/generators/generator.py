"""What is compared: something that makes messages and knows how long that took."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from brokerfuzz.cases.case import compact


class Made(NamedTuple):
    """Messages as bytes, and how many seconds the generator took to make them."""

    bodies: list[bytes]
    seconds: float


@dataclass(frozen=True)
class Generator:
    """Makes so many messages, the same each time where it can be seeded.

    `is_ours` tells it from its peers. `asks_valid` says that valid messages alone were asked for. `in_bulk` makes so many and keeps none, and says
    how many seconds it took: where there is such a way, the rate is that, and is compared with that of `orjson.dumps` on the same messages.
    """

    name: str
    make: Callable[[int], Made]
    is_ours: bool = False
    asks_valid: bool = True
    in_bulk: Callable[[int], float] | None = None


def clocked(make: Callable[[int], list[bytes]]) -> Callable[[int], Made]:
    """A generator that is timed from outside: all that it does counts."""

    def timed(count: int) -> Made:
        started = time.perf_counter()
        bodies = make(count)
        return Made(bodies, time.perf_counter() - started)

    return timed


def written(message: Any) -> bytes:
    """A message as bytes, by orjson; by the standard library where it holds what orjson does not write, such as integers beyond 64 bits."""
    try:
        return compact(message)
    except TypeError:
        return json.dumps(message, separators=(",", ":")).encode()
