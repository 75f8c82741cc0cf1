"""Reads and writes the baseline: a JSON file with known findings, which do not make a campaign fail.

Each entry consists of a few lines, so that changes of the file are easy to review:

    {"finding": "2cbdcdfc",                          the name of the finding (see `Finding.name`)
     "sentence": "The target accepted ...",          explains the finding
     "reason": "ticket 17",                          optional: why the finding is tolerated, written by people
     "until": "2026-12-31",                          optional: the last day on which the entry applies
     "headline": "5a1115ea",                         optional: its general headline; findings with the same headline are
                                                     known, too
     "case": "b7e8ef5a8405ebf8"}                     optional: its first case, which shows later whether it is gone
"""

import json
from collections.abc import Container, Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema_rs import validator_for

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.results import KnownOutcome, Result
from brokerfuzz.errors import BaselineError, problem_of
from brokerfuzz.file_contents import read_file, write_errors
from brokerfuzz.locks import held
from brokerfuzz.schemas.json_documents import parsed_document
from brokerfuzz.shapes import problem_in
from brokerfuzz.storage import written

VERSION = 4
_BY_HAND = ("reason", "until")
_TEXT = {"type": "string"}
_NAME = {"type": "string", "pattern": "^[0-9a-f]{8}$"}
_PROPERTIES: Mapping[str, Any] = {
    "finding": _NAME,
    "sentence": _TEXT,
    "reason": _TEXT,
    "until": {"type": "string", "format": "date"},
    "headline": _NAME,
    "case": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
}
_ENTRY = {
    "type": "object",
    "required": ["finding", "sentence"],
    "properties": _PROPERTIES,
    "additionalProperties": False,
}
_BASELINE = validator_for(
    {
        "type": "object",
        "required": ["baseline", "findings"],
        "properties": {"baseline": {"const": VERSION}, "findings": {"type": "array", "items": _ENTRY}},
        "additionalProperties": False,
    },
    validate_formats=True,
)

Baseline = Mapping[str, Mapping[str, Any]]
"""Maps the name of each known finding to its entry."""


def read(path: Path) -> Baseline:
    """Raises `BaselineError` if the file is missing or is not a baseline."""
    content = read_file(path, BaselineError, "specify a baseline, or add --baseline-update to create one")
    try:
        return _entries(parsed_document(content))
    except ValueError as problem:
        raise BaselineError(
            f"{path} is not a baseline ({problem_of(problem)}): correct it, or specify a file written with "
            "--baseline-update"
        ) from problem


def _entries(document: Any) -> Baseline:
    if problem := problem_in(document, _BASELINE):
        raise ValueError(problem)
    return {entry["finding"]: entry for entry in document["findings"]}


def outcomes(known: Baseline, result: Result, correct: Container[str]) -> dict[str, KnownOutcome]:
    """Says which known findings a campaign has found again. A finding that it has not found is gone if the campaign is
    complete, and the answer to the first case of the finding is now `correct` (see `Observations`).
    """
    present = {finding.name for finding in result.findings} | {headline.name for headline in result.headlines}
    is_complete = result.outcome.state == "complete"
    found: dict[str, KnownOutcome] = {}
    for name, entry in known.items():
        if name in present or entry.get("headline") in present:
            found[name] = "still there"
        else:
            found[name] = "gone" if is_complete and entry.get("case") in correct else "unclear"
    return found


def applying(known: Baseline) -> list[str]:
    today = datetime.now(UTC).date()
    return [name for name, entry in known.items() if today <= date.fromisoformat(entry.get("until", "9999-12-31"))]


def names(known: Baseline) -> set[str]:
    """Returns the names of the findings whose entries apply today, and of their general headlines."""
    found = applying(known)
    return {*found, *(known[name]["headline"] for name in found if "headline" in known[name])}


def update(
    path: Path,
    findings: Iterable[Finding],
    *,
    prune: Container[str] = (),
    headlines: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Adds the findings to the file, and removes the entries whose names are in `prune`, unless `findings` contains
    them. What people wrote is kept. `headlines` maps names of findings to their general headlines.

    The folder is locked, and the file is read again, so that no other campaign and no person loses an entry that was
    added while this campaign ran. Raises `BaselineError`.
    """
    with write_errors(path, BaselineError), held(path.parent):
        known = read(path) if path.exists() else {}
        entries = {name: entry for name, entry in known.items() if name not in prune}
        for finding in findings:
            by_hand = {key: text for key, text in known.get(finding.name, {}).items() if key in _BY_HAND}
            entries[finding.name] = {**_entry(finding, headlines.get(finding.name)), **by_hand}
        text = ",\n".join(_written(entries[name]) for name in sorted(entries))
        with written(path, BaselineError) as stream:
            stream.write(f'{{"baseline": {VERSION}, "findings": [\n{text}\n]}}\n'.encode())


def _entry(finding: Finding, headline: str | None) -> dict[str, Any]:
    entry = {"finding": finding.name, "sentence": finding.sentence(), "case": finding.case.id}
    return entry if headline is None else {**entry, "headline": headline}


def _written(entry: Mapping[str, Any]) -> str:
    """The properties always have the same order, so that two versions of the file are easy to compare."""
    lines = [f"{json.dumps(name)}: {json.dumps(entry[name])}" for name in _PROPERTIES if name in entry]
    return "  {" + ",\n   ".join(lines) + "}"
