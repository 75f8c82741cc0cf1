"""Decides whether the service accepts an offer. The table `DECISIONS` settles questions that the contract leaves
open.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from brokerfuzz.schemas import Contract, MessageType, Policies, Violation, check
from brokerfuzz.schemas.verdicts import violation

DECISIONS: Mapping[str, str] = {
    "timestamp-format": "rejected",  # only the usual format is accepted, such as 2025-06-15T12:00:00Z
    "clock-tolerance": "300",  # seconds
    "duplicate-properties": "last",  # as in most parsers
    "double-range": "rounded",  # as in most parsers
    "byte-order-mark": "ignored",
    "encoding": "rejected",  # JSON between systems is UTF-8 (RFC 8259, 8.1)
}
"""The policies of the service. If a message touches an ambiguity that is not in this table, the service accepts the
message.
"""
MOST_MESSAGES = 100
"""The maximum number of violations in an answer."""

JudgeBody = Callable[[bytes], "ServiceAnswer"]
Manner = Literal["reply", "crash", "abort", "hang"]
"""The ways in which the service can answer:

- `reply`: the service accepts or rejects the offer.
- `crash`: the service answers with a server error (500).
- `abort`: the service closes the connection without an answer.
- `hang`: the service never answers.
"""


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """The reasons to reject an offer, and how the service answers. `success` replaces the value of
    `operationWasSuccessful` in the envelope, unless `success` is None.
    """

    violations: tuple[Violation, ...] = ()
    manner: Manner = "reply"
    success: bool | None = None

    @property
    def accepts(self) -> bool:
        return self.manner == "reply" and not self.violations

    @property
    def envelope(self) -> dict[str, Any]:
        """The body of the answer."""
        shown = [
            f"{broken.at or 'the offer'}: {violation(broken.found, broken.demanded)}" for broken in self.violations
        ]
        omitted = len(shown) - MOST_MESSAGES
        failures = [*shown[:MOST_MESSAGES], f"and {omitted} more"] if omitted > 0 else shown
        body = envelope(*failures, information=() if self.violations else ("The offer was created.",))
        return body if self.success is None else {**body, "operationWasSuccessful": self.success}


def envelope(*failures: str, information: tuple[str, ...] = ()) -> dict[str, Any]:
    """If there are no `failures`, the envelope reports success."""
    return {
        "data": None,
        "failureMessages": list(failures),
        "informationalMessages": list(information),
        "operationWasSuccessful": not failures,
    }


def decisions(contract: Contract) -> Policies:
    names = [ambiguity.id for ambiguity in contract.ambiguities if ambiguity.interpretations]
    return contract.check_policies({name: DECISIONS.get(name.partition(".")[0], "accepted") for name in names})


def judge_of(message_type: MessageType, contract: Contract, now: datetime | None) -> JudgeBody:
    """Returns a function that answers messages as the contract and the table demand. It uses `now` as the current time
    (None: the real current time).
    """
    policies = decisions(contract)
    return lambda body: ServiceAnswer(check(message_type, body, now=now, contract=contract, policies=policies).broken)
