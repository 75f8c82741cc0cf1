"""Defines techniques for rules that only a changed contract has, such as those of `oneOf`. They change the value until
it breaks the rule and no other rule of the same site.
"""

from brokerfuzz.cases.changes import Change, Put
from brokerfuzz.cases.techniques.registry import SEARCH, ChangeOf, FaultContext, breaks, register_technique
from brokerfuzz.generation.formats import FORMATS
from brokerfuzz.generation.neighbours import KINDS, Changed, breaking
from brokerfuzz.schemas.flattening import COMPOSED, OTHER_ITEMS, SIMPLE

_TEXTS = {
    "other_values": "A value that breaks the rule, of any type.",
    "changed_strings": "The string, changed a little.",
    "changed_numbers": "The number, changed a little.",
    "fewer_items": "The array with fewer items.",
    "more_items": "The array with more items.",
    "changed_items": "The array with a changed item.",
    "fewer_properties": "The object with fewer properties.",
    "more_properties": "The object with more properties.",
    "changed_properties": "The object with a changed property.",
}


def _first(kind: Changed) -> ChangeOf:
    def change(context: FaultContext) -> Change | None:
        keyword = OTHER_ITEMS if context.rule.keyword == "items" else context.rule.keyword
        if keyword not in _SEARCHED:
            return None
        schema = {**context.schema, keyword: context.rule.value}
        condition = context.rule.condition
        if condition is not None and condition.site == context.rule.site:
            schema["allOf"] = [condition.when if condition.holds else {"not": condition.when}]
        return next(
            (Put(value) for value in breaking(kind, context.present, context.examples(), schema, keyword)), None
        )

    return change


_SEARCHED = {*SIMPLE, *COMPOSED} - {"required"}
_KEYWORDS = {*COMPOSED, "items"} - {"additionalProperties", OTHER_ITEMS}
for _name, _kind in KINDS.items():
    register_technique(_name.replace("_", "-"), _TEXTS[_name], *_KEYWORDS, family=SEARCH, change=_first(_kind))


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
