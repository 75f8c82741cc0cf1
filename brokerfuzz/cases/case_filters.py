"""Selects cases by rule, technique and tag."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import CaseRecord
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import UnknownNameError, listed_names
from brokerfuzz.name_patterns import name_pattern
from brokerfuzz.schemas import Contract, Rule

EXCLUDES = "!"
"""A pattern that begins with this character excludes all names that match the rest of the pattern."""


@dataclass(frozen=True)
class Selection:
    """A filter for cases. Use `selection` to create a filter.

    A case may break only these `rules`, and only with these `techniques` (None: no restriction). `only_faults` excludes
    cases without a fault. The function `tags` decides from the tags of a case whether the case is included (None: no
    restriction).
    """

    rules: Collection[str] | None = None
    techniques: Collection[str] | None = None
    only_faults: bool = False
    tags: Callable[[Collection[str]], bool] | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.rules, self.techniques, self.tags))

    def wants(self, case: Case | CaseRecord) -> bool:
        if self.only_faults and not case.faults:
            return False
        if not all(
            (self.rules is None or fault.rule in self.rules)
            and (self.techniques is None or fault.technique in self.techniques)
            for fault in case.faults
        ):
            return False
        return self.tags is None or self.tags(case.tags)

    def of(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yields the selected cases without duplicates, and the twin of each before it, if there are filters."""
        seen: set[str] = set()
        for case in cases:
            if self and not self.wants(case):
                continue
            for wanted_case in (case.twin if self else None, case):
                if wanted_case is not None and wanted_case.id not in seen:
                    seen.add(wanted_case.id)
                    yield wanted_case

    def among(self, rules: Iterable[Rule]) -> tuple[Rule, ...] | None:
        """Returns the `rules` that the filter selects, or None if the filter selects all rules."""
        return None if self.rules is None else tuple(rule for rule in rules if rule.id in self.rules)


def selection(
    contract: Contract,
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> Selection:
    """Creates a filter from patterns for rules, names of techniques, and tags.

    In a pattern, `*` matches any characters and `?` matches one character. A pattern that begins with `!` excludes
    names, even if another pattern includes them. If all patterns begin with `!`, all other names are included. A
    pattern for rules matches their IDs, with or without the message type, or their sites. Raises `UnknownNameError` if
    no rule or technique matches a pattern. A pattern for tags may match nothing, because the tags are known only after
    the cases are generated. Raises `TypeError` if an argument is a single string instead of a sequence of strings.
    """
    for name, patterns in (("rules", rules), ("techniques", techniques), ("tags", tags)):
        listed_names(name, patterns)
    return Selection(
        matching_rules(contract.rules_by_id.values(), rules),
        matching("technique", TECHNIQUES, techniques, "`brokerfuzz rules --techniques` lists all techniques"),
        any(not pattern.startswith(EXCLUDES) for pattern in (*rules, *techniques)),
        _by_tags(tags),
    )


def matching_rules(rules: Iterable[Rule], patterns: Sequence[str]) -> Collection[str] | None:
    """Returns the IDs of the rules that the patterns select, or None if there are no patterns."""
    ids_by_name: dict[str, list[str]] = {}
    for rule in rules if patterns else ():
        for name in rule.names:
            ids_by_name.setdefault(name, []).append(rule.id)
    return _matching("rule", ids_by_name, patterns, "`brokerfuzz rules` lists all rules")


def matching(kind: str, names: Iterable[str], patterns: Sequence[str], remedy: str) -> Collection[str] | None:
    """Returns the known names that the patterns select, or None if there are no patterns."""
    return _matching(kind, {name: (name,) for name in names}, patterns, remedy)


def _matching(
    kind: str, named: Mapping[str, Collection[str]], patterns: Sequence[str], remedy: str
) -> Collection[str] | None:
    """`named` maps each name to what has this name."""

    def with_names(patterns: Iterable[str]) -> set[str]:
        names = [name for pattern in patterns for name in _fitting(kind, named, pattern, remedy)]
        return {identity for name in names for identity in named[name]}

    if not patterns:
        return None
    wanted, excluded = _parted(patterns)
    included = with_names(wanted or ["*"])
    included -= with_names(excluded)
    return [identity for identity in dict.fromkeys(chain.from_iterable(named.values())) if identity in included]


def _parted(patterns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the patterns that include names, and the patterns that exclude names (without their `!`)."""
    excluded = [pattern.removeprefix(EXCLUDES) for pattern in patterns if pattern.startswith(EXCLUDES)]
    return [pattern for pattern in patterns if not pattern.startswith(EXCLUDES)], excluded


def _fitting(kind: str, names: Collection[str], pattern: str, remedy: str) -> list[str]:
    if pattern in names:
        return [pattern]
    fits = name_pattern(pattern, question_marks=True).fullmatch
    matches = [name for name in names if fits(name)]
    if not matches:
        raise UnknownNameError(kind, pattern, names, remedy)
    return matches


def _by_tags(patterns: Sequence[str]) -> Callable[[Collection[str]], bool] | None:
    if not patterns:
        return None
    wanted, excluded = (
        [name_pattern(pattern, question_marks=True) for pattern in group] for group in _parted(patterns)
    )

    def is_wanted(tags: Collection[str]) -> bool:
        return (not wanted or _any_fits(wanted, tags)) and not _any_fits(excluded, tags)

    return is_wanted


def _any_fits(patterns: Sequence[re.Pattern[str]], tags: Collection[str]) -> bool:
    return any(pattern.fullmatch(tag) for tag in tags for pattern in patterns)
