import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import click

from brokerfuzz import options
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.output import print_json, print_lines

if TYPE_CHECKING:
    pass


@click.command("explain", short_help="Explain a rule, technique or ambiguity.")
@click.argument("name", metavar="ID", shell_complete=options.known("explained"))
@options.now_option("Generate the example")
@options.contract_option
@options.json_option
def command(name: str, now: datetime | None, contract: str | None, as_json: bool) -> None:
    """Explain a rule, technique or ambiguity in plain words, with an example and its twin (the valid counterpart).

    \b
    Examples:
      brokerfuzz explain offer-creation-request/orderMinimum:minimum
      brokerfuzz explain numeric-string
      brokerfuzz explain cron-syntax
    """
    from brokerfuzz.explaining import explain as explained

    explanation = explained(name, contract=contract_of(contract), now=now)
    if as_json:
        print_json(explanation.data())
    else:
        print_lines(_wrapped(explanation.lines()))
        for line in explanation.example_lines():
            click.secho(line, fg={"- ": "green", "+ ": "red"}.get(line[:2]))


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines, wrapped to the width of the terminal."""
    from shutil import get_terminal_size
    from textwrap import wrap

    width = max(get_terminal_size().columns, 40) if sys.stdout.isatty() else sys.maxsize
    for line in lines:
        yield from wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
