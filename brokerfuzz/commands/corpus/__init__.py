import click

from brokerfuzz.commands.corpus import diff, merge, minimize, show, verify


@click.group("corpus", short_help="Show, compare, merge, minimize and verify corpora.")
def command() -> None:
    """Show, compare, merge, minimize and verify corpora.

    A CORPUS is a file or a folder that `export` wrote. A file can be compressed (.gz, .zst). A folder must have the
    format `files` or `pytest`. If `export` split the corpus into several files (shards), specify all of them.

    \b
    Examples:
      brokerfuzz corpus show corpus.ndjson
      brokerfuzz corpus verify corpus.ndjson.gz && brokerfuzz corpus diff old.ndjson corpus.ndjson.gz
    """


for _module in (show, diff, merge, minimize, verify):
    command.add_command(_module.command)
