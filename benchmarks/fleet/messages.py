"""A message as the services of the fleet see it: read and judged once, however many answer it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from brokerfuzz.schemas import Contract, Label, MessageType, check
from brokerfuzz.schemas.contract import NOT_IN_FUTURE
from brokerfuzz.schemas.json_reader import read, read_shallow
from brokerfuzz.schemas.structural_validation import SchemaFiles, standard, validator

Answer = Literal["accepted", "rejected", "crashed"]
OFFER: MessageType = "offer-creation-request"


@dataclass(frozen=True)
class Message:
    """A message with the oracle's label.

    `value` is what it says where it is JSON (`readable`), `punctual`, whether it keeps the rule of the clock, `broken` the sites of the
    rules that it breaks, `now` the time that it came at, and `reader` what read it, for services that see another text than was sent.
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
        """What the conforming service answers. Where the contract does not say, it accepts."""
        return "rejected" if self.label == "invalid" else "accepted"

    def tells(self, answer: Answer) -> bool:
        """Whether the answer contradicts the contract: a crash always does, and nothing else where the contract does not say."""
        return answer == "crashed" or (self.label != "unspecified" and answer != self.conforming)


Behaviour = Callable[[Message], Answer]


class Reader:
    """Reads messages at a time, by a contract."""

    def __init__(self, contract: Contract, now: datetime) -> None:
        self.contract = contract
        self.now = now
        self._validator = validator(standard(contract.flat[OFFER]), SchemaFiles({}))

    def __call__(self, body: bytes) -> Message:
        """The message of these bytes."""
        verdict = check(OFFER, body, now=self.now, contract=self.contract)
        reading = read(body)
        value = reading.values[0] if reading.values else None
        if not self._bears(value):
            value = read_shallow(body).values[0]
        punctual = not any(broken.rule.endswith(f":{NOT_IN_FUTURE}") for broken in verdict.broken)
        broken = tuple({self.contract.rules_by_id[broken.rule].site for broken in verdict.broken})
        return Message(body, verdict.label, reading.error is None, value, punctual, broken, self.now, self)

    def _bears(self, value: Any) -> bool:
        """Whether a validator can look at the value: deep nesting is beyond it."""
        try:
            self._validator.is_valid(value)
        except (ValueError, RecursionError):
            return False
        return True
