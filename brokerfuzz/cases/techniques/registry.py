"""Registers the techniques: the ways to break a rule.

A technique is a function. The name of the function, with hyphens, is the name of the technique. The first line of the
function's docstring is the description that `explain` prints. The arguments of the decorator `breaks` are the keywords
of the rules that the technique can break. The function receives a `FaultContext` and returns the `Change` that breaks
the rule. If the technique does not apply, the function returns None.

Techniques that differ only in a value are the rows of a table, which `register_rows` registers. There is a technique
for each difference that a real parser, language or framework shows. Where all readers treat two values alike, only one
of them has a technique.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from brokerfuzz.cases.case_tags import now_tag
from brokerfuzz.cases.changes import Change
from brokerfuzz.cases.counterexamples import Counterexamples
from brokerfuzz.schemas import Rule
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.sites import Site


@dataclass(frozen=True, slots=True)
class FaultContext:
    """The information that a technique gets: the rule to break, its site, the current value, and the time.
    The schema of the site does not contain the requirements of conditional rules.

    If `now` is None, the current time is unknown. The message must then be invalid at every supported time.
    """

    rule: Rule
    site: Site
    present: Any
    now: datetime | None
    counterexamples: Counterexamples

    @property
    def schema(self) -> Schema:
        return self.site.schema

    def forbids(self, json_type: str) -> bool:
        """Returns whether a value of the type `json_type` breaks the rule, and no other rule."""
        conditional = self.rule.condition is not None
        return not _covers(self.rule.value, json_type) and (
            not conditional or _covers(types_of(self.schema), json_type)
        )


def _covers(types: Any, json_type: str) -> bool:
    allowed = {types} if isinstance(types, str) else set(types)
    return json_type in allowed or (json_type == "integer" and "number" in allowed)


@dataclass(frozen=True, slots=True)
class Technique:
    """A way to break a rule. `keywords` are the keywords of the rules that the technique can break. Techniques of the
    same `family` usually find the same bugs.
    """

    name: str
    text: str
    keywords: frozenset[str]
    family: str
    change: Callable[[FaultContext], Change | None]

    def clock_tags(self, context: FaultContext) -> tuple[str, ...]:
        """Returns the tag `now:TIME` if the technique needs the current time, otherwise no tag."""
        if context.now is None or self.family != CLOCK or self.change(replace(context, now=None)) is not None:
            return ()
        return (now_tag(context.now),)


SEARCH = "search"
"""The family of all techniques that use a searched value."""
CLOCK = "clock"
"""The family of all techniques for times that must not be in the future."""

TECHNIQUES: dict[str, Technique] = {}
"""All techniques by name, in the order of registration. brokerfuzz uses this order after the techniques in
`_TRIED_FIRST`.
"""

ChangeOf = Callable[[FaultContext], Change | None]


def breaks(*keywords: str, family: str) -> Callable[[ChangeOf], ChangeOf]:
    """Registers a function as a technique that can break rules with these keywords."""

    def register(function: ChangeOf) -> ChangeOf:
        name, text = function.__name__.replace("_", "-"), (function.__doc__ or "").partition("\n")[0]
        register_rows(*keywords, family=family, rows=[(name, text, function)])
        return function

    return register


def register_rows(
    *keywords: str,
    family: str,
    rows: Iterable[tuple[str, str, Any]],
    change: Callable[[Any], ChangeOf] = lambda change: change,
) -> None:
    """Registers a technique for each row: its name, its description, and its function. With `change`, the row has a
    value instead, from which `change` creates the function.
    """
    for name, text, value in rows:
        assert name not in TECHNIQUES, f"two techniques have the name {name}"
        TECHNIQUES[name] = Technique(name, text, frozenset(keywords), family, change(value))


_TRIED_FIRST = (
    "null-instead", "numeric-string", "true-as-string", "unwrapped", "number-instead", "boolean-instead", "fraction",
    "empty-string",
    "zero-instead", "false-instead", "object-instead", "array-instead", "string-instead", "wrapped-in-array",
    "false-as-string", "one-as-string",
    "padded-numeric-string", "fraction-for-string",
    "outsider", "lower-case", "trailing-space", "upper-case", "empty-enum-value", "leading-space", "without-spaces",
    "underscored",
    "unknown-property", "unknown-null", "other-case-key", "extension-key", "dollar-key", "underscore-key", "proto-key",
    "one-below", "one-above", "negative", "wraps-from-below", "wraps-from-above", "zero",
)  # fmt: skip
"""The techniques that find the most bugs. Many programs accept the values of these techniques, or crash because of the
values.
"""


def techniques_for(rule: Rule, *, any_keyword: bool = False) -> list[Technique]:
    """Returns the techniques that can break rules with the same keyword as `rule`, most useful first. A technique may
    not apply at every place. With `any_keyword`, returns those that search for a value and so suit every keyword.
    """
    if any_keyword or (rule.keyword == "additionalProperties" and rule.value is not False):
        return [technique for technique in TECHNIQUES.values() if technique.family == SEARCH]
    ranks = {name: rank for rank, name in enumerate(_TRIED_FIRST)}
    fitting = [technique for technique in TECHNIQUES.values() if rule.keyword in technique.keywords]
    return sorted(fitting, key=lambda technique: ranks.get(technique.name, len(ranks)))


def family_of(name: str) -> str:
    """Returns the family of a technique (see `Technique`). Returns `name` itself if the technique is unknown."""
    technique = TECHNIQUES.get(name)
    return technique.family if technique else name
