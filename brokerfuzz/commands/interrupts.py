"""Handles Ctrl-C and similar signals. Python converts Ctrl-C to an exception, but a library can catch this exception by
mistake. For this case, the module also records that Ctrl-C was pressed.
"""

import signal
import threading
from types import FrameType
from typing import Self


class Interrupts:
    """Records whether Ctrl-C was pressed in a `with` block. Ctrl-C still raises `KeyboardInterrupt` as usual.

    If a library catches this exception, `check` raises a new `KeyboardInterrupt`. For example, jsonschema-rs may catch the
    exception while it reads a number, and then treat the number as invalid. Without `check`, the verdict would be wrong, and the
    command would continue.
    """

    def __init__(self) -> None:
        self._came = self._is_set = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
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
    """Interrupts the command like Ctrl-C. A shell can make a background process ignore Ctrl-C, but this function also interrupts
    such a process.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)
