"""What a campaign that goes on finds in its journal, and does not send again."""

from array import array
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import orjson

from brokerfuzz.campaign.journal.reading import is_packed, lines
from brokerfuzz.campaign.journal.records import Key, decode
from brokerfuzz.errors import JournalError
from brokerfuzz.targets import Answer

BLOCK = 4096
"""How many numbers are looked up together: those of a shard."""
_BLOCKS_KEPT = 3  # cases are asked for in their order, and few are behind


class NotRecalledError(Exception):
    """The journal has no answer to a request, and none is to be sent."""


class Answered:
    """Answers by request, with what was sent. `origin` is what errors call their journal, `latest` when the last one came, in seconds since
    the start."""

    latest = 0.0

    def __init__(self, origin: str, answers: Mapping[Key, tuple[bytes, Answer]]) -> None:
        self._origin, self._answers = origin, answers

    def __contains__(self, key: Key) -> bool:
        return key in self._answers

    def get(self, key: Key, body: bytes) -> Answer | None:
        """The answer to a request; None where it was not answered. Raises `JournalError` where it was another message."""
        found = self._answers.get(key)
        if found is None:
            return None
        digest, answer = found
        if digest != _digest(body):
            raise JournalError(
                f"{self._origin} is of another campaign (its {key.phase} {key.number} is another message): "
                "go on with the options, the contract and the brokerfuzz that it was begun with"
            )
        return answer


class Recalled:
    """The answers that a journal holds, by request: what a campaign that goes on does not send again.

    Only where they are is kept in memory, eight bytes an answer, and the answers of the cases that are looked at now. Raises `JournalError` where it
    cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.count, self.latest = 0, 0.0
        self._places: dict[int, array[int]] = {}
        self._blocks: dict[int, Answered] = {}
        self._file = self._plain()
        place = 0
        for number, line in enumerate(lines(self.path)):
            if number:
                self._index(line, place)
            place += len(line) + 1

    def get(self, key: Key, body: bytes) -> Answer | None:
        """The answer to a request; None where it was not answered. Raises `JournalError` where it was another message."""
        return self.block(key.number // BLOCK).get(key, body)

    def block(self, block: int) -> Answered:
        """The answers to the requests of a block of cases."""
        if block not in self._blocks:
            if len(self._blocks) >= _BLOCKS_KEPT:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[block] = Answered(str(self.path), dict(self._read(place) for place in self._places.get(block, ())))
        return self._blocks[block]

    def has(self, key: Key) -> bool:
        """Whether a request was answered."""
        return key in self.block(key.number // BLOCK)

    @property
    def last(self) -> int:
        """The highest block of which there are answers; -1 where there are none."""
        return max(self._places, default=-1)

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def _plain(self) -> IO[bytes]:
        if not is_packed(self.path):
            try:
                return self.path.open("rb")
            except OSError as problem:
                raise JournalError(f"{self.path} cannot be read ({problem.strerror or problem}): name a journal") from problem
        plain: IO[bytes] = TemporaryFile()  # noqa: SIM115 - it lives as long as this does: a packed journal cannot be read from its middle
        plain.writelines(line + b"\n" for line in lines(self.path))
        return plain

    def _index(self, line: bytes, place: int) -> None:
        try:
            entry = orjson.loads(line)
            number, at = entry["number"], entry["at"]
        except (ValueError, KeyError, TypeError) as problem:
            raise JournalError(
                f"{self.path} holds what is no record of a journal ({problem}): it was changed, and cannot be gone on with"
            ) from problem
        self._places.setdefault(number // BLOCK, array("q")).append(place)
        self.count += 1
        self.latest = max(self.latest, at)

    def _read(self, place: int) -> tuple[Key, tuple[bytes, Answer]]:
        self._file.seek(place)
        record = decode(self._file.readline())
        return record.key, (_digest(record.body), record.answer)


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).digest()
