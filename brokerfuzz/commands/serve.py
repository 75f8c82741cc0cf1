import subprocess
import sys
from contextlib import suppress
from time import sleep
from typing import Any

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import UsageError, print_json, show
from brokerfuzz.explaining.names import listing
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import ServeOptions
from brokerfuzz.service.running import running


@click.command("serve", cls=SectionedCommand)
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@on_command_line(ServeOptions)
def command(words: tuple[str, ...], options: ServeOptions) -> int:
    """Run the reference service. The service follows the contract, except for the bugs that you add with --bug.

    The service receives offers at POST /offers, and returns valid products at GET /products and valid prices at POST
    /pricing. With --contract, the routes are those in the file messages.json of your contract. Press Ctrl-C to stop the
    service. If you add a COMMAND after --, brokerfuzz runs it when the service is ready, and then stops the service.

    Exit status: the exit status of the COMMAND; without a COMMAND, 0 after Ctrl-C; 2 usage error, or the service cannot
    start.

    \b
    Examples:
      brokerfuzz serve --port 0
      brokerfuzz serve --bug accepts-zero-order-minimum
      brokerfuzz serve --port 8080 -- curl -i http://127.0.0.1:8080/products
      brokerfuzz serve --list-bugs
    """
    contract = contract_of(options)
    if options["list_bugs"]:
        show(listing(contract, "bug"), as_json=options["json"])
        return 0
    settings: dict[str, Any] = {
        "contract": contract,
        **{name: options[name] for name in ("host", "port", "bugs", "now", "seed")},
    }
    with running(**settings) as url, suppress(KeyboardInterrupt):
        if words:
            return _status_of(words)
        started = {"url": url, "bugs": list(options["bugs"])}
        print_json(started, indent=None) if options["json"] else click.echo(url)
        while True:
            sleep(60)
    return 0


def _status_of(words: tuple[str, ...]) -> int:
    try:
        status = subprocess.run(words, check=False, stdout=sys.stdout).returncode
        return status if status >= 0 else 128 - status  # like a shell: 128 plus the number of the signal
    except OSError as problem:
        explanation = f"{words[0]} cannot be started ({problem.strerror or problem}): correct the command after --"
        raise UsageError(explanation) from problem
