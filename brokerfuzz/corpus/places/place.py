"""What places have in common."""

from collections.abc import Callable, Container, Iterable
from contextlib import AbstractContextManager
from hashlib import sha256
from io import BufferedReader
from typing import BinaryIO, Protocol

Create = Callable[[str], AbstractContextManager[BinaryIO]]
"""Opens a file of a folder that is being written, by its name below the folder."""


class Place(Protocol):
    """A file or a folder, there or yet to be. What cannot be done raises `CorpusError`."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def base(self) -> str:
        """Its name in its folder."""
        ...

    def beside(self, name: str) -> "Place":
        """The place of this name in the same folder."""
        ...

    def check_file(self, *, force: bool) -> None:
        """Raises `CorpusError` where no file may be written here: there is something, and it is no file, or is not to be replaced."""
        ...

    def check_folder(self, is_corpus: "Callable[[Place], bool]", *, force: bool) -> None:
        """As `check_file`, of a folder; one with files that is no corpus is never replaced."""
        ...

    def file(self) -> AbstractContextManager[BinaryIO]:
        """A stream to the file, which is there once the stream is left, and replaces what was; where an error leaves it, nothing is changed."""
        ...

    def folder(self, manifest: str, former: Container[str]) -> AbstractContextManager[Create]:
        """What creates the files of the folder. `manifest` is the last, and where an error leaves it, it is not there.

        It replaces `former` files and folders, named by their paths below it; other ones stay, unless a new one has their name.
        """
        ...

    def opened(self, below: str = "") -> AbstractContextManager[BufferedReader]:
        """A stream from the file, or the one of this name below the folder. Raises `FileNotFoundError` too."""
        ...

    def remove(self) -> None:
        """Takes the file or the folder away, if it is there."""
        ...


class CountingStream:
    """A stream to write to that knows how many bytes went through it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.bytes = 0

    def write(self, data: bytes) -> int:
        """Writes bytes through."""
        self.bytes += len(data)
        return self._stream.write(data)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        """Writes pieces, one after the other."""
        for piece in pieces:
            self.write(piece)

    def flush(self) -> None:
        """Flushes the stream."""
        self._stream.flush()


class Summed(CountingStream):
    """The same, which knows their SHA-256 too."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._digest = sha256()

    @property
    def sha256(self) -> str:
        """Of what was written so far."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> int:
        """Writes bytes through."""
        self._digest.update(data)
        return super().write(data)
