"""The standard streams as commands take them: none that loses something, and none that is not there."""

import os
import sys
from errno import EBADF
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase, TextIOWrapper, UnsupportedOperation
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


def take() -> None:
    """Makes the process' standard streams such ones. Python has none where the process was begun with it closed."""
    sys.stdin = sys.stdin or _unreadable()
    sys.stdout = lossless(sys.stdout or _unwritable())
    sys.stderr = lossless(_forgiving(sys.stderr or _unwritable()))


def _unreadable() -> TextIO:
    os.open(os.devnull, os.O_WRONLY)  # has the number of the stream, the lowest that is free, so that no file gets it
    return TextIOWrapper(BufferedReader(_Closed()))


def _unwritable() -> TextIO:
    number = os.open(os.devnull, os.O_RDONLY)
    return TextIOWrapper(BufferedWriter(FileIO(number, "w", closefd=False)), encoding="utf-8", line_buffering=True)


def lossless(stream: TextIO) -> TextIO:
    """A stream that takes every letter and every byte: what its encoding has no letter for is no error, and where Python is told to buffer
    nothing it would lose what one call to the system leaves over.
    """
    if not isinstance(stream, TextIOWrapper):
        return stream
    if isinstance(stream.buffer, RawIOBase):
        encoding = stream.encoding
        stream = TextIOWrapper(BufferedWriter(stream.detach()), encoding=encoding, line_buffering=True)
    stream.reconfigure(errors="backslashreplace")
    return stream


def _forgiving(stream: TextIO) -> TextIO:
    """Standard error, of which nothing depends: where it cannot be written, the command does its work, and its status tells."""
    try:
        number = stream.fileno()
    except UnsupportedOperation:  # as in tests
        return stream
    return TextIOWrapper(BufferedWriter(_Forgiving(number, "w", closefd=False)), encoding=stream.encoding, line_buffering=True)


class _Forgiving(FileIO):
    def write(self, data: "ReadableBuffer", /) -> int:
        """Writes bytes, or drops them."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Closed(RawIOBase):
    """Standard input that was closed."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Raises `OSError`."""
        raise OSError(EBADF, os.strerror(EBADF), "standard input")
