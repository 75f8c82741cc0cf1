"""Replaces the standard streams, so that no output is lost and closed streams cause no unexpected errors."""

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper, UnsupportedOperation
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def prepare() -> None:
    """Replaces the standard streams. Python sets a stream that is closed when the process starts to None. Its
    descriptor stays open, because libraries such as uvloop abort if they get one of the first three descriptors.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, os.O_RDWR), mode, closefd=False))  # noqa: SIM115
    sys.stdout = _own(sys.stdout, FileIO)
    sys.stderr = _own(sys.stderr, _ErrorIgnoring)
    os.dup2(2, 1)  # what other processes and native code print is not a result


def _own(stream: TextIO, kind: type[FileIO]) -> TextIO:
    """Returns a stream with a file descriptor that no other code uses. It escapes characters that its encoding cannot
    represent, and has a buffer, because Python can lose bytes of an unbuffered stream (with PYTHONUNBUFFERED).
    """
    try:
        buffer = BufferedWriter(kind(os.dup(stream.fileno()), "w"))
    except UnsupportedOperation:  # in tests
        return stream
    return TextIOWrapper(buffer, encoding=stream.encoding, errors="backslashreplace", line_buffering=True)


class _ErrorIgnoring(FileIO):
    """Ignores errors when writing to standard error, so that the command continues and returns its exit status."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes
