from typing import Any

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import UsageError, print_json, print_lines
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
    contract, message_types = contract_of(options), options["message_types"]
    if options["schema"]:
        if len(message_types) != 1:
            raise UsageError(f"--schema prints one schema: choose it with --message ({', '.join(message_types)})")
        print_json(bundled(contract, message_types[0]))
        return
    if options["techniques"]:
        found = {"techniques": listings.technique_rows()}
        lines = listings.table(found["techniques"], ["name", "keywords", "text"])
    else:
        rules: Any = () if options["ambiguities"] else listings.rule_rows(contract, message_types)
        ambiguities = listings.ambiguity_rows(contract, message_types)
        found = {**({} if options["ambiguities"] else {"rules": rules}), "ambiguities": ambiguities}
        lines = iter([*listings.rule_lines(rules), *listings.ambiguity_lines(ambiguities)])
    print_json(found) if options["json"] else print_lines(lines)
