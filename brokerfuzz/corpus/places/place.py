"""The interface that all places have, and streams that count the bytes written and compute their checksum."""

from collections.abc import Callable, Container, Iterable
from contextlib import AbstractContextManager
from hashlib import sha256
from io import BufferedReader
from typing import BinaryIO, Protocol

Create = Callable[[str], AbstractContextManager[BinaryIO]]
"""A function that creates a file in a new folder. Its argument is the path relative to the folder."""


class Place(Protocol):
    """A file or a folder that may or may not exist. Failed operations raise `CorpusError`."""

    @property
    def name(self) -> str:
        """The path or URL as the user wrote it."""
        ...

    @property
    def base(self) -> str:
        """The name of the file or folder, without its parent folder."""
        ...

    def beside(self, name: str) -> "Place":
        """Returns the place with this name in the same folder."""
        ...

    def check_file(self, *, force: bool) -> None:
        """Raises `CorpusError` if a file cannot be written here, or if something already exists here and may not be replaced."""
        ...

    def check_folder(self, is_corpus: "Callable[[Place], bool]", *, force: bool) -> None:
        """Does the same as `check_file`, but for a folder. A folder that contains files but is not a corpus is never replaced."""
        ...

    def file(self) -> AbstractContextManager[BinaryIO]:
        """Opens a stream to the file. The file appears, or replaces the existing file, when the context exits without an error."""
        ...

    def folder(self, manifest: str, former: Container[str]) -> AbstractContextManager[Create]:
        """Yields a function that creates the files of the folder.

        `manifest` is the name of the file that is written last. If an error interrupts the writing, this file does not exist.
        `former` contains the files and folders to replace, as paths relative to the folder. Other files stay, unless a new file has
        the same name.
        """
        ...

    def opened(self, below: str = "") -> AbstractContextManager[BufferedReader]:
        """Opens the file, or the file with this name in the folder, for reading. Raises `FileNotFoundError` if it does not exist."""
        ...

    def remove(self) -> None:
        """Deletes the file or the folder if it exists."""
        ...


class CountingStream:
    """An output stream that counts the bytes written to it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.bytes = 0

    def write(self, data: bytes) -> int:
        """Writes bytes to the underlying stream."""
        self.bytes += len(data)
        return self._stream.write(data)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        """Writes the pieces in order."""
        for piece in pieces:
            self.write(piece)

    def flush(self) -> None:
        """Flushes the stream."""
        self._stream.flush()


class Summed(CountingStream):
    """An output stream that counts the bytes written to it and computes their SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._digest = sha256()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes written so far, in hexadecimal."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> int:
        """Writes bytes to the underlying stream."""
        self._digest.update(data)
        return super().write(data)
