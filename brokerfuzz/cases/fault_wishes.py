"""Says what a message must have so that a rule can be broken in it: the place exists, and the condition of the rule is
true.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.generation import Wish, Wishes
from brokerfuzz.generation.nodes import values_at, values_of
from brokerfuzz.generation.site_questions import asks
from brokerfuzz.pointers import name_at_site
from brokerfuzz.schemas import Condition, Contract, MessageType, Rule, load_contract
from brokerfuzz.schemas.contract import once_per_contract
from brokerfuzz.schemas.flattening import Schema, conjoin, types_of
from brokerfuzz.schemas.judging import matches
from brokerfuzz.schemas.questions.responses import Envelope
from brokerfuzz.schemas.sites import Steps, join


@once_per_contract
def wishes_for(contract: Contract, rule: Rule) -> Wishes:
    """Returns wishes for a message in which the rule can be broken."""
    meeting = conditions_met(contract, rule.message_type, rule.condition) if rule.condition else {}
    return {**wishes_at(contract, rule.message_type, rule.site), **meeting}


@once_per_contract
def wishes_at(contract: Contract, message_type: MessageType, site: str) -> Wishes:
    """Returns wishes for a value at the site, in the first items, that is neither null nor an empty array."""
    sites = contract.sites[message_type]
    wishes = {path: Wish(least=1, index=0) for path in arrays_above(site)}
    for path in [*_around(site), site]:
        if path and path not in wishes and sites[path].schema.get("type") != []:
            wishes[path] = Wish(least=1) if types_of(sites[path].schema) - {"null"} == {"array"} else Wish()
    if site.startswith("failureMessages[]") and asks(contract, message_type, "", Envelope):
        wishes["data"] = Wish(state="null")  # otherwise, the generator would remove the failure messages
    return wishes


def conditions_met(
    contract: Contract, message_type: MessageType, condition: Condition, *, holds: bool | None = None
) -> Wishes:
    """Returns wishes for a message in which the condition holds as its rules need it, or as `holds` says."""
    holds = condition.holds if holds is None else holds
    wishes = {path: Wish() for path in [*_around(condition.site), condition.site] if path}
    if not {"properties", "required"} & condition.when.keys():
        candidates = _candidates(contract, message_type, condition.site, condition.when)
        fitting = [value for value in candidates if matches(condition.when, value) == holds]
        return {**wishes, condition.site: Wish(options=fitting)} if fitting else wishes
    required = condition.when.get("required", ())
    tests = {**{name: {} for name in required}, **condition.when.get("properties", {})}
    for name, test in tests.items():
        site = join(condition.site, name)
        if site not in contract.sites[message_type]:
            continue
        if not test:
            wishes[site] = Wish() if holds else Wish(state="absent")
            continue
        candidates = _candidates(contract, message_type, site, test)
        fitting = [value for value in candidates if matches(test, value) == holds]
        if fitting:
            wishes[site] = Wish(options=fitting)
        if not holds:
            break  # one property is enough
    return wishes


def _candidates(contract: Contract, message_type: MessageType, site: str, test: Schema) -> list[Any]:
    """Returns values of a site. In a changed contract, they include values that a condition needs."""
    schema = contract.sites[message_type][site].schema
    usual = [*values_at(contract, message_type, site), *([None] if "null" in types_of(schema) else [])]
    if contract is load_contract():
        return usual
    others = (values_of(contract, message_type, of, site) for of in (conjoin(schema, test), schema))
    return [value for value in (*usual, *chain.from_iterable(others)) if matches(schema, value)]


def arrays_above(site: str) -> list[str]:
    """Returns the arrays that contain the site, outermost first."""
    return [site[:index] for index in range(len(site)) if site.startswith("[]", index)]


def arrays_with_later_items(contract: Contract, rule: Rule) -> list[str]:
    """Returns the arrays above the site of a rule that can contain more than one item."""
    sites = contract.sites[rule.message_type]
    return [array for array in arrays_above(rule.site) if sites[array].schema.get("maxItems", 2) > 1]


def _around(site: str) -> Iterator[str]:
    """Yields the sites around a site, without the root: `a` and `a[]` for `a[].b`."""
    for found in re.finditer(r"\[\]|\.", site):
        yield site[: found.start()]
        if found.group() == "[]" and found.end() < len(site):
            yield site[: found.end()]


def breakable_places(rule: Rule, message: Any) -> list[Steps]:
    """Returns the places where the rule applies, because it has no condition or its condition is true. Places with the
    value null are omitted, unless the rule's keyword is `required`.
    """
    every = places(message, rule.site)
    if forbids_property(rule):
        outer = rule.site.rpartition(".")[0]
        every = [
            (*steps, name_at_site(rule.site))
            for steps in places(message, outer)
            if isinstance(value_at(message, steps), dict)
        ]
    found = [steps for steps in every if rule.condition is None or _meets(rule.condition, message, steps)]
    if rule.keyword == "required" or rule.value in ([], [None], "null") or forbids_property(rule):
        return found
    return [steps for steps in found if value_at(message, steps) is not None]


def forbids_property(rule: Rule) -> bool:
    """Returns whether a rule forbids a property, because its schema is `false`."""
    return rule.keyword == "type" and rule.value == [] and not rule.site.endswith("[]")


def _meets(condition: Condition, message: Any, steps: Steps) -> bool:
    around = next(outer for outer in places(message, condition.site) if steps[: len(outer)] == outer)
    return matches(condition.when, value_at(message, around)) == condition.holds


def joined(*wishes: Mapping[str, Wish]) -> Wishes:
    """Combines wishes. If several concern the same site, the last one wins."""
    return {site: wish for some in wishes for site, wish in some.items()}
