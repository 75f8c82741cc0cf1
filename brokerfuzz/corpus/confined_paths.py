"""Opens files whose names come from untrusted data. Only regular files inside a given folder are opened."""

import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path
from typing import Protocol

from brokerfuzz.corpus.places import Place
from brokerfuzz.errors import CorpusError, quoted

LARGEST_FILE = 32 * 1024 * 1024
"""The maximum size of a list of shards or a manifest, in bytes. A list of 100,000 shards has about 20 MB."""
LARGEST_MESSAGE = 8 * 1024 * 1024
"""The maximum size of a message, and of a line in a corpus, in bytes."""

_PART = r"\.?[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9_-])?"
_NAME = re.compile(rf"{_PART}(?:/{_PART})*")
_LONGEST_NAME = 10_000


class ConfinedFiles(Protocol):
    """Opens the files of one folder by their names. All errors are `CorpusError`s, and do not contain the name of the
    folder.
    """

    def opened(self, name: str) -> AbstractContextManager[BufferedReader]: ...

    def message(self, name: str) -> bytes:
        """Raises `CorpusError` if the file cannot be read or is too large."""
        return self.bytes_of(name, LARGEST_MESSAGE)

    def bytes_of(self, name: str, limit: int = LARGEST_FILE) -> bytes:
        """Raises `CorpusError` if the file cannot be read or has more than `limit` bytes."""
        try:
            with self.opened(name) as stream:
                found = stream.read(limit + 1)
        except OSError as problem:
            raise unread(name, problem) from problem
        if len(found) > limit:
            raise CorpusError(f"the file {quoted(name)} is larger than {limit:,} bytes")
        return found

    def sha256_of(self, name: str) -> str:
        try:
            with self.opened(name) as stream:
                return file_digest(stream, "sha256").hexdigest()
        except OSError as problem:
            raise unread(name, problem) from problem


class SiblingFiles(ConfinedFiles):
    """The files in a store, such as S3, that are in the same folder as a given file."""

    def __init__(self, place: Place) -> None:
        self._place = place

    @contextmanager
    def opened(self, name: str) -> Iterator[BufferedReader]:
        with self.place(name).opened() as stream:
            yield stream

    def place(self, name: str) -> Place:
        """Raises `CorpusError` if the name is not a safe file name in the same folder."""
        if "/" in name or not is_name(name):
            raise CorpusError(f"{quoted(name)} is not the name of a file in the same folder")
        return self._place.beside(name)


class FolderFiles(ConfinedFiles):
    """The files in a folder on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._home = folder.resolve()

    def path(self, name: str, kind: Callable[[int], bool] = stat.S_ISREG) -> Path:
        """`kind` gets the mode of the file (`st_mode`), and returns whether such a file is allowed. Raises
        `CorpusError` if the path leads out of the folder, or if the file is not allowed.
        """
        if not is_name(name):
            raise CorpusError(f"{quoted(name)} is not a path inside the folder")
        try:
            found = (self.folder / name).resolve(strict=True)
            if not found.is_relative_to(self._home):
                raise CorpusError(f"the file {quoted(name)} is a link to a place outside the folder")
            if not kind(found.stat().st_mode):
                raise CorpusError(f"{quoted(name)} is not a file")
        except (OSError, RuntimeError) as problem:
            raise unread(name, problem) from problem
        return found

    def opened(self, name: str) -> BufferedReader:
        try:
            return self.path(name).open("rb")
        except OSError as problem:
            raise unread(name, problem) from problem


def is_name(name: str) -> bool:
    """Returns whether a file name is safe: it contains only letters, digits and `._-/`, and no part such as `..`."""
    return len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None


def unread(name: str, problem: Exception) -> CorpusError:
    return CorpusError(f"the file {quoted(name)} cannot be read: {getattr(problem, 'strerror', None) or problem}")
