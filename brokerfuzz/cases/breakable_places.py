"""Finds the places of a message where a rule can be broken."""

from typing import Any

from brokerfuzz.cases.changes import Steps, places, value_at
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.schemas import Condition, Rule


def breakable_places(rule: Rule, message: Any) -> list[Steps]:
    """Returns the places where the rule applies, because it has no condition or its condition is true. Places with the value null
    are omitted, unless the rule's keyword is `required`.
    """
    found = [steps for steps in places(message, rule.site) if rule.condition is None or _meets(rule.condition, message, steps)]
    return found if rule.keyword == "required" else [steps for steps in found if value_at(message, steps) is not None]


def _meets(condition: Condition, message: Any, steps: Steps) -> bool:
    around = next(outer for outer in places(message, condition.site) if steps[: len(outer)] == outer)
    return matches(condition.when, value_at(message, around)) == condition.holds
