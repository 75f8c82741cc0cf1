"""Defines techniques that remove required properties, make arrays or strings too short or too long, or use a string
that does not match a pattern or format.
"""

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
    if not context.present:
        return None
    last = context.present[-1]
    more = range(1, context.rule.value + 2 - len(context.present))
    return Put([*context.present, *(_varied(last, number) for number in more)])


def _varied(item: object, number: int) -> object:
    """Returns a different item, such as `a-1` for `a` and 6 for 5, because items may have to differ."""
    if isinstance(item, str):
        return f"{item}-{number}"
    return item + number if isinstance(item, int) and not isinstance(item, bool) else item


@breaks("uniqueItems", family="items")
def repeated_item(context: FaultContext) -> Change | None:
    """The array contains its first item twice."""
    items = context.present if isinstance(context.present, list) else [0]
    return Put([*items, items[0]]) if items else None


@breaks("minLength", family="length")
def one_shorter(context: FaultContext) -> Change:
    """A string with one character less than the minimum length."""
    return Put("b" * (context.rule.value - 1))


@breaks("maxLength", family="length")
def one_longer(context: FaultContext) -> Change:
    """A string with one character more than the maximum length."""
    return Put("b" * (context.rule.value + 1))


@breaks("maxLength", family="length")
def one_longer_with_blank(context: FaultContext) -> Change:
    """A string of the maximum length, plus a space."""
    return Put("b" * context.rule.value + " ")


@breaks("pattern", "format", family="spelling")
def unfitting_string(context: FaultContext) -> Change:
    """A tilde instead of the string. Few patterns and formats allow a tilde."""
    return Put("~")


@breaks("pattern", "format", family="spelling")
def fitting_and_more(context: FaultContext) -> Change | None:
    """The valid string with a tilde after it."""
    return Put(f"{context.present}~") if isinstance(context.present, str) else None
