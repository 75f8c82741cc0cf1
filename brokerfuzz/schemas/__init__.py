"""Defines the contract (message types, rules and ambiguities), and the oracle, which judges messages."""

from brokerfuzz.contract_names import MESSAGE_TYPES, Label, MessageType
from brokerfuzz.schemas.contract import Contract, Policies, PolicyValues
from brokerfuzz.schemas.contract_entries import Ambiguity
from brokerfuzz.schemas.loading import known_contract, load_contract
from brokerfuzz.schemas.oracle import check
from brokerfuzz.schemas.rule import Condition, Rule
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.verdicts import Touched, Verdict, Violation

__all__ = [
    "MESSAGE_TYPES",
    "Ambiguity",
    "Condition",
    "Contract",
    "Label",
    "MessageType",
    "Policies",
    "PolicyValues",
    "Rule",
    "Site",
    "Touched",
    "Verdict",
    "Violation",
    "check",
    "load_contract",
    "rules",
]


def rules(message_type: MessageType, contract: Contract | None = None) -> tuple[Rule, ...]:
    """Returns every rule of a message type. A `Rule` contains an ID, a site, a keyword with its value, and the part of
    the contract that states the rule.

    Raises `UnknownNameError` if the message type does not exist.

    >>> from brokerfuzz import rules
    >>> [rule.demand for rule in rules("offer-creation-request") if rule.site == "orderMinimum"]
    ['an integer or null', 'at least 1', 'at most 2147483647']
    """
    known = known_contract(contract)
    return known.rules[known.known_message_type(message_type)]
