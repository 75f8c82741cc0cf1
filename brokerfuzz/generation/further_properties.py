"""Draws properties that a schema does not name: those of `patternProperties` and of `additionalProperties` with a
schema. Also observes the number of properties.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any

from brokerfuzz.generation import patterns
from brokerfuzz.generation.judging import judge_of
from brokerfuzz.generation.sources import Draw, Source
from brokerfuzz.schemas.flattening import Schema, conjoin

DrawOf = Callable[[Schema], Draw | None]
"""A function that returns how to draw the values of a schema, or None if it allows none."""
_USUAL = 3
"""The maximum number of these properties, unless `minProperties` demands more."""
_OF_PATTERN = 8


def further_properties(
    schema: Schema, draw_of: DrawOf
) -> Callable[[dict[str, Any], Mapping[str, Draw], Callable[[str], bool], Source], None] | None:
    """Returns a function that adds properties to an object, and removes some if there are too many. The function needs
    the object, how to draw each named property, and which properties may be removed.
    """
    has_schema = any(isinstance(schema.get(keyword), dict) for keyword in _OTHERS)
    is_open = has_schema or bool({"patternProperties", "propertyNames"} & schema.keys())
    if not is_open and not {"minProperties", "maxProperties"} & schema.keys():
        return None
    others = {name: draw for name, of_name in _by_name(schema) if (draw := draw_of(of_name)) is not None}
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", len(schema.get("properties", {})) + 100)

    def settle(
        found: dict[str, Any], named: Mapping[str, Draw], removable: Callable[[str], bool], source: Source
    ) -> None:
        for name in [name for name in reversed(found) if removable(name)][: max(0, len(found) - most)]:
            del found[name]
        low = min(max(0, least - len(found)), len(others))
        high = max(low, min(most - len(found), _USUAL, len(others)) if is_open else 0)
        start = source.choose(range(len(others))) if others else 0
        names = [*others][start:] + [*others][:start]
        for index in source.repeat(low, high) if high else ():
            found[names[index]] = others[names[index]](source)
        absent = [name for name in named if name not in found]
        start = source.choose(range(len(absent))) if absent else 0
        for name in [*absent[start:], *absent[:start]][: max(0, least - len(found))]:
            found[name] = named[name](source)

    return settle


_OTHERS = ("additionalProperties", "unevaluatedProperties")


def _by_name(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yields names that the schema allows but does not contain, each with the schema of its values."""
    allows_name = judge_of(schema.get("propertyNames", {}))
    by_pattern = [
        (judge_of({"pattern": pattern}), of_pattern)
        for pattern, of_pattern in schema.get("patternProperties", {}).items()
    ]
    other: Any = next((schema[keyword] for keyword in _OTHERS if keyword in schema), True)
    for name in dict.fromkeys(_names(schema)):
        if name not in schema.get("properties", {}) and allows_name(name) and "\0" not in name:
            fitting = [of_pattern for judge, of_pattern in by_pattern if judge(name)]
            if fitting or other is not False:
                start: Schema = other if isinstance(other, dict) and not fitting else {}
                yield name, reduce(conjoin, fitting, start)


def _names(schema: Schema) -> Iterator[str]:
    for pattern in schema.get("patternProperties", {}):
        yield from patterns.strings(pattern)[:_OF_PATTERN]
    names = schema.get("propertyNames", {})
    yield from names.get("enum", ())
    yield from patterns.strings(names["pattern"])[: schema.get("minProperties", 0) + 30] if "pattern" in names else ()
    for number in range(schema.get("minProperties", 0) + _USUAL):
        yield f"k{number}".ljust(names.get("minLength", 0), "x")
