"""Replaces the standard streams, so that no output is lost and closed streams cause no unexpected errors. While hooks,
applications and other programs of the user run, also removes secrets from their output.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BufferedWriter, FileIO, TextIOWrapper, UnsupportedOperation
from threading import Thread
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from brokerfuzz.targets.masks import Masks


_MAX_WAIT = 0.2
"""The maximum time, in seconds, that brokerfuzz waits until the last output of the targets is copied to standard error.
Other programs may keep the pipe open.
"""
_CHUNK = 1 << 16


def prepare() -> None:
    """Replaces the standard streams. Python sets a stream that is closed when the process starts to None. Its
    descriptor stays open, because libraries such as uvloop abort if they get one of the first three descriptors.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, os.O_RDWR), mode, closefd=False))  # noqa: SIM115
    sys.stdout = _own(sys.stdout, FileIO)
    sys.stderr = _own(sys.stderr, _ErrorIgnoring)


_masks: list[Callable[[], "Masks"]] = []


def hide(masks: Callable[[], "Masks"]) -> None:
    """Removes these secrets from everything that `output_of_targets` redirects from now on. The function `masks` is
    called for each text, because hooks may return more secrets later.
    """
    _masks.append(masks)


@contextmanager
def output_of_targets() -> Iterator[None]:
    """In a `with` block, redirects the output of hooks, applications and worker processes to standard error, and
    removes secrets from this output. So standard output contains only the results. Code of the user cannot end the
    process.

    Native code and other processes do not use `sys.stdout` and `sys.stderr`. So a pipe replaces the file descriptors 1
    and 2, and a thread copies the data from the pipe to standard error.
    """
    _masks.clear()
    if not _has_own_descriptor(sys.stderr):  # in tests
        with redirect_stdout(sys.stderr), _refused_exits():
            yield
        return
    before = os.dup(1), os.dup(2)
    reading, writing = os.pipe()
    copying = Thread(target=_copy, args=(reading, sys.stderr), daemon=True)
    copying.start()
    os.dup2(writing, 1)
    os.dup2(writing, 2)
    os.close(writing)
    stream = _Piped(sys.stderr)  # it stays open, because an application may have passed it to a logger
    try:
        with redirect_stdout(stream), redirect_stderr(stream), _refused_exits():
            yield
    finally:
        stream.flush()
        for number, original in enumerate(before, 1):
            os.dup2(original, number)
            os.close(original)
        copying.join(_MAX_WAIT)


@contextmanager
def _refused_exits() -> Iterator[None]:
    """In the `with` block, `os._exit` raises `RuntimeError`. Otherwise, an application or a hook that calls
    `os._exit(0)` would end the command without a result, but with the exit status of a success. Child processes of the
    application can still call `os._exit`.
    """
    original, process = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != process:
            original(status)
        raise RuntimeError(f"os._exit({status}) was called")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = original


class _Piped(TextIOWrapper):
    """Writes to the pipe that replaces file descriptor 2. brokerfuzz shows its progress if `original` is a terminal."""

    def __init__(self, original: TextIO) -> None:
        stream = BufferedWriter(FileIO(2, "w", closefd=False))
        super().__init__(stream, encoding=original.encoding, errors="backslashreplace", line_buffering=True)
        self._original = original

    def isatty(self) -> bool:
        return self._original.isatty()


def _copy(reading: int, stream: TextIO) -> None:
    """Copies the data from the file descriptor `reading` to the stream, without secrets. Holds back the last bytes if a
    secret may begin with them.
    """
    rest, chunk = b"", b"..."
    while chunk:
        chunk, every = os.read(reading, _CHUNK), [masks() for masks in _masks]
        data = rest + chunk
        for masks in every:
            data = masks.hidden(data)
        begun = max((masks.begun(data) for masks in every), default=0) if chunk else 0
        data, rest = data[: len(data) - begun], data[len(data) - begun :]
        stream.buffer.write(data)
        stream.buffer.flush()
    os.close(reading)


def _own(stream: TextIO, kind: type[FileIO]) -> TextIO:
    """Returns a stream with a file descriptor that no other code uses. It escapes characters that its encoding cannot
    represent, and has a buffer, because Python can lose bytes of an unbuffered stream (with PYTHONUNBUFFERED).
    """
    try:
        buffer = BufferedWriter(kind(os.dup(stream.fileno()), "w"))
    except UnsupportedOperation:  # in tests
        return stream
    return TextIOWrapper(buffer, encoding=stream.encoding, errors="backslashreplace", line_buffering=True)


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
