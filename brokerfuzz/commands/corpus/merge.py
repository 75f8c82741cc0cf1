import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.corpus.results import check_out, print_written, write
from brokerfuzz.corpus.comparing import merged
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import MergeOptions


@click.command("merge", cls=SectionedCommand)
@click.argument("out", metavar="OUT|-", type=click.Path(readable=False))
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(MergeOptions)
def command(out: str, corpora: tuple[str, ...], options: MergeOptions) -> None:
    """Merge several corpora into one. The new corpus contains each case once. The cases of the first CORPUS come first,
    then those of the second, and so on. An invalid case that comes before its twin (the valid counterpart) moves to the
    end.

    brokerfuzz judges every case again. If several cases have the same bytes, the new corpus contains only the first of
    these cases. OUT is the path or URL of the new ndjson file. The file is compressed if its name ends in .gz or .zst.

    \b
    Examples:
      brokerfuzz corpus merge all.ndjson catalogue.ndjson random.ndjson.gz
      brokerfuzz corpus merge whole.ndjson corpus-*-of-00008.ndjson
    """
    check_out(out, force=options["force"])
    summary = write(out, merged(corpora, contract=contract_of(options)))
    print_written(summary, out, as_json=options["json"])
