"""The structural half of the oracle: a JSON Schema validator (jsonschema-rs) on schemas as they are written.

Formats are asserted. References are followed within the contract's own files and nowhere else: nothing is fetched.
"""

from collections.abc import Iterator, Mapping
from json import dumps
from typing import Any, NamedTuple
from urllib.parse import quote

import jsonschema_rs

from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.pointers import escape

SCHEMA_SUFFIX = ".schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


Validator = jsonschema_rs.Validator


class Files:
    """A contract's schemas by URI: the `$id` of one, or any URI that ends in the name of its file."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._by_uri = {schema["$id"]: schema for schema in schemas.values() if "$id" in schema}
        self._by_file = {f"{name}{SCHEMA_SUFFIX}": schema for name, schema in schemas.items()}

    def __call__(self, uri: str, /) -> Schema:
        """The schema of this URI. Raises `LookupError` where the contract has none."""
        return self._by_uri[uri] if uri in self._by_uri else self._by_file[uri.rpartition("/")[2]]


def validator(schema: Schema, files: Files) -> Validator:
    """A validator for a schema. Raises `ValueError` where it is no schema of draft 2020-12, or refers to none of the files."""
    try:
        return jsonschema_rs.Draft202012Validator(schema, retriever=files, validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as problem:
        raise ValueError(problem.message) from problem


class Split(NamedTuple):
    """A schema in parts: validators of members by their names, and of all that is left: it finds what the whole schema finds, but for those.

    `seen` are those members that what is left looks at: the others might as well not be there. None, if it may look at any.
    """

    members: Mapping[str, Validator]
    rest: Validator
    seen: frozenset[str] | None


def split(name: str, schema: Schema, files: Files) -> Split:
    """The schema of this file, with the members of its `properties` apart.

    `properties` asks about one member at a time (JSON Schema 2020-12, core, 10.3.2.1). Nothing is apart where what is left refers to anything:
    it might be to a member that is gone.
    """
    rest = {**schema, "properties": dict.fromkeys(schema.get("properties", {}), True)}
    if any(reference in dumps(rest) for reference in ('"$ref"', '"$dynamicRef"')):
        return Split({}, validator(schema, files), None)
    references = {member: {"$schema": DRAFT, "$ref": f"{name}{SCHEMA_SUFFIX}#/properties/{quote(escape(member))}"} for member in rest["properties"]}
    seen = set(_seen(rest))
    return Split(
        {member: validator(reference, files) for member, reference in references.items()},
        validator(rest, files),
        frozenset(name for name in seen if name is not None) if None not in seen else None,
    )


_PLAIN = {"$schema", "$id", "$comment", "title", "description", "type"}
"""Keywords that look at no member of an object."""


def _seen(schema: Any) -> Iterator[str | None]:
    """The members of an object that a schema looks at; None among them, if that cannot be told."""
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if keyword == "properties":
            yield from (name for name, below in value.items() if below is not True)
        elif keyword == "required":
            yield from value
        elif keyword in ("if", "then", "else"):
            yield from _seen(value)
        elif keyword == "allOf":
            for below in value:
                yield from _seen(below)
        elif keyword not in _PLAIN and not (keyword == "additionalProperties" and isinstance(value, bool)):
            yield None


def standard(schema: Any) -> Any:
    """A flat schema with `{"not": {}}` for what allows no type: `"type": []` is for our eyes alone."""
    if isinstance(schema, dict):
        return {"not": {}} if schema.get("type") == [] else {keyword: standard(value) for keyword, value in schema.items()}
    return [standard(item) for item in schema] if isinstance(schema, list) else schema
