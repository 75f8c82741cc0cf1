import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis.strategies import SearchStrategy

from benchmarks.examples.discovery import discovery, kind_of, run
from benchmarks.examples.effort import Effort
from benchmarks.examples.minima import BAD_OFFERS, BAD_PRICES, BAD_RECORDS, LISTS, MINIMA, OFFERS, PRICES, RECORDS, AnyOf, AnyValue, Minimum
from benchmarks.examples.shrinking import difference
from benchmarks.examples.variety import covered, shown, variety
from benchmarks.generators.drawing import examples
from benchmarks.generators.messages import NOW
from brokerfuzz.cases.case import Case, compact
from brokerfuzz.schemas import MessageType, check
from brokerfuzz.strategies import invalid_pricing_responses

ROOT = Path(__file__).parents[2]
OFFER: MessageType = "offer-creation-request"
PRODUCTS: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"
TYPES: dict[SearchStrategy[Any], tuple[MessageType, bool]] = {
    OFFERS: (OFFER, True),
    LISTS: (OFFER, True),
    RECORDS: (PRODUCTS, True),
    PRICES: (PRICING, True),
    BAD_OFFERS: (OFFER, False),
    BAD_RECORDS: (PRODUCTS, False),
    BAD_PRICES: (PRICING, False),
}
"""Maps each strategy to a tuple: the type of its messages, and True if the messages are valid."""


def one_of(expected: Any, index: int = 0) -> Any:
    """Replaces each `AnyOf` in `expected` by its value at `index`. In an array, `index` is the position of the item, so that the items differ."""
    match expected:
        case AnyOf():
            return one_of(expected.values[index])
        case AnyValue():
            return "bcdefghijklm"[index]
        case dict():
            return {name: one_of(value, index) for name, value in expected.items()}
        case list():
            return [one_of(value, place) for place, value in enumerate(expected)]
    return expected


@pytest.mark.parametrize("minimum", MINIMA, ids=[minimum.name for minimum in MINIMA])
def test_each_expected_example_meets_its_condition(minimum: Minimum) -> None:
    message_type, is_valid = TYPES[minimum.strategy]
    body = compact(one_of(minimum.smallest))
    case = Case(message_type, body, check(message_type, body, now=NOW))
    if is_valid:
        assert case.label == "valid", case.verdict
        assert minimum.condition(case.value)
    elif "anything" not in repr(minimum.smallest):
        assert case.label == "invalid"
        assert minimum.condition(case)


def test_only_expected_examples_show_no_difference() -> None:
    number = next(number for number, minimum in enumerate(MINIMA) if minimum.name == "orderMaximum > 100")
    right, wrong = ({"number": "a", "offerType": "Direct Mail", "orderMaximum": value} for value in (101, 127))
    assert difference(number, [right, right]) is None
    assert "1 of 2 seeds" in str(difference(number, [right, wrong]))
    assert "127" in str(difference(number, [right, wrong]))


def test_a_run_counts_the_first_example_that_breaks_a_rule() -> None:
    faults = run(PRICING, 40, 1)
    drawn = examples(invalid_pricing_responses(now=NOW), 40, seed_number=1)
    assert faults.kinds.total() == 40
    assert faults.kinds[kind_of(drawn[0])] > 0
    for rule, index in faults.first.items():
        assert [any(broken.rule == rule for broken in case.verdict.broken) for case in drawn[:index]] == [False] * (index - 1) + [True]


def test_variety_is_measured_in_shares() -> None:
    edges, pairs = covered("brokerfuzz", PRICING, 1)
    distinct, shapes = shown("brokerfuzz", PRICING, 60)
    assert 0.3 < edges < 1
    assert 0.3 < pairs <= 1
    assert 0.3 < distinct <= 1
    assert max(shapes) > 0


@pytest.mark.parametrize(
    ("benchmark", "words"),
    [(discovery, "kinds of faults: off by one"), pytest.param(variety, "orderMaximum in 250 examples", marks=pytest.mark.long)],
)
def test_each_benchmark_returns_its_table(benchmark: Callable[[Effort], str], words: str) -> None:
    assert words in benchmark(Effort(runs=1, seeds=1, examples=10, processes=1, only_ours=True))


@pytest.mark.rotated(3)
def test_the_command_prints_the_table_of_a_benchmark() -> None:
    command = [sys.executable, "-m", "benchmarks", "discovery", "--runs", "1", "--examples", "10", "--processes", "2", "--only-ours"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "kinds of faults: off by one" in done.stdout
