"""The messages that the services of the fleet get. Each message is parsed and judged only once for all services."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from brokerfuzz.schemas import Contract, Label, MessageType, check
from brokerfuzz.schemas.contract import NOT_IN_FUTURE
from brokerfuzz.schemas.interpretations import Interpretation
from brokerfuzz.schemas.json_reader import read, read_shallow
from brokerfuzz.schemas.structural_validation import SchemaFiles, standard, validator

Answer = Literal["accepted", "rejected", "crashed"]
ROUNDED = Interpretation(rounded=True)
OFFER: MessageType = "offer-creation-request"


@dataclass(frozen=True)
class Message:
    """A message with its label from the oracle.

    `readable` is true if the message is JSON. Then `value` is its value. `punctual` is true if the message does not break the
    time-dependent rule. `broken` contains the sites of the broken rules. `now` is the time at which the message arrives. A service that
    reads other bytes than the bytes that were sent calls `reader` with these other bytes.
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
        """The answer of the service without a bug. This service accepts messages with the label `unspecified`."""
        return "rejected" if self.label == "invalid" else "accepted"

    def contradicts(self, answer: Answer) -> bool:
        """Returns True if the answer contradicts the contract. For an unspecified message, only a crash contradicts the contract."""
        return answer == "crashed" or (self.label != "unspecified" and answer != self.conforming)


Behaviour = Callable[[Message], Answer]


class Reader:
    """A parser and judge of messages, for a contract and a time."""

    def __init__(self, contract: Contract, now: datetime) -> None:
        self.contract = contract
        self.now = now
        self._validator = validator(standard(contract.flat[OFFER]), SchemaFiles({}))

    def __call__(self, body: bytes) -> Message:
        """Returns the message with these bytes."""
        verdict = check(OFFER, body, now=self.now, contract=self.contract)
        reading = read(body)
        value = reading.values.get(ROUNDED, reading.usual)
        if not self._can_validate(value):
            value = read_shallow(body).usual
        punctual = not any(broken.rule.endswith(f":{NOT_IN_FUTURE}") for broken in verdict.broken)
        broken = tuple({self.contract.rules_by_id[broken.rule].site for broken in verdict.broken})
        return Message(body, verdict.label, reading.error is None, value, punctual, broken, self.now, self)

    def _can_validate(self, value: Any) -> bool:
        """Returns True if the validator can process the value, and False if the nesting of the value is too deep."""
        try:
            self._validator.is_valid(value)
        except (ValueError, RecursionError):
            return False
        return True
