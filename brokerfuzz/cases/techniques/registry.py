"""The registry of techniques: ways of breaking a rule.

A technique is one function. Its name, with hyphens, is the technique's; the first line of its docstring is what `explain` says of
it; `breaks` names the keywords of the rules that it can break. It is shown a `Spot` and answers the `Change` that breaks the rule
there, or None where it does not apply. Where many techniques do the same thing with other values they are rows of a table, each
entered with `enter`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brokerfuzz.cases.changes import Change
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Rule
from brokerfuzz.schemas.flattening import Schema, types_of


@dataclass(frozen=True, slots=True)
class Spot:
    """A place where a rule is to be broken: the rule, the site's flat schema (without conditions), what is there now, the time."""

    rule: Rule
    schema: Schema
    present: Any
    now: datetime

    def forbids(self, json_type: str) -> bool:
        """Whether a value of this type breaks the rule, a `type` rule, and no other."""
        conditional = self.rule.condition is not None
        return not _covers(self.rule.value, json_type) and (not conditional or _covers(types_of(self.schema), json_type))


def _covers(types: Any, json_type: str) -> bool:
    allowed = {types} if isinstance(types, str) else set(types)
    return json_type in allowed or (json_type == "integer" and "number" in allowed)


@dataclass(frozen=True, slots=True)
class Technique:
    """A way of breaking rules of some keywords. Techniques of one `family` go wrong in the same code as a rule: what falls to one falls to others."""

    name: str
    text: str
    keywords: frozenset[str]
    family: str
    change: Callable[[Spot], Change | None]


TECHNIQUES: dict[str, Technique] = {}
"""Every technique by its name, in the order in which they are tried."""

ChangeOf = Callable[[Spot], Change | None]


def breaks(*keywords: str, family: str) -> Callable[[ChangeOf], ChangeOf]:
    """Registers a technique for rules of these keywords."""

    def register(function: ChangeOf) -> ChangeOf:
        enter(function.__name__.replace("_", "-"), (function.__doc__ or "").partition("\n")[0], *keywords, family=family, change=function)
        return function

    return register


def enter(name: str, text: str, *keywords: str, family: str, change: ChangeOf) -> None:
    """Registers a technique that is a row of a table."""
    assert name not in TECHNIQUES, f"two techniques are called {name}"
    TECHNIQUES[name] = Technique(name, text, frozenset(keywords), family, change)


_TRIED_FIRST = (
    "null-instead", "numeric-string", "true-as-string", "unwrapped", "number-instead", "boolean-instead", "fraction", "empty-string",
    "zero-instead", "false-instead", "object-instead", "array-instead", "string-instead", "wrapped-in-array", "false-as-string", "one-as-string",
    "padded-numeric-string", "fraction-for-string",
    "outsider", "lower-case", "trailing-space", "upper-case", "empty-enum-value", "leading-space", "without-spaces", "underscored",
    "unknown-property", "unknown-null", "other-case-key", "extension-key", "dollar-key", "underscore-key", "proto-key",
    "one-below", "one-above", "negative", "wraps-from-below", "wraps-from-above", "zero",
)  # fmt: skip
"""What programs forgive, or fall over, most often."""


def techniques_for(rule: Rule) -> list[Technique]:
    """The techniques for the rule's keyword, those that tell most first; at a given spot some of them may not apply."""
    ranks = {name: rank for rank, name in enumerate(_TRIED_FIRST)}
    fitting = [technique for technique in TECHNIQUES.values() if rule.keyword in technique.keywords]
    return sorted(fitting, key=lambda technique: ranks.get(technique.name, len(ranks)))


def known_techniques(names: Iterable[str]) -> list[Technique]:
    """The techniques of these names. Raises `UnknownNameError`."""
    wanted = list(names)
    for name in wanted:
        if name not in TECHNIQUES:
            raise UnknownNameError("technique", name, TECHNIQUES, "`brokerfuzz rules --techniques` lists them all")
    return [TECHNIQUES[name] for name in wanted]


def family_of(name: str) -> str:
    """The family of the technique of this name; the name itself, where no technique bears it."""
    known = TECHNIQUES.get(name)
    return known.family if known else name
