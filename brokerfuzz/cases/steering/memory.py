"""What was given already: of what was made of one message, its bytes; of messages that bear no mark, one number each, and those of the catalogue."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.steering.marks import marked


class News:
    """Tells what is new of a message: what bears its mark, or has not been learnt yet where that does, and was not made of it before."""

    __slots__ = ("_learn", "_made", "_mark")

    def __init__(self, body: bytes, mark: bytes | None, learn: Callable[[bytes], bool] | None) -> None:
        """`body` is the message itself; `learn` tells whether bytes without a mark are new, None where there are none such."""
        self._made, self._mark, self._learn = [body], mark, learn  # so few that to compare them takes less than to hash one

    def may_be(self, body: bytes) -> bool:
        """Whether what is made of these bytes may be new."""
        return self._learn is not None or marked(body, self._mark)

    def is_other(self, body: bytes) -> bool:
        """Whether these bytes, which bear the mark, are new; they are not any more."""
        if body in self._made:
            return False
        self._made.append(body)
        return True

    def is_new(self, body: bytes) -> bool:
        """Whether these bytes are new; they are not any more."""
        if body in self._made or not (marked(body, self._mark) or (self._learn is not None and self._learn(body))):
            return False
        return self.is_other(body)


class Memory:
    """Numbers of 60 bits for messages: 1,000,000 cost 70 MB. The catalogue is made when the first message is asked about."""

    def __init__(self, catalogue: Callable[[], Iterable[Case]]) -> None:
        self._catalogue = catalogue
        self._known: set[int] = set()

    def learn(self, body: bytes) -> bool:
        """Whether the message is new; it is not any more."""
        if not self._known:
            self._known = {0, *(_number(case.body) for case in self._catalogue() if not case.headers)}
        size = len(self._known)
        self._known.add(_number(body))
        return len(self._known) > size


def _number(body: bytes) -> int:
    return int.from_bytes(blake2b(body, digest_size=8).digest()) >> 4
