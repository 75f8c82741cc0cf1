"""Prints the coverage of a corpus as a table with one row per site, or prints a list of the goals that are not covered.

A goal is something that a message can cover: a rule, a technique, an edge (an unusual valid value), an ambiguity or a
pair. A cell such as `3/5` contains the number of covered goals and the number of all goals. Bars and colours appear
only on a terminal.
"""

from collections.abc import Iterable, Iterator

import click

from brokerfuzz.cases.covering.goals import KINDS, Goal
from brokerfuzz.cases.covering.tally import Score, Tally
from brokerfuzz.contract_names import LABELS
from brokerfuzz.wording import plural

ROOT = "(root)"
_BAR = 20


def percent(score: Score) -> int:
    """The result is 100 only if everything is covered, and 0 only if nothing is covered."""
    return min(max(round(100 * score.share), 1 if score.covered else 0), 100 if score.covered == score.all else 99)


def messages(tally: Tally) -> str:
    verdicts = ", ".join(f"{count:,} {label}" for label in LABELS if (count := tally.verdicts[label]))
    return f"{tally.messages:,} message{'' if tally.messages == 1 else 's'} ({verdicts})"


def lines(tallies: Iterable[Tally], *, bars: bool = False) -> Iterator[str]:
    """Yields the lines of the table, with colour codes. `click.echo` removes these codes if the output is not a
    terminal.
    """
    for number, tally in enumerate(tallies):
        yield from [""] if number else []
        yield click.style(f"{tally.message_type}: {messages(tally)}", bold=True)
        yield from (f"  {line}" for line in _totals(tally, bars=bars))
        yield ""
        yield from (f"  {line}" for line in _sites(tally))


def _totals(tally: Tally, *, bars: bool) -> Iterator[str]:
    scores = {kind: tally.score(kind) for kind in KINDS}
    width = max(len(cell(score)) for score in scores.values())
    for kind, score in scores.items():
        filled = round(_BAR * score.share)
        bar = f"  {'█' * filled}{'░' * (_BAR - filled)}" if bars else ""
        yield f"{plural(kind):<10}  " + click.style(
            f"{cell(score):>{width}}  {percent(score):>3} %{bar}", fg=_colour(score)
        )


def _sites(tally: Tally) -> Iterator[str]:
    rows = [
        (site or ROOT, [tally.score_of(kinds.get(kind, ())) for kind in KINDS]) for site, kinds in tally.by_site.items()
    ]
    heads = [plural(kind) for kind in KINDS]
    first = max(len(name) for name, _ in rows)
    widths = [max(len(head), *(len(cell(scores[column])) for _, scores in rows)) for column, head in enumerate(heads)]
    yield "  ".join([f"{'site':<{first}}", *(head.rjust(width) for head, width in zip(heads, widths, strict=True))])
    for name, scores in rows:
        cells = (
            click.style(cell(score).rjust(width), fg=_colour(score))
            for score, width in zip(scores, widths, strict=True)
        )
        yield "  ".join([f"{name:<{first}}", *cells])


def cell(score: Score) -> str:
    return f"{score.covered:,}/{score.all:,}" if score.all else "-"


def _colour(score: Score) -> str | None:
    if not score.all:
        return None
    return "green" if score.covered == score.all else "yellow" if score.covered else "red"


def missing(tallies: Iterable[Tally]) -> Iterator[str]:
    return (
        f"{goal.kind:<9}  {'  '.join(full_name(goal, tally.message_type))}"
        for tally in tallies
        for goal in tally.missing()
    )


def full_name(goal: Goal, message_type: str) -> tuple[str, ...]:
    """Returns the parts of the name of a goal: for a technique, these are the ID of the rule and the name of the
    technique.
    """
    site = f"{message_type}/{goal.site}"
    if goal.kind in ("rule", "technique"):
        suffix, *technique = goal.name.split(" ")
        return (f"{site}:{suffix}", *technique)
    return site, goal.name
