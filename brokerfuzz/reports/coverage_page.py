"""Creates an HTML page with the coverage of a corpus: a table with one row per site, and columns for rules, techniques,
edges (unusual valid values), pairs and ambiguities. Readers can open each row to see what is missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from brokerfuzz.cases.covering.goals import KINDS, Goal, of_rule
from brokerfuzz.cases.covering.tally import COUNTED, Score, Tally
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.reports.rendering import html_page
from brokerfuzz.wording import counted, plural

MOST_LISTED = 100
"""The page lists at most this many missing pairs of property states per site, and at most this many corpora in its
heading.
"""


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
    goals = {kind: kinds.get(kind, ()) for kind in KINDS}
    return {
        "name": site or "(root)",
        "scores": {plural(kind): tally.score_of(some) for kind, some in goals.items() if some},
        "rules": list(_rules(tally, site, goals["technique"])),
        "edges": _chips(tally, goals["edge"]),
        "ambiguities": _chips(tally, goals["ambiguity"]),
        "pairs": _chips(tally, [goal for goal in goals["pair"] if goal not in tally.first][:MOST_LISTED]),
    }


def _rules(tally: Tally, site: str, techniques: Sequence[Goal]) -> Iterator[dict[str, Any]]:
    for rule in tally.contract.rules[tally.message_type]:
        if rule.site == site:
            goal = of_rule(rule)
            yield {
                "name": goal.name,
                "demand": rule.demand,
                "source": rule.source or "a changed contract",
                "uses": _uses(tally, goal) or "never broken",
                "is_covered": goal in tally.first,
                "techniques": _chips(tally, [one for one in techniques if one.name.startswith(f"{goal.name} ")]),
            }


def _chips(tally: Tally, goals: Sequence[Goal]) -> list[tuple[str, str, str]]:
    """Returns the name, the class and the description of each goal. The goals that no message covers come first."""
    return [_chip(tally, goal) for goal in sorted(goals, key=lambda goal: goal in tally.first)]


def _chip(tally: Tally, goal: Goal) -> tuple[str, str, str]:
    name = goal.name.partition(" ")[2] if goal.kind == "technique" else goal.name
    if goal in tally.first:
        return name, "met", _uses(tally, goal)
    if goal.kind == "technique" and name in TECHNIQUES:
        return name, "open", TECHNIQUES[name].text
    return name, "open", tally.contract.ambiguity(name).question if goal.kind == "ambiguity" else ""


def _uses(tally: Tally, goal: Goal) -> str:
    return f"{counted(tally.counts[goal], 'message')}, first {tally.first[goal]}" if goal in tally.first else ""
