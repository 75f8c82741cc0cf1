import sys
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from brokerfuzz import options
from brokerfuzz.cases.covering.tally import COUNTED
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.output import FOUND, note, note_other_bodies, print_json, print_lines
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.errors import ReportError
from brokerfuzz.explaining.coverage_summary import data, measure
from brokerfuzz.options import ONE_OF_MESSAGES
from brokerfuzz.reports import coverage_page, coverage_table, report_files
from brokerfuzz.schemas import MessageType


@click.command("coverage", short_help="Show which parts of the contract a corpus covers.")
@click.argument(
    "corpora", metavar="CORPUS...|-", nargs=-1, required=True, type=click.Path(allow_dash=True, readable=False)
)
@click.option("--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGE_TYPES),
              help=f"Type of the messages: {ONE_OF_MESSAGES}.  [default: brokerfuzz recognises the type by the "
                   f"properties]")  # fmt: skip
@click.option("--ndjson", is_flag=True, help="Read one message per line (default for .ndjson and .jsonl files).")
@click.option(
    "--missing",
    is_flag=True,
    help=(
        "Instead of the table, list everything that no message covers: rules, techniques, edges, ambiguities, and "
        "pairs of states."
    ),
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(readable=False),
    help="Also write the coverage as an HTML page, which replaces an existing file.",
)
@click.option("--fail-under", metavar="PERCENT", type=click.FloatRange(0, 100),
              help="Exit with status 1 if the corpus covers less than this percentage of the contract. The percentage "
                   "counts rules, techniques, "
              "edges (unusual valid values) and ambiguities.")  # fmt: skip
@options.now_option("Judge messages")
@options.contract_option
@options.json_option
def command(
    corpora: tuple[str, ...], message_type: "MessageType | None", ndjson: bool, missing: bool, html: str | None,
    fail_under: float | None, now: datetime | None, contract: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Show which parts of the contract a corpus covers, for each message type and for each site (a place in a message
    type).

    brokerfuzz counts five things: broken rules, techniques (ways to break a rule), edges (unusual valid values),
    ambiguities (questions that the contract leaves open), and pairs of states (such as absent or null) of two
    properties.

    A CORPUS is a file or folder that `export` wrote. A CORPUS can also be a file with one message, a file with one
    message per line, or recorded traffic (HAR). Techniques count only in files from `export`, which name the technique
    that breaks each rule.

    With --json, the output is one JSON document. The property "messages" of the document contains an object for each
    message type. The object of a message type has the properties "goals" and "sites". "goals" contains the numbers of
    covered rules, techniques, edges, ambiguities and pairs. "sites" lists what is covered and what is missing at each
    site. The property "left_out" of the document counts what brokerfuzz ignored: "other_traffic" is the number of
    recorded bodies that are not messages of the contract, and "type_unknown" is the number of messages whose type
    brokerfuzz could not recognise.

    Exit status: 0 success; 1 the coverage is below --fail-under; 2 usage error, or a corpus cannot be read.

    \b
    Examples:
      brokerfuzz coverage corpus.ndjson
      brokerfuzz coverage recorded.har tests/*.json --missing | grep '^rule'
      brokerfuzz coverage corpus.ndjson --html coverage.html --fail-under 90
    """

    demands = contract_of(contract)
    if html is not None:
        report_files.check_place(Path(html))
    with ProgressLine("messages") as progress:
        measured = measure(
            corpora, contract=demands, message_type=message_type, lines=ndjson, now=now, progress=progress
        )
    note_other_bodies(measured.others)
    if measured.ambiguous_type:
        first = measured.first_ambiguous_type
        note(
            f"left out {measured.ambiguous_type:,} messages that match several message types (the first is {first}): "
            "specify the type with --message"
        )
    tallies = list(measured.tallies.values())
    if html is not None:
        page = coverage_page.page(tallies, sources=corpora)
        if problem := report_files.attempt(html, partial(report_files.write_text, html, page)):
            raise ReportError(problem)
    if as_json:
        print_json(data(measured))
    else:
        print_lines(
            coverage_table.missing(tallies) if missing else coverage_table.lines(tallies, bars=sys.stdout.isatty())
        )
    share = 100 * measured.score(*COUNTED).share
    if fail_under is not None and share < fail_under:
        note(
            f"the corpus covers {share:.1f} % of the rules, techniques, edges and ambiguities, but --fail-under "
            f"requires {fail_under:g} %"
        )
        return FOUND
    return 0
