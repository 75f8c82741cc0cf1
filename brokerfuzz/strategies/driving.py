"""Hypothesis as a source of bytes: a draw of fixed size a record, so that every message shrinks, replays and is stored as any
Hypothesis example is."""

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
    """Bytes and pinned values drawn within one example."""

    __slots__ = ("_draw", "_pins")

    def __init__(self, draw: DrawFn, pins: Mapping[str, SearchStrategy[Any]]) -> None:
        self._draw = draw
        self._pins = pins

    def take(self, size: int, /) -> bytes:
        """The next record."""
        return self._draw(_record(size)) if size else b""

    def choose(self, count: int, /) -> int:
        """A whole number of its own: Hypothesis tries to lower it and to drop what follows from it in one step, so that an array loses
        an item and the item's record together."""
        return self._draw(_below(count))

    def draw(self, site: str, /) -> Any:
        """A value of the strategy that the site is pinned to."""
        return self._draw(self._pins[site])
