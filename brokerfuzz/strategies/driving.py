"""Hypothesis as the source of the decoder's bytes. Each record (a byte string of fixed length) is one draw.

So Hypothesis can shrink, replay and store messages like any other example.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy


@lru_cache(maxsize=256)
def _record(size: int) -> SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


@lru_cache(maxsize=256)
def _below(count: int) -> SearchStrategy[int]:
    return st.integers(0, count - 1)


class Drawn:
    """Draws bytes and pinned values within one example."""

    __slots__ = ("_draw", "_pins")

    def __init__(self, draw: DrawFn, pins: Mapping[str, SearchStrategy[Any]]) -> None:
        self._draw = draw
        self._pins = pins

    def take(self, size: int, /) -> bytes:
        """Returns the next record."""
        return self._draw(_record(size)) if size else b""

    def choose(self, count: int, /) -> int:
        """Returns an integer below `count` as a separate draw.

        Hypothesis can lower this integer and delete the draws that depend on it in one step. So an array loses an item and the
        item's record together.
        """
        return self._draw(_below(count))

    def draw(self, site: str, /) -> Any:
        """Returns a value from the user's strategy for the pinned site."""
        return self._draw(self._pins[site])
