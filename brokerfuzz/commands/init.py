"""`init`: a configuration to begin with."""

from pathlib import Path

import click

from brokerfuzz import options
from brokerfuzz.commands.making import contract_of


@click.command("init", short_help="Write a configuration to begin with.")
@click.argument("file", metavar="[FILE]", default="brokerfuzz.toml", type=click.Path(dir_okay=False))
@click.option("--schema", is_flag=True, help="Print the JSON Schema of configurations, for editors, and write nothing.")
@click.option("--schema-beside", is_flag=True, help="Write the JSON Schema beside FILE, and have FILE name it for editors.")
@click.option("--force", is_flag=True, help="Replace FILE where it is there already.")
@options.contract_option
def command(file: str, schema: bool, schema_beside: bool, force: bool, contract: str | None) -> None:
    """Write a configuration with every setting in it, each with what it means, commented out where it has a default.

    `fire` and `replay` read brokerfuzz.toml, or [tool.brokerfuzz] of pyproject.toml, of the current folder or one above it.
    What the command line says outranks it.

    \b
    Examples:
      brokerfuzz init
      brokerfuzz init tests/brokerfuzz.toml --schema-beside
      brokerfuzz init --schema > brokerfuzz.schema.json
    """
    from brokerfuzz import configuration

    if schema:
        click.echo(configuration.schema_text(), nl=False)
        return
    configuration.write_template(Path(file), force=force, contract=contract_of(contract), schema_beside=schema_beside)
    click.echo(f"{click.format_filename(file)} is written: name your target in it, then run `brokerfuzz fire`")
