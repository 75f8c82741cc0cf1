"""The two kinds of format."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType


@dataclass(frozen=True)
class LeftOut:
    """Cases that a format has no place for: how many of each message type and label, and how many for each reason."""

    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, reason: str) -> None:
        """Counts a case. The reason goes on a number of cases: `that ...`, `longer than ...`."""
        self.by_label[case.message_type, case.label] += 1
        self.by_reason[reason] += 1


@dataclass(frozen=True)
class About:
    """What is known of a corpus before its first case, and what is left out of it.

    `recipe` are the arguments of `brokerfuzz export` that make it again, but for where it goes; `now` is the time that its cases are made against.
    """

    contract: Contract
    message_types: tuple[MessageType, ...]
    now: datetime
    recipe: str
    left_out: LeftOut = field(default_factory=LeftOut, compare=False)


@dataclass(frozen=True)
class File:
    """A file of a folder: its name, below the folder, with `/` between the parts, and its bytes in pieces.

    A part of a name consists of small letters, digits, `.`, `_` and `-` (a language's own names may have capitals), begins and ends with no
    `.` and is at most 100 characters long: it is safe on every file system, and no two names differ in capitals alone.
    `yours` is a file to be filled in: one that is there already stays as it is when the corpus is written again, and no checksum is kept of it.
    """

    name: str
    pieces: Iterable[bytes]
    yours: bool = False


@dataclass(frozen=True)
class OneFile:
    """A format that is one file, by convention of this suffix. `pieces` gives its bytes.

    `encode` gives the bytes of some of the cases, and of the last ones if the flag says so, where the file is those of all, one after the other:
    then several processes can make it.
    """

    name: str
    says: str
    suffix: str
    pieces: Callable[[Iterable[Case], About], Iterator[bytes]]
    encode: Callable[[Sequence[Case], bool], bytes] | None = None


@dataclass(frozen=True)
class Folder:
    """A format that is a folder. `files` gives its files, in an order of their own; a file's pieces are asked for before the next file is.

    `message_types` are those that it can carry; of others there is nothing in it.
    """

    name: str
    says: str
    files: Callable[[Iterable[Case], About], Iterator[File]]
    message_types: tuple[MessageType, ...] = MESSAGE_TYPES


Format = OneFile | Folder
