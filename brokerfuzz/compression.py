"""Files packed by gzip or Zstandard, as the ends of their names say: written the same for the same bytes, and read with a bound on what comes out.

What is packed unpacks to the same bytes everywhere. How it is packed is up to the libraries: another version of zlib or libzstd may pack tighter.
"""

import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from brokerfuzz.errors import CorpusError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP, ZSTANDARD = ".gz", ".zst"
SUFFIXES = (GZIP, ZSTANDARD)
"""The ends of the names of packed files."""

LARGEST_RATIO = 200
"""How many bytes a packed byte may become, once there are more than `FREE` of them. Corpora become 10 to 30 times as large."""
FREE = 256 * 1024 * 1024
"""Bytes that may come out of a packed file however few went in."""

_FIRST_BYTES = {GZIP: (b"\x1f\x8b",), ZSTANDARD: (b"\x28\xb5\x2f\xfd", *(bytes([first, 0x2A, 0x4D, 0x18]) for first in range(0x50, 0x60)))}
_CALLED = {GZIP: "gzip", ZSTANDARD: "Zstandard"}
_CHUNK = 1 << 17
_WINDOW = "too much memory"
"""libzstd's words for a frame whose window is larger than 128 MiB."""


def suffix(name: str | Path) -> str:
    """`.gz` or `.zst`, where the name says that the file is packed; else nothing."""
    return next((end for end in SUFFIXES if str(name).endswith(end)), "")


@contextmanager
def packing(stream: BinaryIO, name: str | Path) -> Iterator[BinaryIO]:
    """A stream whose bytes go to `stream`, packed as the end of `name` says, or as they are. The end of the packed data is written on leaving."""
    end = suffix(name)
    if not end:
        yield stream
        return
    with _packer(stream, end) as packer:
        yield packer


def _packer(stream: BinaryIO, end: str) -> BinaryIO:
    if end == GZIP:
        return cast(BinaryIO, GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6, mtime=0))
    options: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
    return cast(BinaryIO, zstd.ZstdFile(stream, mode="w", options=options))


@contextmanager
def opened_for_reading(path: str | Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where the end of its name says that it is packed.

    Raises `OSError` where it cannot be opened, `CorpusError` where the name's end and the first bytes do not agree. Reading raises `CorpusError`
    where the packed data are damaged or cut off, or become more than 256 MB and 200 times as many bytes as they are.
    """
    with Path(path).open("rb") as stream, unpacking(stream, str(path)) as unpacked:
        yield unpacked


@contextmanager
def unpacking(stream: BufferedReader, name: str) -> Iterator[BinaryIO]:
    """As `opened_for_reading`, of an opened file."""
    end, packed = suffix(name), _packed_by(stream.peek(4))
    if packed != end and (packed or stream.peek(1)):
        raise _misnamed(name, end, packed)
    if not packed:
        yield stream
        return
    with BufferedReader(_Unpacking(stream, packed, name), _CHUNK) as unpacked:
        yield cast(BinaryIO, unpacked)


def _packed_by(first: bytes) -> str:
    return next((end for end, heads in _FIRST_BYTES.items() if first.startswith(heads)), "")


def _misnamed(name: str, end: str, packed: str) -> CorpusError:
    if packed:
        return CorpusError(f"{name} is packed by {_CALLED[packed]}, and its name does not end in {packed}: rename it")
    return CorpusError(f"{name} is not packed by {_CALLED[end]}, as the end of its name says: rename it, or write it again")


class _Unpacking(RawIOBase):
    """What a packed file holds, and what is wrong with it in our words."""

    def __init__(self, stream: BufferedReader, end: str, name: str) -> None:
        self._stream, self._name, self._end = stream, name, end
        self._unpacked: GzipFile | zstd.ZstdFile = GzipFile(fileobj=stream, mode="rb") if end == GZIP else zstd.ZstdFile(stream)
        self._damage: tuple[type[Exception], ...] = (EOFError, zlib.error, OSError) if end == GZIP else (EOFError, zstd.ZstdError)
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Reads the next bytes. Raises `CorpusError`."""
        view = memoryview(buffer)
        try:
            data = self._unpacked.read1(len(view))
        except self._damage as problem:
            raise self._unread(problem) from problem
        view[: len(data)] = data
        self._count += len(data)
        if self._count > max(FREE, LARGEST_RATIO * self._stream.tell()):
            raise CorpusError(
                f"{self._name} becomes more than {LARGEST_RATIO} times as large as it is, as no corpus does: unpack it first if you trust it"
            )
        return len(data)

    def _unread(self, problem: Exception) -> CorpusError:
        if _WINDOW in str(problem):
            said = "is packed with a window of more than 128 MiB, which is as much memory as is given to unpack it"
            return CorpusError(f"{self._name} {said}: pack it again without --long, or unpack it first (`zstd -d --long=31`) if you trust it")
        return CorpusError(f"{self._name} is no whole {_CALLED[self._end]} file ({problem}): it was damaged or cut off; write it again")
