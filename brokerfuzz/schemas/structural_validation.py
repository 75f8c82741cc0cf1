"""Validates the structure of messages with JSON Schema (jsonschema-rs).

The validator also checks the keyword `format`. References may point only to the contract's own files, and nothing is
downloaded.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs

from brokerfuzz.schemas.flattening import KNOWN, OTHER_ITEMS, Schema
from brokerfuzz.schemas.subschemas import subschemas

SCHEMA_SUFFIX = ".schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=20_000)
"""Limits the backtracking of a pattern in one string, because Ctrl-C cannot interrupt the matching. If a string needs
more backtracking, it does not match. A thousand such strings take about a second.
"""

Validator = jsonschema_rs.Validator


class SchemaFiles:
    """Finds the schemas of a contract by URI. The URI of a file is its `$id`, or any URI that ends with its name. A
    schema with `$id`, `$anchor` or `$dynamicAnchor` inside a file has a URI, too.
    """

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._by_uri: dict[str, tuple[Schema, str]] = {}
        for name, schema in schemas.items():
            file = f"{name}{SCHEMA_SUFFIX}"
            for base, at, part in subschemas(schema, file):
                anchors = [f"{base}#{part[keyword]}" for keyword in ("$anchor", "$dynamicAnchor") if keyword in part]
                uris = [*([] if at else [file]), *([base] if "$id" in part else []), *anchors]
                self._by_uri |= dict.fromkeys(uris, (part, base))

    def find(self, uri: str) -> tuple[Schema, str]:
        """Returns a schema, and the URI to which its references are relative. Raises `LookupError` if there is no such
        schema.
        """
        return self._by_uri[uri] if uri in self._by_uri else self._by_uri[uri.rpartition("/")[2]]

    def retrieve(self, uri: str) -> Schema:
        """Returns a schema for jsonschema-rs, which resolves references relative to the URI that it retrieves. If the
        schema has another URI, the function returns a reference to that URI.
        """
        schema, base = self.find(uri)
        return {"$ref": base} if urlsplit(base).scheme and base != uri else schema


def validator(schema: Schema, files: SchemaFiles) -> Validator:
    """Raises `ValueError` if the schema is not valid in draft 2020-12, or if a reference does not point to a file of
    the contract.
    """
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, retriever=files.retrieve, validate_formats=True, pattern_options=PATTERNS
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as problem:
        raise ValueError(problem.message) from problem


def standard(schema: Any) -> Any:
    """Converts a flat schema to standard JSON Schema, without the keywords that only brokerfuzz uses."""
    if isinstance(schema, list):
        return [standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == []:
        return {"not": {}}
    found = {
        "items" if keyword == OTHER_ITEMS else keyword: value if keyword == "enum" else standard(value)
        for keyword, value in schema.items()
    }
    if KNOWN in found:
        found["allOf"] = [*found.get("allOf", ()), {"enum": [*found[KNOWN], None]}]
    return found
