"""Formats text for a terminal: paragraphs of 80 columns, and entries with names. Lines are broken only between words."""

import sys
import textwrap
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import IO

import click

WIDTH = 80
_INDENT = 3
_NAME = 14
"""The width of the column for names."""


def width_of(stream: IO[str]) -> int:
    """Returns the number of columns of a terminal. Lines in files and pipes can have any length."""
    return max(get_terminal_size().columns, 40) if stream.isatty() else sys.maxsize


def paragraph(text: str, indent: int = 0, first: str = "") -> Iterator[str]:
    """The first line begins with `first` instead of spaces."""
    room = " " * indent
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first or room,
        subsequent_indent=room,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def entry(name: str, text: str) -> Iterator[str]:
    """The first column contains the name, and the second column contains the text."""
    lines = list(paragraph(text, _INDENT + _NAME))
    first = lines[0][_INDENT + _NAME :]
    yield f"{' ' * _INDENT}{click.style(name.ljust(_NAME), dim=True)}{first}"
    yield from lines[1:]


def verbatim(name: str, text: str) -> str:
    """Does not wrap the text, so that users can copy it."""
    return f"{' ' * _INDENT}{click.style(name.ljust(_NAME), dim=True)}{text}"
