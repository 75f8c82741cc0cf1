"""Replaces the standard streams, so that no output is lost and closed streams cause no unexpected errors."""

import os
import sys
from collections.abc import Iterable
from errno import EBADF
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase, TextIOWrapper, UnsupportedOperation
from typing import TYPE_CHECKING, Any, TextIO, cast

from brokerfuzz.secret_values import cleaned

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


def prepare() -> None:
    """Replaces the standard streams. Python sets a stream to None if it was closed when the process started."""
    sys.stdin = sys.stdin or _unreadable()
    sys.stdout = cast("TextIO", CleanedStream(lossless(sys.stdout or _unwritable())))
    sys.stderr = cast("TextIO", CleanedStream(lossless(_ignoring_errors(sys.stderr or _unwritable()))))


class CleanedStream:
    """A stream that removes the secrets of the command from each text. All other methods are those of the original stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes a text without secrets."""
        return self._stream.write(cleaned(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes several texts without secrets."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _unreadable() -> TextIO:
    os.open(os.devnull, os.O_WRONLY)  # uses the file descriptor of the closed stream (the lowest free one), so that no other file gets it
    return TextIOWrapper(BufferedReader(_Closed()))


def _unwritable() -> TextIO:
    number = os.open(os.devnull, os.O_RDONLY)
    return TextIOWrapper(BufferedWriter(FileIO(number, "w", closefd=False)), encoding="utf-8", line_buffering=True)


def lossless(stream: TextIO) -> TextIO:
    """Returns a stream that loses no output. The stream escapes characters that its encoding cannot represent, and has a buffer,
    because Python can lose bytes without a buffer (for example, if PYTHONUNBUFFERED is set).
    """
    if not isinstance(stream, TextIOWrapper):
        return stream
    if isinstance(stream.buffer, RawIOBase):
        encoding = stream.encoding
        stream = TextIOWrapper(BufferedWriter(stream.detach()), encoding=encoding, line_buffering=True)
    stream.reconfigure(errors="backslashreplace")
    return stream


def _ignoring_errors(stream: TextIO) -> TextIO:
    """Returns a stream for standard error that ignores errors, so that the command continues to its exit status."""
    try:
        number = stream.fileno()
    except UnsupportedOperation:  # in tests
        return stream
    return TextIOWrapper(BufferedWriter(_ErrorIgnoring(number, "w", closefd=False)), encoding=stream.encoding, line_buffering=True)


class _ErrorIgnoring(FileIO):
    def write(self, data: "ReadableBuffer", /) -> int:
        """Writes bytes, and ignores any error."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Closed(RawIOBase):
    """Replaces a standard input that was closed."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Raises `OSError`, because standard input is closed."""
        raise OSError(EBADF, os.strerror(EBADF), "standard input")
