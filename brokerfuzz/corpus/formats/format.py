"""The two kinds of formats: one file, or a folder."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType


@dataclass(frozen=True)
class LeftOut:
    """The number of cases that a format cannot represent, by message type and label, and by reason."""

    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, reason: str) -> None:
        """Counts a case. The reason completes the phrase "5 cases ...": `that are ...`, `longer than ...`."""
        self.by_label[case.message_type, case.label] += 1
        self.by_reason[reason] += 1


@dataclass(frozen=True)
class CorpusInfo:
    """The facts about a corpus that are known before its first case, and a counter of the cases that are left out.

    `recipe` has the arguments of `brokerfuzz export` that regenerate the corpus, without the destination. `now` is the time for
    which its cases are generated.
    """

    contract: Contract
    message_types: tuple[MessageType, ...]
    now: datetime
    recipe: str
    left_out: LeftOut = field(default_factory=LeftOut, compare=False)


@dataclass(frozen=True)
class File:
    """A file in a folder: its name relative to the folder, with `/` as separator, and its bytes in pieces.

    A part of a name consists of lower-case letters, digits, `.`, `_` and `-`, does not begin or end with `.`, and has at most 100
    characters. So it is safe on every file system, and no two names differ only in case. Source files may use upper case.
    A `user_owned` file is a template that the user completes: an existing one is not overwritten, and it has no checksum.
    """

    name: str
    pieces: Iterable[bytes]
    user_owned: bool = False


@dataclass(frozen=True)
class OneFile:
    """A format that is written as one file with this suffix. `pieces` yields its bytes.

    `encode` returns the bytes of some of the cases; its flag says if these are the last cases. It is set only if the file is
    the concatenation of such results, so that several processes can write it.
    """

    name: str
    description: str
    suffix: str
    pieces: Callable[[Iterable[Case], CorpusInfo], Iterator[bytes]]
    encode: Callable[[Sequence[Case], bool], bytes] | None = None


@dataclass(frozen=True)
class Folder:
    """A format that is written as a folder. `files` yields its files; read the pieces of a file before you request the next file.

    `message_types` are the types that the format supports. Cases of other types are not in the folder.
    """

    name: str
    description: str
    files: Callable[[Iterable[Case], CorpusInfo], Iterator[File]]
    message_types: tuple[MessageType, ...] = MESSAGE_TYPES


Format = OneFile | Folder
