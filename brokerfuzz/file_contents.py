"""Reads whole files that users name, such as settings, contracts and reports."""

import errno
import os
from pathlib import Path

LARGEST = 256 * 1024 * 1024
"""The maximum size of a file that is read as a whole, in bytes. Devices such as `/dev/zero` would otherwise fill the
memory.
"""


def read_file(path: str | Path) -> bytes:
    """Returns the contents of a file. A named pipe to which no process writes counts as empty. Raises `OSError` if the
    file cannot be read, or has more than `LARGEST` bytes.
    """
    with open(path, "rb", opener=_opened) as stream:
        contents = stream.read(LARGEST + 1)
    if len(contents) > LARGEST:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST // 1024**2} MiB")
    return contents


def _opened(path: str, flags: int) -> int:
    """Opens a file. Without the flag `O_NONBLOCK`, opening a named pipe would wait for a process that writes to it."""
    if not hasattr(os, "O_NONBLOCK"):  # Windows has no such pipes
        return os.open(path, flags)
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor
