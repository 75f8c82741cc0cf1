"""Reads and writes the baseline: a JSON file that says what is known to fail. Only other failures make a campaign fail.

Each entry consists of a few lines, so that changes of the file are easy to review:

    {"finding": "2cbdcdfc",                          the name of the finding
     "message": "offer-creation-request",
     "sentence": "orderMinimum: accepted 0; ...",    explains the finding
     "failing": ["accepts orderMinimum:minimum one-below", ...],
     "reason": "ticket 17",                          optional: why the finding is tolerated, written by people
     "until": "2026-12-31",                          optional: the last day on which the entry applies
     "case": "b7e8ef5a8405ebf8"}                     a case that shows later whether the finding is gone

A finding is known if the entries contain everything that fails because of it. If something else fails, it has grown.
"""

import json
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from jsonschema_rs import validator_for

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.errors import BaselineError, problem_of
from brokerfuzz.file_contents import read_file, write_errors
from brokerfuzz.locks import held
from brokerfuzz.schemas.json_parser import parsed_document
from brokerfuzz.shapes import problem_in
from brokerfuzz.storage import complete_file

VERSION = 4
_BY_HAND = ("reason", "until")
_TEXT = {"type": "string"}
_PROPERTIES: Mapping[str, Any] = {
    "finding": {"type": "string", "pattern": "^[0-9a-f]{8}$"},
    "message": _TEXT,
    "sentence": _TEXT,
    "failing": {"type": "array", "items": _TEXT},
    "reason": _TEXT,
    "until": {"type": "string", "format": "date"},
    "case": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
}
_ENTRY = {
    "type": "object",
    "required": ["finding", "message", "sentence", "failing", "case"],
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

Entry = Mapping[str, Any]
Baseline = Sequence[Entry]


def read_baseline(path: Path) -> Baseline:
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
    entries: Baseline = document["findings"]
    return entries


def expired(entries: Baseline) -> list[Entry]:
    today = datetime.now(UTC).date()
    return [entry for entry in entries if today > date.fromisoformat(entry.get("until", "9999-12-31"))]


def failing(baseline: Baseline, message_type: str) -> frozenset[str]:
    """Returns what the entries that apply today say about messages of this type."""
    too_old = expired(baseline)
    entries = [entry for entry in baseline if entry["message"] == message_type and entry not in too_old]
    return frozenset(failure for entry in entries for failure in entry["failing"])


def update(path: Path, findings: Sequence[Finding], *, gone: Container[str] = ()) -> None:
    """Writes an entry for each finding, in place of the entries about the same failures, and removes the entries with
    the names in `gone`. What people wrote is kept.

    The folder is locked, and the file is read again, so that no other campaign and no person loses an entry that was
    added while this campaign ran. Raises `BaselineError`.
    """
    with write_errors(path, BaselineError), held(path.parent):
        entries = [entry for entry in (read_baseline(path) if path.exists() else ()) if entry["finding"] not in gone]
        for finding in findings:
            replaced = [entry for entry in entries if _concerns(entry, finding)]
            entries = [entry for entry in entries if entry not in replaced]
            entries.append(_entry(finding, replaced))
        entries.sort(key=lambda entry: (entry["message"], entry["sentence"]))
        text = ",\n".join(map(_json_of_entry, entries))
        with complete_file(path, BaselineError) as stream:
            stream.write(f'{{"baseline": {VERSION}, "findings": [\n{text}\n]}}\n'.encode())


def _concerns(entry: Entry, finding: Finding) -> bool:
    return entry["message"] == finding.message_type and not set(entry["failing"]).isdisjoint(finding.failing)


def _entry(finding: Finding, replaced: Sequence[Entry]) -> Entry:
    by_hand = {name: entry[name] for entry in replaced for name in _BY_HAND if name in entry}
    return {
        "finding": finding.name,
        "message": finding.message_type,
        "sentence": finding.sentence(),
        "failing": list(finding.failing),
        "case": finding.case.id,
        **by_hand,
    }


def _json_of_entry(entry: Entry) -> str:
    """The properties always have the same order, so that two versions of the file are easy to compare."""
    lines = [f"{json.dumps(name)}: {json.dumps(entry[name])}" for name in _PROPERTIES if name in entry]
    return "  {" + ",\n   ".join(lines) + "}"
