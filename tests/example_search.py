from collections.abc import Callable
from typing import TypeVar

from hypothesis import Phase, find, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_THOROUGH = settings(max_examples=20_000, database=None, derandomize=True, deadline=None)


def minimal(strategy: SearchStrategy[T], condition: Callable[[T], bool] = lambda _: True) -> T:
    """Raises `NoSuchExample` if no example satisfies the condition."""
    return find(strategy, condition, settings=_THOROUGH)


def first(strategy: SearchStrategy[T], condition: Callable[[T], bool]) -> T:
    """Does not shrink the example. Raises `NoSuchExample` if no example satisfies the condition."""
    return find(strategy, condition, settings=settings(_THOROUGH, phases=[Phase.generate]))


def simplest(strategy: SearchStrategy[T]) -> T:
    """Returns the first example that Hypothesis tries, which is usually the simplest example."""
    return first(strategy, lambda _: True)
