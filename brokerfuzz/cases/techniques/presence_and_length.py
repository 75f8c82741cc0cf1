"""Defines techniques that remove required properties, or make arrays too short or too long."""

from brokerfuzz.cases.changes import Change, Put, Remove
from brokerfuzz.cases.techniques.registry import FaultContext, breaks


@breaks("required", family="missing")
def removed(context: FaultContext) -> Change:
    """A required property is missing."""
    return Remove()


@breaks("minItems", family="items")
def emptied(context: FaultContext) -> Change:
    """The array is empty, but must contain items."""
    return Put([])


@breaks("minItems", family="items")
def one_item_fewer(context: FaultContext) -> Change | None:
    """The array has one item fewer than the minimum."""
    return Put(context.present[: context.rule.value - 1]) if context.rule.value > 1 else None


@breaks("maxItems", family="items")
def one_item_more(context: FaultContext) -> Change | None:
    """The array has one item more than the maximum."""
    return _lengthened(context, context.rule.value + 1)


@breaks("maxItems", family="items")
def many_items_more(context: FaultContext) -> Change | None:
    """The array has ten times the maximum number of items, plus one."""
    return _lengthened(context, context.rule.value * 10 + 1)


@breaks("uniqueItems", family="items")
def repeated_item(context: FaultContext) -> Change | None:
    """The array contains its first item twice."""
    return Put([*context.present, context.present[0]]) if context.present else None


@breaks("uniqueItems", family="items")
def doubled_items(context: FaultContext) -> Change | None:
    """The array contains all its items twice."""
    return Put([*context.present, *context.present]) if context.present else None


def _lengthened(context: FaultContext, size: int) -> Change | None:
    """Adds items until the array has `size` items. If the last item is a string such as `a`, the new items are `a-1`,
    `a-2` and so on. If it is an integer such as 5, they are 6, 7 and so on. Any other last item is copied.
    """
    if not context.present:
        return None
    last = context.present[-1]
    numbered = isinstance(last, str | int) and not isinstance(last, bool)
    more = [
        f"{last}-{i}" if isinstance(last, str) else last + i if numbered else last
        for i in range(1, size - len(context.present) + 1)
    ]
    return Put([*context.present, *more])
