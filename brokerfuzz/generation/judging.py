"""Judges values with flat schemas: parts of messages, and the conditions (`if`) of a contract."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jsonschema_rs

from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.structural_validation import PATTERNS, standard


def validator_of(schema: Schema) -> jsonschema_rs.Validator:
    return _validator(json.dumps(schema, default=list))


def judge_of(schema: Schema) -> Callable[[Any], bool]:
    """Returns a function that says whether a value complies with a schema."""
    judge: Callable[[Any], bool] = validator_of(schema).is_valid
    return judge


def matches(schema: Schema, value: Any) -> bool:
    return judge_of(schema)(value)


@lru_cache(maxsize=1024)
def _validator(text: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator(
        standard(json.loads(text)), validate_formats=True, pattern_options=PATTERNS
    )
