"""Texts: too short, too long, spelled otherwise than a pattern or a format has it."""

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks


@breaks("minLength", family="length")
def one_shorter(spot: Spot) -> Change:
    """A text one character shorter than the shortest."""
    return Put("b" * (spot.rule.value - 1))


@breaks("maxLength", family="length")
def one_longer(spot: Spot) -> Change:
    """A text one character longer than the longest."""
    return Put("b" * (spot.rule.value + 1))


@breaks("maxLength", family="length")
def one_longer_with_blank(spot: Spot) -> Change:
    """A text of the greatest length with a blank behind it."""
    return Put("b" * spot.rule.value + " ")


@breaks("pattern", "format", family="spelling")
def unfitting_string(spot: Spot) -> Change:
    """A text of one tilde, which few patterns and formats have."""
    return Put("~")


@breaks("pattern", "format", family="spelling")
def fitting_and_more(spot: Spot) -> Change | None:
    """The text that belongs there with a tilde behind it."""
    return Put(f"{spot.present}~") if isinstance(spot.present, str) else None
