"""Taking turns: of what fits, whatever has waited longest."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def random_of(*seeds: int) -> Random:
    """A generator for these seeds, the same on every platform."""
    return Random(int.from_bytes(sha256(" ".join(map(str, seeds)).encode()).digest()))


def shuffled(things: Iterable[T], random: Random) -> list[T]:
    """The things in a random order: of `Random`, its bits alone are promised to stay what they are."""
    return [thing for _, _, thing in sorted((random.getrandbits(64), number, thing) for number, thing in enumerate(things))]


class Turns(Generic[T]):
    """Things that take turns. `passed_over` tells how often in a row the one that has waited longest did not fit."""

    def __init__(self, things: Iterable[T]) -> None:
        self._waiting = list(things)
        self.passed_over = 0

    @property
    def longest_waiting(self) -> T:
        """Whose turn it is."""
        return self._waiting[0]

    def put_off(self) -> None:
        """Has the one that has waited longest wait again."""
        self._waiting.append(self._waiting.pop(0))
        self.passed_over = 0

    def take(self, fitting: Callable[[T], R | None]) -> R | None:
        """What `fitting` makes of the first for which that is not None, and which then waits again; None where it is for all."""
        for number, thing in enumerate(self._waiting):
            found = fitting(thing)
            if found is not None:
                self._waiting.append(self._waiting.pop(number))
                self.passed_over = self.passed_over + 1 if number else 0
                return found
        self.passed_over += 1
        return None


class Ring(Generic[T]):
    """Things that come round and round. What does not fit is passed over until the next round: quicker than `Turns`, and less fair."""

    def __init__(self, things: Sequence[T], first: int) -> None:
        self._things = things
        self._next = first

    def take(self, fitting: Callable[[T], R | None]) -> R | None:
        """What `fitting` makes of the next for which that is not None; None where it is for all."""
        for number in range(self._next, self._next + len(self._things)):
            found = fitting(self._things[number % len(self._things)])
            if found is not None:
                self._next = number + 1
                return found
        return None
