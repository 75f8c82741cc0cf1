"""The baseline: a list of known findings, which do not make a campaign fail.

The baseline is a JSON file that people commit and read. For each finding, the file contains the fingerprint (see
`Finding.fingerprint`) and the sentence that describes the finding.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from brokerfuzz.atomic_files import atomic_file
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.errors import BaselineError

VERSION = 2


def read(path: Path) -> dict[str, str]:
    """Returns a dictionary that maps the fingerprint of each known finding to its sentence. Raises `BaselineError` if the file is
    missing or is not a baseline.
    """
    try:
        return _known(json.loads(path.read_bytes()))
    except FileNotFoundError as problem:
        raise BaselineError(f"{path} does not exist: add --baseline-update to create a baseline from the findings") from problem
    except OSError as problem:
        raise BaselineError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise BaselineError(
            f"{path} is not a baseline ({type(problem).__name__}: {problem}): specify a file written with --baseline-update"
        ) from problem


def _known(document: Any) -> dict[str, str]:
    if document["baseline"] != VERSION:
        raise ValueError(f"the file has version {document['baseline']}, and this brokerfuzz reads version {VERSION}")
    return {str(entry["fingerprint"]): str(entry["sentence"]) for entry in document["findings"]}


def marked(findings: Iterable[Finding], known: Mapping[str, str]) -> tuple[Finding, ...]:
    """Returns the findings, and sets `known` for those that are in the baseline."""
    return tuple(replace(finding, known=finding.fingerprint in known) for finding in findings)


def updated(known: Mapping[str, str], findings: Iterable[Finding], *, add: bool, prune: bool) -> dict[str, str]:
    """Returns the known findings after a campaign. If `add` is true, they include the new findings. If `prune` is true, they do
    not include the findings that did not occur again.
    """
    found = {finding.fingerprint: finding.sentence() for finding in findings}
    kept = {fingerprint: sentence for fingerprint, sentence in known.items() if fingerprint in found or not prune}
    return {**kept, **(found if add else {name: sentence for name, sentence in found.items() if name in kept})}


def write(path: Path, known: Mapping[str, str]) -> None:
    """Writes a baseline, sorted so that two versions of the file are easy to compare. Raises `BaselineError` if that fails."""
    entries = [{"fingerprint": fingerprint, "sentence": known[fingerprint]} for fingerprint in sorted(known)]
    try:
        with atomic_file(path) as stream:
            stream.write(json.dumps({"baseline": VERSION, "findings": entries}, indent=2).encode() + b"\n")
    except OSError as problem:
        raise BaselineError(f"the baseline {path} cannot be written: {problem.strerror or problem}") from problem
