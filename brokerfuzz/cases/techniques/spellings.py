"""Defines techniques that make a string too short or too long, or use a string that does not match a pattern or
format.
"""

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import FaultContext, breaks


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
