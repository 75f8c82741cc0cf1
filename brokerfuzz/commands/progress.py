"""Shows the progress of a command on one line of the terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TypeVar

import click

from brokerfuzz.commands.output import NAME
from brokerfuzz.wording import counted, printable

if TYPE_CHECKING:
    from brokerfuzz.campaign.results import CampaignProgress

_STEPS = 100
"""The number of items between two changes of the bar."""
_EVERY_IN_LOG = 30.0
"""The number of seconds between two lines about a campaign if there is no terminal."""
_LONGEST_IN_LOG = 300
_Item = TypeVar("_Item")


class Progress:
    """Counts items, and shows their number in a bar if standard error is a terminal."""

    def __init__(self, what: str = "cases") -> None:
        self.done = 0
        self._what = what

    def counting(self, items: Iterable[_Item], total: int | None = None) -> Iterator[_Item]:
        """Yields the items. `total` is their number, if it is known."""
        bar = click.progressbar(
            items, total, self._what, hidden=not sys.stderr.isatty(), show_pos=True, file=sys.stderr,
            update_min_steps=_STEPS,
        )  # fmt: skip
        with bar:
            for item in bar:
                self.done += 1
                yield item


def show_line(text: str) -> None:
    """Replaces the line on the terminal. A longer line would not be replaced, because the terminal would wrap it."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{_shortened(text, get_terminal_size().columns)}", nl=False, err=True, color=True)


@contextmanager
def campaign_line() -> Iterator[Callable[["CampaignProgress"], None]]:
    """Yields a function that shows the progress of a campaign. Without a terminal, the function writes a line twice a
    minute, and also if the campaign begins by waiting for the target.
    """
    written = 0.0

    def show(progress: "CampaignProgress") -> None:
        nonlocal written
        show_line(_campaign_line(progress))
        begins_to_wait = progress.waits and not progress.cases and not written
        if not sys.stderr.isatty() and (begins_to_wait or progress.seconds >= written + _EVERY_IN_LOG):
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
