"""Repairs of items that occur twice."""

from typing import Any

import pytest

from brokerfuzz.decoder.consistency_repair import repairs

PRICED = {"type": "object", "properties": {"price": {"type": ["number", "null"]}}}


@pytest.mark.parametrize("price", [1, -(2**53) - 2, 2**53, 2**60])
def test_repeated_prices_become_different_numbers_that_a_double_can_hold(price: int) -> None:
    items: list[Any] = [{"price": price} for _ in range(4)]
    [repair] = repairs((), "items", {"type": "array", "uniqueItems": True, "items": PRICED})
    repair(items)
    prices = [item["price"] for item in items]
    assert len(set(prices)) == 4
    assert [float(found) for found in prices] == prices
