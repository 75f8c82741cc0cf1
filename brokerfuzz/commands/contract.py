import warnings
from pathlib import Path

import click

from brokerfuzz.commands.output import show
from brokerfuzz.exit_status import FOUND
from brokerfuzz.explaining.contract_changes import changes
from brokerfuzz.option import SectionedCommand
from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.contract_files import new_contract

_FOLDER = click.argument("folder", type=click.Path(readable=False))


@click.group("contract", short_help="Begin your own contract, and check what brokerfuzz can test of it.")
def command() -> None:
    """Begin your own contract, and check what brokerfuzz can test of it.

    FOLDER contains the files of your contract. It needs only the files that differ from those of the built-in contract.

    \b
    Examples:
      brokerfuzz contract new my-contract
      brokerfuzz contract check my-contract
    """


@command.command("check", cls=SectionedCommand, short_help="Show what differs, and what can be tested.")
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
        description, has_problem = changes(load_contract(folder))
    show(description, as_json=as_json)
    return FOUND if has_problem else 0


@command.command("new", cls=SectionedCommand, short_help="Write a copy of the built-in contract into FOLDER.")
@_FOLDER
def new(folder: str) -> None:
    """Write a copy of the built-in contract into FOLDER, with a README that explains the files.

    \b
    Example:
      brokerfuzz contract new my-contract
    """
    new_contract(Path(folder))
    click.echo(
        f"{click.format_filename(folder)} written: edit its files, then run `brokerfuzz contract check {folder}`"
    )
