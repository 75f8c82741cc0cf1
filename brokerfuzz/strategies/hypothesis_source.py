"""Lets Hypothesis provide the bytes of the decoder, so that Hypothesis can shrink, repeat and store messages like any other example."""

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


class HypothesisSource:
    """A byte source that gets its bytes from Hypothesis. A source generates one message."""

    __slots__ = ("_draw", "_pins")

    def __init__(self, draw: DrawFn, pins: Mapping[str, SearchStrategy[Any]]) -> None:
        self._draw = draw
        self._pins = pins

    def take(self, size: int, /) -> bytes:
        return self._draw(_record(size)) if size else b""

    def choose(self, count: int, /) -> int:
        """Lets Hypothesis choose an integer from 0 to `count` - 1.

        If the integer is the number of items, Hypothesis can lower it and remove the bytes of an item in one step.
        """
        return self._draw(_below(count))

    def draw(self, site: str, /) -> Any:
        """Returns a value from the strategy that the user gave for the site."""
        return self._draw(self._pins[site])
