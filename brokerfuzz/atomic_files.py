"""Writes files atomically, and writes bytes in the background while the next ones are generated."""

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
"""Number of bytes after which a file is synchronized with the disk."""
_BEHIND = 8
"""The maximum number of pieces that wait to be written while the disk is busy."""


def temporary_name(name: str, end: str) -> str:
    """Returns a unique temporary name for a file or folder that will be renamed to `name`. The name is random, because process IDs
    are not unique across containers.
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
    """Opens a stream that writes `path` atomically: to a temporary file next to it, which is renamed when everything is on the disk.

    An existing file is replaced. The temporary file is removed if an exception is raised.
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
    """A file that is synchronized with the disk regularly. So the disk already works while cases are generated."""

    _since = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        """Writes all or some of the bytes, and returns their number."""
        count = super().write(data)
        self._since += count
        if self._since >= _AT_ONCE:
            os.fsync(self.fileno())
            self._since = 0
        return count


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


def write_behind(stream: _Writable, pieces: Iterable[bytes]) -> None:
    """Writes pieces in a thread while the next ones are generated. This is faster, because writing and computing checksums do not
    hold Python's interpreter lock.
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
