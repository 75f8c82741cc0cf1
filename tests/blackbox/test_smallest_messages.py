"""What the smallest message of a finding looks like, and whether it still shows the problem later."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import Behaviour, answers, serving
from hypothesis import find, settings

import brokerfuzz
from brokerfuzz.strategies import offer_requests

OFFER: Final = "offer-creation-request"
UPDATED: Final = "lastUpdatedDateTimeUtc"
SECONDS = 60


def later(days: int) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


def correct(body: bytes) -> bool:
    return brokerfuzz.check(OFFER, body).label != "invalid"


def accepts_the_future(body: bytes) -> bool:
    """Does not check whether the time of the last change is in the future."""
    broken = brokerfuzz.check(OFFER, body).broken
    return correct(body) or all(entry.rule == f"{OFFER}/{UPDATED}:not-in-future" for entry in broken)


def accepts_the_future_within_a_century(body: bytes) -> bool:
    """Rejects years that the database cannot store."""
    return accepts_the_future(body) and b'"9999-' not in body and b'"9998-' not in body


@pytest.mark.parametrize("target", [accepts_the_future, accepts_the_future_within_a_century])
def test_a_time_in_the_future_shrinks_to_a_time_that_stays_in_the_future(target: Callable[[bytes], bool]) -> None:
    (finding,) = brokerfuzz.fire(target, sites=[UPDATED]).findings
    instant = json.loads(finding.body)[UPDATED]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", instant)
    assert brokerfuzz.check(OFFER, finding.body, now=later(days=20 * 365)).label == "invalid"


@pytest.mark.long
def test_a_finding_about_the_future_can_be_replayed_and_tested_a_day_later(run: Run, tmp_path: Path) -> None:
    report, tests, tomorrow = (
        tmp_path / "report.json",
        tmp_path / "test_findings.py",
        later(days=1).isoformat(timespec="seconds"),
    )
    with serving(statuses(accepts_the_future)) as lax, serving(statuses(correct)) as fixed:
        run("fire", lax, "--site", UPDATED, "--report", report, "--report", tests)
        assert run("replay", report, lax, "--now", tomorrow).exit_code == 1
        gone = run("replay", report, fixed, "--now", tomorrow)
        assert (gone.exit_code, "other verdict" in gone.output) == (0, False)
        assert has_failures(tests, lax)
        assert not has_failures(tests, fixed)


def statuses(accepts: Callable[[bytes], bool]) -> Behaviour:
    return answers(lambda body: 201 if accepts(body) else 400)


def has_failures(tests: Path, url: str) -> bool:
    """Runs the tests of a report against a URL."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BROKERFUZZ_"))}
    settings = {**clean, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "BROKERFUZZ_TARGET": url}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", str(tests)]
    done = subprocess.run(
        command, cwd=tests.parent, env=settings, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 1


# ---------------------------------------------------------------------------------------------------- unknown causes


def test_only_a_message_that_always_fails_alone_is_called_the_simplest_that_causes_a_problem() -> None:
    at_first = iter([True, True])
    (finding,) = brokerfuzz.fire(lambda body: next(at_first, False), verdicts=["valid"], sites=["number"]).findings
    assert "even the simplest message causes this" in finding.sentence()


def test_the_cause_of_a_message_that_is_accepted_later_is_unknown() -> None:
    seen = Counter[bytes]()

    def rejects_at_first(body: bytes) -> bool:
        """Accepts the message with which a campaign begins, and rejects all others three times."""
        seen[body] += 1
        return correct(body) and (len(seen) == 1 or seen[body] > 3)

    findings = brokerfuzz.fire(rejects_at_first, verdicts=["valid"], sites=["comments", "order*"]).findings
    assert not [finding for finding in findings if "even the simplest message" in finding.sentence()]


# ---------------------------------------------------------------------------------------------------- strategies


def test_a_long_string_shrinks_to_the_one_letter_that_matters() -> None:
    def found(seed: int) -> str:
        message = find(
            offer_requests(),
            lambda message: not message["number"].isascii(),
            random=Random(seed),
            settings=settings(database=None),
        )
        return message["number"]

    assert [len(found(seed)) for seed in range(3)] == [1] * 3
