"""Combines the states of any two properties of an object, or of an object and one around it: absent, null, with the
plainest value, or with any value. Each value of a boolean or an enumeration is a state, and so are the sizes of arrays.
Some programs fail only if two properties have certain states.

The states of a message are chosen one after the other, each so that it gives most new pairs with those before it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.case_tags import PAIRS
from brokerfuzz.generation import PropertyState, RandomSource, SiteChoices, node_of
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.flattening import types_of

_SEED, _IN_VAIN = 5, 10
"""The seed of the messages, which end after this number of messages in a row without a new pair."""
_MOST = 200
"""The maximum number of messages."""
_MOST_VALUES = 20
"""Of a longer enumeration, the first values are chosen."""
_SIZES = (0, 1, 3)
"""The sizes of arrays."""

_Option = tuple[PropertyState, Any]
"""A state, and the value of a boolean or an enumeration, or the size of an array."""


@cache
def cases_with_pairs(contract: Contract, message_type: MessageType) -> Mapping[Case, int]:
    """Returns valid cases, and how many pairs of states each has that the cases before it do not have."""
    cases: dict[Case, int] = {}
    source = _PairSource(contract.sites[message_type])
    node = node_of(contract, message_type)
    in_vain = 0
    while in_vain < _IN_VAIN and len(cases) < _MOST:
        source.begin()
        body = compact(node.draw(source))
        case = Case.judged(message_type, body, tags=(PAIRS,), contract=contract)
        if case.label == "valid" and source.new_pairs:
            cases[case] = source.new_pairs
            in_vain = 0
        else:
            in_vain += 1
    return cases


class _PairSource(RandomSource):
    """Chooses the states of properties so that messages have many new pairs, and everything else at random."""

    def __init__(self, sites: Mapping[str, Site]) -> None:
        super().__init__(_SEED)
        self._sites = sites
        self._partners: defaultdict[str, set[str]] = defaultdict(set)
        """Maps each state to those with which it has occurred, and that are chosen before it."""
        self._occurrences: Counter[str] = Counter()
        self._options: dict[SiteChoices, Mapping[str, _Option]] = {}
        self.begin()

    def begin(self) -> None:
        """Begins a message."""
        self.new_pairs = 0
        self._latest: dict[str, dict[str, str]] = {}
        """Maps the site of each object to the states of the properties of the latest object there, and of those around
        it.
        """
        self._value: Any = None

    def state(self, choices: SiteChoices, /) -> PropertyState:
        site = self._sites.get(choices.path)
        if site is None or site.parent is None:
            state: PropertyState = self.choose(tuple(dict.fromkeys(choices.states)))
            return state
        if choices not in self._options:
            self._options[choices] = _options(choices)
        options = self._options[choices]
        states = self._states_around(site, site.parent)
        before = set(states.values())
        best = max(options, key=lambda name: self._rank(name, before))
        self.new_pairs += len(before - self._partners[best])
        self._partners[best] |= before
        self._occurrences[best] += 1
        states[site.path] = best
        state, self._value = options[best]
        return state

    def _states_around(self, site: Site, parent: Site) -> dict[str, str]:
        """Returns the states of the properties before this one, in its object and those around it. If the property has
        a state, another object begins.
        """
        states = self._latest.get(parent.path)
        if states is None or site.path in states:
            around = (self._latest[outer.path] for outer in reversed(parent.around) if outer.path in self._latest)
            states = self._latest[parent.path] = dict(next(around, {}))
        return states

    def _rank(self, name: str, before: set[str]) -> tuple[int, int]:
        """The state with most new pairs is the best one, and of these the rarest."""
        return len(before - self._partners[name]), -self._occurrences[name]

    def choose(self, options: Sequence[Any], /) -> Any:
        """Chooses the value that belongs to the state, if there is one, and otherwise at random."""
        value, self._value = self._value, None
        return super().choose(options) if value is None or value not in options else value

    def plain(self, choices: SiteChoices, /) -> Any:
        value = choices.realistic[0] if choices.realistic else choices.plain
        return self.identifier(value) if choices.is_identifier else value

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        return range(min(max(self.choose(_SIZES), low), high))


def _options(choices: SiteChoices) -> Mapping[str, _Option]:
    """Maps the names of the states of a property to the states."""
    values = _values(choices)
    options: dict[str, _Option] = {}
    for state in choices.states:
        if not values or state in ("absent", "null"):
            options[f"{choices.path} {state}"] = state, None
    for value in values[:_MOST_VALUES]:
        options[f"{choices.path} {value!r}"] = "drawn", value
    return options


def _values(choices: SiteChoices) -> Sequence[Any]:
    """Returns the values of a boolean or an enumeration, or the sizes of an array."""
    types = types_of(choices.schema) - {"null"}
    if types == {"array"}:
        return _SIZES
    return choices.edges if "enum" in choices.schema or types == {"boolean"} else ()
