"""Presence: properties missing, arrays too short or too long."""

from brokerfuzz.cases.changes import Change, Put, Remove
from brokerfuzz.cases.techniques.registry import Spot, breaks


@breaks("required", family="missing")
def removed(spot: Spot) -> Change:
    """The property is left out of a message that has every other."""
    return Remove()


@breaks("minItems", family="items")
def emptied(spot: Spot) -> Change:
    """The array holds no item."""
    return Put([])


@breaks("minItems", family="items")
def one_item_fewer(spot: Spot) -> Change | None:
    """The array holds one item less than the fewest."""
    return Put(spot.present[: spot.rule.value - 1]) if spot.rule.value > 1 else None


@breaks("maxItems", family="items")
def one_item_more(spot: Spot) -> Change | None:
    """The array holds one item more than the most."""
    return _lengthened(spot, spot.rule.value + 1)


@breaks("maxItems", family="items")
def many_items_more(spot: Spot) -> Change | None:
    """The array holds ten times the most items, and one."""
    return _lengthened(spot, spot.rule.value * 10 + 1)


@breaks("uniqueItems", family="items")
def repeated_item(spot: Spot) -> Change | None:
    """The array holds its first item twice."""
    return Put([*spot.present, spot.present[0]]) if spot.present else None


@breaks("uniqueItems", family="items")
def doubled_items(spot: Spot) -> Change | None:
    """The array holds all of its items twice."""
    return Put([*spot.present, *spot.present]) if spot.present else None


def _lengthened(spot: Spot, size: int) -> Change | None:
    """Items beyond those that are there are the last one again, texts and whole numbers with a number behind them or added."""
    if not spot.present:
        return None
    last = spot.present[-1]
    numbered = isinstance(last, str | int) and not isinstance(last, bool)
    more = [f"{last}-{i}" if isinstance(last, str) else last + i if numbered else last for i in range(1, size - len(spot.present) + 1)]
    return Put([*spot.present, *more])
