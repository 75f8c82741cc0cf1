"""`corpus merge`: several corpora as one."""

import click

from brokerfuzz import options
from brokerfuzz.commands.corpus.results import check_out, print_written, write
from brokerfuzz.commands.making import contract_of


@click.command("merge", short_help="Write several corpora as one.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True, readable=False))
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@options.contract_option
@options.force_option
@options.json_option
def command(out: str, corpora: tuple[str, ...], contract: str | None, force: bool, as_json: bool) -> None:
    """Write several corpora as one: each case once, in the order in which they come, the twin of a fault before it.

    Every case is judged again. Of records of the same bytes the first stays. OUT is ndjson, at a path or a URL; .gz and
    .zst at its end pack it.

    \b
    Examples:
      brokerfuzz corpus merge all.ndjson catalogue.ndjson random.ndjson.gz
      brokerfuzz corpus merge whole.ndjson corpus-*-of-00008.ndjson
    """
    from brokerfuzz.corpus.merging import merged

    check_out(out, force=force)
    summary = write(out, merged(corpora, contract=contract_of(contract)))
    print_written(summary, out, as_json=as_json)
