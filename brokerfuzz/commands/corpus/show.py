import os
import re
from collections.abc import Iterator, Sequence

import click

from brokerfuzz.case_options import contract_of, filters_of, has_filters, message_types_of
from brokerfuzz.cases.case import Case
from brokerfuzz.commands.output import UsageError, print_json, show, show_message
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.corpus import read
from brokerfuzz.corpus.reading import records
from brokerfuzz.errors import CorpusError
from brokerfuzz.explaining.cases import case_data, case_line, in_corpora
from brokerfuzz.explaining.corpora import Overview
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import ShowOptions
from brokerfuzz.schemas import Contract

_DIGITS = 16
"""The number of digits in the ID of a case."""


@click.command("show", cls=SectionedCommand)
@click.argument("corpora", metavar="CORPUS... [ID]", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(ShowOptions)
def command(corpora: tuple[str, ...], options: ShowOptions) -> None:
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
    if paths and _is_id(last):
        if lists:
            raise UsageError("an ID cannot be combined with --cases or filters: remove the ID, or these options")
        _show_one(paths, last, contract, as_json=as_json)
    elif lists:
        _list(_chosen(corpora, contract, options), as_json=as_json)
    else:
        _show_all(corpora, as_json=as_json)


def _is_id(name: str) -> bool:
    if re.fullmatch("[0-9a-f]{4,16}", name) is None or os.path.lexists(name):
        return False
    if len(name) < _DIGITS:
        raise UsageError(
            f"{name} is neither a file nor a complete ID: specify a file, or all {_DIGITS} digits of the ID"
        )
    return True


def _show_all(corpora: Sequence[str], *, as_json: bool) -> None:
    overview = Overview()
    with ProgressLine("records") as progress:
        for number, (corpus, record) in enumerate(((path, record) for path in corpora for record in records(path)), 1):
            try:
                overview.add(record)
            except CorpusError as problem:
                raise CorpusError(f"{corpus}, case {record.id}: {problem}") from problem
            progress(number)
    show(overview.summary(), as_json=as_json)


def _chosen(corpora: Sequence[str], contract: Contract, options: ShowOptions) -> Iterator[Case]:
    message_types = message_types_of(options, contract)
    cases = (case for case in read(*corpora, contract=contract) if case.message_type in message_types)
    return (case for case in filters_of(options, contract).of(cases) if case.label in options["verdicts"])


def _list(cases: Iterator[Case], *, as_json: bool) -> None:
    if as_json:
        print_json({"cases": [case_data(case) for case in cases]})
        return
    for case in cases:
        click.echo(case_line(case))


def _show_one(paths: Sequence[str], wanted: str, contract: Contract, *, as_json: bool) -> None:
    found = in_corpora(paths, wanted, contract)
    if found is None:
        raise CorpusError(
            f"case {wanted} is not in {', '.join(paths)}: use `brokerfuzz corpus show --cases` to list the cases"
        )
    show_message(found, as_json=as_json)
