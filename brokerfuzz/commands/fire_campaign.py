"""Runs a campaign for the command `fire`. Another module declares the command, because these imports take long."""

import shlex
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import click

from brokerfuzz import campaign
from brokerfuzz.campaign import Result, Settings
from brokerfuzz.campaign.journal import head_of
from brokerfuzz.case_options import campaign_plan, folder_of
from brokerfuzz.commands import campaign_results, target_kinds, targets
from brokerfuzz.commands.output import UsageError, is_quiet, note
from brokerfuzz.commands.progress import campaign_line
from brokerfuzz.commands.resuming import continuing_command, recorded
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.option import declared, flag_of
from brokerfuzz.options import CaseFilters, FireCommandOptions
from brokerfuzz.targets import HttpTarget, Target
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.wording import counted

_OF_JOURNAL = (
    *declared(CaseFilters), "message", "policies", "now", "seed", "random", "values", "contract", "fresh",
)  # fmt: skip
"""With `--resume`, the values of these options come from the journal."""


def run(url: str | None, options: FireCommandOptions) -> int:
    """Returns the exit status."""
    command_line, resume = options, options.get("resume")
    options = targets.with_settings(FireCommandOptions, command_line, url, _command(resume) or "brokerfuzz fire TARGET")
    settings = _planned(options) if resume is None else _resumed(resume, command_line, options)
    settings = replace(settings, known=campaign_results.known(options))
    plan = settings.plan
    of_target = {**options, "message": plan.message_type, "now": settings.now, "seed": plan.seed}
    with target_kinds.opened_target(of_target, settings.campaign_id) as target:
        campaign_results.check_paths(options, http=isinstance(target, HttpTarget))
        settings = _in_one_session(target, settings)
        result = _run(target, settings)
    if result.known_findings:
        _note_known(result)
    _note_slowdown(result)
    _show_details(result, as_json=options["json"])
    return campaign_results.finish(result, options, _continuing(result, target.secrets))


def _command(journal: str | None) -> str | None:
    return None if journal is None else shlex.join(["brokerfuzz", "fire", "TARGET", "--resume", journal])


def _continuing(result: Result, secrets: Secrets) -> str | None:
    """Returns the command that continues a campaign that ended early, or the reason why the campaign cannot
    continue.
    """
    settings = result.settings
    if result.stop is None or (result.stop.cause == "contact" and (settings.resume or settings.journal is None)):
        return None
    if settings.journal is None:
        return "impossible without a journal: add --journal FILE next time"
    params = click.get_current_context().params
    return continuing_command(settings.journal, params, _in_journal(settings), secrets)


def _in_journal(settings: Settings) -> list[str]:
    """The options whose values come from the journal if the campaign is resumed."""
    return [name for name in _OF_JOURNAL if name != "contract" or settings.plan.contract is None]


# ---------------------------------------------------------------------------------------------------------- the plan


def _planned(options: FireCommandOptions) -> Settings:
    plan = campaign_plan(options["message"], options)
    if options["random"] is None and options["max_time"] is not None:
        plan = replace(plan, count=None)
    settings = Settings(plan=plan, options=options)
    fresh = targets.fresh_property(options, None, plan.message_type, plan.loaded_contract)
    return replace(settings, options={**settings.options, "fresh": fresh})


def _resumed(journal: str, command_line: FireCommandOptions, options: FireCommandOptions) -> Settings:
    if "journal" in command_line:
        raise UsageError("--resume also writes to the journal that it reads: remove --journal")
    settings = recorded(journal, folder_of(options), options)
    definitions = declared(FireCommandOptions)
    typed = [flag_of(name, definitions[name]) for name in _in_journal(settings) if name in command_line]
    if typed:
        raise UsageError(f"--resume uses the settings in the journal: remove {', '.join(typed)}")
    if settings.plan.count is None and options["max_time"] is None:
        raise UsageError("the campaign of this journal sends random cases without a limit: set a limit with --max-time")
    return settings


# ----------------------------------------------------------------------------------------------------------- firing


def _in_one_session(target: Target, settings: Settings) -> Settings:
    """If the hook `authenticate` provides a token, one process sends all messages. Other processes would have tokens of
    their own, which could not be hidden in the answers to this process.
    """
    if not settings.uses_workers or not isinstance(target, HookedTarget) or not target.has_session:
        return settings
    note(
        "the hook authenticate opens a session for one process: --workers is ignored, and this process sends all "
        "messages"
    )
    return replace(settings, options={**settings.options, "workers": 1})


def _run(target: Target, settings: Settings) -> Result:
    _check_filters(settings)
    if settings.resume and settings.journal is not None:
        _compare_targets(settings.journal, target)
    with nullcontext() if is_quiet() else campaign_line() as on_progress:
        return campaign.run_campaign(settings, target, on_progress)


def _check_filters(settings: Settings) -> None:
    if settings.plan.is_empty:
        remedy = "remove or change --verdict, --rule, --technique or --tag"
        raise UsageError(f"no case matches the filters: {remedy}")


def _compare_targets(journal: str, target: Target) -> None:
    """Prints a note if a resumed campaign has a different target than before. Two reference services count as
    the same target, although their ports can differ.
    """
    before = str(head_of(journal).get("target"))
    if before != target.name and not all(name.startswith(target_kinds.DEMONSTRATION) for name in (before, target.name)):
        note(f"{journal} contains the answers of another target ({before}): the campaign continues with {target.name}")


# ------------------------------------------------------------------------------------------------------------- notes


def _note_known(result: Result) -> None:
    """Prints how many known findings occur again, and which ones are gone."""
    outcomes = result.known_findings
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in Counter(outcomes.values()).items())
    note(f"known findings: {counts}")
    for entry in result.settings.known:
        if outcomes[entry["finding"]] == "gone":
            note(f"gone: {entry['sentence']}")


def _show_details(result: Result, *, as_json: bool) -> None:
    """Prints the traceback of a failed hook. The report shows why the target accepted no plain message, but a JSON
    document does not.
    """
    stop = result.stop
    if stop is None or not stop.details or (stop.cause == "contact" and not as_json):
        return
    if stop.cause == "contact":
        note(f"{stop.reason} ({stop.advice})")
    click.echo(stop.details, err=True)


def _note_slowdown(result: Result) -> None:
    if result.pauses:
        note(f"the target asked brokerfuzz to wait ({counted(result.pauses, 'time')}): consider a lower --rate")
