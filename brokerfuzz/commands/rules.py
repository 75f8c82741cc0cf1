import click

from brokerfuzz.case_options import contract_of, message_types_of
from brokerfuzz.commands.output import UsageError, print_json, show
from brokerfuzz.explaining.names import listing
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import RulesOptions
from brokerfuzz.schemas.schema_bundle import bundled


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
    kinds = ["technique"] if options["techniques"] else ["ambiguity"]
    if not options["techniques"] and not options["ambiguities"]:
        kinds = ["rule", "ambiguity"]
    show(listing(contract, *kinds, message_types=message_types), as_json=options["json"])
