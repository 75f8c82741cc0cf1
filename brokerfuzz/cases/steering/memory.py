"""Detects messages that brokerfuzz has already generated."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.steering.marks import marked


class Memory:
    """Stores a 60-bit hash of each message of the catalogue, and of each random message without a mark (a unique string, see
    `marks`). The first call of `learn` generates the catalogue.
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
    """Decides whether a changed copy of a valid message is new, which means that brokerfuzz has not generated the same bytes
    before.

    `mark` is the unique string of the valid message. A copy that still contains this string is compared only with the valid
    message and its earlier copies. Any other copy is also compared with the messages in `memory`. If there is no `memory`, such
    a copy never counts as new.
    """

    def __init__(self, body: bytes, mark: bytes | None, memory: Memory | None) -> None:
        self._given, self._mark, self._memory = [body], mark, memory  # there are few variants, so comparing them is faster than hashing them

    def can_become_new(self, body: bytes) -> bool:
        """Returns whether a further change to the copy `body` can give a new message. Without a memory, the copy must still contain the mark."""
        return self._memory is not None or marked(body, self._mark)

    def is_new(self, body: bytes) -> bool:
        """Returns whether the copy `body` is new, and stores the copy."""
        if body in self._given or not (marked(body, self._mark) or (self._memory is not None and self._memory.learn(body))):
            return False
        self._given.append(body)
        return True


def _number(body: bytes) -> int:
    return int.from_bytes(blake2b(body, digest_size=8).digest()) >> 4
