"""The generator of messages: a tree with one node per site, built from the schema of a contract.

A node draws the value of its site. It asks a source (see `sources`) for each choice, and fulfils the wishes of the
source. If an object has conditions (`if`, `then`, `else`), its node first draws the properties in the conditions, and
then the others with the branch that applies. Finally, it changes values that touch an open question (see
`schemas.questions`).
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.scalars import ValuePlace, Values, choice, listed, may_be_null, realistic, scalar
from brokerfuzz.generation.searched_values import searched_values
from brokerfuzz.generation.site_questions import Settle, settling
from brokerfuzz.generation.sources import (
    COMPLETE,
    SETTINGS,
    Draw,
    FixedSource,
    PropertyState,
    RandomSource,
    Setting,
    SiteChoices,
    Source,
    Style,
    Wish,
    Wishes,
)
from brokerfuzz.generation.structures import checked, is_composed, nested_types, structures_of
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.keywords import CUT_OFF, Schema, conjoin
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.validation import judge_of

ABSENT: Any = object()
"""What a node draws if its property is absent."""
_NO_WISH = Wish(state=None)
_STATES = 16
"""The number of states from which a source chooses. A state that occurs several times is more probable."""
_RANDOM_VALUES = 12
"""The number of random values of a schema that is not part of the contract."""
_USUAL_MOST = 12
"""The largest number of items where the contract has no maximum, unless more are required."""
_LENGTH_OF_IDENTIFIERS = 40
"""Identifiers that must be shorter are not made different."""


@dataclass(eq=False, slots=True, kw_only=True)
class Node(SiteChoices):
    """A site of a message type, and how its values are drawn. The values of a nested node are objects or arrays."""

    draw: Draw
    is_nested: bool = False

    def at(self, source: Source) -> Any:
        """Draws the value of the site, or `ABSENT`."""
        wish = source.wishes.get(self.path)
        if wish is None:
            state = source.state(self)
        elif wish.strategy is not None:
            return source.drawn(wish.strategy)
        elif wish.options:
            return deepcopy(source.choose(wish.options))
        else:
            state = wish.state_for(source.choose(self.often) if wish.often else source.state(self))
            if state in ("drawn", "plain") and "drawn" not in self.states:  # an own contract can allow only null
                state = self.states[-1]
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
    node = _Builder(contract, message_type, style or Style()).node(contract.sites[message_type][site])
    if not site and "drawn" not in node.states:
        raise ContractError(f"the contract allows only null as {message_type}: allow other messages, too")
    return node


def left_out_sites(contract: Contract, message_type: MessageType) -> Mapping[str, str]:
    """Returns the optional sites for which no value was found, and why. No message contains them."""
    builder = _Builder(contract, message_type, Style())
    builder.node(contract.sites[message_type][""])
    return builder.left_out


def message(
    contract: Contract, message_type: MessageType, setting: Setting = COMPLETE, wishes: Wishes | None = None
) -> Any:
    """Returns the message that a setting describes, and that fulfils the wishes."""
    return node_of(contract, message_type).at(FixedSource(setting, wishes))


@dataclass(frozen=True)
class _Builder:
    contract: Contract
    message_type: MessageType
    style: Style
    left_out: dict[str, str] = field(default_factory=dict)
    """The optional sites for which no value was found, and why."""

    def node(self, site: Site, *, optional: bool = False) -> Node:
        schema = site.schema
        place = ValuePlace(self.contract, self.message_type, site, self.style)
        draws: list[Draw] = []
        values = None
        try:
            if site.path not in self.style.pinned:
                draws, values = self._draws(place)
        except ContractError as problem:
            if not optional:
                raise
            self.left_out[site.path] = str(problem)
        draw = _any_draw(draws, values)
        node = Node(site.path, schema, optional, may_be_null(schema), draw=draw, is_nested=bool(draws))
        node.is_deep = site.is_deep
        if values is not None:
            _describe(node, values, place)
        possible = bool(draws or values) or site.path in self.style.pinned
        _set_states(node, possible=possible)
        return node

    def _draws(self, place: ValuePlace) -> tuple[list[Draw], Values | None]:
        if is_composed(place.site.schema):
            return self._composed(place)
        draws = self._nested(place)
        return draws, self._scalars(place, draws)

    def _nested(self, place: ValuePlace) -> list[Draw]:
        if listed(place.site.schema) is not None:
            return []
        types = nested_types(place.site.schema)
        draws = [self._object(place.site)] if "object" in types else []
        return [*draws, self._array(place.site)] if "array" in types else draws

    def _scalars(self, place: ValuePlace, draws: Sequence[Draw]) -> Values | None:
        """Returns no scalars for a schema without `type` that describes objects or arrays: its rules concern these."""
        return None if draws and "type" not in place.site.schema else scalar(place)

    def _composed(self, place: ValuePlace) -> tuple[list[Draw], Values | None]:
        """Returns how to draw the values of a schema whose structure does not show all values: those that the structure
        shows and a validator accepts, and searched ones.
        """
        schema, path = place.site.schema, place.site.path
        draws: list[Draw] = []
        scalars: list[Any] = []
        problems: list[ContractError] = []
        for structure in structures_of(schema):
            try:
                part = replace(place, site=replace(place.site, schema=structure))
                nested = self._nested(part) if {"properties", "items"} & structure.keys() else []
                values = self._scalars(part, nested)
            except ContractError as problem:  # another structure may be possible
                problems.append(problem)
                continue
            draws += nested
            scalars += values.edges if values else ()
        is_valid = judge_of(schema)
        fitting = [value for value in scalars if is_valid(value)]
        if not fitting and (scalars or not draws) and flat.types_of(schema) - {"null"}:
            try:
                fitting = searched_values(schema, path)
            except ContractError as problem:
                raise problems[0] if problems else problem from None
        different = list({repr(value): value for value in fitting}.values())
        return [checked(draws, schema, path)] if draws else [], choice(different) if different else None

    def _array(self, site: Site) -> Draw:
        least, most = site.schema.get("minItems", 0), _most_items(site.schema)
        if most is not None and least > most:
            raise ContractError(
                f"{site.path} cannot contain at least {least} and at most {most} items: correct minItems or maxItems"
            )
        item = self.node(site.item({} if most == 0 else site.schema.get("items", {})))
        settle = settling(self.contract, self.message_type, site, self.style)
        return _Array(site.path, least, most, item, settle).draw

    def _object(self, site: Site) -> Draw:
        base = replace(site, schema={name: value for name, value in site.schema.items() if name != "allOf"})
        unconditional = self.properties(base)
        branches = _Branches(self, base, flat.conditions_of(site.schema), unconditional)
        settle = settling(self.contract, self.message_type, site, self.style)

        def draw(source: Source) -> dict[str, Any]:
            decided = {name: unconditional[name].at(source) for name in branches.deciding}
            nodes = branches.chosen_by(_present(decided))
            values = {name: decided[name] if name in decided else node.at(source) for name, node in nodes.items()}
            properties: dict[str, Any] = settle(_present(values), source, None)
            return dict(reversed(properties.items())) if source.backwards else properties

        return draw

    def properties(self, site: Site, unconditional: Mapping[str, Node] | None = None) -> Mapping[str, Node]:
        """Returns the nodes of the properties of an object. Those that a condition does not change are shared."""
        schema = site.schema
        required, other = schema.get("required", ()), schema.get("additionalProperties", {})
        undescribed = [name for name in required if name not in schema.get("properties", {}) and other is not False]
        props = {
            **site.properties,
            **{name: site.child(name, other if isinstance(other, dict) else {}) for name in undescribed},
        }
        nodes: dict[str, Node] = {}
        for name, prop in props.items():
            node = (unconditional or {}).get(name)
            if node is None or node.optional == prop.required or node.schema != prop.schema:
                node = self.node(prop, optional=not prop.required)
            nodes[name] = node
        return nodes


# -------------------------------------------------------------------------------------------------- arrays and objects


@dataclass(frozen=True)
class _Array:
    """Draws arrays. If `most` is None, they can have any number of items."""

    path: str
    least: int
    most: int | None
    item: Node
    settle: Settle

    def draw(self, source: Source) -> list[Any]:
        wish = source.wishes.get(self.path, _NO_WISH)
        low, high = self._sizes(wish)
        numbers = source.repeat(low, high if wish.most is None else min(high, wish.most), often=wish.often)
        drawn = [self._item(source, number, wish) for number in numbers]
        items: list[Any] = self.settle(drawn.copy(), source, high)
        if len(items) < low:  # the repairs have removed equal items; strategies of the user may draw no others
            edges = () if self.item.is_nested else self.item.edges
            further_items = [*(value for value in edges if value not in items), *(drawn if source.pins else ())]
            items += further_items[: low - len(items)]
        return items

    def _sizes(self, wish: Wish) -> tuple[int, int]:
        """Returns the smallest and the largest size. A wish for an item needs this item."""
        low = max(self.least, wish.least, 0 if wish.index is None else wish.index + 1)
        high = max(_USUAL_MOST, self.least + 3, low) if self.most is None else self.most
        return min(low, high), high

    def _item(self, source: Source, number: int, wish: Wish) -> Any:
        outer_wishes, outer_item = source.wishes, source.item
        source.item = number
        if wish.index not in (None, number):
            source.wishes = source.pins
        value = self.item.at(source)
        source.wishes, source.item = outer_wishes, outer_item
        return value


class _Branches:
    """The properties that an object has because of its conditions (`if`, `then`, `else`). The values of the properties
    in `deciding` choose a branch of each condition.
    """

    def __init__(
        self, builder: _Builder, base: Site, conditions: Sequence[Schema], unconditional: Mapping[str, Node]
    ) -> None:
        self._builder, self._base = builder, base
        self._conditions, self._unconditional = conditions, unconditional
        self._judges = [judge_of(condition["if"]) for condition in conditions]
        names = {name for condition in conditions for name in names_in(condition["if"])}
        self.deciding = [name for name in unconditional if name in names]
        self._nodes: dict[tuple[bool, ...], Mapping[str, Node]] = {} if conditions else {(): unconditional}

    def chosen_by(self, decided: Mapping[str, Any]) -> Mapping[str, Node]:
        """Returns the nodes of all properties if the deciding ones have these values."""
        outcomes = tuple(judge(decided) for judge in self._judges)
        if outcomes not in self._nodes:
            choices = zip(self._conditions, outcomes, strict=True)
            parts = [condition.get("then" if holds else "else", {}) for condition, holds in choices]
            site = replace(self._base, schema=reduce(conjoin, parts, self._base.schema))
            self._nodes[outcomes] = self._builder.properties(site, self._unconditional)
        return self._nodes[outcomes]


def _present(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value is not ABSENT}


# ---------------------------------------------------------------------------------------- states and values of a site


def _describe(node: Node, values: Values, place: ValuePlace) -> None:
    types = flat.types_of(node.schema) - {"null"}
    is_flag = values.is_listed and ("enum" in node.schema or types == {"boolean"})
    node.plain, node.edges = values.edges[0], values.edges
    node.options = values.edges if "enum" in node.schema else ()
    node.is_free = not values.is_listed and place.notation is None and types <= {"string", "integer", "number"}
    if types == {"boolean"}:
        node.find_realistic = lambda: [True] if True in values.edges else []
    elif not is_flag and (place.notation or not values.is_listed):
        node.find_realistic = lambda: realistic(place, values.edges)
    node.unusual = _unusual(node, types)
    has_room = node.schema.get("maxLength", _LENGTH_OF_IDENTIFIERS) >= _LENGTH_OF_IDENTIFIERS
    identifies = place.site.path in place.contract.identifiers(place.message_type)
    node.is_identifier = node.is_free and node.optional and has_room and identifies


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
            f"the schema of {node.path or 'the root'} contradicts itself, so it allows no value: correct this schema"
        )
    absent: list[PropertyState] = ["absent"] * ((4 if node.is_deep else 9) * node.optional)
    null: list[PropertyState] = ["null"] * ((4 if node.is_deep else 2) * node.nullable)
    plain: list[PropertyState] = ["plain"] * (2 * possible * (not node.is_nested))
    simple: list[PropertyState] = [*absent] if node.is_nested else [*absent, *plain, *null]
    rest: list[PropertyState] = null if node.is_nested else []
    once: list[PropertyState] = list(dict.fromkeys(simple))
    node.states = _padded(simple, rest, possible=possible)
    node.often = _padded(once, rest[:1], possible=possible)


def _padded(simple: list[PropertyState], rest: list[PropertyState], *, possible: bool) -> Sequence[PropertyState]:
    """Returns 16 states: usually, the value is drawn. An object or array is simpler than null, because nearly all
    messages have it.
    """
    all_states: list[PropertyState] = [*simple, *rest]
    usual: PropertyState = "drawn" if possible else all_states[-1]
    middle: list[PropertyState] = [usual for _ in range(_STATES - len(simple) - len(rest))]
    return [*simple, *middle, *rest]


def names_in(schema: Any) -> set[str]:
    """Returns the names of the properties that a condition concerns."""
    if isinstance(schema, list):
        return {name for part in schema for name in names_in(part)}
    if not isinstance(schema, dict):
        return set()
    names = {*schema.get("properties", {}), *schema.get("required", ())}
    return names | {
        name for keyword in ("anyOf", "oneOf", "not", "allOf", "if") for name in names_in(schema.get(keyword))
    }


def _most_items(schema: Schema) -> int | None:
    """Returns the maximum number of items (None: no limit)."""
    is_cut_off = CUT_OFF in schema and "items" not in schema
    if is_cut_off or schema.get("items", {}).get("type") == []:
        return 0
    most: int | None = schema.get("maxItems")
    return most


def _any_draw(draws: Sequence[Draw], values: Values | None) -> Draw:
    """Returns a function that draws an object, an array or a scalar, as far as the schema allows them."""
    all_draws = [*([values.draw] if values else []), *draws]
    if not all_draws:
        return lambda source: ABSENT
    return all_draws[0] if len(all_draws) == 1 else lambda source: source.choose(all_draws)(source)


def values_of(contract: Contract, message_type: MessageType, schema: Schema, site: str) -> Sequence[Any]:
    """Returns some values of a schema that is not part of the contract, but could be at the site. There may be none."""
    sources: list[Source] = [FixedSource(setting) for setting in (COMPLETE, *SETTINGS[1:])]
    sources += [RandomSource(seed) for seed in range(_RANDOM_VALUES)]
    try:
        changed = replace(contract.sites[message_type][site], schema=schema)
        draw = _Builder(contract, message_type, Style()).node(changed).draw
        values = [draw(source) for source in sources]
    except ContractError:
        return ()
    return list({repr(value): value for value in values if value is not ABSENT}.values())


@lru_cache(maxsize=4096)
def values_at(contract: Contract, message_type: MessageType, site: str) -> Sequence[Any]:
    """Returns scalars that together have every edge that the site can have, the plainest first. They do not include
    null.
    """
    values = scalar(ValuePlace(contract, message_type, contract.sites[message_type][site]))
    return () if values is None else values.edges
