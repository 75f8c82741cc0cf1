"""Describes the differences between two corpora, as JSON and as text."""

from collections.abc import Iterator
from typing import Any

from brokerfuzz.corpus.comparing import KINDS, CaseTopic, Comparison
from brokerfuzz.explaining.listings import table
from brokerfuzz.schemas import MESSAGE_TYPES
from brokerfuzz.wording import counted, printable_as_in_python

_CHANGES = ("added", "removed", "changed")
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_ORDER = {name: number for number, name in enumerate(MESSAGE_TYPES)}


def data(found: Comparison) -> dict[str, Any]:
    """Describes the differences as JSON."""
    return {
        "same": found.same,
        "cases": {kind: found.cases[kind] for kind in KINDS},
        "labels": [{"before": before, "after": after, "cases": count} for (before, after), count in sorted(found.labels.items())],
        "about": [{"message": message, "about": about, **_counts(found, techniques)} for (message, about), techniques in _rows(found).items()],
    }


def _rows(found: Comparison) -> dict[tuple[str, str], list[CaseTopic]]:
    """Groups the techniques whose numbers of cases differ, by rule. Ambiguities and verdicts have their own groups."""
    differing = {about for kind in _CHANGES for about in found.about[kind]}
    rows: dict[tuple[str, str], list[CaseTopic]] = {}
    for about in sorted(differing, key=lambda about: (_ORDER[about[0]], about)):  # type: ignore[index]
        rows.setdefault(about[:2], []).append(about)
    return rows


def _counts(found: Comparison, techniques: list[CaseTopic]) -> dict[str, Any]:
    message, about, _ = techniques[0]
    of_rule = {kind: sum(count for key, count in found.about[kind].items() if key[:2] == (message, about)) for kind in KINDS}
    of_each = {technique: {kind: found.about[kind][message, about, technique] for kind in KINDS} for _, _, technique in techniques if technique}
    return {**of_rule, **({"techniques": of_each} if of_each else {})}


def lines(found: Comparison) -> Iterator[str]:
    """Yields a row for each rule, ambiguity or verdict with differences, then rows for its techniques, and finally the totals."""
    rows = [{name: name for name in ("about", *KINDS)}] if not found.same else []
    for (message, about), techniques in _rows(found).items():
        counts = _counts(found, techniques)
        rows.append(_row(about if "/" in about else f"{message} {about}", counts))
        rows += [_row(f"  {name}", of_technique) for name, of_technique in counts.get("techniques", {}).items()]
    yield from table(rows, ["about", *KINDS])
    if rows:
        yield ""
    for (before, after), count in sorted(found.labels.items()):
        yield f"{counted(count, 'case')} changed from {before} to {after}"
    sums = ", ".join(f"{_SIGNS[kind]}{found.cases[kind]:,} {kind}" for kind in _CHANGES)
    yield f"{found.cases['before']:,} cases before, {found.cases['after']:,} after: {'no differences' if found.same else sums}"


def _row(about: str, counts: dict[str, Any]) -> dict[str, str]:
    signed = {kind: f"{_SIGNS[kind]}{counts[kind]:,}" if counts[kind] else "" for kind in _CHANGES}
    return {"about": printable_as_in_python(about), "before": f"{counts['before']:,}", "after": f"{counts['after']:,}", **signed}
