"""Prints the report for people: a screen with the outcome, the findings and what to do next, and then the details.

Without `--color`, the report has colours only on a terminal on which `NO_COLOR` is not set. Characters that are not
printable are escaped, so that a target cannot control the terminal.
"""

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

import click
from click.globals import resolve_color_default

from brokerfuzz.reports import facts
from brokerfuzz.reports.fact import Fact
from brokerfuzz.reports.json_document import Document
from brokerfuzz.reports.terminal_layout import entry, paragraph, verbatim, width_of
from brokerfuzz.targets.answers import ANSWER_KINDS
from brokerfuzz.wording import counted, printable, table

MOST_FINDINGS = 10
"""The maximum number of findings on the first screen, which has 24 lines. `--verbose` shows all."""
FEW = 3
"""Without `--verbose`, the report has details only if there are at most `FEW` findings."""
_MOST_REASONS = 5
_BESIDE_TITLES = len("  1. ") + len("  ")
_FROM_OPTIONS = ("message", "now")
"""Facts that the user knows from the command."""


def show(
    document: Document, stream: IO[str], *, quiet: bool = False, verbose: bool = False, report: str | None = None
) -> None:
    """Writes the report to a stream. With `quiet`, the function writes only the outcome. With `verbose`, it writes the
    details of all findings. `report` is a file in which `brokerfuzz explain` finds them.
    """
    width = width_of(stream)
    lines = _outcome(document) if quiet else lines_of(document, width, verbose=verbose, report=report)
    click.echo("".join(f"{line}\n" for line in lines), file=stream, nl=False, color=coloured(stream))


def show_files(stream: IO[str], written: Sequence[str], resume: str | None) -> None:
    """Writes the last lines: the written files, and the command that continues the campaign."""
    lines = ["", *entry("wrote", ", ".join(written))] if written else []
    lines += [verbatim("continue", resume)] if resume is not None else []
    click.echo("".join(f"{line}\n" for line in lines), file=stream, nl=False, color=coloured(stream))


def coloured(stream: IO[str]) -> bool:
    """Without `--color`, only a terminal without `NO_COLOR` (https://no-color.org) gets colours."""
    if (chosen := resolve_color_default()) is not None:
        return chosen
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def lines_of(document: Document, width: int, *, verbose: bool = False, report: str | None = None) -> Iterator[str]:
    """Yields the lines of the report, with colour codes. Titles are shortened to `width` columns."""
    new = [finding for finding in document["findings"] if finding["state"] != "known"]
    has_details = verbose or len(new) <= FEW
    yield from _outcome(document)
    if new:
        yield ""
        yield from _titles(new, width, None if verbose else MOST_FINDINGS)
    yield ""
    if new and not has_details and not document["advice"]:
        yield from _next_step(new[0]["name"], report)
    for fact in facts.campaign_facts(document):
        yield from () if fact.label in _FROM_OPTIONS else _entry(fact)
    yield from _details(document, new if has_details else [], verbose=verbose)


def _outcome(document: Document) -> Iterator[str]:
    outcome = document["outcome"]
    colour = "red" if outcome["status"] == 1 else "green" if outcome["state"] == "complete" else "yellow"
    line = f"{printable(outcome['headline'])} at {printable(document['target'])}"
    yield from (click.style(part, bold=True, fg=colour) for part in paragraph(line))


def _titles(findings: Sequence[Document], width: int, limit: int | None) -> Iterator[str]:
    """Yields one line for each finding."""
    texts = [(facts.title_of(finding), finding["extent"]) for finding in findings[:limit]]
    width = min(width, max(len(text) + len(extent) for text, extent in texts) + _BESIDE_TITLES)
    for number, (text, extent) in enumerate(texts, 1):
        room = width - len(extent) - _BESIDE_TITLES
        shown = text if len(text) <= room else f"{text[: room - 1]}…"
        yield f"{number:3}. {click.style(shown.ljust(room), fg='red')}  {click.style(extent, dim=True)}"
    if limit is not None and (omitted := len(findings) - limit) > 0:
        yield f"     and {counted(omitted, 'more finding')} (--verbose shows all)"


def _next_step(name: str, report: str | None) -> Iterator[str]:
    if report is not None:
        yield verbatim("next", f"brokerfuzz explain {name} {shlex.quote(report)}")
    else:
        yield from entry("next", "--verbose shows examples; --report findings.html writes a page")


# ----------------------------------------------------------------------------------------------------------- details


def _details(document: Document, findings: Sequence[Document], *, verbose: bool) -> Iterator[str]:
    yield from _section("", document["outcome"].get("details", ()))
    for number, finding in enumerate(findings, 1):
        yield ""
        yield from _bold(f"{number}. ", f"{finding['name']}: {facts.sentence_of(finding)}")
        for fact in facts.facts_of(finding):
            yield from _entry(fact)
    unproven = counted(document["unproven"]["count"], "rejection")
    yield from _section(f"{unproven} unproven", _wrapped(facts.unproven_lines(document)))
    shown = [ambiguity for ambiguity in document["ambiguities"] if verbose or facts.is_contradictory(ambiguity)]
    title = "Questions that the contract leaves open, and the answers of this target (`brokerfuzz explain` NAME)"
    yield from _section(title, _ledger(shown) if shown else ())


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yields nothing if there are no lines."""
    for number, line in enumerate(lines):
        if not number:
            yield ""
            yield from (click.style(part, bold=True) for part in paragraph(title) if title)
        yield line


def _wrapped(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        if number == _MOST_REASONS:
            yield "   and more: see the JSON report (--json)"
            return
        yield from paragraph(text, 5, "   ")


def _bold(first: str, text: str) -> Iterator[str]:
    yield from (click.style(line, fg="red", bold=True) for line in paragraph(text, 3, first))


def _entry(fact: Fact) -> Iterator[str]:
    for number, line in enumerate(fact.lines):
        label = "" if number else fact.label
        yield from [verbatim(label, line)] if fact.is_exact else entry(label, line)


def _ledger(ambiguities: Sequence[Document]) -> Iterator[str]:
    kinds: list[str] = ["accepted", "rejected"]
    kinds += [*(kind for kind in ANSWER_KINDS[2:] if any(ambiguity[kind] for ambiguity in ambiguities))]
    kinds += ["unproven"] if any(ambiguity["unproven"] for ambiguity in ambiguities) else []
    rows = (
        (printable(ambiguity["ambiguity"], 60), ambiguity["behaviour"], *(f"{ambiguity[kind]:,}" for kind in kinds))
        for ambiguity in ambiguities
    )
    yield from (f"  {line}" for line in table([("ambiguity", "behaviour", *kinds), *rows], numbers=True))
