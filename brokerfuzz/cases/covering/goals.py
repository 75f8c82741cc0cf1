"""Defines goals: the things that a case can cover."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.states import States, states
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Ambiguity, Contract, Rule
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join


class Goal(NamedTuple):
    """Something that a case can cover: a broken rule, a technique, an edge, an ambiguity, or a pair of states.

    `kind` is `rule`, `technique`, `edge`, `ambiguity` or `pair`. A pair consists of the states of two properties of an object, and
    `site` is the site of this object. For any other goal, `site` is the site of the rule, edge or ambiguity. `name` identifies the
    goal at this site: for example, `minimum` (a rule), `minimum one-below` (a technique), `zero` (an edge), `cron-syntax` (an
    ambiguity), or `hint:null label:edge` (a pair).
    """

    kind: str
    site: str
    name: str


KINDS = ("rule", "technique", "edge", "ambiguity", "pair")


def of_rule(rule: Rule, technique: str | None = None) -> Goal:
    """Returns the goal of a case that breaks the rule with the technique (None: with any technique)."""
    suffix = rule.id.rpartition(":")[2]
    return Goal("technique", rule.site, f"{suffix} {technique}") if technique else Goal("rule", rule.site, suffix)


def of_ambiguity(ambiguity: Ambiguity, site: str) -> Goal:
    return Goal("ambiguity", site, ambiguity.id)


def of_pair(path: str, property_states: Any) -> Goal:
    """Returns the goal for a pair of states, or for a larger combination. `property_states` contains the name and the state of each property."""
    return Goal("pair", path, " ".join(f"{name}:{state}" for name, state in property_states))


_met = lru_cache(maxsize=1 << 16)(of_pair)


def covered(case: Case, contract: Contract, *, strength: int = 2) -> set[Goal]:
    """Returns the goals that a case covers.

    An invalid case covers the rules that it breaks, and the techniques of its `faults`. An unspecified case covers the ambiguities
    that it touches. A valid case covers its edges. In each object, the case also covers each pair of property states, or each
    combination of `strength` states.
    """
    if case.label == "invalid":
        return set(_of_broken(case, contract))
    if case.label == "unspecified":
        return {Goal("ambiguity", site_of(touch.at), touch.ambiguity) for touch in case.verdict.ambiguities}
    return set(_of_message(states(contract, case.message_type), contract.flat[case.message_type], "", case.value, strength))


def _of_broken(case: Case, contract: Contract) -> Iterator[Goal]:
    """Rules with keywords that brokerfuzz does not know are not goals. Only changed contracts have such keywords."""
    known = contract.rules_by_id
    yield from (of_rule(known[broken.rule]) for broken in case.verdict.broken if broken.rule in known)
    yield from (of_rule(known[fault.rule], fault.technique) for fault in case.faults if fault.rule in known)


def _of_message(known: States, schema: Schema, path: str, value: Any, strength: int) -> Iterator[Goal]:
    for edge in known.edges.of(path, value):
        yield Goal("edge", path, edge)
    if isinstance(value, dict):
        props = schema.get("properties", {})
        if len(props) > 1:
            held = known.of(path, value)
            yield from (_met(path, some) for some in combinations(held, min(strength, len(held))))
        for name, prop in props.items():
            there = join(path, name)
            if name in value:
                yield from _of_message(known, prop, there, value[name], strength)
            else:
                yield Goal("edge", there, "absent")
    elif isinstance(value, list):
        for item in value:
            yield from _of_message(known, schema.get("items", {}), path + "[]", item, strength)
