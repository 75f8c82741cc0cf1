"""Opens the files that users name, and says why a file cannot be read or written. Users also name folders, devices,
named pipes and links that lead to themselves.
"""

import errno
import os
import select
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LARGEST_CONTENTS = 256 * 1024 * 1024
"""The maximum size of a file that is read as a whole, in bytes. Devices such as `/dev/zero` would otherwise fill the
memory.
"""
_LONGEST_WAIT = 1.0
"""The time in which another process must open a named pipe for writing, in seconds."""

ErrorKind = Callable[[str], Exception]


@contextmanager
def read_errors(place: str | Path, error: ErrorKind, remedy: str) -> Iterator[None]:
    """If a file cannot be read in the `with` block, raises `error`, with what the user can do (`remedy`)."""
    try:
        yield
    except FileNotFoundError as problem:
        raise error(f"{place} does not exist: {remedy}") from problem
    except (OSError, ValueError) as problem:  # ValueError: the name contains NUL
        raise error(f"{place} cannot be read ({_reason(problem)}): {remedy}") from problem


@contextmanager
def write_errors(place: str | Path, error: ErrorKind) -> Iterator[None]:
    """If a file or a folder cannot be written in the `with` block, raises `error`."""
    try:
        yield
    except (OSError, ValueError) as problem:
        remedy = "specify a folder with write permission, or free disk space"
        raise error(f"{place} cannot be written ({_reason(problem)}): {remedy}") from problem


def _reason(problem: OSError | ValueError) -> str:
    return getattr(problem, "strerror", None) or " ".join(str(problem).split())


def read_file(path: str | Path, error: ErrorKind, remedy: str) -> bytes:
    """Returns the contents of a file. Raises `error` if it cannot be read, or is larger than `LARGEST_CONTENTS`."""
    with read_errors(path, error, remedy), open_file(path) as stream:
        contents = stream.read(LARGEST_CONTENTS + 1)
        if len(contents) > LARGEST_CONTENTS:
            raise OSError(errno.EFBIG, f"it has more than {LARGEST_CONTENTS // 1024**2} MiB")
    return contents


def open_file(path: str | Path) -> BinaryIO:
    """Opens a file. Raises `OSError` if this is impossible, and if no process writes to a named pipe."""
    return open(path, "rb", opener=_descriptor)


def _descriptor(path: str, flags: int) -> int:
    """Without the flag `O_NONBLOCK`, opening a named pipe would wait for a process that writes to it."""
    if not hasattr(os, "O_NONBLOCK"):  # Windows has no such pipes
        return os.open(path, flags)
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and not _has_writer(descriptor):
        os.close(descriptor)
        raise OSError(errno.EPIPE, "no process writes to this named pipe")
    os.set_blocking(descriptor, True)
    return descriptor


def _has_writer(pipe: int) -> bool:
    """Waits until a process has written to the pipe, and otherwise returns whether a process can still do so."""
    if select.select([pipe], [], [], _LONGEST_WAIT)[0]:
        return True
    try:
        os.read(pipe, 1)
    except BlockingIOError:
        return True
    return False
