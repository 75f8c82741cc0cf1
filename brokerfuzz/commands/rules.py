import click

from brokerfuzz import options
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.output import print_json, print_lines
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.corpus.formats.schema_bundle import bundled
from brokerfuzz.explaining import listings
from brokerfuzz.schemas import MessageType


@click.command("rules", short_help="List the rules of the contract and the questions that it leaves open.")
@options.message_option
@click.option(
    "--ambiguities",
    "kind",
    flag_value="ambiguities",
    help="List only the ambiguities (questions that the contract leaves open).",
)
@click.option(
    "--techniques",
    "kind",
    flag_value="techniques",
    help="List the techniques (ways to break a rule) instead of the rules.",
)
@click.option(
    "--schema",
    "kind",
    flag_value="schema",
    help="Print the JSON Schema of a message type in one piece. It does not contain the rules that JSON Schema cannot "
    "express.",
)
@options.contract_option
@options.json_option
def command(message_types: "tuple[MessageType, ...]", kind: str | None, contract: str | None, as_json: bool) -> None:
    """List what the contract requires (rules) and what it leaves open (ambiguities).

    \b
    Examples:
      brokerfuzz rules --message offer-creation-request
      brokerfuzz rules --ambiguities
      brokerfuzz rules --schema --message offer-creation-request
      brokerfuzz rules --json | jq '.rules[] | select(.keyword == "minimum")'
    """

    demands, wanted = contract_of(contract), message_types or MESSAGE_TYPES
    if kind == "schema":
        if len(wanted) != 1:
            raise click.UsageError(f"--schema prints one schema: choose it with --message ({', '.join(wanted)})")
        print_json(bundled(demands, wanted[0]))
        return
    if kind == "techniques":
        found = {kind: listings.technique_rows()}
        lines = listings.table(found[kind], ["name", "keywords", "text"])
    else:
        ambiguities = listings.ambiguity_rows(demands, wanted)
        found = (
            {"ambiguities": ambiguities}
            if kind
            else {"rules": listings.rule_rows(demands, wanted), "ambiguities": ambiguities}
        )
        lines = iter([*listings.rule_lines(found.get("rules", ())), *listings.ambiguity_lines(ambiguities)])
    print_json(found) if as_json else print_lines(lines)
