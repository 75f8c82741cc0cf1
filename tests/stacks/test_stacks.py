"""brokerfuzz reports no finding about the correct services in `benchmarks/stacks`. Each service uses a different
library.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sampled import sample

from benchmarks.stacks.habits import STACKS, Stack
from brokerfuzz.campaign import Result, Settings
from brokerfuzz.campaign.firing import run_campaign
from brokerfuzz.cases.plan import Plan
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.schemas import PolicyValues
from brokerfuzz.targets import LineTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SOME = ("probe:*", "in:nulls")
"""The tags of the cases without random ones: all that are unspecified, and some that everyone must judge alike."""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, stack: Stack) -> None:
    """Sets the current time of the service, and the current folder. Skips the test if the stack cannot be started."""
    if not stack.is_installed:
        pytest.skip(f"what the stack {stack.name} needs is not installed: see CONTRIBUTING.md")
    monkeypatch.setenv("STACK_NOW", NOW.isoformat())
    monkeypatch.chdir(Path(__file__).parents[2])


def fired(stack: Stack, random: int, policies: PolicyValues | None = None) -> Result:
    """Fails if the service was not tested, or has a finding."""
    plan = Plan(message_type="offer-creation-request", now=NOW, count=random, tags=() if random else SOME)
    options = completed(FireOptions, {"now": NOW, "shrink": 20.0, "policies": policies})
    target = LineTarget([*stack.command], encoding="base64", processes=1, timeout=60)
    result = run_campaign(Settings(plan=plan, options=options), target)
    assert result.stopped is None
    assert {answer for label, answer in result.counts if label != "unspecified"} == {"accepted", "rejected"}
    assert [f"{found.sentence()} {found.body!r} {found.answer.reason}" for found in result.findings] == []
    return result


@pytest.mark.parametrize("stack", STACKS, ids=[stack.name for stack in STACKS])
@sample(0, 60_000)
@pytest.mark.every(8)
def test_a_correct_service_has_no_findings_by_default_or_with_its_observed_policies(stack: Stack, size: int) -> None:
    first = fired(stack, size)
    policies = {one.ambiguity.id: one.possible for one in first.ambiguities if one.contradicted and one.possible}
    assert policies["clock-tolerance"] == (str(stack.tolerance),)
    assert policies["duplicate-properties"] == (stack.duplicates,)
    fired(stack, size, policies)
