"""Defines techniques for rules that only own contracts have, such as those of `oneOf`. They use searched values."""

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import SEARCH, ChangeOf, FaultContext, breaks, register_rows
from brokerfuzz.generation.formats import FORMATS
from brokerfuzz.schemas.keywords import JUDGED, OTHER_ITEMS

_KEYWORDS = {*JUDGED, "items"} - {"additionalProperties", OTHER_ITEMS}


def _counterexample(share: float) -> ChangeOf:
    def change(context: FaultContext) -> Change | None:
        values = () if context.rule.keyword == "required" else context.counterexamples.found
        return Put(values[int(share * (len(values) - 1))]) if values else None

    return change


register_rows(
    *_KEYWORDS,
    family=SEARCH,
    change=_counterexample,
    rows=[
        ("short-counterexample", "The shortest value that was found to break the rule and no other.", 0),
        ("middle-counterexample", "A value of medium length that was found to break the rule and no other.", 0.5),
        ("long-counterexample", "The longest value that was found to break the rule and no other.", 1),
    ],
)


def _near_miss(index: int) -> ChangeOf:
    def change(context: FaultContext) -> Change | None:
        values = () if context.rule.keyword == "required" else context.counterexamples.near_misses
        return Put(values[index]) if index < len(values) else None

    return change


_MOST_NEAR_MISSES = 16
register_rows(
    *_KEYWORDS,
    family=SEARCH,
    change=_near_miss,
    rows=[
        (
            f"near-miss-{number}",
            f"A valid value in which one part is missing or replaced (number {number}).",
            number - 1,
        )
        for number in range(1, _MOST_NEAR_MISSES + 1)
    ],
)


# -------------------------------------------------------------------------------------------------------- formats


@breaks("format", family="spelling")
def impossible_value(context: FaultContext) -> Change:
    """A value that looks right but does not exist, such as February 30."""
    return Put(FORMATS[context.rule.value].impossible)


@breaks("format", family="spelling")
def incomplete_value(context: FaultContext) -> Change:
    """A value that lacks a part that the format requires, such as a timestamp without an offset."""
    return Put(FORMATS[context.rule.value].incomplete)


@breaks("format", family="spelling")
def other_notation(context: FaultContext) -> Change:
    """A value in a notation that other systems use, such as 01/31/2000."""
    return Put(FORMATS[context.rule.value].other_notation)
