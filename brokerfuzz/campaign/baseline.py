"""The baseline: findings that are known, and do not fail a campaign again.

A file of JSON that people commit and read: the fingerprint of each finding, and its sentence. What a fingerprint is made from, says
`Finding.fingerprint`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from brokerfuzz.atomic_files import whole
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.errors import BaselineError

VERSION = 2


def read(path: Path) -> dict[str, str]:
    """The known findings: fingerprint -> sentence. Raises `BaselineError` where the file is not there, or is no baseline."""
    try:
        return _known(json.loads(path.read_bytes()))
    except FileNotFoundError as problem:
        raise BaselineError(f"{path} is not there: add --baseline-update to begin a baseline with what is found") from problem
    except OSError as problem:
        raise BaselineError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise BaselineError(f"{path} is no baseline ({type(problem).__name__}: {problem}): name one that --baseline-update wrote") from problem


def _known(document: Any) -> dict[str, str]:
    if document["baseline"] != VERSION:
        raise ValueError(f"it has version {document['baseline']}, and this brokerfuzz reads version {VERSION}")
    return {str(entry["fingerprint"]): str(entry["sentence"]) for entry in document["findings"]}


def marked(findings: Iterable[Finding], known: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings, those that are known marked so."""
    return tuple(replace(finding, known=finding.fingerprint in known) for finding in findings)


def updated(known: Mapping[str, str], findings: Iterable[Finding], *, add: bool, prune: bool) -> dict[str, str]:
    """The known findings, with new ones where they are to be added, without those that were not found again where those are to go."""
    found = {finding.fingerprint: finding.sentence() for finding in findings}
    kept = {fingerprint: sentence for fingerprint, sentence in known.items() if fingerprint in found or not prune}
    return {**kept, **(found if add else {name: sentence for name, sentence in found.items() if name in kept})}


def write(path: Path, known: Mapping[str, str]) -> None:
    """Writes a baseline, sorted, so that versions of it compare well. Raises `BaselineError`."""
    entries = [{"fingerprint": fingerprint, "sentence": known[fingerprint]} for fingerprint in sorted(known)]
    try:
        with whole(path) as stream:
            stream.write(json.dumps({"baseline": VERSION, "findings": entries}, indent=2).encode() + b"\n")
    except OSError as problem:
        raise BaselineError(f"the baseline {path} cannot be written: {problem.strerror or problem}") from problem
