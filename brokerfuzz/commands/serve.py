import subprocess
from datetime import datetime
from typing import Any

import click

from brokerfuzz import options
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.output import UsageError, print_json, print_lines
from brokerfuzz.explaining.listings import bug_rows, table
from brokerfuzz.service import running


@click.command("serve", short_help="Run the reference service, with or without seeded bugs.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=int, default=8080, show_default=True, help="Port to listen on. 0 selects any free port.")
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@options.bug_option
@click.option("--list-bugs", is_flag=True, help="List the names that you can use with --bug, and exit.")
@click.option(
    "--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="Seed for the random products and prices."
)
@options.now_option("Judge messages")
@options.contract_option
@options.json_option
def command(
    words: tuple[str, ...], host: str, port: int, bugs: tuple[str, ...], list_bugs: bool, seed: int,
    now: datetime | None, contract: str | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Run the reference service. The service follows the contract, except for the bugs that you add with --bug.

    The service receives offers at POST /offers. The service also returns valid products at GET /products, and valid
    prices at POST /pricing. When the service is ready, brokerfuzz prints its address. Press Ctrl-C to stop the service.
    If you add a COMMAND after --, brokerfuzz runs the COMMAND when the service is ready, and stops the service when the
    COMMAND ends.

    Exit status: the exit status of the COMMAND; without a COMMAND, 0 after Ctrl-C; 2 usage error, or the service cannot
    start.

    \b
    Examples:
      brokerfuzz serve --port 0
      brokerfuzz serve --bug accepts-zero-order-minimum
      brokerfuzz serve --port 8080 -- curl -i http://127.0.0.1:8080/products
      brokerfuzz serve --list-bugs
    """
    if list_bugs:
        rows = bug_rows()
        print_json({"bugs": rows}) if as_json else print_lines(table(rows, ["name", "kind", "text"]))
        return 0

    settings: dict[str, Any] = {
        "host": host,
        "port": port,
        "bugs": bugs,
        "contract": contract_of(contract),
        "now": now,
        "seed": seed,
    }
    if words:
        with running.running(**settings):
            return _status_of(words)

    def ready(url: str) -> None:
        print_json({"url": url, "bugs": list(bugs)}, indent=None) if as_json else click.echo(url)

    running.serve(**settings, ready=ready)
    return 0


def _status_of(words: tuple[str, ...]) -> int:
    """Runs a command and returns its exit status."""

    try:
        status = subprocess.run(words, check=False).returncode
        return status if status >= 0 else 128 - status  # like a shell: 128 plus the number of the signal
    except OSError as problem:
        said = f"{words[0]} cannot be started ({problem.strerror or problem}): correct the command after --"
        raise UsageError(said) from problem
