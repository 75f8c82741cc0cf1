"""Defines goals: the things that a case can cover."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.edges import edges, parts_of
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.rule import parts_of_id


class Goal(NamedTuple):
    """Something that a case can cover: a broken rule, a technique, an edge or an ambiguity.

    `kind` is one of `GOAL_KINDS`. `site` is the site of the rule, edge or ambiguity. `name` identifies the goal at this
    site: for example, `minimum` (a rule), `minimum one-below` (a technique), `zero` (an edge), or `cron-syntax` (an
    ambiguity).
    """

    kind: str
    site: str
    name: str


GOAL_KINDS = ("rule", "technique", "edge", "ambiguity")


def of_rule(rule: Rule, technique: str | None = None) -> Goal:
    """Returns the goal of a case that breaks the rule with the technique (None: with any technique)."""
    name = parts_of_id(rule.id).keyword_with_condition
    return Goal("technique", rule.site, f"{name} {technique}") if technique else Goal("rule", rule.site, name)


def covered(case: Case, contract: Contract) -> set[Goal]:
    """Returns the goals that a case covers.

    An invalid case covers the rules that it breaks, and the techniques of its `faults`. An unspecified case covers the
    ambiguities that it touches. A valid case covers its edges.
    """
    if case.label == "invalid":
        return set(_of_broken(case, contract))
    if case.label == "unspecified":
        return {Goal("ambiguity", site_of(touch.at), touch.ambiguity) for touch in case.verdict.ambiguities}
    return edges_of(contract, case.message_type, case.value)


def edges_of(contract: Contract, message_type: MessageType, message: Any) -> set[Goal]:
    """Returns the edges of a valid message."""
    site_edges = edges(contract, message_type)
    parts = parts_of(contract.sites[message_type][""], message)
    return {Goal("edge", path, edge) for path, value in parts for edge in site_edges.of(path, value)}


def _of_broken(case: Case, contract: Contract) -> Iterator[Goal]:
    """Rules with keywords that brokerfuzz does not know are not goals. Only changed contracts have such keywords."""
    rules = contract.rules_by_id
    yield from (of_rule(rules[broken.rule]) for broken in case.verdict.broken if broken.rule in rules)
    yield from (of_rule(rules[fault.rule], fault.technique) for fault in case.faults if fault.rule in rules)
