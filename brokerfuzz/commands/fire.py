import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from brokerfuzz import options
from brokerfuzz.commands import target_options
from brokerfuzz.commands.chosen_cases import plans_of, warn_about_unbroken_rules
from brokerfuzz.commands.help_sections import Sectioned
from brokerfuzz.commands.journal_results import about, recorded
from brokerfuzz.commands.option_values import CampaignOptions, CaseOptions, ResultOptions, SendingOptions, TargetOptions, typed_options
from brokerfuzz.commands.output import clear_line, failed, is_quiet, note
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.durations import FORMS, Duration
from brokerfuzz.options import CONFIGURATION, ONE_OF_MESSAGES

if TYPE_CHECKING:
    from brokerfuzz.campaign import Campaign, CampaignOutcome, Options, Result
    from brokerfuzz.campaign.baseline import Baseline
    from brokerfuzz.campaign.first_contact import FirstContact
    from brokerfuzz.campaign.journal import Journal, Recalled
    from brokerfuzz.campaign.replaying import Outcome, ReplayRequest
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.schemas import Contract, MessageType, Policies, PolicyValues
    from brokerfuzz.targets import Target

_OF_PLAN = ("message_type", "policies", *(field.name for field in fields(CaseOptions)))
"""The options whose values a resumed campaign reads from its journal."""


@click.command("fire", cls=Sectioned, short_help="Send cases to a target and report its wrong answers.")
@options.config_option
@options.url_argument
@options.target_options
@click.option("--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGE_TYPES), default=MESSAGE_TYPES[0], show_default=True,
              help=f"Type of the messages to send: {ONE_OF_MESSAGES}.")  # fmt: skip
@options.verdict_option
@options.choice_options
@options.seed_option
@options.count_option("send, after the cases of the catalogue", "no limit with --max-time")
@options.random_option
@options.strength_option
@click.option("--max-time", metavar="DURATION", type=Duration(), help=f"Stop sending cases after this time, such as {FORMS}.  [default: no limit]")
@click.option("--max-findings", metavar="NUMBER", type=click.IntRange(min=1),
              help="Stop sending cases after this many different findings.  [default: no limit]")  # fmt: skip
@click.option("--shrink", metavar="DURATION|off", type=Duration(off=True), default="60s", show_default=True,
              help="Maximum time for shrinking, which reduces the message of each finding to a minimal one with at most 200 requests "
              "per minute of this time. "
              "off disables shrinking.")  # fmt: skip
@click.option("--preflight/--no-preflight", default=True,
              help="Send ordinary valid messages first, and the accepted one again, to check that the target is set up correctly. "
                   "A program or a function also gets a clearly invalid message.  [default: preflight]")  # fmt: skip
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write every request and its answer to this file, for --resume and `replay`. The file is compressed if its name ends in .gz.",
)
@click.option("--resume", metavar="JOURNAL", type=click.Path(dir_okay=False),
              help="Continue the campaign that wrote this file with --journal. "
                   "brokerfuzz does not send the requests that have an answer in this file.")  # fmt: skip
@click.option("--report", "reports", metavar="FILE", type=click.Path(dir_okay=False), multiple=True,
              help="Write a report to this file (repeatable): .html, .xml (JUnit), .json, .ndjson, .har, .md or .py (pytest).")  # fmt: skip
@click.option("--force", is_flag=True, help="Let reports replace files that are not reports of brokerfuzz.")
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Treat the findings in this file as known. Known findings do not cause exit status 1.",
)
@click.option("--baseline-update", is_flag=True, help="Add the findings of this campaign to the file given with --baseline.")
@click.option("--baseline-prune", is_flag=True, help="Remove the findings that no longer occur from the file given with --baseline.")
@click.option("--write-config", is_flag=True,
              help="Write the target's behaviour for each question that the contract leaves open into the configuration, as policies.")  # fmt: skip
@options.workers_option("send the cases")
@click.option("--cluster", metavar="ADDRESS", help="Send the cases from the Dask cluster whose scheduler has this address.")
@options.policy_option
@options.now_option("Judge messages")
@options.contract_option
@options.values_option
@options.quiet_option("the outcome")
@click.option("-v", "--verbose", is_flag=True, help="Print each answer as soon as it arrives. This works only without --workers and --cluster.")
@options.json_option
@typed_options(target=TargetOptions, sending=SendingOptions, cases=CaseOptions, campaign=CampaignOptions, results=ResultOptions)
def command(
    message_type: "MessageType", target: TargetOptions, sending: SendingOptions, cases: CaseOptions, campaign: CampaignOptions,
    results: ResultOptions, policies: "PolicyValues", as_json: bool,
) -> int:  # fmt: skip
    """Send test messages to a target and report where its answers contradict the contract.

    The target is the service at URL, a command (--exec), a Python function (--call) or a Python application (--app). With --demo,
    brokerfuzz starts its own reference service, with the bugs that --bug seeds, and tests it. If you resume a campaign, give the
    target again.

    brokerfuzz sends the cases of the catalogue first, then random cases. brokerfuzz reduces the message of each finding to a
    minimal one, and prints a command that reproduces the finding. If the contract leaves a question open, brokerfuzz lists the
    target's behaviour, but does not count it as a finding. For each rejected invalid message, brokerfuzz also sends the twin (the
    valid counterpart). If the target also rejects the twin, brokerfuzz replaces the part that it rejects, and sends both again.
    If the target still rejects the twin, the rejection of the invalid message is unproven.

    You can store settings in brokerfuzz.toml: see `brokerfuzz init`.

    Exit status: 0 no findings, or only known ones; 1 new findings; 2 usage error, the target cannot be reached, the campaign is
    partial or untested, or a report could not be written; 130 Ctrl-C.

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
    if results.reports:
        from brokerfuzz.reports import report_files

        report_files.check_paths(results.reports, force=results.force, http=target.exec_ is None and target.call is None)
    known = _known(ctx, results)
    if campaign.verbose and (campaign.workers > 1 or campaign.cluster is not None):
        raise click.UsageError("--verbose works neither with --workers nor with --cluster: remove --verbose or the other option", ctx)
    if campaign.resume is None:
        firing = _new(message_type, cases, policies, target, sending, campaign)
    else:
        firing = _resumed(ctx, campaign.resume, cases.contract, target, sending, campaign)
    with ExitStack() as stack:
        endpoint = _endpoint(stack, firing)
        again = _prepare(endpoint, firing, known)
        result = _run(stack, endpoint, firing)
        about_campaign = about(firing.plan, firing.now, firing.target.campaign_id, target_options.description(endpoint))
    _note_slowdown(endpoint)
    if result.stop is not None and result.stop.details:
        click.echo(result.stop.details, err=True)
    about_campaign["baseline"] = [{"finding": name, "outcome": outcome} for name, outcome in again.items()]
    still = [name for name, outcome in again.items() if outcome == "still there"]
    result = _with_baseline(ctx, result, known, still, results, firing.plan.demands)
    return _report(result, about_campaign, results.reports, firing.plan.demands, _continuing(result, campaign), as_json=as_json).status


def _command(journal: str | None) -> str | None:
    """Returns the command that resumes a campaign, with a placeholder for the target."""
    return None if journal is None else shlex.join(["brokerfuzz", "fire", "TARGET", "--resume", journal])


def _continuing(result: "Result", campaign: CampaignOptions) -> str | None:
    """Says how to continue a campaign that ended early."""
    if result.stop is None:
        return None
    return _command(campaign.resume or campaign.journal) or "impossible without a journal: start the campaign with --journal FILE"


# ---------------------------------------------------------------------------------------------------------- the plan


@dataclass(frozen=True)
class _Firing:
    """The settings of a campaign. `now` is the time that counts as the present (None: the actual time)."""

    plan: "Plan"
    now: datetime | None
    policies: "Policies"
    target: TargetOptions
    sending: SendingOptions
    campaign: CampaignOptions


def _new(
    message_type: "MessageType",
    cases: CaseOptions,
    policies: "PolicyValues",
    target: TargetOptions,
    sending: SendingOptions,
    campaign: CampaignOptions,
) -> _Firing:
    from brokerfuzz.cases.case import clock
    from brokerfuzz.targets.trace_headers import new_campaign_id

    (plan,) = plans_of((message_type,), cases, clock(cases.now), endless=cases.count is None and campaign.max_time is not None)
    warn_about_unbroken_rules(plan.demands, [plan.message_type])
    settled = target_options.resolved_policies(click.get_current_context(), policies, plan.demands)
    return _Firing(plan, cases.now, settled, replace(target, campaign_id=new_campaign_id()), sending, campaign)


def _resumed(
    ctx: click.Context, journal: str, contract: str | None, target: TargetOptions, sending: SendingOptions, campaign: CampaignOptions
) -> _Firing:
    from brokerfuzz.targets.trace_headers import new_campaign_id

    if campaign.journal is not None and ctx.get_parameter_source("journal") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--resume also writes to the journal that it reads: remove --journal", ctx)
    known = recorded(journal, contract)
    of_plan = [name for name in _OF_PLAN if name != "contract" or known.plan.contract is None]
    typed = [name for name in of_plan if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    if typed:
        options_typed = ", ".join(param.opts[0] for param in ctx.command.params if param.name in typed)
        raise click.UsageError(f"--resume uses the settings in the journal: remove {options_typed}", ctx)
    if known.plan.count is None and campaign.max_time is None:
        raise click.UsageError("the campaign of this journal has no limit: set one with --max-time", ctx)
    return _Firing(known.plan, known.now, known.policies, replace(target, campaign_id=known.campaign_id or new_campaign_id()), sending, campaign)


# ----------------------------------------------------------------------------------------------------------- firing


def _endpoint(stack: ExitStack, firing: _Firing) -> "Target":
    """Returns the target. The reference service stops when `stack` is closed."""
    if firing.target.demo:
        plan = firing.plan
        service = target_options.reference_service(firing.target, plan.message_type, plan.contract, now=firing.now, seed=plan.seed)
        return stack.enter_context(service)
    return target_options.given_target(firing.target, processes=1 if firing.campaign.workers > 1 else None)


def _run(stack: ExitStack, target: "Target", firing: _Firing) -> "Result":
    """Runs the campaign, in this process or with worker processes."""
    from brokerfuzz.campaign import Campaign, Recalled, run
    from brokerfuzz.campaign.journal import AnswerLog
    from brokerfuzz.reports.terminal import live_progress

    plan, campaign = firing.plan, firing.campaign
    if sys.stderr.isatty() and not is_quiet():
        click.echo("generating the catalogue ...", nl=False, err=True)
    first = next(
        (case for _, case in plan.numbered()), None
    )  # generates the catalogue before the campaign starts, so that its time limit does not include this
    clear_line()
    if first is None:
        remedy = "remove or change --verdict, --rule, --technique, --site or --tag"
        raise click.UsageError(f"no case matches the filters: {remedy}", click.get_current_context())
    recalled = None
    if campaign.resume is not None:
        _compare_targets(campaign.resume, target)
        recalled = Recalled(campaign.resume)
        stack.callback(recalled.close)
    journal = _journal(target, firing)
    if journal is not None:
        stack.callback(journal.close)
    on_progress = None if is_quiet() or campaign.verbose else stack.enter_context(live_progress(sys.stderr))
    by_workers = campaign.workers > 1 or campaign.cluster is not None
    cases = () if by_workers else plan.numbered()
    writer = AnswerLog(journal, partial(click.echo, err=True)) if campaign.verbose else journal
    planned = Campaign(cases, target, _options(firing), on_progress, journal=writer, recalled=recalled, on_contact=_note_rejections)
    return _run_by_workers(stack, planned, firing, journal, recalled) if by_workers else run(planned)


def _prepare(target: "Target", firing: _Firing, known: "Baseline") -> "Mapping[str, Outcome]":
    """Checks the target, and sends the known findings first, so that the user soon sees which ones are gone. Returns what happened to each."""
    from brokerfuzz.campaign.replaying import of_baseline

    plan = firing.plan
    waiting = of_baseline(known, plan.message_type) if firing.campaign.resume is None else {}
    target_options.wait_for(target, firing.target.wait_for)
    if firing.campaign.preflight and not firing.target.demo:
        _preflight(target, plan, fresh=firing.sending.fresh)
    return _send_known(target, firing, waiting) if waiting else {}


def _send_known(target: "Target", firing: _Firing, waiting: "Mapping[str, ReplayRequest]") -> "Mapping[str, Outcome]":
    from collections import Counter

    from brokerfuzz.campaign.replaying import replay
    from brokerfuzz.targets import event_loop

    options, sending = _options(firing), firing.sending
    sent = replay(list(waiting.values()), target, options.judge, concurrency=sending.concurrency, rate=sending.rate, fresh=options.fresh_values)
    outcomes: dict[str, Outcome] = {name: one.outcome for name, one in zip(waiting, event_loop.run(sent), strict=True)}
    gone = [name for name, outcome in outcomes.items() if outcome == "gone"]
    said = ", ".join(f"{count:,} {outcome}" for outcome, count in Counter(outcomes.values()).items())
    note(f"known findings, sent first: {said}" + (f" ({', '.join(gone[:8])}{', ...' if len(gone) > 8 else ''})" if gone else ""))
    return outcomes


def _compare_targets(journal: str, target: "Target") -> None:
    """Notes that a resumed campaign has another target than before. The reference service has another port in each run."""
    from brokerfuzz.campaign.journal import head_of
    from brokerfuzz.targets.demo_target import DEMONSTRATION

    before = str(head_of(journal).get("target"))
    if before != target.name and not all(name.startswith(DEMONSTRATION) for name in (before, target.name)):
        note(f"{journal} contains the answers of another target ({before}): the campaign continues with {target.name}")


def _preflight(target: "Target", plan: "Plan", *, fresh: str | None) -> None:
    """Sends a valid message to check that the target is set up correctly."""
    from brokerfuzz.cases.catalogue import plain_messages
    from brokerfuzz.targets import event_loop, preflight

    messages = {case.id: case.body for case in plain_messages(plan.message_type, contract=plan.demands)}

    async def check() -> preflight.Preflight:
        await target.open()
        try:
            return await preflight.check(target, messages)
        finally:
            await target.close()

    answers = event_loop.run(check())
    if answers.warning is not None and fresh is None:
        note(f"{answers.warning}; if the target rejects repeated offer numbers, use --fresh number")


def _note_rejections(contact: "FirstContact") -> None:
    """Notes before the first case that the target rejects all plain messages."""
    from brokerfuzz.wording import counted, readable

    if contact.answer is None or contact.accepted or not contact.rejected:
        return
    answer = contact.answer
    said = f"{answer.reason}: {readable(answer.body, 200)}" if answer.body else answer.reason
    causes = (
        "it requires a header or a value that the contract does not mention, it knows only certain IDs (list them with --values), "
        "or another service listens at this address"
    )
    verb = "rejects" if answer.kind == "rejected" else "crashes on"
    note(f"the target {verb} everything: it accepted none of {counted(contact.rejected, 'plain valid message')} ({said}); likely causes: {causes}")


def _journal(target: "Target", firing: _Firing) -> "Journal | None":
    from brokerfuzz.campaign.journal import Journal
    from brokerfuzz.version import __version__

    if firing.campaign.resume is not None:
        return Journal.continued(firing.campaign.resume)
    if firing.campaign.journal is None:
        return None
    head = {
        "brokerfuzz": __version__,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "campaign": firing.target.campaign_id,
        "target": target.name,
        "plan": firing.plan.data(),
        "policies": firing.policies,
        "judged_at": firing.now.isoformat() if firing.now else None,
    }
    return Journal.begun(firing.campaign.journal, head)


def _options(firing: _Firing) -> "Options":
    from brokerfuzz.campaign import Options
    from brokerfuzz.campaign.firing import SHRINK_REQUESTS
    from brokerfuzz.cases.catalogue import plain_messages

    sending, campaign = firing.sending, firing.campaign
    shrink_requests = round(SHRINK_REQUESTS * max(campaign.shrink / 60, 1)) if campaign.shrink else 0
    return Options(
        concurrency=sending.concurrency, rate=sending.rate, time=campaign.max_time, max_findings=campaign.max_findings,
        now=firing.now, contract=firing.plan.demands, policies=firing.policies, shrink_requests=shrink_requests,
        shrink_seconds=campaign.shrink, fresh=sending.fresh,
        plain=plain_messages(firing.plan.message_type, contract=firing.plan.demands), total=firing.plan.total, repeats=True,
    )  # fmt: skip


def _run_by_workers(stack: ExitStack, campaign: "Campaign", firing: _Firing, journal: "Journal | None", recalled: "Recalled | None") -> "Result":
    """Runs the campaign with worker processes on this machine or on a cluster."""
    from brokerfuzz import workers
    from brokerfuzz.campaign import run_sharded
    from brokerfuzz.campaign.journal import is_compressed

    if firing.campaign.cluster is not None:
        pool = stack.enter_context(workers.cluster(firing.campaign.cluster))
        return run_sharded(campaign, firing.plan, pool, recalled=recalled)
    if journal is not None and is_compressed(journal.path):
        raise click.UsageError("several workers cannot write to one compressed journal: specify a file name that does not end in .gz")
    processes = workers.Processes(firing.campaign.workers)
    stack.callback(processes.end)
    return run_sharded(campaign, firing.plan, processes, str(journal.path) if journal else None, recalled)


# ------------------------------------------------------------------------------------------------------------- results


def _note_slowdown(target: "Target") -> None:
    from brokerfuzz.targets import HttpTarget
    from brokerfuzz.wording import counted

    if isinstance(target, HttpTarget) and target.slowed.times:
        slowed = target.slowed
        times = counted(slowed.times, "time")
        note(f"the target asked brokerfuzz to wait ({times}): brokerfuzz waited {slowed.seconds:.1f} s; consider a lower --rate")


def _known(ctx: click.Context, results: ResultOptions) -> "Baseline":
    from brokerfuzz.campaign import baseline

    if results.baseline is None:
        if results.baseline_update or results.baseline_prune:
            raise click.UsageError("no baseline given: use --baseline FILE", ctx)
        return {}
    path = Path(results.baseline)
    return {} if results.baseline_update and not path.exists() else baseline.read(path)


def _with_baseline(
    ctx: click.Context, result: "Result", known: "Baseline", still: Sequence[str], results: ResultOptions, contract: "Contract"
) -> "Result":
    """Marks the known findings in the result. Updates the baseline and the configuration if options ask for it.

    `still` lists findings whose messages still show them. A file that cannot be written changes the outcome.
    """
    from brokerfuzz.campaign import baseline
    from brokerfuzz.errors import BaselineError, ConfigurationError

    add, prune = results.baseline_update, results.baseline_prune
    if prune and (result.stopped is not None or result.outcome.state != "complete"):
        note("no finding was removed from the baseline, because the campaign stopped early and did not check every finding")
        prune = False
    unwritten: list[str] = []
    if results.baseline is not None and (add or prune):
        updated = baseline.updated(known, result.findings, add=add, prune=prune, still=still)
        try:
            baseline.write(Path(results.baseline), updated)
            known = updated
        except BaselineError as problem:
            unwritten.append(str(problem))
    if results.write_config:
        try:
            _pin(ctx, result, contract)
        except ConfigurationError as problem:
            unwritten.append(str(problem))
    for line in unwritten:
        failed(line)
    today = datetime.now(UTC).date()
    for name, entry in known.items():
        if not entry.applies(today):
            note(f"the entry {name} of {results.baseline} applied until {entry.until}: its finding counts as new")
    applying = [name for name, entry in known.items() if entry.applies(today)]
    return replace(result, findings=baseline.marked(result.findings, applying), unwritten=tuple(unwritten))


def _pin(ctx: click.Context, result: "Result", contract: "Contract") -> None:
    """Saves how the target behaves for each ambiguity as a policy in the configuration, unless the behaviour is mixed."""
    from brokerfuzz import configuration

    settings = ctx.meta.get(CONFIGURATION)
    path = settings.path if settings is not None else Path("brokerfuzz.toml")
    policies = {observed.ambiguity.id: list(observed.pinnable) for observed in result.ambiguities if observed.pinnable}
    pinned = configuration.pin_policies(path, policies, contract)
    mixed = [observed.ambiguity.id for observed in result.ambiguities if observed.behaviour == "mixed"]
    note(f"{len(pinned)} policies written to {path}" + (f"; no policy for {', '.join(mixed)}, because the answers differed" if mixed else ""))


def _report(
    result: "Result", about_campaign: Mapping[str, Any], reports: Sequence[str], contract: "Contract", resume: str | None, *, as_json: bool
) -> "CampaignOutcome":
    """Writes the reports, prints the result, and returns the outcome. A report that cannot be written changes the outcome."""
    import json

    from brokerfuzz.reports import json_document, terminal

    document = json_document.document(result, about_campaign, contract) if as_json or reports else {}
    written: Sequence[str] = ()
    if reports:  # the reports are written before anything is printed, because a closed standard output ends the command
        from brokerfuzz.reports import report_files

        written, problems = report_files.write_all(reports, document)
        if problems:
            result = replace(result, unwritten=(*result.unwritten, *problems))
            document = json_document.document(result, about_campaign, contract)
            report_files.write_all(written, document)
            for problem in problems:
                failed(problem)
    for path in written:
        note(f"wrote {path}")
    notes = terminal.RunNotes(
        message=about_campaign["message"], seed=about_campaign["seed"], campaign=about_campaign["campaign"], written=written, resume=resume
    )
    click.echo(json.dumps(document, indent=2)) if as_json else terminal.show(result, sys.stdout, notes, quiet=is_quiet())
    return result.outcome
