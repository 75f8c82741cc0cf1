"""The structural half of the oracle: a JSON Schema validator (jsonschema-rs) on schemas as they are written.

Formats are asserted. References are followed within the contract's own files and nowhere else: nothing is fetched.
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
    """A contract's schemas by URI: the `$id` of one, or any URI that ends in the name of its file."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._by_uri = {schema["$id"]: schema for schema in schemas.values() if "$id" in schema}
        self._by_file = {f"{name}{SCHEMA_SUFFIX}": schema for name, schema in schemas.items()}

    def __call__(self, uri: str, /) -> Schema:
        """The schema of this URI. Raises `LookupError` where the contract has none."""
        return self._by_uri[uri] if uri in self._by_uri else self._by_file[uri.rpartition("/")[2]]


def validator(schema: Schema, files: SchemaFiles) -> Validator:
    """A validator for a schema. Raises `ValueError` where it is no schema of draft 2020-12, or refers to none of the files."""
    try:
        return jsonschema_rs.Draft202012Validator(schema, retriever=files, validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as problem:
        raise ValueError(problem.message) from problem


class Tie(NamedTuple):
    """What is asked of properties together: by these validators, of those that a message has of these names, whatever else it has."""

    names: frozenset[str]
    asked: Sequence[Validator] = ()


class Split(NamedTuple):
    """A schema in parts: validators of properties by their names, and of all that is left: it finds what the whole schema finds, but for those.

    `ties` ask what `rest` asks, each about a few properties, of an object that has no other properties than `properties`. None, if `rest` may be
    about any.
    What it asks of others, where there are ties, is what `strange` asks: not to be there; nothing, where that is None.
    """

    props: Mapping[str, Validator]
    rest: Validator
    ties: Sequence[Tie] | None
    strange: Validator | None = None


def split(name: str, schema: Schema, files: SchemaFiles) -> Split:
    """The schema of this file, with the properties of its `properties` apart.

    `properties` asks about one property at a time (JSON Schema 2020-12, core, 10.3.2.1). Nothing is apart where what is left refers to anything:
    it might be to a property that is gone.
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
    told = [Tie(frozenset(filter(None, names)), [asked]) for names, asked in ties]
    return Split(props, validator(rest, files), told, validator(closed, files) if closed is not None else None)


_CONDITION = ("if", "then", "else")


def _parts(schema: Schema) -> Iterator[Schema]:
    """Schemas that find together what this one finds in an object of properties that its `properties` have."""
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
    """The properties of an object that a schema looks at; None among them, if that cannot be told, or it may find fault with the object as such."""
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
    """A flat schema with `{"not": {}}` for what allows no type: `"type": []` is for our eyes alone."""
    if isinstance(schema, dict):
        return {"not": {}} if schema.get("type") == [] else {keyword: standard(value) for keyword, value in schema.items()}
    return [standard(item) for item in schema] if isinstance(schema, list) else schema
