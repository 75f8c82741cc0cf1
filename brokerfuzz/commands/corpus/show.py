import json
import os
import re
from collections.abc import Iterator, Sequence

import click

from brokerfuzz import options
from brokerfuzz.cases.case import Case
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.option_values import CaseFilters, typed_options
from brokerfuzz.commands.output import UsageError, print_explanation, print_json, print_lines
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.corpus import read
from brokerfuzz.corpus.reading import records
from brokerfuzz.errors import CorpusError
from brokerfuzz.explaining.catalogue_summary import listed, listed_data
from brokerfuzz.explaining.corpus_summary import Overview
from brokerfuzz.explaining.single_cases import find
from brokerfuzz.schemas import Contract, MessageType

_DIGITS = 16
"""The number of digits in the ID of a case."""


@click.command("show", short_help="Summarize corpora, list their cases, or show one case.")
@click.argument("corpora", metavar="CORPUS... [ID]", nargs=-1, required=True, type=click.Path(readable=False))
@click.option(
    "--cases",
    "listed",
    is_flag=True,
    help="List the cases, one per line. A filter, such as --rule, also turns on --cases.",
)
@options.message_option
@options.verdict_option
@options.choice_options
@options.contract_option
@options.json_option
@typed_options(filters=CaseFilters)
def command(
    corpora: tuple[str, ...],
    listed: bool,
    message_types: "tuple[MessageType, ...]",
    filters: CaseFilters,
    contract: str | None,
    as_json: bool,
) -> None:
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
    demands = contract_of(contract)
    *paths, last = corpora
    choosing = bool(message_types or filters)
    if paths and _is_id(last):
        if listed or choosing:
            raise UsageError("an ID cannot be combined with --cases or filters: remove the ID, or these options")
        _show_one(paths, last, demands, as_json=as_json)
    elif listed or choosing:
        _list(_chosen(corpora, demands, message_types or MESSAGE_TYPES, filters), as_json=as_json)
    else:
        _show_all(corpora, demands, as_json=as_json)


def _is_id(name: str) -> bool:
    if re.fullmatch("[0-9a-f]{4,16}", name) is None or os.path.lexists(name):
        return False
    if len(name) < _DIGITS:
        raise UsageError(
            f"{name} is neither a file nor a complete ID: specify a file, or all {_DIGITS} digits of the ID"
        )
    return True


def _show_all(corpora: Sequence[str], contract: "Contract", *, as_json: bool) -> None:

    overview = Overview(contract)
    with ProgressLine("records") as progress:
        for number, (corpus, record) in enumerate(((path, record) for path in corpora for record in records(path)), 1):
            try:
                overview.add(record)
            except CorpusError as problem:
                raise CorpusError(f"{corpus}, case {record.id}: {problem}") from problem
            progress(number)
    print_json(overview.data()) if as_json else print_lines(overview.lines())


def _chosen(
    corpora: Sequence[str], contract: "Contract", message_types: "Sequence[MessageType]", filters: CaseFilters
) -> "Iterator[Case]":

    wanted = filters.verdicts or LABELS
    cases = (case for case in read(*corpora, contract=contract) if case.message_type in message_types)
    return (case for case in filters.selection(contract).of(cases) if case.label in wanted)


def _list(cases: "Iterator[Case]", *, as_json: bool) -> None:
    """Prints one line per case, or one JSON document. The first cases appear before the whole corpus has been read."""

    before = '{"cases": ['
    for case in cases:
        click.echo(f"{before}\n  {json.dumps(listed_data(case))}" if as_json else listed(case), nl=not as_json)
        before = ","
    if as_json:
        click.echo(f"{'' if before == ',' else before}\n]}}")


def _show_one(paths: Sequence[str], wanted: str, contract: "Contract", *, as_json: bool) -> None:

    found = find(paths, wanted, contract=contract)
    if found is None:
        raise CorpusError(
            f"case {wanted} is not in {', '.join(paths)}: use `brokerfuzz corpus show --cases` to list the cases"
        )
    if as_json:
        print_json(found.data())
        return
    print_explanation(found.lines())
