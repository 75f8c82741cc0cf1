"""Describes rules, sites and message types in words."""

from brokerfuzz.schemas import Condition, Rule
from brokerfuzz.schemas.sites import JSON_RULE
from brokerfuzz.schemas.verdicts import must
from brokerfuzz.wording import listed, with_article


def rule_sentence(rule: Rule) -> str:
    if rule.keyword == JSON_RULE:
        return f"The whole message must be {rule.demand}."
    demand = must(rule.keyword, rule.demand)
    when = _when(rule.condition) if rule.condition else ""
    message = f"{with_article(title(rule.message_type))}{when}"
    return f"In {message}, {rule.site} {demand}." if rule.site else f"{message[0].upper()}{message[1:]} {demand}."


def at_site(site: str) -> str:
    return site or "the message itself"


def title(message_type: str) -> str:
    return message_type.replace("-", " ")


def _when(condition: Condition) -> str:
    tests = condition.when.get("properties", {})
    values = [
        f"{name} is {listed((repr(value) for value in prop['enum']), 'or')}"
        for name, prop in tests.items()
        if "enum" in prop
    ]
    if len(values) != len(tests) or not values:
        return f" under the condition {condition.label}"
    return f" whose {' and whose '.join(values)}" if condition.holds else f" unless its {' and its '.join(values)}"
