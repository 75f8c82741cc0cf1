"""Reads and writes the baseline: a JSON file with known findings, which do not make a campaign fail.

For each finding, the file contains the name that identifies it (see `Finding.name`), and a sentence for people who read the file.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from brokerfuzz.atomic_files import atomic_file
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.errors import BaselineError, problem_of

VERSION = 3


def read(path: Path) -> dict[str, str]:
    """Maps the name of each known finding to its sentence. Raises `BaselineError` if the file is missing or is not a baseline."""
    try:
        return _known(json.loads(path.read_bytes()))
    except FileNotFoundError as problem:
        raise BaselineError(f"{path} does not exist: add --baseline-update to create a baseline from the findings") from problem
    except OSError as problem:
        raise BaselineError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise BaselineError(f"{path} is not a baseline ({problem_of(problem)}): specify a file written with --baseline-update") from problem


def _known(document: Any) -> dict[str, str]:
    if document["baseline"] != VERSION:
        raise ValueError(f"its version is {document['baseline']}, and this brokerfuzz reads version {VERSION}")
    return {str(entry["finding"]): str(entry["sentence"]) for entry in document["findings"]}


def marked(findings: Iterable[Finding], known: Mapping[str, str]) -> tuple[Finding, ...]:
    """Returns the findings. The attribute `known` says whether a finding is in the baseline."""
    return tuple(replace(finding, known=finding.name in known) for finding in findings)


def updated(known: Mapping[str, str], findings: Iterable[Finding], *, add: bool, prune: bool) -> dict[str, str]:
    """Returns the contents of the new baseline.

    If `add` is true, the new findings are added. If `prune` is true, known findings that did not occur again are removed.
    """
    found = {finding.name: finding.sentence() for finding in findings}
    kept = {name: sentence for name, sentence in known.items() if name in found or not prune}
    return {**kept, **(found if add else {name: sentence for name, sentence in found.items() if name in kept})}


def write(path: Path, known: Mapping[str, str]) -> None:
    """Writes a baseline. The entries are sorted, so that two versions of the file are easy to compare.

    Raises `BaselineError` if the file cannot be written.
    """
    entries = [{"finding": name, "sentence": known[name]} for name in sorted(known)]
    try:
        with atomic_file(path) as stream:
            stream.write(json.dumps({"baseline": VERSION, "findings": entries}, indent=2).encode() + b"\n")
    except OSError as problem:
        raise BaselineError(f"the baseline {path} cannot be written: {problem.strerror or problem}") from problem
