"""What is said of a corpus that was written."""

from typing import TYPE_CHECKING

import click

from brokerfuzz.commands.output import clear_line, counted, print_json
from brokerfuzz.options import MESSAGES, VERDICTS

if TYPE_CHECKING:
    from brokerfuzz.corpus import Summary


def print_written(summary: "Summary", out: str, *, as_json: bool, of: int | None = None) -> None:
    """How many cases of what were written, and of how many."""
    by_message = {name: {label: summary.by_label.get((name, label), 0) for label in VERDICTS} for name in MESSAGES}
    written = {name: counts for name, counts in by_message.items() if any(counts.values())}
    clear_line()
    if as_json:
        print_json({"out": out, "cases": summary.count, **({} if of is None else {"of": of}), "messages": written}, indent=None)
        return
    click.echo(f"{summary.count:,} cases{'' if of is None else f' of {of:,}'} written to {click.format_filename(out)}")
    for name, counts in written.items():
        click.echo(f"  {name}: {counted(counts)}")
