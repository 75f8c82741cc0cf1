"""Finds the smallest example of a strategy that satisfies a condition."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import find, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_THOROUGH = settings(max_examples=20_000, database=None, derandomize=True, deadline=None)


def minimal(strategy: SearchStrategy[T], condition: Callable[[T], bool] = lambda _: True) -> T:
    """Returns the smallest example that satisfies the condition. Raises `NoSuchExample` if none is found."""
    return find(strategy, condition, settings=_THOROUGH)
