"""Writes the results of a campaign: the baseline, the policies in the configuration, and the reports."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz.commands.option_values import ResultOptions
from brokerfuzz.commands.output import failed, is_quiet, note
from brokerfuzz.options import CONFIGURATION

if TYPE_CHECKING:
    from brokerfuzz.campaign import Result
    from brokerfuzz.campaign.baseline import Baseline
    from brokerfuzz.planned_campaign import PlannedCampaign
    from brokerfuzz.schemas import Contract


def check(results: ResultOptions, *, http: bool) -> None:
    """Checks the options before the campaign. `http` says whether the target is an HTTP endpoint. Raises `UsageError` and `ReportError`."""
    if results.reports:
        from brokerfuzz.reports import report_files

        report_files.check_paths(results.reports, force=results.force, http=http)
    if results.baseline is None and (results.baseline_update or results.baseline_prune):
        raise click.UsageError("no baseline given: use --baseline FILE", click.get_current_context())


def known(results: ResultOptions) -> "Baseline":
    """Returns the known findings of the baseline. Raises `BaselineError` if the baseline cannot be read."""
    from brokerfuzz.campaign import baseline

    if results.baseline is None or (results.baseline_update and not Path(results.baseline).exists()):
        return {}
    return baseline.read(Path(results.baseline))


def with_files(result: "Result", planned: "PlannedCampaign", results: ResultOptions) -> "Result":
    """Updates the baseline and the configuration if options ask for it. A file that cannot be written changes the outcome."""
    from brokerfuzz.campaign import baseline
    from brokerfuzz.errors import BaselineError, ConfigurationError

    entries, problems = planned.known, list[str]()
    try:
        entries = _updated(result, entries, results)
    except BaselineError as problem:
        problems.append(str(problem))
    if results.write_config:
        try:
            _pin(result, planned.plan.demands)
        except ConfigurationError as problem:
            problems.append(str(problem))
    for line in problems:
        failed(line)
    applying = baseline.applying(entries)
    for name in (name for name in entries if name not in applying):
        note(f"the entry {name} of {results.baseline} expired after {entries[name].until}, so its finding counts as new")
    return replace(result, findings=baseline.marked(result.findings, applying), unwritten=tuple(problems))


def _updated(result: "Result", known: "Baseline", results: ResultOptions) -> "Baseline":
    """Writes the baseline, and returns its contents. Raises `BaselineError` if the baseline cannot be written."""
    from brokerfuzz.campaign import baseline

    add, prune = results.baseline_update, results.baseline_prune
    if prune and (result.stopped is not None or result.outcome.state != "complete"):
        note("no finding was removed from the baseline, because the campaign stopped early and did not check every finding")
        prune = False
    if results.baseline is None or not (add or prune):
        return known
    still = [name for name, outcome in result.known_findings.items() if outcome == "still there"]
    updated = baseline.updated(known, result.findings, add=add, prune=prune, still=still)
    baseline.write(Path(results.baseline), updated)
    return updated


def _pin(result: "Result", contract: "Contract") -> None:
    """Saves how the target behaves for each ambiguity as a policy in the configuration, unless the behaviour is mixed."""
    from brokerfuzz import configuration

    settings = click.get_current_context().meta.get(CONFIGURATION)
    path = settings.path if settings is not None else Path("brokerfuzz.toml")
    policies = {observed.ambiguity.id: list(observed.pinnable) for observed in result.ambiguities if observed.pinnable}
    pinned = configuration.pin_policies(path, policies, contract)
    mixed = [observed.ambiguity.id for observed in result.ambiguities if observed.behaviour == "mixed"]
    note(f"{len(pinned)} policies written to {path}" + (f"; no policy for {', '.join(mixed)}, because the answers differed" if mixed else ""))


def show(result: "Result", about: Mapping[str, Any], contract: "Contract", reports: Sequence[str], resume: str | None, *, as_json: bool) -> int:
    """Writes the reports, prints the result, and returns the exit status."""
    import json

    from brokerfuzz.reports import json_document, report_files, terminal

    before, document, written = len(result.unwritten), None, list[str]()
    try:
        if reports or as_json:  # the reports are written before anything is printed, because a closed standard output ends the command
            result, document, written = report_files.write_about(reports, result, about, contract)
    finally:  # Ctrl-C while the reports are written does not suppress the result
        for problem in result.unwritten[before:]:
            failed(problem)
        for path in written:
            note(f"wrote {path}")
        notes = terminal.RunNotes(message=about["message"], seed=about["seed"], campaign=about["campaign"], written=written, resume=resume)
        if as_json:
            click.echo(json.dumps(document or json_document.document(result, about, contract), indent=2))
        else:
            terminal.show(result, sys.stdout, notes, quiet=is_quiet())
    return result.outcome.status
