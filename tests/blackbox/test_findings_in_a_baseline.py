"""Known findings: what a baseline tolerates after a fix, with other random cases, and with a limit on the number of
findings.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from fixture_types import Run
from hand_made_servers import answers, serving

import brokerfuzz
from brokerfuzz.cli import commands

OFFER: Final = "offer-creation-request"
NEW: Final = "null surcharge"
"""The bug that is not in the baseline."""


def strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for child in value.values():
                yield from strings(child)
        case list():
            for child in value:
                yield from strings(child)


CRASHES: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "null maximum": lambda offer: offer.get("orderMaximum", 1) is None,
    "no groups": lambda offer: offer.get("accessGroups") == [],
    NEW: lambda offer: offer.get("surcharge", 1) is None,
}
"""Bugs that crash the service, whatever else is wrong with a message."""
REJECTS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "apostrophe": lambda offer: any("'" in text for text in strings(offer)),
    "null comments": lambda offer: offer.get("comments", 1) is None,
    "description alone": lambda offer: "description" in offer and "comments" not in offer,
}
"""Bugs that reject valid messages, all with the same answer."""
IGNORED: Mapping[str, str] = {
    "minimum": "orderMinimum:minimum",
    "maximum": "orderMaximum:minimum",
    "comments": "comments:type",
}
"""Rules that the service does not check."""
SITES: Final = ("orderM*", "comments", "description", "surcharge", "accessGroups")
"""The sites of the bugs."""
SOME: Final = tuple(word for site in SITES for word in ("--site", site))
BUGS: Final = [bug for bug in (*CRASHES, *REJECTS, *IGNORED) if bug != NEW]


def service(*bugs: str) -> Callable[[bytes], int]:
    """Returns a service that has several bugs at the same time. It answers with a status."""
    ignored = {f"{OFFER}/{rule}" for name, rule in IGNORED.items() if name in bugs}
    crashes = [test for name, test in CRASHES.items() if name in bugs]
    rejects = [test for name, test in REJECTS.items() if name in bugs]

    def status_of(body: bytes) -> int:
        verdict = brokerfuzz.check(OFFER, body)
        try:
            offer = json.loads(body)
        except (ValueError, RecursionError):
            return 400
        if not isinstance(offer, dict):
            return 400
        if any(test(offer) for test in crashes):
            return 500
        if verdict.label == "invalid":
            return 201 if {entry.rule for entry in verdict.broken} <= ignored else 400
        return 400 if any(test(offer) for test in rejects) else 201

    return status_of


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline with the findings of the service with all bugs."""

    path = tmp_path_factory.mktemp("known") / "known.json"
    with serving(answers(service(*BUGS))) as url:
        done = CliRunner().invoke(commands, ["fire", url, *SOME, "--baseline", str(path), "--baseline-update"])
    assert done.exit_code == 0, done.output
    return path


def new_findings(run: Run, baseline: Path, bugs: list[str], *options: object) -> tuple[int, list[str]]:
    """Runs a campaign, and returns its exit status and the sentences of its new findings."""
    with serving(answers(service(*bugs))) as url:
        done = run("fire", url, *SOME, "--baseline", baseline, "--json", *options)
    return done.exit_code, [
        finding["sentence"] for finding in json.loads(done.stdout)["findings"] if not finding["known"]
    ]


@pytest.mark.every(8)
@pytest.mark.parametrize("fixed", BUGS)
def test_after_a_fix_there_are_no_new_findings(run: Run, baseline: Path, fixed: str) -> None:
    assert new_findings(run, baseline, [bug for bug in BUGS if bug != fixed]) == (0, [])


def test_a_new_bug_is_a_new_finding_beside_known_ones(run: Run, baseline: Path) -> None:
    with serving(answers(service(*BUGS, NEW))) as url:
        done = run("fire", url, *SOME, "--baseline", baseline, "--json")
    findings = json.loads(done.stdout)["findings"]
    assert (done.exit_code, [finding["places"] for finding in findings if not finding["known"]]) == (
        1,
        [["/surcharge"]],
    )
    assert any(finding["known"] for finding in findings)
