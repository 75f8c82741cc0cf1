from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import chosen_campaigns
import pytest
from hand_made_servers import OFFER, Service, conforming
from sampled import sample

from brokerfuzz.campaign import Result, baseline
from brokerfuzz.campaign.replaying import of_baseline
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.errors import BaselineError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lenient(*marks: bytes) -> Service:
    return Service(lambda body: 201 if any(mark in body for mark in marks) else conforming(body))


def fired(target: Service, cases: list[Case] | None = None) -> Result:
    some = cases or [case for case in catalogue(OFFER, now=NOW) if b'"orderM' in case.body][:1200]
    return chosen_campaigns.fired(some, target)


ONE, TWO = b'"orderMinimum":0', b'"orderMaximum":0'


def test_the_fingerprint_does_not_depend_on_which_case_comes_first() -> None:
    cases = [case for case in catalogue(OFFER, now=NOW) if ONE in case.body]
    first, second = fired(lenient(ONE), cases).findings, fired(lenient(ONE), cases[::-1]).findings
    assert {finding.fingerprint for finding in first} == {finding.fingerprint for finding in second}
    assert first


@sample(150, 1200)
def test_different_findings_have_different_fingerprints(size: int) -> None:
    some = [case for case in catalogue(OFFER, now=NOW) if b'"orderM' in case.body][:size]
    found = [
        finding.fingerprint for finding in fired(Service(lambda body: 400 if body == b"{}" else 201), some).findings
    ]
    assert len(found) == len(set(found)) > 3


def test_known_findings_do_not_fail_and_new_findings_do(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    first = fired(lenient(ONE))
    baseline.write(path, baseline.updated({}, first.findings))
    known = baseline.read(path)
    again = fired(lenient(ONE)).marked(known)
    assert all(finding.known for finding in again.findings)
    more = fired(lenient(ONE, TWO))
    assert {finding.known for finding in more.marked(known).findings} == {True, False}
    assert more.outcome.status == 1


def test_an_update_adds_findings_and_removes_those_that_no_longer_occur() -> None:
    both, one = fired(lenient(ONE, TWO)).findings, fired(lenient(ONE)).findings
    known = baseline.updated({}, both)
    assert set(baseline.updated(known, one)) == set(known)
    assert set(baseline.updated(known, one, prune=known)) == {finding.name for finding in one} < set(known)


def test_a_baseline_is_sorted_with_a_few_lines_per_entry_and_contains_small_messages(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    large = [case for case in catalogue(OFFER, now=NOW) if len(case.body) > 1200][:2]
    results = (fired(lenient(ONE)), fired(Service(lambda body: 500 if len(body) > 1200 else conforming(body)), large))
    found = {finding.name: finding for result in results for finding in result.findings}
    baseline.write(path, baseline.updated({}, found.values()))
    known = baseline.read(path)
    assert list(known) == sorted(found)
    assert len(path.read_text().splitlines()) <= 2 + 8 * len(known)
    for finding in found.values():
        again = of_baseline(known, OFFER).get(finding.name)
        assert (again is None) == (len(finding.body) > baseline.LARGEST)
        assert again is None or (again.case.body, again.label, again.kind) == (
            finding.body,
            finding.label,
            finding.kind,
        )


def test_an_update_keeps_reasons_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    found = fired(lenient(ONE)).findings
    entries = baseline.updated({}, found)
    name = found[0].name
    until = date(2026, 12, 31)
    baseline.write(
        path, {**entries, name: replace(entries[name], sentence="Old.", reason="ticket 17 \u00e9", until=until)}
    )
    again = baseline.updated(baseline.read(path), found, prune=entries)[name]
    assert again == replace(entries[name], reason="ticket 17 \u00e9", until=until)
    assert (again.applies(until), again.applies(until + timedelta(days=1))) == (True, False)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('{"sentence": "A."}', "the entry does not name a finding: set `finding`"),
        ('{"finding": "2cbd", "sentence": "A."}', "the entry does not name a finding"),
        ("1", "the entry does not name a finding"),
        ('{"finding": "2cbdcdfc"}', "sentence is None, but must be a string"),
        ('{"finding": "2cbdcdfc", "sentence": "A.", "reason": 5}', "reason is 5, but must be a string"),
        (
            '{"finding": "2cbdcdfc", "sentence": "A.", "until": "soon"}',
            "until is 'soon': use a date such as 2026-12-31",
        ),
        ('{"finding": "2cbdcdfc", "sentence": "A.", "until": 5}', "until is 5: use a date"),
        (
            '{"finding": "2cbdcdfc", "sentence": "A.", "smallest": {}}',
            "smallest is {}, but must contain the property body or raw",
        ),
        (
            '{"finding": "2cbdcdfc", "sentence": "A.", "smallest": {"raw": 1}}',
            "smallest is {'raw': 1}, but must contain",
        ),
        ('{"finding": "2cbdcdfc", "sentence": "A.", "smallest": 1}', "smallest is 1, but must contain"),
        (
            '{"finding": "2cbdcdfc", "sentence": "A.", "utnil": "2026-12-31"}',
            "unknown property 'utnil': did you mean 'until'?",
        ),
    ],
)
def test_an_invalid_entry_is_reported_with_its_line(tmp_path: Path, entry: str, said: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(
        f'{{"baseline": 3, "findings": [\n {{"finding": "00000000",\n  "sentence": "["}},\n\n {entry}\n]}}\n'
    )
    with pytest.raises(BaselineError) as raised:
        baseline.read(path)
    assert str(raised.value).startswith(f"{path}, line 5: {said}")


def test_an_invalid_message_is_reported_with_its_entry() -> None:
    for smallest in ({}, {"raw": "A"}, {"body": {}, "headers": [["Authorization", "x"]]}, 5):
        message = {"kind": "crashed", "message": OFFER, "verdict": "valid", "smallest": smallest}
        with pytest.raises(
            BaselineError,
            match=r"the message of the finding 2cbdcdfc in the baseline is malformed .*: remove .*`smallest`",
        ):
            of_baseline({"2cbdcdfc": baseline.KnownFinding("A.", message=message)}, OFFER)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"baseline": 7, "findings": []}',
        '{"baseline": 2, "findings": 1}',
        '{"baseline": 3, "findings": [], "extra": 1}',
        "[" * 10_000,
    ],
)
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
