"""Checks the conditions (`if`) of a JSON Schema. Only the keywords that conditions use are supported."""

from typing import Any

from brokerfuzz.schemas.flattening import KNOWN, Schema, types_of


def matches(when: Schema, value: Any) -> bool:
    """Returns whether a value complies with the condition. As in JSON Schema, a property that is absent is not
    checked.
    """
    if "enum" in when and not any(
        value == prop and isinstance(value, bool) == isinstance(prop, bool) for prop in when["enum"]
    ):
        return False
    if KNOWN in when and value is not None and value not in when[KNOWN]:
        return False
    if "type" in when and not any(_is(value, name) for name in types_of(when)):
        return False
    if isinstance(value, dict):
        props = when.get("properties", {})
        present = all(name in value for name in when.get("required", ()))
        return present and all(matches(props[name], value[name]) for name in props if name in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        above, below = (
            "exclusiveMinimum" not in when or value > when["exclusiveMinimum"],
            "exclusiveMaximum" not in when or value < when["exclusiveMaximum"],
        )
        return bool(when.get("minimum", value) <= value <= when.get("maximum", value) and above and below)
    if isinstance(value, str):
        return bool(when.get("minLength", 0) <= len(value) <= when.get("maxLength", len(value)))
    if isinstance(value, list):
        return bool(when.get("minItems", 0) <= len(value) <= when.get("maxItems", len(value)))
    return True


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool) or value is None:
        return name == ("null" if value is None else "boolean")
    if isinstance(value, float):
        return name == "number" or (name == "integer" and value.is_integer())
    if isinstance(value, int):
        return name in ("integer", "number")
    return name == ("string" if isinstance(value, str) else "object" if isinstance(value, dict) else "array")
