"""The command `corpus verify` lists everything that is wrong with corpora."""

from typing import TYPE_CHECKING

import click

from brokerfuzz import options
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.output import FOUND
from brokerfuzz.commands.progress import ProgressLine

if TYPE_CHECKING:
    from brokerfuzz.corpus.verifying import CorpusProblem


@click.command("verify", short_help="Judge every case again and check the checksums.")
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@options.contract_option
@options.json_option
def command(corpora: tuple[str, ...], contract: str | None, as_json: bool) -> int:
    """Judge every case again, and check the checksums of corpora that consist of several files. The output has one line per
    problem.

    The command reports malformed lines, wrong verdicts and duplicate cases. If the corpus consists of several files, it also
    reports changed, missing and unlisted files. A truncated corpus cannot be verified. A file cannot be verified if none of
    its first ten lines contains a case. The command reads ndjson files and folders that `export --format files` wrote.

    Exit status: 0 no problems; 1 problems found; 2 usage error, or a corpus cannot be read.

    \b
    Examples:
      brokerfuzz corpus verify corpus.ndjson
      brokerfuzz corpus verify corpus.shards.json
      brokerfuzz corpus verify folder --json | jq '.wrong[].why'
    """
    from brokerfuzz.corpus.verifying import Verification
    from brokerfuzz.errors import CorpusError, shortened
    from brokerfuzz.wording import printable_as_in_python

    verification, count = Verification(contract=contract_of(contract)), 0
    with ProgressLine() as progress:
        try:
            for wrong in (wrong for corpus in corpora for wrong in verification.of(corpus)):
                progress(verification.count)
                if wrong is not None:
                    progress.end()
                    click.echo(_json(wrong, first=count == 0) if as_json else shortened(printable_as_in_python(str(wrong))), nl=not as_json)
                    count += 1
        except CorpusError:
            if as_json and count:
                click.echo(_end(verification.count))
            raise
    if as_json:
        click.echo(f"{'' if count else _HEAD}{_end(verification.count)}")
    else:
        problems = "1 problem" if count == 1 else f"{count:,} problems" if count else "no problems"
        click.echo(f"{verification.count:,} cases judged again, {problems} found")
    return FOUND if count else 0


_HEAD = '{"wrong": ['


def _end(cases: int) -> str:
    """Returns the end of the JSON document. It is also printed if the corpus cannot be read completely."""
    return f'], "cases": {cases}}}'


def _json(wrong: "CorpusProblem", *, first: bool) -> str:
    """Returns a problem as an item of the JSON document. Each problem is printed immediately, because there can be very many."""
    import json

    item = json.dumps({"file": wrong.name, "line": wrong.line or None, "why": wrong.why})
    return f"{_HEAD if first else ','}\n  {item}"
