"""Defines goals: the things that a case can cover."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.states import States, states
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Ambiguity, Contract, MessageType, Rule
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join


class Goal(NamedTuple):
    """Something that a case can cover: a broken rule, a technique, an edge, an ambiguity, or a pair of states.

    `kind` is `rule`, `technique`, `edge`, `ambiguity` or `pair`. A pair consists of the states of two properties of an
    object, and `site` is the site of this object. For any other goal, `site` is the site of the rule, edge or
    ambiguity. `name` identifies the goal at this site: for example, `minimum` (a rule), `minimum one-below` (a
    technique), `zero` (an edge), `cron-syntax` (an ambiguity), or `hint:null label:edge` (a pair).
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


def covered(case: Case, contract: Contract) -> set[Goal]:
    """Returns the goals that a case covers.

    An invalid case covers the rules that it breaks, and the techniques of its `faults`. An unspecified case covers the
    ambiguities that it touches. A valid case covers its edges and, in each object, each pair of property states.
    """
    if case.label == "invalid":
        return set(_of_broken(case, contract))
    if case.label == "unspecified":
        return {Goal("ambiguity", site_of(touch.at), touch.ambiguity) for touch in case.verdict.ambiguities}
    return goals_of_message(contract, case.message_type, case.value)


def goals_of_message(contract: Contract, message_type: MessageType, message: Any, *, pairs: bool = True) -> set[Goal]:
    """Returns the edges of a valid message and, with `pairs`, its pairs of states."""
    found = set(_edges_below(states(contract, message_type), contract.flat[message_type], "", message))
    if pairs:
        known = StatePairs(contract, message_type)
        found.update(known.goal(pair) for pair in known.of(message))
    return found


Pair = tuple[int, int]


class StatePairs:
    """The pairs of states in valid messages. Each state has a number, because there are millions of pairs."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._known, self._schema = states(contract, message_type), contract.flat[message_type]
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._states: list[tuple[str, str, str]] = []

    def of(self, message: Any) -> set[Pair]:
        found: set[Pair] = set()
        for path, properties in _states_below(self._known, self._schema, "", message):
            found.update(combinations([self._number((path, name, state)) for name, state in properties], 2))
        return found

    def _number(self, state: tuple[str, str, str]) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def goal(self, pair: Pair) -> Goal:
        (path, one, state), (_, other, other_state) = self._states[pair[0]], self._states[pair[1]]
        return Goal("pair", path, f"{one}:{state} {other}:{other_state}")


def _states_below(known: States, schema: Schema, path: str, value: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    if isinstance(value, dict):
        props = schema.get("properties", {})
        if len(props) > 1:
            yield path, known.of(path, value)
        for name, prop in value.items():
            if isinstance(prop, dict | list):
                yield from _states_below(known, props.get(name, {}), join(path, name), prop)
    elif isinstance(value, list):
        for item in value:
            yield from _states_below(known, schema.get("items", {}), path + "[]", item)


def _of_broken(case: Case, contract: Contract) -> Iterator[Goal]:
    """Rules with keywords that brokerfuzz does not know are not goals. Only changed contracts have such keywords."""
    known = contract.rules_by_id
    yield from (of_rule(known[broken.rule]) for broken in case.verdict.broken if broken.rule in known)
    yield from (of_rule(known[fault.rule], fault.technique) for fault in case.faults if fault.rule in known)


def _edges_below(known: States, schema: Schema, path: str, value: Any) -> Iterator[Goal]:
    for edge in known.edges.of(path, value):
        yield Goal("edge", path, edge)
    if isinstance(value, dict):
        for name, prop in schema.get("properties", {}).items():
            there = join(path, name)
            if name in value:
                yield from _edges_below(known, prop, there, value[name])
            else:
                yield Goal("edge", there, "absent")
    elif isinstance(value, list):
        for item in value:
            yield from _edges_below(known, schema.get("items", {}), path + "[]", item)
