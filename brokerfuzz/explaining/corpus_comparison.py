"""Describes the differences between two corpora, as JSON and as text."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from brokerfuzz.corpus.comparing import EDGE, KINDS, CaseTopic, Comparison
from brokerfuzz.explaining.listings import table
from brokerfuzz.schemas import MESSAGE_TYPES
from brokerfuzz.wording import counted, printable_as_in_python

_CHANGES = ("added", "removed", "changed")
_COLUMNS = ["about", "before", "after", *_CHANGES]
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_ORDER = {name: number for number, name in enumerate(MESSAGE_TYPES)}


def data(found: Comparison) -> dict[str, Any]:
    return {
        "same": found.same,
        "cases": {kind: found.cases[kind] for kind in KINDS},
        "labels": [
            {"before": before, "after": after, "cases": count}
            for (before, after), count in sorted(found.labels.items())
        ],
        "about": [
            {"message": message, "about": about, **_counts(found, techniques)}
            for (message, about), techniques in _subjects(found).items()
        ],
    }


def _subjects(found: Comparison) -> dict[tuple[str, str], list[CaseTopic]]:
    """Groups the topics with differences by their message type and subject (see `CaseTopic`)."""
    differing = {about for kind in _CHANGES for about in found.about[kind]}
    rows: dict[tuple[str, str], list[CaseTopic]] = {}
    for about in sorted(differing, key=lambda about: (_ORDER[about[0]], about)):  # type: ignore[index]
        rows.setdefault(about[:2], []).append(about)
    return rows


def _counts(found: Comparison, techniques: list[CaseTopic]) -> dict[str, Any]:
    message, about, _ = techniques[0]
    of_rule = {
        kind: sum(count for key, count in found.about[kind].items() if key[:2] == (message, about)) for kind in KINDS
    }
    of_each = {
        technique: {kind: found.about[kind][message, about, technique] for kind in KINDS}
        for _, _, technique in techniques
        if technique
    }
    return {**of_rule, **({"techniques": of_each} if of_each else {})}


MOST_PLACES = 8


def lines(found: Comparison) -> Iterator[str]:
    """Yields a table with one row per place, and then the totals. A place is a site, an ambiguity or a label.

    The place with the most differences comes first. Places without differences are omitted. If more than `MOST_PLACES`
    places have differences, the last row contains the sum of the remaining places.
    """
    places: dict[str, Counter[str]] = {}
    for kind in KINDS:
        for topic, count in found.about[kind].items():
            places.setdefault(_place(topic), Counter())[kind] += count
    differing = {place: counts for place, counts in places.items() if _differences(counts)}
    ordered = sorted(differing, key=lambda place: (-_differences(differing[place]), place))
    rows = [_row(place, differing[place]) for place in ordered[:MOST_PLACES]]
    if rest := ordered[MOST_PLACES:]:
        rows.append(
            _row(f"({counted(len(rest), 'more place')})", sum((differing[place] for place in rest), Counter[str]()))
        )
    yield from table([{name: name for name in _COLUMNS}, *rows] if rows else [], _COLUMNS)
    for (before, after), count in sorted(found.labels.items()):
        yield f"{counted(count, 'case')} changed from {before} to {after}"
    if rewritten := found.cases["rewritten"]:
        yield (
            f"{counted(rewritten, 'case')} rewritten: other messages that test the same, as after a new required "
            "property"
        )
    sums = ", ".join(f"{_SIGNS[kind]}{found.cases[kind]:,} {kind}" for kind in _CHANGES)
    yield (
        f"{found.cases['before']:,} cases before, {found.cases['after']:,} after: "
        f"{'no differences' if found.same else sums}"
    )


def _place(topic: CaseTopic) -> str:
    """For a rule or an edge, returns the message type and the site. For an ambiguity or a label, returns the message
    type and the name.
    """
    message, about, _ = topic
    if about.startswith(EDGE):
        about = f"{message}/{about.removeprefix(EDGE)}"
    return about.rpartition(":")[0] or about if "/" in about else f"{message} {about}"


def _differences(counts: Mapping[str, int]) -> int:
    return sum(counts[kind] for kind in _CHANGES)


def _row(about: str, counts: Mapping[str, int]) -> dict[str, str]:
    signed = {kind: f"{_SIGNS[kind]}{counts[kind]:,}" if counts[kind] else "" for kind in _CHANGES}
    return {
        "about": printable_as_in_python(about),
        "before": f"{counts['before']:,}",
        "after": f"{counts['after']:,}",
        **signed,
    }
