"""Writes files that appear only when they are complete, and writes bytes in the background."""

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO
from pathlib import Path
from secrets import token_hex
from threading import Event
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_AT_ONCE = 32 * 1024 * 1024
"""The number of bytes after which a file is synchronized with the disk again."""
_BEHIND = 8
"""The maximum number of pieces that wait while the disk is busy."""


def temporary_name(name: str, end: str) -> str:
    """Returns a temporary name for a file or folder that will later be renamed to `name`.

    The name is random, because processes in different containers can have the same process ID.
    """
    return f".{name}.{token_hex(4)}.{end}"


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C until the block ends, so that a second Ctrl-C does not interrupt the cleanup after the first."""
    if threading.current_thread() is not threading.main_thread():  # Ctrl-C interrupts only the main thread
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a stream to a temporary file, which is renamed to `path` when everything is on the disk.

    An existing file is replaced. If an exception is raised, the temporary file is removed.
    """
    part = path.with_name(temporary_name(path.name, "part"))
    try:
        with BufferedWriter(_SyncingFile(part, "xb")) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        with uninterrupted(), suppress(OSError):
            part.unlink(missing_ok=True)


class _SyncingFile(FileIO):
    """A file that is regularly synchronized with the disk, so that the disk works while cases are generated."""

    _since = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        """Writes all or some of the bytes, and returns how many."""
        count = super().write(data)
        self._since += count
        if self._since >= _AT_ONCE:
            os.fsync(self.fileno())
            self._since = 0
        return count


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


def write_behind(stream: _Writable, pieces: Iterable[bytes]) -> None:
    """Writes pieces in a thread while the next pieces are generated.

    A thread is faster, because writing and computing checksums do not hold Python's interpreter lock.
    """
    failed = Event()

    def write(piece: bytes) -> None:
        if not failed.is_set():
            try:
                stream.write(piece)
            except BaseException:
                failed.set()
                raise

    with ThreadPoolExecutor(1) as writer:
        waiting: deque[Future[None]] = deque()
        for piece in pieces:
            if len(waiting) == _BEHIND:
                waiting.popleft().result()
            waiting.append(writer.submit(write, piece))
        for future in waiting:
            future.result()
