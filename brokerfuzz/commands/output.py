"""Prints errors and notes, and defines the exit statuses."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import click

from brokerfuzz.errors import shortened
from brokerfuzz.exit_status import FAILED
from brokerfuzz.explaining.description import Description
from brokerfuzz.option import GIVEN
from brokerfuzz.reports.terminal_layout import width_of
from brokerfuzz.wording import printable_as_in_python

NAME = "brokerfuzz"
COMPLETE = f"_{NAME.upper()}_COMPLETE"
_COLOURS = {"- ": "green", "+ ": "red"}
"""The colour of lines that only the twin contains (`-`), and the colour of lines that only the message contains
(`+`).
"""


class UsageError(click.UsageError):
    """The options of a command are wrong. The error also tells the user how to print the help of the command."""

    def __init__(self, message: str) -> None:
        super().__init__(message, click.get_current_context())


def print_error(line: str) -> int:
    """Returns the exit status."""
    text = " ".join(line.split())
    click.echo(f"{NAME}: {shortened(text if text.isprintable() else text.encode('unicode_escape').decode())}", err=True)
    return FAILED


def print_json(value: Any, *, indent: int | None = 2, err: bool = False) -> None:
    click.echo(json.dumps(value, indent=indent), err=err)


def print_lines(lines: Iterable[str]) -> None:
    click.echo("".join(f"{line}\n" for line in lines), nl=False)


def show(summary: Description, *, as_json: bool, indent: int | None = 2) -> None:
    print_json(summary.data, indent=indent) if as_json else print_lines(summary.text)


def show_message(summary: Description, *, as_json: bool) -> None:
    """Like `show`, but wraps sentences and colours the differences between a message and its twin (the valid
    counterpart).
    """
    if as_json:
        print_json(summary.data)
        return
    width = width_of(sys.stdout)
    for line in summary.text:
        if line.startswith((" ", "- ", "+ ")):  # a part of a message
            click.secho(line, fg=_COLOURS.get(line[:2]))
        else:
            print_lines(wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""])


def note_other_bodies(other_bodies: "Counter[str]") -> None:
    for name, count in other_bodies.items():
        bodies = "1 body that is not a message" if count == 1 else f"{count:,} bodies that are not messages"
        note(f"{name}: left out {bodies} of the contract")


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(GIVEN, {}).get("quiet"))


def note(line: str) -> None:
    """Prints a note to standard error, unless the user specified `--quiet`."""
    if is_quiet():
        return
    click.echo(f"{NAME}: {printable_as_in_python(line)}", err=True)
