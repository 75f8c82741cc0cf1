"""Validates messages and their parts with JSON Schema (jsonschema-rs).

The validator also checks the keyword `format`. References may point only to the contract's own files, and nothing is
downloaded.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.keywords import OTHER_ITEMS, Schema

SCHEMA_SUFFIX = ".schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=20_000)
"""Limits the backtracking of a pattern in one string, because Ctrl-C cannot interrupt the matching. If a string needs
more backtracking, it does not match. A thousand such strings take about a second.
"""

SURROGATE = re.compile("[\ud800-\udfff]")

Validator = jsonschema_rs.Validator


def registry_of(schemas: Mapping[str, Schema]) -> Registry[Any]:
    """Finds the schemas of a contract by URI. The URI of a file is its `$id`, or any URI that ends with its name. A
    schema with `$id` inside a file has a URI, too.
    """
    files = {f"{name}{SCHEMA_SUFFIX}": DRAFT202012.create_resource(schema) for name, schema in schemas.items()}
    with_ids = {uri: resource for resource in files.values() if (uri := resource.id()) is not None}
    registry: Registry[Any] = Registry(retrieve=lambda uri: files[uri.rpartition("/")[2]])  # type: ignore[call-arg]
    return registry.with_resources([*files.items(), *with_ids.items()]).crawl()


def validator(schema: Schema, registry: Registry[Any]) -> Validator:
    """Raises `ValueError` if the schema is wrong, or refers to a file that the contract lacks."""

    def retrieve(uri: str) -> Any:
        """jsonschema-rs resolves references relative to the URI that it retrieves."""
        resource = registry.get_or_retrieve(uri).value
        own = resource.id() or uri
        return {"$ref": own} if urlsplit(own).scheme and own != uri else resource.contents

    try:
        return jsonschema_rs.Draft202012Validator(
            schema, retriever=retrieve, validate_formats=True, pattern_options=PATTERNS
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as problem:
        raise ValueError(problem.message) from problem


def without_surrogates(value: Any) -> Any:
    """Replaces each lone surrogate with U+FFFD, because the validator cannot handle lone surrogates."""
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(name): without_surrogates(part) for name, part in value.items()}
    return [without_surrogates(item) for item in value] if isinstance(value, list) else value


def standard(schema: Any) -> Any:
    """Converts a flat schema to standard JSON Schema, without the keywords that only brokerfuzz uses."""
    if isinstance(schema, list):
        return [standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == []:
        return {"not": {}}
    converted = {
        "items" if keyword == OTHER_ITEMS else keyword: value if keyword == "enum" else standard(value)
        for keyword, value in schema.items()
    }
    if KNOWN in converted:
        converted["allOf"] = [*converted.get("allOf", ()), {"enum": [*converted[KNOWN], None]}]
    return converted


def judge_of(schema: Schema) -> Callable[[Any], bool]:
    """Returns a function that says whether a value complies with a flat schema, such as a condition (`if`) of a
    contract. NaN complies with no schema, and a lone surrogate counts as any other character.
    """
    judge: Callable[[Any], bool] = _flat_validator(json.dumps(schema, default=list)).is_valid

    def robust(value: Any) -> bool:
        try:
            return judge(value) and not (isinstance(value, float) and math.isnan(value))
        except UnicodeEncodeError:
            return judge(without_surrogates(value))

    return robust


def matches(schema: Schema, value: Any) -> bool:
    return judge_of(schema)(value)


@lru_cache(maxsize=1024)
def _flat_validator(text: str) -> Validator:
    return jsonschema_rs.Draft202012Validator(
        standard(json.loads(text)), validate_formats=True, pattern_options=PATTERNS
    )
