"""What a strategy can be asked: its smallest example under a condition, and whether it has one at all."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import find, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_THOROUGH = settings(max_examples=20_000, database=None, derandomize=True, deadline=None)


def minimal(strategy: SearchStrategy[T], condition: Callable[[T], bool] = lambda _: True) -> T:
    """The smallest example that meets the condition; `NoSuchExample` where none is found."""
    return find(strategy, condition, settings=_THOROUGH)
