import click

from brokerfuzz.case_options import contract_of, message_types_of
from brokerfuzz.commands.output import UsageError, print_json, show
from brokerfuzz.corpus.formats.schema_bundle import bundled
from brokerfuzz.explaining import listings
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import RulesOptions


@click.command("rules", cls=SectionedCommand)
@on_command_line(RulesOptions)
def command(options: RulesOptions) -> None:
    """List what the contract requires (rules) and what it leaves open (ambiguities).

    \b
    Examples:
      brokerfuzz rules --message offer-creation-request
      brokerfuzz rules --ambiguities
      brokerfuzz rules --schema --message offer-creation-request
      brokerfuzz rules --json | jq '.rules[] | select(.keyword == "minimum")'
    """
    contract = contract_of(options)
    message_types = message_types_of(options, contract)
    if options["schema"]:
        if len(message_types) != 1:
            raise UsageError(f"--schema prints one schema: choose it with --message ({', '.join(message_types)})")
        print_json(bundled(contract, message_types[0]))
        return
    if options["techniques"]:
        found = listings.techniques()
    elif options["ambiguities"]:
        found = listings.ambiguities(contract, message_types)
    else:
        found = listings.rules(contract, message_types)
    show(found, as_json=options["json"])
