"""Defines the two kinds of formats: one file, or a folder."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import Scope
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType


@dataclass(frozen=True)
class LeftOut:
    """Counts the cases that a format does not write, for each message type, label and reason."""

    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, reason: str) -> None:
        """Counts a case that the format does not write. In the output, `reason` follows the number of cases: `5 cases
        longer than 100 bytes`.
        """
        self.by_label[case.message_type, case.label] += 1
        self.by_reason[reason] += 1


@dataclass(frozen=True)
class CorpusInfo:
    """Describes a corpus for the format that writes its cases. `recipe` contains the options of `brokerfuzz export`
    that generate the corpus again. `folder` is the name of the folder or file, without the path. `left_out` counts the
    cases that the format does not write.
    """

    contract: Contract
    message_types: tuple[MessageType, ...]
    recipe: str
    folder: str = "FOLDER"
    left_out: LeftOut = field(default_factory=LeftOut, compare=False)


@dataclass(frozen=True)
class File:
    """A file in a folder. `name` is the path in the folder, and `pieces` are the bytes of the file.

    Names of files are safe on every file system. Each part between slashes consists of at most 100 lower-case letters,
    digits, `.`, `_` and `-`, and does not begin or end with `.`. Names of source files may contain upper-case letters.

    If `user_owned` is true, the file is a template that the user edits. A later export does not overwrite this file,
    and writes no checksum for it. Instead, the later export calls `check` with the edited contents. `check` raises
    `CorpusError` if the contents are invalid: for example, if they list an unknown case.
    """

    name: str
    pieces: Iterable[bytes]
    user_owned: bool = False
    check: Callable[[bytes], None] | None = None


@dataclass(frozen=True)
class OneFile:
    """A format that consists of one file. `pieces` yields the bytes of the file.

    `encode` returns the bytes of some cases, so that several processes can generate parts of the file. The second
    argument of `encode` is True for the last cases of the file. `encode` is None if a file also contains bytes before,
    between or after the cases.
    """

    name: str
    suffix: str
    pieces: Callable[[Iterable[Case], CorpusInfo], Iterator[bytes]]
    encode: Callable[[Sequence[Case], bool], bytes] | None = None


@dataclass(frozen=True)
class Folder:
    """A format that consists of a folder. `files` yields the files, one after another.

    The caller must read all pieces of a file before it requests the next file. The folder contains only cases of
    `message_types`. `scope` defines which cases the folder contains by default.
    """

    name: str
    files: Callable[[Iterable[Case], CorpusInfo], Iterator[File]]
    message_types: tuple[MessageType, ...] = MESSAGE_TYPES
    scope: Scope = "essential"


Format = OneFile | Folder
