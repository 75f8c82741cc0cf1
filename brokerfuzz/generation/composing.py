"""Composes values for keywords such as `oneOf`: draws a value of one alternative, and judges the result."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import islice
from typing import Any

from brokerfuzz.generation.judging import judge_of
from brokerfuzz.generation.neighbours import repaired
from brokerfuzz.generation.sources import COMPLETE, Draw, FixedSource, Source
from brokerfuzz.generation.unsupported_keywords import pool
from brokerfuzz.schemas.flattening import Schema, composed_keywords_of, conditions_of, conjoin, types_of
from brokerfuzz.schemas.sites import join

_MOST_ALTERNATIVES = 40
_ATTEMPTS = 4
_OF_OBJECTS = (
    "properties", "required", "minProperties", "maxProperties", "patternProperties", "propertyNames",
    "additionalProperties", "unevaluatedProperties",
)  # fmt: skip
_OF_ARRAYS = ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems")


def is_composed(schema: Schema) -> bool:
    return bool(composed_keywords_of(schema)) or (
        bool(conditions_of(schema)) and not types_of(schema) <= {"object", "null"}
    )


def relevant_types(schema: Schema) -> frozenset[str]:
    """Returns the types that a schema allows. Without `type`, these are the types of which the schema says something,
    and the scalars.
    """
    if "type" in schema:
        return types_of(schema)
    found = {"string", "integer", "number", "boolean"}
    found |= {"object"} if schema.keys() & set(_OF_OBJECTS) else set()
    return frozenset(found | ({"array"} if schema.keys() & set(_OF_ARRAYS) else set()))


def alternatives(schema: Schema) -> list[Schema]:
    """Returns schemas without `anyOf`, `oneOf` and `not`, each with a different choice of branches."""
    return list(islice(_alternatives(schema), _MOST_ALTERNATIVES))


def _alternatives(schema: Schema) -> Iterator[Schema]:
    plain = {keyword: value for keyword, value in schema.items() if keyword not in ("anyOf", "oneOf", "not")}
    keyword = next((keyword for keyword in ("anyOf", "oneOf") if keyword in schema), None)
    if keyword is not None:
        rest = {name: value for name, value in schema.items() if name != keyword}
        for branch in schema[keyword]:
            joined = conjoin(rest, branch)
            if joined.get("anyOf") != [branch]:  # the two can be merged
                yield from _alternatives(joined)
        if "type" in plain:
            yield plain
    elif conditions_of(plain) and not types_of(plain) <= {"object", "null"}:
        rest = {name: value for name, value in plain.items() if name != "allOf"}
        first, *others = conditions_of(plain)
        for part in (conjoin(first["if"], first.get("then", {})), first.get("else", {})):
            yield from _alternatives(conjoin({**rest, **({"allOf": others} if others else {})}, part))
    elif plain.get("type") != []:
        yield plain


def judged(draws: Sequence[Draw], schema: Schema, site: str) -> Draw:
    """Returns a function that draws values until one complies with the schema, and preferably with the wishes."""
    judge, others = judge_of(schema), partial(pool, schema, site)

    def draw(source: Source) -> Any:
        start = source.choose(range(len(draws)))
        drawn = []
        for number in range(len(draws) + _ATTEMPTS):
            value = draws[(start + number) % len(draws)](source)
            if judge(value) and _fulfils(value, site, source):
                return value
            drawn.append(value)
        valid = next(filter(judge, drawn), None)
        if valid is None:
            valid = repaired(drawn[0], schema, [*drawn[1:], *(one(FixedSource(COMPLETE)) for one in draws)])
        return valid if judge(valid) else deepcopy(source.choose(others()))

    return draw


def _fulfils(value: Any, site: str, source: Source) -> bool:
    """Returns whether an object has the properties that the wishes demand."""
    if not isinstance(value, dict):
        return not any(path.startswith(f"{site}.") for path in source.wishes)
    for path, wish in source.wishes.items():
        name = path.removeprefix(f"{site}." if site else "")
        is_property = path == join(site, name) and "." not in name and "[]" not in name
        if is_property and wish.state == "absent" and name in value:
            return False
        if is_property and wish.state == "drawn" and value.get(name) is None:
            return False
    return True
