import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click

from brokerfuzz.case_options import contract_of, filters_of, has_filters, message_types_of
from brokerfuzz.cases.case import Case
from brokerfuzz.commands.output import UsageError, print_json, print_lines, show, show_message
from brokerfuzz.commands.progress import Progress
from brokerfuzz.corpus import read
from brokerfuzz.corpus.comparing import compare
from brokerfuzz.corpus.reading import lines_of_corpus, records
from brokerfuzz.corpus.verifying import Verification
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.exit_status import FOUND
from brokerfuzz.explaining.cases import case_data, case_line, in_corpora
from brokerfuzz.explaining.corpora import Overview, differences
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import DiffOptions, ShowOptions, VerifyOptions
from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.instants import spell
from brokerfuzz.wording import counted, printable_as_in_python

_FEW = 5
"""The maximum number of expired cases that `verify` lists."""
_PATH = click.Path(readable=False)
_CORPORA = click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True, type=_PATH)


@click.group("corpus", short_help="Show, compare and verify corpora.")
def command() -> None:
    """Show, compare and verify corpora.

    A CORPUS is a file or a folder that `export` wrote. A file can be compressed (.gz, .zst). A folder must have the
    format `files` or `pytest`. If `export` split the corpus into several files (shards), specify all of them.

    \b
    Examples:
      brokerfuzz corpus show corpus.ndjson
      brokerfuzz corpus verify corpus.ndjson.gz && brokerfuzz corpus diff old.ndjson corpus.ndjson.gz
    """


# -------------------------------------------------------------------------------------------------------------- show


@command.command("show", cls=SectionedCommand, short_help="Show how many cases there are, or one of them.")
@click.argument("corpora", metavar="CORPUS... [ID]", nargs=-1, required=True, type=_PATH)
@on_command_line(ShowOptions)
def show_corpora(corpora: tuple[str, ...], options: ShowOptions) -> None:
    """Show the number of cases in corpora by message type and verdict, and how many rules and techniques the cases
    cover. The numbers come from the verdicts that are recorded in the corpora. Use `corpus verify` to judge the cases
    again, and `coverage` to list what the cases do not cover.

    With the ID of a case, show the message, the reason for its verdict, and the difference from its twin (the valid
    counterpart). With --cases, list the cases. With an ID or --cases, brokerfuzz judges the cases again.

    \b
    Examples:
      brokerfuzz corpus show corpus.ndjson
      brokerfuzz corpus show corpus.ndjson --cases --rule '*pageCount:minimum' --verdict invalid
      brokerfuzz corpus show corpus.ndjson 8125173fe510dc20
    """
    contract, as_json = contract_of(options), options["json"]
    *paths, last = corpora
    lists = options["cases"] or has_filters(options) or bool(options["message_types"])
    if paths and re.fullmatch("[0-9a-f]{16}", last) and not Path(last).exists():
        if lists:
            raise UsageError("an ID cannot be combined with --cases or filters: remove the ID, or these options")
        description = in_corpora(paths, last, contract)
        if description is None:
            remedy = "use `brokerfuzz corpus show --cases` to list the cases"
            raise CorpusError(f"case {last} is not in {', '.join(paths)}: {remedy}")
        show_message(description, as_json=as_json)
    elif not lists:
        show(_overview(corpora).summary(), as_json=as_json)
    elif as_json:
        print_json({"cases": [case_data(case) for case in _chosen(corpora, contract, options)]})
    else:
        for case in _chosen(corpora, contract, options):
            click.echo(case_line(case))


def _overview(corpora: Sequence[str]) -> Overview:
    overview = Overview()
    all_records = ((path, record) for path in corpora for record in records(path))
    for corpus, record in Progress("records").counting(all_records):
        try:
            overview.add(record)
        except CorpusError as problem:
            raise CorpusError(f"{corpus}, case {record.id}: {problem}") from problem
    return overview


def _chosen(corpora: Sequence[str], contract: Contract, options: ShowOptions) -> Iterator[Case]:
    message_types = message_types_of(options, contract)
    cases = (case for case in read(*corpora, contract=contract) if case.message_type in message_types)
    return (case for case in filters_of(options, contract).of(cases) if case.label in options["verdicts"])


# ------------------------------------------------------------------------------------------------------------ compare


@command.command("diff", cls=SectionedCommand)
@click.argument("before", metavar="BEFORE", type=_PATH)
@click.argument("after", metavar="AFTER", type=_PATH)
@on_command_line(DiffOptions)
def diff(before: str, after: str, options: DiffOptions) -> int:
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
    comparison = compare(*(Progress("records").counting(records(path)) for path in (before, after)))
    show(differences(comparison), as_json=options["json"])
    return 0 if comparison.same else FOUND


# ------------------------------------------------------------------------------------------------------------- verify


@command.command("verify", cls=SectionedCommand)
@_CORPORA
@on_command_line(VerifyOptions)
def verify(corpora: tuple[str, ...], options: VerifyOptions) -> int:
    """Judge every case again. The output has one line for each problem.

    Problems are malformed records, wrong verdicts, rules that a case names but does not break, unknown techniques and
    tags, faults at a wrong place, and twins that are missing or not valid. A time-dependent case (see `export --clock`)
    is expired if its verdict is no longer correct. If `export` split a corpus into shards, specify all of them, because
    the twin of a case can be in another shard.

    Exit status: 0 no problems; 1 problems or expired cases found; 2 usage error, or a corpus cannot be read.

    \b
    Examples:
      brokerfuzz corpus verify corpus.ndjson
      brokerfuzz corpus verify corpus-*-of-00008.ndjson --now 2030-01-01T00:00:00Z
      brokerfuzz corpus verify folder --json | jq '.wrong[].why'
    """
    verification, progress = Verification(contract_of(options), options["now"]), Progress()
    try:
        for path in corpora:
            with closing(lines_of_corpus(path)) as corpus_lines:
                verification.read(progress.counting(corpus_lines))
        verification.check_twins()
    except CorpusError:
        if verification.problems:
            _print_problems(verification, progress.done, as_json=options["json"])
        raise
    _print_problems(verification, progress.done, as_json=options["json"])
    return FOUND if verification.problems or verification.expired else 0


def _print_problems(verification: Verification, count: int, *, as_json: bool) -> None:
    problems, expired = verification.problems, verification.expired
    if as_json:
        wrong = [problem._asdict() for problem in problems]
        first = [problem._asdict() for problem in expired[:_FEW]]
        print_json({"wrong": wrong, "expired": {"count": len(expired), "first": first}, "cases": count})
        return
    print_lines(shortened(printable_as_in_python(str(problem))) for problem in problems)
    if expired:
        click.echo(
            f"The verdicts of expired cases are no longer correct at {spell(verification.now)}. Export the corpus "
            "again. The first expired cases:"
        )
        print_lines(f"  {printable_as_in_python(str(case))}" for case in expired[:_FEW])
    counts = {"problem": len(problems), "expired case": len(expired)}
    counts_in_words = " and ".join(counted(number, what) for what, number in counts.items() if number) or "no problems"
    click.echo(f"{count:,} cases judged again, {counts_in_words} found")
