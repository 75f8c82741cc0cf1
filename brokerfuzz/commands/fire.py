import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from brokerfuzz import options
from brokerfuzz.campaign import Result
from brokerfuzz.campaign.journal import head_of
from brokerfuzz.campaign.replaying import Outcome
from brokerfuzz.campaign.target_health import FirstContact
from brokerfuzz.cases.case import clock
from brokerfuzz.commands import campaign_results, target_options
from brokerfuzz.commands.chosen_cases import plans_of
from brokerfuzz.commands.help_sections import Sectioned
from brokerfuzz.commands.interrupts import refused_exits
from brokerfuzz.commands.journal_results import recorded
from brokerfuzz.commands.option_values import (
    CampaignOptions,
    CaseOptions,
    ResultOptions,
    SendingOptions,
    TargetOptions,
    typed_options,
)
from brokerfuzz.commands.output import UsageError, clear_line, is_quiet, note
from brokerfuzz.commands.streams import output_of_targets
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.durations import FORMS, Duration
from brokerfuzz.options import ONE_OF_MESSAGES
from brokerfuzz.planned_campaign import PlannedCampaign
from brokerfuzz.reports.terminal import live_progress
from brokerfuzz.schemas import MessageType, PolicyValues
from brokerfuzz.targets import Target
from brokerfuzz.targets.demo_target import DEMONSTRATION
from brokerfuzz.wording import counted

_OF_PLAN = ("message_type", "policies", *(field.name for field in fields(CaseOptions)))
"""With `--resume`, the values of these options come from the journal."""


@click.command("fire", cls=Sectioned, short_help="Send cases to a target and report its wrong answers.")
@options.config_option
@options.url_argument
@options.target_options
@click.option("--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGE_TYPES), default=MESSAGE_TYPES[0],
show_default=True,
              help=f"Type of the messages to send: {ONE_OF_MESSAGES}.")  # fmt: skip
@options.verdict_option
@options.choice_options
@options.seed_option
@options.count_option("send after the cases of the catalogue", "no limit with --max-time")
@options.random_option
@click.option("--max-time", metavar="DURATION", type=Duration(),
              help=f"End the campaign after this time, such as {FORMS}. If there are findings, the last quarter of "
                   f"this time (at most a "
              "minute) is for shrinking.  [default: no limit]")  # fmt: skip
@click.option("--max-findings", metavar="NUMBER", type=click.IntRange(min=1),
              help="Stop sending cases after this many different findings.  [default: no limit]")  # fmt: skip
@click.option("--shrink", metavar="DURATION|off", type=Duration(off=True), default="60s", show_default=True,
              help="Maximum total time for shrinking all findings. Shrinking removes the parts of a message that are "
                   "not needed to reproduce the "
              "finding. brokerfuzz sends at most 200 requests for each finding. A DURATION above 60s increases this "
              "limit: 120s allows 400. "
              "The value off disables shrinking.")  # fmt: skip
@click.option("--preflight/--no-preflight", default=True,
              help="Before the first case, send ordinary valid messages, and stop if the target accepts none of them. "
                   "With --no-preflight, "
              "send the cases all the same.  [default: preflight]")  # fmt: skip
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write every request and its answer to this file, for --resume and `replay`.",
)
@click.option("--resume", metavar="JOURNAL", type=click.Path(dir_okay=False),
              help="Continue the campaign that wrote this journal (see --journal). brokerfuzz does not send requests "
                   "whose answers are "
              "already in the journal.")  # fmt: skip
@click.option("--report", "reports", metavar="FILE", type=click.Path(dir_okay=False), multiple=True,
              help="Write a report to this file (repeatable). The suffix selects the format: .html, .xml (JUnit), "
                   ".json, .har, .md or .py "
              "(pytest). A report replaces an existing file.")  # fmt: skip
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Treat the findings in this file as known. Known findings do not cause exit status 1.",
)
@click.option("--baseline-update", is_flag=True, help="Add the findings of this campaign to the file of --baseline.")
@click.option(
    "--baseline-prune", is_flag=True, help="Delete the findings that no longer occur from the file of --baseline."
)
@click.option("--write-config", is_flag=True,
              help="For each question that the contract leaves open, save the behaviour of the target as a policy in "
                   "the "
              "configuration file. A campaign that is not complete saves nothing.")  # fmt: skip
@options.workers_option("send the cases")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of a Dask cluster send the cases. ADDRESS is the address of the Dask scheduler.",
)
@options.policy_option
@options.now_option("Judge messages")
@options.contract_option
@options.values_option
@options.quiet_option("the outcome")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print each answer as soon as it arrives (not with --workers or --cluster), and all findings.",
)
@options.json_option
@typed_options(
    target=TargetOptions, sending=SendingOptions, cases=CaseOptions, campaign=CampaignOptions, results=ResultOptions
)
def command(
    message_type: "MessageType", target: TargetOptions, sending: SendingOptions, cases: CaseOptions,
    campaign: CampaignOptions,
    results: ResultOptions, policies: "PolicyValues", as_json: bool,
) -> int:  # fmt: skip
    """Send test messages to a target and report where its answers contradict the contract.

    The target is the service at URL, a command (--exec), a Python function (--call) or a Python application (--app).
    With --demo, brokerfuzz starts and tests its own reference service, with the bugs that you choose with --bug. If you
    continue a campaign with --resume, specify the target again.

    brokerfuzz first sends the cases of the catalogue (a fixed list), then random cases. For each contradiction (a
    finding), brokerfuzz prints the smallest message that causes it, and a command that reproduces it. If the contract
    leaves a question open, brokerfuzz lists how the target behaves, but reports no finding. For each rejected invalid
    message, brokerfuzz also sends the twin (the valid counterpart). If the target also rejects the twin, brokerfuzz
    finds out which part of the twin causes the rejection. Then brokerfuzz replaces this part in the twin and in the
    invalid message, and sends both messages again. If the target still rejects the twin, the rejection of the invalid
    message counts as unproven, because the target may not have noticed the broken rule.

    You can store settings in brokerfuzz.toml: see `brokerfuzz init`.

    Exit status: 0 no new findings; 1 new findings; 2 usage error, target not reachable, campaign not finished, no
    result about the target, or report not written; 130 stopped with Ctrl-C.

    \b
    Examples:
      brokerfuzz fire --demo --bug accepts-zero-order-minimum
      brokerfuzz fire http://127.0.0.1:8000/offers -H 'Authorization: Bearer ...' --count 5000
      brokerfuzz fire http://127.0.0.1:8000/offers --journal run.ndjson --report report.html
      brokerfuzz fire http://127.0.0.1:8000/offers --resume run.ndjson
      brokerfuzz fire --exec 'node read.js' --message product-list-response
      brokerfuzz fire --app shop.main:app /offers
    """
    ctx = click.get_current_context()
    url = target.url if ctx.get_parameter_source("url") == ParameterSource.COMMANDLINE else None
    target = target_options.resolved_target(ctx, target, url, _command(campaign.resume) or "brokerfuzz fire TARGET")
    files = {
        "--journal": campaign.journal,
        "--resume": campaign.resume,
        "--values": cases.values,
        "--hooks": target.hooks,
    }
    campaign_results.check(results, files, http=target.exec_ is None and target.call is None and target.app is None)
    if campaign.verbose and (campaign.workers > 1 or campaign.cluster is not None):
        raise UsageError(
            "--verbose works neither with --workers nor with --cluster: remove --verbose or the other option"
        )
    planned = (
        _planned(ctx, message_type, cases, policies, campaign)
        if campaign.resume is None
        else _resumed(ctx, campaign.resume, cases, campaign)
    )
    plan = planned.plan
    fresh = target_options.fresh_property(sending.fresh, planned.fresh, target.cleanup, plan.message_type, plan.demands)
    planned = replace(
        planned,
        **{**asdict(sending), "fresh": fresh},
        **_limits(campaign),
        longest_wait=target.longest_wait,
        known=campaign_results.known(results),
    )
    with (
        output_of_targets(),
        refused_exits(),
        _endpoint(replace(target, campaign_id=planned.campaign_id), planned) as endpoint,
    ):
        target_options.hide_secrets(endpoint)
        planned = _in_one_session(endpoint, planned)
        target_options.wait_for(endpoint, target.wait_for)
        result = _run(endpoint, planned, verbose=campaign.verbose)
        about = planned.about(endpoint)
    _note_slowdown(endpoint)
    _show_details(result, as_json=as_json)
    resume = _continuing(result, campaign)
    return campaign_results.finish(result, planned, about, results, resume, as_json=as_json, verbose=campaign.verbose)


def _command(journal: str | None) -> str | None:
    """Returns the command that resumes a campaign, with a placeholder for the target."""
    return None if journal is None else shlex.join(["brokerfuzz", "fire", "TARGET", "--resume", journal])


def _continuing(result: "Result", campaign: CampaignOptions) -> str | None:
    """Returns the command that continues a campaign that ended early, or the reason why the campaign cannot
    continue.
    """
    if result.stop is None:
        return None
    if result.stop.cause == "contact" and campaign.journal is None:
        return None
    return _command(campaign.resume or campaign.journal) or (
        "impossible without a journal: add --journal FILE next time"
    )


# ---------------------------------------------------------------------------------------------------------- the plan


def _planned(
    ctx: click.Context,
    message_type: "MessageType",
    cases: CaseOptions,
    policies: "PolicyValues",
    campaign: CampaignOptions,
) -> "PlannedCampaign":

    (plan,) = plans_of(
        (message_type,), cases, clock(cases.now), endless=cases.count is None and campaign.max_time is not None
    )
    plan = replace(plan, random_with_clock=cases.now is not None)
    settled = target_options.resolved_policies(ctx, policies, plan.demands)
    return PlannedCampaign(plan=plan, now=cases.now, policies=settled, journal=campaign.journal)


def _resumed(ctx: click.Context, journal: str, cases: CaseOptions, campaign: CampaignOptions) -> "PlannedCampaign":
    if campaign.journal is not None and ctx.get_parameter_source("journal") == ParameterSource.COMMANDLINE:
        raise UsageError("--resume also writes to the journal that it reads: remove --journal")
    planned = recorded(journal, cases.contract)
    of_plan = [name for name in _OF_PLAN if name != "contract" or planned.plan.contract is None]
    typed = [name for name in of_plan if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    if typed:
        options_typed = ", ".join(param.opts[0] for param in ctx.command.params if param.name in typed)
        raise UsageError(f"--resume uses the settings in the journal: remove {options_typed}")
    if planned.plan.count is None and campaign.max_time is None:
        raise UsageError("the campaign of this journal sends random cases without a limit: set a limit with --max-time")
    return planned


def _limits(campaign: CampaignOptions) -> dict[str, Any]:
    return {
        name: getattr(campaign, name)
        for name in ("max_time", "max_findings", "shrink", "workers", "cluster", "preflight")
    }


# ----------------------------------------------------------------------------------------------------------- firing


def _endpoint(target: TargetOptions, planned: "PlannedCampaign") -> "AbstractContextManager[Target]":
    """The reference service stops when the `with` block ends."""
    if target.demo:
        plan = planned.plan
        return target_options.reference_service(
            target, plan.message_type, plan.contract, now=planned.now, seed=plan.seed
        )
    return nullcontext(target_options.given_target(target, processes=1 if planned.workers > 1 else None))


def _in_one_session(target: "Target", planned: "PlannedCampaign") -> "PlannedCampaign":
    """If the hook `authenticate` provides a token, one process sends all messages. Other processes would have tokens of
    their own, which could not be hidden in the answers to this process.
    """

    if not planned.uses_workers or not target.has_session:
        return planned
    option = "--workers" if planned.cluster is None else "--cluster"
    note(
        f"the hook authenticate opens a session for one process: {option} is ignored, and this process sends all "
        "messages"
    )
    return replace(planned, workers=1, cluster=None)


def _run(target: "Target", planned: "PlannedCampaign", *, verbose: bool) -> "Result":
    """Runs the campaign and shows its progress. With `verbose`, shows each answer instead."""

    _generate_catalogue(planned)
    if planned.resume and planned.journal is not None:
        _compare_targets(planned.journal, target)
    if verbose:
        return planned.run(
            target, on_contact=_note_contact, on_known=_note_known, on_answer=partial(click.echo, err=True)
        )
    with nullcontext() if is_quiet() else live_progress(sys.stderr) as on_progress:
        return planned.run(target, on_progress=on_progress, on_contact=_note_contact, on_known=_note_known)


def _generate_catalogue(planned: "PlannedCampaign") -> None:
    """Generates the catalogue before the campaign starts. Otherwise, the generation would count towards the time limit
    of the campaign.
    """
    if sys.stderr.isatty() and not is_quiet():
        click.echo("generating the catalogue ...", nl=False, err=True)
    is_empty = planned.plan.is_empty
    clear_line()
    if is_empty:
        remedy = "remove or change --verdict, --rule, --technique, --site or --tag"
        raise UsageError(f"no case matches the filters: {remedy}")


def _compare_targets(journal: str, target: "Target") -> None:
    """Prints a note if a resumed campaign has a different target than before. Two reference services count as
    the same target, although their ports can differ.
    """

    before = str(head_of(journal).get("target"))
    if before != target.name and not all(name.startswith(DEMONSTRATION) for name in (before, target.name)):
        note(f"{journal} contains the answers of another target ({before}): the campaign continues with {target.name}")


# ------------------------------------------------------------------------------------------------------------- notes


def _note_known(outcomes: "Mapping[str, Outcome]") -> None:
    """Prints which known findings occur again. The campaign sent the messages of the known findings first."""
    gone = [name for name, outcome in outcomes.items() if outcome == "gone"]
    said = ", ".join(f"{count:,} {outcome}" for outcome, count in Counter(outcomes.values()).items())
    note(
        f"known findings, sent first: {said}"
        + (f" ({', '.join(gone[:8])}{', ...' if len(gone) > 8 else ''})" if gone else "")
    )


def _note_contact(contact: "FirstContact") -> None:
    """Prints a note if the target rejects a message that it accepted before."""
    if contact.again is not None and contact.again.kind != "accepted":
        said = "the target rejects a message that it accepted before"
        note(f"{said} ({contact.again.reason}); if it rejects repeated offer numbers, use --fresh number")


def _show_details(result: "Result", *, as_json: bool) -> None:
    """Prints the traceback of a failed hook. The report shows why the target accepted no plain message, but a JSON
    document does not.
    """
    stop = result.stop
    if stop is None or not stop.details or (stop.cause == "contact" and not as_json):
        return
    if stop.cause == "contact":
        note(f"{stop.reason} ({stop.advice})")
    click.echo(stop.details, err=True)


def _note_slowdown(target: "Target") -> None:

    if target.slowed.times:
        slowed = target.slowed
        times = counted(slowed.times, "time")
        note(
            f"the target asked brokerfuzz to wait ({times}): brokerfuzz waited {slowed.seconds:.1f} s; consider a "
            "lower --rate"
        )
