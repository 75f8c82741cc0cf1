"""Converts a JSON Schema to a flat schema. A flat schema has no references, and describes each place of a message only
once.

`flatten` resolves `$ref`, merges the schemas in `allOf`, and then collects the conditions (`if`, `then`, `else`) in
`allOf`. The flat schema allows the same messages as the original schema. Rules and generators need flat schemas.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from referencing.jsonschema import DRAFT202012

from brokerfuzz.schemas.keywords import (
    CUT_OFF,
    DEEPER,
    JSON_TYPES,
    JUDGED,
    KEYWORDS,
    OTHER_ITEMS,
    Schema,
    conjoin,
    is_among,
    subschemas,
)

Resolver = Any
"""A resolver of `referencing`, which does not export its type."""
Lookup = Callable[[str, Resolver], Any]
"""A function that finds the schema to which a `$ref` refers."""
Flat = Callable[[Any], Schema]
"""A function that flattens the schema of a part."""
FORMATS = frozenset(
    [
        "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6",
        "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer",
        "regex",
    ]
)  # fmt: skip
"""The formats of draft 2020-12. All others are annotations."""

KNOWN = "brokerfuzz:known"
"""A keyword for the known values of a site (see `known_values`). Only generators use it."""
_MOST_NESTED = 2
"""How often a recursive schema contains itself in generated messages."""

_KEPT = frozenset(name for name, keyword in KEYWORDS.items() if keyword.role in ("annotation", "followed", "judged"))
ANNOTATIONS = frozenset(name for name, keyword in KEYWORDS.items() if keyword.role == "annotation")
_MAY_BE_FALSE = {"additionalProperties", "unevaluatedProperties", "unevaluatedItems"}
_NULL = {"type": "null"}
_NOT_NULL: Schema = {"type": [name for name in JSON_TYPES if name != "null"]}


def composed_keywords_of(schema: Mapping[str, Any]) -> list[str]:
    """Returns the keywords that the generator does not follow, such as `pattern` and `oneOf`."""
    if JUDGED.isdisjoint(schema):
        return []
    return [keyword for keyword in schema if keyword in JUDGED and _is_composed(keyword, schema[keyword])]


def _is_composed(keyword: str, value: Any) -> bool:
    return value is not True and (value is not False or keyword != "additionalProperties")


def unknown_keywords(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yields the JSON Pointer of each unknown keyword, and its name. Keywords that begin with `x-` are extensions."""
    for at, part in subschemas(schema):
        for keyword in part:
            if keyword not in KEYWORDS and not keyword.startswith("x-"):
                yield f"{at}/{keyword}", keyword


def simplify_nullable(schema: dict[str, Any]) -> None:
    """Changes each `{"anyOf": [S, {"type": "null"}]}` in a schema to `{"if": {"type": "null"}, "else": S}`, which means
    the same. Unlike the branches of `anyOf`, S then has rules of its own, which the validator reports.
    """
    for _, part in subschemas(schema):
        branches = part.get("anyOf", ())
        if len(branches) == 2 and _NULL in branches and "if" not in part:
            (other,) = [branch for branch in branches if branch != _NULL] or [_NULL]
            del part["anyOf"]
            part.update({"if": _NULL, "else": other})


def _is_nullable(schema: dict[str, Any]) -> bool:
    return schema.get("if") == _NULL and "else" in schema and "then" not in schema


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Returns the JSON types that a flat schema allows. If the result contains `number`, integers are allowed too."""
    declared = schema.get("type", JSON_TYPES)
    return frozenset([declared] if isinstance(declared, str) else declared)


def conditions_of(schema: Mapping[str, Any]) -> list[Schema]:
    """Each condition has `if`, and also `then`, `else` or both."""
    return list(schema.get("allOf", []))


def flatten(schema: Any, lookup: Lookup, resolver: Resolver) -> Schema | None:
    """Resolves the references in a schema, and merges the schemas in `allOf`. The schema `False` becomes a schema that
    allows no type. Returns None if a recursive schema allows only endless messages.
    """
    flat = _Flattening(lookup, resolver, (id(schema),)).flat(schema)
    return None if flat is DEEPER else flat


@dataclass(frozen=True)
class _Flattening:
    """Flattens schemas that are at the same place. `resolver` resolves their references. `inside` contains the
    identities of the schemas around them, so that recursion ends.
    """

    lookup: Lookup
    resolver: Resolver
    inside: tuple[int, ...]

    def flat(self, schema: Any) -> Schema:
        """Returns `DEEPER` if all values of the schema would be nested too deeply."""
        if isinstance(schema, bool):
            return {} if schema else {"type": []}
        below = replace(self, resolver=self.resolver.in_subresource(DRAFT202012.create_resource(schema)))
        own = {**_kept_keywords(schema), **_properties(schema, below.flat)}
        own |= {keyword: _with_flat_parts(keyword, own[keyword], below.flat) for keyword in own if keyword in JUDGED}
        if {} in own.get("anyOf", ()):
            del own["anyOf"]  # every value matches this branch
        own |= _items(schema, below.flat)
        if CUT_OFF in own and (own := _cut_off(own, schema)) is DEEPER:
            return DEEPER
        if conditions := _conditions(schema, below.flat):
            own["allOf"] = conditions
        parts = [below.referenced(schema[name]) for name in ("$ref", "$dynamicRef") if name in schema]
        parts += map(below.flat, schema.get("allOf", []))
        if _is_nullable(schema):
            parts.append(_or_null(below.flat(schema["else"])))
        return reduce(conjoin, parts, own)

    def referenced(self, reference: str) -> Schema:
        target = self.lookup(reference, self.resolver)
        if self.inside.count(id(target.contents)) > _MOST_NESTED:
            return DEEPER
        return _Flattening(self.lookup, target.resolver, (*self.inside, id(target.contents))).flat(target.contents)


def _kept_keywords(schema: Schema) -> Schema:
    """Returns the keywords that remain in a flat schema. `const` becomes `enum`."""
    kept = {keyword: value for keyword, value in schema.items() if keyword in _KEPT}
    if kept.get("format", "date") not in FORMATS:
        del kept["format"]
    if "const" in kept:
        only = kept.pop("const")
        kept["enum"] = [only] if "enum" not in kept or is_among(only, kept["enum"]) else []
    return kept


def _properties(schema: Schema, flat: Flat) -> Schema:
    """Returns `properties` without those that would be nested too deeply."""
    if "properties" not in schema:
        return {}
    properties = {name: flat(prop) for name, prop in schema["properties"].items()}
    remaining = {name: prop for name, prop in properties.items() if prop is not DEEPER}
    return {"properties": remaining, **({CUT_OFF: True} if len(remaining) < len(properties) else {})}


def _with_flat_parts(keyword: str, value: Any, flat: Flat) -> Any:
    """Returns the value of a keyword with flat schemas."""
    inside = KEYWORDS[keyword].inside
    if inside == "list":
        return [_finite(flat(part)) for part in value]
    if inside == "names":
        return {name: _finite(flat(part)) for name, part in value.items()}
    is_false_or_true = keyword in _MAY_BE_FALSE and isinstance(value, bool)
    return _finite(flat(value)) if inside == "schema" and not is_false_or_true else value


def _items(schema: Schema, flat: Flat) -> Schema:
    """Returns the keyword that describes the items of an array in a flat schema."""
    if "items" not in schema or schema["items"] is True:
        return {}
    items = flat(schema["items"])
    if items is DEEPER:
        return {CUT_OFF: True}
    if schema["items"] is False:
        return {OTHER_ITEMS: False}
    return {OTHER_ITEMS if "prefixItems" in schema else "items": items}


def _cut_off(flat: Schema, schema: Schema) -> Schema:
    """Returns what remains of a schema without the parts that would be nested too deeply. No array does if it must have
    items, and nothing does without a required property.
    """
    missing = schema.get("properties", {}).keys() - flat.get("properties", {}).keys()
    if not missing.isdisjoint(flat.get("required", ())):
        return DEEPER
    if flat.get("minItems", 0) == 0:
        return flat
    types = [name for name in JSON_TYPES if name in types_of(flat) and name != "array"]
    return {**flat, "type": types} if types else DEEPER


def _conditions(schema: Schema, flat: Flat) -> list[Schema]:
    """Returns the conditions of a schema in the form of `if`, `then` and `else`."""
    conditions: list[Schema] = []
    if "if" in schema and not _is_nullable(schema):
        conditions.append({name: _finite(flat(schema[name])) for name in ("if", "then", "else") if name in schema})
    for name, then in schema.get("dependentSchemas", {}).items():
        conditions.append({"if": {"required": [name]}, "then": _finite(flat(then))})
    for name, needed in schema.get("dependentRequired", {}).items():
        conditions.append({"if": {"required": [name]}, "then": {"required": needed}})
    return conditions


def _or_null(schema: Schema) -> Schema:
    """Returns a schema that also allows null."""
    if schema is DEEPER:
        return {"type": ["null"], CUT_OFF: True}
    nullable = dict(schema)
    if "type" in schema:
        nullable["type"] = [name for name in JSON_TYPES if name in types_of(schema) | {"null"}]
    if "enum" in schema and not is_among(None, schema["enum"]):
        nullable["enum"] = [*schema["enum"], None]
    if "anyOf" in schema:
        nullable["anyOf"] = [*schema["anyOf"], _NULL]
    if "oneOf" in schema:
        nullable["oneOf"] = [*(conjoin(branch, _NOT_NULL) for branch in schema["oneOf"]), _NULL]
    if "not" in schema:
        nullable["not"] = conjoin(schema["not"], _NOT_NULL)
    return nullable


def _finite(schema: Schema) -> Schema:
    """Returns a schema that allows no value in place of one that is nested too deeply."""
    return {"type": []} if schema is DEEPER else schema


def with_all_sites(schema: Schema) -> Schema:
    """Adds `items` to each array of a flat schema that does not describe its items, so that every item has a site. Adds
    required properties that no schema describes and that can have any value.
    """
    whole = dict(schema)
    if missing := _undescribed(whole):
        whole["properties"] = {**whole.get("properties", {}), **{name: {} for name in missing}}
    if "properties" in whole:
        whole["properties"] = {name: with_all_sites(prop) for name, prop in whole["properties"].items()}
    if "items" in whole:
        whole["items"] = with_all_sites(whole["items"])
    elif "type" in whole and "array" in types_of(whole) and not {*composed_keywords_of(whole), CUT_OFF} & whole.keys():
        whole["items"] = {}
    return whole


def _undescribed(schema: Schema) -> list[str]:
    if {"additionalProperties", "patternProperties"} & schema.keys():
        return []
    branches = [
        condition[branch] for condition in conditions_of(schema) for branch in ("then", "else") if branch in condition
    ]
    names = [name for part in [schema, *branches] for name in [*part.get("required", ()), *part.get("properties", ())]]
    return [name for name in names if name not in schema.get("properties", {})]
