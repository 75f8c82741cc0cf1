"""Detects messages that the stream has already given."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.steering.marks import marked


class Memory:
    """The messages of one stream that have no mark, and the messages of the catalogue.

    Stores a number of 60 bits for each message. Generates the catalogue when it is needed for the first time.
    """

    def __init__(self, catalogue: Callable[[], Iterable[Case]]) -> None:
        self._catalogue = catalogue
        self._known: set[int] = set()

    def learn(self, body: bytes) -> bool:
        """Adds a message. Returns True if the message is new."""
        if not self._known:
            self._known = {0, *(_number(case.body) for case in self._catalogue() if not case.headers)}
        size = len(self._known)
        self._known.add(_number(body))
        return len(self._known) > size


class News:
    """Decides which changes of one message give a new message.

    A changed message is new if it still has the mark and differs from the earlier changes. A message without a mark is new if the
    memory does not know it. Without a memory, such a message is never new.
    """

    def __init__(self, body: bytes, mark: bytes | None, memory: Memory | None) -> None:
        self._given, self._mark, self._memory = [body], mark, memory  # a few messages: comparing them is faster than hashing them

    def may_be(self, body: bytes) -> bool:
        """Returns True if a further change of these bytes may give a new message."""
        return self._memory is not None or marked(body, self._mark)

    def is_new(self, body: bytes) -> bool:
        """Adds a changed message. Returns True if it is new."""
        if body in self._given or not (marked(body, self._mark) or (self._memory is not None and self._memory.learn(body))):
            return False
        self._given.append(body)
        return True


def _number(body: bytes) -> int:
    return int.from_bytes(blake2b(body, digest_size=8).digest()) >> 4
