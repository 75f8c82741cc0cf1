"""The messages that the services of the fleet get. Each message is parsed and judged only once for all services."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from brokerfuzz.schemas import Contract, Label, MessageType, check
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.interpretations import Interpretation
from brokerfuzz.schemas.json_reader import read, read_fully
from brokerfuzz.schemas.structural_validation import registry_of, standard, validator

Answer = Literal["accepted", "rejected", "crashed"]
ROUNDED = Interpretation(rounded=True)
OFFER: MessageType = "offer-creation-request"


@dataclass(frozen=True)
class Message:
    """A message with its label from the oracle.

    If `readable` is true, the message is JSON and `value` is its value. If `punctual` is true, the message does not
    break the time-dependent rule. `broken` contains the sites of the broken rules. `now` is the time at which the
    message arrives. A lenient service rewrites the message, and calls `reader` to parse and judge the new bytes.
    """

    body: bytes
    label: Label
    readable: bool
    value: Any
    punctual: bool
    broken: tuple[str, ...]
    now: datetime
    reader: "Reader" = field(repr=False)

    @property
    def conforming(self) -> Answer:
        """The answer of the service without a bug, which accepts unspecified messages."""
        return "rejected" if self.label == "invalid" else "accepted"

    def contradicts(self, answer: Answer) -> bool:
        """An unspecified message can be accepted or rejected, so only a crash contradicts the contract."""
        return answer == "crashed" or (self.label != "unspecified" and answer != self.conforming)


Behaviour = Callable[[Message], Answer]


class Reader:
    def __init__(self, contract: Contract, now: datetime) -> None:
        self.contract = contract
        self.now = now
        self._validator = validator(standard(contract.flat[OFFER]), registry_of({}))

    def __call__(self, body: bytes) -> Message:
        verdict = check(OFFER, body, now=self.now, contract=self.contract)
        reading = read(body)
        value = reading.values.get(ROUNDED, reading.usual)
        if not self._can_validate(value):
            value = read_fully(body).usual
        punctual = not any(broken.rule.endswith(f":{NOT_IN_FUTURE}") for broken in verdict.broken)
        broken = tuple({self.contract.rules_by_id[broken.rule].site for broken in verdict.broken})
        return Message(body, verdict.label, reading.error is None, value, punctual, broken, self.now, self)

    def _can_validate(self, value: Any) -> bool:
        """Returns False if the nesting of the value is too deep for the validator."""
        try:
            self._validator.is_valid(value)
        except (ValueError, RecursionError):
            return False
        return True
