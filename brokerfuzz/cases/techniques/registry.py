"""The registry of techniques: ways to break a rule.

A technique is one function. The name of the technique is the function's name, with hyphens instead of underscores. `explain` prints
the first line of its docstring. `breaks` lists the keywords of the rules that the technique can break. The function receives a
`Spot` (the rule and the place to break it) and returns the `Change` that breaks the rule, or None if the technique does not apply.
Techniques that differ only in a value are rows of a table, each registered with `register_technique`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case import now_tag
from brokerfuzz.cases.changes import Change
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Rule
from brokerfuzz.schemas.flattening import Schema, types_of


@dataclass(frozen=True, slots=True)
class Spot:
    """A place where a technique breaks a rule: the rule, the site's flat schema (without conditions), the current value, and the time.

    If `now` is None, only techniques whose faults break the rule at any time apply.
    """

    rule: Rule
    schema: Schema
    present: Any
    now: datetime | None

    def forbids(self, json_type: str) -> bool:
        """Returns True if a value of this type breaks this `type` rule and no other rule."""
        conditional = self.rule.condition is not None
        return not _covers(self.rule.value, json_type) and (not conditional or _covers(types_of(self.schema), json_type))


def _covers(types: Any, json_type: str) -> bool:
    allowed = {types} if isinstance(types, str) else set(types)
    return json_type in allowed or (json_type == "integer" and "number" in allowed)


@dataclass(frozen=True, slots=True)
class Technique:
    """A way to break rules with certain keywords. Techniques of one `family` usually find the same bug: a target that accepts the
    fault of one technique also accepts the faults of the others.
    """

    name: str
    text: str
    keywords: frozenset[str]
    family: str
    change: Callable[[Spot], Change | None]

    def clock_tags(self, spot: Spot) -> tuple[str, ...]:
        """Returns the tag of a case about the clock if the technique applies to this spot only because the spot has a time."""
        if spot.now is None or self.family != CLOCK or self.change(replace(spot, now=None)) is not None:
            return ()
        return (now_tag(spot.now),)


CLOCK = "clock"
"""The family of the techniques that use the time of a spot."""

TECHNIQUES: dict[str, Technique] = {}
"""All techniques by name, in the order in which brokerfuzz tries them."""

ChangeOf = Callable[[Spot], Change | None]


def breaks(*keywords: str, family: str) -> Callable[[ChangeOf], ChangeOf]:
    """Returns a decorator that registers a function as a technique for rules with these keywords."""

    def register(function: ChangeOf) -> ChangeOf:
        register_technique(
            function.__name__.replace("_", "-"), (function.__doc__ or "").partition("\n")[0], *keywords, family=family, change=function
        )
        return function

    return register


def register_technique(name: str, text: str, *keywords: str, family: str, change: ChangeOf) -> None:
    """Registers a technique from a row of a table."""
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
"""The techniques that most often find bugs, because programs often accept such values or crash on them."""


def techniques_for(rule: Rule) -> list[Technique]:
    """Returns the techniques for the rule's keyword, the most informative first. A technique may not apply at some places."""
    ranks = {name: rank for rank, name in enumerate(_TRIED_FIRST)}
    fitting = [technique for technique in TECHNIQUES.values() if rule.keyword in technique.keywords]
    return sorted(fitting, key=lambda technique: ranks.get(technique.name, len(ranks)))


def known_techniques(names: Iterable[str]) -> list[Technique]:
    """Returns the techniques of these names. Raises `UnknownNameError` for an unknown name."""
    wanted = list(names)
    for name in wanted:
        if name not in TECHNIQUES:
            raise UnknownNameError("technique", name, TECHNIQUES, "`brokerfuzz rules --techniques` lists them all")
    return [TECHNIQUES[name] for name in wanted]


def family_of(name: str) -> str:
    """Returns the family of the technique with this name. Returns the name itself if no technique has this name."""
    known = TECHNIQUES.get(name)
    return known.family if known else name
