"""Reads and writes the baseline: a JSON file with known findings, which do not make a campaign fail.

Each entry consists of a few lines, so that changes of the file are easy to review:

    {"finding": "2cbdcdfc",                          the name of the finding (see `Finding.name`)
     "sentence": "The target accepted ...",          explains the finding
     "reason": "ticket 17",                          optional: why the finding is tolerated, written by people
     "until": "2026-12-31",                          optional: the last day on which the entry applies
     "headline": "5a1115ea",                         optional: its general headline; findings with the same headline are
                                                     known, too
     "kind": "invalid-accepted", ...                 used to send the smallest message again;
     "smallest": {"body": {...}}}                    missing if this message has more than `LARGEST` bytes
"""

import json
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.message_json import message_json
from brokerfuzz.errors import BaselineError, UnknownNameError, problem_of, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.locks import held
from brokerfuzz.storage import written

VERSION = 3
LARGEST = 1000
"""The maximum size of a message in a baseline, in bytes."""

_NAME = re.compile(r"[0-9a-f]{8}")
_TEXTS = ("sentence", "reason", "headline")
_MESSAGE = ("kind", "message", "verdict", "flaky", "smallest")
_PROPERTIES = ("finding", *_TEXTS, "until", *_MESSAGE)


@dataclass(frozen=True)
class KnownFinding:
    """An entry of a baseline. Users write `reason` and `until` by hand. `message` contains the properties of the entry
    that describe the smallest message, such as `verdict`. `message` is empty if the smallest message has more than
    `LARGEST` bytes.
    """

    sentence: str
    reason: str | None = None
    headline: str | None = None
    until: date | None = None
    message: Mapping[str, Any] = field(default_factory=dict)

    def applies(self, today: date) -> bool:
        return self.until is None or today <= self.until


Baseline = Mapping[str, KnownFinding]
"""Maps the name of each known finding to its entry."""


def read(path: Path) -> Baseline:
    """Raises `BaselineError` if the file is missing or is not a baseline. If an entry is invalid, the error names its
    number.
    """
    try:
        entries = _entries(json.loads(read_file(path)))
    except FileNotFoundError as problem:
        raise BaselineError(
            f"{path} does not exist: add --baseline-update to create a baseline from the findings"
        ) from problem
    except OSError as problem:
        raise BaselineError(
            f"{path} cannot be read: {problem.strerror or problem}; specify a readable file"
        ) from problem
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise BaselineError(
            f"{path} is not a baseline ({problem_of(problem)}): specify a file written with --baseline-update"
        ) from problem
    return dict(_entry(entry, f"{path}, finding {number}") for number, entry in enumerate(entries, 1))


def _entries(document: Any) -> list[Any]:
    if document["baseline"] != VERSION:
        raise ValueError(
            f"this version of brokerfuzz reads only baselines of version {VERSION}, not {document['baseline']}"
        )
    if unknown := document.keys() - {"baseline", "findings"}:
        raise ValueError(f"unknown property {quoted(min(unknown))}")
    return list(document["findings"])


def _entry(entry: Any, place: str) -> tuple[str, KnownFinding]:
    if not isinstance(entry, dict) or not _NAME.fullmatch(str(entry.get("finding"))):
        raise BaselineError(
            f"{place}: the entry does not name a finding: set `finding` to the name of a finding, such as 2cbdcdfc, "
            "or remove the entry"
        )
    unknown = next((name for name in entry if name not in _PROPERTIES), None)
    if unknown is not None:
        raise BaselineError(
            f"{place}: {UnknownNameError('property', unknown, _PROPERTIES, 'remove the property, or correct its name')}"
        )
    texts = {name: entry[name] for name in _TEXTS if name in entry}
    for name, text in {"sentence": None, **texts}.items():
        if not isinstance(text, str):
            raise BaselineError(f"{place}: {name} is {quoted(text)}, but must be a string: correct this property")
    smallest = entry.get("smallest", {"body": None})
    if not isinstance(smallest, dict) or not ("body" in smallest or isinstance(smallest.get("raw"), str)):
        raise BaselineError(
            f"{place}: smallest is {quoted(smallest)}, but must contain the property body or raw: remove smallest "
            "from this entry"
        )
    message = {name: entry[name] for name in _MESSAGE if name in entry}
    return entry["finding"], KnownFinding(**texts, until=_until(entry.get("until"), place), message=message)


def _until(text: Any, place: str) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except (ValueError, TypeError):
        raise BaselineError(f"{place}: until is {quoted(text)}: use a date such as 2026-12-31") from None


def applying(known: Baseline) -> list[str]:
    """Returns the names of the findings whose entries apply today."""
    today = datetime.now(UTC).date()
    return [name for name, entry in known.items() if entry.applies(today)]


def names(known: Baseline) -> set[str]:
    """Returns the names of the findings whose entries apply today, and of their general headlines."""
    found = applying(known)
    return {*found, *(headline for name in found if (headline := known[name].headline) is not None)}


def update(
    path: Path,
    findings: Iterable[Finding],
    *,
    prune: Container[str] = (),
    headlines: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Changes the file as `updated` describes. Reads the file again first and locks its folder, so that no other
    campaign and no person loses an entry or a `reason` that was added while this campaign ran. Raises `BaselineError`.
    """
    try:
        with held(path.parent):
            write(path, updated(read(path) if path.exists() else {}, findings, prune=prune, headlines=headlines))
    except OSError as problem:
        raise BaselineError(
            f"the baseline {path} cannot be written: {problem.strerror or problem}; specify another file"
        ) from problem


def updated(
    known: Baseline,
    findings: Iterable[Finding],
    *,
    prune: Container[str] = (),
    headlines: Mapping[str, str] = MappingProxyType({}),
) -> Baseline:
    """Adds the findings. Existing entries keep `reason` and `until`. Entries whose names are in `prune` are removed,
    unless `findings` contains them. `headlines` maps names of findings to their general headlines.
    """
    found = {finding.name: replace(_known(finding), headline=headlines.get(finding.name)) for finding in findings}
    kept = {name: entry for name, entry in known.items() if name in found or name not in prune}
    again = {
        name: replace(entry, reason=kept[name].reason, until=kept[name].until)
        for name, entry in found.items()
        if name in kept
    }
    return {**found, **kept, **again}


def _known(finding: Finding) -> KnownFinding:
    if len(finding.body) > LARGEST:
        return KnownFinding(finding.sentence())
    smallest = message_json(finding.body, finding.case.headers)
    message = {
        "kind": finding.kind,
        "message": finding.message_type,
        "verdict": finding.label,
        "flaky": finding.flaky,
        "smallest": smallest,
    }
    return KnownFinding(finding.sentence(), message=message)


def write(path: Path, known: Baseline) -> None:
    """The entries are sorted by name, so that two versions of the file are easy to compare.

    Raises `BaselineError` if the file cannot be written.
    """
    entries = ",\n".join(_written(name, known[name]) for name in sorted(known))
    try:
        with written(path) as stream:
            stream.write(f'{{"baseline": {VERSION}, "findings": [\n{entries}\n]}}\n'.encode())
    except OSError as problem:
        raise BaselineError(
            f"the baseline {path} cannot be written: {problem.strerror or problem}; specify another file, or free "
            "disk space"
        ) from problem


def _written(name: str, entry: KnownFinding) -> str:
    until = None if entry.until is None else entry.until.isoformat()
    properties = {
        "finding": name,
        "sentence": entry.sentence,
        "reason": entry.reason,
        "until": until,
        "headline": entry.headline,
        **entry.message,
    }
    said = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in properties.items() if value is not None]
    return "  {" + ",\n   ".join(said) + "}"
