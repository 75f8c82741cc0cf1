"""Finds an example of a strategy that satisfies a condition: the smallest one, or any."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import Phase, find, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_THOROUGH = settings(max_examples=20_000, database=None, derandomize=True, deadline=None)


def minimal(strategy: SearchStrategy[T], condition: Callable[[T], bool] = lambda _: True) -> T:
    """Returns the smallest example that satisfies the condition. Raises `NoSuchExample` if none is found."""
    return find(strategy, condition, settings=_THOROUGH)


def first(strategy: SearchStrategy[T], condition: Callable[[T], bool]) -> T:
    """Returns the first example that satisfies the condition, without shrinking it. Raises `NoSuchExample` if none is found."""
    return find(strategy, condition, settings=settings(_THOROUGH, phases=[Phase.generate]))


def simplest(strategy: SearchStrategy[T]) -> T:
    """Returns the first example that Hypothesis tries: the simplest one, unless the strategy rejects it."""
    return first(strategy, lambda _: True)
