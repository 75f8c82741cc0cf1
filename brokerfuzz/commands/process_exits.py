"""Prevents hooks and applications from ending the process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


@contextmanager
def refused_exits() -> Iterator[None]:
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
