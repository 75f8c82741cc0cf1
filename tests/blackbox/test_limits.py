"""Limits of a campaign: its time, the size that a target accepts, and hostile patterns."""

import time
from pathlib import Path

import pytest
from behaviours import PRICING, VALID
from hand_made_servers import answers, conforming, serving

import brokerfuzz
from brokerfuzz import load_contract

GENEROUS = 30  # seconds


@pytest.mark.parametrize(("status", "most"), [(413, 2500), (500, 2000)])
def test_a_limit_on_the_size_of_messages_is_named_as_the_only_cause(status: int, most: int) -> None:
    with serving(answers(lambda body: status if len(body) > most else conforming(body))) as url:
        report = brokerfuzz.fire(url, **VALID)
    (finding,) = report.findings
    assert f"if it has more than {most:,} bytes" in finding.text
    assert len(finding.body) == most + 1
    assert finding.label == "valid"


def test_a_limit_on_the_size_of_messages_names_the_open_question_and_how_to_settle_it(tmp_path: Path) -> None:
    def accepts(body: bytes) -> bool:
        return len(body) <= 4000 and brokerfuzz.check(PRICING, body).label != "invalid"

    entry = '{"id": "message-size", "limit": 4000}'
    question = "the contract leaves open how large a message may be (message-size)"
    remedy = f"state it in a contract of your own, with {entry} in ambiguities.json"
    report = brokerfuzz.fire(accepts, PRICING, verdicts=["valid"])
    assert f"{question}: if the limit of the target is right, {remedy}" in str(report)
    (tmp_path / "ambiguities.json").write_text(f"[{entry}]")
    assert brokerfuzz.fire(accepts, PRICING, verdicts=["valid"], contract=load_contract(tmp_path)).findings == ()


@pytest.mark.long
def test_the_time_limit_includes_shrinking() -> None:
    with serving(answers(lambda body: 400 if b"null" in body else conforming(body))) as url:
        begun = time.monotonic()
        report = brokerfuzz.fire(url, random=1_000_000, max_time=8)
    assert time.monotonic() - begun < 8 + GENEROUS
    assert "8 s" in str(report.result.stopped)
    assert any(len(finding.body) < len(finding.case.body) for finding in report.findings)


@pytest.mark.parametrize("pattern", ["*" * 12 + "zzz", "*o*f" * 9 + "?zzz"])
def test_a_rule_with_many_stars_is_matched_quickly(pattern: str) -> None:
    begun = time.monotonic()
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, rules=[pattern])
    assert time.monotonic() - begun < GENEROUS
