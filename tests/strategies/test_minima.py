"""Hypothesis shrinks examples to simple messages, as a person would write them (see `benchmarks/quality/minima.py`).

Hypothesis also tries constants of the loaded modules, so a seed does not always give the same examples.
"""

import json
from typing import Any, NamedTuple

import pytest
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
)
from brokerfuzz import MessageType, check

SEEDS = range(1, 6)
SHARE = 0.95
"""For at least this share of the conditions, Hypothesis must find the expected example with every seed."""
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


@pytest.mark.parametrize(
    ("minima", "seeds"),
    [
        pytest.param(MINIMA[::8], SEEDS[:1], id="sample"),
        pytest.param(MINIMA, SEEDS, id="whole", marks=pytest.mark.long),
    ],
)
def test_nearly_all_conditions_shrink_to_the_expected_examples(minima: list[Minimum], seeds: range) -> None:
    wrong = list(filter(None, (difference(minimum, [smallest(minimum, seed) for seed in seeds]) for minimum in minima)))
    assert len(wrong) <= (1 - SHARE) * len(minima), "\n".join(wrong)
