"""brokerfuzz reports no finding about the correct services in `benchmarks/stacks`. Each service uses a different
library.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path

import chosen_campaigns
import pytest
from sampled import sample

from benchmarks.stacks.habits import STACKS, Stack
from brokerfuzz import catalogue, messages
from brokerfuzz.campaign.results import Result
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plainest
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import PolicyValues
from brokerfuzz.targets import LineTarget, Target

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
OFFER = "offer-creation-request"
RANDOM_PER_SEED = 2_000
every_stack = pytest.mark.parametrize("stack", STACKS, ids=[stack.name for stack in STACKS])


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, stack: Stack) -> None:
    """Sets the current time of the service, and the current folder. Skips the test if the stack cannot be started."""
    if not stack.is_installed:
        pytest.skip(f"what the stack {stack.name} needs is not installed: see CONTRIBUTING.md")
    monkeypatch.setenv("STACK_NOW", NOW.isoformat())
    monkeypatch.chdir(ROOT)


def lines(stack: Stack) -> LineTarget:
    return LineTarget([*stack.command], encoding="base64", processes=1, timeout=60)


def cases(seeds: int) -> Iterator[Case]:
    """Yields the catalogue, and random cases of each seed. Without seeds, yields a quarter of the cases that everyone must
    judge alike.
    """
    random = (islice(messages(OFFER, seed, verdicts=LABELS, now=NOW), RANDOM_PER_SEED) for seed in range(seeds))
    numbered = enumerate(chain(catalogue(OFFER, now=NOW), *random))
    return (case for number, case in numbered if seeds or number % 4 == 0 or case.label == "unspecified")


def fired(cases: Iterator[Case], target: Target, policies: PolicyValues | None = None) -> Result:
    """Sends the cases. Fails if the target was not tested, or has a finding."""
    plain = (plainest(OFFER),)
    result = chosen_campaigns.fired(cases, target, now=NOW, shrink=20.0, policies=policies, plain=plain)
    assert result.stopped is None
    assert {answer for label, answer in result.counts if label != "unspecified"} == {"accepted", "rejected"}
    assert [
        f"{found.kind}: {found.body!r} {[reason.rule for reason in found.reasons]} {found.answer.reason}"
        for found in result.findings
    ] == []
    return result


@every_stack
@sample(0, 30)
@pytest.mark.every(8)
def test_a_correct_service_has_no_findings_by_default_or_with_its_observed_policies(stack: Stack, size: int) -> None:
    first = fired(cases(seeds=size), lines(stack))
    policies = {one.ambiguity.id: one.possible for one in first.ambiguities if one.contradicted and one.possible}
    assert policies["clock-tolerance"] == (str(stack.tolerance),)
    assert policies["duplicate-properties"] == (stack.duplicates,)
    fired(cases(seeds=size), lines(stack), policies)
