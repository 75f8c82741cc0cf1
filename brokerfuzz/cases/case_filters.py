"""Selects cases by rule, technique, site and tag."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from brokerfuzz.cases.case import Case
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

    def wants(self, case: Case) -> bool:
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
            for wanted_case in ((case.twin, case) if self.wants(case) else ()) if self else (case,):
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
    *,
    sites: Sequence[str] = (),
) -> Selection:
    """Creates a filter from patterns for rule IDs, names of techniques, tags and sites.

    In a pattern, `*` matches any characters and `?` matches one character. A pattern that begins with `!` excludes
    names, even if another pattern includes them. If all patterns begin with `!`, all other names are included. With
    `rules` and `sites`, both the ID and the site of a rule must match. Raises `UnknownNameError` if no rule, technique
    or site matches a pattern. A pattern for tags may match nothing, because the tags are known only after the cases are
    generated. Raises `TypeError` if an argument is a single string instead of a sequence of strings.
    """
    for name, patterns in (("rules", rules), ("techniques", techniques), ("tags", tags), ("sites", sites)):
        listed_names(name, patterns)
    by_id = matching("rule", contract.rules_by_id, rules, "`brokerfuzz rules` lists all rules")
    at_sites = _at(contract, sites)
    if at_sites is not None:
        by_id = dict.fromkeys(name for name in at_sites if by_id is None or name in by_id)
    return Selection(
        by_id,
        matching("technique", TECHNIQUES, techniques, "`brokerfuzz rules --techniques` lists all techniques"),
        any(not pattern.startswith(EXCLUDES) for pattern in (*rules, *techniques, *sites)),
        _by_tags(tags),
    )


def _at(contract: Contract, sites: Sequence[str]) -> Collection[str] | None:
    site_names = dict.fromkeys(rule.site for rule in contract.rules_by_id.values())
    wanted = matching("site", site_names, sites, "`brokerfuzz rules` lists the rules of each site")
    return wanted and [name for name, rule in contract.rules_by_id.items() if rule.site in wanted]


def matching(kind: str, names: Collection[str], patterns: Sequence[str], remedy: str) -> Collection[str] | None:
    """Returns the known names that the patterns select, or None if there are no patterns."""
    if not patterns:
        return None
    wanted, excluded = _parted(patterns)
    included = {name for pattern in wanted for name in _fitting(kind, names, pattern, remedy)} if wanted else set(names)
    left_out = {name for pattern in excluded for name in _fitting(kind, names, pattern, remedy)}
    return {name: None for name in names if name in included and name not in left_out}


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
