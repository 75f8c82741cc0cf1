"""Rules that are not checked while another member is in some state, and proper messages that are refused while two members are."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from benchmarks.fleet.behaviours import Matches, forgets_the_clock, forgives, refuses
from benchmarks.fleet.dropped import lacks
from benchmarks.fleet.ground import CLOCK_RULE, Ground, written
from benchmarks.fleet.messages import Behaviour, Message
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.places import ABSENT, lacking, put, somewhere
from brokerfuzz.schemas import Rule, Site
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.sites import JSON_RULE

UNCHECKED = 60
REFUSED = 60
OF_TYPES = 20
_STRIDE = 37  # prime to the numbers of states: neighbours in the selection have little in common


class State(NamedTuple):
    """A state of one member of the root: in words, as a schema of messages, and a value that is in it."""

    words: str
    member: str
    schema: Schema
    value: Any


def candidates(ground: Ground) -> Iterator[Candidate]:
    """A varied choice of both."""
    states = list(_states(ground))
    yield from _unchecked(ground, states)
    yield from _conditions_off(ground, states)
    yield from _refused(states, ground)


def _states(ground: Ground) -> Iterator[State]:
    """The states of the root's members, member by member."""
    for site in ground.sites.values():
        if site.name and "." not in site.path and "[]" not in site.path:
            yield from _states_of(ground, site)


def _states_of(ground: Ground, site: Site) -> Iterator[State]:
    def state(words: str, trigger: Schema, value: Any) -> State:
        return State(f"{site.path} is {words}", site.path, somewhere(site.path, trigger), value)

    if not site.required:
        yield State(f"{site.path} is absent", site.path, lacking(site.path), ABSENT)
    if "null" in types_of(site.schema):
        yield state("null", {"type": "null"}, None)
    if "enum" in site.schema:
        yield from (state(repr(value), {"const": value}, value) for value in site.schema["enum"])
    elif "boolean" in types_of(site.schema):
        yield from (state(str(value).lower(), {"const": value}, value) for value in (True, False))
    elif not site.required:
        yield state("given", {"not": {"type": "null"}}, ground.plain(site.schema, site.path, 0))
    if "array" in types_of(site.schema):
        yield state("an empty array", {"type": "array", "maxItems": 0}, [])


def _chosen(pairs: list[Any], count: int) -> list[Any]:
    """So many of the pairs, far from each other."""
    return [pairs[number * _STRIDE * 3 % len(pairs)] for number in range(min(count, len(pairs)))]


def _unchecked(ground: Ground, states: list[State]) -> Iterator[Candidate]:
    rules = [rule for rule in ground.rules if rule.keyword != JSON_RULE and rule.condition is None and not _is_plain_type(rule)]
    pairs = [(rule, state) for state, rule in product(states, rules) if not rule.site.startswith(state.member)]
    for rule, state in _chosen(pairs, UNCHECKED):
        yield _candidate(ground, rule, state, _forgetting_while(ground, rule, state))


def _forgetting_while(ground: Ground, rule: Rule, state: State) -> Behaviour:
    if rule.keyword == CLOCK_RULE:
        return forgets_the_clock(partial(_is_in, Matches(state.schema)))
    return forgives(rule.site, {"allOf": [state.schema, lacks(ground.schema, rule)]})


def _is_in(matches: Matches, message: Message) -> bool:
    return matches(message.value)


def _is_plain_type(rule: Rule) -> bool:
    """Types are checked by parsers, which know of no other member."""
    return rule.keyword == "type"


def _conditions_off(ground: Ground, states: list[State]) -> Iterator[Candidate]:
    """Conditional rules, off while a flag is in a state."""
    rules = [rule for rule in ground.rules if rule.condition is not None]
    flags = [state for state in states if "boolean" in types_of(ground.sites[state.member].schema)]
    for number, state in enumerate(flags):
        rule = rules[number % len(rules)] if rules else None
        if rule is not None:
            yield _candidate(ground, rule, state, _forgetting_while(ground, rule, state))


def _candidate(ground: Ground, rule: Rule, state: State, behaviour: Any) -> Candidate:
    bodies = [written(put(put(m, rule.site, ground.breach(rule)), state.member, state.value)) for m in ground.messages]
    where = f"{rule.site or 'the root'}:{rule.id.partition(':')[2]} while {state.words}"
    return Candidate("interaction", "does not check", where, rule.site, rule.id, behaviour, bodies)


def _refused(states: list[State], ground: Ground) -> Iterator[Candidate]:
    pairs = [(one, other) for n, one in enumerate(states) for other in states[n + 1 :] if one.member != other.member]
    types = [pair for pair in pairs if any("enum" in ground.sites[state.member].schema for state in pair)]
    for one, other in [*_chosen(pairs, REFUSED), *_chosen(types, OF_TYPES)]:
        bodies = [written(put(put(m, one.member, one.value), other.member, other.value)) for m in ground.messages]
        valid = [body for body in bodies if ground.reader(body).label == "valid"]
        where = f"where {one.words} and {other.words}"
        yield Candidate("interaction", "refuses messages", where, one.member, None, refuses({"allOf": [one.schema, other.schema]}), valid)
