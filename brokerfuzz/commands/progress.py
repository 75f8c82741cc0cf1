"""Shows the progress of a command on one line of the terminal."""

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from types import FrameType
from typing import TYPE_CHECKING, Self, TypeVar

import click

from brokerfuzz.commands.output import NAME
from brokerfuzz.wording import counted, printable

if TYPE_CHECKING:
    from brokerfuzz.campaign.results import CampaignProgress

_EVERY, _EVERY_IN_LOG = 0.2, 30.0
"""The number of seconds between two changes of the line, and between two lines if there is no terminal."""
_LONGEST_IN_LOG = 300
_Item = TypeVar("_Item")


class ProgressLine:
    """A line with the number of finished items, the total, the speed and the remaining time.

    While the line is shown, Ctrl-C ends the command even if a library catches `KeyboardInterrupt`. For example,
    jsonschema-rs may catch it while it reads a number, and then treat the number as invalid.
    """

    def __init__(self, what: str = "cases") -> None:
        self.done = 0
        self.total: int | None = None
        self._what, self._begun = what, time.monotonic()
        self._was_interrupted = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def counting(self, items: Iterable[_Item], total: int | None = None) -> Iterator[_Item]:
        """Yields the items, and counts them. Raises `KeyboardInterrupt` if Ctrl-C has been pressed."""
        self.total = total or self.total
        first, shown, before = time.monotonic(), time.monotonic(), self.done
        for item in items:
            self.done += 1
            if self._was_interrupted:
                raise KeyboardInterrupt
            now = time.monotonic()
            if now - shown >= _EVERY:
                shown = now
                show_line(self._line((self.done - before) / (now - first)))
            yield item

    def _line(self, rate: float) -> str:
        if self.total is None:
            return f"{self.done:,} {self._what}, {rate:,.0f} per second"
        minutes, seconds = divmod(max(round((self.total - self.done) / rate), 0), 60)
        left = f"{minutes}:{seconds:02} left"
        return f"{self.done:,} of {self.total:,} {self._what}, {rate:,.0f} per second, {left}"

    def __enter__(self) -> Self:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *raised: object) -> None:
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        show_line("")

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._was_interrupted = True
        signal.default_int_handler(number, frame)


def show_line(text: str) -> None:
    """Replaces the line on the terminal. A longer line would not be replaced, because the terminal would wrap it."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{_shortened(text, get_terminal_size().columns)}", nl=False, err=True, color=True)


@contextmanager
def campaign_line() -> Iterator[Callable[["CampaignProgress"], None]]:
    """Yields a function that shows the progress of a campaign. Without a terminal, the function writes a line twice a
    minute.
    """
    written = 0.0

    def show(progress: "CampaignProgress") -> None:
        nonlocal written
        show_line(_campaign_line(progress))
        if not sys.stderr.isatty() and progress.seconds >= written + _EVERY_IN_LOG:
            written = progress.seconds
            click.echo(_shortened(f"{NAME}: {_campaign_line(progress)}", _LONGEST_IN_LOG), err=True)

    try:
        yield show
    finally:
        show_line("")


def _campaign_line(progress: "CampaignProgress") -> str:
    """For example, `firing: 300 of 1,000 cases, 4,000 requests/s, 2 problems: crash (status 500), ignores unknown
    properties`.
    """
    cases = f"{progress.cases:,} of {progress.total:,} cases" if progress.total else f"{progress.cases:,} cases"
    line = f"{progress.phase}: {cases}, {progress.rate:,.0f} requests/s"
    if not progress.problems:
        return line
    return f"{line}, {counted(len(progress.problems), 'problem')}: {printable(', '.join(progress.problems))}"


def _shortened(line: str, width: int) -> str:
    return line if len(line) < width else f"{line[: width - 2]}…"
