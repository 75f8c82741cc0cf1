"""`corpus`: what is done with corpora that are there."""

import click

from brokerfuzz.commands.corpus import diff, merge, minimize, show, verify


@click.group("corpus", short_help="Show, compare, merge, minimize and verify corpora.")
def command() -> None:
    """Show, compare, merge, minimize and verify corpora.

    A CORPUS is a file that `export` wrote, packed or not (.gz, .zst), its shards or their list (NAME.shards.json), or a
    folder of --format files.

    \b
    Examples:
      brokerfuzz corpus show corpus.ndjson
      brokerfuzz corpus verify corpus.ndjson.gz && brokerfuzz corpus diff old.ndjson corpus.ndjson.gz
    """


for _module in (show, diff, merge, minimize, verify):
    command.add_command(_module.command)
