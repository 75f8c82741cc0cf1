"""The baseline: known findings do not make a campaign fail."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from hand_made_servers import Service, conforming
from sampled import sample

from brokerfuzz.campaign import Options, Result, baseline, fire
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.errors import BaselineError

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lenient(*marks: bytes) -> Service:
    return Service(lambda body: 201 if any(mark in body for mark in marks) else conforming(body))


def fired(target: Service, cases: list[Case] | None = None) -> Result:
    some = cases or [case for case in catalogue(OFFER, now=NOW) if b'"orderM' in case.body][:1200]
    return fire(some, target, Options(now=NOW))


ONE, TWO = b'"orderMinimum":0', b'"orderMaximum":-1'


def test_the_fingerprint_does_not_depend_on_which_case_comes_first() -> None:
    cases = [case for case in catalogue(OFFER, now=NOW) if ONE in case.body]
    first, second = fired(lenient(ONE), cases).findings, fired(lenient(ONE), cases[::-1]).findings
    assert {finding.fingerprint for finding in first} == {finding.fingerprint for finding in second}
    assert first


@sample(150, 1200)
def test_different_findings_have_different_fingerprints(size: int) -> None:
    some = [case for case in catalogue(OFFER, now=NOW) if b'"orderM' in case.body][:size]
    found = [finding.fingerprint for finding in fired(Service(lambda _: 201), some).findings]
    assert len(found) == len(set(found)) > 3


def test_known_findings_do_not_fail_and_new_findings_do(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    first = fired(lenient(ONE))
    baseline.write(path, baseline.updated({}, first.findings, add=True, prune=False))
    known = baseline.read(path)
    again = baseline.marked(fired(lenient(ONE)).findings, known)
    assert all(finding.known for finding in again)
    more = fired(lenient(ONE, TWO))
    assert {finding.known for finding in baseline.marked(more.findings, known)} == {True, False}
    assert more.outcome.status == 1


def test_pruning_removes_findings_that_did_not_occur_and_adds_none() -> None:
    both, one = fired(lenient(ONE, TWO)).findings, fired(lenient(ONE)).findings
    known = baseline.updated({}, both, add=True, prune=False)
    pruned = baseline.updated(known, one, add=False, prune=True)
    assert set(pruned) == {finding.name for finding in one} < set(known)
    assert baseline.updated({}, both, add=False, prune=True) == {}
    assert baseline.updated(known, one, add=True, prune=True) == pruned


def test_a_baseline_is_sorted_and_readable(tmp_path: Path) -> None:
    baseline.write(tmp_path / "known.json", {"b": "Second.", "a": "First."})
    assert [entry["sentence"] for entry in json.loads((tmp_path / "known.json").read_text())["findings"]] == ["First.", "Second."]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"baseline": 7, "findings": []}', '{"baseline": 2, "findings": [1]}', "[" * 10_000])
def test_an_invalid_baseline_is_rejected_with_a_one_line_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(content)
    with pytest.raises(BaselineError, match=r"is not a baseline .*--baseline-update") as raised:
        baseline.read(path)
    assert "\n" not in str(raised.value)


def test_the_error_for_a_missing_baseline_says_how_to_create_one(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="does not exist: add --baseline-update"):
        baseline.read(tmp_path / "none.json")
    with pytest.raises(BaselineError, match="cannot be written"):
        baseline.write(tmp_path / "no" / "folder.json", {})
