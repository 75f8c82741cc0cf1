"""What commands print, and how they end."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz.contract_names import LABELS

if TYPE_CHECKING:
    pass


NAME = "brokerfuzz"
COMPLETE = f"_{NAME.upper()}_COMPLETE"
FOUND, FAILED, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


def failed(line: str) -> int:
    """Tells what is wrong, in one line that a terminal takes for text."""
    from brokerfuzz.errors import shortened

    words = " ".join(line.split())
    click.echo(f"{NAME}: {shortened(words if words.isprintable() else words.encode('unicode_escape').decode())}", err=True)
    return FAILED


def print_json(value: Any, *, indent: int | None = 2, err: bool = False) -> None:
    import json

    click.echo(json.dumps(value, indent=indent), err=err)


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def counted(counts: Any) -> str:
    return ", ".join(f"{counts[label]:,} {label}" for label in LABELS if label in counts)


def say_others(others: "Counter[str]") -> None:
    for name, count in others.items():
        bodies = "1 body that is no message" if count == 1 else f"{count:,} bodies that are no messages"
        note(f"{name}: left out {bodies} of the contract")


def note(line: str) -> None:
    """Says something beside the output."""
    from brokerfuzz.wording import printable_as_in_python

    click.echo(f"{NAME}: {printable_as_in_python(line)}", err=True)


def counter(what: str = "cases") -> Callable[[int], None] | None:
    """Keeps the number of cases written on a terminal's line; None where there is no terminal."""
    if not sys.stderr.isatty():
        return None

    def show(number: int) -> None:
        if number % 500 == 0:
            click.echo(f"\r{number:,} {what}", nl=False, err=True)

    return show


def clear_line() -> None:
    click.echo("\r\x1b[K" if sys.stderr.isatty() else "", nl=False, err=True)
