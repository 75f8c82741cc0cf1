"""Compares a changed contract with the built-in one, and says what brokerfuzz can test of it."""

import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from brokerfuzz.cases.case import supported_time
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.testable_contract import check_testable
from brokerfuzz.errors import ContractError
from brokerfuzz.explaining.description import Description
from brokerfuzz.schemas import Contract, MessageType, Rule, load_contract
from brokerfuzz.wording import counted, listed


def changes(contract: Contract) -> tuple[Description, bool]:
    """Returns the differences from the built-in contract, and whether a rule cannot be tested or the contract has
    warnings.
    """
    messages = {message_type: _of_message_type(contract, message_type) for message_type in contract.message_types}
    places = {*_ambiguous_places(contract, contract.message_types)}
    places |= {ambiguity.id for ambiguity in contract.ambiguities}
    answered = [place for place in _ambiguous_places(load_contract(), contract.message_types) if place not in places]
    built_in = {ambiguity.id for ambiguity in load_contract().ambiguities}
    new = [ambiguity.id for ambiguity in contract.ambiguities if ambiguity.id not in built_in]
    text = [line for message_type, changed in messages.items() for line in _lines_about(message_type, changed)]
    text += [f"no longer ambiguous: {where}" for where in answered]
    text += [f"new ambiguity: {name}" for name in new]
    text += [f"warning: {warning}" for warning in contract.warnings]
    data = {
        "warnings": list(contract.warnings),
        "messages": messages,
        "ambiguities": {"no_longer_apply": answered, "new": new},
    }
    return Description(text, data), bool(contract.warnings) or any(changed["problems"] for changed in messages.values())


def _lines_about(message_type: str, changed: Mapping[str, Any]) -> Iterator[str]:
    numbers = [f"{len(changed[kind])} {kind}" for kind in ("new", "changed", "removed") if changed[kind]]
    same = [f"{changed['unchanged']} as in the built-in contract"] if changed["unchanged"] else []
    yield f"{message_type}: rules: {', '.join([*numbers, *same])}"
    for kind in ("new", "changed"):
        for entry in changed[kind]:
            before = f" (before: {entry['before']})" if "before" in entry else ""
            tested = counted(entry["techniques"], "technique") if entry["techniques"] else "no technique"
            yield f"  {kind:<8} {entry['rule'].partition('/')[2]}: {entry['demand']}{before}, broken by {tested}"
    yield from (f"  removed  {rule.partition('/')[2]}" for rule in changed["removed"])
    yield from (f"  problem: {problem}" for problem in changed["problems"])
    yield from (f"  note: {note}" for note in changed["notes"])


def _of_message_type(contract: Contract, message_type: MessageType) -> dict[str, Any]:
    before = {rule.id: rule for rule in load_contract().rules_by_id.values() if rule.message_type == message_type}
    now = {rule.id: rule for rule in contract.rules[message_type]}
    injector = FaultInjector(contract, message_type, supported_time(None))
    return {
        "unchanged": sum(rule == before.get(rule.id) for rule in now.values()),
        "new": [_entry(rule, injector) for rule in now.values() if rule.id not in before],
        "changed": [
            {**_entry(rule, injector), "before": before[rule.id].demand}
            for rule in now.values()
            if rule.id in before and rule.value != before[rule.id].value
        ],
        "removed": [rule_id for rule_id in before if rule_id not in now],
        "problems": _problems(contract, message_type),
        "notes": _notes(contract, message_type),
    }


def _entry(rule: Rule, injector: FaultInjector) -> dict[str, Any]:
    return {"rule": rule.id, "demand": rule.demand, "techniques": _techniques(injector, rule)}


def _techniques(injector: FaultInjector, rule: Rule) -> int:
    """Returns how many techniques break a rule. There are none if no valid message can be generated."""
    try:
        injector.contract.check_described(rule.message_type)
        return len(injector.techniques(rule))
    except ContractError:
        return 0


def _problems(contract: Contract, message_type: MessageType) -> list[str]:
    """Says which rules cannot be tested, where brokerfuzz cannot generate a value, and what to do."""
    try:
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            check_testable(contract, message_type, selection(contract), ["valid", "invalid"])
    except ContractError as problem:
        return [str(problem)]
    return [str(note.message) for note in notes]


def _notes(contract: Contract, message_type: MessageType) -> list[str]:
    """Says which schemas also allow other values than objects, perhaps by mistake."""
    sites = contract.sites[message_type].values()
    places = [site.path or "the root" for site in sites if "properties" in site.schema and "type" not in site.schema][
        :5
    ]
    if not places:
        return []
    return [f'a string or null is valid, too, at {listed(places)}: the schema has properties, but no "type": "object"']


def _ambiguous_places(contract: Contract, message_types: Collection[MessageType]) -> Iterator[str]:
    for ambiguity in contract.ambiguities:
        if ambiguity.sites is None:
            yield ambiguity.id
        for message_type, asked_sites in (ambiguity.sites or {}).items():
            for asked in asked_sites if message_type in message_types else ():
                yield f"{ambiguity.id} at {message_type}/{asked.path}"
