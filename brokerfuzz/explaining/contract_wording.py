"""Words for what the contract says, which follow from its schemas."""

from brokerfuzz.schemas import Condition, Rule
from brokerfuzz.schemas.sites import JSON_RULE
from brokerfuzz.wording import listed, with_article

_TO_HAVE = ("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "additionalProperties")


def rule_sentence(rule: Rule) -> str:
    """What a rule demands, as one sentence."""
    if rule.keyword == JSON_RULE:
        return f"The whole message has to be {rule.demand}."
    must = "may have" if rule.keyword == "additionalProperties" else "has to have" if rule.keyword in _TO_HAVE else "has to be"
    when = _when(rule.condition) if rule.condition else ""
    message, demand = f"{with_article(title(rule.message_type))}{when}", rule.demand.removeprefix("to be ")
    return f"In {message}, {rule.site} {must} {demand}." if rule.site else f"{message[0].upper()}{message[1:]} {must} {demand}."


def at_site(site: str) -> str:
    """A site in words: as it is written, or what the empty one is."""
    return site or "the message itself"


def title(message_type: str) -> str:
    """A message type in words: `offer creation request`."""
    return message_type.replace("-", " ")


def _when(condition: Condition) -> str:
    tests = condition.when.get("properties", {})
    values = [f"{name} is {listed((repr(value) for value in prop['enum']), 'or')}" for name, prop in tests.items() if "enum" in prop]
    if len(values) != len(tests) or not values:
        return f" under the condition {condition.label}"
    return f" whose {' and whose '.join(values)}" if condition.holds else f" unless its {' and its '.join(values)}"
