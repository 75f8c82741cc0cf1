"""`coverage`: what a corpus covers of the contract."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING

import click

from brokerfuzz import options
from brokerfuzz.commands.making import contract_of
from brokerfuzz.commands.output import FOUND, clear_line, counter, note, print_json, print_lines, say_others
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.options import ONE_OF_MESSAGES

if TYPE_CHECKING:
    from brokerfuzz.schemas import MessageType


@click.command("coverage", short_help="Say what a corpus covers of the contract, and what not.")
@click.argument("corpora", metavar="CORPUS...|-", nargs=-1, required=True, type=click.Path(allow_dash=True, readable=False))
@click.option("--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGE_TYPES),
              help=f"What the messages are: {ONE_OF_MESSAGES}. Else told from their members.")  # fmt: skip
@click.option("--ndjson", is_flag=True, help="A message a line; so it is for .ndjson and .jsonl in any case.")
@click.option("--missing", is_flag=True, help="List what is not covered, a line each, instead of the table.")
@click.option("--html", metavar="FILE", type=click.Path(readable=False), help="Write a page to look at, too.")
@click.option("--force", is_flag=True, help="Replace the page where it is there already.")
@click.option("--fail-under", metavar="PERCENT", type=click.FloatRange(0, 100),
              help="Exit with status 1 where less is covered of all rules, techniques, edges and silences.")  # fmt: skip
@options.strength_option
@options.now_option("Judge as")
@options.contract_option
@options.json_option
def command(
    corpora: tuple[str, ...], message_type: "MessageType | None", ndjson: bool, missing: bool, html: str | None, force: bool,
    fail_under: float | None, strength: int, now: datetime | None, contract: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Say what a corpus covers of the contract, and what not: rules broken, techniques used, edges shown, silences
    touched, states that occur in pairs. Site by site, for each type that there are messages of.

    A CORPUS is one that `export` wrote, or any other: a message a file, a message a line, recorded traffic (HAR). Where
    a message that is not ours breaks one rule at one place, its technique is recognised if one of ours gives that value.

    With --json, one document: "messages" has "messages", "verdicts", "goals" (by kind: "covered" and "all") and "sites"
    (each "site", and by kind the names "covered" and "missing") of each type, "left_out" how many messages were not
    counted, as "other_traffic" or for "type_unknown".

    Exit status: 0 all is well, 1 less is covered than --fail-under wants, 2 something is wrong with the input.

    \b
    Examples:
      brokerfuzz coverage corpus.ndjson
      brokerfuzz coverage recorded.har tests/*.json --missing | grep '^rule'
      brokerfuzz coverage corpus.ndjson --html coverage.html --fail-under 90
    """
    from brokerfuzz.cases.covering.tally import COUNTED
    from brokerfuzz.explaining.coverages import data, measure
    from brokerfuzz.reports import coverage_page, coverage_table

    demands = contract_of(contract)
    if html is not None:
        coverage_page.check_path(html, force=force)
    measured = measure(corpora, contract=demands, message_type=message_type, lines=ndjson, now=now, strength=strength, progress=counter("messages"))
    clear_line()
    say_others(measured.others)
    if measured.untold:
        note(f"left out {measured.untold:,} that may be of several types (the first is {measured.first_untold}): say which with --message")
    tallies = list(measured.tallies.values())
    if html is not None:
        coverage_page.write(html, coverage_page.page(tallies, sources=corpora))
    if as_json:
        print_json(data(measured))
    else:
        print_lines(coverage_table.missing(tallies) if missing else coverage_table.lines(tallies, bars=sys.stdout.isatty()))
    share = 100 * measured.score(*COUNTED).share
    if fail_under is not None and share < fail_under:
        note(f"{share:.1f} % of the rules, techniques, edges and silences are covered, less than {fail_under:g} %")
        return FOUND
    return 0
