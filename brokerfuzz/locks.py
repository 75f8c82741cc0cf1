"""Locks files and folders, so that two processes do not write to the same file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Waits until no other process holds the lock of a folder, and locks it until the `with` block or the process
    ends.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        lock(descriptor, waits=True)
        yield
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, waits: bool = False) -> bool:
    """Locks a file. If another process has locked the file, returns False, or waits if `waits` is true. On Windows,
    does nothing and returns True.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
