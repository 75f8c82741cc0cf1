"""Defines an offer, a complaint (a reason to reject an offer), and the answer to an offer."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from brokerfuzz.pointers import steps_of

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
        from brokerfuzz.schemas.verdicts import violation

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
    def _parsed(self) -> list[Any]:
        """A list with one item, the parsed body, or an empty list if the body is not readable. None cannot mean "not
        readable", because `null` is also parsed as None.
        """
        try:
            return [json.loads(self.body)] if nesting(self.body) <= DEEPEST else []
        except (ValueError, RecursionError):
            return []

    @property
    def readable(self) -> bool:
        """True if the body is JSON that is not nested more deeply than `DEEPEST`."""
        return bool(self._parsed)

    @property
    def value(self) -> Any:
        """The parsed body. Raises `IndexError` if the body is not readable."""
        return self._parsed[0]

    def prop(self, name: str) -> Any:
        return self.value.get(name) if self.readable and isinstance(self.value, dict) else None

    def having(self, value: Any) -> "Offer":
        """Returns an offer with `value` as its body."""
        return Offer(json.dumps(value).encode(), self.now)

    def values(self, site: str) -> Iterator[Any]:
        """Yields the values at a site. `""` is the site of the whole offer, and `a[].b` is the property `b` of each
        item of `a`. `**` means all values in the offer, at any depth.
        """
        if site == "**":
            yield from everything(self._parsed)
            return
        found = self._parsed
        for step in [step for step in site.replace("[]", ".[]").split(".") if step]:
            found = list(_below(found, step))
        yield from found

    def at(self, pointer: str) -> list[Any]:
        """Returns a list with one item, the value at a JSON Pointer, or an empty list if the offer has no such
        value.
        """
        found = self._parsed
        for step in steps_of(pointer):
            found = [value for holder in found for value in _child(holder, step)]
        return found

    def replacing(self, replacements: Mapping[str, Any]) -> "Offer":
        """Returns a copy of the offer in which new values replace some of the values. `replacements` maps the JSON
        Pointer of each replaced value to the new value.
        """
        root = deepcopy([self.value])
        for pointer, value in replacements.items():
            holder: Any = root
            *way, last = [0, *steps_of(pointer)]
            for step in way:
                holder = holder[_key(holder, step)]
            holder[_key(holder, last)] = value
        return self.having(root[0])


def nesting(body: bytes) -> int:
    depth = deepest = 0
    for opening, closing in _STRING_OR_BRACKET.findall(body):
        depth += bool(opening) - bool(closing)
        deepest = max(deepest, depth)
    return deepest


def everything(values: list[Any]) -> Iterator[Any]:
    """Yields the values, and all values inside them."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        yield value
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _below(values: list[Any], step: str) -> Iterator[Any]:
    for value in values:
        if step == "[]" and isinstance(value, list):
            yield from value
        elif isinstance(value, dict) and step in value:
            yield value[step]


def _key(holder: Any, step: str | int) -> str | int:
    return int(step) if isinstance(holder, list) else step


def _child(holder: Any, step: str) -> list[Any]:
    if isinstance(holder, dict):
        return [holder[step]] if step in holder else []
    return holder[int(step) : int(step) + 1] if isinstance(holder, list) and step.isdecimal() else []
