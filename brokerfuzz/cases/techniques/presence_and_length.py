"""Techniques for presence and array length: missing properties, and arrays that are too short or too long."""

from brokerfuzz.cases.changes import Change, Put, Remove
from brokerfuzz.cases.techniques.registry import Spot, breaks


@breaks("required", family="missing")
def removed(spot: Spot) -> Change:
    """A required property is missing."""
    return Remove()


@breaks("minItems", family="items")
def emptied(spot: Spot) -> Change:
    """The array is empty."""
    return Put([])


@breaks("minItems", family="items")
def one_item_fewer(spot: Spot) -> Change | None:
    """The array has one item less than the minimum."""
    return Put(spot.present[: spot.rule.value - 1]) if spot.rule.value > 1 else None


@breaks("maxItems", family="items")
def one_item_more(spot: Spot) -> Change | None:
    """The array has one item more than the maximum."""
    return _lengthened(spot, spot.rule.value + 1)


@breaks("maxItems", family="items")
def many_items_more(spot: Spot) -> Change | None:
    """The array has ten times the maximum number of items, plus one."""
    return _lengthened(spot, spot.rule.value * 10 + 1)


@breaks("uniqueItems", family="items")
def repeated_item(spot: Spot) -> Change | None:
    """The array contains its first item twice."""
    return Put([*spot.present, spot.present[0]]) if spot.present else None


@breaks("uniqueItems", family="items")
def doubled_items(spot: Spot) -> Change | None:
    """The array contains all its items twice."""
    return Put([*spot.present, *spot.present]) if spot.present else None


def _lengthened(spot: Spot, size: int) -> Change | None:
    """Adds copies of the last item. The copies differ: each string gets another number at its end, and each integer is one more
    than the one before.
    """
    if not spot.present:
        return None
    last = spot.present[-1]
    numbered = isinstance(last, str | int) and not isinstance(last, bool)
    more = [f"{last}-{i}" if isinstance(last, str) else last + i if numbered else last for i in range(1, size - len(spot.present) + 1)]
    return Put([*spot.present, *more])
