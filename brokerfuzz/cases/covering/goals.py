"""Goals: the things that the cases of a message type can cover. This module also lists the goals that one case covers."""

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
    """Something that a case can cover.

    There are five kinds: a broken rule, a rule broken with a technique, an edge (an unusual value that the contract permits), a
    touched ambiguity, and a pair of states (two properties of an object, each absent, null, plain or at an edge). `kind` is `rule`,
    `technique`, `edge`, `ambiguity` or `pair`. `site` is the path of the place. For a pair, it is the path of the object. `name`
    identifies the goal at this site: `minimum`, `minimum one-below`, `zero`, `cron-syntax`, `hint:null label:edge`.
    """

    kind: str
    site: str
    name: str


KINDS = ("rule", "technique", "edge", "ambiguity", "pair")


def of_rule(rule: Rule, technique: str | None = None) -> Goal:
    """Returns the goal of breaking a rule. If a technique is given, returns the goal of breaking the rule with this technique."""
    suffix = rule.id.rpartition(":")[2]
    return Goal("technique", rule.site, f"{suffix} {technique}") if technique else Goal("rule", rule.site, suffix)


def of_ambiguity(ambiguity: Ambiguity, site: str) -> Goal:
    """Returns the goal of touching an ambiguity at a site."""
    return Goal("ambiguity", site, ambiguity.id)


def of_pair(path: str, some: Any) -> Goal:
    """Returns the goal of a combination of (property, state) pairs in the object at a site."""
    return Goal("pair", path, " ".join(f"{name}:{state}" for name, state in some))


_met = lru_cache(maxsize=1 << 16)(of_pair)
"""Does the same as `of_pair`, but with a cache, because many messages contain the same pairs."""


def covered(case: Case, contract: Contract, *, strength: int = 2) -> set[Goal]:
    """Returns the goals that a case covers.

    An invalid case covers the rules that it breaks. If the case has only one fault, it also covers the technique of this fault. An
    unspecified case covers the ambiguities that it touches. A valid case covers the edges of all places, and the combinations of
    states in its objects.
    """
    if case.label == "invalid":
        return set(_of_broken(case, contract))
    if case.label == "unspecified":
        return {Goal("ambiguity", _site(touch.at), touch.ambiguity) for touch in case.verdict.ambiguities}
    return set(_of_message(states(contract, case.message_type), contract.flat[case.message_type], "", case.value, strength))


def _of_broken(case: Case, contract: Contract) -> Iterator[Goal]:
    """Yields the goals of the broken rules. Skips rules that the contract does not list. A verdict can name such a rule if a
    changed contract uses a keyword that brokerfuzz does not know.
    """
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
