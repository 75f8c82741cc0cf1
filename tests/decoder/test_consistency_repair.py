from typing import Any

import pytest

from brokerfuzz.decoder.consistency_repair import repairs, repetition

PRICED = {"type": "object", "properties": {"price": {"type": ["number", "null"]}}}


@pytest.mark.parametrize("price", [1, -(2**53) - 2, 2**53, 2**60])
def test_repeated_prices_become_different_numbers_that_a_double_can_hold(price: int) -> None:
    items: list[Any] = [{"price": price} for _ in range(4)]
    [repair] = repairs((), "items", {"type": "array", "uniqueItems": True, "items": PRICED})
    repair(items)
    prices = [item["price"] for item in items]
    assert len(set(prices)) == 4
    assert [float(found) for found in prices] == prices


BOUND = {"type": ["integer", "null"], "minimum": 1}
BOUNDS = {"type": "object", "properties": {"low": BOUND, "high": BOUND}}


@pytest.mark.parametrize(("simple", "expected"), [(False, {"low": 4, "high": 9}), (True, {"low": 4, "high": 4})])
def test_a_number_above_its_maximum_is_exchanged_or_lowered(simple: bool, expected: dict[str, int]) -> None:
    [repair] = repairs([("ordered_numbers", ("low", "high"))], "", BOUNDS, simple=simple)
    bounds = {"low": 9, "high": 4}
    repair(bounds)
    assert bounds == expected


@pytest.mark.parametrize(("simple", "expected"), [(False, {"low": 4, "sizes": [4]}), (True, {"sizes": [1]})])
def test_a_quantity_below_its_minimum_is_raised_or_loses_the_minimum(simple: bool, expected: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"low": BOUND, "high": BOUND, "sizes": {"type": "array", "items": {"type": "integer"}}}}
    [repair] = repairs([("within_range", ("sizes", "low", "high"))], "", schema, simple=simple)
    message = {"low": 4, "sizes": [1]}
    repair(message)
    assert message == expected


@pytest.mark.parametrize(
    ("names", "items", "expected"),
    [
        ((), ["a", "b"], ["a", "a"]),
        (("id",), [{"id": "a", "size": 1}, {"id": "b", "size": 2}], [{"id": "a", "size": 1}, {"id": "a", "size": 2}]),
        (("id",), [{"size": 1}, None], [{"size": 1}, {"size": 1}]),
        (("id",), [{"id": "a"}], [{"id": "a"}]),
    ],
)
def test_the_last_item_repeats_the_key_of_the_first(names: tuple[str, ...], items: list[Any], expected: list[Any]) -> None:
    repeat = repetition([("distinct", names)], "items", {"type": "array"}, ())
    assert repeat
    repeat(items)
    assert items == expected


def test_items_that_must_differ_are_not_repeated() -> None:
    assert repetition([("distinct", ())], "items", {"type": "array", "uniqueItems": True}, ()) is None
    assert repetition([("distinct", ())], "items", {"type": "array"}, {"items[].id"}) is None
