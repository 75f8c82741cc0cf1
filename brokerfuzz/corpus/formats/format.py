"""Defines what a format of corpora is: a function that converts cases to files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import CaseSet
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.manifest import Direction


@dataclass(frozen=True)
class CorpusInfo:
    """Describes a corpus for the format that writes its cases. `recipe` contains the options of `brokerfuzz export`
    that generate the corpus again. `folder` is the name of the folder or file, without the path. `left_out` counts the
    cases that the format does not write, for each message type, label and reason. If `by_case` is true, test suites have one test per case instead of one per
    rule. If `base64` is true, lines contain every message in base64. `warnings` receives what is wrong with the existing
    files of the user.
    """

    contract: Contract
    message_types: tuple[MessageType, ...]
    recipe: str
    folder: str = "FOLDER"
    left_out: Counter[tuple[str, str, str]] = field(default_factory=Counter, compare=False)
    by_case: bool = False
    base64: bool = False
    warnings: list[str] = field(default_factory=list, compare=False)

    def leave_out(self, case: Case, reason: str) -> None:
        """In the output, `reason` follows the number of cases: `5 cases longer than 100 bytes`."""
        self.left_out[case.message_type, case.label, reason] += 1


@dataclass(frozen=True)
class File:
    """A file of a corpus. `name` is the path in the folder (empty if the corpus is a single file), and `pieces` are the
    bytes of the file.

    Names of files are safe on every file system. Each part between slashes consists of at most 100 lower-case letters,
    digits, `.`, `_` and `-`, and does not begin or end with `.`. Names of source files may contain upper-case letters.

    If `is_template` is true, users edit the file, so a later export does not overwrite it. `warnings` receives the
    existing path and contents, and returns what is wrong with them.
    """

    name: str
    pieces: Iterable[bytes]
    is_template: bool = False
    warnings: Callable[[Path, bytes], Iterable[str]] | None = None


@dataclass(frozen=True)
class Format:
    """`files` receives the cases in order, and yields the files, one after another. The caller reads all pieces of a
    file before it requests the next file.

    With `direction`, the corpus contains only requests or only responses. `case_set` defines which cases it contains by default.
    """

    name: str
    files: Callable[[Iterable[Case], CorpusInfo], Iterator[File]]
    is_folder: bool = True
    direction: Direction | None = None
    case_set: CaseSet = "essential"

    def supported(self, contract: Contract) -> tuple[MessageType, ...]:
        transfers = contract.transfers.items()
        return tuple(name for name, transfer in transfers if self.direction in (None, transfer.direction))

    def pieces(self, cases: Iterable[Case], info: CorpusInfo) -> Iterator[bytes]:
        for file in self.files(cases, info):
            yield from file.pieces


# --------------------------------------------------------------------------------------------- files in `suites`


def source(name: str) -> bytes:
    """Returns the contents of a file in the folder `suites`. The names of Python files end in `.txt`, because they are
    no modules of brokerfuzz.
    """
    path = Path(__file__).with_name("suites") / (f"{name}.txt" if name.endswith(".py") else name)
    return path.read_bytes().replace(b"\r\n", b"\n")  # Git may have changed the line endings


def filled(name: str, **values: str) -> bytes:
    return Template(source(name).decode()).substitute(values).encode()
