"""Choosing cases by what they are about."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Contract, Rule


@dataclass(frozen=True)
class Selection:
    """Which cases are wanted. Make it with `selection`.

    `rules` and `techniques` are those that may be broken and by what (None: any): where either is limited to some that are wanted, `only_faults`,
    cases without a fault are not. `wanted_tag` and `unwanted_tag` say which tags a case has to have one of, and may have none of.
    """

    rules: Collection[str] | None = None
    techniques: Collection[str] | None = None
    only_faults: bool = False
    wanted_tag: Callable[[str], bool] | None = None
    unwanted_tag: Callable[[str], bool] | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.rules, self.techniques, self.wanted_tag, self.unwanted_tag))

    def wants(self, case: Case) -> bool:
        """Whether the case is about what is wanted."""
        if self.only_faults and not case.faults:
            return False
        if not all(
            (self.rules is None or fault.rule in self.rules) and (self.techniques is None or fault.technique in self.techniques)
            for fault in case.faults
        ):
            return False
        tagged = self.wanted_tag is None or any(map(self.wanted_tag, case.tags))
        return tagged and not (self.unwanted_tag is not None and any(map(self.unwanted_tag, case.tags)))

    def of(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases that are wanted, each once, the faults behind their twins; every case where nothing is chosen."""
        seen: set[str] = set()
        for case in cases:
            for one in ((case.twin, case) if self.wants(case) else ()) if self else (case,):
                if one is not None and one.id not in seen:
                    seen.add(one.id)
                    yield one

    def among(self, rules: Iterable[Rule]) -> tuple[Rule, ...] | None:
        """Those of the rules that may be broken; None where all may."""
        return None if self.rules is None else tuple(rule for rule in rules if rule.id in self.rules)

    def names(self) -> frozenset[str] | None:
        """The techniques that may be used; None where all may."""
        return None if self.techniques is None else frozenset(self.techniques)


def selection(
    contract: Contract,
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
    tags: Sequence[str] = (),
    *,
    exclude_rules: Sequence[str] = (),
    exclude_techniques: Sequence[str] = (),
    exclude_tags: Sequence[str] = (),
    sites: Sequence[str] = (),
) -> Selection:
    """The selection of cases by rule ids, names of techniques, tags and sites, in which `*` stands for anything and `?` for one character.

    `sites` want the rules that are at them: a rule is broken where it is wanted by its id and by its site, as far as either is said.
    Raises `UnknownNameError` for a pattern that no rule, technique or site fits. Tags are not known before there are cases: what fits none chooses
    none.
    """
    broken = _chosen("rule", contract.rules_by_id, rules, exclude_rules, "`brokerfuzz rules` lists them all")
    return Selection(
        _at(contract, broken, sites) if sites else broken,
        _chosen("technique", TECHNIQUES, techniques, exclude_techniques, "`brokerfuzz rules --techniques` lists them all"),
        bool(rules or techniques or sites),
        _any_of(tags),
        _any_of(exclude_tags),
    )


def _at(contract: Contract, rules: Collection[str] | None, sites: Sequence[str]) -> Collection[str]:
    """Those of the rules (None: of all) that are at the sites."""
    known = dict.fromkeys(rule.site for rule in contract.rules_by_id.values())
    wanted = {site for pattern in sites for site in _fitting("site", known, pattern, "`brokerfuzz rules` lists the rules of each")}
    return {name: None for name, rule in contract.rules_by_id.items() if rule.site in wanted and (rules is None or name in rules)}


def _chosen(kind: str, known: Collection[str], wanted: Sequence[str], unwanted: Sequence[str], remedy: str) -> Collection[str] | None:
    """The names that some pattern wants and none excludes, in their order; None where there is no pattern."""
    if not wanted and not unwanted:
        return None
    some = {name for pattern in wanted for name in _fitting(kind, known, pattern, remedy)} if wanted else set(known)
    out = {name for pattern in unwanted for name in _fitting(kind, known, pattern, remedy)}
    return {name: None for name in known if name in some and name not in out}


def _fitting(kind: str, known: Collection[str], pattern: str, remedy: str) -> list[str]:
    fits = _pattern(pattern).fullmatch
    found = [name for name in known if fits(name)]
    if not found:
        raise UnknownNameError(kind, pattern, known, remedy)
    return found


def _any_of(patterns: Sequence[str]) -> Callable[[str], bool] | None:
    spelled = [_pattern(pattern) for pattern in patterns]
    return (lambda tag: any(pattern.fullmatch(tag) for pattern in spelled)) if spelled else None


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile("".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in pattern))
