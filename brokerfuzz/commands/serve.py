from datetime import datetime
from typing import TYPE_CHECKING

import click

from brokerfuzz import options
from brokerfuzz.commands.chosen_cases import contract_of
from brokerfuzz.commands.output import print_json, print_lines

if TYPE_CHECKING:
    pass


@click.command("serve", short_help="Run the reference service, with or without seeded bugs.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=int, default=8080, show_default=True, help="Port to listen on; 0 picks any free port.")
@options.bug_option
@click.option("--list-bugs", is_flag=True, help="List the bugs that --bug can switch on, and exit.")
@click.option("--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="Seed for the random products and prices.")
@options.now_option("Judge messages")
@options.contract_option
@options.json_option
def command(
    host: str, port: int, bugs: tuple[str, ...], list_bugs: bool, seed: int, now: datetime | None, contract: str | None, as_json: bool
) -> None:
    """Run the reference service. It follows the contract, except for the bugs that you seed with --bug.

    The service accepts offers at POST /offers. It returns valid products at GET /products and prices at POST /pricing.
    When the service is ready, it prints its address. Press Ctrl-C to stop the service.

    \b
    Examples:
      brokerfuzz serve --port 0
      brokerfuzz serve --bug accepts-zero-order-minimum
      brokerfuzz serve --list-bugs
    """
    if list_bugs:
        from brokerfuzz.explaining.listings import bug_rows, table

        rows = bug_rows()
        print_json({"bugs": rows}) if as_json else print_lines(table(rows, ["name", "kind", "text"]))
        return
    from brokerfuzz.service.running import serve as run

    def ready(url: str) -> None:
        print_json({"url": url, "bugs": list(bugs)}, indent=None) if as_json else click.echo(url)

    run(host, port, bugs=bugs, contract=contract_of(contract), now=now, seed=seed, ready=ready)
