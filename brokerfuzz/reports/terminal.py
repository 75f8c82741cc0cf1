"""Prints the report for people: the outcome, the findings, the behaviour for each ambiguity, and a summary at the end.

Without `--color`, the report has colours only on a terminal on which `NO_COLOR` is not set. Characters that are not
printable are escaped, so that a target cannot control the terminal.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

import click
from click.globals import resolve_color_default

from brokerfuzz.campaign.findings import Finding
from brokerfuzz.campaign.firing import OnProgress
from brokerfuzz.campaign.headlines import Headline
from brokerfuzz.campaign.ledger import Observed
from brokerfuzz.campaign.proof import Proofs
from brokerfuzz.campaign.results import CampaignProgress, Result
from brokerfuzz.campaign.unknown_values import file_lines
from brokerfuzz.contract_names import LABELS
from brokerfuzz.reports.document_messages import retested_in_words, sporadic_in_words
from brokerfuzz.reports.terminal_layout import WIDTH, entry, paragraph, table, verbatim
from brokerfuzz.schemas import Label
from brokerfuzz.targets.answers import ANSWER_KINDS, AnswerKind
from brokerfuzz.wording import counted, printable, readable

MOST_SHOWN = 100
"""The maximum number of headlines that are shown. The JSON report contains all findings."""

MOST_QUESTIONS = 6
"""A report with more than `MOST_QUESTIONS` ambiguities does not contain their questions."""
LONGEST_BODY = 2000
"""The maximum number of characters of a message that are shown."""
EVERY = 30.0
"""The number of seconds between two lines about the progress, if the stream is not a terminal."""
NAME = "brokerfuzz"
NOT_SENT = "this target cannot receive request headers (or, with --lines plain, line breaks)"
"""The reason why some cases were not sent. An HTTP target can receive all cases."""
_LONGEST_ANSWER = 300
_MOST_LISTED = 6
_MOST_IN_OVERVIEW = 16
_MOST_REASONS = 5


def show(
    result: Result,
    stream: IO[str],
    about: Mapping[str, Any] | None = None,
    *,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Writes the report to a stream, with colours if the stream is a terminal. With `quiet`, the function writes only
    the outcome. With `verbose`, it writes all findings of each headline. `about` contains settings of the campaign: `message`, `seed` and `campaign`.
    """
    text = "".join(f"{line}\n" for line in _outcome(result)) if quiet else report(result, about, verbose=verbose)
    click.echo(text, file=stream, nl=False, color=coloured(stream))


def show_files(stream: IO[str], written: Sequence[str], problems: Iterable[str], resume: str | None) -> None:
    """Writes the last lines of the summary: the written files, the problems with other files, and the command that
    resumes the campaign.
    """
    lines = [*entry("wrote", ", ".join(written))] if written else []
    lines += [line for problem in problems for line in entry("not written", printable(problem))]
    lines += [verbatim("continue", resume)] if resume is not None else []
    click.echo("".join(f"{line}\n" for line in lines), file=stream, nl=False, color=coloured(stream))


def report(result: Result, about: Mapping[str, Any] | None = None, *, verbose: bool = False) -> str:
    """Returns the report, with colour codes."""
    return "".join(f"{line}\n" for line in _lines(result, about or {}, verbose=verbose))


def coloured(stream: IO[str]) -> bool:
    """Without `--color`, only a terminal without `NO_COLOR` (https://no-color.org) gets colours."""
    if (chosen := resolve_color_default()) is not None:
        return chosen
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def live_progress(stream: IO[str]) -> Iterator[OnProgress]:
    """Yields a function that shows the progress of a campaign on one line of a terminal. If the stream is not a
    terminal, the function writes a line every `EVERY` seconds.
    """
    if not stream.isatty():
        yield _Lines(stream)
        return
    try:
        yield lambda progress: click.echo(f"\r\x1b[K{progress_line(progress)}", file=stream, nl=False, color=True)
    finally:
        click.echo("\r\x1b[K", file=stream, nl=False, color=True)


class _Lines:
    def __init__(self, stream: IO[str]) -> None:
        self._stream, self._next = stream, EVERY

    def __call__(self, progress: CampaignProgress) -> None:
        if progress.seconds >= self._next:
            self._next = progress.seconds + EVERY
            click.echo(f"{NAME}: {progress_line(progress)}", file=self._stream)


def progress_line(progress: CampaignProgress) -> str:
    """Describes the progress on one line: `firing: 300 of 1,000 cases, 2 contradictions, 4,000 requests/s`."""
    cases = f"{progress.cases:,} of {progress.total:,} cases" if progress.total else f"{progress.cases:,} cases"
    return f"{progress.phase}: {cases}, {progress.findings:,} contradictions, {progress.rate:,.0f} requests/s"


def _lines(result: Result, about: Mapping[str, Any], *, verbose: bool) -> Iterator[str]:
    yield from _outcome(result)
    if result.stop is not None and result.stop.cause == "contact":
        yield from ("", *result.stop.details.splitlines())
    yield from (verbatim("values", line) for line in file_lines(result.unknown_values))
    for number, headline in enumerate(result.headlines[:MOST_SHOWN], 1):
        yield ""
        yield from _headline(number, headline, verbose=verbose)
    if (left := len(result.headlines) - MOST_SHOWN) > 0:
        yield f"\n... and {counted(left, 'more headline')}: see the JSON report (--json)"
    yield from _unproven(result)
    yield from _elsewhere(result.proofs)
    yield from _questions([seen for seen in result.ambiguities if verbose or seen.is_noteworthy], result)
    if len(result.headlines) > 1:
        yield ""
        yield from _overview(result.headlines)
    yield ""
    yield click.style("Summary", bold=True)
    yield from _summary(result, about)


def _outcome(result: Result) -> Iterator[str]:
    outcome = result.outcome
    colour = "red" if outcome.new else "green" if outcome.state == "complete" else "yellow"
    yield from (
        click.style(line, bold=True, fg=colour)
        for line in paragraph(f"{printable(outcome.headline)} at {printable(result.target)}")
    )


# ----------------------------------------------------------------------------------------------------------- findings


def _headline(number: int, headline: Headline, *, verbose: bool) -> Iterator[str]:
    """Yields the headline, its plainest finding, and the places of the other findings."""
    first, *others = headline.findings
    yield from _title(f"{number}. ", f"{headline.name}: ", headline.sentence(), is_known=headline.known)
    if not others:
        yield from _finding(first)
        return
    shown = headline.findings if verbose else (first,)
    for finding in shown:
        yield from (
            f"   {line}" for line in _title("", f"{finding.name}: ", finding.sentence(), is_known=finding.known)
        )
        yield from _finding(finding)
    if not verbose:
        yield from entry("also", _some(list(dict.fromkeys(map(_where, others))), "place"))


def _title(first: str, name: str, sentence: str, *, is_known: bool) -> Iterator[str]:
    known = "known: " if is_known else ""
    lines = paragraph(f"{name}{known}{sentence}", 3 if first else 0, first)
    yield from (click.style(line, fg=None if is_known else "red", bold=not index) for index, line in enumerate(lines))


def _where(finding: Finding) -> str:
    """The place of a finding in a list: its broken rules or its causes."""
    rules = [reason.rule.removeprefix(f"{finding.message_type}/") for reason in finding.reasons]
    return printable(" ".join(rules or finding.places or finding.ambiguities) or finding.kind, 60)


def _some(names: Sequence[str], what: str) -> str:
    left = len(names) - _MOST_LISTED
    more = [f"and {counted(left, f'more {what}')} (--verbose shows all)"] if left > 0 else []
    return ", ".join([*names[:_MOST_LISTED], *more])


def _overview(headlines: Sequence[Headline]) -> Iterator[str]:
    """Yields one line for each headline, at the end of the report, where people look first."""
    yield click.style("Headlines", bold=True)
    for number, headline in enumerate(headlines[:_MOST_IN_OVERVIEW], 1):
        text = ("known: " if headline.known else "") + printable(headline.text, 200)
        room = WIDTH - len(headline.extent) - 7
        shown = text if len(text) <= room else f"{text[: room - 1]}…"
        yield f" {number:2}. {shown.ljust(room)}  {click.style(headline.extent, dim=True)}"
    if (left := len(headlines) - _MOST_IN_OVERVIEW) > 0:
        yield f"     and {counted(left, 'more headline')}"


def _finding(finding: Finding) -> Iterator[str]:
    for reason in finding.reasons:
        yield from entry(
            "rule",
            f"{reason.rule.removeprefix(f'{finding.message_type}/')} at {printable(reason.at, 200) or 'the root'}",
        )
        yield from entry("contract", reason.source)
    if not finding.reasons and finding.places:
        yield from entry("place", ", ".join(printable(place, 200) for place in finding.places))
    if finding.techniques:
        yield from entry("technique", finding.hint)
    yield from entry("expected", finding.expected)
    yield from entry("got", finding.got)
    if finding.answer.body:
        yield verbatim("answer", readable(finding.answer.body, _LONGEST_ANSWER))
    yield from entry("count", f"{finding.count:,}, first in case {finding.case.id}")
    if finding.headers:
        yield from entry("headers", printable(", ".join(finding.headers), 200))
    yield verbatim("smallest", readable(finding.body, LONGEST_BODY) or "(no bytes)")
    if finding.sent and not finding.whole:
        yield from entry("", "(shrinking stopped early: use a longer --shrink)")
    if finding.twin is not None:
        yield verbatim("twin", readable(finding.twin, LONGEST_BODY))
    yield verbatim(
        "reproduce",
        finding.reproduction if len(finding.reproduction) <= 2 * LONGEST_BODY else "too long to show: use --json",
    )


# ----------------------------------------------------------------------------------------------------------- rejections


def _unproven(result: Result) -> Iterator[str]:
    if result.unproven:
        yield ""
        yield click.style(f"{counted(result.unproven, 'rejection')} unproven", bold=True)
        examples = list(result.proofs.examples())
        for one in examples[:_MOST_REASONS]:
            example = f"{one.count:,}: {printable(one.why, 300)}, first case {one.rejection.case.id}"
            yield from paragraph(example, 5, "   ")
        if (left := len(examples) - _MOST_REASONS) > 0:
            yield f"   and {counted(left, 'other reason')}: see the JSON report (--json)"


def _elsewhere(proofs: Proofs) -> Iterator[str]:
    if proofs.elsewhere:
        yield ""
        yield click.style("Rejections that name a different property than the invalid one", bold=True)
        for one in proofs.elsewhere.values():
            said = (
                f"{', '.join(one.named)} ({counted(one.count, 'time')}, first case {one.case.id}): "
                f"{printable(one.said, 150)}"
            )
            yield from paragraph(f"{one.case.faults[0].rule}: {said}", 5, "   ")


# ---------------------------------------------------------------------------------------------------------- ambiguities


def _topic(seen: Observed) -> str:
    return f"{seen.ambiguity.id} ({seen.answered})" if seen.answered else seen.ambiguity.id


def _questions(shown: Sequence[Observed], result: Result) -> Iterator[str]:
    """Yields the answers to the open questions in `shown`, and the number of all others."""
    if not result.ambiguities:
        return
    yield ""
    yield click.style("Questions that the contract leaves open, and the answers of this target", bold=True)
    if shown:
        yield from _ledger(shown)
        if len(shown) > MOST_QUESTIONS:
            yield from paragraph("To read one of the questions, use `brokerfuzz explain AMBIGUITY`.", 2)
    if left := len(result.ambiguities) - len(shown):
        yield from paragraph(f"{counted(left, 'question')} answered in one way (--verbose shows all)", 2)


def _ledger(ambiguities: Sequence[Observed]) -> Iterator[str]:
    kinds: list[AnswerKind] = [
        kind
        for kind in ANSWER_KINDS
        if kind in ("accepted", "rejected") or any(seen.counts[kind] for seen in ambiguities)
    ]
    doubt = any(seen.unproven for seen in ambiguities)
    heads = ("ambiguity", *kinds, *(["unproven"] if doubt else []))
    rows = (
        (_topic(seen), *(f"{seen.counts[kind]:,}" for kind in kinds), *([f"{seen.unproven:,}"] if doubt else []))
        for seen in ambiguities
    )
    head, *lines = table([heads, *rows])
    yield head
    for seen, line in zip(ambiguities, lines, strict=True):
        yield line
        if len(ambiguities) > MOST_QUESTIONS:
            continue
        yield from (click.style(text, dim=True) for text in paragraph(seen.ambiguity.question, 4))


# ----------------------------------------------------------------------------------------------------------- summary


def _summary(result: Result, about: Mapping[str, Any]) -> Iterator[str]:
    outcome = result.outcome
    yield from entry("outcome", outcome.headline)
    if result.stopped and outcome.state == "complete":
        yield from entry("stopped", result.stopped)
    yield from entry("tested", printable(result.target))
    if about.get("message"):
        yield from entry("message", about["message"])
    yield from entry(
        "sent", f"{counted(result.cases, 'case')}, {counted(result.requests, 'request')} in {result.seconds:.1f} s"
    )
    if result.left_out:
        yield from entry("not sent", f"{counted(result.left_out, 'case')}: {NOT_SENT}")
    for label in LABELS:
        if answers := _answers(result, label):
            yield from entry(label, answers)
    if result.unproven:
        rules = len(result.unproven_rules)
        yield from entry(
            "unproven",
            f"{counted(result.unproven, 'rejection')}, including all rejections for {counted(rules, 'rule')}",
        )
    if result.proofs.retested:
        yield from entry("retested", retested_in_words(result.proofs.retested))
    if result.sporadic:
        yield from entry("sporadic", sporadic_in_words(result.sporadic))
    if early := sum(bool(finding.sent) and not finding.whole for finding in result.findings):
        yield from entry("shrinking", f"stopped early for {counted(early, 'finding')}: use a longer --shrink")
    for name in ("seed", "campaign"):
        if about.get(name) is not None:
            yield from entry(name, f"{about[name]}")


def _answers(result: Result, label: Label) -> str:
    return ", ".join(f"{number:,} {kind}" for kind in ANSWER_KINDS if (number := result.counts.get((label, kind), 0)))
