"""Writes corpora, and prints a summary."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from brokerfuzz.cases.case import Case
from brokerfuzz.commands.output import print_json
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus import writing
from brokerfuzz.corpus.formats import format_of
from brokerfuzz.corpus.writing import Summary, check_place
from brokerfuzz.errors import CorpusError
from brokerfuzz.storage import place_of

STANDARD_OUTPUT = "-"


def check_out(out: str, *, force: bool) -> None:
    """Raises `CorpusError` if a corpus cannot be written to `out`."""
    if out != STANDARD_OUTPUT:
        form = format_of(out)
        if form.name != "ndjson":
            raise CorpusError(f"{out} has the suffix of the format `{form.name}`: use a name that ends in .ndjson")
        check_place(place_of(out), form, force=force)


def write(out: str, cases: Iterable[Case]) -> Summary:
    """Writes a corpus to standard output, to a path or to a URL. The corpus is compressed if its name ends in `.gz` or
    `.zst`.
    """
    if out == STANDARD_OUTPUT:
        return writing.dump(sys.stdout.buffer, cases)
    with ProgressLine() as progress:
        return writing.write(out, cases, progress=progress)


def print_written(
    summary: Summary,
    out: str,
    *,
    as_json: bool,
    data: Mapping[str, Any] | None = None,
    of: str = "",
    details: str = "",
    notes: Sequence[str] = (),
) -> None:
    """Prints the number of written cases: as JSON with more `data`, or as text with `details` and `notes`. `of` is the
    number of cases that were read. The summary goes to standard error if the corpus goes to standard output.
    """
    err = out == STANDARD_OUTPUT
    written = summary.by_message()
    if as_json:
        print_json({"out": out, "cases": summary.count, **(data or {}), "messages": written}, indent=None, err=err)
        return
    place = "standard output" if err else click.format_filename(out)
    counts = [f"{name}: {_in_words(counts)}" for name, counts in written.items()]
    click.echo(f"{summary.count:,} cases{of} written to {place}{details}", err=err)
    for line in (*notes, *counts):
        click.echo(f"  {line}", err=err)


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[label]:,} {label}" for label in LABELS if label in counts)
