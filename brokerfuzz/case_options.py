"""Creates the contract, the filters and the plan of cases that options describe."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.testable_contract import check_testable
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import BrokerfuzzError
from brokerfuzz.schemas import Contract, MessageType, load_contract

RANDOM_CASES = 100
"""The number of random cases if there are only random cases, and the user specifies no number."""
PATTERNS = ("rules", "techniques", "sites", "tags")
"""The filters whose values are patterns, such as `*:minimum`."""


def contract_of(options: Mapping[str, Any]) -> Contract:
    """Returns the contract of `--contract`, with the reference data of `--values`."""
    contract, values = options.get("contract"), options.get("values")
    if isinstance(contract, Contract):
        return contract if values is None else load_contract(contract.folder, values)
    return load_contract(contract, values)


def folder_of(options: Mapping[str, Any]) -> str | None:
    """Returns the folder of a changed contract, or None for the built-in contract."""
    contract = options["contract"]
    if isinstance(contract, Contract):
        return None if contract.folder == load_contract().folder else str(contract.folder)
    folder: str | None = contract
    return folder


def message_types_of(options: Mapping[str, Any], contract: Contract) -> tuple[MessageType, ...]:
    """Returns the message types of `--message`, or all of the contract. Raises `UnknownNameError`."""
    return tuple(map(contract.known_message_type, options["message_types"])) or contract.message_types


def message_type_of(options: Mapping[str, Any], contract: Contract) -> MessageType | None:
    """Returns the message type of `--message`, or None. Raises `UnknownNameError`."""
    name = options["message_type"]
    return None if name is None else contract.known_message_type(name)


def has_filters(options: Mapping[str, Any]) -> bool:
    return any(options[name] for name in PATTERNS) or tuple(options["verdicts"]) != LABELS


def filters_of(options: Mapping[str, Any], contract: Contract) -> Selection:
    """Returns the filters, except for that of verdicts. Raises `UnknownNameError` if they contain an unknown name."""
    return selection(contract, options["rules"], options["techniques"], options["tags"], sites=options["sites"])


def check_filters(options: Mapping[str, Any], message_types: Sequence[MessageType], contract: Contract) -> None:
    """Raises `BrokerfuzzError` if none of the chosen rules belongs to `message_types`. Raises `ContractError` if
    brokerfuzz cannot generate valid messages, or cannot break a chosen rule.
    """
    chosen = filters_of(options, contract)
    types = list(dict.fromkeys(rule.message_type for rule in chosen.among(contract.rules_by_id.values()) or ()))
    if types and not set(types) & set(message_types):
        raise BrokerfuzzError(
            f"--rule and --site match only rules of {' and '.join(types)}: use --message {types[0]}, or choose other "
            "rules"
        )
    for message_type in message_types:
        check_testable(contract, message_type, chosen, tuple(options["verdicts"]))


def plan_of(message_type: MessageType | None, options: Mapping[str, Any], now: datetime | None, **more: Any) -> Plan:
    """Returns the plan of cases. If `message_type` is None, they belong to the first message type of the contract.
    `now` is the time for which time-dependent cases are generated (None: no such cases). `more` are other properties of
    the plan.
    """
    contract = contract_of(options)
    chosen = contract.message_types[0] if message_type is None else contract.known_message_type(message_type)
    return plans_of((chosen,), options, now, **more)[0]


def plans_of(
    message_types: Sequence[MessageType], options: Mapping[str, Any], now: datetime | None, **more: Any
) -> tuple[Plan, ...]:
    """Returns a plan for each message type. A filter only has to match rules of one of the types."""
    contract = contract_of(options)
    check_filters(options, message_types, contract)
    only_random = options.get("random", False)
    described: dict[str, Any] = {
        "now": now,
        "seed": options["seed"],
        "count": _random_count(options["count"], only_random),
        "only_random": only_random,
        "verdicts": options["verdicts"],
        "contract": folder_of(options),
        "values": None if contract.values is None else contract.values.text,
        **{name: options[name] for name in PATTERNS},
    }
    return tuple(Plan(**{"message_type": message_type, **described, **more}) for message_type in message_types)


def _random_count(count: int | None, only_random: bool) -> int:
    if only_random and count == 0:
        raise BrokerfuzzError("--random with --count 0 generates no case: use a --count above 0")
    return count if count is not None else RANDOM_CASES if only_random else 0
