"""The generator of messages: a tree with one node per site, built from the schema of a contract.

A node draws the value of its site. It asks a source (see `sources`) for each choice, and fulfils the wishes of the
source. If an object has conditions (`if`, `then`, `else`), its node first draws the properties in the conditions, and
then the others with the branch that applies. Finally, it repairs contradictions between the properties (see
`consistency`).
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.ambiguity_sites import ambiguities_by_site
from brokerfuzz.generation.choices import SiteChoices, State
from brokerfuzz.generation.condition_matching import matches
from brokerfuzz.generation.consistency import Repair, repairs, repetition
from brokerfuzz.generation.scalars import Draw, ValuePlace, Values, listed, may_be_null, realistic, scalar
from brokerfuzz.generation.sources import COMPLETE, FixedSource, Setting, Source, Wish, Wishes
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

ABSENT: Any = object()
"""What a node draws if its property is absent."""
_STATES = 16
"""The number of states from which a source chooses. A state that occurs several times is more probable."""
IDENTIFIERS = {"omsOfferId"}
"""The optional properties that identify a message, according to the contract (Offer creation request)."""
_MOSTLY = (True, True, True, False)
_NO_WISH = Wish(state=None)


@dataclass(frozen=True)
class Style:
    """`plausible` selects realistic values instead of unusual ones. `pinned` lists the sites whose values come from
    strategies of the user. `ambiguities` lists the IDs of the ambiguities that messages may touch.
    """

    plausible: bool = False
    pinned: frozenset[str] = frozenset()
    ambiguities: frozenset[str] = frozenset()


@dataclass(eq=False, slots=True, kw_only=True)
class Node(SiteChoices):
    """A site of a message type, and how its values are drawn. The values of a nested node are objects or arrays."""

    draw: Draw
    is_nested: bool = False

    def at(self, source: Source) -> Any:
        """Draws the value of the site, or `ABSENT`."""
        wish = source.wishes.get(self.site)
        if wish is None:
            state = source.state(self)
        elif wish.strategy is not None:
            return source.drawn(wish.strategy)
        elif wish.options:
            return deepcopy(source.choose(wish.options))
        else:
            state = wish.over(source.choose(self.often) if wish.often else source.state(self))
        if state == "absent":
            return ABSENT
        if state == "null":
            return None
        return self.draw(source) if state == "drawn" or self.is_nested else source.plain(self)


@lru_cache(maxsize=256)
def node_of(contract: Contract, message_type: MessageType, site: str = "", style: Style | None = None) -> Node:
    """Returns the node of a message type, or of a part of its messages at a site. The node's `draw` never gives null.

    Raises `ContractError` if the schema contradicts itself.
    """
    contract.check_described(message_type)
    if site not in contract.sites[message_type]:
        raise ContractError(
            f"the contract has no place {site!r} in {message_type}: use a strategy for another part of the message"
        )
    return _Builder(contract, message_type, style or Style()).node(contract.sites[message_type][site].schema, site)


def message(
    contract: Contract, message_type: MessageType, setting: Setting = COMPLETE, wishes: Wishes | None = None
) -> Any:
    """Returns the message that a setting describes, and that fulfils the wishes."""
    return node_of(contract, message_type).draw(FixedSource(setting, wishes))


@dataclass(frozen=True)
class _Builder:
    contract: Contract
    message_type: MessageType
    style: Style

    def node(self, schema: Schema, site: str, *, optional: bool = False) -> Node:
        place = ValuePlace(self.contract, self.message_type, site, self.style.plausible, self.style.ambiguities)
        types = flat.types_of(schema)
        draws = []
        if listed(schema, place) is None and site not in self.style.pinned:
            draws += [self._object(schema, site)] if "object" in types else []
            draws += [self._array(schema, site)] if "array" in types else []
        values = None if site in self.style.pinned else scalar(schema, place)
        node = Node(
            site, schema, optional, may_be_null(schema, place), draw=_first_of(draws, values), is_nested=bool(draws)
        )
        if values is not None:
            _describe(node, values, place)
        _set_states(node, possible=bool(draws or values) or site in self.style.pinned)
        return node

    # ------------------------------------------------------------------------------------------------------ arrays

    def _array(self, schema: Schema, site: str) -> Draw:
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", max(12, least + 3))
        if least > most:
            raise ContractError(
                f"{site} cannot contain at least {least} and at most {most} items: correct minItems or maxItems"
            )
        item = self.node(schema.get("items", {}), site + "[]")
        settle = self._settling(schema, site)
        others = () if item.is_nested else item.edges

        def draw(source: Source) -> list[Any]:
            wish, wishes, outer = source.wishes.get(site, _NO_WISH), source.wishes, source.item
            low = max(least, wish.least, 0 if wish.index is None else wish.index + 1)
            high = most if "maxItems" in schema else max(most, low)
            items = []
            for number in source.repeat(low, high if wish.most is None else min(high, wish.most), often=wish.often):
                source.item = number
                source.wishes = wishes if wish.index in (None, number) else source.pins
                items.append(item.at(source))
            source.wishes, source.item = wishes, outer
            drawn = items.copy()
            settle(items, source)
            if len(items) < low:  # the repairs have removed equal items; strategies of the user may draw no others
                items += [*(value for value in others if value not in items), *(drawn if source.pins else ())][
                    : low - len(items)
                ]
            return items

        return draw

    # ----------------------------------------------------------------------------------------------------- objects

    def _object(self, schema: Schema, site: str) -> Draw:
        conditions = flat.conditions_of(schema)
        base = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
        first = self._props(base, site)
        settle = self._settling(schema, site)
        deciding = [
            name for name in first if any(name in condition["if"].get("properties", {}) for condition in conditions)
        ]
        branches: dict[tuple[bool, ...], Mapping[str, Node]] = {}

        def branch(outcomes: tuple[bool, ...]) -> Mapping[str, Node]:
            if outcomes not in branches:
                parts = [
                    condition.get("then" if holds else "else", {})
                    for condition, holds in zip(conditions, outcomes, strict=True)
                ]
                branches[outcomes] = self._props(reduce(flat.conjoin, parts, base), site)
            return branches[outcomes]

        def draw(source: Source) -> dict[str, Any]:
            decided = {name: value for name in deciding if (value := first[name].at(source)) is not ABSENT}
            props = (
                branch(tuple(matches(condition["if"], decided) for condition in conditions)) if conditions else first
            )
            found = {}
            for name, node in props.items():
                value = decided.get(name, ABSENT) if name in deciding else node.at(source)
                if value is not ABSENT:
                    found[name] = value
            settle(found, source)
            return dict(reversed(found.items())) if source.backwards else found

        return draw

    def _props(self, schema: Schema, site: str) -> Mapping[str, Node]:
        required = schema.get("required", ())
        return {
            name: self.node(prop, join(site, name), optional=name not in required)
            for name, prop in schema.get("properties", {}).items()
        }

    # ----------------------------------------------------------------------------------------------------- repairs

    def _settling(self, schema: Schema, site: str) -> Callable[[Any, Source], None]:
        """Returns a function that repairs an object or array. If messages may touch an ambiguity, it repairs it only
        mostly, and otherwise repeats an item, if the ambiguity is about equal items.
        """
        asked = ambiguities_by_site(self.contract, self.message_type).get(site, ())
        open_ = {
            ambiguity.detector for ambiguity in self.contract.ambiguities if ambiguity.id in self.style.ambiguities
        }
        often = [ambiguity for ambiguity in asked if ambiguity[0] in open_]
        pinned = self.style.pinned
        always = repairs([ambiguity for ambiguity in asked if ambiguity not in often], site, schema, pinned)
        mostly: list[Repair] = repairs(often, site, schema, pinned) if often else []
        repeat = repetition(often, site, schema, pinned)

        def settle(value: Any, source: Source) -> None:
            for repair in always:
                repair(value)
            for repair in mostly:
                if source.choose(_MOSTLY):
                    repair(value)
                elif repeat and value:
                    repeat(value)

        return settle


def _first_of(draws: Sequence[Draw], values: Values | None) -> Draw:
    every = [*([values.draw] if values else []), *draws]
    if not every:
        return lambda source: ABSENT
    return every[0] if len(every) == 1 else lambda source: source.choose(every)(source)


def _describe(node: Node, values: Values, place: ValuePlace) -> None:
    types = flat.types_of(node.schema) - {"null"}
    is_flag = values.is_listed and ("enum" in node.schema or types == {"boolean"})
    node.plain, node.edges = values.edges[0], values.edges
    node.options = values.edges if "enum" in node.schema else ()
    node.is_free = not values.is_listed and place.notation is None and types <= {"string", "integer", "number"}
    node.realistic = (
        [value for value in (True,) if value in values.edges]
        if types == {"boolean"}
        else ()
        if is_flag or (values.is_listed and not place.notation)
        else realistic(node.schema, place, values.edges)
    )
    node.unusual = _unusual(node, types)
    node.is_identifier = node.is_free and place.path in IDENTIFIERS


def _unusual(node: Node, types: frozenset[str]) -> Any:
    if types == {"boolean"} and False in node.edges:
        return False
    if not node.is_free or {"maxLength", "multipleOf", "exclusiveMinimum"} & set(node.schema):
        return None
    if types == {"string"}:
        return " " * max(node.schema.get("minLength", 0), 1)
    return node.schema.get("minimum", -1)


def _set_states(node: Node, *, possible: bool) -> None:
    """Determines how often each state occurs. Properties of nested objects are more often present, because few of them
    are drawn.
    """
    if not possible and not node.optional and not node.nullable:
        raise ContractError(
            f"the schema of {node.site or 'the root'} contradicts itself, so it allows no value: correct this schema"
        )
    deep = "." in node.site or "[]" in node.site
    absent: list[State] = ["absent"] * ((4 if deep else 9) * node.optional)
    null: list[State] = ["null"] * ((4 if deep else 2) * node.nullable)
    plain: list[State] = ["plain"] * (2 * possible * (not node.is_nested))
    simple: list[State] = [*absent] if node.is_nested else [*absent, *plain, *null]
    rest: list[State] = null if node.is_nested else []
    once: list[State] = list(dict.fromkeys(simple))
    node.states = _padded(simple, rest, possible=possible)
    node.often = _padded(once, rest[:1], possible=possible)


def _padded(simple: list[State], rest: list[State], *, possible: bool) -> Sequence[State]:
    """Returns 16 states: usually, the value is drawn. An object or array is simpler than null, because nearly all
    messages have it.
    """
    every: list[State] = [*simple, *rest]
    usual: State = "drawn" if possible else every[-1]
    middle: list[State] = [usual for _ in range(_STATES - len(simple) - len(rest))]
    return [*simple, *middle, *rest]


@lru_cache(maxsize=4096)
def values_at(contract: Contract, message_type: MessageType, site: str) -> Sequence[Any]:
    """Returns scalars that together have every edge that the site can have, the plainest first. They do not include
    null.
    """
    values = scalar(contract.sites[message_type][site].schema, ValuePlace(contract, message_type, site))
    return () if values is None else values.edges
