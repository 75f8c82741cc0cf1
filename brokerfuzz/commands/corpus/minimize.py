from collections.abc import Iterable, Iterator

import click

from brokerfuzz import corpus
from brokerfuzz.case_options import contract_of
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.corpus_minimizer import minimized
from brokerfuzz.commands.corpus.results import check_out, print_written, write
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import MinimizeOptions


@click.command("minimize", cls=SectionedCommand)
@click.argument("out", metavar="OUT|-", type=click.Path(readable=False))
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(MinimizeOptions)
def command(out: str, corpora: tuple[str, ...], options: MinimizeOptions) -> None:
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
    check_out(out, force=options["force"])
    contract, counting = contract_of(options), _Counting()
    cases = minimized(counting.through(corpus.read(*corpora, contract=contract)), contract, options["now"])
    summary = write(out, cases)
    total = counting.count
    print_written(summary, out, as_json=options["json"], data={"of": total}, of=f" of {total:,}")


class _Counting:
    def __init__(self) -> None:
        self.count = 0

    def through(self, cases: Iterable[Case]) -> Iterator[Case]:
        with ProgressLine("cases read") as progress:
            for case in cases:
                self.count += 1
                progress(self.count)
                yield case
