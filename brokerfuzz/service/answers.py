"""What the service is asked and what it answers: an offer's bytes, complaints, an answer."""

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
"""A reply; a server error (500); the connection cut before a byte of an answer; no answer ever."""

DEEPEST = 200
"""Offers nested deeper than this are not looked into: the conforming service alone judges them."""

MOST_MESSAGES = 100
"""How many complaints one answer lists."""

_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why an offer is rejected: at a JSON Pointer, what was found and what was demanded; `rule` is the id of the rule broken."""

    rule: str | None
    at: str
    found: str
    demanded: str

    def __str__(self) -> str:
        return f"{self.at or 'the offer'}: found {self.found}, demanded {self.demanded}"


def envelope(*failures: str, data: Any = None, news: tuple[str, ...] = ()) -> dict[str, Any]:
    """The envelope that every answer comes in."""
    return {"data": data, "failureMessages": list(failures), "informationalMessages": list(news), "operationWasSuccessful": not failures}


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """What the service answers to an offer. `success` is what the envelope claims where that is not the truth."""

    complaints: tuple[Complaint, ...] = ()
    manner: Manner = "reply"
    success: bool | None = None

    @property
    def accepts(self) -> bool:
        """Whether the offer was taken."""
        return self.manner == "reply" and not self.complaints

    @property
    def status(self) -> int | None:
        """The HTTP status: 201, 400 or 500; None where no answer comes."""
        if self.manner != "reply":
            return 500 if self.manner == "crash" else None
        return 400 if self.complaints else 201

    @property
    def envelope(self) -> Mapping[str, Any] | None:
        """The body of the answer; None where it has none of the contract's."""
        if self.manner != "reply":
            return None
        body = envelope(*self._messages(), news=() if self.complaints else ("The offer was created.",))
        return body if self.success is None else {**body, "operationWasSuccessful": self.success}

    def _messages(self) -> list[str]:
        shown = [str(complaint) for complaint in self.complaints[:MOST_MESSAGES]]
        left = len(self.complaints) - len(shown)
        return [*shown, f"and {left} more"] if left else shown


@dataclass(frozen=True)
class Offer:
    """The body of a request, and `now` as the service sees it."""

    body: bytes
    now: datetime | None = None

    @cached_property
    def _readings(self) -> list[Any]:
        """The one value that the body spells; none where it spells none, or is nested beyond `DEEPEST`."""
        try:
            return [json.loads(self.body)] if nesting(self.body) <= DEEPEST else []
        except (ValueError, RecursionError):
            return []

    @property
    def readable(self) -> bool:
        """Whether the body spells a value."""
        return bool(self._readings)

    @property
    def value(self) -> Any:
        """The value that the body spells. Raises `IndexError` where it is not readable."""
        return self._readings[0]

    def prop(self, name: str) -> Any:
        """A property of the root; None where there is none."""
        return self.value.get(name) if self.readable and isinstance(self.value, dict) else None

    def having(self, value: Any) -> "Offer":
        """An offer of this value in place of its own."""
        return Offer(json.dumps(value).encode(), self.now)

    def values(self, site: str) -> Iterator[Any]:
        """The values at a site: `""` the root, `a[].b` properties of items, `**` every value anywhere."""
        if site == "**":
            yield from everything(self._readings)
            return
        found = self._readings
        for step in [step for step in site.replace("[]", ".[]").split(".") if step]:
            found = list(_below(found, step))
        yield from found

    def at(self, pointer: str) -> list[Any]:
        """The value at a JSON Pointer, alone in a list; an empty list where there is none."""
        found = self._readings
        for step in steps_of(pointer):
            found = [value for holder in found for value in _child(holder, step)]
        return found

    def replacing(self, replacements: Mapping[str, Any]) -> "Offer":
        """The offer with other values at some JSON Pointers, each of which must be there."""
        root = deepcopy([self.value])
        for pointer, value in replacements.items():
            holder: Any = root
            *way, last = [0, *steps_of(pointer)]
            for step in way:
                holder = holder[_key(holder, step)]
            holder[_key(holder, last)] = value
        return self.having(root[0])


def nesting(body: bytes) -> int:
    """How deep arrays and objects lie in a JSON text."""
    depth = deepest = 0
    for opening, closing in _STRING_OR_BRACKET.findall(body):
        depth += bool(opening) - bool(closing)
        deepest = max(deepest, depth)
    return deepest


def everything(values: list[Any]) -> Iterator[Any]:
    """The values and all that lies below them."""
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
