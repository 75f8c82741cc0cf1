from itertools import chain
from typing import Any

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import FOUND, print_json, print_lines
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.corpus.verifying import CorpusProblem, Verification
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

    The command reports malformed records, wrong verdicts, and cases that do not break the rule that
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
    verification = Verification(contract=contract_of(options), now=options["now"])
    problems: list[CorpusProblem] = []
    with ProgressLine() as progress:
        try:
            for problem in chain(*map(verification.of, corpora), verification.wrong_twins()):
                progress(verification.count)
                if problem is not None:
                    problems.append(problem)
        except CorpusError:
            if problems:
                progress.end()
                _print(problems, verification, as_json=options["json"])
            raise
    _print(problems, verification, as_json=options["json"])
    return FOUND if problems or verification.expired.count else 0


def _print(problems: list[CorpusProblem], verification: Verification, *, as_json: bool) -> None:
    expired = verification.expired
    if as_json:
        first = {"count": expired.count, "first": list(map(_data, expired.first))}
        print_json({"wrong": list(map(_data, problems)), "expired": first, "cases": verification.count})
        return
    print_lines(shortened(printable_as_in_python(str(problem))) for problem in problems)
    if expired.count:
        click.echo(
            f"The verdicts of expired cases are no longer correct at {spell(expired.now)}. Export the corpus again. "
            "The first expired cases:"
        )
        print_lines(f"  {printable_as_in_python(str(case))}" for case in expired.first)
    counts = {"problem": len(problems), "expired case": expired.count}
    found = " and ".join(counted(number, what) for what, number in counts.items() if number) or "no problems"
    click.echo(f"{verification.count:,} cases judged again, {found} found")


def _data(problem: CorpusProblem) -> dict[str, Any]:
    return {"file": problem.name, "line": problem.line, "why": problem.why}
