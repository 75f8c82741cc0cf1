"""Files named by what may be out to harm: none is opened that lies outside of the folder, and nothing but files."""

import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from brokerfuzz.corpus.places import Place
from brokerfuzz.errors import CorpusError, quoted

LARGEST_FILE = 32 * 1024 * 1024
"""Bytes of a list or a manifest, which is read whole, at the most: the list of 100,000 shards has some 20 MB."""
LARGEST_MESSAGE = 8 * 1024 * 1024
"""Bytes of a message, at the most, as in a line of a corpus."""

_PART = r"\.?[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9_-])?"
_NAME = re.compile(rf"{_PART}(?:/{_PART})*")
_LONGEST_NAME = 10_000
_CHUNK = 1 << 20


class ConfinedFiles(Protocol):
    """Files that can be had by their names. All errors are `CorpusError`, without the name of where they lie."""

    def opened(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file."""
        ...

    def message(self, name: str) -> bytes:
        """The message in a file. Raises `CorpusError` for one that is too large too."""
        return self.bytes_of(name, LARGEST_MESSAGE)

    def bytes_of(self, name: str, most: int = LARGEST_FILE) -> bytes:
        """What is in a file. Raises `CorpusError` for one that is too large too."""
        try:
            with self.opened(name) as stream:
                found = stream.read(most + 1)
        except OSError as problem:
            raise unread(name, problem) from problem
        if len(found) > most:
            raise CorpusError(f"names {quoted(name)}, which has more than {most:,} bytes")
        return found

    def sha256_of(self, name: str) -> str:
        """A file's checksum."""
        digest = sha256()
        try:
            with self.opened(name) as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
        except OSError as problem:
            raise unread(name, problem) from problem
        return digest.hexdigest()


class Beside(ConfinedFiles):
    """The files beside one in a store."""

    def __init__(self, place: Place) -> None:
        self._place = place

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """A file."""
        with self.place(name).opened() as stream:
            yield stream

    def place(self, name: str) -> Place:
        """Where a file lies. Raises `CorpusError` for a name that leads elsewhere."""
        if "/" in name or not is_name(name):
            raise CorpusError(f"names {quoted(name)}, which is no name beside it")
        return self._place.beside(name)


class Confined(ConfinedFiles):
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._home = folder.resolve()

    def path(self, name: str, kind: Callable[[int], bool] = stat.S_ISREG) -> Path:
        """Where a file (or what `kind` takes) lies. Raises `CorpusError` for a name that leads elsewhere, and for what is no file."""
        if not is_name(name):
            raise CorpusError(f"names {quoted(name)}, which is no name within the folder")
        try:
            found = (self.folder / name).resolve(strict=True)
            if not found.is_relative_to(self._home):
                raise CorpusError(f"names {quoted(name)}, which is a link that leads out of the folder")
            if not kind(found.stat().st_mode):
                raise CorpusError(f"names {quoted(name)}, which is no file")
        except (OSError, RuntimeError) as problem:
            raise unread(name, problem) from problem
        return found

    def opened(self, name: str) -> BinaryIO:
        """A file."""
        try:
            return self.path(name).open("rb")
        except OSError as problem:
            raise unread(name, problem) from problem


def is_name(name: str) -> bool:
    """Whether it is the name of a file below a folder that leads nowhere else."""
    return len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None


def unread(name: str, problem: Exception) -> CorpusError:
    """What is wrong with a file that cannot be read."""
    return CorpusError(f"names {quoted(name)}, which cannot be read: {getattr(problem, 'strerror', None) or problem}")
