"""Writes the results of a campaign: the baseline and the reports."""

import sys
from pathlib import Path
from typing import Any

from brokerfuzz.campaign import Result, baseline
from brokerfuzz.campaign.baseline import Baseline
from brokerfuzz.commands.output import UsageError, is_quiet, note, print_error, print_json
from brokerfuzz.errors import BaselineError
from brokerfuzz.exit_status import FAILED
from brokerfuzz.options import FireCommandOptions
from brokerfuzz.reports import json_document, report_files, terminal
from brokerfuzz.reports.json_document import Document

_FILES = ("journal", "resume", "values", "hooks", "baseline")
"""The options whose files must differ from those of the reports."""


def check_paths(options: FireCommandOptions, *, http: bool) -> None:
    paths: dict[str, Any] = {name: options[name] for name in _FILES}  # type: ignore[literal-required]
    files = {f"--{name}": None if path is None else str(path) for name, path in paths.items()}
    report_files.check_paths(map(str, options["reports"]), http=http, other_files=files)
    if options["baseline"] is None and options["baseline_update"]:
        raise UsageError("--baseline-update changes a baseline: use --baseline FILE to specify the baseline")


def known(options: FireCommandOptions) -> Baseline:
    path = options["baseline"]
    if path is None or (options["baseline_update"] and not Path(path).exists()):
        return ()
    return baseline.read_baseline(Path(path))


def finish(result: Result, options: FireCommandOptions, resume: str | None) -> int:
    """Prints the result, writes all files, and returns the exit status.

    Prints the result first, so that no problem with a file can suppress the result. `resume` is the command that
    continues the campaign.
    """
    as_json = options["json"]
    expired = baseline.expired(result.settings.known)
    for entry in expired:
        until = f"was valid only until {entry['until']}, so it does not count"
        note(f"the entry {entry['finding']} in {options['baseline']} {until}")
    if options["baseline_update"]:
        result = result.added_to_baseline(frozenset(failure for entry in expired for failure in entry["failing"]))
    document = json_document.document(result)
    try:
        if as_json:
            print_json(document)
        else:
            reports = [str(path) for path in options["reports"] if str(path).lower().endswith(".json")]
            report = next(iter(reports), None)  # in which `brokerfuzz explain` finds the findings
            terminal.show(document, sys.stdout, quiet=is_quiet(), verbose=options["verbose"], report=report)
    finally:  # all files are written even if standard output is closed
        written, unwritten = _write_files(result, document, options)
    if as_json:
        for path in written:
            note(f"wrote {path}")
    elif not is_quiet():
        terminal.show_files(sys.stdout, written, resume)
    for problem in unwritten:
        print_error(problem)
    return result.outcome.status or (FAILED if unwritten else 0)


def _write_files(result: Result, document: Document, options: FireCommandOptions) -> tuple[list[str], list[str]]:
    """Writes the baseline and the reports. Returns the paths of the written files, and why others could not be
    written.
    """
    paths = [str(path) for path in options["reports"]]
    problems = report_files.write_reports(paths, document)
    if options["baseline_update"]:
        path = str(options["baseline"])
        paths.insert(0, path)
        try:
            _update_baseline(path, result)
        except BaselineError as problem:
            problems[path] = str(problem)
    return [path for path in paths if path not in problems], list(problems.values())


def _update_baseline(path: str, result: Result) -> None:
    """Adds the findings of the campaign, says what is new, and removes the known ones that are gone."""
    gone = {name for name, outcome in result.known_findings.items() if outcome == "gone"}
    baseline.update(Path(path), result.findings, gone=gone)
    for finding in result.findings:
        if finding.new:
            note(f"added to the baseline: {finding.sentence()}")
