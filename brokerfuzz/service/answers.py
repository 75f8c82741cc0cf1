"""Defines the answer to an offer."""

from dataclasses import dataclass
from typing import Any, Literal

from brokerfuzz.schemas import Violation
from brokerfuzz.schemas.verdicts import violation

Manner = Literal["reply", "crash", "abort", "hang"]
"""The ways in which the service can answer:

- `reply`: the service accepts or rejects the offer.
- `crash`: the service answers with a server error (500).
- `abort`: the service closes the connection without an answer.
- `hang`: the service never answers.
"""

MOST_MESSAGES = 100
"""The maximum number of violations in an answer."""


def envelope(*failures: str, information: tuple[str, ...] = ()) -> dict[str, Any]:
    """If there are no `failures`, the envelope reports success."""
    return {
        "data": None,
        "failureMessages": list(failures),
        "informationalMessages": list(information),
        "operationWasSuccessful": not failures,
    }


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
    def status(self) -> int:
        return 400 if self.violations else 201

    @property
    def envelope(self) -> dict[str, Any]:
        """The body of the answer."""
        shown = [f"{one.at or 'the offer'}: {violation(one.found, one.demanded)}" for one in self.violations]
        left = len(shown) - MOST_MESSAGES
        failures = [*shown[:MOST_MESSAGES], f"and {left} more"] if left > 0 else shown
        body = envelope(*failures, information=() if self.violations else ("The offer was created.",))
        return body if self.success is None else {**body, "operationWasSuccessful": self.success}
