"""Presence: members missing, members that nobody asked for, arrays too short or too long."""

from collections.abc import Callable

from brokerfuzz.cases.changes import AddMember, Change, Put, Remove
from brokerfuzz.cases.techniques.registry import Spot, breaks


@breaks("required", family="missing")
def removed(spot: Spot) -> Change:
    """The member is left out of a message that has every other."""
    return Remove()


@breaks("additionalProperties", family="unknown-member")
def unknown_member(spot: Spot) -> Change:
    """A member of a name that the contract does not list."""
    return AddMember(_new("unexpected", spot), "a")


@breaks("additionalProperties", family="unknown-member")
def unknown_null(spot: Spot) -> Change:
    """A member that the contract does not list and whose value is null."""
    return AddMember(_new("unexpected", spot), None)


@breaks("additionalProperties", family="unknown-member")
def unknown_first(spot: Spot) -> Change:
    """A member that the contract does not list, before all others."""
    return AddMember(_new("aaa", spot), {"a": [1]}, first=True)


@breaks("additionalProperties", family="unknown-member")
def other_case_key(spot: Spot) -> Change | None:
    """A listed member again, its first letter in the other case."""
    return _beside(spot, lambda name: name[0].swapcase() + name[1:])


@breaks("additionalProperties", family="unknown-member")
def upper_case_key(spot: Spot) -> Change | None:
    """A listed member again, in capitals."""
    return _beside(spot, str.upper)


@breaks("additionalProperties", family="unknown-member")
def snake_case_key(spot: Spot) -> Change | None:
    """A listed member again, its words joined by underscores."""
    return _beside(spot, lambda name: "".join(f"_{c.lower()}" if c.isupper() else c for c in name) if name.lower() != name else f"{name}_")


@breaks("additionalProperties", family="unknown-member")
def padded_key(spot: Spot) -> Change | None:
    """A listed member again, with a blank behind its name."""
    return _beside(spot, lambda name: f"{name} ")


@breaks("additionalProperties", family="unknown-member")
def zero_width_key(spot: Spot) -> Change | None:
    """A listed member again, with a zero-width space in its name."""
    return _beside(spot, lambda name: f"{name}\u200b")


@breaks("additionalProperties", family="unknown-member")
def underscore_key(spot: Spot) -> Change | None:
    """A listed member again, with an underscore before its name."""
    return _beside(spot, lambda name: f"_{name}")


@breaks("additionalProperties", family="unknown-member")
def extension_key(spot: Spot) -> Change:
    """A member whose name begins with x-, as extensions of other formats do."""
    return AddMember(_new("x-note", spot), "a")


@breaks("additionalProperties", family="unknown-member")
def dollar_key(spot: Spot) -> Change:
    """A member whose name begins with a dollar sign, as typed JSON dialects have it."""
    return AddMember(_new("$type", spot), "System.Object")


@breaks("additionalProperties", family="unknown-member")
def proto_key(spot: Spot) -> Change:
    """A member called __proto__, which some JavaScript code takes for the prototype."""
    return AddMember("__proto__", {"isAdmin": True})


@breaks("additionalProperties", family="unknown-member")
def constructor_key(spot: Spot) -> Change:
    """A member called constructor."""
    return AddMember(_new("constructor", spot), {"prototype": {"isAdmin": True}})


@breaks("additionalProperties", family="unknown-member")
def privileged_key(spot: Spot) -> Change:
    """A member whose name promises a privilege."""
    return AddMember(_new("isAdmin", spot), True)


@breaks("additionalProperties", family="unknown-member")
def empty_key(spot: Spot) -> Change:
    """A member whose name is empty."""
    return AddMember("", "a")


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


def _new(name: str, spot: Spot) -> str:
    while name in spot.schema.get("properties", {}):
        name += "_"
    return name


def _beside(spot: Spot, rename: Callable[[str], str]) -> Change | None:
    members = spot.schema.get("properties", {})
    for name in members:
        other = rename(name)
        if name in spot.present and other not in members:
            return AddMember(other, spot.present[name])
    return None
