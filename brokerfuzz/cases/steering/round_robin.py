"""Lets things take turns: among the things that fit, the one that has waited longest is selected."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def random_of(*seeds: int) -> Random:
    """Returns a random generator for these seeds. The generator gives the same numbers on every platform."""
    return Random(int.from_bytes(sha256(" ".join(map(str, seeds)).encode()).digest()))


def shuffled(things: Iterable[T], random: Random) -> list[T]:
    """Returns the things in a random order. Uses only the bits of `Random`, because only these are guaranteed to stay the same."""
    return [thing for _, _, thing in sorted((random.getrandbits(64), number, thing) for number, thing in enumerate(things))]


class Turns(Generic[T]):
    """Things that take turns. `passed_over` is the number of times in a row that the thing that has waited longest did not fit."""

    def __init__(self, things: Iterable[T]) -> None:
        self._waiting = list(things)
        self.passed_over = 0

    @property
    def longest_waiting(self) -> T:
        """The thing whose turn it is."""
        return self._waiting[0]

    def put_off(self) -> None:
        """Moves the thing that has waited longest to the end of the queue."""
        self._waiting.append(self._waiting.pop(0))
        self.passed_over = 0

    def take(self, fitting: Callable[[T], R | None]) -> R | None:
        """Returns the first result of `fitting` that is not None, and moves the thing with this result to the end of the queue.
        Returns None if nothing fits.
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
    """Things in a ring. A thing that does not fit is skipped until the next round. This is faster than `Turns`, but less fair."""

    def __init__(self, things: Sequence[T], first: int) -> None:
        self._things = things
        self._next = first

    def take(self, fitting: Callable[[T], R | None]) -> R | None:
        """Returns the next result of `fitting` that is not None, or None if nothing fits."""
        for number in range(self._next, self._next + len(self._things)):
            found = fitting(self._things[number % len(self._things)])
            if found is not None:
                self._next = number + 1
                return found
        return None
