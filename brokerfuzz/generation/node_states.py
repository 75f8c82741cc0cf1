"""Describes the values of a site, and determines how often each state of a property occurs."""

from collections.abc import Sequence
from typing import Any

from brokerfuzz.contract_names import IDENTIFIERS
from brokerfuzz.errors import ContractError
from brokerfuzz.generation.choices import SiteChoices, State
from brokerfuzz.generation.scalars import ValuePlace, Values, realistic
from brokerfuzz.schemas import flattening as flat

_STATES = 16
"""The number of states from which a source chooses. A state that occurs several times is more probable."""
_LENGTH_OF_IDENTIFIERS = 40
"""Identifiers that must be shorter are not made different."""


def describe(node: SiteChoices, values: Values, place: ValuePlace) -> None:
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
    has_room = node.schema.get("maxLength", _LENGTH_OF_IDENTIFIERS) >= _LENGTH_OF_IDENTIFIERS
    node.is_identifier = node.is_free and node.optional and has_room and place.path in IDENTIFIERS


def _unusual(node: SiteChoices, types: frozenset[str]) -> Any:
    if types == {"boolean"} and False in node.edges:
        return False
    if not node.is_free or {"maxLength", "multipleOf", "exclusiveMinimum"} & set(node.schema):
        return None
    if types == {"string"}:
        return " " * max(node.schema.get("minLength", 0), 1)
    return node.schema.get("minimum", -1)


def set_states(node: SiteChoices, *, possible: bool, is_nested: bool) -> None:
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
    plain: list[State] = ["plain"] * (2 * possible * (not is_nested))
    simple: list[State] = [*absent] if is_nested else [*absent, *plain, *null]
    rest: list[State] = null if is_nested else []
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
