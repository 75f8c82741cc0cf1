"""Handles Ctrl-C, similar signals, and code of users that ends the process. Python converts Ctrl-C to an exception, but
a library can catch this exception by mistake. For this case, the module also records that Ctrl-C was pressed.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, Self


class Interrupts:
    """Records whether Ctrl-C was pressed in a `with` block. Ctrl-C still raises `KeyboardInterrupt` as usual.

    If a library catches this exception, `check` raises a new `KeyboardInterrupt`. For example, jsonschema-rs may catch
    the exception while it reads a number, and then treat the number as invalid. Without `check`, the verdict would be
    wrong, and the command would continue.
    """

    def __init__(self) -> None:
        self._came = self._is_set = False

    def __enter__(self) -> Self:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._interrupted)
            self._is_set = True
        return self

    def __exit__(self, *raised: object) -> None:
        if self._is_set:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_set = False

    def check(self) -> None:
        """Raises `KeyboardInterrupt` if Ctrl-C was pressed in the `with` block."""
        if self._came:
            raise KeyboardInterrupt

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        signal.default_int_handler(number, frame)


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
