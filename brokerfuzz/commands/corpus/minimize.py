from collections.abc import Iterable, Iterator
from datetime import datetime

import click

from brokerfuzz import corpus, options
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.corpus_minimizer import minimized
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.corpus.results import check_out, print_written, write
from brokerfuzz.commands.progress import ProgressLine


@click.command("minimize", short_help="Remove the cases that cover nothing new.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True, readable=False))
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@options.now_option("Judge messages")
@options.contract_option
@options.values_option
@options.force_option
@options.json_option
def command(
    out: str,
    corpora: tuple[str, ...],
    now: datetime | None,
    contract: str | None,
    values: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a smaller corpus with the same coverage. The new corpus begins with the cases that cover the largest part
    of the contract.

    The new corpus omits a case if other cases already cover the same parts of the contract. The new corpus also
    contains the twins (the valid counterparts) of its invalid cases. brokerfuzz judges every case again. To measure the
    coverage of a corpus, use `brokerfuzz coverage`. OUT is the path or URL of the new ndjson file. The file is
    compressed if its name ends in .gz or .zst.

    \b
    Examples:
      brokerfuzz corpus minimize small.ndjson corpus.ndjson
      brokerfuzz corpus minimize small.ndjson.zst random-*-of-00008.ndjson.zst
    """

    check_out(out, force=force)
    demands, counting = contract_of(contract, values), _Counting()
    cases = minimized(counting.through(corpus.read(*corpora, contract=demands)), demands, now)
    summary = write(out, cases)
    print_written(summary, out, as_json=as_json, total=counting.count)


class _Counting:
    def __init__(self) -> None:
        self.count = 0

    def through(self, cases: "Iterable[Case]") -> "Iterator[Case]":
        with ProgressLine("cases read") as progress:
            for case in cases:
                self.count += 1
                progress(self.count)
                yield case
