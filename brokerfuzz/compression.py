"""Reads and writes files that are compressed with gzip (`.gz`) or Zstandard (`.zst`).

Reading raises an error if a file becomes very large when it is decompressed. The compressed bytes may depend on the
version of zlib or libzstd, but not on the time or the machine.
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
"""The name of a compressed file ends in one of these suffixes."""

LARGEST_RATIO = 200
"""The maximum ratio of decompressed to compressed bytes, for files with more than `FREE` decompressed bytes. The ratio
of a corpus is usually 10 to 30.
"""
FREE = 256 * 1024 * 1024
"""A file with at most this number of decompressed bytes may exceed `LARGEST_RATIO`."""

_FIRST_BYTES = {
    GZIP: (b"\x1f\x8b",),
    ZSTANDARD: (b"\x28\xb5\x2f\xfd", *(bytes([first, 0x2A, 0x4D, 0x18]) for first in range(0x50, 0x60))),
}
_METHODS = {GZIP: "gzip", ZSTANDARD: "Zstandard"}
_CHUNK = 1 << 17
_WINDOW = "too much memory"
"""A part of the error message of libzstd for files whose decompression needs more than 128 MiB of memory."""


def suffix(name: str | Path) -> str:
    """Returns `.gz` or `.zst` if the file name has this suffix, otherwise an empty string."""
    return next((end for end in SUFFIXES if str(name).endswith(end)), "")


@contextmanager
def compressing(stream: BinaryIO, name: str | Path) -> Iterator[BinaryIO]:
    """Opens a stream that writes to `stream` and compresses the data if `name` ends in `.gz` or `.zst`.

    The compressed file is complete only when the `with` block ends.
    """
    end = suffix(name)
    if not end:
        yield stream
        return
    with _compressor(stream, end) as compressor:
        yield compressor


def _compressor(stream: BinaryIO, end: str) -> BinaryIO:
    if end == GZIP:
        return cast(BinaryIO, GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6, mtime=0))
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: 3,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return cast(BinaryIO, zstd.ZstdFile(stream, mode="w", options=options))


@contextmanager
def opened_for_reading(path: str | Path) -> Iterator[BinaryIO]:
    """Opens a file for reading, and decompresses it if its name ends in `.gz` or `.zst`.

    Raises `OSError` if the file cannot be opened. Raises `CorpusError` if the first bytes of the file do not fit the
    suffix of its name. Reading raises `CorpusError` if the file is damaged. Reading also raises `CorpusError` if the
    decompressed data is larger than 256 MiB and more than 200 times as large as the file.
    """
    with Path(path).open("rb") as stream, decompressing(stream, str(path)) as decompressed:
        yield decompressed


@contextmanager
def decompressing(stream: BufferedReader, name: str) -> Iterator[BinaryIO]:
    """Decompresses a file that is already open. Raises the same errors as `opened_for_reading`."""
    end, actual = suffix(name), _suffix_of(stream.peek(4))
    if actual != end and (actual or stream.peek(1)):
        raise _misnamed(name, end, actual)
    if not actual:
        yield stream
        return
    with BufferedReader(_DecompressedStream(stream, actual, name), _CHUNK) as decompressed:
        yield cast(BinaryIO, decompressed)


def _suffix_of(first: bytes) -> str:
    return next((end for end, heads in _FIRST_BYTES.items() if first.startswith(heads)), "")


def _misnamed(name: str, end: str, actual: str) -> CorpusError:
    if actual:
        return CorpusError(
            f"{name} is compressed with {_METHODS[actual]}, but its name does not end in {actual}: rename the file"
        )
    return CorpusError(
        f"{name} is not compressed with {_METHODS[end]}, although its name ends in {end}: rename the file, or write "
        "it again"
    )


class _DecompressedStream(RawIOBase):
    """The decompressed bytes of a file. Reading raises `CorpusError` if the data are damaged or too large."""

    def __init__(self, stream: BufferedReader, end: str, name: str) -> None:
        self._stream, self._name, self._end = stream, name, end
        self._decompressed: GzipFile | zstd.ZstdFile = (
            GzipFile(fileobj=stream, mode="rb") if end == GZIP else zstd.ZstdFile(stream)
        )
        self._damage: tuple[type[Exception], ...] = (
            (EOFError, zlib.error, OSError) if end == GZIP else (EOFError, zstd.ZstdError)
        )
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        try:
            data = self._decompressed.read1(len(view))
        except self._damage as problem:
            raise self._error(problem) from problem
        view[: len(data)] = data
        self._count += len(data)
        if self._count > max(FREE, LARGEST_RATIO * self._stream.tell()):
            raise CorpusError(
                f"{self._name} decompresses to more than {LARGEST_RATIO} times its size, which is unusual for a "
                "corpus: "
                "if you trust the file, decompress it first"
            )
        return len(data)

    def _error(self, problem: Exception) -> CorpusError:
        if _WINDOW in str(problem):
            reason = "is compressed with a window of more than 128 MiB, which needs too much memory"
            return CorpusError(
                f"{self._name} {reason}: compress the file without --long or, if you trust the file, decompress it "
                "first (`zstd -d --long=31`)"
            )
        return CorpusError(
            f"{self._name} is not a complete {_METHODS[self._end]} file ({problem}): the file is damaged or "
            "truncated; create the file again"
        )
