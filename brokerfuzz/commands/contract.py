import warnings
from pathlib import Path

import click

from brokerfuzz.commands.output import FOUND, UsageError, print_lines, show
from brokerfuzz.explaining.contract_changes import changes
from brokerfuzz.option import SectionedCommand
from brokerfuzz.schemas import load_contract, new_contracts

_FOLDER = click.argument("folder", type=click.Path(readable=False))


@click.group("contract", short_help="Begin your own contract, and check what brokerfuzz can test of it.")
def command() -> None:
    """Begin your own contract, and check what brokerfuzz can test of it.

    FOLDER contains the files of your contract. It needs only the files that differ from those of the built-in contract.

    \b
    Examples:
      brokerfuzz contract new my-contract
      brokerfuzz contract new orders --from-openapi api.yaml --operation createOrder
      brokerfuzz contract check my-contract
    """


@command.command("check", cls=SectionedCommand)
@_FOLDER
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def check(folder: str, as_json: bool) -> int:
    """Show how the contract in FOLDER differs from the built-in one, rule by rule, and how many techniques break each
    new or changed rule. Ambiguities that no longer apply, and keywords that have no effect, are listed, too.

    Exit status: 0 every rule can be tested; 1 a rule cannot be tested, or a keyword has no effect; 2 usage error, or
    the contract cannot be used.

    \b
    Examples:
      brokerfuzz contract check my-contract
      brokerfuzz contract check my-contract --json
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are part of the output
        found, has_problem = changes(load_contract(folder))
    show(found, as_json=as_json)
    return FOUND if has_problem else 0


@command.command("new", cls=SectionedCommand)
@_FOLDER
@click.option(
    "--from-schema", metavar="FILE", help="Begin with a message type that has this JSON Schema (JSON or YAML)."
)
@click.option(
    "--from-openapi",
    metavar="FILE",
    help="Begin with the JSON request body of an operation in this OpenAPI 3 document (JSON or YAML).",
)
@click.option("--operation", metavar="ID", help="The operation: its operationId, or its route, such as 'POST /orders'.")
@click.option("--name", metavar="NAME", help="The name of the message type.  [default: from the file or operation]")
@click.pass_context
def new(
    ctx: click.Context,
    folder: str,
    from_schema: str | None,
    from_openapi: str | None,
    operation: str | None,
    name: str | None,
) -> int:
    """Write a contract into FOLDER, with a README that explains the files: a copy of the built-in contract, or one
    message type with a schema that you have. Then show what `contract check` says about it.

    \b
    Examples:
      brokerfuzz contract new my-contract
      brokerfuzz contract new orders --from-schema order-request.json
      brokerfuzz contract new orders --from-openapi api.yaml --operation createOrder
    """
    if from_schema and from_openapi:
        raise UsageError("--from-schema and --from-openapi exclude each other: use one of them")
    if bool(operation) != bool(from_openapi):
        raise UsageError("--from-openapi and --operation belong together: use both")
    if name and not from_schema and not from_openapi:
        raise UsageError("--name needs a schema: add --from-schema or --from-openapi")
    beginning = None
    if from_schema:
        beginning = new_contracts.from_schema(Path(from_schema), name)
    elif from_openapi and operation:
        beginning = new_contracts.from_openapi(Path(from_openapi), operation, name)
    new_contracts.new_contract(Path(folder), beginning)
    click.echo(
        f"{click.format_filename(folder)} written: edit its files, then run `brokerfuzz contract check {folder}`"
    )
    if beginning is None:
        return 0
    print_lines(f"note: {note}" for note in beginning.notes)
    status: int = ctx.invoke(check, folder=folder, as_json=False)
    return status
