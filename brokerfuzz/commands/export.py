"""`export`: writes a corpus."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz import options
from brokerfuzz.commands.making import contract_of, plans_of, tell_unbroken
from brokerfuzz.commands.output import counted, counter
from brokerfuzz.options import MESSAGES, VERDICTS

if TYPE_CHECKING:
    from brokerfuzz.corpus import Summary
    from brokerfuzz.schemas import MessageType


@click.command("export", short_help="Write a corpus of labelled cases.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True, readable=False))
@options.message_option
@options.verdict_option
@options.choice_options
@options.seed_option
@options.count_option("of each message, after those of")
@options.random_option
@options.strength_option
@options.now_option("Make the cases")
@options.contract_option
@options.format_option
@options.force_option
@options.json_option
def command(
    out: str, message_types: "tuple[MessageType, ...]", fmt: str, force: bool, as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """Write a corpus: labelled cases, one a line of JSON, for any language to read.

    The catalogue comes first, random cases after it; the valid twin of a fault comes before it. OUT appears when all is
    written, and replaces what is there only with --force; - is standard output, and the summary goes to standard error.
    Give --now for a corpus that is the same tomorrow.

    \b
    Examples:
      brokerfuzz export corpus.ndjson --now 2025-06-15T12:00:00Z
      brokerfuzz export - --message offer-creation-request --verdict invalid | head -n 3
      brokerfuzz export small.ndjson --minimal --site 'productClusters[].products[].*'
      brokerfuzz export more.ndjson --random --count 10000 --seed 7
    """
    from brokerfuzz import corpus

    tell_unbroken(contract_of(given["contract"]), message_types or MESSAGES)
    cases = (case for plan in plans_of(message_types or MESSAGES, given) for _, case in plan.numbered())
    if out == "-":
        summary = corpus.dump(sys.stdout.buffer, cases, fmt=fmt)
    else:
        check_out(out, force=force)
        summary = corpus.write(out, cases, progress=counter(), fmt=fmt)
    _print_summary(summary, out, as_json=as_json)


def check_out(out: str, *, force: bool) -> None:
    from brokerfuzz.errors import CorpusError

    if os.path.lexists(out) and not Path(out).is_dir():
        if not Path(out).is_file():
            raise CorpusError(f"{out} is there and is no file: name one, or - for standard output")
        if not force:
            raise CorpusError(f"{out} is there already: add --force to replace it, or name another file")


def _print_summary(summary: "Summary", out: str, *, as_json: bool) -> None:
    by_message = {name: {label: summary.by_label.get((name, label), 0) for label in VERDICTS} for name in MESSAGES}
    written = {name: counts for name, counts in by_message.items() if any(counts.values())}
    err = out == "-"
    if as_json:
        import json

        click.echo(json.dumps({"out": out, "cases": summary.count, "messages": written}), err=err)
        return
    clear = "\r\x1b[K" if not err and sys.stderr.isatty() else ""
    click.echo(clear, nl=False, err=True)
    click.echo(f"{summary.count:,} cases written to {'standard output' if err else click.format_filename(out)}", err=err)
    for name, counts in written.items():
        click.echo(f"  {name}: {counted(counts)}", err=err)
