"""Shows the progress of a command on one line of the terminal. The line changes a few times per second."""

import sys
import time
from typing import Self

import click

from brokerfuzz.commands.interrupts import Interrupts

_EVERY = 0.2
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """A line on the terminal with the number of finished cases, the total, the speed and the remaining time.

    While the line is shown, Ctrl-C ends the command even if a library catches `KeyboardInterrupt` (see `Interrupts`).
    """

    def __init__(self, what: str = "cases") -> None:
        self._what, self._shown = what, sys.stderr.isatty()
        self._begun = self._last = time.monotonic()
        self._first: tuple[int, float] | None = None
        self._interrupts = Interrupts()
        self.total: int | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def say(self, words: str) -> None:
        """Shows a text on the line, instead of the progress."""
        if self._shown:
            click.echo(f"{_CLEAR}{words}", nl=False, err=True)

    def __call__(self, done: int) -> None:
        """Raises `KeyboardInterrupt` if Ctrl-C has been pressed."""
        self._interrupts.check()
        now = time.monotonic()
        if self._first is None:  # the speed is not known yet
            self._first = done, now
        elif self._shown and now - max(self._last, self._first[1]) >= _EVERY:
            self._last = now
            first, begun = self._first
            self.say(_line(self._what, done, self.total, (done - first) / max(now - begun, 1e-9)))

    def __enter__(self) -> Self:
        self._interrupts.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._interrupts.__exit__(*raised)
        self.end()

    def end(self) -> None:
        self.say("")


def _line(what: str, done: int, total: int | None, rate: float) -> str:
    if total is None or not rate:
        return f"{done:,} {what}, {rate:,.0f} per second"
    left = round((total - done) / rate)
    minutes, seconds = divmod(max(left, 0), 60)
    return f"{done:,} of {total:,} {what}, {rate:,.0f} per second, {minutes}:{seconds:02} left"
