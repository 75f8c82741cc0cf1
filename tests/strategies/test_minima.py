"""Hypothesis shrinks examples to simple messages, as a person would write them (see `benchmarks/quality/minima.py`).

Hypothesis also tries constants of the loaded modules, so a seed does not always give the same examples.
"""

import json
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, given, seed, settings, target
from hypothesis.strategies import SearchStrategy

from benchmarks.quality.examples import difference, smallest
from benchmarks.quality.minima import (
    BAD_OFFERS,
    BAD_PRICES,
    BAD_RECORDS,
    LISTS,
    MINIMA,
    OFFERS,
    PRICES,
    RECORDS,
    AnyOf,
    AnyValue,
    Minimum,
    prices,
)
from brokerfuzz import MessageType, check

SEEDS = range(1, 6)
SHARE = 0.95
"""For at least this share of the conditions, Hypothesis must find the expected example with every seed."""
TARGETED = 2000
"""The maximum number of examples that Hypothesis tries for each goal."""
NEAR = 0.05
"""The maximum distance from a goal, as a share of the goal's `value`."""
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
    """Replaces each `AnyOf` in `expected` by its value at `index`. In an array, `index` is the position of the item, so
    that the items differ.
    """
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
    value = one_of(minimum.smallest)
    verdict = check(message_type, json.dumps(value).encode())
    if is_valid:
        assert verdict.label == "valid", verdict
        assert minimum.condition(value)
    elif "anything" not in repr(minimum.smallest):
        assert verdict.label == "invalid"
        assert minimum.condition(Judged(value, verdict))


class Judged(NamedTuple):
    value: Any
    verdict: Any


def test_only_expected_examples_show_no_difference() -> None:
    minimum = next(minimum for minimum in MINIMA if minimum.name == "orderMaximum > 100")
    right, wrong = ({"number": "a", "offerType": "Direct Mail", "orderMaximum": value} for value in (101, 127))
    assert difference(minimum, [right, right]) is None
    assert "1 of 2 seeds" in str(difference(minimum, [right, wrong]))
    assert "127" in str(difference(minimum, [right, wrong]))


@pytest.mark.parametrize(
    ("minima", "seeds"),
    [
        pytest.param(MINIMA[::24], SEEDS[:1], id="sample"),
        pytest.param(MINIMA, SEEDS, id="whole", marks=pytest.mark.long),
    ],
)
def test_nearly_all_conditions_shrink_to_the_expected_examples(minima: list[Minimum], seeds: range) -> None:
    wrong = list(filter(None, (difference(minimum, [smallest(minimum, seed) for seed in seeds]) for minimum in minima)))
    assert len(wrong) <= (1 - SHARE) * len(minima), "\n".join(wrong)


class Goal(NamedTuple):
    """`numbers` returns some numbers of a message. Hypothesis's `target()` should bring one of these numbers close to
    `value`.
    """

    name: str
    strategy: SearchStrategy[Any]
    numbers: Callable[[Any], list[Any]]
    value: int


GOALS = [
    Goal("orderMaximum", OFFERS, lambda m: [m.get("orderMaximum")], 1_234_567),
    Goal("orderMinimum", OFFERS, lambda m: [m.get("orderMinimum")], 777),
    Goal("defaultPrice", OFFERS, lambda m: [m.get("defaultPrice")], 54_321),
    Goal("quantity", PRICES, lambda m: [one["quantity"] for one in prices(m)], 4_242),
]


def distance(goal: Goal, seed_number: int) -> float:
    nearest = float("inf")

    @seed(seed_number)
    @settings(max_examples=TARGETED, database=None, deadline=None, phases=[Phase.generate, Phase.target])
    @given(goal.strategy)
    def search(message: Any) -> None:
        nonlocal nearest
        apart = min((abs(value - goal.value) for value in goal.numbers(message) if value is not None), default=None)
        if apart is not None:
            nearest = min(nearest, apart)
            target(-float(apart))

    search()
    return nearest


@pytest.mark.long
@pytest.mark.parametrize("goal", GOALS, ids=[goal.name for goal in GOALS])
def test_target_usually_comes_near_a_goal(goal: Goal) -> None:
    assert median(distance(goal, seed_number) for seed_number in range(1, 10)) <= NEAR * goal.value
