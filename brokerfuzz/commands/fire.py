"""`fire`: cases at a target."""

import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz import options
from brokerfuzz.commands.making import chosen_cases, contract_of, random_count, tell_unbroken
from brokerfuzz.commands.output import INTERRUPTED
from brokerfuzz.options import MESSAGES, VERDICTS

if TYPE_CHECKING:
    from brokerfuzz.campaign import Options, Result
    from brokerfuzz.schemas import Contract
    from brokerfuzz.targets import HttpTarget


@click.command("fire", short_help="Fire cases at a service, report what it does wrong.")
@click.argument("url", required=False)
@click.option("--method", default="POST", show_default=True, help="The HTTP method.")
@click.option("-H", "--header", "headers", metavar="NAME:VALUE", callback=options.headers, multiple=True, help="Send this header (repeatable).")
@click.option("--concurrency", metavar="NUMBER", type=click.IntRange(min=1), default=16, show_default=True, help="Requests on their way at once.")
@click.option("--rate", metavar="NUMBER", type=float, callback=options.above_zero, help="Requests a second at the most.")
@click.option(
    "--timeout", metavar="SECONDS", type=float, callback=options.above_zero, default=10.0, show_default=True, help="How long to wait for an answer."
)
@click.option("--time", "seconds", metavar="SECONDS", type=float, callback=options.above_zero, help="Send no case after so long.")
@click.option("--max-findings", metavar="NUMBER", type=click.IntRange(min=1), help="Send no case after so many contradictions.")
@options.verdict_option
@options.seed_option
@options.count_option("after those of")
@options.random_option
@options.strength_option
@click.option("--accept", metavar="STATUS,...", help="Status codes that accept, as 200,201 or 2xx.  [default: 2xx]")
@click.option("--reject", metavar="STATUS,...", help="Status codes that refuse; all others are crashes.  [default: 1xx,3xx,4xx]")
@click.option("--envelope/--no-envelope", default=True, help="Whether operationWasSuccessful: false refuses.  [default: it does]")
@options.stance_option
@options.bug_option
@options.now_option("Judge as")
@options.contract_option
@options.json_option
def command(url: str | None, as_json: bool, **given: Any) -> int:
    """Send offer creation requests to a service, and report where it contradicts the contract.

    The catalogue's cases go first, then random ones. Each finding is shrunk to its smallest message and comes with a
    curl line that repeats it. What the service does where the contract is silent is no finding, but listed.

    Without URL, the embedded reference service is started and fired at, with the bugs that --bug seeds.

    Exit status: 0 no finding, 1 findings, 2 the service cannot be reached, or the call is wrong.

    \b
    Examples:
      brokerfuzz fire
      brokerfuzz fire http://127.0.0.1:8000/offers -H 'Authorization: Bearer ...' --count 5000
      brokerfuzz fire http://127.0.0.1:8000/offers --accept 200,201 --reject 400,422 --json
      brokerfuzz fire --bug accepts-zero-order-minimum
    """
    from brokerfuzz.campaign import exit_status
    from brokerfuzz.campaign.firing import INTERRUPTED as INTERRUPTION

    demands = contract_of(given["contract"])
    demands.check_stances(given["stances"])
    tell_unbroken(demands, MESSAGES[:1])
    if url is None:
        from brokerfuzz.service.running import running

        with running(bugs=given["bugs"], contract=demands, now=given["now"], seed=given["seed"]) as base:
            result = _campaign(f"{base}/offers", demands, given, as_json=as_json)
    elif given["bugs"]:
        raise click.UsageError("--bug seeds the embedded service: leave --bug or URL out", click.get_current_context())
    else:
        result = _campaign(url, demands, given, as_json=as_json)
    _report(result, as_json=as_json)
    if url is None and result.findings and not as_json:
        again = " ".join(["brokerfuzz serve", *(f"--bug {name}" for name in given["bugs"])])
        click.echo(f"The embedded service has ended: `{again}` starts it again.", err=True)
    return INTERRUPTED if result.stopped == INTERRUPTION and not result.findings else exit_status(result)


def _campaign(url: str, contract: "Contract", given: dict[str, Any], *, as_json: bool) -> "Result":
    from brokerfuzz import campaign
    from brokerfuzz.reports.terminal import live_progress

    count = random_count(given["count"], given["only_random"])
    wanted = given["verdicts"] or VERDICTS
    cases = chosen_cases(MESSAGES[0], wanted, contract, given["now"], given["seed"], count, given["strength"], only_random=given["only_random"])
    first = next(cases, None)  # the catalogue takes a second to make, which is not to count as time of the campaign
    if first is None:
        raise click.UsageError("no case is left to fire: choose more verdicts", click.get_current_context())
    with live_progress(sys.stderr) as on_progress:
        return campaign.fire(chain([first], cases), _target(url, given), _firing(contract, given), on_progress)


def _target(url: str, given: dict[str, Any]) -> "HttpTarget":
    from brokerfuzz.targets import AnswerRules, HttpTarget, status_patterns

    patterns = {name: status_patterns(given[name]) for name in ("accept", "reject") if given[name] is not None}
    answers = AnswerRules(**patterns, envelope=given["envelope"])
    return HttpTarget(url, method=given["method"], headers=given["headers"], timeout=given["timeout"], rules=answers)


def _firing(contract: "Contract", given: dict[str, Any]) -> "Options":
    from brokerfuzz.campaign import Options

    return Options(
        concurrency=given["concurrency"], rate=given["rate"], time=given["seconds"], max_findings=given["max_findings"],
        now=given["now"], contract=contract, stances=given["stances"],
    )  # fmt: skip


def _report(result: "Result", *, as_json: bool) -> None:
    from brokerfuzz.reports import machine, terminal

    click.echo(machine.report(result)) if as_json else terminal.show(result, sys.stdout)
