"""Draws values of schemas with keywords that the generator does not follow, such as `oneOf` and `minProperties`.

It follows the rest of such a schema, its structure, and a validator judges the result. If no value is valid, a searched
one is drawn instead.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.searched_values import searched_values
from brokerfuzz.generation.sources import Draw, Source
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas.flattening import composed_keywords_of, conditions_of, types_of
from brokerfuzz.schemas.keywords import JUDGED, KEYWORDS, Schema, conjoin
from brokerfuzz.schemas.validation import judge_of

_ATTEMPTS = 8
_MOST_BRANCHES = 40


def is_composed(schema: Schema) -> bool:
    """Returns whether the structure of a schema does not show all its values."""
    return bool(composed_keywords_of(schema)) or (
        bool(conditions_of(schema)) and not types_of(schema) <= {"object", "null"}
    )


def nested_types(schema: Schema) -> set[str]:
    """Returns whether a schema describes objects and arrays. Without `type`, its other keywords decide."""
    if "type" in schema:
        return {"object", "array"} & types_of(schema)
    return {KEYWORDS[keyword].json_type for keyword in schema if keyword in KEYWORDS} - {""}


def structures_of(schema: Schema) -> list[Schema]:
    """Returns the part of a schema that the generator follows, once for each branch of `oneOf` or `anyOf`."""
    structure = {keyword: value for keyword, value in schema.items() if keyword not in JUDGED or value is False}
    branches: list[Schema] = schema.get("oneOf") or schema.get("anyOf") or [{}]
    return [conjoin(structure, branch) for branch in branches[:_MOST_BRANCHES]]


def checked(draws: Sequence[Draw], schema: Schema, site: str) -> Draw:
    """Returns a function that draws values until one complies with the schema."""
    is_valid = judge_of(schema)

    @cache
    def further_properties() -> list[dict[str, Any]]:
        return [{}, *_further_properties(schema, site)]

    def draw(source: Source) -> Any:
        first = source.choose(range(len(draws)))
        for attempt in range(max(_ATTEMPTS, len(draws))):
            value = draws[(first + attempt) % len(draws)](source)
            if isinstance(value, dict):
                value |= deepcopy(source.choose(further_properties()))
            for candidate in _with_fewer_properties(value, schema, site, source):
                if is_valid(candidate):
                    return candidate
        return deepcopy(source.choose(searched_values(schema, site)))

    return draw


def _with_fewer_properties(value: Any, schema: Schema, site: str, source: Source) -> Iterator[Any]:
    """Yields a value and, if it is an object, copies with fewer and fewer properties. Those that are required or that
    the source wishes for remain.
    """
    yield value
    if isinstance(value, dict):
        needed = {*schema.get("required", ()), *(name for name in value if path_below(site, name) in source.wishes)}
        for name in [name for name in reversed(value) if name not in needed]:
            value = {other: prop for other, prop in value.items() if other != name}
            yield value


def _further_properties(schema: Schema, site: str) -> list[dict[str, Any]]:
    """Returns properties that a schema describes without their names, from some of its values."""
    other_schemas = (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
    is_open = bool({"patternProperties", "propertyNames"} & schema.keys())
    if not is_open and not any(isinstance(other, dict) for other in other_schemas):
        return []
    try:
        objects = [value for value in searched_values(schema, site) if isinstance(value, dict)]
    except ContractError:
        return []
    names = schema.get("properties", {}).keys()
    return [{name: value for name, value in drawn_object.items() if name not in names} for drawn_object in objects]
