"""The structural half of the oracle: a JSON Schema validator (jsonschema-rs) on schemas as they are written.

Formats are asserted. References are followed within the contract's own files and nowhere else: nothing is fetched.
"""

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from brokerfuzz.schemas.flattening import Schema

SCHEMA_SUFFIX = ".schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


class Files:
    """A contract's schemas by URI: the `$id` of one, or any URI that ends in the name of its file."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._by_uri = {schema["$id"]: schema for schema in schemas.values() if "$id" in schema}
        self._by_file = {f"{name}{SCHEMA_SUFFIX}": schema for name, schema in schemas.items()}

    def __call__(self, uri: str, /) -> Schema:
        """The schema of this URI. Raises `LookupError` where the contract has none."""
        return self._by_uri[uri] if uri in self._by_uri else self._by_file[uri.rpartition("/")[2]]


def validator(schema: Schema, files: Files) -> jsonschema_rs.Validator:
    """A validator for a schema. Raises `ValueError` where it is no schema of draft 2020-12, or refers to none of the files."""
    try:
        return jsonschema_rs.Draft202012Validator(schema, retriever=files, validate_formats=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as problem:
        raise ValueError(problem.message) from problem


def standard(schema: Any) -> Any:
    """A flat schema with `{"not": {}}` for what allows no type: `"type": []` is for our eyes alone."""
    if isinstance(schema, dict):
        return {"not": {}} if schema.get("type") == [] else {keyword: standard(value) for keyword, value in schema.items()}
    return [standard(item) for item in schema] if isinstance(schema, list) else schema
