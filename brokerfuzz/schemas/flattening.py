"""Converts a JSON Schema to a flat schema. A flat schema has no references, and describes each place of a message only
once.

`flatten` resolves `$ref`, merges the schemas in `allOf`, and then collects the conditions (`if`, `then`, `else`) in
`allOf`. The flat schema allows the same messages as the original schema. Rules and generators need flat schemas.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import Any

Schema = dict[str, Any]
Resolve = Callable[[str, str], tuple[Any, str]]
"""A function that gets a `$ref` and the base URI of the schema that contains it. The function returns the referenced
schema and the base URI of that schema.
"""

ANNOTATIONS = frozenset(
    [
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$defs",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
    ]
)
APPLICATORS = frozenset(["properties", "items", "allOf", "if", "then", "else"])
ASSERTIONS = (
    "type", "enum", "const", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems", "required", "additionalProperties",
)  # fmt: skip
"""The keywords that the generators of brokerfuzz support. For the other keywords of a changed contract, they use JSON
Schema libraries.
"""

_UNSUPPORTED_WITH_SCHEMA = (
    "not",
    "contains",
    "propertyNames",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
)
_UNSUPPORTED_WITH_LIST = ("anyOf", "oneOf", "prefixItems")
_UNSUPPORTED_WITH_MAPPING = ("patternProperties", "dependentSchemas")

KNOWN, ROWS = "brokerfuzz:known", "brokerfuzz:rows"
"""Two keywords for reference data (see `known_values`): the known values of a site, and the known combinations of
values in an object. Only generators use these keywords.
"""

_KNOWN = ANNOTATIONS | APPLICATORS | frozenset([*ASSERTIONS, KNOWN, ROWS])
_PLAIN = _KNOWN - {"additionalProperties"}
JSON_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


def unsupported_keywords_of(schema: Mapping[str, Any]) -> list[str]:
    """Returns the keywords that the generators of brokerfuzz do not support, such as `pattern` and `oneOf`."""
    if schema.keys() <= _PLAIN:
        return []
    return [keyword for keyword, value in schema.items() if _is_unsupported(keyword, value)]


def _is_unsupported(keyword: str, value: Any) -> bool:
    return keyword not in _KNOWN or (keyword == "additionalProperties" and not isinstance(value, bool))


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Returns the JSON types that a flat schema allows. If the result contains `number`, integers are allowed too."""
    declared = schema.get("type", JSON_TYPES)
    return frozenset([declared] if isinstance(declared, str) else declared)


def conditions_of(schema: Mapping[str, Any]) -> list[Schema]:
    """Each condition has `if`, and also `then`, `else` or both."""
    return list(schema.get("allOf", []))


def flatten(schema: Any, resolve: Resolve, base: str = "") -> Schema:
    """Resolves the references in a schema, and merges the schemas in `allOf`. The schema `False` becomes a schema that
    allows no type.
    """
    if schema is True:
        return {}
    if schema is False:
        return {"type": []}
    base = schema.get("$id", base)
    own: Schema = {
        k: v for k, v in schema.items() if k not in {"$ref", "allOf", "if", "then", "else", "$defs", "$schema", "$id"}
    }
    if "properties" in own:
        own["properties"] = {name: flatten(prop, resolve, base) for name, prop in own["properties"].items()}
    if isinstance(own.get("items"), dict | bool):
        own["items"] = flatten(own["items"], resolve, base)
    _flatten_unsupported(own, resolve, base)
    if "const" in own:
        only = own.pop("const")
        own["enum"] = [only] if "enum" not in own or _is_among(only, own["enum"]) else []
    if "if" in schema:
        condition = {k: flatten(schema[k], resolve, base) for k in ("if", "then", "else") if k in schema}
        own["allOf"] = [condition]
    parts = [flatten(part, resolve, base) for part in schema.get("allOf", [])]
    if "$ref" in schema:
        target, its_base = resolve(schema["$ref"], base)
        parts.insert(0, flatten(target, resolve, its_base))
    return reduce(conjoin, parts, own)


def with_items(schema: Schema) -> Schema:
    """Adds `items` to each array of a flat schema that does not describe its items, so that every item has a site."""
    whole = dict(schema)
    if "properties" in whole:
        whole["properties"] = {name: with_items(prop) for name, prop in whole["properties"].items()}
    if "items" in whole:
        whole["items"] = with_items(whole["items"])
    elif "type" in whole and "array" in types_of(whole) and not unsupported_keywords_of(whole):
        whole["items"] = {}
    return whole


def _flatten_unsupported(schema: Schema, resolve: Resolve, base: str) -> None:
    """Flattens the schemas inside the keywords that the generators of brokerfuzz do not support."""

    def without_references(below: Any) -> Any:
        return below if isinstance(below, bool) else flatten(below, resolve, base)

    for keyword in schema.keys() & {*_UNSUPPORTED_WITH_SCHEMA}:
        schema[keyword] = without_references(schema[keyword])
    for keyword in schema.keys() & {*_UNSUPPORTED_WITH_LIST}:
        schema[keyword] = [without_references(below) for below in schema[keyword]]
    for keyword in schema.keys() & {*_UNSUPPORTED_WITH_MAPPING}:
        schema[keyword] = {name: without_references(below) for name, below in schema[keyword].items()}


def conjoin(left: Schema, right: Schema) -> Schema:
    """Merges two flat schemas into one that has the requirements of both.

    If the two schemas have different descriptions, the result has the description of the left schema.
    """
    joined = dict(left)
    for keyword, value in right.items():
        if keyword not in joined:
            joined[keyword] = value
        elif _is_unsupported(keyword, value) or _is_unsupported(keyword, joined[keyword]):
            if not _same(joined[keyword], value):
                return _apart(left, right)
        elif keyword in _JOIN:
            joined[keyword] = _JOIN[keyword](joined[keyword], value)
    return _without_forbidden_properties(joined, left, right)


def _apart(left: Schema, right: Schema) -> Schema:
    """Combines two schemas without merging their keywords, as `{"anyOf": [{"allOf": [left, right]}]}`. A flat schema
    cannot have `left` and `right` in its own `allOf`, which contains only conditions (`if`).
    """
    return {
        "type": _type(left.get("type", list(JSON_TYPES)), right.get("type", list(JSON_TYPES))),
        "anyOf": [{"allOf": [left, right]}],
    }


def _without_forbidden_properties(joined: Schema, left: Schema, right: Schema) -> Schema:
    """If one schema has `additionalProperties: false`, removes the properties that only the other schema describes."""
    forbidden: set[str] = set()
    for one, other in ((left, right), (right, left)):
        if one.get("additionalProperties") is False:
            forbidden |= other.get("properties", {}).keys() - one.get("properties", {}).keys()
    if forbidden:
        joined["properties"] = {name: prop for name, prop in joined["properties"].items() if name not in forbidden}
    return joined


def _type(left: str | list[str], right: str | list[str]) -> list[str]:
    one, other = ({t} if isinstance(t, str) else set(t) for t in (left, right))
    both = one & other
    if "integer" in one | other and "number" in one | other:
        both |= {"integer"} & (one | other)
    return [name for name in JSON_TYPES if name in both]


def _properties(left: Mapping[str, Schema], right: Mapping[str, Schema]) -> dict[str, Schema]:
    return {
        name: conjoin(left[name], right[name])
        if name in left and name in right
        else left.get(name, right.get(name, {}))
        for name in [*left, *(name for name in right if name not in left)]
    }


def _is_among(value: Any, values: Iterable[Any]) -> bool:
    return any(_same(value, other) for other in values)


def _same(left: Any, right: Any) -> bool:
    """Returns whether two JSON values are equal. The number 1 equals 1.0, but does not equal true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def _common_multiple(left: float, right: float) -> float:
    one, other = Fraction(str(left)), Fraction(str(right))
    multiple = Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))
    return multiple.numerator if multiple.denominator == 1 else float(multiple)


def _union(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys([*left, *right]))


_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "type": _type,
    "enum": lambda left, right: [value for value in left if _is_among(value, right)],
    "minLength": max,
    "maxLength": min,
    "minimum": max,
    "maximum": min,
    "exclusiveMinimum": max,
    "exclusiveMaximum": min,
    "multipleOf": _common_multiple,
    "minItems": max,
    "maxItems": min,
    "uniqueItems": lambda left, right: left or right,
    "required": _union,
    "properties": _properties,
    "items": conjoin,
    "additionalProperties": lambda left, right: left and right,
    "allOf": lambda left, right: [*left, *right],
    "$comment": lambda left, right: f"{left}; {right}",
}
