from pathlib import Path

import click

from brokerfuzz import configuration, options
from brokerfuzz.commands.chosen_cases import contract_of


@click.command("init", short_help="Write a configuration file that explains every setting.")
@click.argument("file", metavar="[FILE]", default="brokerfuzz.toml", type=click.Path(dir_okay=False))
@click.option(
    "--schema",
    is_flag=True,
    help="Print the JSON Schema that editors use to check configuration files. No file is written.",
)
@click.option(
    "--schema-beside",
    is_flag=True,
    help="Also write the JSON Schema next to FILE. The first line of FILE then tells editors to use this schema.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it already exists.")
@options.contract_option
def command(file: str, schema: bool, schema_beside: bool, force: bool, contract: str | None) -> None:
    """Write a configuration file that lists and explains every setting. In the new file, all settings are commented
    out.

    `fire` and `replay` search for a configuration in the current folder, and then in its parent folders inside the
    repository. They read the first one that they find. In each folder, brokerfuzz.toml takes precedence over a
    pyproject.toml with a [tool.brokerfuzz] section. Options on the command line override the configuration.

    \b
    Examples:
      brokerfuzz init
      brokerfuzz init tests/brokerfuzz.toml --schema-beside
      brokerfuzz init --schema > brokerfuzz.schema.json
    """

    if schema:
        click.echo(configuration.schema_text(), nl=False)
        return
    configuration.write_template(Path(file), force=force, contract=contract_of(contract), schema_beside=schema_beside)
    click.echo(f"{click.format_filename(file)} written: set your target in it, then run `brokerfuzz fire`")
