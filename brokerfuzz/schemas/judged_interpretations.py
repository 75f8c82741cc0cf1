"""Determines the verdict on a message from its judgements in all interpretations of its text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from brokerfuzz.schemas.contract import Contract, Policies
from brokerfuzz.schemas.questions import REJECTED
from brokerfuzz.schemas.verdicts import VALID, Touched, Verdict, Violation

AMBIGUITY_RULE = "ambiguity/"
"""If a policy allows only `rejected`, a message that touches the ambiguity breaks a rule. Its ID is this prefix and the
ambiguity's ID.
"""


def source_of(rule: str, contract: Contract) -> str | None:
    """Returns the part of the contract that states the rule. If the rule comes from a policy (see `AMBIGUITY_RULE`),
    returns the part that leaves the question open.
    """
    if rule.startswith(AMBIGUITY_RULE):
        return contract.ambiguity(rule.removeprefix(AMBIGUITY_RULE)).source
    contract_rule = contract.rules_by_id.get(rule)
    return contract_rule.source if contract_rule else None


class JudgedInterpretation(NamedTuple):
    """The broken rules and touched ambiguities in one interpretation of a text, which may have a name."""

    name: str
    broken: list[Violation]
    touched: list[Touched]

    def as_written(self, literals: Mapping[str, str]) -> "JudgedInterpretation":
        """Describes numbers as they are written. `literals` maps JSON Pointers to notations."""
        broken = [replace(violation, found=literals.get(violation.at, violation.found)) for violation in self.broken]
        return self._replace(
            broken=broken, touched=[replace(touch, found=literals.get(touch.at, touch.found)) for touch in self.touched]
        )

    def settled(self, policies: Policies, contract: Contract) -> "JudgedInterpretation":
        """Applies the policies that allow only one interpretation. `rejected` is a broken rule."""
        rejected = [touch for touch in _once(self.touched) if policies.get(touch.ambiguity) == (REJECTED,)]
        faults = [
            Violation(
                f"{AMBIGUITY_RULE}{touch.ambiguity}", touch.at, touch.found, contract.ambiguity(touch.ambiguity).plain
            )
            for touch in rejected
        ]
        open_touches = [
            touch for touch in self.touched if touch.stays_open or len(policies.get(touch.ambiguity, ("", ""))) > 1
        ]
        return JudgedInterpretation(self.name, [*self.broken, *faults], open_touches)


def verdict_of(outcomes: Sequence[JudgedInterpretation], policies: Policies, contract: Contract) -> Verdict:
    if not any(outcome.broken or outcome.touched for outcome in outcomes):
        return VALID
    if policies:
        outcomes = [outcome.settled(policies, contract) for outcome in outcomes]
    faultless = [outcome for outcome in outcomes if not outcome.broken]
    touched = [touch for outcome in faultless or outcomes for touch in outcome.touched]
    if not faultless:
        return Verdict("invalid", tuple(sorted(_in_all(outcomes), key=attrgetter("at", "rule"))), _once(touched))
    if len(faultless) < len(outcomes) or any(_may_be_rejected(touch, policies, contract) for touch in touched):
        return Verdict("unspecified", (), _once(touched))
    return VALID


def _may_be_rejected(touch: Touched, policies: Policies, contract: Contract) -> bool:
    interpretations = policies.get(touch.ambiguity, contract.ambiguity(touch.ambiguity).interpretations)
    return touch.stays_open or REJECTED in interpretations


def _in_all(outcomes: Sequence[JudgedInterpretation]) -> Iterable[Violation]:
    """Returns the broken rules that all interpretations have in common. If no rule is broken in all interpretations,
    returns every broken rule, with the interpretations in which it is broken.
    """
    if len(outcomes) == 1:
        return outcomes[0].broken
    broken_rules = [{(violation.rule, violation.at) for violation in outcome.broken} for outcome in outcomes]
    common = set.intersection(*broken_rules)
    if common:
        return [violation for violation in outcomes[0].broken if (violation.rule, violation.at) in common]
    names_of: dict[tuple[str, str], list[str]] = {}
    broken = {(violation.rule, violation.at): violation for outcome in outcomes for violation in outcome.broken}
    for outcome in outcomes:
        for violation in outcome.broken:
            names_of.setdefault((violation.rule, violation.at), []).append(outcome.name)
    return [replace(broken[key], under=" or ".join(names)) for key, names in names_of.items()]


def _once(touched: Iterable[Touched]) -> tuple[Touched, ...]:
    """Sorts ambiguities by place and removes duplicates."""
    first_touches = dict[tuple[str, str], Touched]()
    for touch in sorted(touched, key=attrgetter("at", "ambiguity", "found")):
        first_touches.setdefault((touch.at, touch.ambiguity), touch)
    return tuple(first_touches.values())
