from itertools import islice
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from brokerfuzz import MESSAGE_TYPES, MessageType, load_contract
from brokerfuzz.cases.random_cases import random_cases


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_flat_schema_means_what_the_schema_as_written_means(message_type: MessageType) -> None:
    flat = Draft202012Validator(load_contract().flat[message_type])
    cases = [case for case in islice(random_cases(message_type, 4), 600) if case.label != "unspecified"]
    for case in cases:
        if not any(broken.rule.endswith((":json", ":not-in-future")) for broken in case.verdict.broken):
            assert flat.is_valid(case.value) is (case.label == "valid"), case.body


def test_the_schemas_use_only_keywords_of_draft_7() -> None:
    """fastjsonschema supports only draft 7, and would ignore or misinterpret later keywords.

    Examples are unevaluatedProperties, prefixItems, dependentRequired, minContains, $defs, $dynamicRef, and keywords
    next to a $ref. If a schema used such a keyword, the results of fastjsonschema would be worthless.
    """
    known = {
        "$schema", "$id", "$comment", "title", "description", "default", "type", "enum", "const", "minimum", "maximum",
        "minLength", "minItems",
        "required", "properties", "additionalProperties", "items", "allOf", "if", "then",
    }  # fmt: skip
    for schema in load_contract().schemas.values():
        for below in all_schemas(schema):
            assert below.keys() <= known or below.keys() == {"$ref"}


def all_schemas(schema: Any) -> list[dict[str, Any]]:
    if not isinstance(schema, dict):
        return []
    below = [
        *schema.get("properties", {}).values(),
        *schema.get("allOf", []),
        *(schema[k] for k in ("items", "if", "then") if k in schema),
    ]
    return [schema, *(found for each in below for found in all_schemas(each))]
