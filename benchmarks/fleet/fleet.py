"""Derives the mutants from the contract: each is a mistake at a rule or at a site."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import combinations, islice, product
from typing import Any, NamedTuple

import jsonschema_rs

from benchmarks.fleet import parsers
from benchmarks.fleet.messages import (
    ABSENT,
    UNREADABLE,
    Answer,
    Break,
    Candidate,
    Family,
    Message,
    Mutant,
    forgiving,
    steps_of,
)
from benchmarks.fleet.plain_messages import Ground, is_within, put, written
from benchmarks.fleet.values import (
    FALSE,
    NO_ITEMS,
    NOTHING,
    NULL,
    TRUE,
    Values,
    future,
    given,
    only,
    unknown_properties,
    values_at,
)
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas import Condition, Contract, Rule, load_contract
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.rule import JSON_RULE, short_id

STEPS: dict[Family, int] = {"loosened": 5, "coerced": 9, "tightened": 12, "crashing": 45, "misplaced": 6}
"""The step between the sites at which the fleet has a mistake, for each family: 5 means every fifth site. A mutant with
the mistake at all sites is always in the fleet.
"""
INTERACTIONS = 50
"""The number of mutants of each kind of interaction."""
STRIDE = 101
"""Neighbours in a list of interactions are similar, so those in the fleet are far apart."""

Where = dict[str, Values]
"""Maps sites to kinds of values."""
Breaches = dict[Rule, tuple[str, Any]]
"""Maps each rule to a site and a value that breaks only this rule there."""


def fleet(now: datetime, contract: Contract | None = None) -> list[Mutant]:
    """Returns the mutants of a contract. Each of them gives a wrong answer to some message."""
    ground = Ground(contract or load_contract(), now)
    mistakes, breaches = _mistakes(ground)
    mutants = (
        *_proven(ground, _dropped(ground, breaches)),
        *_with_values(mistakes),
        *_proven(ground, _partly_checked(ground, breaches)),
        *_interactions(ground, breaches),
        *_proven(ground, parsers.candidates()),
    )
    return list({mutant.name: mutant for mutant in mutants}.values())


def _proven(ground: Ground, candidates: Iterable[Candidate]) -> Iterator[Mutant]:
    """Yields the candidates that have a bug."""
    for mutant, bodies in candidates:
        if mutant.first_kill(map(ground.reader, bodies)) is not None:
            yield mutant


# ------------------------------------------------------------------------------------- wrong answers to kinds of values


def _mistakes(ground: Ground) -> tuple[dict[tuple[Family, Answer, str], Where], Breaches]:
    """Tries each kind of value at each site. Returns the sites at which a service can make each mistake."""
    mistakes: dict[tuple[Family, Answer, str], Where] = {}
    breaches: Breaches = {}
    for site, values in _kinds(ground):
        for message in map(ground.reader, ground.bodies((site, values.example))):
            if message.label == "valid":
                families: tuple[tuple[Family, Answer], ...] = (("tightened", "rejected"), ("crashing", "crashed"))
            elif message.label == "invalid" and _with_only({site: values})(message):
                rule = message.breaks[0].rule
                breaches.setdefault(rule, (site, values.example))
                families = (("coerced" if rule.keyword == "type" else "loosened", "accepted"), ("crashing", "crashed"))
            else:
                continue
            for family, answer in families:
                mistakes.setdefault((family, answer, values.name), {})[site] = values
    return mistakes, breaches


def _kinds(ground: Ground) -> Iterator[tuple[str, Values]]:
    names = {site.name for site in ground.sites.values() if site.name}
    for path, site in ground.sites.items():
        form = ground.forms.get(path, "text")
        for values in values_at(site.schema, form, lambda count, path=path: ground.values(path, count)):  # type: ignore[misc]
            if site.name or values is not NOTHING:
                yield path, values
        if site.schema.get("additionalProperties") is False:
            for values in unknown_properties(list(site.schema["properties"]), names):
                yield path_below(path, "*"), values
    for rule in ground.rules:
        if rule.keyword == NOT_IN_FUTURE:
            yield from ((rule.site, values) for values in future(ground.now))


def _with_values(mistakes: dict[tuple[Family, Answer, str], Where]) -> Iterator[Mutant]:
    for number, ((family, answer, name), where) in enumerate(mistakes.items()):
        step = STEPS[family]
        for site in list(where)[number % min(step, len(where)) :: step]:
            yield _with_value(family, answer, f"{name} at {site or 'the root'}", {site: where[site]})
        if len(where) > 1:
            yield _with_value(family, answer, f"{name} anywhere", where)


def _with_value(family: Family, answer: Answer, name: str, where: Where) -> Mutant:
    verb = {"accepted": "accepts", "rejected": "rejects", "crashed": "crashes on"}[answer]
    return Mutant(family, f"{verb} {name}", answer, _with_only(where))


def _with_only(where: Where) -> Callable[[Message], bool]:
    """Tests if a message has such a value at one of the sites, and if nothing else is wrong with the message."""

    def test(message: Message) -> bool:
        if message.breaks:
            return all(one.site in where and where[one.site].has(one.value) for one in message.breaks)
        return any(values.has(value) for site, values in where.items() for value in message.values(site))

    return test


# ------------------------------------------------------------------------------------------------- rules without checks


def _dropped(ground: Ground, breaches: Breaches) -> Iterator[Candidate]:
    for rule in ground.rules:
        yield _unchecked(ground, breaches, f"does not check {short_id(rule.id)}", [rule])
    for condition in ground.conditions.values():
        rules = [rule for rule in ground.rules if rule.condition == condition]
        yield _unchecked(ground, breaches, f"does not check anything if {condition.label}", rules)
        for kept in rules:
            others = [rule for rule in rules if rule is not kept]
            yield _unchecked(ground, breaches, f"if {condition.label}, checks only {short_id(kept.id)}", others)
        tops = tuple({steps_of(rule.site)[0] for rule in rules})
        below = [rule for rule in ground.rules if rule.condition is None and is_within(rule.site, tops)]
        for rule in below:
            for words, met in (("if", False), ("unless", True)):
                name = f"checks {short_id(rule.id)} only {words} {condition.label}"
                yield _unchecked(ground, breaches, name, [rule], _is_met(condition, met))


def _is_met(condition: Condition, met: bool) -> Callable[[Message], bool]:
    holds = jsonschema_rs.validator_for(condition.when).is_valid
    return lambda message: (message.value is not UNREADABLE and holds(message.value)) is met


def _unchecked(
    ground: Ground,
    breaches: Breaches,
    name: str,
    rules: Sequence[Rule],
    when: Callable[[Message], object] = lambda _: True,
) -> Candidate:
    mutant = forgiving("dropped", name, lambda message, one: one.rule in rules and when(message))
    return mutant, [body for rule in rules for body in _breaking(ground, breaches, rule)]


def _breaking(ground: Ground, breaches: Breaches, rule: Rule) -> Iterable[bytes]:
    if rule.keyword == JSON_RULE:
        return [b'{"number": "A", ']
    return ground.bodies(breaches[rule]) if rule in breaches else []


PARTS: dict[str, Callable[[int, int], bool]] = {
    "the first item": lambda index, _: index >= 1,
    "the first ten items": lambda index, _: index >= 10,
    "the last item": lambda index, count: index < count - 1,
    "the items but the first": lambda index, _: index == 0,
    "the items but the last": lambda index, count: index == count - 1,
}
"""What a service checks of an array, and a function that returns true for the items that it does not check."""


def _partly_checked(ground: Ground, breaches: Breaches) -> Iterator[Candidate]:
    """Yields services that check a rule only for some items of an array."""
    arrays = [
        (rule, rule.site[:end]) for rule in breaches for end in range(len(rule.site)) if rule.site.startswith("[]", end)
    ]
    for number, (words, unchecked) in enumerate(PARTS.items()):
        for rule, path in arrays[number :: STEPS["misplaced"]]:
            name = f"checks {short_id(rule.id)} only for {words} of {path}"
            mutant = forgiving("misplaced", name, _is_at(rule, len(steps_of(path)), unchecked))
            yield mutant, _with_items(ground, path, *breaches[rule])


def _is_at(rule: Rule, depth: int, unchecked: Callable[[int, int], bool]) -> Callable[[Message, Break], bool]:
    def test(message: Message, one: Break) -> bool:
        items, index = message.item(one.steps[:depth]), one.steps[depth : depth + 1]
        return one.rule is rule and isinstance(items, list) and unchecked(int(*index), len(items))

    return test


def _with_items(ground: Ground, path: str, site: str, value: Any) -> Iterator[bytes]:
    """Yields messages with at least three items in an array, of which only one has the value."""
    for message in ground.messages(site):
        for item in (0, 1, 2, 10):
            items = ground.items(path, max(item + 1, 3), site)
            yield written(put(put(message, steps_of(path), items), steps_of(site), value, item))


# ------------------------------------------------------------------------------------------ interactions of properties


class State(NamedTuple):
    """A property has one of these values. `above` is the site of the object that contains it."""

    site: str
    above: str
    name: str
    values: Values

    def __str__(self) -> str:
        return f"{self.site} is {self.values.name}"

    def holds(self, of: Any) -> object:
        return isinstance(of, dict) and self.values.has(of.get(self.name, ABSENT))


def _interactions(ground: Ground, breaches: Breaches) -> Iterator[Mutant]:
    """Yields services that do not check a rule while another property is in a certain state, and services that reject
    two states together.
    """
    states = list(_states(ground))
    top = [state for state in states if not state.above]
    below = [state for state in states if state.above]
    rules = [rule for rule in breaches if rule.keyword != "type" or rule.condition]
    for pairs in (
        [(state, rule) for state, rule in product(top, rules) if not is_within(rule.site, (state.site,))],
        [(state, rule) for state, rule in product(below, rules) if _is_beside(rule.site, state)],
    ):
        yield from _some(ground, pairs, lambda state, rule: _unchecked_while(ground, state, rule, *breaches[rule]))
    pairs_of_states = [pair for pair in combinations(states, 2) if not _overlap(*pair)]
    for chosen in (
        [pair for pair in pairs_of_states if not pair[0].above and not pair[1].above],
        [pair for pair in pairs_of_states if any("enum" in ground.sites[state.site].schema for state in pair)],
        [pair for pair in pairs_of_states if pair[0].above and pair[0].above == pair[1].above],
        [pair for pair in pairs_of_states if bool(pair[0].above) != bool(pair[1].above)],
    ):
        yield from _some(ground, chosen, lambda one, other: _rejected_together(ground, one, other))


def _some(ground: Ground, pairs: Sequence[tuple[Any, Any]], make: Callable[[Any, Any], Candidate]) -> Iterator[Mutant]:
    far_apart = dict.fromkeys(number * STRIDE % len(pairs) for number in range(len(pairs)))
    return islice(_proven(ground, (make(*pairs[number]) for number in far_apart)), INTERACTIONS)


def _states(ground: Ground) -> Iterator[State]:
    for path, site in ground.sites.items():
        types = types_of(site.schema)
        choices = [only(repr(value), value) for value in site.schema.get("enum", ())]
        for values, is_possible in (
            (NOTHING, not site.required),
            (NULL, "null" in types),
            (TRUE, "boolean" in types),
            (FALSE, "boolean" in types),
            (given(ground.plain(path)), not site.required and "boolean" not in types and not choices),
            (NO_ITEMS, "array" in types and not site.schema.get("minItems")),
            *((choice, True) for choice in choices),
        ):
            if is_possible and site.name:
                yield State(path, path.rpartition(".")[0], site.name, values)


def _is_beside(site: str, state: State) -> bool:
    return site.rpartition(".")[0] == state.above and site != state.site and not site.endswith("[]")


def _overlap(one: State, other: State) -> bool:
    return is_within(one.site, (other.site,)) or is_within(other.site, (one.site,))


def _unchecked_while(ground: Ground, state: State, rule: Rule, site: str, value: Any) -> Candidate:
    def excused(message: Message, one: Break) -> object:
        return one.rule is rule and state.holds(message.item(one.steps[:-1]) if state.above else message.value)

    mutant = forgiving("interaction", f"does not check {short_id(rule.id)} while {state}", excused)
    return mutant, ground.bodies((state.site, state.values.example), (site, value))


def _rejected_together(ground: Ground, one: State, other: State) -> Candidate:
    def is_rejected(message: Message) -> bool:
        if message.breaks:
            return False
        if one.above == other.above:
            return any(one.holds(item) and other.holds(item) for item in message.values(one.above))
        return all(any(map(state.holds, message.values(state.above))) for state in (one, other))

    mutant = Mutant("interaction", f"rejects messages if {one} and {other}", "rejected", is_rejected)
    return mutant, ground.bodies((one.site, one.values.example), (other.site, other.values.example))
