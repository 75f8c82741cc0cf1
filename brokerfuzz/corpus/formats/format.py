"""The two kinds of formats: one file, or a folder."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType


@dataclass(frozen=True)
class LeftOut:
    """The number of cases that a format cannot represent, by message type and label, and by reason."""

    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, reason: str) -> None:
        """Counts a case. The reason must complete the phrase "5 cases ...", for example `that are ...` or `longer than ...`."""
        self.by_label[case.message_type, case.label] += 1
        self.by_reason[reason] += 1


@dataclass(frozen=True)
class CorpusInfo:
    """The facts about a corpus that are known before its first case, and a counter of the cases that are left out.

    `recipe` contains the arguments of `brokerfuzz export` that regenerate the corpus, without the destination.
    """

    contract: Contract
    message_types: tuple[MessageType, ...]
    recipe: str
    left_out: LeftOut = field(default_factory=LeftOut, compare=False)


@dataclass(frozen=True)
class File:
    """A file in a folder. `name` is relative to the folder, with `/` as separator. `pieces` are the bytes of the file.

    A part of a name consists of lower-case letters, digits, `.`, `_` and `-`, does not begin or end with `.`, and has at most 100
    characters. So the name is safe on every file system, and no two names differ only in upper and lower case. Only names of source
    files may contain upper-case letters. A `user_owned` file is a template that the user completes. If such a file exists, an
    export does not overwrite it. An export writes no checksum for it.
    """

    name: str
    pieces: Iterable[bytes]
    user_owned: bool = False


@dataclass(frozen=True)
class OneFile:
    """A format that is written as one file with this suffix. `pieces` yields the bytes of the file.

    If the file is the concatenation of the bytes of its cases, several processes can generate it. For such a format, `encode`
    returns the bytes of some of the cases. Its second argument is True if they are the last cases.
    """

    name: str
    description: str
    suffix: str
    pieces: Callable[[Iterable[Case], CorpusInfo], Iterator[bytes]]
    encode: Callable[[Sequence[Case], bool], bytes] | None = None


@dataclass(frozen=True)
class Folder:
    """A format that is written as a folder. `files` yields the files in the folder. The caller must read the pieces of each file
    before it requests the next file.

    `message_types` are the types that the format supports. Cases of other types are not in the folder.
    """

    name: str
    description: str
    files: Callable[[Iterable[Case], CorpusInfo], Iterator[File]]
    message_types: tuple[MessageType, ...] = MESSAGE_TYPES


Format = OneFile | Folder
