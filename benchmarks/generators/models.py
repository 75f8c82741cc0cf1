"""Creates Pydantic models from a schema, for generators that read types instead of schemas.

The models cannot express conditions (`if`, `then`). Optional properties are always present, because polyfactory
generates all properties.
"""

# pyright: reportMissingImports=false
# (Pydantic is installed only with the extra `bench`.)

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from brokerfuzz.schemas.flattening import types_of

_BOUNDS = {
    "minimum": "ge",
    "maximum": "le",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
}
_SCALARS = {"string": str, "integer": int, "number": float, "boolean": bool}


def model(name: str, schema: Mapping[str, Any]) -> Any:
    """The schema must not contain references."""
    from pydantic import create_model

    required = schema.get("required", ())
    props: dict[str, Any] = {
        prop: (_type(prop, found), ... if prop in required else None) for prop, found in schema["properties"].items()
    }
    return create_model(name, **props)


def _type(name: str, schema: Mapping[str, Any]) -> Any:
    types = types_of(schema)
    kind = _bounded(_plain(name, schema, next(iter(types - {"null"}))), schema)
    return kind | None if "null" in types else kind


def _plain(name: str, schema: Mapping[str, Any], kind: str) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if kind == "object":
        return model(name, schema)
    if kind == "array":
        return list[_type(name, schema["items"])]  # type: ignore[misc]
    return _SCALARS[kind]


def _bounded(kind: Any, schema: Mapping[str, Any]) -> Any:
    from pydantic import Field

    bounds: dict[str, Any] = {_BOUNDS[keyword]: value for keyword, value in schema.items() if keyword in _BOUNDS}
    return Annotated[kind, Field(**bounds)] if bounds else kind
