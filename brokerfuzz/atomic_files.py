"""Writes files that appear only when they are complete. The module can also write data in a background thread."""

import logging
import os
import shutil
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from glob import escape
from io import BufferedWriter, FileIO
from pathlib import Path
from secrets import token_hex
from threading import Event
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

if sys.platform != "win32":
    import fcntl

_log = logging.getLogger("brokerfuzz")
_NEW = 60.0
"""A temporary file that is less than `_NEW` seconds old may still be in use."""
_AT_ONCE = 32 * 1024 * 1024
"""The number of bytes that are written between two calls of `fsync`."""
_BEHIND = 8
"""The maximum number of pieces of data that wait for the writing thread."""


def temporary_name(name: str, end: str) -> str:
    """Returns a temporary name for a file or folder whose final name is `name`.

    The name is random, because processes in different containers can have the same process ID.
    """
    return f".{name}.{token_hex(4)}.{end}"


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C until the `with` block ends, so that a second Ctrl-C does not interrupt the cleanup after the first
    one.
    """
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
def held(path: Path, *, waits: bool = False) -> Iterator[None]:
    """Locks a file or folder, so that other processes see that it is in use. If `waits` is true, first waits until no
    other process has locked it. The lock ends with the `with` block or with the process.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        lock(descriptor, waits=waits)
        yield
    finally:
        os.close(descriptor)


def remove_leftovers(path: Path) -> None:
    """Removes the temporary files of `path` that killed processes have left, and logs a warning about each of them.

    Keeps temporary files that are younger than a minute, because their processes may not have locked them yet.
    """
    for left in path.parent.glob(f".{escape(path.name)}.????????.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _NEW and not left.is_symlink() and not _in_use(left):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
                _log.warning("brokerfuzz: removed %s, the temporary file of a process that was killed", left)


def _in_use(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return not lock(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, waits: bool = False) -> bool:
    """Locks a file. If another process has locked the file, returns False, or waits if `waits` is true. On Windows,
    does nothing and returns True, because Windows does not delete a file that a process has open.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a stream to a temporary file, which is renamed to `path` when everything is on the disk.

    If an exception is raised, the temporary file is removed.
    """
    remove_leftovers(path)
    part = path.with_name(temporary_name(path.name, "part"))
    try:
        with BufferedWriter(_SyncingFile(part, "xb")) as stream:
            lock(stream.fileno())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        with uninterrupted(), suppress(OSError):
            part.unlink(missing_ok=True)


class _SyncingFile(FileIO):
    """A file that calls `fsync` after every `_AT_ONCE` bytes, so that only little data is left for the last `fsync`."""

    _since = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        count = super().write(data)
        self._since += count
        if self._since >= _AT_ONCE:
            os.fsync(self.fileno())
            self._since = 0
        return count


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


def write_behind(stream: _Writable, pieces: Iterable[bytes]) -> None:
    """Writes pieces of data in a thread, so that Python can generate the next pieces while the thread writes and
    computes checksums.
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
