"""`fire`: a campaign against a target."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from brokerfuzz import options
from brokerfuzz.commands import aiming
from brokerfuzz.commands.making import check_minimal, contract_of, random_count, tell_unbroken
from brokerfuzz.commands.output import FAILED, INTERRUPTED, clear_line, note
from brokerfuzz.commands.recorded import about, recorded
from brokerfuzz.durations import FORMS, Duration
from brokerfuzz.options import CONFIGURATION, MESSAGES, ONE_OF_MESSAGES, VERDICTS

if TYPE_CHECKING:
    from brokerfuzz.campaign import Campaign, Options, Result
    from brokerfuzz.campaign.journal import Journal, Recalled
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.targets import Target

Given = dict[str, Any]
_OF_PLAN = (
    "message_type", "verdicts", "seed", "count", "only_random", "strength", *options.CHOICE, "minimal", "stances", "now", "contract",
)  # fmt: skip
"""What a journal says, and nobody else where it is gone on with."""


@click.command("fire", cls=options.Sectioned, short_help="Fire cases at a target, report what it does wrong.")
@options.config_option
@options.url_argument
@options.target_options
@click.option("--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGES), default=MESSAGES[0], show_default=True,
              help=f"What the target takes: {ONE_OF_MESSAGES}.")  # fmt: skip
@options.verdict_option
@options.choice_options
@options.seed_option
@click.option("--count", metavar="NUMBER", type=click.IntRange(min=0),
              help=f"Random cases after the catalogue's.  [default: 0; {options.RANDOM_CASES} with --random; no limit with --max-time]")  # fmt: skip
@options.random_option
@options.strength_option
@click.option("--max-time", metavar="DURATION", type=Duration(), help=f"Stop sending cases after this time, such as {FORMS}.  [default: no limit]")
@click.option("--max-findings", metavar="NUMBER", type=click.IntRange(min=1),
              help="Stop sending cases after this many different findings.  [default: no limit]")  # fmt: skip
@click.option("--shrink", metavar="DURATION|off", type=Duration(off=True), default="60s", show_default=True,
              help="Maximum time to shrink all findings, with at most 200 requests for each; off turns shrinking off.")  # fmt: skip
@click.option("--preflight/--no-preflight", default=True,
              help="Whether a plain message goes first, to see that the target is set up.  [default: it does]")  # fmt: skip
@click.option("--journal", metavar="FILE", type=click.Path(dir_okay=False), help="Write every request and answer there as it happens (.gz: packed).")
@click.option("--resume", metavar="JOURNAL", type=click.Path(dir_okay=False), help="Go on with the campaign of this journal, and send nothing again.")
@click.option("--report", "reports", metavar="FILE", type=click.Path(dir_okay=False), multiple=True,
              help="Write a report (repeatable): .html, .xml (JUnit), .json, .ndjson, .har, .md or .py (pytest).")  # fmt: skip
@click.option("--baseline", metavar="FILE", type=click.Path(dir_okay=False), help="Findings in this file are known, and do not fail.")
@click.option("--baseline-update", is_flag=True, help="Add what is found to the baseline.")
@click.option("--baseline-prune", is_flag=True, help="Take out of the baseline what is not found any more.")
@click.option("--write-config", is_flag=True, help="Pin what was observed of silences as stances in the configuration.")
@options.workers_option("fire")
@click.option("--cluster", metavar="ADDRESS", help="Fire from the workers of the Dask cluster with this scheduler.")
@options.bug_option
@options.stance_option
@options.now_option("Judge as")
@options.contract_option
@options.json_option
def command(url: str | None, as_json: bool, **given: Any) -> int:
    """Send messages to a target, and report where it contradicts the contract.

    The target is the service at URL, a command (--exec) or a Python function (--call). Without one, the embedded reference
    service is started and fired at, with the bugs that --bug seeds.

    The catalogue's cases go first, then random ones. Each finding is shrunk to its smallest message and comes with a
    line that repeats it. What the target does where the contract is silent is no finding, but listed. A refusal
    counts for something only where the twin of the message, which lacks its one fault, is accepted: that is seen to.

    Settings can stand in brokerfuzz.toml: see `brokerfuzz init`.

    Exit status: 0 no finding, or known ones alone; 1 findings; 2 the target cannot be reached, or the call is wrong.

    \b
    Examples:
      brokerfuzz fire
      brokerfuzz fire http://127.0.0.1:8000/offers -H 'Authorization: Bearer ...' --count 5000
      brokerfuzz fire http://127.0.0.1:8000/offers --journal run.ndjson --report report.html
      brokerfuzz fire --resume run.ndjson
      brokerfuzz fire --exec 'node read.js' --message product-list-response
      brokerfuzz fire --bug accepts-zero-order-minimum
    """
    from brokerfuzz.campaign import exit_status
    from brokerfuzz.campaign.firing import INTERRUPTED as INTERRUPTION

    ctx = click.get_current_context()
    given = aiming.settled(ctx, given, url if ctx.get_parameter_source("url") == ParameterSource.COMMANDLINE else None)
    if given["bugs"] and not aiming.is_embedded(given):
        raise click.UsageError("--bug seeds the embedded service: leave --bug or the target out", ctx)
    if given["reports"]:
        from brokerfuzz.reports import files

        files.check_paths(given["reports"])
    known = _known(ctx, given)
    given, plan = _planned(ctx, given)
    with ExitStack() as stack:
        target = stack.enter_context(aiming.aimed(given, plan.demands))
        result = _conduct(stack, target, plan, given)
        told = about(plan, given["now"], aiming.told(target))
    _tell_slowed(target)
    result = _after(ctx, result, known, given)
    _report(result, told, given, plan, as_json=as_json)
    if aiming.is_embedded(given) and result.findings and not as_json:
        again = " ".join(["brokerfuzz serve", *(f"--bug {name}" for name in given["bugs"])])
        click.echo(f"The embedded service has ended: `{again}` starts it again.", err=True)
    if result.failed and not result.findings:
        return FAILED
    return INTERRUPTED if result.stopped == INTERRUPTION and not result.findings else exit_status(result)


# ---------------------------------------------------------------------------------------------------------- the plan


def _planned(ctx: click.Context, given: Given) -> "tuple[Given, Plan]":
    """The parameters, and the plan; both of the journal that is gone on with, if so."""
    if given["resume"] is None:
        plan = _plan(given)
        plan.demands.check_stances(given["stances"])
        tell_unbroken(plan.demands, [plan.message_type])
        return given, plan
    return _resumed(ctx, given)


def _plan(given: Given) -> "Plan":
    from brokerfuzz.cases.case import clock
    from brokerfuzz.cases.plan import Plan

    check_minimal(given)
    endless = given["count"] is None and given["max_time"] is not None
    chosen = {name: tuple(given[name]) for name in options.CHOICE}
    return Plan(
        message_type=given["message_type"], now=clock(given["now"]), seed=given["seed"],
        count=None if endless else random_count(given["count"], given["only_random"]), only_random=given["only_random"],
        strength=given["strength"], verdicts=tuple(given["verdicts"]) or VERDICTS, minimal=given["minimal"], contract=given["contract"], **chosen,
    )  # fmt: skip


def _resumed(ctx: click.Context, given: Given) -> "tuple[Given, Plan]":
    if given["journal"] is not None and ctx.get_parameter_source("journal") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--resume goes on with its journal: leave --journal out", ctx)
    said = [name for name in _OF_PLAN if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    if said:
        options_said = ", ".join(param.opts[0] for param in ctx.command.params if param.name in said)
        raise click.UsageError(f"what is fired is what the journal says: leave {options_said} out", ctx)
    known = recorded(given["resume"])
    plan = known.plan
    if plan.count is None and given["max_time"] is None:
        raise click.UsageError("the journal's campaign has no last case: say with --max-time how long it is to go on", ctx)
    settings = {"stances": known.stances, "now": known.now, "seed": plan.seed, "contract": plan.contract, "message_type": plan.message_type}
    return aiming.recalled({**given, **settings}, known.aim), plan


# ----------------------------------------------------------------------------------------------------------- firing


def _conduct(stack: ExitStack, target: "Target", plan: "Plan", given: Given) -> "Result":
    """Runs the campaign, in this process or by others."""
    from brokerfuzz.campaign import Campaign, Recalled, run
    from brokerfuzz.reports.terminal import live_progress

    if given["preflight"] and not aiming.is_embedded(given):
        _preflight(target, plan, given)
    if sys.stderr.isatty():
        click.echo("making the catalogue ...", nl=False, err=True)
    first = next((case for _, case in plan.numbered()), None)  # the catalogue can take seconds, which are not to count as the campaign's
    clear_line()
    if first is None:
        raise click.UsageError("no case is left to fire: choose more verdicts, rules, techniques or tags", click.get_current_context())
    recalled = None
    if given["resume"] is not None:
        recalled = Recalled(given["resume"])
        stack.callback(recalled.close)
    journal = _journal(target, plan, given)
    if journal is not None:
        stack.callback(journal.close)
    on_progress = stack.enter_context(live_progress(sys.stderr))
    apart = given["workers"] > 1 or given["cluster"] is not None
    cases = () if apart else plan.numbered()
    campaign = Campaign(cases, target, _options(given, plan), on_progress, journal=journal, recalled=recalled)
    return _by_others(stack, campaign, target, plan, given, journal, recalled) if apart else run(campaign)


def _preflight(target: "Target", plan: "Plan", given: Given) -> None:
    """Sees that the target is set up, before anything is made that takes long. Raises `TargetError`."""
    from brokerfuzz.cases.catalogue import plainest
    from brokerfuzz.targets import looping, preflight

    body = plainest(plan.message_type, now=plan.now, contract=plan.demands).body

    async def check() -> str | None:
        await target.open()
        try:
            return (await preflight.check(target, body)).warning
        finally:
            await target.close()

    warning = looping.run(check())
    if warning is not None and given["fresh"] is None:
        note(f"{warning}; --fresh number gives each a number of its own")


def _journal(target: "Target", plan: "Plan", given: Given) -> "Journal | None":
    from brokerfuzz.campaign.journal import Journal
    from brokerfuzz.version import __version__

    if given["resume"] is not None:
        return Journal.continued(given["resume"])
    if given["journal"] is None:
        return None
    now = given["now"]
    said = {
        "brokerfuzz": __version__,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "target": target.name,
        "target_options": aiming.remembered(given, target),
        "told": aiming.told(target),
        "plan": plan.data(),
        "stances": given["stances"],
        "judged_at": now.isoformat() if now else None,
    }
    return Journal.begun(given["journal"], said)


def _options(given: Given, plan: "Plan") -> "Options":
    from brokerfuzz.campaign import Options
    from brokerfuzz.campaign.firing import SHRINK_REQUESTS

    return Options(
        concurrency=given["concurrency"], rate=given["rate"], time=given["max_time"], max_findings=given["max_findings"],
        now=given["now"], contract=plan.demands, stances=given["stances"], shrink_requests=SHRINK_REQUESTS if given["shrink"] else 0,
        shrink_seconds=given["shrink"], fresh=given["fresh"], total=plan.total,
    )  # fmt: skip


def _by_others(
    stack: ExitStack, campaign: "Campaign", target: "Target", plan: "Plan", given: Given, journal: "Journal | None", recalled: "Recalled | None"
) -> "Result":
    """Runs the campaign by processes of this machine, or a cluster's."""
    from brokerfuzz import workers
    from brokerfuzz.campaign import run_sharded
    from brokerfuzz.campaign.journal import is_packed
    from brokerfuzz.campaign.sharding import Sharding

    if given["cluster"] is not None:
        pool = stack.enter_context(workers.cluster(given["cluster"]))
        return run_sharded(campaign, Sharding(campaign.orders(plan, pool.workers, None), pool), recalled)
    if journal is not None and is_packed(journal.path):
        raise click.UsageError("several workers cannot write one packed journal: name one that does not end in .gz")
    processes = workers.Processes(given["workers"])
    stack.callback(processes.end)
    orders = campaign.orders(plan, processes.workers, str(journal.path) if journal else None)
    return run_sharded(campaign, Sharding(orders, processes), recalled)


# ----------------------------------------------------------------------------------------------------- what comes of it


def _tell_slowed(target: "Target") -> None:
    from brokerfuzz.targets import HttpTarget

    if isinstance(target, HttpTarget) and target.slowed.times:
        slowed = target.slowed
        note(f"the target asked {slowed.times:,} times to come back later: nothing was sent for {slowed.seconds:.1f} s; a lower --rate may suit it")


def _known(ctx: click.Context, given: Given) -> dict[str, str]:
    """The findings that the baseline holds."""
    from brokerfuzz.campaign import baseline

    if given["baseline"] is None:
        if given["baseline_update"] or given["baseline_prune"]:
            raise click.UsageError("no baseline is named: give it with --baseline FILE", ctx)
        return {}
    path = Path(given["baseline"])
    return {} if given["baseline_update"] and not path.exists() else baseline.read(path)


def _after(ctx: click.Context, result: "Result", known: dict[str, str], given: Given) -> "Result":
    """The result held against the baseline, which is brought up to date, as are the stances of the configuration, if that is wanted."""
    from dataclasses import replace

    from brokerfuzz.campaign import baseline

    add, prune = given["baseline_update"], given["baseline_prune"]
    if prune and result.stopped is not None:
        note("the baseline is not pruned: the campaign stopped early, so what was not found may still be there")
        prune = False
    if add or prune:
        known = baseline.updated(known, result.findings, add=add, prune=prune)
        baseline.write(Path(given["baseline"]), known)
    if given["write_config"]:
        _pin(ctx, result, given)
    return replace(result, findings=baseline.marked(result.findings, known))


def _pin(ctx: click.Context, result: "Result", given: Given) -> None:
    """Writes what was observed of silences as stances; what was mixed is left open."""
    from brokerfuzz import configuration

    settings = ctx.meta.get(CONFIGURATION)
    path = settings.path if settings is not None else Path("brokerfuzz.toml")
    leanings = {"accepts": "accept", "rejects": "reject"}
    stances = {observed.silence.id: leanings[observed.leaning] for observed in result.silences if observed.leaning in leanings}
    pinned = configuration.pin_stances(path, stances, contract_of(given["contract"]))
    mixed = [observed.silence.id for observed in result.silences if observed.leaning == "mixed"]
    note(f"{len(pinned)} stances written to {path}" + (f"; mixed, and so left open: {', '.join(mixed)}" if mixed else ""))


def _report(result: "Result", told: Mapping[str, Any], given: Given, plan: "Plan", *, as_json: bool) -> None:
    import json

    from brokerfuzz.reports import machine, terminal

    document = machine.document(result, told, plan.demands) if as_json or given["reports"] else {}
    if given["reports"]:  # before anything is printed: whoever reads that may have read enough
        from brokerfuzz.reports import files

        for written in files.write_all(given["reports"], document):
            note(f"wrote {written}")
    click.echo(json.dumps(document, indent=2)) if as_json else terminal.show(result, sys.stdout)
