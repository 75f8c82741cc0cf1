"""Simplifies `anyOf` with a schema and null, as pydantic writes every optional property.

A condition means the same: a value that is not null must comply with the schema. Unlike the branches of `anyOf`, the
schema of a condition has rules of its own, which the validator reports.
"""

from typing import Any

from brokerfuzz.schemas.keywords import subschemas

NULL = {"type": "null"}


def simplify_nullable(schema: dict[str, Any]) -> None:
    """Changes each `{"anyOf": [S, {"type": "null"}]}` in a schema to `{"if": {"type": "null"}, "else": S}`."""
    for _, part in subschemas(schema):
        branches = part.get("anyOf", ())
        if len(branches) == 2 and NULL in branches and "if" not in part:
            (other,) = [branch for branch in branches if branch != NULL] or [NULL]
            del part["anyOf"]
            part.update({"if": NULL, "else": other})


def is_nullable(schema: dict[str, Any]) -> bool:
    return schema.get("if") == NULL and "else" in schema and "then" not in schema
