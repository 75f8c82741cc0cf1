"""Lists all rules, ambiguities, techniques or seeded bugs."""

from collections.abc import Sequence
from typing import Any

from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.explaining.description import NOT_STATED, Description
from brokerfuzz.schemas import Ambiguity, Contract, Rule
from brokerfuzz.service.bugs import BUGS
from brokerfuzz.wording import table


def rules(contract: Contract, message_types: Sequence[str]) -> Description:
    """Lists the rules and the ambiguities of some message types."""
    known = [rule for message_type in message_types for rule in contract.rules[message_type]]
    text = [line for rule in known for line in (rule.id, f"    {rule.demand} ({rule.source or NOT_STATED})")]
    others = ambiguities(contract, message_types)
    return Description([*text, *others.text], {"rules": list(map(_rule, known)), **others.data})


def ambiguities(contract: Contract, message_types: Sequence[str]) -> Description:
    """Lists the ambiguities of some message types, and those that do not concern the contents of messages."""
    known = [one for one in contract.ambiguities if one.detector is None or any(map(one.concerns, message_types))]
    text = [
        line
        for one in known
        for line in (one.id, f"    {one.question}", f"    Unambiguous: {one.plain} ({one.source})")
    ]
    return Description(text, {"ambiguities": [_ambiguity(one, contract) for one in known]})


def techniques() -> Description:
    known = TECHNIQUES.values()
    rows = [(one.name, ", ".join(sorted(one.keywords)), one.text) for one in known]
    data = [
        {"name": one.name, "text": one.text, "keywords": sorted(one.keywords), "family": one.family} for one in known
    ]
    return Description(list(table(rows)), {"techniques": data})


def bugs() -> Description:
    known = BUGS.values()
    data = [{"name": one.name, "kind": one.kind, "text": one.text, "rule": one.rule} for one in known]
    return Description(list(table([(one.name, one.kind, one.text) for one in known])), {"bugs": data})


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "message": rule.message_type,
        "site": rule.site,
        "keyword": rule.keyword,
        "value": rule.value,
        "demand": rule.demand,
        "source": rule.source,
        "validation_rule": rule.validation_rule,
        "condition": rule.condition.label if rule.condition else None,
    }


def _ambiguity(ambiguity: Ambiguity, contract: Contract) -> dict[str, Any]:
    return {
        "id": ambiguity.id,
        "question": ambiguity.question,
        "interpretations": list(ambiguity.interpretations),
        "plain": ambiguity.plain,
        "source": ambiguity.source,
        "messages": [message_type for message_type in contract.message_types if ambiguity.concerns(message_type)],
    }
