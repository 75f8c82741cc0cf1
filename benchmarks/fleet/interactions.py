"""Mutants whose bug depends on the states of properties: for example, absent, null or false. Some mutants ignore a rule
while another property is in a certain state. Other mutants reject valid messages with a certain combination of two
states.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeVar

from benchmarks.fleet.behaviours import Matches, forgets_the_clock, forgives, rejects
from benchmarks.fleet.dropped_rules import lacks
from benchmarks.fleet.messages import Behaviour, Message
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.places import ABSENT, mended, put, schema_at, somewhere
from benchmarks.fleet.plain_messages import CLOCK_RULE, Ground, written
from brokerfuzz.schemas import Rule, Site
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.sites import JSON_RULE

UNCHECKED, UNCHECKED_BESIDE = 60, 40
REJECTED, REJECTED_WITH_A_TYPE, REJECTED_BELOW, REJECTED_ACROSS = 60, 20, 40, 40
"""The maximum number of mutants for each of the four kinds of state pairs in `_rejected_together`."""
_STRIDE = 101  # neighbours in a list of pairs are similar, so the chosen pairs are far apart

T = TypeVar("T")


class State(NamedTuple):
    """A state of the property at `site`: for example, null. `above` is the site of the object that contains the
    property. Objects match `schema` if their property is in this state.
    """

    words: str
    site: str
    above: str
    schema: Schema
    value: Any

    @property
    def of_message(self) -> Schema:
        """A message matches this schema if at least one object at `above` has the property in this state."""
        return somewhere(self.above, self.schema)


def candidates(ground: Ground) -> Iterator[Candidate]:
    states = [state for site in ground.sites.values() if site.name for state in _states_of(ground, site)]
    of_root, below = ([s for s in states if s.above == ""], [s for s in states if s.above != ""])
    yield from _unchecked(ground, of_root)
    yield from _unchecked_beside(ground, below)
    yield from _unchecked_conditional_rules(ground, of_root)
    yield from _rejected_together(ground, of_root, below)


def _states_of(ground: Ground, site: Site) -> Iterator[State]:
    above = site.path.rpartition(".")[0]
    types = types_of(site.schema)

    def state(words: str, trigger: Schema, value: Any) -> State:
        return State(f"{site.path} is {words}", site.path, above, somewhere(site.name, trigger), value)

    if not site.required:
        yield State(
            f"{site.path} is absent", site.path, above, {"type": "object", "not": {"required": [site.name]}}, ABSENT
        )
    if "null" in types:
        yield state("null", {"type": "null"}, None)
    if "enum" in site.schema:
        yield from (state(repr(value), {"const": value}, value) for value in site.schema["enum"])
    elif "boolean" in types:
        yield from (state(str(value).lower(), {"const": value}, value) for value in (True, False))
    elif not site.required:
        yield state("given", {"not": {"type": "null"}}, ground.plain(site.schema, site.path, 0))
    if "array" in types and not site.schema.get("minItems"):
        yield state("an empty array", {"type": "array", "maxItems": 0}, [])


def _chosen(found: Sequence[T], count: int) -> list[T]:
    """Returns `count` different items that are far apart in the list."""
    numbers = dict.fromkeys(number * _STRIDE % len(found) for number in range(count)) if found else {}
    return [found[number] for number in numbers]


# ------------------------------------------------------------------------------------------------ unchecked


def _unchecked(ground: Ground, states: Sequence[State]) -> Iterator[Candidate]:
    pairs = [(rule, state) for state, rule in product(states, _rules(ground)) if not rule.site.startswith(state.site)]
    for rule, state in _chosen(pairs, UNCHECKED):
        yield _forgetful(ground, rule, state, _forgetting_while(ground, rule, state))


def _rules(ground: Ground) -> list[Rule]:
    """Omits rules about types, because a parser checks types independently of other properties."""
    return [rule for rule in ground.rules if rule.keyword not in ("type", JSON_RULE) and rule.condition is None]


def _forgetting_while(ground: Ground, rule: Rule, state: State) -> Behaviour:
    if rule.keyword == CLOCK_RULE:
        return forgets_the_clock(partial(_is_in, Matches(state.of_message)))
    return forgives(rule.site, {"allOf": [state.of_message, lacks(ground.schema, rule)]})


def _is_in(matches: Matches, message: Message) -> bool:
    return matches(message.value)


def _unchecked_beside(ground: Ground, states: Sequence[State]) -> Iterator[Candidate]:
    """For each mutant, the rule and the state belong to different properties of the same object."""
    pairs = [
        (r, s) for s, r in product(states, _rules(ground)) if r.site.rpartition(".")[0] == s.above and r.site != s.site
    ]
    for rule, state in _chosen(pairs, UNCHECKED_BESIDE):
        loose = schema_at(lacks(ground.schema, rule), state.above)
        schema = mended(ground.schema, state.above, partial(_or_in_state, state.schema, loose))
        yield _forgetful(ground, rule, state, forgives(rule.site, schema))


def _or_in_state(state: Schema, loose: Schema, schema: Schema) -> Schema:
    return {"anyOf": [schema, {"allOf": [state, loose]}]}


def _unchecked_conditional_rules(ground: Ground, states: Sequence[State]) -> Iterator[Candidate]:
    rules = [rule for rule in ground.rules if rule.condition is not None]
    flags = [state for state in states if "boolean" in types_of(ground.sites[state.site].schema)]
    for number, state in enumerate(flags if rules else ()):
        rule = rules[number % len(rules)]
        yield _forgetful(ground, rule, state, _forgetting_while(ground, rule, state))


def _forgetful(ground: Ground, rule: Rule, state: State, behaviour: Behaviour) -> Candidate:
    bodies = [written(put(put(m, rule.site, ground.breach(rule)), state.site, state.value)) for m in ground.messages]
    where = f"{rule.site or 'the root'}:{rule.id.partition(':')[2]} while {state.words}"
    return Candidate("interaction", "does not check", where, rule.site, rule.id, behaviour, bodies)


# ------------------------------------------------------------------------------------------------ rejected


def _rejected_together(ground: Ground, of_root: Sequence[State], below: Sequence[State]) -> Iterator[Candidate]:
    pairs = list(_pairs(of_root))
    with_a_type = [pair for pair in pairs if any("enum" in ground.sites[state.site].schema for state in pair)]
    for one, other in (*_chosen(pairs, REJECTED), *_chosen(with_a_type, REJECTED_WITH_A_TYPE)):
        yield _rejecting(ground, one, other, {"allOf": [one.of_message, other.of_message]})
    for one, other in _chosen([pair for pair in _pairs(below) if pair[0].above == pair[1].above], REJECTED_BELOW):
        yield _rejecting(ground, one, other, somewhere(one.above, {"allOf": [one.schema, other.schema]}))
    for one, other in _chosen(
        [(a, b) for a, b in product(of_root, below) if not b.site.startswith(a.site)], REJECTED_ACROSS
    ):
        yield _rejecting(ground, one, other, {"allOf": [one.of_message, other.of_message]})


def _pairs(states: Sequence[State]) -> Iterator[tuple[State, State]]:
    return ((one, other) for n, one in enumerate(states) for other in states[n + 1 :] if one.site != other.site)


def _rejecting(ground: Ground, one: State, other: State, trigger: Schema) -> Candidate:
    bodies = [written(put(put(m, one.site, one.value), other.site, other.value)) for m in ground.messages]
    valid = [body for body in bodies if ground.reader(body).label == "valid"]
    seen = next((state.site for state in (one, other) if state.value is not ABSENT), one.site)
    return Candidate(
        "interaction", "rejects messages", f"if {one.words} and {other.words}", seen, None, rejects(trigger), valid
    )
