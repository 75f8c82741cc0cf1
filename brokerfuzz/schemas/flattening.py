"""Converts a JSON Schema to a flat schema. A flat schema has no references, and describes each place of a message only
once.

`flatten` resolves `$ref`, merges the schemas in `allOf`, and then collects the conditions (`if`, `then`, `else`) in
`allOf`. The flat schema allows the same messages as the original schema. Rules and generators need flat schemas.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import Any

from referencing._core import Resolved, Resolver
from referencing.jsonschema import DRAFT202012

from brokerfuzz.errors import ContractError
from brokerfuzz.schemas.nullable import NULL, is_nullable
from brokerfuzz.schemas.subschemas import subschemas

Schema = dict[str, Any]
Lookup = Callable[[str, Resolver[Any]], Resolved[Any]]
"""A function that finds the schema to which a `$ref` refers."""
ANNOTATIONS = frozenset(
    [
        "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions", "title",
        "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding",
        "contentMediaType", "contentSchema",
    ]
)  # fmt: skip
REFERENCES = ("$ref", "$dynamicRef")
APPLICATORS = ("properties", "items", "allOf", "if", "then", "else", "dependentRequired", "dependentSchemas")
"""The keywords that a flat schema lacks, or that have no rules of their own."""
SIMPLE = (
    "type", "enum", "const", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems", "required", "additionalProperties",
)  # fmt: skip
"""The keywords whose values the generator draws without looking at the result."""
OTHER_ITEMS = "brokerfuzz:items"
"""Replaces `items` in a flat schema with `prefixItems`, because this `items` concerns only the items after them."""
_WITH_SCHEMA = (
    "not", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
    OTHER_ITEMS,
)  # fmt: skip
_MAY_BE_FALSE = {"additionalProperties", "unevaluatedProperties", "unevaluatedItems"}
_WITH_LIST = ("anyOf", "oneOf", "prefixItems")
COMPOSED = (
    "pattern", "format", "minProperties", "maxProperties", "patternProperties", "minContains", "maxContains",
    *_WITH_LIST, *_WITH_SCHEMA,
)  # fmt: skip
"""The keywords that the generator does not follow: a validator judges its values. The schemas in these keywords are no
sites: each of these keywords is one rule.
"""
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
CUT_OFF = "brokerfuzz:cut-off"
"""Marks an array or object whose items or properties would be nested too deeply, because the schema is recursive.
Generated arrays and objects lack them, so no rule says how many there must be.
"""
_DEEPER: Schema = {"brokerfuzz:deeper": True}
"""Stands for a schema that is nested too deeply, because it is recursive."""
_MOST_NESTED = 2
"""How often a recursive schema contains itself in generated messages."""

_MOST_BRANCHES = 500
_LONGEST_PATTERN = 300
_KEPT = {*SIMPLE, *COMPOSED, *ANNOTATIONS} - {"$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions"}
KEYWORDS = (*ANNOTATIONS, *REFERENCES, *APPLICATORS, *SIMPLE, *(name for name in COMPOSED if name != OTHER_ITEMS))
_PLAIN = {*_KEPT, *APPLICATORS, KNOWN, CUT_OFF} - {*COMPOSED}
JSON_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")

_NOT_NULL: Schema = {"type": [name for name in JSON_TYPES if name != "null"]}


def composed_keywords_of(schema: Mapping[str, Any]) -> list[str]:
    """Returns the keywords that the generator does not follow, such as `pattern` and `oneOf`."""
    if schema.keys() <= _PLAIN:
        return []
    return [keyword for keyword in COMPOSED if keyword in schema and _is_composed(keyword, schema[keyword])]


def _is_composed(keyword: str, value: Any) -> bool:
    return value is not True and (value is not False or keyword != "additionalProperties")


def unknown_keywords(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yields the JSON Pointer of each unknown keyword, and its name. Keywords that begin with `x-` are extensions."""
    for at, part in subschemas(schema):
        for keyword in part:
            if keyword not in KEYWORDS and not keyword.startswith("x-"):
                yield f"{at}/{keyword}", keyword


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Returns the JSON types that a flat schema allows. If the result contains `number`, integers are allowed too."""
    declared = schema.get("type", JSON_TYPES)
    return frozenset([declared] if isinstance(declared, str) else declared)


def conditions_of(schema: Mapping[str, Any]) -> list[Schema]:
    """Each condition has `if`, and also `then`, `else` or both."""
    return list(schema.get("allOf", []))


def flatten(schema: Any, lookup: Lookup, resolver: Resolver[Any]) -> Schema | None:
    """Resolves the references in a schema, and merges the schemas in `allOf`. The schema `False` becomes a schema that
    allows no type. Returns None if a recursive schema allows only endless messages.
    """
    flat = _Flattening(lookup).flat(schema, resolver, (id(schema),))
    return None if flat is _DEEPER else flat


@dataclass(frozen=True)
class _Flattening:
    """`inside` contains the identities of the schemas around a schema, so that recursion ends."""

    lookup: Lookup

    def flat(self, schema: Any, around: Resolver[Any], inside: tuple[int, ...]) -> Schema:
        """`around` resolves references of the schema around this schema."""
        if isinstance(schema, bool):
            return {} if schema else {"type": []}
        own = {k: v for k, v in schema.items() if k in _KEPT}
        if own.get("format", "date") not in FORMATS:
            del own["format"]
        if "const" in own:
            only = own.pop("const")
            own["enum"] = [only] if "enum" not in own or _is_among(only, own["enum"]) else []

        resolver = around.in_subresource(DRAFT202012.create_resource(schema))

        def below(part: Any) -> Schema:
            return self.flat(part, resolver, inside)

        if not self._add_parts(own, schema, below):
            return _DEEPER
        parts = [self._reference(schema[name], resolver, inside) for name in REFERENCES if name in schema]
        parts += [below(part) for part in schema.get("allOf", [])]
        if is_nullable(schema):
            parts.append(_or_null(below(schema["else"])))
        return reduce(conjoin, parts, own)

    def _reference(self, reference: str, resolver: Resolver[Any], inside: tuple[int, ...]) -> Schema:
        target = self.lookup(reference, resolver)
        if inside.count(id(target.contents)) > _MOST_NESTED:
            return _DEEPER
        return self.flat(target.contents, target.resolver, (*inside, id(target.contents)))

    def _add_parts(self, own: Schema, schema: Schema, below: Callable[[Any], Schema]) -> bool:
        """Adds the flat schemas of all parts. Returns False if a required property would be nested too deeply."""
        if "properties" in schema:
            every = {name: below(prop) for name, prop in schema["properties"].items()}
            own["properties"] = {name: prop for name, prop in every.items() if prop is not _DEEPER}
            if any(every.get(name) is _DEEPER for name in own.get("required", ())):
                return False
            if len(own["properties"]) < len(every):
                own[CUT_OFF] = True
        for keyword in own.keys() & {*_WITH_SCHEMA}:
            if keyword not in _MAY_BE_FALSE or not isinstance(own[keyword], bool):
                own[keyword] = _finite(below(own[keyword]))
        for keyword in own.keys() & {*_WITH_LIST}:
            own[keyword] = [_finite(below(part)) for part in own[keyword]]
        if {} in own.get("anyOf", ()):
            del own["anyOf"]  # every value matches this branch
        if "patternProperties" in own:
            own["patternProperties"] = {name: _finite(below(part)) for name, part in own["patternProperties"].items()}
        own.update(_items(schema, below))
        if CUT_OFF in own and own.get("minItems", 0) > 0:
            own["type"] = [name for name in JSON_TYPES if name in types_of(own) and name != "array"]
            if not own["type"]:
                return False
        conditions: list[Schema] = []
        if "if" in schema and not is_nullable(schema):
            conditions.append({k: _finite(below(schema[k])) for k in ("if", "then", "else") if k in schema})
        for name, then in schema.get("dependentSchemas", {}).items():
            conditions.append({"if": {"required": [name]}, "then": _finite(below(then))})
        for name, needed in schema.get("dependentRequired", {}).items():
            conditions.append({"if": {"required": [name]}, "then": {"required": needed}})
        if conditions:
            own["allOf"] = conditions
        return True


def _items(schema: Schema, below: Callable[[Any], Schema]) -> Schema:
    """Returns the keyword that describes the items of an array in a flat schema."""
    if "items" not in schema or schema["items"] is True:
        return {}
    items = below(schema["items"])
    if items is _DEEPER:
        return {CUT_OFF: True}
    if schema["items"] is False:
        return {OTHER_ITEMS: False}
    return {OTHER_ITEMS if "prefixItems" in schema else "items": items}


def _or_null(schema: Schema) -> Schema:
    """Returns a schema that also allows null."""
    if schema is _DEEPER:
        return {"type": ["null"], CUT_OFF: True}
    nullable = dict(schema)
    if "type" in schema:
        nullable["type"] = [name for name in JSON_TYPES if name in types_of(schema) | {"null"}]
    if "enum" in schema and not _is_among(None, schema["enum"]):
        nullable["enum"] = [*schema["enum"], None]
    if "anyOf" in schema:
        nullable["anyOf"] = [*schema["anyOf"], NULL]
    if "oneOf" in schema:
        nullable["oneOf"] = [*(conjoin(branch, _NOT_NULL) for branch in schema["oneOf"]), NULL]
    if "not" in schema:
        nullable["not"] = conjoin(schema["not"], _NOT_NULL)
    return nullable


def _finite(schema: Schema) -> Schema:
    """Returns a schema that allows no value in place of one that is nested too deeply."""
    return {"type": []} if schema is _DEEPER else schema


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
    branches = [one[branch] for one in conditions_of(schema) for branch in ("then", "else") if branch in one]
    names = [name for part in [schema, *branches] for name in [*part.get("required", ()), *part.get("properties", ())]]
    return [name for name in names if name not in schema.get("properties", {})]


def conjoin(left: Schema, right: Schema) -> Schema:
    """Merges two flat schemas into one that has the requirements of both.

    If the two schemas have different descriptions, the result has the description of the left schema.
    """
    if left is _DEEPER or right is _DEEPER:
        return _DEEPER
    if any(_is_apart(keyword, left, right) for keyword in right):
        return {**left, "anyOf": _each_with_each(left.get("anyOf", [{}]), [right])}
    joined = dict(left)
    for keyword, value in right.items():
        if keyword not in joined:
            joined[keyword] = value
        elif keyword in _JOIN:
            joined[keyword] = _JOIN[keyword](joined[keyword], value)
    return _without_forbidden_properties(joined, left, right)


def _is_apart(keyword: str, left: Schema, right: Schema) -> bool:
    """Returns whether a keyword of two schemas cannot be merged."""
    others = {"items": ("prefixItems",), "prefixItems": ("items", "prefixItems")}.get(keyword, ())
    if keyword == "pattern" and len(left.get(keyword, "")) + len(right[keyword]) > _LONGEST_PATTERN:
        return keyword in left  # the validator would not compile the merged pattern
    return any(other in left for other in others) or (
        keyword in left and keyword not in _JOIN and keyword in COMPOSED and not _same(left[keyword], right[keyword])
    )


def _without_forbidden_properties(joined: Schema, left: Schema, right: Schema) -> Schema:
    """If one schema describes only by `additionalProperties` what the other schema names, both are merged. If the first
    one has `additionalProperties: false`, the properties are removed.
    """
    changed: dict[str, Schema | None] = {}
    for one, other in ((left, right), (right, left)):
        more: Any = one.get("additionalProperties", True)
        for name in other.get("properties", {}).keys() - one.get("properties", {}).keys() if more is not True else ():
            if "patternProperties" not in one:
                changed[name] = conjoin(joined["properties"][name], more) if isinstance(more, dict) else None
    if changed:
        every = {name: changed.get(name, prop) for name, prop in joined["properties"].items()}
        joined["properties"] = {name: prop for name, prop in every.items() if prop is not None}
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


def _schemas(left: Any, right: Any) -> Any:
    if isinstance(left, bool):
        return right if left else False
    if isinstance(right, bool):
        return left if right else False
    return conjoin(left, right)


def _each_with_each(left: Iterable[Schema], right: Sequence[Schema]) -> list[Schema]:
    """Returns the branches of one `anyOf` (or `oneOf`) that means the same as two."""
    left = [*left]
    if len(left) * len(right) > _MOST_BRANCHES:
        raise ContractError(
            f"anyOf and oneOf with {len(left)} and {len(right)} branches are combined, and the limit is "
            f"{_MOST_BRANCHES} combinations: use fewer branches"
        )
    return [conjoin(one, other) for one in left for other in right]


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


def common_multiple(left: float, right: float) -> float:
    one, other = Fraction(str(left)), Fraction(str(right))
    multiple = Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))
    return multiple.numerator if multiple.denominator == 1 else float(multiple)


_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "type": _type,
    "enum": lambda left, right: [value for value in left if _is_among(value, right)],
    "minLength": max,
    "maxLength": min,
    "minimum": max,
    "maximum": min,
    "exclusiveMinimum": max,
    "exclusiveMaximum": min,
    "multipleOf": common_multiple,
    "minItems": max,
    "maxItems": min,
    "uniqueItems": lambda left, right: left or right,
    "required": lambda left, right: list(dict.fromkeys([*left, *right])),
    "properties": _properties,
    "items": conjoin,
    "additionalProperties": _schemas,
    "propertyNames": _schemas,
    "minProperties": max,
    "maxProperties": min,
    "patternProperties": _properties,
    "pattern": lambda left, right: left if left == right else f"(?=[\\s\\S]*?(?:{left}))(?=[\\s\\S]*?(?:{right}))",
    "anyOf": _each_with_each,
    "oneOf": _each_with_each,
    "not": lambda left, right: {"anyOf": [left, right]},
    "allOf": lambda left, right: [*left, *right],
    "$comment": lambda left, right: f"{left}; {right}",
}
