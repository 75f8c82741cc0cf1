"""Files that are whole or not there, and bytes that are written while the next ones are made."""

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
"""Bytes that are brought to the disk at once."""
_BEHIND = 8
"""Pieces that may wait to be written: as many as are made while the disk is busy."""


def own_name(name: str, end: str) -> str:
    """A name that nothing else has, for what is to be called `name` later. A process' number would not do: in containers it is always the same."""
    return f".{name}.{token_hex(4)}.{end}"


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Lets Ctrl-C wait until it is left: who presses it twice would leave behind what is being taken away after the first."""
    if threading.current_thread() is not threading.main_thread():  # only that one is interrupted
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
def whole(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file of a name of its own beside `path`, which takes the name `path` once all is written and on the disk.

    An existing file is replaced. Whatever is raised, nothing is left behind.
    """
    part = path.with_name(own_name(path.name, "part"))
    try:
        with BufferedWriter(_Steady(part, "xb")) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        with uninterrupted(), suppress(OSError):
            part.unlink(missing_ok=True)


class _Steady(FileIO):
    """A file that is brought to the disk as it is written: else the disk would have nothing to do while cases are made, and all of it at the end."""

    _since = 0

    def write(self, data: "ReadableBuffer", /) -> int:
        """Writes bytes, or some of them."""
        count = super().write(data)
        self._since += count
        if self._since >= _AT_ONCE:
            os.fsync(self.fileno())
            self._since = 0
        return count


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


def write_behind(stream: _Writable, pieces: Iterable[bytes]) -> None:
    """Writes pieces while the next ones are made: the system that writes, and a checksum, leave the interpreter to others meanwhile."""
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
