"""Prints the report for people: a summary, the findings as sentences, and the behaviour for each ambiguity.

It uses colours only on a terminal, and only if `NO_COLOR` is not set. Characters that are not printable are escaped, so that a
target cannot control the terminal.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import click

from brokerfuzz.campaign.attribution import Attribution
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.campaign.firing import OnProgress
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.results import CampaignProgress, Result
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Label
from brokerfuzz.targets.answers import ANSWER_KINDS, AnswerKind
from brokerfuzz.wording import printable, readable

MOST_SHOWN = 100
"""The maximum number of findings that are shown. The JSON report contains all of them."""

LONGEST_BODY = 2000
"""The maximum number of characters of a body that are shown."""


def show(result: Result, stream: IO[str]) -> None:
    """Writes the report to a stream, with colours if the stream is a terminal."""
    click.echo(report(result), file=stream, nl=False, color=coloured(stream))


def report(result: Result) -> str:
    """Returns the report with codes for colours, which `click.unstyle` removes."""
    return "".join(f"{line}\n" for line in _lines(result))


def coloured(stream: IO[str]) -> bool:
    """Returns whether to use colours: only on a terminal, and only if `NO_COLOR` (https://no-color.org) is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def live_progress(stream: IO[str]) -> Iterator[OnProgress | None]:
    """Yields a function that shows the progress of a campaign on one line. Yields None if the stream is not a terminal."""
    if not stream.isatty():
        yield None
        return
    try:
        yield lambda progress: click.echo(f"\r\x1b[K{progress_line(progress)}", file=stream, nl=False, color=True)
    finally:
        click.echo("\r\x1b[K", file=stream, nl=False, color=True)


def progress_line(progress: CampaignProgress) -> str:
    """Describes the progress on one line: `firing: 300 of 1,000 cases, 2 contradictions, 4,000 requests/s`."""
    cases = f"{progress.cases:,} of {progress.total:,} cases" if progress.total else f"{progress.cases:,} cases"
    return f"{progress.phase}: {cases}, {progress.findings:,} contradictions, {progress.rate:,.0f} requests/s"


def summary(result: Result) -> str:
    """Describes the result on one line."""
    known = sum(finding.known for finding in result.findings)
    found = f"{len(result.findings):,} finding{'' if len(result.findings) == 1 else 's'}" + (f" ({known:,} of them known)" if known else "")
    answers = "; ".join(filter(None, (_answers(result, label) for label in LABELS)))
    stopped = f"; stopped early: {result.stopped}" if result.stopped else ""
    left_out = f"; {result.left_out:,} cases not sent, because they cannot be sent to this target" if result.left_out else ""
    work = f"{result.cases:,} cases, {result.requests:,} requests in {result.seconds:.1f} s"
    return f"{found} at {printable(result.target)} ({work}{left_out}{stopped}): {answers or 'no case was answered'}"


def _answers(result: Result, label: Label) -> str:
    counts = [(kind, result.counts.get((label, kind), 0)) for kind in ANSWER_KINDS]
    text = ", ".join(f"{number:,} {kind}" for kind, number in counts if number)
    return f"{label}: {text}" if text else ""


def _lines(result: Result) -> Iterator[str]:
    yield click.style(summary(result), bold=True, fg="red" if any(not finding.known for finding in result.findings) else "green")
    for number, finding in enumerate(result.findings[:MOST_SHOWN], 1):
        yield ""
        yield from _finding(number, finding)
    if (left := len(result.findings) - MOST_SHOWN) > 0:
        yield f"\n... and {left:,} more findings: see the JSON report (--json)"
    yield from _unproven(result.attribution)
    yield from _elsewhere(result.attribution)
    if result.ambiguities:
        yield ""
        yield click.style("Questions that the contract leaves open, and the answers that this target gives", bold=True)
        yield from _table(result.ambiguities)


def _finding(number: int, finding: Finding) -> Iterator[str]:
    known = click.style("known: ", bold=True) if finding.known else ""
    yield click.style(f"{number}. ", bold=True) + known + click.style(finding.sentence(), fg=None if finding.known else "red")
    for reason in finding.reasons:
        yield _entry("rule", f"{reason.rule} (contract: {reason.source})")
        yield _entry("place", printable(reason.at, 200) or "the whole message")
    if not finding.reasons and finding.places:
        yield _entry("place", ", ".join(printable(place, 200) for place in finding.places))
    if finding.techniques:
        yield _entry("technique", ", ".join(finding.techniques))
    if finding.tags:
        yield _entry("tags", printable(", ".join(finding.tags), 200))
    yield _entry("expected", finding.expected)
    yield _entry("got", finding.got)
    yield _entry("count", f"{finding.count:,}, first in case {finding.case.id}")
    if finding.headers:
        yield _entry("headers", printable(", ".join(finding.headers), 200))
    yield _entry("smallest", readable(finding.body, LONGEST_BODY) or "(no bytes)")
    if finding.twin is not None:
        yield _entry("twin", readable(finding.twin, LONGEST_BODY))
    yield _entry("reproduce", finding.reproduction if len(finding.reproduction) <= 2 * LONGEST_BODY else "too long to show: use --json")


def _unproven(attribution: Attribution) -> Iterator[str]:
    """Yields the rejections that prove nothing, grouped by the answer to the twin."""
    if attribution.rejections_unproven:
        yield ""
        yield click.style(
            f"{attribution.rejections_unproven:,} rejections prove nothing: the twin (the valid counterpart) was rejected too", bold=True
        )
        for one in attribution.unproven.values():
            got = f"{one.answer.kind} ({printable(one.answer.reason, 200)})"
            yield f"   {one.count:,} twins: {got}, first the twin of case {one.case.id}"


def _elsewhere(attribution: Attribution) -> Iterator[str]:
    """Yields the rejections whose answer names a different property than the invalid one."""
    if attribution.elsewhere:
        yield ""
        yield click.style("Rejections that name a different property than the invalid one", bold=True)
        for one in attribution.elsewhere.values():
            yield f"   {one.case.faults[0].rule}: {', '.join(one.named)} ({one.count:,} times, first case {one.case.id}): {printable(one.said, 150)}"


def _entry(name: str, value: str) -> str:
    return f"   {click.style(f'{name:<10}', dim=True)} {value}"


def _table(ambiguities: tuple[Observed, ...]) -> Iterator[str]:
    kinds: list[AnswerKind] = [kind for kind in ANSWER_KINDS if kind != "timeout" or any(observed.counts[kind] for observed in ambiguities)]
    rows = [("ambiguity", *kinds, "question")]
    rows += [(o.ambiguity.id, *(f"{o.counts[kind]:,}" for kind in kinds), o.ambiguity.question) for o in ambiguities]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for name, *numbers, question in rows:
        counts = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *counts, question])
