"""Handles signals that are similar to Ctrl-C, and code of users that ends the process."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


def treat_as_ctrl_c(*names: str) -> None:
    """After signals such as `SIGTERM`, brokerfuzz removes incomplete files and reports its findings, as after Ctrl-C.

    The function ignores signals that already have a handler, and signals that the operating system lacks.
    """
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _press_ctrl_c)


def _press_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Interrupts the command like Ctrl-C. A shell can make a background process ignore Ctrl-C, but this function also
    interrupts such a process.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)


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
