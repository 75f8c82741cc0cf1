"""Defines an offer, a complaint (a reason to reject an offer), and the answer to an offer."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from brokerfuzz.schemas.verdicts import violation

Manner = Literal["reply", "crash", "abort", "hang"]
"""The ways in which the service can answer:

- `reply`: the service accepts or rejects the offer.
- `crash`: the service answers with a server error (500).
- `abort`: the service closes the connection without an answer.
- `hang`: the service never answers.
"""

DEEPEST = 200
"""The maximum nesting of a body that `Offer` parses. Seeded bugs treat a body with deeper nesting like a body that is
not JSON.
"""

MOST_MESSAGES = 100
"""The maximum number of complaints in an answer."""

_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Complaint:
    """A reason to reject an offer. `rule` is the ID of the broken rule, and `at` is the JSON Pointer of the invalid
    value.

    `found` describes the invalid value, and `demanded` describes the values that the service accepts.
    """

    rule: str | None
    at: str
    found: str
    demanded: str

    def __str__(self) -> str:
        return f"{self.at or 'the offer'}: {violation(self.found, self.demanded)}"


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
    """`success` replaces the value of `operationWasSuccessful` in the envelope, unless `success` is None."""

    complaints: tuple[Complaint, ...] = ()
    manner: Manner = "reply"
    success: bool | None = None

    @property
    def accepts(self) -> bool:
        return self.manner == "reply" and not self.complaints

    @property
    def status(self) -> int | None:
        """The HTTP status, or None if the service sends no answer."""
        if self.manner != "reply":
            return 500 if self.manner == "crash" else None
        return 400 if self.complaints else 201

    @property
    def envelope(self) -> Mapping[str, Any] | None:
        """The envelope in the body of the answer, or None if the body contains no envelope."""
        if self.manner != "reply":
            return None
        body = envelope(*self._messages(), information=() if self.complaints else ("The offer was created.",))
        return body if self.success is None else {**body, "operationWasSuccessful": self.success}

    def _messages(self) -> list[str]:
        shown = [str(complaint) for complaint in self.complaints[:MOST_MESSAGES]]
        left = len(self.complaints) - len(shown)
        return [*shown, f"and {left} more"] if left else shown


@dataclass(frozen=True)
class Offer:
    """The body of a request. The service uses `now` as the current time when it judges the offer (None: the real
    current time).
    """

    body: bytes
    now: datetime | None = None

    @cached_property
    def _parsed(self) -> tuple[bool, Any]:
        """Whether the body is readable, and its value."""
        try:
            return (True, json.loads(self.body)) if nesting(self.body) <= DEEPEST else (False, None)
        except (ValueError, RecursionError):
            return False, None

    @property
    def readable(self) -> bool:
        """True if the body is JSON that is not nested more deeply than `DEEPEST`."""
        return self._parsed[0]

    @property
    def value(self) -> Any:
        """The parsed body, or None if the body is not readable."""
        return self._parsed[1]


def nesting(body: bytes) -> int:
    depth = deepest = 0
    for opening, closing in _STRING_OR_BRACKET.findall(body):
        depth += bool(opening) - bool(closing)
        deepest = max(deepest, depth)
    return deepest
