"""A place is a local path or a URL at which a corpus can be stored. This module defines the interface of places. It
also contains streams that count bytes and compute checksums.
"""

from collections.abc import Callable, Container, Iterable
from contextlib import AbstractContextManager
from hashlib import sha256
from io import BufferedReader
from typing import BinaryIO, Protocol

Create = Callable[[str], AbstractContextManager[BinaryIO]]
"""A function that creates a file in a new folder. The argument of the function is the path in the folder."""


class Place(Protocol):
    """A file or a folder, which may or may not exist yet. Operations that fail raise `CorpusError`."""

    @property
    def name(self) -> str:
        """The path or the URL, as the user wrote it."""
        ...

    @property
    def base(self) -> str:
        """The name of the file or the folder, without its parent folder."""
        ...

    def beside(self, name: str) -> "Place": ...

    def check_file(self, *, force: bool) -> None:
        """Raises `CorpusError` if a file cannot be written to this place, or if `force` is false and the file already
        exists.
        """
        ...

    def check_folder(self, is_corpus: "Callable[[Place], bool]", *, force: bool) -> None:
        """Raises `CorpusError` if a folder cannot be written to this place, or if `force` is false and the folder
        already contains files.

        A folder that contains files but is not a corpus is never replaced.
        """
        ...

    def file(self) -> AbstractContextManager[BinaryIO]:
        """Opens the file for writing. The file appears when the `with` block ends without an error."""
        ...

    def folder(self, manifest: str, former: Container[str]) -> AbstractContextManager[Create]:
        """Yields a function that creates the files of the folder.

        `manifest` is the name of the file that is written last. After an error, a local folder is unchanged, but a
        folder at a URL may lack files. If files are missing, `manifest` is missing too. The new folder replaces the
        files and folders in `former`. All other files in an existing folder stay, unless a new file has the same name.
        """
        ...

    def opened(self, below: str = "") -> AbstractContextManager[BufferedReader]:
        """Opens the file, or a file in the folder, for reading. `below` is the path of the file in the folder. Raises
        `FileNotFoundError` if the file does not exist.
        """
        ...

    def remove(self) -> None: ...


class CountingStream:
    """An output stream that counts its bytes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        return self._stream.write(data)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self.write(piece)

    def flush(self) -> None:
        self._stream.flush()


class Summed(CountingStream):
    """An output stream that counts its bytes and computes their SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._digest = sha256()

    @property
    def sha256(self) -> str:
        """The SHA-256 of all bytes that were written so far, in hexadecimal."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        return super().write(data)
