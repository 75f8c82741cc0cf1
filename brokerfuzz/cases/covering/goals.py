"""Goals: what there is to cover of a message type, and what a case covers of it."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.states import States, states
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas import Ambiguity, Contract, Rule
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.oracle import site_of
from brokerfuzz.schemas.sites import join


class Goal(NamedTuple):
    """Something to cover: a rule to be broken, a rule to be broken by a technique, an edge to be shown, an ambiguity to be touched, a pair of
    states to occur together.

    `kind` is `rule`, `technique`, `edge`, `ambiguity` or `pair`; `site` the place's path (for a pair: the object's). `name` says which:
    `minimum`, `minimum one-below`, `zero`, `cron-syntax`, `hint:null label:edge`.
    """

    kind: str
    site: str
    name: str


KINDS = ("rule", "technique", "edge", "ambiguity", "pair")


def of_rule(rule: Rule, technique: str | None = None) -> Goal:
    """The goal of breaking a rule, by a technique if one is named."""
    suffix = rule.id.rpartition(":")[2]
    return Goal("technique", rule.site, f"{suffix} {technique}") if technique else Goal("rule", rule.site, suffix)


def of_ambiguity(ambiguity: Ambiguity, site: str) -> Goal:
    """The goal of touching an ambiguity at a site."""
    return Goal("ambiguity", site, ambiguity.id)


def of_pair(path: str, some: Any) -> Goal:
    """The goal of a combination of states (property, state) in the object at a site."""
    return Goal("pair", path, " ".join(f"{name}:{state}" for name, state in some))


_met = lru_cache(maxsize=1 << 16)(of_pair)
"""The same, of pairs that ordinary messages have again and again."""


def covered(case: Case, contract: Contract, *, strength: int = 2) -> set[Goal]:
    """What a case covers.

    An invalid one: the rules that it breaks, and the technique, where it has one fault. An unspecified one: the ambiguities that it
    touches. A valid one: the edges of every place, and the states that occur together in its objects.
    """
    if case.label == "invalid":
        return set(_of_broken(case, contract))
    if case.label == "unspecified":
        return {Goal("ambiguity", _site(touch.at), touch.ambiguity) for touch in case.verdict.ambiguities}
    return set(_of_message(states(contract, case.message_type), contract.flat[case.message_type], "", case.value, strength))


def _of_broken(case: Case, contract: Contract) -> Iterator[Goal]:
    """Of what a changed contract's own keywords say, a verdict may name a rule that is none of the contract's: no goal."""
    known = contract.rules_by_id
    yield from (of_rule(known[broken.rule]) for broken in case.verdict.broken if broken.rule in known)
    yield from (of_rule(known[fault.rule], fault.technique) for fault in case.faults if fault.rule in known)


def _site(at: str) -> str:
    return site_of(tuple(int(step) if step.isdecimal() else step for step in steps_of(at)))


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
