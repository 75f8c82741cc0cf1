"""Files named by what may be out to harm: none is opened that lies outside of the folder, and nothing but files."""

import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from brokerfuzz.corpus.places import Place
from brokerfuzz.errors import CorpusError

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a file that is read whole, at the most."""

_PART = r"\.?[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9_-])?"
NAME = re.compile(rf"{_PART}(?:/{_PART})*")
"""Names of files below a folder that lead nowhere else."""
_CHUNK = 1 << 20


class Files(Protocol):
    """Files that can be had by their names. All errors are `CorpusError`, without the name of where they lie."""

    def opened(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file."""
        ...

    def bytes_of(self, name: str) -> bytes:
        """What is in a file. Raises `CorpusError` for one that is too large too."""
        try:
            with self.opened(name) as stream:
                found = stream.read(LARGEST_FILE + 1)
        except OSError as problem:
            raise unread(name, problem) from problem
        if len(found) > LARGEST_FILE:
            raise CorpusError(f"names {name!r:.120}, which has more than {LARGEST_FILE:,} bytes")
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


class Beside(Files):
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
        if "/" in name or not NAME.fullmatch(name):
            raise CorpusError(f"names {name!r:.120}, which is no name beside it")
        return self._place.beside(name)


class Confined(Files):
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._home = folder.resolve()

    def path(self, name: str, kind: Callable[[int], bool] = stat.S_ISREG) -> Path:
        """Where a file (or what `kind` takes) lies. Raises `CorpusError` for a name that leads elsewhere, and for what is no file."""
        if not NAME.fullmatch(name):
            raise CorpusError(f"names {name!r:.120}, which is no name within the folder")
        try:
            found = (self.folder / name).resolve(strict=True)
            if not found.is_relative_to(self._home):
                raise CorpusError(f"names {name!r:.120}, which is a link that leads out of the folder")
            if not kind(found.stat().st_mode):
                raise CorpusError(f"names {name!r:.120}, which is no file")
        except (OSError, RuntimeError) as problem:
            raise unread(name, problem) from problem
        return found

    def opened(self, name: str) -> BinaryIO:
        """A file."""
        try:
            return self.path(name).open("rb")
        except OSError as problem:
            raise unread(name, problem) from problem


def unread(name: str, problem: Exception) -> CorpusError:
    """What is wrong with a file that cannot be read."""
    return CorpusError(f"names {name!r:.120}, which cannot be read: {getattr(problem, 'strerror', None) or problem}")
