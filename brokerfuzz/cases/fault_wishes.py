"""Says what a message must have so that a rule can be broken in it: the place exists, and the condition of the rule is
true.
"""

from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Any

from brokerfuzz.generation import Wish, Wishes
from brokerfuzz.generation.nodes import values_at, values_of
from brokerfuzz.generation.site_questions import questions_at
from brokerfuzz.pointers import Steps, path_below, path_to
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule, Site
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema, conjoin
from brokerfuzz.schemas.validation import matches


@cache
def wishes_for(contract: Contract, rule: Rule) -> Wishes:
    """Returns wishes for a message in which the rule can be broken."""
    meeting = wishes_meeting(contract, rule.message_type, rule.condition) if rule.condition else {}
    return {**wishes_at(contract, rule.message_type, rule.site), **meeting}


@cache
def wishes_at(contract: Contract, message_type: MessageType, path: str) -> Wishes:
    """Returns wishes for a value at the site, in the first items, that is neither null nor an empty array."""
    site = contract.sites[message_type][path]
    wishes = {array.path: Wish(least=1, index=0) for array in site.arrays}
    for there in (*site.around, site):
        if there.path and there.path not in wishes and there.schema.get("type") != []:
            wishes[there.path] = Wish(least=1) if types_of(there.schema) - {"null"} == {"array"} else Wish()
    for around in site.around:
        for _, question in questions_at(contract, message_type, around.path):
            if other := question.needs_null.get(site.steps[len(around.steps) :]):
                wishes[path_to(other, around.path)] = Wish(state="null")
    return wishes


def wishes_meeting(contract: Contract, message_type: MessageType, condition: Condition) -> Wishes:
    """Returns wishes for a message in which the rules with this condition apply."""
    around = contract.sites[message_type][condition.site]
    wishes = {site.path: Wish() for site in (*around.around, around) if site.path}
    if not {"properties", "required"} & condition.when.keys():
        candidates = _candidates(contract, message_type, condition.site, condition.when)
        fitting = [value for value in candidates if matches(condition.when, value) == condition.holds]
        return {**wishes, condition.site: Wish(options=fitting)} if fitting else wishes
    required = condition.when.get("required", ())
    tests = {**{name: {} for name in required}, **condition.when.get("properties", {})}
    for name, test in tests.items():
        site = path_below(condition.site, name)
        if site not in contract.sites[message_type]:
            continue
        if not test:
            wishes[site] = Wish() if condition.holds else Wish(state="absent")
            continue
        candidates = _candidates(contract, message_type, site, test)
        fitting = [value for value in candidates if matches(test, value) == condition.holds]
        if fitting:
            wishes[site] = Wish(options=fitting)
        if not condition.holds:
            break  # one property is enough
    return wishes


def _candidates(contract: Contract, message_type: MessageType, site: str, test: Schema) -> list[Any]:
    """Returns values of a site. In a changed contract, they include values that a condition needs."""
    schema = contract.sites[message_type][site].schema
    usual = [*values_at(contract, message_type, site), *([None] if "null" in types_of(schema) else [])]
    if contract.is_tested:
        return usual
    drawn = (values_of(contract, message_type, of, site) for of in (conjoin(schema, test), schema))
    return [value for value in (*usual, *chain.from_iterable(drawn)) if matches(schema, value)]


def arrays_with_later_items(contract: Contract, rule: Rule) -> list[str]:
    """Returns the arrays above the site of a rule that can contain more than one item."""
    arrays = contract.sites[rule.message_type][rule.site].arrays
    return [array.path for array in arrays if array.schema.get("maxItems", 2) > 1]


def breakable_places(contract: Contract, rule: Rule, message: Any) -> list[Steps]:
    """Returns the places where the rule applies, because it has no condition or its condition is true. Places with the
    value null are omitted, unless the rule's keyword is `required`, and so are values other than objects if it is
    `additionalProperties`.
    """
    sites = contract.sites[rule.message_type]
    site = sites[rule.site]
    places = site.places(message)
    if site.parent is not None and forbids_property(rule, site):
        around = site.parent.places(message)
        places = [((*steps, site.name), None) for steps, value in around if isinstance(value, dict)]
    condition = rule.condition
    if condition is not None:
        around = sites[condition.site].places(message)
        met = [steps for steps, value in around if matches(condition.when, value) == condition.holds]
        places = [(steps, value) for steps, value in places if any(steps[: len(outer)] == outer for outer in met)]
    if rule.keyword == "additionalProperties":  # an own contract can allow other types as well
        places = [(steps, value) for steps, value in places if isinstance(value, dict)]
    null_counts = rule.keyword == "required" or rule.value in ([], [None], "null") or forbids_property(rule, site)
    return [steps for steps, value in places if null_counts or value is not None]


def forbids_property(rule: Rule, site: Site) -> bool:
    """Returns whether a rule forbids a property, because its schema is `false`."""
    return rule.keyword == "type" and rule.value == [] and bool(site.name)


def joined(*wishes: Mapping[str, Wish]) -> Wishes:
    """Combines wishes. If several concern the same site, the last one wins."""
    return {site: wish for wishes_by_site in wishes for site, wish in wishes_by_site.items()}
