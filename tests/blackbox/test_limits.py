"""Limits of a campaign: limits of time and of findings, the size that a target accepts, and hostile patterns."""

import signal
import time
from typing import Final

import pytest
from behaviours import VALID
from fixture_types import Start
from hand_made_servers import answers, serving
from waiting import happens

import brokerfuzz

OFFER: Final = "offer-creation-request"
GENEROUS = 30  # seconds; a matcher that tries all ways to distribute the characters would need hours
MANY_STARS = ["*" * 12 + "zzz", "*o" * 12 + "zzz", "*o*f" * 9 + "?zzz"]


@pytest.mark.parametrize("pattern", MANY_STARS)
def test_a_rule_or_a_site_with_many_stars_is_matched_quickly(pattern: str) -> None:
    begun = time.monotonic()
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, rules=[pattern])
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, sites=[pattern])
    assert time.monotonic() - begun < GENEROUS


# ---------------------------------------------------------------------------------------------------- sizes


def conforms(body: bytes) -> bool:
    return brokerfuzz.check(OFFER, body).label != "invalid"


@pytest.mark.parametrize(("status", "most"), [(413, 8192), (500, 6000)])
def test_a_limit_on_the_size_of_messages_is_named_as_the_only_cause(status: int, most: int) -> None:
    with serving(answers(lambda body: status if len(body) > most else 201 if conforms(body) else 400)) as url:
        report = brokerfuzz.fire(url, **VALID)
    (finding,) = report.findings
    assert f"the message has more than {most:,} bytes" in finding.sentence()
    assert len(finding.body) == most + 1
    assert finding.label == "valid"


# ---------------------------------------------------------------------------------------------------- time


PRICING: Final = "offer-pricing-response"
LARGE: Final = "edge:data.offers:100-items"
"""The tag of a valid message with 7 kilobytes and 400 values."""


def is_too_complex(body: bytes) -> bool:
    return body.count(b":") > 390  # so hardly a part can be removed, and the search for a cause is long


def is_accepted(body: bytes) -> bool:
    return brokerfuzz.check(PRICING, body).label != "invalid" and not is_too_complex(body)


def test_the_first_interrupt_ends_a_long_computation(start: Start) -> None:
    seen: list[bytes] = []

    def status_of(body: bytes) -> int:
        seen.extend([body] if is_too_complex(body) else [])
        return 201 if is_accepted(body) else 400

    selection = ("--message", PRICING, "--verdict", "valid", "--tag", LARGE)
    with serving(answers(status_of)) as url, start("fire", url, *selection, "--shrink", "10m") as process:
        assert happens(lambda: len(seen) > 20, GENEROUS)  # the campaign is shrinking
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=GENEROUS)
    assert process.returncode == 130


def status_of(body: bytes) -> int:
    return 201 if conforms(body) and b"null" not in body else 400


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_the_time_limit_includes_shrinking(workers: int) -> None:
    with serving(answers(status_of)) as url:
        begun = time.monotonic()
        report = brokerfuzz.fire(url, count=1_000_000, max_time=8, workers=workers)
    assert time.monotonic() - begun < 8 + GENEROUS
    assert "8 s" in str(report.result.stopped)
    if workers == 1:  # a share of the time is for shrinking, but workers need most of the time to start
        assert any(len(finding.body) < len(finding.case.body) for finding in report.findings)
