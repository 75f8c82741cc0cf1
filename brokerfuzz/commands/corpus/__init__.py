import click

from brokerfuzz.commands.corpus import diff, merge, minimize, show, verify


@click.group("corpus", short_help="Show, compare, merge, minimize and verify corpora.")
def command() -> None:
    """Show, compare, merge, minimize and verify corpora.

    A CORPUS is a file that `export` wrote. The corpus file can be compressed (.gz, .zst). If `export` split the corpus
    into several files, specify all these files, or only the list of the files (NAME.shards.json). A CORPUS can also be
    a folder that `export` wrote in one of the formats files and pytest.

    \b
    Examples:
      brokerfuzz corpus show corpus.ndjson
      brokerfuzz corpus verify corpus.ndjson.gz && brokerfuzz corpus diff old.ndjson corpus.ndjson.gz
    """


for _module in (show, diff, merge, minimize, verify):
    command.add_command(_module.command)
