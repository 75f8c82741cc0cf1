"""Techniques for strings: too short, too long, or not as a pattern or format requires."""

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import Spot, breaks


@breaks("minLength", family="length")
def one_shorter(spot: Spot) -> Change:
    """A string with one character less than the minimum length."""
    return Put("b" * (spot.rule.value - 1))


@breaks("maxLength", family="length")
def one_longer(spot: Spot) -> Change:
    """A string with one character more than the maximum length."""
    return Put("b" * (spot.rule.value + 1))


@breaks("maxLength", family="length")
def one_longer_with_blank(spot: Spot) -> Change:
    """A string of the maximum length with a space after it."""
    return Put("b" * spot.rule.value + " ")


@breaks("pattern", "format", family="spelling")
def unfitting_string(spot: Spot) -> Change:
    """A single tilde, which few patterns and formats allow."""
    return Put("~")


@breaks("pattern", "format", family="spelling")
def fitting_and_more(spot: Spot) -> Change | None:
    """The string with a tilde after it."""
    return Put(f"{spot.present}~") if isinstance(spot.present, str) else None
