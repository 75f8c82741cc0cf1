"""Converts schemas that teams have (of OpenAPI 3, or of an older draft of JSON Schema) to draft 2020-12."""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from referencing import Registry, Specification
from referencing.exceptions import Unresolvable

from brokerfuzz.errors import ContractError, UnknownNameError
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.subschemas import subschemas
from brokerfuzz.wording import listed

Change = Callable[[Schema], str | None]
"""A function that changes a schema in place. It returns what the user should know about the change, if anything."""
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_JSON = re.compile(r"application/(?:[^;]+\+)?json(?:;.*)?")
_INTEGERS = {"int32": 1 << 31, "int64": 1 << 63}
_BESIDE_REFERENCES = {"$ref", "$schema", "$id", "$defs", "definitions"}


class Operation(NamedTuple):
    """`body` is the description of the request body in the document, which can be a reference."""

    route: str
    name: str
    body: Any


def request_body(document: Any, operation: str, path: Path) -> tuple[Operation, Schema, list[str]]:
    """Returns an operation, the schema of its JSON request body, and notes for the user."""
    version = str(document.get("openapi", "")) if isinstance(document, dict) else ""
    if not version.startswith("3."):
        old = " (Swagger 2.0 must be converted first, for example by converter.swagger.io)" if not version else ""
        raise ContractError(f"{path} is not an OpenAPI 3 document{old}: specify a document with the property openapi")
    found = {name: one for one in _operations(document) for name in (one.name, one.route)}
    if operation not in found:
        remedy = f"use the operationId, or the method and path, of an operation of {path}"
        raise UnknownNameError("operation", operation, found, remedy)
    chosen = found[operation]
    documents = _Document(document, path)
    content = documents.resolved(chosen.body).get("content", {})
    media_types = [name for name in content if _JSON.fullmatch(name.lower())]
    if not media_types:
        has = f", only {listed(content)}" if content else ""
        raise ContractError(f"{operation} in {path} has no JSON request body{has}: choose another operation")
    schema = content[media_types[0]].get("schema", {})
    changes = _OF_OPENAPI_3_0 if version.startswith("3.0") else _OF_OPENAPI
    return chosen, *documents.bundled(schema, changes)


def _operations(document: Any) -> Iterator[Operation]:
    for path, methods in document.get("paths", {}).items():
        for method in (name for name in _METHODS if name in methods):
            route = f"{method.upper()} {path}"
            yield Operation(route, methods[method].get("operationId", route), methods[method].get("requestBody", {}))


class _Document:
    """An OpenAPI document. `path` is its file, for errors."""

    def __init__(self, content: Any, path: Path) -> None:
        resource = Specification.OPAQUE.create_resource(content)
        self.resolver = Registry[Any]().with_resource("", resource).resolver()
        self.path = path

    def resolved(self, part: Any) -> Any:
        """Follows the `$ref` of a part of the document, if it has one."""
        followed: set[str] = set()
        while isinstance(part, dict) and (reference := part.get("$ref")) is not None:
            if reference in followed:
                raise ContractError(f"{self.path} has a $ref {reference!r} to itself: correct the reference")
            followed.add(reference)
            part = self._target(reference)
        return part

    def _target(self, reference: str) -> Any:
        try:
            return self.resolver.lookup(reference).contents
        except (Unresolvable, LookupError, ValueError) as problem:
            raise ContractError(
                f"{self.path} has a $ref {reference!r} that does not exist in this document: correct the reference, or "
                "bundle all documents into one file first"
            ) from problem

    def bundled(self, schema: Any, changes: Mapping[str, Change]) -> tuple[Schema, list[str]]:
        """Returns a copy of a schema that contains all schemas to which it refers, and notes for the user."""
        whole = deepcopy(schema) if isinstance(schema, dict) else {"allOf": [schema]}
        definitions: dict[str, Any] = {}
        names: dict[str, str] = {}
        notes: list[str] = []
        waiting = [("", whole)]
        while waiting:
            name, part = waiting.pop()
            notes += (f"{name}{note}" for note in modernised(part, changes))
            for _, inner in subschemas(part):
                reference = inner.get("$ref")
                if reference is None:
                    continue
                if reference not in names:
                    names[reference] = _new_name(reference, definitions)
                    definitions[names[reference]] = deepcopy(self._target(reference))
                    waiting.append((f"#/$defs/{names[reference]}", definitions[names[reference]]))
                inner["$ref"] = f"#/$defs/{names[reference]}"
        return ({**whole, "$defs": definitions} if definitions else whole), notes


def _new_name(reference: str, others: Mapping[str, Any]) -> str:
    name = re.sub("[^A-Za-z0-9_.-]", "_", steps_of(unquote(reference))[-1])
    return name if name not in others else _new_name(f"{reference}_", others)


def modernised(schema: Any, changes: Mapping[str, Change]) -> Iterator[str]:
    """Changes a schema, and all schemas inside it, in place. Yields notes for the user."""
    for at, part in subschemas(schema):
        for keyword, change in changes.items():
            if keyword in part and (note := change(part)):
                yield f"{at}: {note}"


def _remove(keyword: str) -> Change:
    def change(schema: Schema) -> None:
        del schema[keyword]

    return change


def _nullable(schema: Schema) -> str | None:
    if schema.pop("nullable") is not True:
        return None
    if "type" not in schema:
        return "nullable has no effect without type, so null is not allowed"
    schema["type"] = [schema["type"], "null"]
    is_possible = None in schema["enum"] if "enum" in schema else True
    return None if is_possible else "enum does not contain null, so null is not allowed in spite of nullable"


def _bounded(schema: Schema) -> None:
    limit = _INTEGERS.get(schema["format"])
    if limit is None or "integer" not in schema.get("type", ()) or {"enum", "const"} & schema.keys():
        return
    if not {"minimum", "exclusiveMinimum"} & schema.keys():
        schema["minimum"] = -limit
    if not {"maximum", "exclusiveMaximum"} & schema.keys():
        schema["maximum"] = limit - 1


def _without_read_only(schema: Schema) -> str | None:
    """The properties with `readOnly` belong only to responses."""
    hidden = [name for name, prop in schema["properties"].items() if isinstance(prop, dict) and prop.get("readOnly")]
    for name in hidden:
        del schema["properties"][name]
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name not in hidden]
    return f"without the read-only properties {listed(hidden)}" if hidden else None


def _exclusive(keyword: str, bound: str) -> Change:
    def change(schema: Schema) -> None:
        if schema[keyword] is True and bound in schema:
            schema[keyword] = schema.pop(bound)
        elif isinstance(schema[keyword], bool):
            del schema[keyword]

    return change


def _reference_alone(schema: Schema) -> None:
    for keyword in schema.keys() - _BESIDE_REFERENCES:
        del schema[keyword]


def _items(schema: Schema) -> None:
    others = schema.pop("additionalItems", True)
    if isinstance(schema["items"], list):
        schema["prefixItems"] = schema["items"]
        schema["items"] = others


def _dependencies(schema: Schema) -> None:
    for name, needed in schema.pop("dependencies").items():
        schema.setdefault("dependentRequired" if isinstance(needed, list) else "dependentSchemas", {})[name] = needed


OF_OLD_DRAFTS: Mapping[str, Change] = {
    "$ref": _reference_alone,
    "id": _remove("id"),
    "exclusiveMinimum": _exclusive("exclusiveMinimum", "minimum"),
    "exclusiveMaximum": _exclusive("exclusiveMaximum", "maximum"),
    "items": _items,
    "dependencies": _dependencies,
}
_OF_OPENAPI: Mapping[str, Change] = {
    **{keyword: _remove(keyword) for keyword in ("example", "externalDocs", "xml", "discriminator")},
    "properties": _without_read_only,
    "format": _bounded,
}
_OF_OPENAPI_3_0: Mapping[str, Change] = {"nullable": _nullable, **_OF_OPENAPI, **OF_OLD_DRAFTS}
