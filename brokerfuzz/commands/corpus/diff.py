import click

from brokerfuzz.commands.output import FOUND, show
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.corpus.comparing import compare
from brokerfuzz.explaining.corpora import differences
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import DiffOptions


@click.command("diff", cls=SectionedCommand)
@click.argument("before", metavar="BEFORE", type=click.Path(readable=False))
@click.argument("after", metavar="AFTER", type=click.Path(readable=False))
@on_command_line(DiffOptions)
def command(before: str, after: str, options: DiffOptions) -> int:
    """Show in about ten lines what changed between two corpora. For each site (a place in a message type), the output
    shows how many cases were added, removed or changed. A case has changed if its verdict, fault or ambiguity is
    different. The sites with the most differences come first. With --json, the output shows these numbers for each rule
    and technique.

    Two cases are the same case if their messages have the same bytes. The command ignores the order, the tags and the
    twins (valid counterparts) of the cases. To judge the cases again, use `corpus verify`.

    Exit status: 0 both corpora have the same cases; 1 the corpora differ; 2 usage error, or a corpus cannot be read.

    \b
    Examples:
      brokerfuzz corpus diff old.ndjson new.ndjson
      brokerfuzz corpus diff corpus/data/offer-creation-request.ndjson mine.ndjson.gz --json
    """
    with ProgressLine("records") as progress:
        found = compare(before, after, progress=progress)
    show(differences(found), as_json=options["json"])
    return 0 if found.same else FOUND
