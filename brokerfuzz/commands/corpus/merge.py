import click

from brokerfuzz import options
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.corpus.results import check_out, print_written, write
from brokerfuzz.corpus.merging import merged


@click.command("merge", short_help="Merge several corpora into one.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True, readable=False))
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@options.contract_option
@options.values_option
@options.force_option
@options.json_option
def command(
    out: str, corpora: tuple[str, ...], contract: str | None, values: str | None, force: bool, as_json: bool
) -> None:
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

    check_out(out, force=force)
    summary = write(out, merged(corpora, contract=contract_of(contract, values)))
    print_written(summary, out, as_json=as_json)
