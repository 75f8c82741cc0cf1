from pathlib import Path

import click

from brokerfuzz import config
from brokerfuzz.case_options import contract_of
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import InitOptions


@click.command("init", cls=SectionedCommand)
@click.argument("file", metavar="[FILE]", default=config.NAME, type=click.Path(readable=False))
@on_command_line(InitOptions)
def command(file: str, options: InitOptions) -> None:
    """Write a configuration file that lists and explains every setting. In the new file, all settings are commented
    out.

    `fire` and `replay` search for a configuration in the current folder, and then in its parent folders inside the
    repository. They read the first one that they find. In each folder, brokerfuzz.toml takes precedence over a
    pyproject.toml with a [tool.brokerfuzz] section. Options on the command line override the configuration.

    \b
    Examples:
      brokerfuzz init
      brokerfuzz init tests/brokerfuzz.toml
    """
    config.write_template(Path(file), force=options["force"], contract=contract_of(options))
    click.echo(f"{click.format_filename(file)} written: set your target in it, then run `brokerfuzz fire`")
