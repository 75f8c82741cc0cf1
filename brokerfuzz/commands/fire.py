from importlib import import_module

import click

from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import FireCommandOptions


@click.command("fire", cls=SectionedCommand)
@click.argument("url", required=False)
@on_command_line(FireCommandOptions, defaults=False)
def command(url: str | None, options: FireCommandOptions) -> int:
    """Send test messages to a target and report where its answers contradict the contract.

    The target is the service at URL, a command (--exec), a Python function (--call) or a Python application (--app).
    With --demo, brokerfuzz starts and tests its own reference service, with the bugs that you choose with --bug. If you
    continue a campaign with --resume, specify the target again.

    brokerfuzz first sends the cases of the catalogue (a fixed list), then random cases. For each contradiction (a
    finding), brokerfuzz prints the smallest message that causes it, and a command that reproduces it. A rejection of an
    invalid message counts only if the target accepts its twin (the valid counterpart). If the contract leaves a
    question open, brokerfuzz lists how the target behaves.

    You can store settings in brokerfuzz.toml: see `brokerfuzz init`.

    Exit status: 0 no new findings; 1 new findings; 2 usage error, target not reachable, campaign not finished, no
    result about the target, or report not written; 130 stopped with Ctrl-C.

    \b
    Examples:
      brokerfuzz fire --demo --bug accepts-zero-order-minimum
      brokerfuzz fire http://127.0.0.1:8000/offers -H 'Authorization: Bearer ...' --random 5000
      brokerfuzz fire http://127.0.0.1:8000/offers --journal run.ndjson --report report.html
      brokerfuzz fire http://127.0.0.1:8000/offers --resume run.ndjson
      brokerfuzz fire --exec 'node read.js' --message product-list-response
      brokerfuzz fire --app shop.main:app /offers
    """
    status: int = import_module("brokerfuzz.commands.fire_campaign").run(url, options)
    return status
