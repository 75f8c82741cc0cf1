import click

from brokerfuzz.case_options import contract_of, message_type_of
from brokerfuzz.commands.output import note, note_other_bodies, show
from brokerfuzz.commands.progress import Progress
from brokerfuzz.exit_status import FOUND
from brokerfuzz.explaining.coverage import measure
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import CoverageOptions


@click.command("coverage", cls=SectionedCommand)
@click.argument("corpora", metavar="CORPUS...|-", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(CoverageOptions)
def command(corpora: tuple[str, ...], options: CoverageOptions) -> int:
    """Show which parts of the contract a corpus covers, for each message type and for each site (a place in a message
    type).

    brokerfuzz counts four things: broken rules, techniques (ways to break a rule), edges (unusual valid values), and
    ambiguities (questions that the contract leaves open).

    A CORPUS is a file or folder that `export` wrote, a file with one message, a file with one message per line, or
    recorded traffic (HAR). Techniques count only in files from `export`, which name them.

    Exit status: 0 success; 1 the coverage is below --fail-under; 2 usage error, or a corpus cannot be read.

    \b
    Examples:
      brokerfuzz coverage corpus.ndjson
      brokerfuzz coverage recorded.har tests/*.json --missing | grep '^rule'
      brokerfuzz coverage corpus.ndjson --fail-under 90
    """
    contract = contract_of(options)
    measured = measure(
        corpora, contract=contract, message_type=message_type_of(options, contract), lines=options["ndjson"],
        now=options["now"], counting=Progress("messages").counting,
    )  # fmt: skip
    note_other_bodies(measured.other_bodies)
    if skipped := measured.ambiguous_types:
        note(
            f"left out {len(skipped):,} messages that match several message types (the first is {skipped[0]}): "
            "specify the type with --message"
        )
    show(measured.summary(missing=options["missing"]), as_json=options["json"])
    share = 100 * measured.score.share
    fail_under = options["fail_under"]
    if fail_under is not None and share < fail_under:
        note(
            f"the corpus covers {share:.1f} % of the rules, techniques, edges and ambiguities, but --fail-under "
            f"requires {fail_under:g} %"
        )
        return FOUND
    return 0
