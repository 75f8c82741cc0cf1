"""Creates an HTML page with the coverage of a corpus: a row per site, which readers can open to see what is missing."""

from collections.abc import Mapping, Sequence
from typing import Any

from brokerfuzz.cases.covering.goals import KINDS, Goal
from brokerfuzz.cases.covering.tally import COUNTED, Score, Tally
from brokerfuzz.reports.rendering import html_page
from brokerfuzz.wording import counted, plural

MOST_LISTED = 100
"""The page lists at most this many missing goals per site and kind, and at most this many corpora in its heading."""


def page(tallies: Sequence[Tally], sources: Sequence[str]) -> str:
    more = [f"and {len(sources) - MOST_LISTED:,} more"] if len(sources) > MOST_LISTED else []
    return html_page(
        "coverage.html",
        sources=[*sources[:MOST_LISTED], *more],
        score=sum((tally.score(*COUNTED) for tally in tallies), Score(0, 0)),
        tallies=[_section(tally) for tally in tallies],
    )


def _section(tally: Tally) -> dict[str, Any]:
    return {
        "name": tally.message_type,
        "title": tally.title,
        "totals": {plural(kind): tally.score(kind) for kind in KINDS},
        "missing": [tally.full_name(goal) for goal in tally.missing() if goal.kind in ("rule", "ambiguity")],
        "sites": [_site(tally, site, kinds) for site, kinds in tally.by_site.items()],
    }


def _site(tally: Tally, site: str, kinds: Mapping[str, Sequence[Goal]]) -> dict[str, Any]:
    return {
        "name": site or "(root)",
        "scores": {plural(kind): tally.score_of(goals) for kind, goals in kinds.items()},
        "goals": {plural(kind): _goals(tally, goals) for kind, goals in kinds.items()},
    }


def _goals(tally: Tally, goals: Sequence[Goal]) -> list[tuple[str, str, str]]:
    """Returns the name, the class and the first message of each goal. The goals that no message covers come first."""
    missing = [(goal.name, "open", "") for goal in goals if goal not in tally.first]
    covered = [goal for goal in goals if goal in tally.first and goal.kind != "pair"]
    uses = [f"{counted(tally.counts[goal], 'message')}, first {tally.first[goal]}" for goal in covered]
    return [*missing[:MOST_LISTED], *((goal.name, "met", use) for goal, use in zip(covered, uses, strict=True))]
