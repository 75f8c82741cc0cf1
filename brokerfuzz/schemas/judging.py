"""Judges values with flat schemas: parts of messages, and the conditions (`if`) of a contract."""

import json
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jsonschema_rs

from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.structural_validation import PATTERNS, standard, without_surrogates


def judge_of(schema: Schema) -> Callable[[Any], bool]:
    """Returns a function that says whether a value complies with a schema. NaN complies with no schema, and a lone
    surrogate counts as any other character.
    """
    judge: Callable[[Any], bool] = _validator(json.dumps(schema, default=list)).is_valid

    def robust(value: Any) -> bool:
        try:
            return judge(value) and not (isinstance(value, float) and math.isnan(value))
        except UnicodeEncodeError:
            return judge(without_surrogates(value))

    return robust


def matches(schema: Schema, value: Any) -> bool:
    return judge_of(schema)(value)


@lru_cache(maxsize=1024)
def _validator(text: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator(
        standard(json.loads(text)), validate_formats=True, pattern_options=PATTERNS
    )
