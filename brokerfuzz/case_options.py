"""Creates the contract, the filters and the plan of cases that options describe."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case import supported_time
from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.cases.case_tags import RANDOM
from brokerfuzz.cases.catalogue import CaseSet
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.testable_contract import check_testable
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import BrokerfuzzError
from brokerfuzz.schemas import Contract, MessageType, load_contract

RANDOM_CASES = 100
"""The number of random cases of a campaign with only random cases, if the user specifies no number."""
PATTERNS = ("rules", "techniques", "tags")
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
    return selection(contract, options["rules"], options["techniques"], options["tags"])


def check_filters(options: Mapping[str, Any], message_types: Sequence[MessageType], contract: Contract) -> None:
    """Raises `BrokerfuzzError` if none of the chosen rules belongs to `message_types`. Raises `ContractError` if
    brokerfuzz cannot generate valid messages, or cannot break a chosen rule.
    """
    chosen = filters_of(options, contract)
    types = list(dict.fromkeys(rule.message_type for rule in chosen.among(contract.rules_by_id.values()) or ()))
    if types and not set(types) & set(message_types):
        raise BrokerfuzzError(
            f"--rule matches only rules of {' and '.join(types)}: use --message {types[0]}, or choose other rules"
        )
    for message_type in message_types:
        check_testable(contract, message_type, chosen, tuple(options["verdicts"]))


def campaign_plan(message_type: MessageType | None, options: Mapping[str, Any]) -> Plan:
    """Returns the plan of a campaign. If `message_type` is None, the cases belong to the first message type of the
    contract.
    """
    contract = contract_of(options)
    chosen = contract.message_types[0] if message_type is None else contract.known_message_type(message_type)
    is_only_random = tuple(options["tags"]) == (RANDOM,)
    count, now = options["random"], supported_time(options["now"])
    if not is_only_random:
        return plans_of((chosen,), options, "full", count or 0, now)[0]
    if count == 0:
        raise BrokerfuzzError(f"--tag {RANDOM} with --random 0 selects no case: use --random 1 or more")
    return plans_of((chosen,), {**options, "tags": ()}, "random", count or RANDOM_CASES, now)[0]


def plans_of(
    message_types: Sequence[MessageType],
    options: Mapping[str, Any],
    case_set: CaseSet,
    count: int,
    now: datetime | None,
) -> tuple[Plan, ...]:
    """Returns a plan for each message type, with `count` random cases. A filter only has to match rules of one of the
    types. `now` is the time for which time-dependent cases are generated (None: no such cases).
    """
    contract = contract_of(options)
    check_filters(options, message_types, contract)
    described: dict[str, Any] = {
        "case_set": case_set,
        "now": now,
        "seed": options["seed"],
        "count": count,
        "verdicts": options["verdicts"],
        "contract": folder_of(options),
        "values": None if contract.values is None else contract.values.text,
        **{name: options[name] for name in PATTERNS},
    }
    return tuple(Plan(message_type=message_type, **described) for message_type in message_types)
