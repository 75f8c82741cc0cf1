"""Contracts that use each keyword of JSON Schema 2020-12: in a property, in a property of array items, in the message
itself, alone and in pairs.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OFFERS = "offer-creation-request.schema.json"
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
PERSON = {"type": "object", "properties": {"first": TEXT, "last": TEXT, "age": WHOLE}, "additionalProperties": False}
CARD = {"properties": {"kind": {"const": "card"}, "card": TEXT}, "required": ["kind", "card"]}
BANK = {"properties": {"kind": {"const": "bank"}, "bank": TEXT}, "required": ["kind", "bank"]}
PAYMENT = {"type": "object", "properties": {"kind": TEXT}, "required": ["kind"]}
MAP = {"type": "object", "additionalProperties": WHOLE}

VALUES: dict[str, dict[str, Any]] = {
    "const string": {"const": "EUR"},
    "const number": {"const": 1.5},
    "const null": {"const": None},
    "const object": {"const": {"a": [1, {"b": None}]}},
    "const array": {"const": [1, "a"]},
    "enum of any type": {"enum": ["a", 1, None, True, {"a": 1}, [2]]},
    "enum of numbers": {"type": "number", "enum": [1, 2.5, 4]},
    "oneOf types": {"oneOf": [{"type": "string", "minLength": 3}, {"type": "integer", "minimum": 5}]},
    "oneOf overlapping": {"oneOf": [{"type": "integer", "multipleOf": 3}, {"type": "integer", "multipleOf": 5}]},
    "oneOf objects": {**PAYMENT, "oneOf": [CARD, BANK]},
    "oneOf null": {"oneOf": [{"type": "null"}, PERSON]},
    "anyOf types": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": WHOLE}]},
    "anyOf required": {**PERSON, "anyOf": [{"required": ["first"]}, {"required": ["last"]}]},
    "anyOf bounds": {"type": "integer", "anyOf": [{"maximum": 3}, {"minimum": 100}]},
    "not const": {"type": "string", "not": {"const": "a"}},
    "not type": {"not": {"type": ["object", "array", "string"]}},
    "not required": {**PERSON, "not": {"required": ["first", "last"]}},
    "not pattern": {"type": "string", "not": {"pattern": "^[a-z]"}},
    "dependentRequired": {**PERSON, "dependentRequired": {"first": ["last", "age"]}},
    "dependentSchemas": {**PERSON, "dependentSchemas": {"age": {"properties": {"first": {"minLength": 4}}, "required": ["first"]}}},
    "minProperties": {**PERSON, "minProperties": 2},
    "maxProperties": {**PERSON, "maxProperties": 1},
    "minProperties of a map": {**MAP, "minProperties": 3},
    "maxProperties of a map": {**MAP, "maxProperties": 2},
    "patternProperties": {"type": "object", "patternProperties": {"^x-[a-z]+$": WHOLE}, "additionalProperties": False},
    "patternProperties only": {"type": "object", "patternProperties": {"^S_": TEXT, "^I_": WHOLE}},
    "propertyNames": {**MAP, "propertyNames": {"pattern": "^[A-Z]{3}$"}},
    "propertyNames maxLength": {"type": "object", "propertyNames": {"maxLength": 4}},
    "additionalProperties schema": MAP,
    "map of objects": {"type": "object", "additionalProperties": {**PERSON, "required": ["last"]}},
    "unevaluatedProperties": {"type": "object", "allOf": [{"properties": {"a": TEXT}}], "properties": {"b": WHOLE}, "unevaluatedProperties": False},
    "unevaluatedProperties schema": {"type": "object", "properties": {"a": TEXT}, "unevaluatedProperties": WHOLE},
    "prefixItems": {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2},
    "prefixItems closed": {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False, "minItems": 2},
    "prefixItems and items": {"type": "array", "prefixItems": [TEXT], "items": WHOLE},
    "unevaluatedItems": {"type": "array", "prefixItems": [TEXT], "unevaluatedItems": False},
    "contains": {"type": "array", "contains": {"type": "integer", "minimum": 7}},
    "minContains": {"type": "array", "contains": {"const": "a"}, "minContains": 2},
    "maxContains": {"type": "array", "items": WHOLE, "contains": {"minimum": 10}, "minContains": 1, "maxContains": 2},
    "uniqueItems": {"type": "array", "items": WHOLE, "uniqueItems": True},
    "uniqueItems objects": {"type": "array", "items": PERSON, "uniqueItems": True, "minItems": 2},
    "uniqueItems booleans": {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
    "items false": {"type": "array", "items": False},
    "items of any type": {"type": "array", "items": {}, "minItems": 1},
    "multipleOf": {"type": "integer", "multipleOf": 7},
    "multipleOf fraction": {"type": "number", "multipleOf": 0.01, "minimum": 0},
    "multipleOf large": {"type": "number", "multipleOf": 1e6},
    "exclusive bounds": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "exclusive integers": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3},
    "bounds without a type": {"minimum": 3},
    "minLength without a type": {"minLength": 3},
    "64-bit integers": {"type": "integer", "minimum": -(1 << 63), "maximum": (1 << 63) - 1},
    "unsigned 64-bit integers": {"type": "integer", "minimum": 0, "maximum": (1 << 64) - 1},
    "unbounded integers": WHOLE,
    "large minimum": {"type": "integer", "minimum": 1 << 40},
    "minLength": {"type": "string", "minLength": 5},
    "maxLength": {"type": "string", "maxLength": 5},
    "length of one": {"type": "string", "minLength": 1, "maxLength": 1},
    "limits of 0": {"type": ["string", "array"], "minLength": 0, "minItems": 0, "minProperties": 0},
    "map of objects with properties": {"type": "object", "additionalProperties": {"type": ["string", "object"], "properties": {"dependencies": TEXT}}},
    "minItems": {"type": "array", "items": TEXT, "minItems": 2},
    "maxItems": {"type": "array", "items": TEXT, "maxItems": 2},
    "minItems of numbers": {"type": "array", "items": WHOLE, "minItems": 2},
    "maxItems of numbers": {"type": "array", "items": WHOLE, "maxItems": 2},
    "maxItems 0": {"type": "array", "maxItems": 0},
    "pattern": {"type": "string", "pattern": "^OFF-[0-9]{4}$"},
    "pattern without anchors": {"type": "string", "pattern": "[A-Z][a-z]+"},
    "pattern of a year": {"type": "string", "pattern": "^20"},
    "pattern and length": {"type": "string", "pattern": "^[a-z]+$", "minLength": 4, "maxLength": 6},
    "pattern with alternatives": {"type": "string", "pattern": "^(EUR|USD|[A-Z]{2}X)$"},
    "pattern with lookahead": {"type": "string", "pattern": "^(?=.*[0-9])[a-z0-9]{3,8}$"},
    "pattern with letters of Unicode": {"type": "string", "pattern": "^\\p{L}+$"},
    "pattern or null": {"type": ["string", "null"], "pattern": "^[0-9a-f]{8}$"},
    **{f"format {name}": {"type": "string", "format": name} for name in (
        "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
        "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
    )},
    "unknown format": {"type": "string", "format": "colour"},
    "format or null": {"type": ["string", "null"], "format": "date"},
    "content": {"type": "string", "contentEncoding": "base64", "contentMediaType": "text/plain"},
    "true": {"anyOf": [True]},
    "if then else": {**PERSON, "if": {"required": ["first"]}, "then": {"required": ["last"]}, "else": {"required": ["age"]}},
    "bounds under else": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}, "size": {"type": "integer", "maximum": 100}}, "required": ["kind", "size"], "if": {"properties": {"kind": {"const": "a"}}}, "else": {"properties": {"size": {"minimum": 10}}}},
    "if pattern": {"type": "object", "properties": {"code": TEXT, "size": WHOLE}, "required": ["code"], "if": {"properties": {"code": {"pattern": "^X"}}}, "then": {"required": ["size"]}},
    "if of a string": {"type": "string", "if": {"minLength": 3}, "then": {"pattern": "^a"}},
    "recursion": {"$ref": "#/$defs/tree"},
    "recursion with limits": {"$ref": "#/$defs/limited_tree"},
    "recursion with items or null": {"$ref": "#/$defs/tree_or_null"},
    "recursion with a number of properties": {"$ref": "#/$defs/binary_tree"},
    "property of a condition": {"type": "object", "properties": {"first": TEXT}, "if": {"required": ["title"]}, "then": {"properties": {"title": TEXT}}, "unevaluatedProperties": False},
    "property that a value allows": {"type": "object", "properties": {"kind": WHOLE}, "if": {"properties": {"kind": {"const": 1}}, "required": ["kind"]}, "then": {"properties": {"size": TEXT}}, "unevaluatedProperties": False},
    "recursion through anyOf": {"$ref": "#/$defs/list"},
    "mutual recursion": {"$ref": "#/$defs/even"},
    "allOf": {"allOf": [{"type": "string", "minLength": 2}, {"maxLength": 4}]},
    "allOf of patterns": {"type": "string", "allOf": [{"pattern": "^[a-z]"}, {"pattern": "[0-9]$"}]},
    "nested oneOf": {"oneOf": [{"oneOf": [WHOLE, {"type": "boolean"}]}, {"type": "string", "pattern": "^a+$"}]},
    "$anchor": {"$ref": "#text"},
    "$dynamicRef": {"$dynamicRef": "#text"},
    "$id inside": {"$ref": "price"},
    "$anchor of an $id inside": {"$ref": "price#amount"},
    "$id that is a URN": {"$ref": "urn:example:code"},
}  # fmt: skip
"""Schemas of a value."""

DEFINITIONS = {
    "tree": {"type": "object", "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["name"], "additionalProperties": False},
    "limited_tree": {"type": "object", "properties": {"name": TEXT, "children": {"type": "array", "maxItems": 3, "uniqueItems": True, "items": {"$ref": "#/$defs/limited_tree"}}}, "required": ["name"], "additionalProperties": False},
    "tree_or_null": {"type": "object", "properties": {"name": TEXT, "children": {"type": ["array", "null"], "minItems": 1, "items": {"$ref": "#/$defs/tree_or_null"}}}, "required": ["children"], "additionalProperties": False},
    "binary_tree": {"type": "object", "properties": {"name": TEXT, "left": {"$ref": "#/$defs/binary_tree"}, "right": {"$ref": "#/$defs/binary_tree"}}, "maxProperties": 2, "additionalProperties": False},
    "list": {"type": "object", "properties": {"head": WHOLE, "tail": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/list"}]}}, "required": ["head", "tail"]},
    "even": {"type": "object", "properties": {"odd": {"$ref": "#/$defs/odd"}, "size": WHOLE}},
    "odd": {"type": "object", "properties": {"even": {"$ref": "#/$defs/even"}, "name": TEXT}},
    "text": {"$anchor": "text", "$dynamicAnchor": "text", "type": "string"},
    "price": {"$id": "price", "type": "object", "properties": {"amount": {"$ref": "#/$defs/of%20price"}}, "required": ["amount"], "$defs": {"of price": {"$anchor": "amount", "type": "integer", "minimum": 1}}},
    "code": {"$id": "urn:example:code", "$ref": "#/$defs/letters", "$defs": {"letters": {"type": "string", "minLength": 2}}},
}  # fmt: skip

MESSAGES: dict[str, dict[str, Any]] = {
    "oneOf": {"oneOf": [{"required": ["comments"]}, {"required": ["orderMinimum"]}]},
    "oneOf with properties": {"additionalProperties": True, "oneOf": [CARD, BANK]},
    "anyOf": {"anyOf": [{"required": ["comments"]}, {"required": ["orderMinimum"]}]},
    "not": {"not": {"required": ["comments", "orderMinimum"]}},
    "not a value": {"not": {"properties": {"offerType": {"const": "VDM"}}, "required": ["offerType"]}},
    "dependentRequired": {"dependentRequired": {"comments": ["orderMinimum"]}},
    "dependentSchemas": {"dependentSchemas": {"comments": {"properties": {"orderMinimum": {"maximum": 9}}}}},
    "minProperties": {"minProperties": 3},
    "maxProperties": {"maxProperties": 2},
    "patternProperties": {"patternProperties": {"^x-": TEXT}},
    "propertyNames": {"propertyNames": {"maxLength": 12}, "additionalProperties": True},
    "additionalProperties": {"additionalProperties": WHOLE},
    "unevaluatedProperties": {"additionalProperties": None, "unevaluatedProperties": False},
    "if then else": {"if": {"properties": {"offerType": {"const": "VDM"}}}, "then": {"required": ["comments"]}, "else": {"required": ["orderMinimum"]}},
    "allOf": {"allOf": [{"required": ["comments"]}, {"properties": {"comments": {"minLength": 3}}}]},
    "false property": {"properties": {"comments": False}},
    "true property": {"properties": {"comments": True}},
    "recursion": {"properties": {"parent": {"$ref": "#"}}},
    "const": {"properties": {"offerType": {"const": "VDM"}}},
    "pattern of the number": {"properties": {"number": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"}}},
    "enum": {"enum": [{"number": "a", "comments": "c", "orderMinimum": 1}, {"number": "b", "offerType": "VDM"}]},
    "unknown keyword": {"properties": {"number": {"type": "string", "maxLenght": 5}}},
}  # fmt: skip
"""What is added to the schema of the message."""

PAIRS = (
    ("pattern without anchors", "allOf of patterns"), ("anyOf bounds", "multipleOf"), ("anyOf required", "dependentRequired"),
    ("dependentRequired", "minProperties"), ("patternProperties only", "minProperties of a map"),
    ("propertyNames", "maxProperties of a map"), ("contains", "uniqueItems"), ("prefixItems", "contains"),
    ("contains", "maxItems of numbers"), ("multipleOf", "large minimum"), ("if then else", "minProperties"),
    ("oneOf objects", "patternProperties only"), ("not required", "minProperties"), ("uniqueItems", "minItems of numbers"),
    ("format date", "pattern of a year"), ("unevaluatedProperties schema", "propertyNames maxLength"),
)  # fmt: skip
"""Two schemas of one value: one contains the keywords of both."""
OF_MESSAGE_PAIRS = (
    ("oneOf", "minProperties"), ("dependentRequired", "if then else"), ("anyOf", "not"), ("patternProperties", "propertyNames"),
    ("additionalProperties", "minProperties"), ("not", "if then else"),
)  # fmt: skip


@dataclass(frozen=True)
class KeywordContract:
    name: str
    schema: Mapping[str, Any]

    def write(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        (folder / OFFERS).write_text(json.dumps(self.schema))
        return folder


def keyword_contracts() -> Iterator[KeywordContract]:
    for name, value in VALUES.items():
        yield _with_property(name, value)
        yield _with_nested_property(name, value)
        if name != "const null":  # refused: there is nothing to generate
            yield KeywordContract(f"whole message: {name}", {**value, "$defs": DEFINITIONS})
    for one, other in PAIRS:
        yield _with_property(f"{one} and {other}", {"allOf": [VALUES[one], VALUES[other]]})
        yield _with_nested_property(f"{one} and {other}", {**VALUES[other], "allOf": [VALUES[one]]})
    for name, more in MESSAGES.items():
        yield KeywordContract(f"message: {name}", _message(more))
    for one, other in OF_MESSAGE_PAIRS:
        yield KeywordContract(f"message: {one} and {other}", _message(MESSAGES[one], MESSAGES[other]))


def _with_property(name: str, value: Any) -> KeywordContract:
    message = _message({"properties": {"value": value}})
    message["required"].append("value")
    return KeywordContract(f"property: {name}", message)


def _with_nested_property(name: str, value: Any) -> KeywordContract:
    line = {"type": "object", "properties": {"value": value, "note": TEXT}, "additionalProperties": False}
    lines = {"type": ["array", "null"], "items": line}
    return KeywordContract(f"nested: {name}", _message({"properties": {"lines": lines}}))


def _message(*more: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["number"],
        "properties": {
            "number": {"type": "string", "minLength": 1},
            "offerType": {"type": "string", "enum": ["Email", "VDM"]},
            "comments": {"type": ["string", "null"]},
            "orderMinimum": {"type": "integer", "minimum": 1, "maximum": 1000},
        },
        "$defs": DEFINITIONS,
    }
    for part in more:
        properties = {**message["properties"], **part.get("properties", {})}
        message = {**message, **part, "properties": properties}
    return {keyword: value for keyword, value in message.items() if value is not None}
