import json
from itertools import chain
from typing import Any

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import FOUND
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.corpus.verifying import CorpusProblem, ExpiredCases, Verification
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import VerifyOptions
from brokerfuzz.schemas.instants import spell
from brokerfuzz.wording import counted, printable_as_in_python


@click.command("verify", cls=SectionedCommand)
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(VerifyOptions)
def command(corpora: tuple[str, ...], options: VerifyOptions) -> int:
    """Judge every case again. The output has one line for each problem.

    The command reports malformed records, duplicate cases, wrong verdicts, and cases that do not break the rule that
    they name. It also reports unknown techniques and tags, faults at a wrong place, and twins that are missing or not
    valid. A time-dependent case (see `export --clock`) is expired if its verdict is no longer correct. The command
    prints the number of expired cases and the first expired cases.

    The command stops with an error if the first ten lines of a file contain no case. If `export` split a corpus into
    shards, specify all of them, because the twin of a case can be in another shard.

    Exit status: 0 no problems; 1 problems or expired cases found; 2 usage error, or a corpus cannot be read.

    \b
    Examples:
      brokerfuzz corpus verify corpus.ndjson
      brokerfuzz corpus verify corpus-*-of-00008.ndjson --now 2030-01-01T00:00:00Z
      brokerfuzz corpus verify folder --json | jq '.wrong[].why'
    """
    as_json = options["json"]
    verification, count = Verification(contract=contract_of(options), now=options["now"]), 0
    with ProgressLine() as progress:
        try:
            for wrong in chain(*map(verification.of, corpora), verification.wrong_twins()):
                progress(verification.count)
                if wrong is not None:
                    progress.end()
                    click.echo(
                        _json(wrong, first=count == 0) if as_json else shortened(printable_as_in_python(str(wrong))),
                        nl=not as_json,
                    )
                    count += 1
        except CorpusError:
            if as_json and count:
                click.echo(_end(verification))
            raise
    if as_json:
        click.echo(f"{'' if count else _HEAD}{_end(verification)}")
    else:
        _print_expired(verification.expired)
        click.echo(f"{verification.count:,} cases judged again, {_found(count, verification.expired.count)} found")
    return FOUND if count or verification.expired.count else 0


def _found(problems: int, expired: int) -> str:

    counts = [counted(number, what) for number, what in ((problems, "problem"), (expired, "expired case")) if number]
    return " and ".join(counts) or "no problems"


def _print_expired(expired: ExpiredCases) -> None:

    if expired.count:
        click.echo(
            f"The verdicts of expired cases are no longer correct at {spell(expired.now)}. Export the corpus again. "
            "The first expired cases:"
        )
    for case in expired.first:
        click.echo(f"  {printable_as_in_python(str(case))}")


_HEAD = '{"wrong": ['


def _end(verification: Verification) -> str:
    """Returns the end of the JSON document, with the expired cases and the number of all cases. The command prints this
    end even if it cannot read a corpus completely.
    """
    expired = {"count": verification.expired.count, "first": list(map(_data, verification.expired.first))}
    return f'], "expired": {json.dumps(expired)}, "cases": {verification.count}}}'


def _json(wrong: CorpusProblem, *, first: bool) -> str:
    """Converts a problem to JSON. The command prints each problem immediately, because a corpus can have very many
    problems.
    """
    return f"{_HEAD if first else ','}\n  {json.dumps(_data(wrong))}"


def _data(problem: CorpusProblem) -> dict[str, Any]:
    return {"file": problem.name, "line": problem.line, "why": problem.why}
