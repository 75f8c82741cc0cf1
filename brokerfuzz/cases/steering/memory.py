"""What was given already, of messages that bear no mark: one number each, and those of the catalogue."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from brokerfuzz.cases.case import Case


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
