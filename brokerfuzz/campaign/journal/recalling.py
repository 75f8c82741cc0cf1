"""Reads the answers in the journal of a resumed campaign, so that answered messages are not sent again."""

from array import array
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import IO

import orjson

from brokerfuzz.campaign.journal.reading import lines
from brokerfuzz.campaign.journal.records import Key, decode
from brokerfuzz.errors import JournalError
from brokerfuzz.targets import Answer

BLOCK = 4096
"""The number of cases whose answers are loaded together (one shard)."""
_BLOCKS_KEPT = 3  # this is enough, because almost all answers are needed in the order of the cases


class NotRecalledError(Exception):
    """The journal does not contain the answer to a request, and no requests may be sent."""


class Answered:
    """The answers to some of the requests in a journal. A hash of each message shows whether the resumed campaign sends
    the same message as before. `origin` is the name of the journal for error messages. `latest` is the time of the last
    answer, in seconds since the campaign started.
    """

    latest = 0.0

    def __init__(self, origin: str, answers: Mapping[Key, tuple[bytes, Answer]]) -> None:
        self._origin, self._answers = origin, answers

    def __contains__(self, key: Key) -> bool:
        return key in self._answers

    def get(self, key: Key, body: bytes) -> Answer | None:
        """Returns the answer to a request, or None if the answer is missing. Raises `JournalError` if the journal
        contains a different message for this request.
        """
        found = self._answers.get(key)
        if found is None:
            return None
        digest, answer = found
        if digest != _digest(body):
            raise JournalError(
                f"{self._origin} belongs to a different campaign (its message for {key.phase} {key.number} is "
                "different): resume the "
                "campaign with its original options, contract and version of brokerfuzz"
            )
        return answer


class Recalled:
    """All answers in a journal. To save memory, this class stores only the position of each answer in the file (eight
    bytes), and the answers to the current cases. Raises `JournalError` if the journal cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.count, self.latest = 0, 0.0
        self._places: dict[int, array[int]] = {}
        self._blocks: dict[int, Answered] = {}
        self._file = self._opened()
        place = 0
        try:
            for number, line in enumerate(lines(self.path)):
                if number:
                    self._index(line, place)
                place += len(line) + 1
        except JournalError:
            self.close()
            raise

    def get(self, key: Key, body: bytes) -> Answer | None:
        return self.block(key.number // BLOCK).get(key, body)

    def block(self, block: int) -> Answered:
        """Returns the answers to the requests of a block of `BLOCK` cases."""
        if block not in self._blocks:
            if len(self._blocks) >= _BLOCKS_KEPT:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[block] = Answered(
                str(self.path), dict(self._read(place) for place in self._places.get(block, ()))
            )
        return self._blocks[block]

    @property
    def last(self) -> int:
        """The number of the last block with answers, or -1 if the journal contains no answers."""
        return max(self._places, default=-1)

    def close(self) -> None:
        self._file.close()

    def _opened(self) -> IO[bytes]:
        try:
            return self.path.open("rb")
        except OSError as problem:
            raise JournalError(
                f"{self.path} cannot be read ({problem.strerror or problem}): specify a readable journal"
            ) from problem

    def _index(self, line: bytes, place: int) -> None:
        try:
            entry = orjson.loads(line)
            block, at = entry["number"] // BLOCK, 0.0 + entry["at"]
        except (ValueError, KeyError, TypeError) as problem:
            raise self._invalid from problem
        self._places.setdefault(block, array("q")).append(place)
        self.count += 1
        self.latest = max(self.latest, at)

    def _read(self, place: int) -> tuple[Key, tuple[bytes, Answer]]:
        self._file.seek(place)
        try:
            record = decode(self._file.readline())
        except ValueError as problem:
            raise self._invalid from problem
        return record.key, (_digest(record.body), record.answer)

    @property
    def _invalid(self) -> JournalError:
        return JournalError(
            f"{self.path} contains an invalid journal record: the file was modified; start a new campaign"
        )


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).digest()
