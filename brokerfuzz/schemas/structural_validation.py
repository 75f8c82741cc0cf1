"""Structural validation of messages by JSON Schema (jsonschema-rs), with the schemas as they are written.

The validator checks formats. References may point only to the contract's own files, and nothing is downloaded.
"""

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any, NamedTuple
from urllib.parse import quote

import jsonschema_rs

from brokerfuzz.pointers import escape
from brokerfuzz.schemas.flattening import ANNOTATIONS, Schema

SCHEMA_SUFFIX = ".schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


Validator = jsonschema_rs.Validator


class SchemaFiles:
    """The schemas of a contract by URI: either the `$id` of a schema, or any URI that ends in its file name."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._by_uri = {schema["$id"]: schema for schema in schemas.values() if "$id" in schema}
        self._by_file = {f"{name}{SCHEMA_SUFFIX}": schema for name, schema in schemas.items()}

    def __call__(self, uri: str, /) -> Schema:
        """Returns the schema with this URI. Raises `LookupError` if the contract has no such schema."""
        return self._by_uri[uri] if uri in self._by_uri else self._by_file[uri.rpartition("/")[2]]


def validator(schema: Schema, files: SchemaFiles) -> Validator:
    """Returns a validator for a schema.

    Raises `ValueError` if the schema is not valid in draft 2020-12, or if a reference points to something outside the files.
    """
    try:
        return jsonschema_rs.Draft202012Validator(schema, retriever=files, validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as problem:
        raise ValueError(problem.message) from problem


class Tie(NamedTuple):
    """Properties that depend on each other, and the validators that check them together. The rest of the message does not affect these validators."""

    names: frozenset[str]
    validators: Sequence[Validator] = ()


class Split(NamedTuple):
    """A schema in parts, so that properties can be checked one at a time.

    - `props`: a validator for each property.
    - `rest`: a validator for everything else. `props` and `rest` together find what the whole schema finds.
    - `ties`: the checks of `rest`, split into checks of a few properties each. They are equivalent to `rest` if the schema lists all properties of
      the object. None if `rest` may look at any property.
    - `strange`: the validator that rejects properties that the schema does not list. None if they are allowed.
    """

    props: Mapping[str, Validator]
    rest: Validator
    ties: Sequence[Tie] | None
    strange: Validator | None = None


def split(name: str, schema: Schema, files: SchemaFiles) -> Split:
    """Splits the schema of this file into a validator for each of its properties, and one for the rest.

    `properties` checks each property independently (JSON Schema 2020-12, core, 10.3.2.1). The schema is not split if the rest contains
    a reference, because the reference might point to a property that was removed.
    """
    rest = {**schema, "properties": dict.fromkeys(schema.get("properties", {}), True)}
    text = dumps(rest)
    if '"$ref"' in text or '"$dynamicRef"' in text:
        return Split({}, validator(schema, files), None)
    references = {prop: {"$schema": DRAFT, "$ref": f"{name}{SCHEMA_SUFFIX}#/properties/{quote(escape(prop))}"} for prop in rest["properties"]}
    props = {prop: validator(reference, files) for prop, reference in references.items()}
    ties = [(set(_seen(part)), validator(part, files)) for part in _parts(rest)]
    if None in set[str | None]().union(*(names for names, _ in ties)):
        return Split(props, validator(rest, files), None)
    closed = {keyword: rest[keyword] for keyword in ("properties", "additionalProperties")} if rest.get("additionalProperties") is False else None
    found = [Tie(frozenset(filter(None, names)), [check]) for names, check in ties]
    return Split(props, validator(rest, files), found, validator(closed, files) if closed is not None else None)


_CONDITION = ("if", "then", "else")


def _parts(schema: Schema) -> Iterator[Schema]:
    """Yields schemas that together find the same errors as this schema, if the schema lists all properties of the object."""
    for keyword, value in schema.items():
        if keyword == "allOf":
            for below in value:
                yield from _parts(below) if isinstance(below, dict) and "additionalProperties" not in below else [{keyword: [below]}]
        elif keyword == "required":
            yield from ({keyword: [name]} for name in value)
        elif keyword == "properties":
            yield from ({keyword: {name: below}} for name, below in value.items() if below is not True)
        elif keyword == "if":
            yield {part: schema[part] for part in _CONDITION if part in schema}
        elif keyword not in (*ANNOTATIONS, *_CONDITION) and not (keyword == "additionalProperties" and isinstance(value, bool)):
            yield {keyword: value}


def _seen(schema: Schema | bool) -> Iterator[str | None]:
    """Yields the properties that a schema looks at. Also yields None if these properties cannot be determined, or if the schema may reject any
    object.
    """
    if schema is False:
        yield None
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if keyword == "properties":
            yield from (name for name, below in value.items() if below is not True)
        elif keyword == "required":
            yield from value
        elif keyword in _CONDITION:
            yield from _seen(value)
        elif keyword == "allOf":
            for below in value:
                yield from _seen(below)
        elif keyword not in ANNOTATIONS and not (keyword == "type" and "object" in ([value] if isinstance(value, str) else value)):
            yield None


def standard(schema: Any) -> Any:
    """Returns a flat schema as standard JSON Schema. Only brokerfuzz uses `"type": []`, so this function replaces it with `{"not": {}}`."""
    if isinstance(schema, dict):
        return {"not": {}} if schema.get("type") == [] else {keyword: standard(value) for keyword, value in schema.items()}
    return [standard(item) for item in schema] if isinstance(schema, list) else schema
