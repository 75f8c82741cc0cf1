"""Handling of Ctrl-C and similar signals. A library can swallow the exception that a signal raises, so the signal is also recorded."""

import signal
import threading
from types import FrameType
from typing import Self


class Interrupts:
    """A context in which Ctrl-C raises `KeyboardInterrupt` as usual, and `check` raises it again if a library swallowed it.

    jsonschema-rs treats any exception raised while Python formats a number as an invalid number. Ctrl-C at such a moment would produce
    a wrong verdict instead of ending the command. Other threads and other signal handlers are not affected.
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
    """Makes these signals, such as `SIGTERM`, act like Ctrl-C: incomplete files are removed, and the findings so far are reported.

    A signal is skipped if it has another handler or the system does not have it.
    """
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _press_ctrl_c)


def _press_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Acts like Ctrl-C, even if Ctrl-C itself is ignored, as in the background processes of a shell."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)
