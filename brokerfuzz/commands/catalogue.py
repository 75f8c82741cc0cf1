from typing import Any

import click

from brokerfuzz.case_options import check_filters, contract_of, filters_of
from brokerfuzz.cases.case import clock
from brokerfuzz.cases.catalogue import catalogue as cases_of
from brokerfuzz.commands.output import UsageError, print_json, print_lines
from brokerfuzz.explaining.catalogue_summary import CaseCounts, entries, size_lines
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import CatalogueOptions


@click.command("catalogue", cls=SectionedCommand)
@on_command_line(CatalogueOptions)
def command(options: CatalogueOptions) -> None:
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
    contract = contract_of(options)
    check_filters(options, options["message_types"], contract)
    chosen, listed = filters_of(options, contract), options["cases"]
    sizes: dict[str, CaseCounts] = {}
    rows: list[Any] = []
    for message_type in options["message_types"]:
        cases = chosen.of(cases_of(message_type, now=clock(options["now"]), contract=contract))
        kept = (case for case in cases if case.label in options["verdicts"])
        if not listed:
            for case in kept:
                sizes.setdefault(message_type, CaseCounts()).add_case(case)
            continue
        for entry in entries(kept, contract):
            sizes.setdefault(message_type, CaseCounts()).add_case(entry.case)
            if options["json"]:
                rows.append(entry.data())
            else:
                click.echo(entry.line())
    if not sizes:
        raise UsageError(
            "no case matches the filters: remove or change --message, --verdict, --rule, --technique, --site or --tag"
        )
    if options["json"]:
        print_json(
            {"messages": {name: size.data() for name, size in sizes.items()}, **({"cases": rows} if listed else {})}
        )
    elif not listed:
        print_lines(size_lines(sizes))
