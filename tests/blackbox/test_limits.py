"""Limits of a campaign: its time, the size that a target accepts, and hostile patterns."""

import time

import pytest
from behaviours import VALID
from hand_made_servers import answers, conforming, serving

import brokerfuzz

GENEROUS = 30  # seconds


@pytest.mark.parametrize(("status", "most"), [(413, 2500), (500, 2000)])
def test_a_limit_on_the_size_of_messages_is_named_as_the_only_cause(status: int, most: int) -> None:
    with serving(answers(lambda body: status if len(body) > most else conforming(body))) as url:
        report = brokerfuzz.fire(url, **VALID)
    (finding,) = report.findings
    assert f"if it has more than {most:,} bytes" in finding.text
    assert len(finding.body) == most + 1
    assert finding.label == "valid"


@pytest.mark.long
def test_the_time_limit_includes_shrinking() -> None:
    with serving(answers(lambda body: 400 if b"null" in body else conforming(body))) as url:
        begun = time.monotonic()
        report = brokerfuzz.fire(url, count=1_000_000, max_time=8)
    assert time.monotonic() - begun < 8 + GENEROUS
    assert "8 s" in str(report.result.stopped)
    assert any(len(finding.body) < len(finding.case.body) for finding in report.findings)


@pytest.mark.parametrize("pattern", ["*" * 12 + "zzz", "*o*f" * 9 + "?zzz"])
def test_a_rule_with_many_stars_is_matched_quickly(pattern: str) -> None:
    begun = time.monotonic()
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, rules=[pattern])
    assert time.monotonic() - begun < GENEROUS
