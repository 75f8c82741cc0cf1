from datetime import datetime
from typing import Any

import click

from brokerfuzz import options
from brokerfuzz.cases.case import clock
from brokerfuzz.cases.catalogue import catalogue as cases_of
from brokerfuzz.commands.chosen_cases import NOTHING_LEFT, check_rules, check_testable, contract_of
from brokerfuzz.commands.option_values import CaseFilters, typed_options
from brokerfuzz.commands.output import UsageError, print_json, print_lines
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.explaining.catalogue_summary import CaseCounts, entries, size_lines
from brokerfuzz.schemas import MessageType


@click.command("catalogue", short_help="Show the catalogue (the fixed list of cases) and what it covers.")
@options.message_option
@options.verdict_option
@options.choice_options
@click.option("--cases", "listed", is_flag=True,
              help="List the cases, one per line. Each line also shows how many rules, techniques, edges, ambiguities "
                   "and pairs the "
              "case covers for the first time.")  # fmt: skip
@options.now_option("Generate the cases")
@options.contract_option
@options.values_option
@options.json_option
@typed_options(filters=CaseFilters)
def command(
    message_types: "tuple[MessageType, ...]", filters: CaseFilters, listed: bool, now: datetime | None,
    contract: str | None, values: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show what the catalogue contains: the number of cases by verdict, rule, technique and ambiguity.

    The catalogue is the fixed list of cases that brokerfuzz derives from the contract. `fire` sends the cases of the
    catalogue before random cases, and `export --full` writes them to a file. The catalogue begins with the cases that
    cover the largest part of the contract. A twin is the valid counterpart of an invalid case.

    \b
    Examples:
      brokerfuzz catalogue
      brokerfuzz catalogue --message offer-creation-request --cases | head -n 50
      brokerfuzz catalogue --rule '*pageCount:minimum*' --cases
      brokerfuzz catalogue --cases --json > manifest.json
    """

    demands = contract_of(contract, values)
    check_rules(filters, message_types or MESSAGE_TYPES, demands)
    check_testable(filters, message_types or MESSAGE_TYPES, demands)
    chosen, wanted = filters.selection(demands), filters.verdicts or LABELS
    sizes: dict[str, CaseCounts] = {}
    rows: list[Any] = []
    for message_type in message_types or MESSAGE_TYPES:
        cases = chosen.of(cases_of(message_type, now=clock(now), contract=demands))
        kept = (case for case in cases if case.label in wanted)
        if not listed:
            for case in kept:
                sizes.setdefault(message_type, CaseCounts()).add(case)
            continue
        for entry in entries(kept, demands):
            sizes.setdefault(message_type, CaseCounts()).add(entry.case)
            if as_json:
                rows.append(entry.data())
            else:
                click.echo(entry.line())
    if not sizes:
        raise UsageError(NOTHING_LEFT)
    if as_json:
        print_json(
            {"messages": {name: size.data() for name, size in sizes.items()}, **({"cases": rows} if listed else {})}
        )
    elif not listed:
        print_lines(size_lines(sizes))
