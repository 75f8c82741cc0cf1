"""Defines the answer to an offer."""

from collections.abc import Mapping
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
    def status(self) -> int | None:
        """The HTTP status, or None if the service sends no answer."""
        if self.manner != "reply":
            return 500 if self.manner == "crash" else None
        return 400 if self.violations else 201

    @property
    def envelope(self) -> Mapping[str, Any] | None:
        """The envelope in the body of the answer, or None if the body contains no envelope."""
        if self.manner != "reply":
            return None
        body = envelope(*self._messages(), information=() if self.violations else ("The offer was created.",))
        return body if self.success is None else {**body, "operationWasSuccessful": self.success}

    def _messages(self) -> list[str]:
        shown = [f"{one.at or 'the offer'}: {violation(one.found, one.demanded)}" for one in self.violations]
        left = len(shown) - MOST_MESSAGES
        return [*shown[:MOST_MESSAGES], f"and {left} more"] if left > 0 else shown
