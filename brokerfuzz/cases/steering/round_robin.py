"""Lets choices take turns: the choice that has waited longest comes next."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def random_of(*seeds: int) -> Random:
    """Returns a random number generator for these seeds. The same seeds give the same numbers on every platform."""
    return Random(int.from_bytes(sha256(" ".join(map(str, seeds)).encode()).digest()))


def shuffled(things: Iterable[T], random: Random) -> list[T]:
    """Returns the elements in a random order.

    The function uses only `Random.getrandbits`, because other methods of `Random` may give different results in different Python
    versions.
    """
    return [thing for _, _, thing in sorted((random.getrandbits(64), number, thing) for number, thing in enumerate(things))]


class Turns(Generic[T]):
    """A queue: the element that has waited longest comes first. `passed_over` counts how many times in a row the first element was not suitable."""

    def __init__(self, things: Iterable[T]) -> None:
        self._waiting = list(things)
        self.passed_over = 0

    @property
    def longest_waiting(self) -> T:
        return self._waiting[0]

    def put_off(self) -> None:
        """Moves the first element to the end of the queue."""
        self._waiting.append(self._waiting.pop(0))
        self.passed_over = 0

    def take(self, fitting: Callable[[T], R | None]) -> R | None:
        """Calls `fitting` with one element after another, and returns the first result that is not None.

        The element that gave this result moves to the end of the queue. Returns None if no element is suitable.
        """
        for number, thing in enumerate(self._waiting):
            found = fitting(thing)
            if found is not None:
                self._waiting.append(self._waiting.pop(number))
                self.passed_over = self.passed_over + 1 if number else 0
                return found
        self.passed_over += 1
        return None


class Ring(Generic[T]):
    """Elements in a fixed circular order. `take` tries one element after another, and begins after the element that it took last.
    An element that is not suitable waits for the next round.

    A ring is faster than `Turns`, but less fair.
    """

    def __init__(self, things: Sequence[T], first: int) -> None:
        self._things = things
        self._next = first

    def take(self, fitting: Callable[[T], R | None]) -> R | None:
        for number in range(self._next, self._next + len(self._things)):
            found = fitting(self._things[number % len(self._things)])
            if found is not None:
                self._next = number + 1
                return found
        return None
