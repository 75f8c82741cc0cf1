"""The messages that the services of the fleet get, and the services. Each message is parsed and judged only once.

A mutant is a service with one bug: it gives one answer to all messages with a certain property. A candidate is a mutant
with messages of which one may show the bug.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, NoReturn, get_args

from brokerfuzz.pointers import path_below, path_to
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, Violation, check

Answer = Literal["accepted", "rejected", "crashed"]
OFFER: MessageType = "offer-creation-request"
ABSENT: Final = object()
"""Stands for a property that is absent."""
UNREADABLE: Final = object()
"""Stands for the value of a message that is not JSON."""


class Break(NamedTuple):
    """A rule that a message breaks. `steps` leads to `value`, which is `ABSENT` if a property is missing. The `site` of
    an unknown property ends with `*`, and its `value` is an object that contains only this property.
    """

    rule: Rule
    steps: tuple[str | int, ...]
    site: str
    value: Any


@dataclass(frozen=True)
class Message:
    """A message, its label, and the rules that it breaks according to the oracle. A lenient service rewrites the
    message, and calls `reader` to parse and judge the new bytes.
    """

    body: bytes
    label: Label
    value: Any
    breaks: tuple[Break, ...]
    reader: "Reader" = field(repr=False)
    _values: dict[str, list[Any]] = field(repr=False)
    """The values at the sites that a service has looked at."""

    @property
    def conforming(self) -> Answer:
        """The answer of the service without a bug, which accepts unspecified messages."""
        return "rejected" if self.label == "invalid" else "accepted"

    def contradicts(self, answer: Answer) -> bool:
        """An unspecified message can be accepted or rejected, so only a crash contradicts the contract."""
        return answer == "crashed" or (self.label != "unspecified" and answer != self.conforming)

    def item(self, steps: tuple[str | int, ...]) -> Any:
        """Returns the value at a place."""
        value = self.value
        for step in steps:
            value = _child(value, step)
        return value

    def values(self, path: str) -> list[Any]:
        """Returns the values at a site. `ABSENT` stands for a property that is missing from its object."""
        if path not in self._values:
            above, step = above_and_step(path)
            self._values[path] = [value for of in self.values(above) for value in _children(of, step)]
        return self._values[path]


def _children(value: Any, step: str) -> list[Any]:
    if step == "[]":
        return value if isinstance(value, list) else []
    return [value.get(step, ABSENT)] if isinstance(value, dict) else []


class Reader:
    def __init__(self, contract: Contract, now: datetime) -> None:
        self.contract = contract
        self.now = now

    def __call__(self, body: bytes) -> Message:
        verdict = check(OFFER, body, now=self.now, contract=self.contract)
        value = parsed(body)
        return Message(
            body, verdict.label, value, tuple(self._break(value, one) for one in verdict.broken), self, {"": [value]}
        )

    def _break(self, value: Any, broken: Violation) -> Break:
        steps: list[str | int] = []
        for token in broken.at.split("/")[1:]:
            step = (
                int(token)
                if isinstance(value, list) and token.isdigit()
                else token.replace("~1", "/").replace("~0", "~")
            )
            steps.append(step)
            value = _child(value, step)
        rule = self.contract.rules_by_id[broken.rule]
        if rule.keyword == "additionalProperties":
            return Break(rule, tuple(steps), path_below(rule.site, "*"), {str(steps[-1]): value})
        return Break(rule, tuple(steps), path_to(tuple(steps)), value)


def parsed(body: bytes) -> Any:
    """Returns the value of the message, or `UNREADABLE`."""
    try:
        return json.loads(body.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return UNREADABLE


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _child(value: Any, step: str | int) -> Any:
    """Returns `ABSENT` for a place that is only in another interpretation of the message."""
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return value.get(step, ABSENT) if isinstance(value, dict) else ABSENT


def steps_of(path: str) -> list[str]:
    """Splits a path: `a[].b` becomes `["a", "[]", "b"]`."""
    return [step for step in path.replace("[]", ".[]").split(".") if step]


def above_and_step(path: str) -> tuple[str, str]:
    """Splits off the last step: `a[].b` becomes `("a[]", "b")`."""
    if path.endswith("[]"):
        return path[:-2], "[]"
    above, _, name = path.rpartition(".")
    return above, name


# ------------------------------------------------------------------------------------------------------------- mutants

Family = Literal["dropped", "loosened", "coerced", "tightened", "crashing", "misplaced", "interaction", "reader"]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True, eq=False)
class Mutant:
    """A service that gives the answer `says` to all messages for which `when` is true, and otherwise the right one."""

    family: Family
    name: str
    says: Answer
    when: Callable[[Message], object]

    def answer(self, message: Message) -> Answer:
        is_wrong = self.says != message.conforming and self.when(message)
        return self.says if is_wrong else message.conforming

    def first_kill(self, messages: Iterable[Message]) -> int | None:
        """Returns the index of the first message that kills the mutant: the first one with a wrong answer."""
        return next((n for n, message in enumerate(messages) if message.contradicts(self.answer(message))), None)


Candidate = tuple[Mutant, Iterable[bytes]]


def forgiving(family: Family, name: str, excused: Callable[[Message, Break], object]) -> Mutant:
    """A service that accepts messages if it excuses everything that is wrong with them."""
    return Mutant(family, name, "accepted", lambda message: all(excused(message, one) for one in message.breaks))
