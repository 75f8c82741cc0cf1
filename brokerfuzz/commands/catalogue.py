import click

from brokerfuzz.case_options import check_filters, contract_of, filters_of, message_types_of
from brokerfuzz.cases.case import clock
from brokerfuzz.cases.catalogue import catalogue as cases_of
from brokerfuzz.commands.output import UsageError, print_json, print_lines
from brokerfuzz.explaining.cases import case_data, case_line
from brokerfuzz.explaining.corpora import Overview
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
    message_types = message_types_of(options, contract)
    check_filters(options, message_types, contract)
    chosen, overview, rows = filters_of(options, contract), Overview(), []
    for message_type in message_types:
        cases = chosen.of(cases_of(message_type, now=clock(options["now"]), contract=contract))
        for number, case in enumerate((case for case in cases if case.label in options["verdicts"]), 1):
            overview.add(case)
            if options["cases"] and options["json"]:
                rows.append({"number": number, **case_data(case)})
            elif options["cases"]:
                click.echo(f"{number:>6}  {case_line(case)}")
    if not overview.parts:
        raise UsageError(
            "no case matches the filters: remove or change --message, --verdict, --rule, --technique, --site or --tag"
        )
    found = overview.summary(names=True)
    if options["json"]:
        print_json({**found.data, **({"cases": rows} if options["cases"] else {})})
    elif not options["cases"]:
        print_lines(found.text)
