"""Ctrl-C, and what is treated as such; remembered, for what a signal raises in the midst of a library's work can be lost there."""

import signal
import threading
from types import FrameType
from typing import Self


class Interrupts:
    """Within it `KeyboardInterrupt` is raised by Ctrl-C as ever, and `check` raises it once more where nobody has seen it.

    jsonschema-rs takes whatever is raised while Python spells a number for it for a number that cannot be spelled: Ctrl-C in such a moment
    would be the end of a right verdict, and not that of the command. Nothing changes in other threads, and where another handler is set.
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
        """Raises `KeyboardInterrupt` if there was one."""
        if self._came:
            raise KeyboardInterrupt

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        signal.default_int_handler(number, frame)


def treat_as_ctrl_c(*names: str) -> None:
    """Has these signals, such as `SIGTERM`, do what Ctrl-C does: what is half-written is taken away, and what was found so far is reported.

    Nothing changes where another handler is set, or the system has no such signal.
    """
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _press_ctrl_c)


def _press_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Also where Ctrl-C itself is ignored, as by what a shell runs in the background."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)
