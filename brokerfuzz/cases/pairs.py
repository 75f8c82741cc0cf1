"""Generates valid messages that contain every pair of states of any two properties of an object. A state is absent, null, plain
or at an edge.

With a higher strength, the messages contain every combination of three or more states. A program that checks each property
correctly may still fail on a combination: for example, a price without a quantity.

A covering array (Kuhn, Kacker and Lei: Introduction to Combinatorial Testing, 2013) is a small table whose rows contain all pairs.
brokerfuzz creates such a table for the object at each site. A row contains a state for each property of this object. For each
nesting depth, brokerfuzz generates messages in which every object at this depth has the states of a row of its table. If possible,
all other objects in the message also have the states of a row of their table.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import combinations, cycle, islice, product
from math import prod
from typing import Any

from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.covering.edges import SIZES
from brokerfuzz.cases.covering.states import States, StatesOf, states
from brokerfuzz.cases.message_builder import ABSENT, PLAIN, Choose, MessagePlan, build, schema_requiring
from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site
from brokerfuzz.errors import BrokerfuzzError, StrengthError, needs_extra
from brokerfuzz.schemas import Contract, MessageType, check
from brokerfuzz.schemas.flattening import conditions_of, types_of
from brokerfuzz.schemas.sites import join

STRENGTHS = (1, 2, 3, 4)
MOST_COMBINATIONS = 1_000_000
"""The maximum number of combinations for one object. Generating so many combinations takes about a minute. Objects with more
combinations get a lower strength.
"""

Row = Mapping[str, str]
"""Maps the name of each property of an object to the property's state."""
_STEPS = (1, 3, 7, 9, 11, 13, 17, 19, 21, 23)
"""In message `number` for a depth, objects at this depth have the row `number` of their table. Other objects have the row `number *
step`, with different steps, so that different rows occur together.
"""
Combination = frozenset[tuple[str, str]]
"""Names of properties of an object, each with a state."""
MOST_TRIED = 64
"""The maximum number of short messages that `message_with` tries."""
MOST_TRIED_WHOLE = 4
"""The maximum number of complete messages that `message_with` tries after the short ones. Complete messages are slow to build."""


@dataclass(frozen=True)
class PairMaker:
    """Generates the messages that contain all combinations of states. `strength` is 2 for pairs, 3 for triples, and so on."""

    contract: Contract
    message_type: MessageType
    now: datetime
    strength: int = 2

    def every(self) -> Iterator[Case]:
        """Yields messages for the root object, then for nested objects, and finally for combinations that no earlier message
        contains.
        """
        known = states(self.contract, self.message_type)
        strengths = {path: strength_at(known, path, self.strength) for path in known.objects}
        left = {path: possible(self.contract, self.message_type, path, strength) for path, strength in strengths.items()}
        for case in self._rows(known, strengths):
            _remove_occurring(known, case.value, left)
            yield case
        for path, combinations_left in left.items():
            while combinations_left:
                first = min(combinations_left, key=sorted)
                combinations_left.discard(first)
                if found := self._with(known, path, first):
                    _remove_occurring(known, found.value, left)
                    yield found

    def _rows(self, known: States, strengths: Mapping[str, int]) -> Iterator[Case]:
        arrays = {path: rows(self.contract, self.message_type, path, strength) for path, strength in strengths.items()}
        for depth in sorted({_depth(path) for path in known.objects}):
            at_depth = {path: array for path, array in arrays.items() if _depth(path) == depth}
            others = {path: array for path, array in arrays.items() if _depth(path) != depth}
            for number in range(max(map(len, at_depth.values()))):
                wanted = {path: array[number % len(array)] for path, array in at_depth.items()}
                other_rows = {path: array[(number * step) % len(array)] for step, (path, array) in zip(cycle(_STEPS), others.items(), strict=False)}
                messages = (_message(known, wanted, number, some) for some in (other_rows, {}))
                message = next(filter(self._is_valid, messages), None)  # a condition may forbid these rows in the same message
                if message is not None:
                    yield self._case(message, f"{depth}-{number}")

    def _is_valid(self, message: Any) -> bool:
        return check(self.message_type, compact(message), now=self.now, contract=self.contract).label == "valid"

    def _with(self, known: States, path: str, some: Combination) -> Case | None:
        message = message_with(known, path, dict(some))
        spelled = "+".join(f"{join(path, name)}:{state}" for name, state in sorted(some))
        return self._case(message, spelled) if message is not None else None

    def _case(self, message: Any, name: str) -> Case:
        body, tags = compact(message), (f"pairs:{name}",)
        return Case.judged(self.message_type, body, claim="valid", tags=tags, now=self.now, contract=self.contract)


def _remove_occurring(known: States, message: Any, left: Mapping[str, set[Combination]]) -> None:
    for path, some in left.items():
        if some:
            size = len(next(iter(some)))
            for steps in places(message, path):
                held = value_at(message, steps)
                if isinstance(held, dict):
                    some.difference_update(map(frozenset, combinations(known.of(path, held), size)))


def _is_above(path: str, site: str) -> bool:
    return site.startswith((f"{path}.", f"{path}[]")) or path == site


def _depth(path: str) -> int:
    return path.count(".") + path.count("[]")


def _message(known: States, chosen: Mapping[str, Row], number: int, other_rows: Mapping[str, Row] | None = None, *, full: bool = True) -> Any:
    """Returns a message. `chosen` maps the site of an object to the states that its properties have in the message.

    If possible, the properties of other objects have the states in `other_rows`. For each property in the state `edge`, `number`
    selects one of the unusual values.
    """
    wished = {join(path, name): state for path, row in {**(other_rows or {}), **chosen}.items() for name, state in row.items()}
    wished = {path: state for path, state in wished.items() if not any(_is_above(path, site) for site in chosen)}
    sizes = {
        path: _size(known, path) if state == "edge" else 1
        for path, state in wished.items()
        if _is(known, path, "array") and state in ("edge", "plain")
    }
    there = {path: [name for name, state in row.items() if state != "absent"] for path, row in chosen.items()}
    narrowed = [schema_requiring(path, {"type": "object", "required": names}) for path, names in there.items() if path or not full]
    plan = MessagePlan(full=full, sizes=sizes, choose=_wishes(known, wished, number)).narrow(*narrowed)
    return build(known.contract, known.message_type, plan)


def _wishes(known: States, wished: Mapping[str, str], number: int) -> Choose:
    def choose(path: str, schema: Any) -> Any:
        state = wished.get(path)
        if state is None:
            above = path.rpartition(".")[0]
            bare = wished.get(above) == "edge" and known.sites[path].name and not known.sites[path].required
            return ABSENT if bare else PLAIN
        if state in ("absent", "null"):
            return ABSENT if state == "absent" else None
        if state in ("true", "false"):
            return state == "true"
        if state.startswith("="):
            return next(value for value in schema["enum"] if f"={value}" == state)
        if state == "plain" or _is(known, path, "array", "object"):
            return PLAIN
        return known.beyond(path)[number % len(known.beyond(path))]

    return choose


def _is(known: States, path: str, *names: str) -> bool:
    return bool(types_of(known.sites[path].schema) & set(names))


def _size(known: States, path: str) -> int:
    """Returns the number of items for an array in the state `edge`: zero if the schema allows an empty array, otherwise many."""
    schema = known.sites[path].schema
    fitting = [size for size in SIZES if schema.get("minItems", 0) <= size <= schema.get("maxItems", size)]
    return next(size for size in fitting if known.state(path, [None] * size) == "edge")


# -------------------------------------------------------------------------------------------------- covering arrays


@lru_cache(maxsize=256)
def rows(contract: Contract, message_type: MessageType, path: str, strength: int) -> Sequence[Row]:
    """Returns rows that together contain every possible combination of `strength` states of the object at the site `path`."""
    try:
        from covertable import make
        from covertable.criteria import simple
    except ImportError as problem:
        raise BrokerfuzzError(needs_extra("a catalogue of a changed contract or of another --strength", problem)) from problem

    factors = states(contract, message_type).at(path)
    excluded = set(impossible(contract, message_type, path))
    made = make([list(states) for states in factors.values()], strength=min(strength, len(factors)), criterion=simple)
    mended = [_mended(dict(zip(factors, row, strict=True)), factors, excluded) for row in made]
    return [*mended, *_rest(mended, factors, excluded, strength)]


def _mended(row: dict[str, str], factors: StatesOf, excluded: Collection[Combination]) -> Row:
    """Changes states in the row so that, if possible, the row contains no pair in `excluded`."""
    tied = {name for pair in excluded for name, _ in pair}
    before = list[tuple[str, str]]()
    for name in [name for name in factors if name in tied]:
        fitting = [state for state in (row[name], *factors[name]) if not any(frozenset((one, (name, state))) in excluded for one in before)]
        row[name] = fitting[0] if fitting else row[name]
        before.append((name, row[name]))
    return row


def _rest(made: Sequence[Row], factors: StatesOf, excluded: Collection[Combination], strength: int) -> Iterator[Row]:
    """Yields rows for all possible combinations that no row in `made` contains."""
    held = {some for row in made for some in combinations(row.items(), strength)}
    lost = [some for names in combinations(factors, strength) for some in _all(names, factors) if some not in held and not _clash(some, excluded)]
    while lost:
        row: dict[str, str] = {}
        for some in lost:
            joined = {**dict(some), **row}
            if all(joined[name] == state for name, state in some) and not _clash(joined.items(), excluded):
                row = joined
        left = [some for some in lost if not set(some) <= set(row.items())]
        yield _filled(row, factors, excluded)
        lost = left


def _filled(row: Row, factors: StatesOf, excluded: Collection[Combination]) -> Row:
    """Adds a state for each property that the row does not contain. If possible, these states form no pair in `excluded`."""
    whole = dict(row)
    for name in factors:
        if name not in whole:
            in_turn = sorted(factors[name], key=lambda state: state != "plain")
            whole[name] = next((state for state in in_turn if not _clash({**whole, name: state}.items(), excluded)), in_turn[0])
    return {name: whole[name] for name in factors}


def _all(names: Sequence[str], factors: StatesOf) -> Iterator[tuple[tuple[str, str], ...]]:
    return product(*([(name, state) for state in factors[name]] for name in names))


def _clash(some: Iterable[tuple[str, str]], excluded: Collection[Combination]) -> bool:
    return any(frozenset(pair) in excluded for pair in combinations(some, 2))


def check_strength(known: States, path: str, strength: int) -> None:
    """Raises `StrengthError` if the strength is not a valid number, or if an object has too many combinations."""
    if strength_at(known, path, strength) < strength:
        where = path or f"the {known.message_type.replace('-', ' ')} itself"
        number = combinations_of(known.at(path), strength)
        raise StrengthError(
            f"{where} has {number:,} combinations of {strength} states, but at most {MOST_COMBINATIONS:,} are supported: use a lower --strength"
        )


def strength_at(known: States, path: str, strength: int) -> int:
    """Returns the strength to use for an object: the requested strength, or a lower one if there are too many combinations.

    Raises `StrengthError` if the requested strength is not a valid number.
    """
    if strength not in STRENGTHS:
        raise StrengthError(f"{strength} is not a valid strength: use a number from {STRENGTHS[0]} to {STRENGTHS[-1]}")
    return max(lower for lower in STRENGTHS if lower <= strength and (lower == 1 or combinations_of(known.at(path), lower) <= MOST_COMBINATIONS))


def combinations_of(factors: StatesOf, strength: int) -> int:
    sizes = [len(states) for states in factors.values()]
    return sum(prod(some) for some in combinations(sizes, min(strength, len(sizes))))


def possible(contract: Contract, message_type: MessageType, path: str, strength: int) -> set[Combination]:
    """Returns every combination of states that an object can have in a valid message."""
    factors = states(contract, message_type).at(path)
    excluded = impossible(contract, message_type, path)
    every = (frozenset(some) for names in combinations(factors, min(strength, len(factors))) for some in _all(names, factors))
    return {some for some in every if not any(pair <= some for pair in excluded)}


@lru_cache(maxsize=256)
def impossible(contract: Contract, message_type: MessageType, path: str) -> Sequence[Combination]:
    """Returns the pairs of states for which `message_with` finds no valid message. Checks only properties that occur in a
    condition or an ambiguity, because all other pairs are possible.
    """
    known = states(contract, message_type)
    factors = known.at(path)
    bound = [name for name in factors if name in _bound(contract, message_type, path)]
    pairs = (some for names in combinations(bound, 2) for some in _all(names, factors))
    return [frozenset(pair) for pair in pairs if message_with(known, path, dict(pair)) is None]


def message_with(known: States, path: str, row: Row) -> Any | None:
    """Searches for a valid message in which the properties of the object at the site `path` have the states in `row`. Returns
    None if the search finds no such message.
    """
    bound = _bound(known.contract, known.message_type, path) - set(row)
    others = {
        name: [state for state in ("plain", "absent", "null") if state in states] or states
        for name, states in known.at(path).items()
        if name in bound
    }
    fillings = [dict(zip(others, tried, strict=True)) for tried in islice(product(*others.values()), MOST_TRIED)]
    for full, some in ((False, fillings), (True, fillings[:MOST_TRIED_WHOLE])):
        for filling in some:
            message = _message(known, {path: {**filling, **row}}, 0, full=full)
            there = places(message, path)
            held = value_at(message, there[0]) if there else None
            if (
                isinstance(held, dict)
                and set(row.items()) <= set(known.of(path, held))
                and check(known.message_type, compact(message), contract=known.contract).label == "valid"
            ):
                return message
    return None


def _bound(contract: Contract, message_type: MessageType, path: str) -> set[str]:
    """Returns the properties that occur in a condition or an ambiguity. An ambiguity without property names concerns the whole
    object, so this function returns all properties.
    """
    props = contract.sites[message_type][path].schema["properties"]
    names: set[str] = set()
    for there, asked in ambiguities_by_site(contract, message_type).items():
        if there == path:
            names |= {name for _, own in asked for name in own or props}
        elif there and path.startswith(there) and any(not own for _, own in asked):
            names |= set(props)
    for condition in conditions_of(contract.sites[message_type][path].schema):
        for part in condition.values():
            names |= {*part.get("properties", {}), *part.get("required", ())}
    return names & set(props)
