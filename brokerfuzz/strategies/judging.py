"""Judges generated values that contain pinned values, because users can pin values that break the contract."""

from collections.abc import Iterable
from typing import Any

from hypothesis.errors import InvalidArgument

from brokerfuzz.cases.changes import Put, Steps, altered, places
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.generation import message
from brokerfuzz.schemas import Contract, MessageType, check
from brokerfuzz.schemas.contract import once_per_contract


def judged(value: Any, site: str, pinned: Iterable[str], contract: Contract, message_type: MessageType) -> Any:
    """Returns `value`, or raises `InvalidArgument` if `value` breaks a rule. `value` is a message, or the part of a
    message at `site`.
    """
    around, steps = _message_around(contract, message_type, site) if site else (None, ())
    try:
        verdict = check(message_type, altered(around, steps, Put(value)), contract=contract)
    except TypeError as problem:
        raise InvalidArgument(f"fields={sorted(pinned)}: {problem}") from problem
    if verdict.label == "invalid":
        raise InvalidArgument(
            f"fields={sorted(pinned)}: a pinned value breaks the contract ({verdict.broken[0]}); "
            "pin values that the contract allows, or use a strategy for invalid messages"
        )
    return value


@once_per_contract
def _message_around(contract: Contract, message_type: MessageType, site: str) -> tuple[Any, Steps]:
    """Returns a plain message that has a value at the site, and the path to this value."""
    around = message(contract, message_type, wishes=wishes_at(contract, message_type, site))
    return around, places(around, site)[0]
