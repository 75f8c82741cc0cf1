"""Detects messages that brokerfuzz has already generated."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.steering.marks import marked


class Memory:
    """Stores a 60-bit hash of each message of the catalogue. Of the random messages, only those without a mark are stored, because
    a mark makes a message unique (see `marks`). The first call of `learn` generates the catalogue.
    """

    def __init__(self, catalogue: Callable[[], Iterable[Case]]) -> None:
        self._catalogue = catalogue
        self._known: set[int] = set()

    def learn(self, body: bytes) -> bool:
        """Stores a message. Returns True if the memory did not contain the message before."""
        if not self._known:
            self._known = {0, *(_number(case.body) for case in self._catalogue() if not case.headers)}
        size = len(self._known)
        self._known.add(_number(body))
        return len(self._known) > size


class News:
    """Decides whether a variant (a changed copy of the valid message `body`) is new, which means that brokerfuzz has not generated
    the same bytes before.

    `mark` is the unique string in `body`. A variant with the mark is new if it differs from `body` and from the earlier variants. A
    variant without the mark must also differ from the messages in `memory`. If `memory` is None, such a variant is never new.
    """

    def __init__(self, body: bytes, mark: bytes | None, memory: Memory | None) -> None:
        self._given, self._mark, self._memory = [body], mark, memory  # there are few variants, so comparing them is faster than hashing them

    def can_become_new(self, variant: bytes) -> bool:
        """Returns whether a further change to `variant` can create a new message."""
        return self._memory is not None or marked(variant, self._mark)

    def is_new(self, variant: bytes) -> bool:
        """Returns whether `variant` is new. Stores each new variant."""
        if variant in self._given or not (marked(variant, self._mark) or (self._memory is not None and self._memory.learn(variant))):
            return False
        self._given.append(variant)
        return True


def _number(body: bytes) -> int:
    return int.from_bytes(blake2b(body, digest_size=8).digest()) >> 4
