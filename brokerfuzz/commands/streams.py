"""Replaces the standard streams, so that no output is lost and closed streams cause no unexpected errors."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from errno import EBADF
from io import BufferedReader, BufferedWriter, FileIO, RawIOBase, TextIOWrapper, UnsupportedOperation
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TextIO, cast

from brokerfuzz.secret_values import cleaned

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


_MAX_WAIT = 1.0
"""The maximum time, in seconds, that brokerfuzz waits until the last output of the targets is copied to standard error."""


def prepare() -> None:
    """Replaces the standard streams, even those that were closed when the process started. Python sets closed streams to None."""
    sys.stdin = sys.stdin or _unreadable()
    sys.stdout = cast("TextIO", CleanedStream(lossless(_with_own_descriptor(sys.stdout or _unwritable(), FileIO))))
    sys.stderr = cast("TextIO", CleanedStream(lossless(_with_own_descriptor(sys.stderr or _unwritable(), _ErrorIgnoring))))


@contextmanager
def output_of_targets() -> Iterator[None]:
    """In a `with` block, redirects the output of hooks, applications and worker processes to standard error, and removes secrets
    from this output. So standard output contains only the results.
    """
    with redirect_stdout(sys.stderr), _cleaned_descriptors():
        yield


@contextmanager
def _cleaned_descriptors() -> Iterator[None]:
    """Redirects the file descriptors 1 and 2 to a pipe, and copies the data from the pipe to `sys.stderr`, without secrets. This
    is necessary because native code and other processes do not use `sys.stdout` and `sys.stderr`.
    """
    if not _has_own_descriptor(sys.stderr):  # in tests
        yield
        return
    before = os.dup(1), os.dup(2)
    reading, writing = os.pipe()
    mark, copied = os.urandom(16).replace(b"\n", b"") + b"\n", Event()
    Thread(target=_copy, args=(reading, mark, copied), daemon=True).start()
    os.dup2(writing, 1)
    os.dup2(writing, 2)
    os.close(writing)
    try:
        yield
    finally:
        os.write(1, mark)  # marks the end of the output, because other programs may keep the pipe open
        copied.wait(_MAX_WAIT)
        for number, original in enumerate(before, 1):
            os.dup2(original, number)
            os.close(original)


def _copy(reading: int, mark: bytes, copied: Event) -> None:
    """Copies lines from the file descriptor `reading` to standard error. Sets the event `copied` after the line that ends with `mark`."""
    with open(reading, "rb") as lines:
        for line in lines:
            sys.stderr.write(line.removesuffix(mark).decode(errors="backslashreplace"))
            if line.endswith(mark):
                copied.set()


class CleanedStream:
    """Removes secrets, such as passwords, from each text that is written to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(cleaned(text))

    def writelines(self, lines: Iterable[str]) -> None:
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
    """The new stream escapes characters that its encoding cannot represent. The new stream has a buffer, because Python can
    lose bytes of an unbuffered stream (for example, if PYTHONUNBUFFERED is set).
    """
    if not isinstance(stream, TextIOWrapper):
        return stream
    if isinstance(stream.buffer, RawIOBase):
        encoding = stream.encoding
        stream = TextIOWrapper(BufferedWriter(stream.detach()), encoding=encoding, line_buffering=True)
    stream.reconfigure(errors="backslashreplace")
    return stream


def _with_own_descriptor(stream: TextIO, kind: type[FileIO]) -> TextIO:
    """Returns a stream with a file descriptor that no other code uses."""
    try:
        number = os.dup(stream.fileno())
    except UnsupportedOperation:  # in tests
        return stream
    return TextIOWrapper(kind(number, "w"), encoding=stream.encoding)


def _has_own_descriptor(stream: TextIO) -> bool:
    try:
        return stream.fileno() > 2
    except UnsupportedOperation:
        return False


class _ErrorIgnoring(FileIO):
    """Ignores errors when writing to standard error, so that the command continues and returns its exit status."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


class _Closed(RawIOBase):
    """Replaces standard input if it was closed when the process started."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        raise OSError(EBADF, os.strerror(EBADF), "standard input")
